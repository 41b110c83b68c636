"""The rigs of the HAL contract: every HAL with hands on its lines, and a clock that only tests move."""

from collections.abc import Callable
from typing import Protocol

import pytest

from hal.interface import Hal, Message, Wiring
from hal.raspberry import RaspberryHal
from hal.simulated import SimulatedHal
from tests.helpers_pins import FakeKernel, FakeRpiGpio, Wires, mock_opener

START_NS = 5_000_000_000


_OPENED: list[RaspberryHal] = []


def close_rigs() -> None:
    """Close every pin rig made so far: gpiozero's pins are one table for the whole process."""
    while _OPENED:
        _OPENED.pop().close()


class Ticker:
    """A monotonic clock of the test, in nanoseconds."""

    def __init__(self, now_ns: int = START_NS) -> None:
        self.now_ns = now_ns

    def __call__(self) -> int:
        return self.now_ns


class Rig(Protocol):
    """A HAL, its clock, and the outside of its lines."""

    clock: Ticker
    heard: list[Message]

    @property
    def hal(self) -> Hal:
        """The HAL under test."""

    def now_ns(self) -> int:
        """The HAL's own clock."""

    def drive(self, line: str, active: bool) -> None:
        """Make an input active or idle."""

    def is_on(self, line: str) -> bool:
        """Tell whether an output is electrically on now."""


class SimulatedRig:
    def __init__(self, _monkeypatch: pytest.MonkeyPatch, wiring: Wiring) -> None:
        self.clock = Ticker()
        self.heard: list[Message] = []
        self.hal = SimulatedHal(wiring, self.clock)

    def now_ns(self) -> int:
        return self.clock()

    def drive(self, line: str, active: bool) -> None:
        self.hal.drive(line, active)

    def is_on(self, line: str) -> bool:
        return self.hal.outputs[line]


def keep(hal: RaspberryHal) -> RaspberryHal:
    """See that it is closed in the end."""
    _OPENED.append(hal)
    return hal


class _PinRig:
    """A `RaspberryHal`; lines are driven by voltage, as the wiring says."""

    def __init__(self, wiring: Wiring) -> None:
        self.clock = Ticker()
        self.heard: list[Message] = []
        self.wires = Wires()
        self.pauses: list[float] = []
        self.inputs = {line.name: line for line in wiring.inputs}
        self.outputs = {line.name: line for line in wiring.outputs}

    def now_ns(self) -> int:
        return self.clock()

    def drive(self, line: str, active: bool) -> None:
        self.set_level(self.inputs[line].pin, active != self.inputs[line].active_low)

    def is_on(self, line: str) -> bool:
        return self.level(self.outputs[line].pin) != self.outputs[line].active_low

    def set_level(self, pin: int, level: bool) -> None:
        raise NotImplementedError

    def level(self, pin: int) -> bool:
        raise NotImplementedError


class MockRig(_PinRig):
    def __init__(self, _monkeypatch: pytest.MonkeyPatch, wiring: Wiring) -> None:
        super().__init__(wiring)
        self.factory, self.opener = mock_opener(self.wires, self.clock)
        self.hal = keep(
            RaspberryHal(wiring, open_header=self.opener, now_ns=self.clock, pause=self.pauses.append)
        )

    def set_level(self, pin: int, level: bool) -> None:
        self.wires.driven[pin] = level
        raw = self.factory.pin(pin)
        if level:
            raw.drive_high()
        else:
            raw.drive_low()

    def level(self, pin: int) -> bool:
        return bool(self.factory.pin(pin).state)


class LgpioRig(_PinRig):
    def __init__(self, monkeypatch: pytest.MonkeyPatch, wiring: Wiring) -> None:
        super().__init__(wiring)
        self.kernel = FakeKernel(monkeypatch, self.wires, self.clock)
        opener = self.kernel.opener()
        self.hal = keep(RaspberryHal(wiring, open_header=opener, now_ns=self.clock, pause=self.pauses.append))

    def set_level(self, pin: int, level: bool) -> None:
        self.kernel.drive(pin, level)

    def level(self, pin: int) -> bool:
        return bool(self.kernel.gpio_read(0, pin))


class RpiGpioRig(_PinRig):
    """RPi.GPIO is stamped by gpiozero on arrival, so the rig sets that clock too."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, wiring: Wiring) -> None:
        super().__init__(wiring)
        self.gpio = FakeRpiGpio(self.wires)
        self.gpio.install(monkeypatch)
        monkeypatch.setattr("gpiozero.pins.local.monotonic", lambda: self.clock() / 1e9)
        self.hal = keep(RaspberryHal(wiring, now_ns=self.clock, pause=self.pauses.append))

    def set_level(self, pin: int, level: bool) -> None:
        self.gpio.drive(pin, level)

    def level(self, pin: int) -> bool:
        return bool(self.gpio.input(pin))


RIGS: dict[str, Callable[[pytest.MonkeyPatch, Wiring], Rig]] = {
    "simulated": SimulatedRig,
    "mock": MockRig,
    "lgpio": LgpioRig,
    "rpi.gpio": RpiGpioRig,
}
