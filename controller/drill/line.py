"""One line of a drill, and the readers of its words. A word that is wrong is refused with what is allowed."""

from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple, TypeVar

from controller.core import events as ev
from controller.drill import statements as st

UNITS = {
    "us": 1_000,
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "h": 3_600_000_000_000,
    "d": 86_400_000_000_000,
}
LONGEST_NS = 400 * UNITS["d"]
DIGITS_MOST = 30
"""More than any number in a drill has."""
SHOWN_MOST = 60
"""Characters of a bad word that are shown."""
Choice = TypeVar("Choice", bound=StrEnum)


class DrillError(ValueError):
    """A script that cannot be played: file, line, what is wrong, what is allowed."""


class Line(NamedTuple):
    """Where it stands, as it was written, and its words."""

    number: int
    text: str
    words: tuple[str, ...]

    def refuse(self, what: str) -> DrillError:
        """The error of this line; `what` says what is allowed."""
        return DrillError(f"line {self.number}: {self.text}\n  {what}")

    def takes(self, usage: str, least: int, most: int | None = None) -> tuple[str, ...]:
        """The words after the first, if they are as many as they should be."""
        given = self.words[1:]
        if not least <= len(given) <= (least if most is None else most):
            raise self.refuse(f"write it like: {usage}")
        return given


def count(line: Line, word: str, most: int) -> int:
    """A whole number from 0 to `most`."""
    if not (_is_number(word) and int(word) <= most):
        raise line.refuse(f"{_shown(word)} is not a whole number from 0 to {most}")
    return int(word)


def duration(line: Line, word: str) -> int:
    """`250ms` in nanoseconds."""
    digits = word.rstrip("abcdefghijklmnopqrstuvwxyz")
    unit = word[len(digits) :]
    whole, _, fraction = digits.partition(".")
    if unit not in UNITS or not _is_number(whole) or not _is_number(fraction or "0"):
        raise line.refuse(f"{_shown(word)} is not a time; write 250ms, 1.5s … (units: {', '.join(UNITS)})")
    scale: int = 10 ** len(fraction)
    ns = int(whole) * UNITS[unit] + int(fraction or "0") * UNITS[unit] // scale
    if ns > LONGEST_NS:
        raise line.refuse(f"{word!r} is longer than a drill's longest time, 400d")
    return ns


def _is_number(word: str) -> bool:
    """Whether these are digits, and not more of them than Python reads as a number."""
    return word.isascii() and word.isdigit() and len(word) <= DIGITS_MOST


def _shown(word: str) -> str:
    return repr(word if len(word) <= SHOWN_MOST else f"{word[:SHOWN_MOST]}…")


def choice(line: Line, kind: type[Choice], word: str) -> Choice:
    """One of an enum's members."""
    try:
        return kind(word)
    except ValueError as error:
        raise line.refuse(f"{word!r} is none of: {', '.join(kind)}") from error


def seat_number(line: Line, word: str) -> int:
    """A seat; whether there is one of that number is the table's business."""
    return count(line, word, 99)


def one_of(line: Line, word: str, *allowed: str) -> str:
    """One of some words."""
    if word not in allowed:
        raise line.refuse(f"{word!r} is none of: {', '.join(allowed)}")
    return word


def operate(line: Line, *events: ev.AnyEvent) -> st.Statement:
    """What the operator's menu would have produced."""
    return st.Operate(line.number, line.text, events=events)


def plain(make: Callable[[int], ev.AnyEvent], usage: str) -> Callable[[Line], st.Statement]:
    """A statement of one word."""

    def read(line: Line) -> st.Statement:
        line.takes(usage, 0)
        return operate(line, make(0))

    return read
