"""What is on each of the header's 40 pins: the table's lines, its devices' buses, supplies, ground.

Sources of what a pin is by nature: `controller.config.pins`, and the header as every Pi since the B+ has it.
"""

from collections.abc import Iterator
from enum import StrEnum

import msgspec

from controller.config.pins import HEADER
from controller.wiring.texts import Say, Tell
from hal.interface import (
    Input,
    Output,
    PanelSignWiring,
    Pull,
    Role,
    ScreenKind,
    ScreenWiring,
    SignWiring,
    Wiring,
)

PINS = range(1, 41)
SUPPLIES = {1: Say.SUPPLY_3V3, 17: Say.SUPPLY_3V3, 2: Say.SUPPLY_5V, 4: Say.SUPPLY_5V}
GROUNDS = frozenset({6, 9, 14, 20, 25, 30, 34, 39})
EEPROMS = frozenset({27, 28})
HEADER_I2C_BUS = 1
"""The only I2C bus that is on the header's pins 3 and 5; another one is by overlay, on pins of its own."""
I2C_SIGNALS = {3: "SDA", 5: "SCL"}
UART_PORTS = frozenset({"/dev/ttyAMA0", "/dev/ttyAMA10", "/dev/serial0"})
"""Names of the header's UART; any other port is an adapter's."""
UART_SIGNALS = {8: "TXD", 10: "RXD"}
SPI_SIGNALS = {19: "MOSI", 23: "SCLK"}
CHIP_SELECTS = {0: (24, "CE0"), 1: (26, "CE1")}


class Job(StrEnum):
    """What a pin is for; the picture has a colour for each."""

    SEAT = "seat"
    BUTTON = "button"
    KEY = "key"
    LAMP = "lamp"
    OUTPUT = "output"
    DEVICE = "device"
    SUPPLY = "supply"
    GROUND = "ground"
    FREE = "free"


class Place(msgspec.Struct, frozen=True):
    """One pin: `pin` on the header, `gpio` where it is one, what is wired to it and how.

    `line` is the line's name in the board file.
    """

    pin: int
    job: Job
    called: str
    gpio: int | None = None
    how: str = ""
    line: str = ""


_JOBS = {
    Role.SEAT: Job.SEAT,
    Role.LAMP: Job.LAMP,
    Role.COIN_IN: Job.BUTTON,
    Role.GAME_OVER: Job.BUTTON,
    Role.SUPERVISOR_KEY: Job.KEY,
    Role.TECHNICIAN_KEY: Job.KEY,
}


def places(wiring: Wiring, tell: Tell) -> tuple[Place, ...]:
    """All 40 pins in their order."""
    gpios = {pin: gpio for gpio, pin in HEADER.items()}
    found = {pin: _by_nature(pin, gpios.get(pin), tell) for pin in PINS}
    for pin, called in _devices(wiring, tell):
        found[pin] = Place(pin, Job.DEVICE, called, gpios.get(pin))
    lines: tuple[Input | Output, ...] = (*wiring.inputs, *wiring.outputs)
    for line in lines:
        found[HEADER[line.pin]] = _line(line, tell)
    return tuple(found[pin] for pin in PINS)


def _by_nature(pin: int, gpio: int | None, tell: Tell) -> Place:
    if pin in SUPPLIES:
        return Place(pin, Job.SUPPLY, tell(SUPPLIES[pin]))
    if pin in GROUNDS:
        return Place(pin, Job.GROUND, tell(Say.GROUND))
    if pin in EEPROMS:
        return Place(pin, Job.FREE, tell(Say.EEPROM), gpio)
    return Place(pin, Job.FREE, tell(Say.FREE), gpio)


def _line(line: Input | Output, tell: Tell) -> Place:
    name, _, number = line.name.rpartition("_") if line.name[-1].isdigit() else (line.name, "", "")
    role = Role(name)
    called = tell(Say[role.name.removesuffix("_KEY")], seat=number)
    if isinstance(line, Input):
        pull = {Pull.UP: Say.PULL_UP, Pull.DOWN: Say.PULL_DOWN, Pull.NONE: Say.PULL_NONE}[line.pull]
        how = f"{tell(Say.IN_LOW if line.active_low else Say.IN_HIGH)}, {tell(pull)}"
    else:
        how = tell(Say.OUT_LOW if line.active_low else Say.OUT_HIGH)
    return Place(HEADER[line.pin], _JOBS.get(role, Job.OUTPUT), called, line.pin, how, line.name)


def _devices(wiring: Wiring, tell: Tell) -> Iterator[tuple[int, str]]:
    if wiring.screen is not None:
        yield from ((pin, tell(Say.SCREEN, signal=signal)) for pin, signal in _panel(wiring.screen))
    match wiring.sign:
        case SignWiring(port=port) if port in UART_PORTS:
            yield from ((pin, tell(Say.SIGN, signal=signal)) for pin, signal in UART_SIGNALS.items())
        case PanelSignWiring(panel=panel):
            shared = {} if wiring.screen is None else dict(_panel(wiring.screen))
            yield from (
                (pin, tell(Say.SIGN, signal=signal)) for pin, signal in _panel(panel) if pin not in shared
            )
        case _:
            pass


def _panel(panel: ScreenWiring) -> Iterator[tuple[int, str]]:
    if panel.kind is not ScreenKind.SSD1322:
        yield from I2C_SIGNALS.items() if panel.bus == HEADER_I2C_BUS else ()
        return
    yield from SPI_SIGNALS.items() if panel.bus == 0 else ()
    if panel.bus == 0:
        yield CHIP_SELECTS[panel.device]
    yield from (
        (HEADER[pin], name) for pin, name in ((panel.dc, "DC"), (panel.reset, "RES")) if pin is not None
    )
