"""A real table's screen, sign and keypad, and the two threads that serve them.

The screen has a thread of its own, because its bus makes a writer wait; sign and keypad share one, because a serial
port does not. So a table has four threads at most, whatever the number of seats. luma and pyserial are loaded only
for a table that has what they drive.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from hal.health import Health
from hal.interface import (
    PANELS,
    Device,
    DeviceError,
    FactoryError,
    HalThread,
    KeypadWiring,
    PanelSignWiring,
    Put,
    Screen,
    ScreenWiring,
    SignWiring,
    Wiring,
)
from hal.oled import PanelDriver, ScreenDriver
from hal.pins import Header, OutputPin
from hal.worker import Clock, Part, Worker


class SignDriver(Part, Protocol):
    """A sign of any kind."""

    def show(self, text: str) -> None:
        """Remember what to show; the newest text wins. Returns at once, from any thread."""


class Devices:
    """The devices of `wiring` from `start` to `end`; messages about them go to `put`.

    `panel` drives the screen's panel, `sign_panel` a sign that is one; None for a table without.
    """

    def __init__(
        self,
        wiring: Wiring,
        panel: PanelDriver | None,
        put: Put,
        now_ns: Clock,
        sign_panel: PanelDriver | None = None,
    ) -> None:
        self._screen = None if panel is None else ScreenDriver(panel, Health(Device.SCREEN, put))
        serial = _sign(wiring.sign, put) if isinstance(wiring.sign, SignWiring) else None
        picture = None
        if isinstance(wiring.sign, PanelSignWiring) and sign_panel is not None:
            picture = _panel_sign(wiring.sign, sign_panel, put)
        self._sign: SignDriver | None = serial or picture
        keypad = None if wiring.keypad is None else _keypad(wiring.keypad, put)
        self._pictures = _worker(HalThread.SCREEN, (self._screen, picture), now_ns)
        self._ports = _worker(HalThread.PORTS, (serial, keypad), now_ns)

    def start(self) -> None:
        """Begin to serve the devices."""
        for worker in self._workers:
            worker.start()

    def show(self, screen: Screen) -> None:
        """Put this on the screen. Returns at once. Raises `DeviceError` without a screen."""
        if self._screen is None or self._pictures is None:
            raise DeviceError("this table has no screen; describe it in the board file's [screen]")
        self._screen.show(screen)
        self._pictures.wake()

    def sign(self, text: str) -> None:
        """Put this on the sign. Returns at once. Raises `DeviceError` without a sign."""
        if self._sign is None:
            raise DeviceError("this table has no sign; describe it in the board file's [sign]")
        self._sign.show(text)
        for worker in self._workers:
            worker.wake()

    def beats(self) -> dict[HalThread, int]:
        """When each thread last went round; 0 for one that has ended."""
        return {worker.name: worker.beat_ns for worker in self._workers}

    def end(self) -> None:
        """Let every device say its last words, all at once, and wait for that, but for none that hangs."""
        for worker in self._workers:
            worker.end()
        for worker in self._workers:
            worker.join()

    @property
    def _workers(self) -> tuple[Worker, ...]:
        return tuple(worker for worker in (self._pictures, self._ports) if worker is not None)


def _worker(name: HalThread, parts: Sequence[Part | None], now_ns: Clock) -> Worker | None:
    there = [part for part in parts if part is not None]
    return Worker(name, there, now_ns) if there else None


def _sign(wiring: SignWiring, put: Put) -> SignDriver:
    from hal.sign import AlphaSign  # noqa: PLC0415, it loads pyserial

    return AlphaSign(wiring, Health(Device.SIGN, put))


def _panel_sign(wiring: PanelSignWiring, panel: PanelDriver, put: Put) -> SignDriver:
    from hal.panelsign import PanelSign  # noqa: PLC0415, it loads luma and Pillow

    return PanelSign(panel, PANELS[wiring.panel.kind], Health(Device.SIGN, put))


def _keypad(wiring: KeypadWiring, put: Put) -> Part:
    from hal.keypad import Keypad, open_keypad  # noqa: PLC0415, it loads pyserial

    return Keypad(wiring, Health(Device.KEYPAD, put), put, open_keypad)


class ScreenPins:
    """The two pins an SPI screen has beside its bus, on the table's own header, in the shape luma drives."""

    LOW, HIGH, OUT = False, True, 0

    def __init__(self, header: Header, pins: Mapping[int, OutputPin]) -> None:
        self._header = header
        self._pins = pins

    def setup(self, pin: int, mode: int) -> None:
        """Do nothing: the table has claimed it as an output."""

    def output(self, pin: int, value: bool) -> None:
        """Drive a pin. Raises `OSError`, as a bus does."""
        try:
            self._pins[pin].write(bool(value))
        except self._header.errors as error:
            raise OSError(f"{self._pins[pin]} cannot be switched: {error}") from error


def open_panel(wiring: ScreenWiring, pins: ScreenPins | None = None) -> PanelDriver:
    """Make the driver of a screen's panel; its bus is opened on the screen's own thread. Loads luma.

    A panel on I2C needs no `pins`. Raises `FactoryError` where luma is not installed.
    """
    try:
        from hal.panel import LumaPanel, connect  # noqa: PLC0415, it loads luma and Pillow
    except ImportError as error:
        raise FactoryError(
            f"the screen needs luma.oled, which does not load ({error}): install Pozo again"
        ) from error
    return LumaPanel(wiring, connect(wiring, pins))
