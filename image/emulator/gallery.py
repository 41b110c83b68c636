"""The pictures a screen has shown, kept as files: each once, numbered, and a list of when it said what."""

import struct
import threading
import time
import zlib
from pathlib import Path

from emulator.oled import HEIGHT, WIDTH, Picture
from emulator.reading import read

KEPT_MOST = 500
"""More pictures than a life ever needs. Those after them are not kept, and the list ends by saying so."""
LARGER = 4
"""A pixel becomes a square of so many: a file to be looked at."""


class Gallery:
    """A folder of pictures, `0001.png` and so on, and `seen.txt` beside them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._began = time.monotonic()
        self._kept: dict[Picture | None, int] = {}
        self._last: int | None = None
        self._lock = threading.Lock()
        folder.mkdir(parents=True, exist_ok=True)

    def add(self, picture: Picture | None) -> None:
        """What is seen now; None where the screen is dark. The same again is not listed twice."""
        with self._lock:
            number = self._kept.get(picture)
            if number is None:
                number = len(self._kept) + 1
                if number <= KEPT_MOST:
                    self._kept[picture] = number
                    (self._folder / f"{number:04}.png").write_bytes(png(picture))
            if number != self._last:
                self._list(number, picture)
            self._last = number

    def _list(self, number: int, picture: Picture | None) -> None:
        text = "(dark)" if picture is None else " / ".join(read(picture.rows)) or "(no text)"
        if number > KEPT_MOST:
            text = "and from here on pictures that were not seen before, which are not kept"
        with (self._folder / "seen.txt").open("a", encoding="utf-8") as file:
            file.write(f"{time.monotonic() - self._began:7.1f} s  {number:04}  {text}\n")


def png(picture: Picture | None) -> bytes:
    """The picture as a PNG file, its pixels white on black; a dark screen is all black."""
    rows = (0,) * HEIGHT if picture is None else picture.rows
    lines = b"".join(LARGER * (b"\0" + _wide(row)) for row in rows)
    head = struct.pack(">IIBBBBB", WIDTH * LARGER, HEIGHT * LARGER, 1, 0, 0, 0, 0)
    parts = ((b"IHDR", head), (b"IDAT", zlib.compress(lines, 9)), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(name, content) for name, content in parts)


def _wide(row: int) -> bytes:
    bits = "".join(LARGER * bit for bit in f"{row:0{WIDTH}b}")
    return int(bits, 2).to_bytes(WIDTH * LARGER // 8)


def _chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))
