"""The shape of a board's file: what is wired where, and the filter's times with their ranges.

Nothing here has a default that decides anything: an absent device does not exist.
"""

from enum import StrEnum
from typing import Annotated, Any

import msgspec

from controller.config.kinds import ShortText, Strict
from hal.interface import Device, Factory, Format, KeypadKind, Pull, ScreenKind, SignKind


def _ms(least: int, most: int) -> msgspec.Meta:
    return msgspec.Meta(
        ge=least, le=most, extra={"allowed": f"whole milliseconds, {least} to {most}, without unit or quotes"}
    )


class TimingsGiven(Strict, frozen=True):
    """The filter's times (`controller.inputs.Timings` says what each does), with their ranges."""

    settle_ms: Annotated[int, _ms(5, 50)]
    rearm_ms: Annotated[int, _ms(5, 100)]
    jam_ms: Annotated[int, _ms(500, 10_000)]
    button_settle_ms: Annotated[int, _ms(5, 50)]
    stuck_ms: Annotated[int, _ms(2_000, 60_000)]
    hold_ms: Annotated[int, _ms(500, 1_900)]
    common_mode_ms: Annotated[int, _ms(1, 5)]
    common_mode_lines: Annotated[int, msgspec.Meta(ge=3, le=32)]
    held_wait_ms: Annotated[int, _ms(20, 100)]
    poll_ms: Annotated[int, _ms(10, 200)]
    repair_ms: Annotated[int, _ms(1, 50)]
    chatter_per_s: Annotated[int, msgspec.Meta(ge=10, le=100)]


class Voltage(StrEnum):
    """What a line's pin carries."""

    LOW = "low"
    HIGH = "high"


class Active(Strict, frozen=True):
    """The voltage that means active, for each kind of line."""

    seats: Voltage
    buttons: Voltage
    keys: Voltage
    lamps: Voltage
    slots: Voltage
    release: Voltage
    bell: Voltage


class Pulls(Strict, frozen=True):
    """The inputs' own resistors."""

    seats: Pull
    buttons: Pull
    keys: Pull


class Buses(Strict, frozen=True):
    """Which buses the header's pins serve; their pins are then reserved."""

    i2c: bool
    uart: bool
    spi: bool


_Pin = Annotated[int, msgspec.Meta(ge=0, le=27, extra={"allowed": "the BCM number of a header pin, 0 to 27"})]
_Bus = Annotated[
    int, msgspec.Meta(ge=0, le=9, extra={"allowed": "the number of the bus, such as 1 for /dev/i2c-1"})
]
_DevicePath = Annotated[
    str,
    msgspec.Meta(
        pattern="^/dev/.", extra={"allowed": "a device's path in quotes, such as /dev/serial/by-id/..."}
    ),
]


class ScreenGiven(Strict, frozen=True):
    """The croupier's screen. `address` on I2C; `device` (chip select), `dc` and `reset` (pins) on SPI."""

    kind: ScreenKind
    bus: _Bus
    address: int | None = None
    device: Annotated[int, msgspec.Meta(ge=0, le=1)] | None = None
    dc: _Pin | None = None
    reset: _Pin | None = None


class SignGiven(Strict, frozen=True):
    """The jackpot sign: `port`, `baud`, `format` of a serial one, `bus` and `address` of a panel.

    `label` stands before what a serial sign shows; none if it is not given.
    """

    kind: SignKind
    port: _DevicePath | None = None
    baud: int | None = None
    format: Format | None = None
    bus: _Bus | None = None
    address: int | None = None
    label: Annotated[
        str, msgspec.Meta(pattern="^.{1,16}$", extra={"allowed": "1 to 16 characters in quotes"})
    ] = ""


class KeypadGiven(Strict, frozen=True):
    """The keypad. `keys`: what it sends, to the key's name; `baud` and `format` of a serial one."""

    kind: KeypadKind
    port: _DevicePath
    keys: dict[str, str]
    baud: int | None = None
    format: Format | None = None


class BoardFile(Strict, frozen=True):
    """What is wired where. Pins are BCM numbers; `board` judges them one by one."""

    title: ShortText
    factory: Factory
    chip_labels: tuple[str, ...]
    devices: tuple[Device, ...]
    buses: Buses
    active: Active
    pull: Pulls
    inputs: dict[str, Any]
    outputs: dict[str, Any]
    timings: TimingsGiven
    screen: ScreenGiven | None = None
    sign: SignGiven | None = None
    keypad: KeypadGiven | None = None
