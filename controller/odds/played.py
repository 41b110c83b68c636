"""What the base game's text says about the bank, by profile: what it needs to open, and what is to be known of it.

A profile's own file says how many cards a hand has and whether an ace may begin a straight; this is only for the
odds of the bank, which no table's play depends on.
"""

import msgspec

from controller.core.settlement import Opening


class Bank(msgspec.Struct, frozen=True):
    """`opens` is None where the text has no such hand; `note` is what a reader of the figures must know."""

    opens: Opening | None
    note: str


_CARIBBEAN = Bank(Opening.ACE_KING, "the bank opens with ace and king or better (seed 004)")
_DRAW = Bank(
    Opening.PAIR_OF_EIGHTS,
    "the bank opens with a pair of eights or better (seed 002); counted on the cards as dealt, before it changes any",
)
_GO = Bank(None, "the bank has no hand; players are paid for theirs (seed 002)")
_CIRCLE = Bank(
    None, "a circle game: players play among themselves, the house takes a part of their pots (seed 002)"
)

BANKS = {
    "uy-montevideo-caribbean": Bank(
        Opening.ACE_KING, "the bank plays with a king and an ace or better (seed 000 art. 8 and 13)"
    ),
    "cl-caribbean": _CARIBBEAN,
    "cl-caribbean-plus": _CARIBBEAN,
    "cl-caribbean-progressive": _CARIBBEAN,
    "cl-caribbean-plus-progressive": _CARIBBEAN,
    "cl-draw": _DRAW,
    "cl-draw-progressive": _DRAW,
    "cl-go-poker": _GO,
    "cl-go-poker-progressive": _GO,
    "cl-three-card": Bank(
        None,
        "the text gives the bank no hand to open with, and no order of three cards: that is a convention",
    ),
    "cl-stud": _CIRCLE,
    "cl-seven-stud": _CIRCLE,
    "cl-omaha": _CIRCLE,
    "cl-holdem-limit": _CIRCLE,
    "cl-holdem-no-limit": _CIRCLE,
    "pe-caribbean": Bank(None, "what the bank needs is not in the pages at hand (seed 003 ends in art. 12)"),
    "uy-montevideo-punto-banca": Bank(None, "Punto y Banca is not played with poker hands (seed 001)"),
}

UNKNOWN = Bank(None, "what the bank needs is not known for this profile")
