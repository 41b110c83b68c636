"""The shared vectors of linked pots, and the game each is about."""

from pathlib import Path

import msgspec
from msgspec.structs import replace

from controller.core.game import Game, Hand, Order, RoyalSplit
from controller.core.state import Claim
from tests.helpers_game import GAME

FILE = Path(__file__).parent / "vectors" / "linked_pots.json"


class Decisions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What of a vector's rules is not its level's."""

    royal_split: RoyalSplit = RoyalSplit.EQUAL
    order: Order = Order.SEAT
    payable_unit: int = 1


class Vector(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Wagers, then the claims of one round: what each wins, in the order of serving, and what is left."""

    what: str
    hands: dict[int, Hand]
    won: tuple[tuple[int, int], ...]
    pot: int
    wagers: int = 0
    level: dict[str, int] = {}
    rules: Decisions = Decisions()
    house_funding: int = 11_000_000
    carry: int = 0

    @property
    def game(self) -> Game:
        """The rules it is about."""
        policies = replace(GAME.policies, royal_split=self.rules.royal_split, order=self.rules.order)
        level = replace(GAME.levels[0], **self.level)
        return replace(GAME, levels=(level,), policies=policies, payable_unit=self.rules.payable_unit)

    @property
    def claims(self) -> tuple[Claim, ...]:
        """The claims in the order in which they were typed."""
        return tuple(Claim(seat, hand) for seat, hand in self.hands.items())


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    about: str
    vectors: tuple[Vector, ...]


VECTORS = msgspec.json.decode(FILE.read_bytes(), type=_File).vectors
