"""A paper as rows, 42 columns wide, before anybody knows whether it becomes text, a printer's bytes or a picture.

What people typed (names, reasons) is made harmless here: a control character in a name must not command a printer.
"""

import textwrap
from typing import Final, TypeAlias

import msgspec

WIDTH: Final = 42
"""Columns of an 80 mm roll in its normal font; what every ESC/POS printer of that width has at least."""

WIDE: Final = WIDTH // 2
"""Columns of letters twice as wide."""


class Title(msgspec.Struct, frozen=True):
    """A centred heading."""

    text: str


class Mark(msgspec.Struct, frozen=True):
    """What nobody may overlook: copy, reprint, void."""

    text: str


class Amount(msgspec.Struct, frozen=True):
    """The one amount the paper is about."""

    text: str


class Pair(msgspec.Struct, frozen=True):
    """A label at the left and its value at the right."""

    label: str
    value: str


class Text(msgspec.Struct, frozen=True):
    """A sentence, or a line of columns that fits."""

    text: str


class Rule(msgspec.Struct, frozen=True):
    """A line across."""


class Sign(msgspec.Struct, frozen=True):
    """A place to sign."""

    label: str


Row: TypeAlias = Title | Mark | Amount | Pair | Text | Rule | Sign
Document: TypeAlias = tuple[Row, ...]


def printable(text: str) -> str:
    """The text with every character that does not print replaced by a question mark that can be seen."""
    return "".join(character if character.isprintable() else "?" for character in text)


def wrapped(text: str, width: int = WIDTH) -> list[str]:
    """A text in lines of at most `width`; nothing of it is lost."""
    return textwrap.wrap(printable(text), width, break_on_hyphens=False) or [""]


def pair(row: Pair) -> list[str]:
    """Label and value in one line, or the value below at the right where both do not fit."""
    label, value = printable(row.label), printable(row.value)
    room = WIDTH - len(label) - 1
    if len(value) <= room:
        return [f"{label} {value:>{room}}"]
    return [*wrapped(label), *(f"{line:>{WIDTH}}" for line in wrapped(value, WIDTH - 2))]
