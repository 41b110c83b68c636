"""The croupier's screen alone, for a machine whose board is not known: no pin is claimed, so slots stay locked.

It knows the screen's wiring, I2C ones only: one on SPI needs two pins of a header.
"""

import time
from collections.abc import Callable, Mapping

from hal.devices import Devices
from hal.interface import (
    PANELS,
    ClaimError,
    Device,
    Factory,
    FactoryError,
    HalThread,
    LineError,
    Panel,
    Put,
    Screen,
    ScreenKind,
    ScreenWiring,
    Wiring,
)
from hal.oled import PanelDriver

USUAL = ScreenWiring(ScreenKind.SSD1306, bus=1)
"""The reference board's screen."""


def i2c_screen(wiring: Wiring) -> ScreenWiring | None:
    """The screen of a board that can be served without its header; None where it has none such."""
    screen = wiring.screen
    return None if screen is None or screen.kind is ScreenKind.SSD1322 else screen


def open_i2c(wiring: ScreenWiring) -> PanelDriver:
    """The driver of a screen on I2C; its bus is opened on the screen's own thread. Loads luma.

    Raises `FactoryError` where luma is not installed.
    """
    try:
        from hal.panel import LumaPanel, connect  # noqa: PLC0415, it loads luma and Pillow
    except ImportError as error:
        raise FactoryError(f"the screen needs luma.oled, which does not load ({error})") from error
    return LumaPanel(wiring, connect(wiring, None))


class ScreenOnly:
    """A `Hal` without lines. `open_panel` opens the screen's panel, `now_ns` is CLOCK_MONOTONIC."""

    def __init__(
        self,
        screen: ScreenWiring = USUAL,
        open_panel: Callable[[ScreenWiring], PanelDriver] = open_i2c,
        now_ns: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self.wiring = Wiring(Factory.LGPIO, (), (), (), (Device.SCREEN,), screen)
        self._screen = screen
        self._open_panel = open_panel
        self._now_ns = now_ns
        self._served: Devices | None = None

    @property
    def devices(self) -> frozenset[Device]:
        """The screen."""
        return frozenset({Device.SCREEN})

    @property
    def panel(self) -> Panel | None:
        """The size of the screen."""
        return PANELS[self._screen.kind]

    def start(self, put: Put) -> None:
        """Begin to serve the screen. Raises `ClaimError` if started."""
        if self._served is not None:
            raise ClaimError("this screen is already served; close it before starting it again")
        self._served = Devices(self.wiring, self._open_panel(self._screen), put, self._now_ns)
        self._served.start()

    def levels(self) -> Mapping[str, bool]:
        """There are no inputs."""
        return {}

    def write(self, line: str, on: bool) -> None:  # noqa: ARG002, the protocol's signature
        """Refuse: there are no outputs. Raises `LineError`."""
        raise LineError(f"there is no line {line!r}: only the screen is served")

    def show(self, screen: Screen) -> None:
        """Put this on the screen. Raises `ClaimError` while not started."""
        if self._served is None:
            raise ClaimError("the screen is not served: start comes first, and close ends it")
        self._served.show(screen)

    def sign(self, text: str) -> None:
        """Refuse: there is no sign. Raises `LineError`."""
        raise LineError(f"there is no sign to show {text!r}: only the screen is served")

    def beats(self) -> Mapping[HalThread, int]:
        """When the screen's thread last went round. Nothing while not started."""
        return {} if self._served is None else self._served.beats()

    def close(self) -> None:
        """Let go of the bus; the panel keeps its picture. May be called again."""
        served, self._served = self._served, None
        if served is not None:
            served.end()
