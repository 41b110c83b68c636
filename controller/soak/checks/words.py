"""What every checker shares: a record as plain JSON, the checkers' names, and how a finding is kept."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, NamedTuple

import msgspec

Json = dict[str, Any]

_decode = msgspec.json.decode


class Checker(StrEnum):
    """Who found it."""

    PHASE = "phase"
    MONEY = "money"
    AWARD = "award"
    COUNT = "count"
    KEYS = "keys"
    LOCKOUT = "lockout"
    LAMP = "lamp"
    SLOTS = "slots"
    RELEASE = "release"
    SIGN = "sign"
    RECOVERY = "recovery"
    CHAIN = "chain"
    REPLAY = "replay"
    FLUSH = "flush"
    BANK = "bank"


class Findings:
    """What was found, oldest first: the checker's name, a colon, what is wrong."""

    def __init__(self) -> None:
        self.told: list[str] = []

    def tell(self, checker: Checker, what: str) -> None:
        """Keep a finding."""
        self.told.append(f"{checker}: {what}")

    def unless(self, good: object, checker: Checker, what: str) -> None:
        """Keep a finding unless all is good."""
        if not good:
            self.tell(checker, what)


class Rec(NamedTuple):
    """A record, its JSON columns decoded."""

    seq: int
    boot: int
    kind: str
    event: Json
    results: list[Json]
    state: Json
    row: Sequence[Any]


def decoded(text: str) -> Json:
    """JSON that stands in a text."""
    found: Json = _decode(text)
    return found


def record_of(row: Sequence[Any]) -> Rec:
    """Read a row of ten columns."""
    return Rec(row[0], row[1], row[5], _decode(row[6]), _decode(row[7]), _decode(row[8]), row)
