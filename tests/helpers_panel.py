"""Panels in memory, as their data sheets say, at the place where luma speaks to a bus: they show what is really seen.

Each keeps its RAM, whether it was set up since its power came, and whether it is switched on. It can lose its power,
lose bytes, fail, or hold the bus. Nothing of the product's own drawing is used here.
"""

from collections.abc import Callable, Iterator
from threading import Event
from types import MappingProxyType
from typing import Protocol

from hal.interface import Panel, Picture


class Bus(Protocol):
    """An opened bus with a panel on it."""

    def command(self, *cmd: int) -> None: ...
    def data(self, data: list[int]) -> None: ...
    def cleanup(self) -> None: ...


class EmulatedPanel:
    """What the chips have in common. Bytes on the bus are counted as I2C carries them: address, control, content."""

    width, height = 128, 64
    needed: frozenset[int]
    """The commands without which a chip that had no power shows nothing."""

    def __init__(self) -> None:
        self.fail_with: Callable[[], Exception] | None = None
        self.fail_after: int | None = None
        self.held: Event | None = None
        """While it is set up and not yet freed, the bus makes every writer wait."""
        self.lose_data = 0
        self.bytes = 0
        self.opened = self.closed = self.writes = 0
        self.commands: list[int] = []
        self.power_up()

    def power_up(self) -> None:
        """The supply comes back: random dots in RAM, no set-up, display off. Every byte is answered as ever."""
        self.ram = [bytearray((n * 37 + row) & 1 for n in range(self.width)) for row in range(self.height)]
        self.on = False
        self.contrast = 0
        self.done: set[int] = set()

    def open(self) -> Bus:
        """Open the bus."""
        self.opened += 1
        return self

    def command(self, *cmd: int) -> None:
        self._carry(len(cmd))
        for code in cmd:
            self.commands.append(code)
        self.obey(list(cmd))

    def data(self, data: list[int]) -> None:
        self._carry(len(data))
        if self.lose_data:
            self.lose_data -= 1
            return
        self.take(bytes(data))

    def cleanup(self) -> None:
        self.closed += 1

    def seen(self) -> Picture | None:
        """The picture a person sees; None while the panel is dark."""
        if not self.on or not self.needed <= self.done:
            return None
        rows = (int("".join(map(str, row)), 2).to_bytes(self.width // 8) for row in self.ram)
        return Picture(Panel(self.width, self.height), b"".join(rows))

    def obey(self, cmd: list[int]) -> None:
        raise NotImplementedError

    def take(self, data: bytes) -> None:
        raise NotImplementedError

    def _carry(self, length: int) -> None:
        if self.held is not None:
            self.held.wait()
        self.writes += 1
        if self.fail_with is not None:
            raise self.fail_with()
        if self.fail_after is not None:
            if self.fail_after == 0:
                raise OSError(121, "Remote I/O error")
            self.fail_after -= 1
        self.bytes += 2 + length


class Ssd1306(EmulatedPanel):
    """SSD1306: horizontal addressing inside a window of columns and pages (data sheet rev. 1.1, table 9-1)."""

    needed = frozenset({0xA8, 0x8D, 0xDA})
    arguments = MappingProxyType(
        {
            0x20: 1,
            0x21: 2,
            0x22: 2,
            0x81: 1,
            0x8D: 1,
            0xA8: 1,
            0xD3: 1,
            0xD5: 1,
            0xD9: 1,
            0xDA: 1,
            0xDB: 1,
        }
    )

    def obey(self, cmd: list[int]) -> None:
        codes = iter(cmd)
        for code in codes:
            values = [next(codes) for _ in range(self.arguments.get(code, 0))]
            self.done.add(code)
            match code, values:
                case 0x21, [start, end]:
                    self.columns, self.column = (start, end), start
                case 0x22, [start, end]:
                    self.pages, self.page = (start, end), start
                case 0x81, [level]:
                    self.contrast = level
                case ((0xAE | 0xAF), []):
                    self.on = code == 0xAF
                case _:
                    pass

    def take(self, data: bytes) -> None:
        for byte in data:
            self.put_column(byte)
            self.column += 1
            if self.column > self.columns[1]:
                self.column = self.columns[0]
                self.page = self.pages[0] if self.page == self.pages[1] else self.page + 1

    def put_column(self, byte: int) -> None:
        for bit in range(8):
            self.ram[self.page * 8 + bit][self.column] = byte >> bit & 1


class Sh1106(EmulatedPanel):
    """SH1106: one page at a time, 132 columns of which 2 to 129 are seen (data sheet 2.3, command table)."""

    needed = frozenset({0xA8, 0xDA})
    page, column = 0, 0
    arguments = MappingProxyType(
        {0x20: 1, 0x81: 1, 0x8D: 1, 0xA8: 1, 0xAD: 1, 0xD3: 1, 0xD5: 1, 0xD9: 1, 0xDA: 1, 0xDB: 1}
    )

    def obey(self, cmd: list[int]) -> None:
        for code in self._codes(iter(cmd)):
            if 0xB0 <= code <= 0xB7:
                self.page = code - 0xB0
            elif code <= 0x0F:
                self.column = self.column & 0xF0 | code
            elif 0x10 <= code <= 0x1F:
                self.column = (code & 0x0F) << 4 | self.column & 0x0F
            elif code in {0xAE, 0xAF}:
                self.on = code == 0xAF

    def _codes(self, codes: Iterator[int]) -> Iterator[int]:
        for code in codes:
            self.done.add(code)
            values = [next(codes) for _ in range(self.arguments.get(code, 0))]
            if code == 0x81:
                self.contrast = values[0]
            elif code != 0x20:  # this chip has no addressing modes: luma's one goes by
                yield code

    def take(self, data: bytes) -> None:
        for byte in data:
            if 2 <= self.column < 130:
                for bit in range(8):
                    self.ram[self.page * 8 + bit][self.column - 2] = byte >> bit & 1
            self.column += 1


class Ssd1322(EmulatedPanel):
    """SSD1322: a command's arguments come as data; four bits a pixel, four pixels a column (data sheet 1.2, 8.7)."""

    width, height = 256, 64
    needed = frozenset({0xCA, 0xAB, 0xB1})
    code = 0
    values: bytes = b""

    def obey(self, cmd: list[int]) -> None:
        (self.code,) = cmd
        self.done.add(self.code)
        if self.code in {0xAE, 0xAF}:
            self.on = self.code == 0xAF
        elif self.code == 0x5C:
            self.at_row, self.at_column = self.rows[0], self.columns[0]

    def take(self, data: bytes) -> None:
        match self.code:
            case 0x15:
                self.columns = (data[0], data[1])
            case 0x75:
                self.rows = (data[0], data[1])
            case 0xC1:
                self.contrast = data[0]
            case 0x5C:
                for at in range(0, len(data), 2):
                    self._put(data[at], data[at + 1])
            case _:
                pass

    def _put(self, left: int, right: int) -> None:
        x = (self.at_column - 28) * 4
        for offset, nibble in enumerate((left >> 4, left & 15, right >> 4, right & 15)):
            if 0 <= x < self.width:
                self.ram[self.at_row][x + offset] = 1 if nibble else 0
        self.at_column += 1
        if self.at_column > self.columns[1]:
            self.at_column = self.columns[0]
            self.at_row = self.rows[0] if self.at_row == self.rows[1] else self.at_row + 1
