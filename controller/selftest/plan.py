"""What a self-test tries, in order: a pure function of the wiring. It reads names and pins and nothing else."""

from enum import StrEnum

import msgspec

from controller.config.pins import HEADER
from hal.interface import Device, PanelSignWiring, Role, ScreenKind, ScreenWiring, SignWiring, Wiring


class Kind(StrEnum):
    """How a part is tried."""

    BUTTON = "button"
    KEY = "key"
    SEAT = "seat"
    LAMP = "lamp"
    BELL = "bell"
    SLOTS_OPEN = "slots_open"
    SLOTS_LOCKED = "slots_locked"
    RELEASE = "release"
    SCREEN = "screen"
    SIGN = "sign"
    PAD = "pad"


LINES = frozenset({Kind.BUTTON, Kind.KEY, Kind.SEAT})
"""Parts that answer by themselves, with an edge."""


class Step(msgspec.Struct, frozen=True):
    """One part: the line's, device's or keypad key's name, where it is connected, and its seat (0: none)."""

    kind: Kind
    name: str
    where: str = ""
    seat: int = 0

    @property
    def part(self) -> str:
        """The name the result is kept under."""
        match self.kind:
            case Kind.SLOTS_OPEN | Kind.SLOTS_LOCKED:
                return self.kind.value
            case Kind.PAD:
                return f"keypad {self.name}"
            case _:
                return self.name


def plan(wiring: Wiring) -> tuple[Step, ...]:
    """Buttons first, because they answer for the technician afterwards; then keys, seats, outputs, devices."""
    inputs = [_line(line.name, line.pin) for line in wiring.inputs]
    outputs = [step for line in wiring.outputs for step in _outputs(line.name, line.pin)]
    steps = sorted([*inputs, *outputs, *_devices(wiring)], key=lambda step: (_ORDER[step.kind], step.seat))
    return tuple(steps)


_ORDER = {kind: number for number, kind in enumerate(Kind)}


def _line(name: str, pin: int) -> Step:
    if name in {Role.COIN_IN, Role.GAME_OVER}:
        return Step(Kind.BUTTON, name, pin_name(pin))
    if name in {Role.SUPERVISOR_KEY, Role.TECHNICIAN_KEY}:
        return Step(Kind.KEY, name, pin_name(pin))
    return Step(Kind.SEAT, name, pin_name(pin), _seat(name))


def _outputs(name: str, pin: int) -> list[Step]:
    where = pin_name(pin)
    match name:
        case Role.SLOTS:
            return [Step(Kind.SLOTS_OPEN, name, where), Step(Kind.SLOTS_LOCKED, name, where)]
        case Role.RELEASE:
            return [Step(Kind.RELEASE, name, where)]
        case Role.BELL:
            return [Step(Kind.BELL, name, where)]
        case _:
            return [Step(Kind.LAMP, name, where, _seat(name))]


def _sign(wiring: SignWiring | PanelSignWiring | None) -> str:
    match wiring:
        case SignWiring(port=port):
            return port
        case PanelSignWiring(panel=panel):
            return _screen(panel)
        case None:
            return ""


def _devices(wiring: Wiring) -> list[Step]:
    steps: list[Step] = []
    if Device.SCREEN in wiring.devices:
        steps.append(Step(Kind.SCREEN, Device.SCREEN, _screen(wiring.screen)))
    if Device.SIGN in wiring.devices:
        steps.append(Step(Kind.SIGN, Device.SIGN, _sign(wiring.sign)))
    if wiring.keypad is not None:
        steps += [Step(Kind.PAD, key, wiring.keypad.port) for key in wiring.keypad.keys.values()]
    return steps


def _screen(screen: ScreenWiring | None) -> str:
    if screen is None:
        return ""
    if screen.kind is ScreenKind.SSD1322:
        return f"SPI {screen.bus}.{screen.device}"
    return f"I2C {screen.bus}, {screen.address:#04x}"


def _seat(name: str) -> int:
    """The seat in `seat_3` and `lamp_3`. Raises `ValueError` for a line of another role."""
    return int(name.rpartition("_")[2])


def pin_name(gpio: int) -> str:
    """Both numbers a technician may count by: `GPIO17 = pin 11` (F166)."""
    return f"GPIO{gpio} = pin {HEADER[gpio]}"
