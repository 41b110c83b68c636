"""A real panel, through luma.oled: SSD1306 and SH1106 on I2C, SSD1322 on SPI.

luma opens the bus and knows each chip's set-up; its device is made on a wire that first only records, so that the
set-up can be sent again from its first command whenever the panel may have lost it. Only changed parts of a picture
are sent. luma would blank the panel at the end of the process; `persist` keeps our last picture instead.
"""

import errno
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple, Protocol, assert_never

from luma.core.error import DeviceNotFoundError, DevicePermissionError, Error
from luma.core.interface.serial import i2c, spi
from luma.oled.device import sh1106, ssd1306, ssd1322
from PIL import Image

from hal.interface import PANELS, DeviceError, Picture, ScreenKind, ScreenWiring

DEVICES = {ScreenKind.SSD1306: ssd1306, ScreenKind.SH1106: sh1106, ScreenKind.SSD1322: ssd1322}
FULL_LIGHT = {ScreenKind.SSD1306: 0xCF, ScreenKind.SH1106: 0x7F, ScreenKind.SSD1322: 0x7F}
"""What luma's own set-up gives each chip."""
DIM_LIGHT = 0x08
LONGEST_COMMAND = 32
"""Longer data in a recorded set-up is a picture, which is not part of it."""
BAND = 8
"""Rows that are compared and sent together: a page of the chips on I2C."""

SET_COLUMNS, SET_PAGES = 0x21, 0x22
SH1106_PAGE, SH1106_COLUMN_HIGH, SH1106_COLUMN_LOW, SH1106_OFFSET = 0xB0, 0x10, 0x00, 2
SSD1322_COLUMNS, SSD1322_ROWS, SSD1322_WRITE, SSD1322_FIRST_COLUMN = 0x15, 0x75, 0x5C, 28
NIBBLES = tuple(
    bytes(
        (0xF0 if byte & 0x80 >> 2 * pair else 0) | (0x0F if byte & 0x40 >> 2 * pair else 0)
        for pair in range(4)
    )
    for byte in range(256)
)
"""Eight one-bit pixels as four bytes of two four-bit pixels each."""

ANSWERS_NOT = {errno.EREMOTEIO, errno.EIO, errno.ENXIO}


class Serial(Protocol):
    """What luma calls a serial interface: the bus, opened."""

    def command(self, *cmd: int) -> None:
        """Send a command and its arguments."""

    def data(self, data: list[int]) -> None:
        """Send data."""

    def cleanup(self) -> None:
        """Close the bus."""


class Gpio(Protocol):
    """The two pins an SPI screen has beside the bus, as luma drives them (the shape of RPi.GPIO)."""

    LOW: bool
    HIGH: bool
    OUT: int

    def setup(self, pin: int, mode: int) -> None:
        """Make the pin an output."""

    def output(self, pin: int, value: bool) -> None:
        """Drive the pin."""


def connect(wiring: ScreenWiring, gpio: Gpio | None) -> Callable[[], Serial]:
    """Say how to open the bus of a screen; `gpio` drives the pins of one on SPI."""
    match wiring.kind:
        case ScreenKind.SSD1306 | ScreenKind.SH1106:
            return lambda: i2c(port=wiring.bus, address=wiring.address)
        case ScreenKind.SSD1322:
            return lambda: spi(
                port=wiring.bus, device=wiring.device, gpio=gpio, gpio_DC=wiring.dc, gpio_RST=wiring.reset
            )
        case _ as unknown:
            assert_never(unknown)


class Wire:
    """Stands between luma's device and the bus: without a bus it records, with one it hands on."""

    def __init__(self) -> None:
        self.bus: Serial | None = None
        self._script: list[tuple[bool, tuple[int, ...]]] = []

    def command(self, *cmd: int) -> None:
        """Take a command from luma's device."""
        if self.bus is None:
            self._script.append((True, cmd))
        else:
            self.bus.command(*cmd)

    def data(self, data: list[int]) -> None:
        """Take data from luma's device; some chips get a command's arguments as data."""
        if self.bus is not None:
            self.bus.data(data)
        elif len(data) <= LONGEST_COMMAND:
            self._script.append((False, tuple(data)))

    def cleanup(self) -> None:
        """Close the bus; luma asks for it at the end of the process."""
        bus, self.bus = self.bus, None
        if bus is not None:
            bus.cleanup()

    def replay(self, bus: Serial) -> None:
        """Be connected to `bus` from now on, and send it all that was recorded."""
        self.bus = bus
        for is_command, content in self._script:
            if is_command:
                bus.command(*content)
            else:
                bus.data(list(content))


class Window(NamedTuple):
    """A part of a picture in pixels; `x` and `width` are whole bytes, `y` and `height` whole bands."""

    x: int
    y: int
    width: int
    height: int


class LumaPanel:
    """A panel of `wiring`; `open_bus` opens its bus when it is first set up and again after every error."""

    def __init__(self, wiring: ScreenWiring, open_bus: Callable[[], Serial]) -> None:
        size = PANELS[wiring.kind]
        self._wiring = wiring
        self._open_bus = open_bus
        self._wire = Wire()
        self._device = DEVICES[wiring.kind](self._wire, width=size.width, height=size.height)
        self._device.persist = True

    def set_up(self) -> None:
        """Send the whole set-up, from its first command. Raises `DeviceError`."""
        with self._translated():
            self._wire.replay(self._wire.bus or self._open_bus())

    def draw(self, picture: Picture, before: Picture | None) -> None:
        """Send a picture, or what differs from the one before. Raises `DeviceError`."""
        image = as_image(picture)
        with self._translated():
            for window in changed(picture, before):
                self._send(image.crop(_box(window)), window)

    def dim(self, on: bool) -> None:
        """Spare the pixels, or give full light again. Raises `DeviceError`."""
        with self._translated():
            self._device.contrast(DIM_LIGHT if on else FULL_LIGHT[self._wiring.kind])

    def close(self) -> None:
        """Let go of the bus; the picture stays."""
        with suppress(OSError, Error):  # what cannot be closed is gone already
            self._wire.cleanup()

    def _send(self, part: Image.Image, window: Window) -> None:
        device, right = self._device, window.x + window.width - 1
        pages = range(window.y // BAND, (window.y + window.height) // BAND)
        match self._wiring.kind:
            case ScreenKind.SSD1306:
                device.command(SET_COLUMNS, window.x, right, SET_PAGES, pages[0], pages[-1])
                device.data(list(as_pages(part)))
            case ScreenKind.SH1106:
                column, sent = window.x + SH1106_OFFSET, as_pages(part)
                for number, page in enumerate(pages):
                    low, high = SH1106_COLUMN_LOW | column & 0x0F, SH1106_COLUMN_HIGH | column >> 4
                    device.command(SH1106_PAGE | page, low, high)
                    device.data(list(sent[number * window.width : (number + 1) * window.width]))
            case ScreenKind.SSD1322:
                first = SSD1322_FIRST_COLUMN + window.x // 4
                device.command(SSD1322_COLUMNS, first, first + window.width // 4 - 1)
                device.command(SSD1322_ROWS, window.y, window.y + window.height - 1)
                device.command(SSD1322_WRITE)
                device.data(list(b"".join(NIBBLES[byte] for byte in part.tobytes())))
            case _ as unknown:
                assert_never(unknown)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Turn what the bus raises into a `DeviceError` for the technician; the bus is opened anew after it."""
        try:
            yield
        except (OSError, ValueError, ImportError, Error) as error:
            self.close()
            raise DeviceError(explain(error, self._wiring)) from error


def explain(error: Exception, wiring: ScreenWiring) -> str:
    """Say what a bus error means and what to do about it (F051, F053)."""
    cause = error.__context__ if isinstance(error, Error) and error.__context__ else error
    code = cause.errno if isinstance(cause, OSError) else None
    on_spi = wiring.kind is ScreenKind.SSD1322
    bus = f"/dev/spidev{wiring.bus}.{wiring.device}" if on_spi else f"/dev/i2c-{wiring.bus}"
    name = "SPI" if on_spi else "I2C"
    if isinstance(error, ImportError):
        return f"{bus} needs the module {error.name}, which is not installed: pip install 'pozo[spi]'"
    if code == errno.ENOENT:
        return (
            f"there is no {bus}: switch {name} on (raspi-config, Interface Options), then it is tried again"
        )
    if code in {errno.EACCES, errno.EPERM} or isinstance(error, DevicePermissionError):
        return f"{bus} may not be opened: add this user to the group {'spi' if on_spi else 'i2c'}"
    if code in ANSWERS_NOT or isinstance(error, DeviceNotFoundError):
        return (
            f"nothing answers at {wiring.address:#04x} on {bus}: check the cable, the supply and the address "
            f"(i2cdetect -y {wiring.bus})"
        )
    if code == errno.ETIMEDOUT or isinstance(cause, TimeoutError):
        return f"{bus} is held by something (SDA low): take the screen's supply away and give it back"
    return f"{bus}: {cause!r}; check the cable and the supply"


def changed(picture: Picture, before: Picture | None) -> Iterator[Window]:
    """The parts of a picture to send: all of it, or in each band the columns that differ."""
    panel = picture.panel
    if before is None or before.panel != panel:
        yield Window(0, 0, panel.width, panel.height)
        return
    row = panel.width // 8
    for y in range(0, panel.height, BAND):
        start, end = y * row, (y + BAND) * row
        new, old = picture.pixels[start:end], before.pixels[start:end]
        columns = {at % row for at, (one, other) in enumerate(zip(new, old, strict=True)) if one != other}
        if columns:
            left, right = min(columns), max(columns)
            yield Window(left * 8, y, (right - left + 1) * 8, BAND)


def as_image(picture: Picture) -> Image.Image:
    """The picture as Pillow has it."""
    return Image.frombytes("1", (picture.panel.width, picture.panel.height), picture.pixels)


def as_pages(image: Image.Image) -> bytes:
    """The picture as the chips on I2C take it: page by page, a byte a column, the top pixel lowest."""
    bands = range(0, image.height, BAND)
    return b"".join(
        image.crop((0, y, image.width, y + BAND)).transpose(Image.Transpose.ROTATE_270).tobytes()
        for y in bands
    )


def _box(window: Window) -> tuple[int, int, int, int]:
    return window.x, window.y, window.x + window.width, window.y + window.height
