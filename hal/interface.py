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


class Wiring(msgspec.Struct, frozen=True):
    """Every line of a table, each declared once. `chip_labels`: the kernel's names of acceptable GPIO chips."""

    factory: Factory
    chip_labels: tuple[str, ...]
    inputs: tuple[Input, ...]
    outputs: tuple[Output, ...]
    devices: tuple[Device, ...] = ()


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

    def start(self, put: Put) -> None:
        """Claim the lines and begin to put messages. Raises `HalError`; then nothing stays claimed."""

    def levels(self) -> Mapping[str, bool]:
        """Read every input now: name to active."""

    def write(self, line: str, on: bool) -> None:
        """Switch an output. Raises `LineError` for a name that is not an output."""

    def show(self, lines: tuple[str, ...]) -> None:
        """Put these lines on the croupier's screen. Returns at once; the newest picture wins."""

    def sign(self, text: str) -> None:
        """Put this text on the jackpot sign. Returns at once; the newest text wins."""

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
