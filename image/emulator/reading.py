"""Reads what a person reads: rows of text on the croupier's screen, by the pixels of the program's own font.

It knows the font's files (Linux console fonts, PSF 1 and 2) and how a text stands: characters beside each other, rows
anywhere, sizes mixed. How the program lays a page out it does not know.
"""

import struct
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from emulator.oled import HEIGHT, WIDTH

FONTS = Path(__file__).resolve().parents[2] / "controller/screen/font"
SIZES = ((16, 32), (12, 24), (8, 16), (6, 12))

Glyph = tuple[int, ...]
"""A character's rows from the top, the leftmost pixel highest."""


@dataclass(frozen=True)
class _Font:
    """Where a font's pictures begin in its file, how many there are, the bytes of each, and what they stand for."""

    begins: int
    count: int
    length: int
    table: list[str]


def read(rows: tuple[int, ...]) -> tuple[str, ...]:
    """The rows of text from the top; empty where there is none that can be read.

    A pixel that is of no character is no hindrance: the mark of the page's number, or half of a picture being sent.
    """
    found, y = [], 0
    while y < HEIGHT:
        text, taken = _at(rows, y)
        found += [text] if text else []
        y += taken
    return tuple(found)


def _at(rows: tuple[int, ...], y: int) -> tuple[str, int]:
    """The text whose upper edge is at `y`, and its height; nothing, and 1, where none begins there."""
    for width, height in SIZES:
        if y + height > HEIGHT:
            continue
        strip = rows[y : y + height]
        if not any(strip):
            continue
        for left in range(width):
            text = _along(strip, left, width, height)
            if text:
                return text, height
    return "", 1


def _along(strip: tuple[int, ...], left: int, width: int, height: int) -> str:
    """The text of a strip whose characters begin at `left`; empty where any pixel is of none."""
    outside = (1 << WIDTH) - (1 << (WIDTH - left)) if left else 0
    outside |= (1 << ((WIDTH - left) % width)) - 1
    if any(row & outside for row in strip):
        return ""
    characters = glyphs(width, height)
    mask, text = (1 << width) - 1, ""
    for at in range(left, WIDTH - width + 1, width):
        shift = WIDTH - width - at
        character = characters.get(tuple(row >> shift & mask for row in strip))
        if character is None:
            return ""
        text += character
    return " ".join(text.split())


@cache
def glyphs(width: int, height: int) -> dict[Glyph, str]:
    """The characters of a size by their pixels; of several that look the same the one with the lowest number."""
    data = (FONTS / f"spleen-{width}x{height}.psfu").read_bytes()
    font, step = _opened(data), (width + 7) // 8
    found: dict[Glyph, str] = {}
    for number, characters in enumerate(font.table):
        at = font.begins + number * font.length
        picture = tuple(
            int.from_bytes(data[row : row + step]) >> (8 * step - width)
            for row in range(at, at + font.length, step)
        )
        for character in characters:
            found[picture] = min(character, found.get(picture, character))
    return found


def _opened(data: bytes) -> _Font:
    if data.startswith(b"\x36\x04"):
        count, length = 512 if data[2] & 1 else 256, data[3]
        entries = data[4 + count * length :].decode("utf-16-le").split("\uffff")
        return _Font(4, count, length, [entry.split("\ufffe")[0] for entry in entries[:count]])
    begins, _flags, count, length = struct.unpack_from("<4I", data, 8)
    named = data[begins + count * length :].split(b"\xff")
    return _Font(begins, count, length, [entry.split(b"\xfe")[0].decode() for entry in named[:count]])
