"""The croupier's screen: an SSD1306 as its data sheet (rev. 1.1) has it, with what a person in front of it sees.

It knows the commands a table sends. Any other is an error, not silence: an emulated panel that guesses proves nothing.
"""

from typing import NamedTuple

WIDTH, HEIGHT = 128, 64
PAGES = HEIGHT // 8

COMMANDS, DATA = 0x00, 0x40
"""The first byte of a message: what all the others are."""

ARGUMENTS = {
    **dict.fromkeys((0x20, 0x81, 0x8D, 0xA8, 0xD3, 0xD5, 0xD9, 0xDA, 0xDB), 1),
    **dict.fromkeys((0x21, 0x22), 2),
    **dict.fromkeys((0x40, *range(0xA0, 0xA2), *range(0xA4, 0xA8), 0xAE, 0xAF, 0xC0, 0xC8, 0xE3), 0),
}
"""How many bytes follow a command."""

NEEDED = {0x20: 0x00, 0x8D: 0x14, 0xA8: 0x3F, 0xD3: 0x00, 0xDA: 0x12}
"""Horizontal addressing, the charge pump, and how a glass of 128×64 is wired: without these nothing is seen right."""


class PanelError(RuntimeError):
    """The table sent what an SSD1306 of 128×64 does not know."""


class Picture(NamedTuple):
    """What is seen: rows from the top, each a number whose highest bit is the leftmost pixel. `light`: 0 to 255."""

    rows: tuple[int, ...]
    light: int


class Ssd1306:
    """The panel, from the moment its supply comes: dark, not set up, and with chance in its memory."""

    def __init__(self) -> None:
        self._memory = bytearray(place * 37 % 251 for place in range(WIDTH * PAGES))
        self._set: dict[int, int] = {}
        self._columns, self._pages = (0, WIDTH - 1), (0, PAGES - 1)
        self._column = self._page = 0
        self._light = 0x7F
        self._on = self._all = self._inverse = self._mirrored = self._upturned = False

    def written(self, content: bytes) -> None:
        """Take a message from the bus. Raises `PanelError`."""
        if not content:
            return
        if content[0] == COMMANDS:
            self._obey(content[1:])
        elif content[0] == DATA:
            for byte in content[1:]:
                self._take(byte)
        else:
            raise PanelError(f"a message to the panel begins with {content[0]:#04x}, neither 0x00 nor 0x40")

    def status(self) -> int:
        """What is read from it: bit 6 says that it is off."""
        return 0 if self._on else 0x40

    def seen(self) -> Picture | None:
        """What a person sees; None while it is dark."""
        if not self._on or any(self._set.get(command) != value for command, value in NEEDED.items()):
            return None
        memory = bytes(self._memory)
        rows = [_row(memory, y, mirrored=not self._mirrored) for y in range(HEIGHT)]
        if not self._upturned:
            rows.reverse()
        everything = (1 << WIDTH) - 1
        if self._all:
            rows = [everything] * HEIGHT
        if self._inverse:
            rows = [row ^ everything for row in rows]
        return Picture(tuple(rows), self._light)

    def _obey(self, codes: bytes) -> None:
        at = 0
        while at < len(codes):
            command = codes[at]
            if command not in ARGUMENTS:
                raise PanelError(f"the panel does not know command {command:#04x} (sent: {codes.hex(' ')})")
            after = at + 1 + ARGUMENTS[command]
            if after > len(codes):
                raise PanelError(
                    f"command {command:#04x} came without its arguments (sent: {codes.hex(' ')})"
                )
            self._do(command, *codes[at + 1 : after])
            at = after

    def _do(self, command: int, *values: int) -> None:
        match command, values:
            case 0x21, (start, end) if start <= end < WIDTH:
                self._columns, self._column = (start, end), start
            case 0x22, (start, end) if start <= end < PAGES:
                self._pages, self._page = (start, end), start
            case ((0x21 | 0x22), _):
                raise PanelError(f"window {values} of command {command:#04x} is not within {WIDTH}x{HEIGHT}")
            case 0x81, (level,):
                self._light = level
            case ((0xA0 | 0xA1), _):
                self._mirrored = command == 0xA1
            case ((0xA4 | 0xA5), _):
                self._all = command == 0xA5
            case ((0xA6 | 0xA7), _):
                self._inverse = command == 0xA7
            case ((0xAE | 0xAF), _):
                self._on = command == 0xAF
            case ((0xC0 | 0xC8), _):
                self._upturned = command == 0xC8
            case _, (value,):
                self._set[command] = value
            case _:
                pass  # the start line, which is the first, and the command that does nothing

    def _take(self, byte: int) -> None:
        """Eight pixels of a column go where the window says next."""
        self._memory[self._page * WIDTH + self._column] = byte
        self._column += 1
        if self._column > self._columns[1]:
            self._column = self._columns[0]
            self._page = self._pages[0] if self._page == self._pages[1] else self._page + 1


def _row(memory: bytes, y: int, *, mirrored: bool) -> int:
    columns = memory[y // 8 * WIDTH : (y // 8 + 1) * WIDTH]
    bits = "".join("1" if byte >> y % 8 & 1 else "0" for byte in columns)
    return int(bits[::-1] if mirrored else bits, 2)
