"""What all tables of a link must agree on: the rules of one level, and a digest of them.

Pure. Two tables whose games differ elsewhere (seats, other levels, base game) may share a level; wager, rates, limits,
prizes and the policies that decide amounts may not differ.
"""

import hashlib
from typing import Final

import msgspec
from msgspec.structs import replace

from controller.core.game import Game, LevelRules, Order, Prize, RoyalExcludes, RoyalSplit
from controller.core.money import Currency

ARITHMETIC: Final = 1
"""Version of how awards and pots are worked out: programs that would decide otherwise share no pot."""


class LinkRules(msgspec.Struct, frozen=True):
    """The rules of a linked level, amounts in minor units; the floor stores their JSON and decides by it."""

    currency: Currency
    wager: int
    payable_unit: int
    order: Order
    royal_split: RoyalSplit
    royal_excludes: RoyalExcludes
    level: LevelRules
    prizes: tuple[Prize, ...]
    arithmetic: int = ARITHMETIC

    @property
    def text(self) -> str:
        """The rules as canonical JSON, which the digest covers."""
        return msgspec.json.encode(self, order="deterministic").decode()

    @property
    def digest(self) -> str:
        """SHA-256 of `text` in hex: the same rules give the same digest at every table."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def link_rules(game: Game, level: str) -> LinkRules:
    """The part of a game that a link of its level decides by. Raises `LookupError` for a level it does not have."""
    found = next((rules for rules in game.levels if rules.name == level), None)
    if found is None:
        names = ", ".join(rules.name for rules in game.levels) or "none"
        raise LookupError(f"{game.profile} has no level {level!r}; it has: {names}")
    return LinkRules(
        currency=game.currency,
        wager=game.wager,
        payable_unit=game.payable_unit,
        order=game.policies.order,
        royal_split=game.policies.royal_split,
        royal_excludes=game.policies.royal_excludes,
        level=replace(found, link=None),
        prizes=tuple(prize for prize in game.prizes if prize.level == level),
    )
