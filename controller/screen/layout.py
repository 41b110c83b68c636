"""Lays lines out on a screen: which size, where a line breaks, which page it is on. It knows no pixels.

The first line is the headline. A line breaks where it has " - ", then between words; a number is never broken and
never parted from its currency sign or its seat's name: 20 characters fit in a row of the smallest size.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from controller.screen.font import Size
from hal.interface import Panel

HEADLINE_EIGHTHS = 5
"""With lines below it the headline may take this part of the height."""
BODY_SIZES = (Size.MIDDLE, Size.SMALL)
MARKER = 2
"""Pixels at the bottom kept for the mark that says which page of how many this is."""

_PLAIN = str.maketrans(  # curly quotes, narrow spaces, the ellipsis, the long dash and the euro sign
    dict.fromkeys("\u201c\u201d", '"')
    | dict.fromkeys("\u2018\u2019", "'")
    | dict.fromkeys("\u00a0\u2007\u2009\u202f\t", " ")
    | {"\u2026": "...", "\u2014": "–", "\u20ac": "EUR"}
)
_GLUED = re.compile(
    r"(?<=\$) (?=\d)|(?<=S/) (?=\d)"  # an amount
    r"|(?<=\d) (?=\d{3}\b)"  # a number in groups
    r"|(?<=[^\W\d]) (?=\d+$)|(?<=\b\d) (?=[^\W\d])"  # ASIENTO 3, 3 FICHAS
)
_GLUE = "\u00a0"


class Row(NamedTuple):
    """One row of text at its place; `x` and `y` are its upper left corner in pixels."""

    text: str
    size: Size
    x: int
    y: int


class Page(NamedTuple):
    """What is seen at one time."""

    rows: tuple[Row, ...]


class _Wrapped(NamedTuple):
    rows: tuple[str, ...]
    broken: bool
    """A word or number did not fit in a row and was cut."""


@lru_cache(maxsize=64)
def pages(lines: tuple[str, ...], panel: Panel) -> tuple[Page, ...]:
    """Lay `lines` out on pages of `panel`'s size; at least one page, an empty one for no lines."""
    if not lines:
        return (Page(()),)
    plain = [line.translate(_PLAIN) for line in lines]
    headline, body = plain[0], plain[1:]
    if not body:
        return _alone(headline, panel)
    room = panel.height * HEADLINE_EIGHTHS // 8
    size = _largest(headline, tuple(Size), Panel(panel.width, room))
    if size is None:
        return _in_turn([], plain, panel, 0)
    head = _centred(_wrap(headline, panel.width // size.width).rows, size, panel, 0)
    top = len(head) * size.height
    below = Panel(panel.width, panel.height - top)
    for body_size in BODY_SIZES:
        fitted = [_wrap(line, below.width // body_size.width) for line in body]
        rows = [row for wrapped in fitted for row in wrapped.rows]
        if len(rows) * body_size.height <= below.height and not any(wrapped.broken for wrapped in fitted):
            return (Page((*head, *_left(rows, body_size, top))),)
    return _in_turn(head, body, panel, top)


def _alone(headline: str, panel: Panel) -> tuple[Page, ...]:
    size = _largest(headline, tuple(Size), panel)
    if size is None:
        return _in_turn([], [headline], panel, 0)
    rows = _wrap(headline, panel.width // size.width).rows
    return (Page(tuple(_centred(rows, size, panel, (panel.height - len(rows) * size.height) // 2))),)


def _largest(line: str, sizes: Sequence[Size], room: Panel) -> Size | None:
    for size in sizes:
        wrapped = _wrap(line, room.width // size.width)
        if not wrapped.broken and len(wrapped.rows) * size.height <= room.height:
            return size
    return None


def _in_turn(head: Sequence[Row], lines: Sequence[str], panel: Panel, top: int) -> tuple[Page, ...]:
    """Share lines out to pages below `head`; the rows of a line stay together if a page can hold them."""
    size = Size.SMALL
    fit = max((panel.height - MARKER - top) // size.height, 1)
    found: list[list[str]] = [[]]
    for line in lines:
        rows = _wrap(line, panel.width // size.width).rows
        for start in range(0, len(rows), fit):
            piece = rows[start : start + fit]
            if len(found[-1]) + len(piece) > fit:
                found.append([])
            found[-1] += piece
    return tuple(Page((*head, *_left(rows, size, top))) for rows in found)


def _centred(rows: Sequence[str], size: Size, panel: Panel, y: int) -> list[Row]:
    return [
        Row(row, size, (panel.width - len(row) * size.width) // 2, y + number * size.height)
        for number, row in enumerate(rows)
    ]


def _left(rows: Sequence[str], size: Size, y: int) -> Iterator[Row]:
    return (Row(row, size, 0, y + number * size.height) for number, row in enumerate(rows))


@lru_cache(maxsize=512)
def _wrap(line: str, columns: int) -> _Wrapped:
    rows: list[str] = []
    broken = False
    for part in line.split(" - "):
        glued = _GLUED.sub(_GLUE, part)
        if rows and len(rows[-1]) + 3 + len(glued) <= columns:
            rows[-1] += f" - {glued}"
            continue
        row = ""
        for word in glued.split(" "):
            if row and len(row) + 1 + len(word) <= columns:
                row += f" {word}"
                continue
            if row:
                rows.append(row)
            row = word
            while len(row) > columns:
                broken = True
                rows.append(row[:columns])
                row = row[columns:]
        rows.append(row)
    return _Wrapped(tuple(row.replace(_GLUE, " ") for row in rows), broken)
