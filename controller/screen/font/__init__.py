"""The bundled font, Spleen, in four sizes: every Spanish letter, digits and signs, whatever the machine has installed.

It reads the Linux console's own font files (PSF 1 and 2, `man psfaddtable`), which hold a bitmap for each
character. Bitmaps make the same pixels on every machine; a library that reads them would be one more thing to load.
"""

import struct
from enum import Enum
from functools import cache
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).parent
PSF1 = b"\x36\x04"
PSF2 = b"\x72\xb5\x4a\x86"
PSF1_512_GLYPHS = 0x01


class Size(Enum):
    """A size of the font: the width and height of a character in pixels."""

    HUGE = (16, 32)
    LARGE = (12, 24)
    MIDDLE = (8, 16)
    SMALL = (6, 12)

    @property
    def width(self) -> int:
        """Pixels from one character to the next."""
        return self.value[0]

    @property
    def height(self) -> int:
        """Pixels from one row of text to the next."""
        return self.value[1]


class Font:
    """The characters of one size. Only those asked for are made into rows: a text needs few of a file's hundreds."""

    def __init__(self, size: Size, data: bytes, path: Path) -> None:
        if data.startswith(PSF1):
            self._parts = _psf1(data)
        elif data.startswith(PSF2):
            self._parts = _psf2(data)
        else:
            raise ValueError(f"{path} is no console font: install Pozo again")
        self._size = size
        self._data = data
        self._rows: dict[str, tuple[int, ...]] = {}
        self._numbers: dict[str, int] = {}
        for number, characters in enumerate(self._parts.table):
            for character in characters:
                self._numbers.setdefault(character, number)

    def __contains__(self, character: str) -> bool:
        return character in self._numbers

    def rows(self, character: str) -> tuple[int, ...]:
        """The bits of a character's pixel rows from the top, the leftmost pixel highest.

        A character the font does not have is an empty box: a person sees that something is missing.
        """
        if character not in self._rows:
            self._rows[character] = self._read(character) if character in self else _box(self._size)
        return self._rows[character]

    def _read(self, character: str) -> tuple[int, ...]:
        start = self._parts.bitmaps + self._numbers[character] * self._parts.length
        row = (self._size.width + 7) // 8
        return tuple(
            int.from_bytes(self._data[at : at + row]) >> (8 * row - self._size.width)
            for at in range(start, start + self._parts.length, row)
        )


class _Parts(NamedTuple):
    """Where the bitmaps of a font file begin, how long each is, and the characters of each."""

    bitmaps: int
    length: int
    table: list[str]


@cache
def font(size: Size) -> Font:
    """Load one size, once. Raises `OSError` or `ValueError` for a damaged installation."""
    path = FOLDER / f"spleen-{size.width}x{size.height}.psfu"
    return Font(size, path.read_bytes(), path)


def _psf1(data: bytes) -> _Parts:
    mode, length = data[2], data[3]
    count = 512 if mode & PSF1_512_GLYPHS else 256
    entries = data[4 + count * length :].decode("utf-16-le").split("\uffff")
    # What follows the separator are sequences of combining characters, which no text of ours has.
    return _Parts(4, length, [entry.partition("\ufffe")[0] for entry in entries[:count]])


def _psf2(data: bytes) -> _Parts:
    _magic, _version, bitmaps, _flags, count, length, _height, _width = struct.unpack_from("<8I", data)
    entries = data[bitmaps + count * length :].split(b"\xff")
    return _Parts(bitmaps, length, [entry.partition(b"\xfe")[0].decode() for entry in entries[:count]])


def _box(size: Size) -> tuple[int, ...]:
    edge = ((1 << (size.width - 2)) - 1) << 1
    sides = 1 << (size.width - 2) | 2
    return (0, edge, *(sides,) * (size.height - 4), edge, 0)
