"""What a table's hardware is, whatever it is made of.

`Hal` is the one door between the hardware and the program that decides. The real table (`hal.raspberry`) and
the simulated one (`hal.simulated`) both stand behind it and pass the same contract tests.

Levels are logical here: a line is *active* when its sensor, button or key says so, whichever voltage the
board file gives to that. Stamps are nanoseconds of CLOCK_MONOTONIC, and only that clock.
"""

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import Protocol

import msgspec


class Role(StrEnum):
    """What a line is for. A role with a number belongs to a seat and is named `seat_3`, `lamp_3`."""

    SEAT = "seat"
    COIN_IN = "coin_in"
    GAME_OVER = "game_over"
    SUPERVISOR_KEY = "supervisor"
    TECHNICIAN_KEY = "technician"
    LAMP = "lamp"
    SLOTS = "slots"
    """Energised = slots open. Released (no power, no program) = locked."""
    RELEASE = "release"
    BELL = "bell"


class Device(StrEnum):
    """A part that can be absent, lost and found again; pins are not among them, a table has them or is none."""

    SCREEN = "screen"
    SIGN = "sign"
    KEYPAD = "keypad"
    HOST = "host"


class HalThread(StrEnum):
    """The threads a table's hardware runs on, by the name that a dead one is told with."""

    PINS = "pins"
    """Edges come through it."""
    SCREEN = "screen"
    """It draws the croupier's screen, and a sign that is a panel."""
    PORTS = "ports"
    """It serves a serial sign and the keypad."""


class Pull(StrEnum):
    """The input's own resistor."""

    UP = "up"
    DOWN = "down"
    NONE = "none"


class Factory(StrEnum):
    """Which pin library drives the header. It is named, never guessed, and there is no fall-back."""

    LGPIO = "lgpio"
    RPI_GPIO = "rpi.gpio"
    SIMULATED = "simulated"


class Input(msgspec.Struct, frozen=True):
    """An input line: its name, its BCM pin number, the voltage that means active, and its resistor."""

    name: str
    pin: int
    active_low: bool
    pull: Pull


class Output(msgspec.Struct, frozen=True):
    """An output line. Off is always its safe state: lamp dark, slots locked, no release pulse, bell silent."""

    name: str
    pin: int
    active_low: bool


class Panel(msgspec.Struct, frozen=True):
    """The size of a screen in pixels. Widths are whole bytes."""

    width: int
    height: int


class ScreenKind(StrEnum):
    """The controller of the croupier's screen: SSD1306 and SH1106 on I2C, SSD1322 on SPI."""

    SSD1306 = "ssd1306"
    SH1106 = "sh1106"
    SSD1322 = "ssd1322"


PANELS = {
    ScreenKind.SSD1306: Panel(128, 64),
    ScreenKind.SH1106: Panel(128, 64),
    ScreenKind.SSD1322: Panel(256, 64),
}
"""The size each kind of screen has."""


class ScreenWiring(msgspec.Struct, frozen=True):
    """The croupier's screen: its kind and bus number.

    On I2C `address` (7 bits); on SPI the chip select `device`, and the BCM pins `dc` and `reset`.
    """

    kind: ScreenKind
    bus: int
    address: int = 0x3C
    device: int = 0
    dc: int | None = None
    reset: int | None = None


class Format(StrEnum):
    """Data bits, parity and stop bits of a serial line."""

    EIGHT_N_1 = "8N1"
    SEVEN_E_1 = "7E1"


class SignKind(StrEnum):
    """What the jackpot sign is: a serial sign by its protocol, or an OLED panel by its chip."""

    ALPHA = "alpha"
    SSD1306 = "ssd1306"
    SH1106 = "sh1106"


class SignWiring(msgspec.Struct, frozen=True):
    """The jackpot sign on a serial port. `label` stands before whatever it shows, a space between them included."""

    kind: SignKind
    port: str
    baud: int
    format: Format
    label: str = ""


class PanelSignWiring(msgspec.Struct, frozen=True):
    """The jackpot sign on an OLED panel of its own, on I2C."""

    kind: SignKind
    panel: ScreenWiring


class KeypadKind(StrEnum):
    """How the keypad is connected."""

    SERIAL = "serial"
    USB = "usb"


class KeypadWiring(msgspec.Struct, frozen=True):
    """The keypad and its keys.

    `keys` gives each key its name: by the character a serial keypad sends, or by the kernel's name of a USB
    keypad's key (`KEY_KP1`). `baud` and `format` are a serial one's.
    """

    kind: KeypadKind
    port: str
    keys: dict[str, str]
    baud: int = 9600
    format: Format = Format.EIGHT_N_1


class Wiring(msgspec.Struct, frozen=True):
    """Every line of a table, each declared once. `chip_labels`: the kernel's names of acceptable GPIO chips.

    `devices` are those the table has; how a real table's screen, sign and keypad are connected stands beside.
    """

    factory: Factory
    chip_labels: tuple[str, ...]
    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]
    devices: tuple[Device, ...] = ()
    screen: ScreenWiring | None = None
    sign: SignWiring | PanelSignWiring | None = None
    keypad: KeypadWiring | None = None

    @property
    def panel(self) -> Panel | None:
        """The size of the croupier's screen; None for a table without one. 128×64 where no kind is named."""
        if Device.SCREEN not in self.devices:
            return None
        return PANELS[ScreenKind.SSD1306 if self.screen is None else self.screen.kind]


class Picture(msgspec.Struct, frozen=True):
    """A screen's pixels, one bit each, rows from the top, the leftmost pixel of a byte in its highest bit."""

    panel: Panel
    pixels: bytes


class Screen(msgspec.Struct, frozen=True):
    """What the croupier's screen is to show: the lines in words, and the picture drawn of them.

    `dim`: spare the pixels, nobody is at the table. `state` names the table's state: when it changes, the screen
    is set up anew, so that one that lost its power unnoticed is back at once.
    """

    lines: tuple[str, ...]
    picture: Picture
    dim: bool = False
    state: str = ""


class Edge(msgspec.Struct, frozen=True):
    """A line became active or idle at `at_ns` (the kernel's stamp where the factory has one)."""

    line: str
    active: bool
    at_ns: int


class KeyPressed(msgspec.Struct, frozen=True):
    """A keypad key, by the name the board file gives it."""

    key: str
    at_ns: int


class DeviceFailed(msgspec.Struct, frozen=True):
    """A device stopped answering. `why` is for the technician."""

    device: Device
    why: str
    at_ns: int


class DeviceMended(msgspec.Struct, frozen=True):
    """A device that had failed answers again."""

    device: Device
    at_ns: int


Message = Edge | KeyPressed | DeviceFailed | DeviceMended
Put = Callable[[Message], None]
"""Where a HAL puts its messages. It may be called from any thread, returns at once and never raises."""


class Hal(Protocol):
    """A table's hardware.

    Importing or making one claims nothing. `start` claims every line with outputs in their safe state, and
    from then on edges are put in order of their stamps, line by line. `close` may be called at any time, more
    than once: it leaves outputs in their safe state and releases everything.
    """

    @property
    def devices(self) -> frozenset[Device]:
        """The devices this table has; the others do not exist and are not spoken to."""

    @property
    def panel(self) -> Panel | None:
        """The size of the croupier's screen; None without one."""

    def start(self, put: Put) -> None:
        """Claim the lines and begin to put messages. Raises `HalError`; then nothing stays claimed."""

    def levels(self) -> Mapping[str, bool]:
        """Read every input now: name to active."""

    def write(self, line: str, on: bool) -> None:
        """Switch an output. Raises `LineError` for a name that is not an output."""

    def show(self, screen: Screen) -> None:
        """Put this on the croupier's screen. Returns at once; the newest picture wins."""

    def sign(self, text: str) -> None:
        """Put this text on the jackpot sign. Returns at once; the newest text wins."""

    def beats(self) -> Mapping[HalThread, int]:
        """When each thread last showed that it goes round, in nanoseconds; 0 for one that has ended.

        An idle thread does so every second. Nothing while not started.
        """

    def close(self) -> None:
        """Outputs to their safe state, then everything released."""


class HalError(Exception):
    """The hardware room's errors. The text says what happened, where, and what to do next."""


class ClaimError(HalError, RuntimeError):
    """A line or chip could not be claimed."""


class ChipNotFoundError(ClaimError, LookupError):
    """No GPIO chip of this machine has a label the board file names."""


class FactoryError(HalError, ImportError):
    """The named pin library is not installed or does not work on this machine."""


class LineError(HalError, LookupError):
    """There is no such line, or it is of the other direction."""


class DeviceError(HalError, OSError):
    """A device refused or did not answer."""
