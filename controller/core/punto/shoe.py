"""The shoe: how many cards are left, the red card, the last round, and the seven cards a round needs.

The table sees no card, so it keeps bounds: a deal whose hands were not entered took four to six. `least` and
`most` are equal as long as every hand was entered.
"""

from enum import StrEnum

import msgspec
from msgspec.structs import replace

from controller.core.punto.rules import CARDS_LEAST, DECK, RedCard

DEAL_LEAST, DEAL_MOST = 4, 6
"""Num. 7: two cards each, and at most one more each."""


class Shoe(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A shoe in play. `behind_red` cards lie behind the red card (num. 4)."""

    least: int
    most: int
    behind_red: int
    red: bool = False
    """The red card has come up."""
    last: bool = False
    """The round that is open or dealt is this shoe's last (num. 41)."""
    over: bool = False
    """The last round was played: a new shoe is made (num. 43)."""


class Enough(StrEnum):
    """Whether a round can be dealt from a shoe (nums. 4 and 42)."""

    YES = "yes"
    NO = "no"
    COUNT = "count"
    """The bounds do not tell: the dealer must count."""


def make(decks: int, behind_red: int) -> Shoe:
    """A full shoe (num. 1) with its red card. Raises `ValueError` with fewer than seven cards behind it (num. 4)."""
    cards = decks * DECK
    if not CARDS_LEAST <= behind_red < cards:
        raise ValueError(
            f"{behind_red} cards behind the red one; {CARDS_LEAST} to {cards - 1} are allowed (num. 4)"
        )
    return Shoe(least=cards, most=cards, behind_red=behind_red)


def untouched(shoe: Shoe, decks: int) -> bool:
    """Whether nothing was taken from it yet: making it again puts an entry right, and ends nothing."""
    return not shoe.red and shoe.least == shoe.most == decks * DECK


def dealt(shoe: Shoe, cards: int | None) -> Shoe:
    """A deal took `cards` cards; None: nobody entered them, so four to six."""
    fewest, most = (DEAL_LEAST, DEAL_MOST) if cards is None else (cards, cards)
    return _less(shoe, fewest, most)


def spoiled(shoe: Shoe) -> Shoe:
    """A void round took some cards, six at most."""
    return _less(shoe, 0, DEAL_MOST)


def burned(shoe: Shoe) -> Shoe:
    """A card that lay face up was burned (nums. 9 and 29)."""
    return _less(shoe, 1, 1)


def counted(shoe: Shoe, cards: int) -> Shoe:
    """The dealer counted what is left. Raises `ValueError` for a number the shoe cannot hold."""
    if not 0 <= cards <= shoe.most:
        raise ValueError(f"{cards} cards counted; at most {shoe.most} can be left")
    return replace(shoe, least=cards, most=cards)


def red_shown(shoe: Shoe, policy: RedCard, *, dealing: bool) -> Shoe:
    """The red card came up. Before a deal, the round now open is the last (num. 41); while `dealing`, by policy."""
    last = not dealing or policy is RedCard.THIS_ROUND
    behind = shoe.behind_red
    most = behind + DEAL_MOST if dealing else behind
    return replace(shoe, red=True, last=last, least=behind, most=most)


def round_over(shoe: Shoe) -> Shoe:
    """A round ended: after the last the shoe is over; after one in which the red card came, the next is the last."""
    if shoe.last:
        return replace(shoe, last=False, over=True)
    return replace(shoe, last=True) if shoe.red and not shoe.over else shoe


def enough(shoe: Shoe) -> Enough:
    """Whether seven cards are left (nums. 4 and 42)."""
    if shoe.most < CARDS_LEAST:
        return Enough.NO
    return Enough.YES if shoe.least >= CARDS_LEAST else Enough.COUNT


def _less(shoe: Shoe, fewest: int, most: int) -> Shoe:
    return replace(shoe, least=max(shoe.least - most, 0), most=max(shoe.most - fewest, 0))
