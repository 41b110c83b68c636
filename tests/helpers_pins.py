"""Stand-ins for what is below the pin libraries: wires, a kernel's GPIO chip, and the RPi.GPIO module.

gpiozero itself, and with the fake kernel lgpio's Python side too, are the real ones.
"""

import sys
from collections.abc import Callable
from functools import partial
from types import ModuleType

import gpiozero.pins.local
import pytest
from gpiozero import GPIOZeroError
from gpiozero.pins.mock import MockFactory, MockPin

from hal.chips import Chip
from hal.header import claim_with_state, load_library, open_header, stamped_by_monotonic
from hal.interface import Wiring
from hal.pins import Header

PI_4B = 0xC03112
"""A revision code of a Pi 4B, so that gpiozero finds its header off a Pi."""


class Wires:
    """What the world outside does to pins: GPIO number to the level it drives, floating when absent."""

    def __init__(self) -> None:
        self.driven: dict[int, bool] = {}


def mock_opener(wires: Wires, now_ns: Callable[[], int]) -> tuple[MockFactory, Callable[[Wiring], Header]]:
    """Open gpiozero's mock factory, its pins held by `wires` and its stamps from `now_ns`."""

    class WiredPin(MockPin):  # type: ignore[misc]  # gpiozero has no types
        def _set_pull(self, value: str) -> None:
            super()._set_pull(value)
            if self._number in wires.driven:
                self._change_state(wires.driven[self._number])

        def _call_when_changed(self) -> None:
            super(MockPin, self)._call_when_changed(now_ns() / 1e9, self._state)

    factory = MockFactory(pin_class=WiredPin)
    header = Header(
        factory=factory,
        errors=(OSError, RuntimeError, GPIOZeroError),
        claim_output=claim_with_state,
        wall_stamps=stamped_by_monotonic,
        release=lambda: None,
        kernel_stamps=False,
        alive=lambda: True,
    )
    return factory, lambda _wiring: header


class FakeKernel:
    """One GPIO chip as lgpio's C functions see it; it records every level each pin drove, and its resistor."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, wires: Wires, now_ns: Callable[[], int]) -> None:
        self.wires = wires
        self.now_ns = now_ns
        self.lgpio = load_library("lgpio", "lgpio")
        self.outputs: dict[int, bool] = {}
        self.claimed: set[int] = set()
        self.alerts: set[int] = set()
        self.drove: dict[int, list[bool]] = {}
        self.flags: dict[int, int] = {}
        self.busy: dict[int, int] = {}
        self.open_handles: set[int] = set()
        self.wall_stamps = False
        for name in (
            "gpiochip_open",
            "gpiochip_close",
            "gpio_claim_input",
            "gpio_claim_output",
            "gpio_claim_alert",
            "gpio_free",
            "gpio_get_mode",
            "gpio_read",
            "gpio_write",
            "gpio_set_debounce_micros",
        ):
            monkeypatch.setattr(self.lgpio, name, getattr(self, name))
        monkeypatch.setattr(gpiozero.pins.local, "get_pi_revision", lambda: PI_4B)

    def opener(self) -> Callable[[Wiring], Header]:
        return partial(open_header, read=lambda _lgpio: (Chip(0, "pinctrl-bcm2711"),))

    def drive(self, gpio: int, level: bool) -> None:
        self.wires.driven[gpio] = level
        if gpio in self.alerts:
            for wanted in list(self.lgpio._notify_thread.callbacks):
                if wanted.gpio == gpio:
                    wanted.func(wanted.chip, gpio, int(level), self.now_ns())

    def pull(self, gpio: int) -> str:
        up, down = self.lgpio.SET_PULL_UP, self.lgpio.SET_PULL_DOWN
        return "up" if self.flags[gpio] & up else "down" if self.flags[gpio] & down else "floating"

    def gpiochip_open(self, chip: int) -> int:
        self.open_handles.add(chip)
        return chip

    def gpiochip_close(self, handle: int) -> int:
        self.open_handles.remove(handle)
        self.claimed.clear()
        self.alerts.clear()
        self.outputs.clear()
        return 0

    def gpio_claim_input(self, _handle: int, gpio: int, flags: int = 0) -> int:
        self._claim(gpio)
        self.outputs.pop(gpio, None)
        self.alerts.discard(gpio)
        if flags:  # without flags the kernel leaves the resistor as it is
            self.flags[gpio] = flags
        return 0

    def gpio_claim_output(self, _handle: int, gpio: int, level: int = 0, _flags: int = 0) -> int:
        self._claim(gpio)
        self.outputs[gpio] = bool(level)
        self.drove.setdefault(gpio, []).append(bool(level))
        return 0

    def gpio_claim_alert(self, _handle: int, gpio: int, _edges: int, _flags: int = 0) -> int:
        self._claim(gpio)
        self.alerts.add(gpio)
        return 0

    def gpio_free(self, _handle: int, gpio: int) -> int:
        self.claimed.discard(gpio)
        self.outputs.pop(gpio, None)
        return 0

    def gpio_get_mode(self, _handle: int, gpio: int) -> int:
        out = 2 if gpio in self.outputs else 0
        resistor = {"up": 32, "down": 64, "floating": 128}[self.pull(gpio)]
        wall = 1 << 19 if self.wall_stamps and gpio in self.alerts else 0
        return out | resistor | wall

    def gpio_read(self, _handle: int, gpio: int) -> int:
        if gpio in self.outputs:
            return int(self.outputs[gpio])
        return int(self.wires.driven.get(gpio, self.pull(gpio) == "up"))

    def gpio_write(self, _handle: int, gpio: int, level: int) -> int:
        self.outputs[gpio] = bool(level)
        self.drove[gpio].append(bool(level))
        return 0

    def gpio_set_debounce_micros(self, _handle: int, _gpio: int, micros: int) -> int:
        assert micros == 0
        return 0

    def _claim(self, gpio: int) -> None:
        if self.busy.get(gpio, 0):
            self.busy[gpio] -= 1
            raise self.lgpio.error("GPIO busy")
        self.claimed.add(gpio)


class FakeRpiGpio(ModuleType):
    """The module RPi.GPIO 0.7.1 over `wires`: what gpiozero calls of it."""

    IN, OUT, I2C, SPI, HARD_PWM, SERIAL, UNKNOWN = 1, 0, 42, 41, 43, 40, -1
    PUD_OFF, PUD_DOWN, PUD_UP = 20, 21, 22
    RISING, FALLING, BOTH, BCM = 31, 32, 33, 11

    def __init__(self, wires: Wires) -> None:
        super().__init__("RPi.GPIO")
        self.wires = wires
        self.functions: dict[int, int] = {}
        self.levels: dict[int, bool] = {}
        self.drove: dict[int, list[bool]] = {}
        self.pulls: dict[int, int] = {}
        self.callbacks: dict[int, Callable[[int], None]] = {}

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        package = ModuleType("RPi")
        package.GPIO = self  # type: ignore[attr-defined]  # a module made by hand
        monkeypatch.setitem(sys.modules, "RPi", package)
        monkeypatch.setitem(sys.modules, "RPi.GPIO", self)
        monkeypatch.delitem(sys.modules, "gpiozero.pins.rpigpio", raising=False)
        monkeypatch.setattr(gpiozero.pins.local, "get_pi_revision", lambda: PI_4B)

    def drive(self, gpio: int, level: bool) -> None:
        self.wires.driven[gpio] = level
        if gpio in self.callbacks:
            self.callbacks[gpio](gpio)

    def setmode(self, mode: int) -> None:
        assert mode == self.BCM

    def setwarnings(self, on: bool) -> None:
        assert not on

    def setup(self, gpio: int, function: int, pull: int = PUD_OFF, initial: int | None = None) -> None:
        self.functions[gpio] = function
        if function == self.IN:
            self.pulls[gpio] = pull
            return
        self.levels[gpio] = bool(initial)
        self.drove.setdefault(gpio, []).append(bool(initial))

    def output(self, gpio: int, level: int) -> None:
        assert self.functions[gpio] == self.OUT
        self.levels[gpio] = bool(level)
        self.drove[gpio].append(bool(level))

    def input(self, gpio: int) -> int:
        if self.functions[gpio] == self.OUT:
            return int(self.levels[gpio])
        return int(self.wires.driven.get(gpio, self.pulls[gpio] == self.PUD_UP))

    def gpio_function(self, gpio: int) -> int:
        return self.functions[gpio]

    def add_event_detect(
        self, gpio: int, edges: int, callback: Callable[[int], None], bouncetime: int
    ) -> None:
        assert (edges, bouncetime) == (self.BOTH, -666)
        self.callbacks[gpio] = callback

    def remove_event_detect(self, gpio: int) -> None:
        self.callbacks.pop(gpio, None)

    def cleanup(self, gpio: int | None = None) -> None:
        for number in list(self.functions) if gpio is None else [gpio]:
            self.functions[number] = self.IN
            self.pulls[number] = self.PUD_OFF
            self.callbacks.pop(number, None)
