"""The kinds of values a file may hold, with the words that say what is allowed, and the shape all parts share."""

import re
from enum import StrEnum
from typing import Annotated, Generic, TypeVar

import msgspec

from controller.core.money import PPM

T_co = TypeVar("T_co", covariant=True)

Amount = Annotated[
    str,
    msgspec.Meta(
        extra={"allowed": 'an amount in quotes with exactly the currency\'s decimals, like "10000.00"'}
    ),
]
Rate = Annotated[
    int,
    msgspec.Meta(
        ge=0, le=PPM, extra={"allowed": "whole parts per million, 0 to 1000000 (a quarter is 250000)"}
    ),
]
Multiple = Annotated[
    int, msgspec.Meta(ge=1, le=1_000_000, extra={"allowed": "how many times the wager, 1 to 1000000"})
]
ToOne = Annotated[
    int, msgspec.Meta(ge=1, le=10_000, extra={"allowed": "how much a bet wins to one, 1 to 10000"})
]
SeatCount = Annotated[int, msgspec.Meta(ge=1, le=32, extra={"allowed": "a number of seats, 1 to 32"})]
CardCount = Annotated[int, msgspec.Meta(ge=0, le=9, extra={"allowed": "a number of cards, 0 to 9"})]
Level = Annotated[str, msgspec.Meta(pattern="^[a-z][a-z0-9_]{0,19}$")]
LinkName = Annotated[
    str,
    msgspec.Meta(
        pattern="^[a-z][a-z0-9_-]{0,31}$",
        extra={"allowed": "the link's name at the floor, in quotes: 1 to 32 small letters, digits, - and _"},
    ),
]
TABLE_ID_ALLOWED = "1 to 32 ASCII letters, digits, - and _"
_TABLE_ID = "^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$"
TableId = Annotated[str, msgspec.Meta(pattern=_TABLE_ID, extra={"allowed": f"{TABLE_ID_ALLOWED} in quotes"})]
TimeOfDay = Annotated[
    str,
    msgspec.Meta(
        pattern="^([01][0-9]|2[0-3]):[0-5][0-9]$", extra={"allowed": 'a time of day in quotes, like "06:00"'}
    ),
]
ShortText = Annotated[
    str, msgspec.Meta(pattern="^.{1,60}$", extra={"allowed": "a text of 1 to 60 characters in quotes"})
]


class Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Common to all parts of a file: a key nobody knows is refused."""


class By(StrEnum):
    """Who sets what a text leaves open; the table's file gives it in either case."""

    HOUSE = "house"
    DIRECTION = "direction"
    """The Dirección de Casinos (Montevideo)."""


class Ruled(Strict, Generic[T_co], frozen=True):
    """One value and the article it comes from.

    `house` with a value: the text leaves it open and this is what is shipped, a table's file may give another.
    `house` without one: a table's file must give it. A value alone is fixed. `by`: who sets it, for the rules sheet.
    """

    source: str
    value: T_co | None = None
    house: bool = False
    by: By = By.HOUSE


def is_table_id(text: str) -> bool:
    """Whether a table can have this identity."""
    return re.search(_TABLE_ID, text) is not None and not text.endswith("\n")
