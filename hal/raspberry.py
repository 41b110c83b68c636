"""The real table: every line of its wiring on a Raspberry Pi's header, and its screen, sign and keypad.

It assembles `hal.pins` on a header that `hal.header` opens, and `hal.devices`, and knows nothing of any library.
Edges carry the kernel's stamp with lgpio; with RPi.GPIO, the one exception, the time at which they reached the
library.
"""

import atexit
import logging
import time
from collections.abc import Callable, Mapping
from threading import RLock

from hal.devices import Devices, ScreenPins, open_panel
from hal.header import open_header
from hal.interface import (
    ClaimError,
    Device,
    HalError,
    HalThread,
    Output,
    Panel,
    PanelSignWiring,
    Put,
    Screen,
    ScreenWiring,
    Wiring,
)
from hal.lines import Lines
from hal.oled import PanelDriver
from hal.pins import Header, InputPin, OutputPin, give_up

LOG = logging.getLogger(__name__)

TRIES = 3
TRY_AGAIN_S = 0.1
"""A line can stay busy for a moment after the process that held it was killed (RPi.GPIO: gpiozero issue 232)."""


class RaspberryHal:
    """The hardware of `wiring` on this Raspberry Pi's header.

    `open_header` opens the header, `open_panel` the screen's panel; `now_ns` is CLOCK_MONOTONIC; `pause` waits
    between tries, in seconds. Making one claims nothing and imports no pin library.
    Raises `ClaimError` for a name or pin used twice.
    """

    def __init__(
        self,
        wiring: Wiring,
        *,
        open_header: Callable[[Wiring], Header] = open_header,
        open_panel: Callable[[ScreenWiring, ScreenPins], PanelDriver] = open_panel,
        now_ns: Callable[[], int] = time.monotonic_ns,
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        self._wiring = wiring
        self._lines = Lines(wiring)
        self._open_header = open_header
        self._open_panel = open_panel
        self._now_ns = now_ns
        self._pause = pause
        self._guard = RLock()
        self._header: Header | None = None
        self._inputs: dict[str, InputPin] = {}
        self._outputs: dict[str, OutputPin] = {}
        self._served: Devices | None = None

    @property
    def devices(self) -> frozenset[Device]:
        """The devices the wiring describes, those that do not answer included."""
        wired = {
            Device.SCREEN: self._wiring.screen,
            Device.SIGN: self._wiring.sign,
            Device.KEYPAD: self._wiring.keypad,
        }
        return frozenset(device for device, wiring in wired.items() if wiring is not None)

    @property
    def panel(self) -> Panel | None:
        """The size of the wiring's screen; None without one."""
        return self._wiring.panel if Device.SCREEN in self.devices else None

    @property
    def armed(self) -> tuple[str, ...]:
        """The inputs that are watched now."""
        return tuple(self._inputs)

    @property
    def implausible_stamps(self) -> int:
        """How many edges since `start` came with a stamp of some other clock and were stamped on arrival."""
        return sum(pin.implausible_stamps for pin in self._inputs.values())

    def start(self, put: Put) -> None:
        """Claim the outputs, off; then the inputs, each rehearsed; then listen to all of them at once.

        An edge between a line's claim and the end of `start` is not put; `levels` shows what it left behind.
        Raises `FactoryError`, `ChipNotFoundError` or `ClaimError`; then nothing stays claimed.
        """
        with self._guard:
            if self._header is not None:
                raise ClaimError("this table is already started; close it before starting it again")
            self._header = header = self._open_header(self._wiring)
            atexit.register(self.close)
            try:
                self._claim_all(header)
                self._served = self._serve(header, put)
            except BaseException:
                self.close()
                raise
            for pin in self._inputs.values():
                pin.put = put
        LOG.info("%d inputs armed: %s", len(self._inputs), ", ".join(self._inputs))

    def levels(self) -> Mapping[str, bool]:
        """Every input now: name to active. Raises `ClaimError` while not started, `HalError` if unreadable."""
        with self._guard:
            header = self._claimed()
            return {name: self._read(pin, header) for name, pin in self._inputs.items()}

    def write(self, line: str, on: bool) -> None:
        """Switch an output. Raises `LineError` for another name, `HalError` if the pin cannot be written."""
        self._lines.output(line)
        with self._guard:
            header = self._claimed()
            pin = self._outputs[line]
            try:
                pin.write(on)
            except header.errors as error:
                raise HalError(
                    f"{pin} cannot be switched: {error}; check the wiring, then restart"
                ) from error

    def show(self, screen: Screen) -> None:
        """Put this on the screen. Returns at once; what became of it comes as a message. Raises as `write` does."""
        self._lines.device(Device.SCREEN)
        self._devices().show(screen)

    def sign(self, text: str) -> None:
        """Put this on the sign. Returns at once; what became of it comes as a message. Raises as `write` does."""
        self._lines.device(Device.SIGN)
        self._devices().sign(text)

    def beats(self) -> Mapping[HalThread, int]:
        """When each thread last showed that it goes round; 0 for one that has ended. Nothing while not started."""
        with self._guard:
            if self._header is None or self._served is None:
                return {}
            pins = self._now_ns() if self._header.alive() else 0
            return {HalThread.PINS: pins, **self._served.beats()}

    def close(self) -> None:
        """Outputs off and held off, then everything released; also at the interpreter's exit.

        Raises `HalError` naming the lines that could not be released; all others are.
        """
        with self._guard:
            header, self._header = self._header, None
            if header is None:
                return
            atexit.unregister(self.close)
            screens_own = [pin for name, pin in self._outputs.items() if name not in self._lines.outputs]
            pins: list[InputPin | OutputPin] = [*self._outputs.values(), *self._inputs.values()]
            self._outputs, self._inputs = {}, {}
            steps = [(str(pin), pin.release) for pin in pins if pin not in screens_own]
            if self._served is not None:
                # After the outputs are safe: a screen or sign may take its time for the last words.
                steps.append(("the devices", self._served.end))
            steps += [(str(pin), pin.release) for pin in screens_own]
            steps.append(("the header", header.release))
            self._served = None
            failures = [failure for what, step in steps if (failure := _try(what, step, header))]
        if failures:
            raise HalError(
                f"not released: {'; '.join(failures)}. Take the table's power away before anyone plays on"
            )

    def _claim_all(self, header: Header) -> None:
        for output in self._lines.outputs.values():
            self._claim(OutputPin(output), header)
        for line in self._lines.inputs.values():
            self._claim(InputPin(line, self._now_ns), header)
        for pin in self._inputs.values():
            pin.rehearse()

    def _serve(self, header: Header, put: Put) -> Devices:
        """Claim an SPI screen's own pins and begin to serve the devices."""
        panel, screen = None, self._wiring.screen
        if screen is not None:
            own = {"screen_dc": screen.dc, "screen_reset": screen.reset}
            pins = {pin: OutputPin(Output(name, pin, False)) for name, pin in own.items() if pin is not None}
            for pin in pins.values():
                self._claim(pin, header)
            panel = self._open_panel(screen, ScreenPins(header, pins))
        sign = self._wiring.sign
        sign_panel = None
        if isinstance(sign, PanelSignWiring):
            sign_panel = self._open_panel(sign.panel, ScreenPins(header, {}))
        served = Devices(self._wiring, panel, put, self._now_ns, sign_panel)
        served.start()
        return served

    def _devices(self) -> Devices:
        if self._served is None:
            raise ClaimError("the table's devices are not served: start comes first, and close ends it")
        return self._served

    def _claim(self, pin: InputPin | OutputPin, header: Header) -> None:
        for tries in range(1, TRIES + 1):
            try:
                pin.claim(header)
            except ClaimError:
                give_up(pin, header)
                raise
            except header.errors as error:
                give_up(pin, header)
                if tries == TRIES:
                    raise ClaimError(
                        f"{pin} could not be claimed, tried {TRIES} times: {error}. "
                        "Stop the program that holds it (gpioinfo names it), or correct the board file"
                    ) from error
                LOG.warning("%s could not be claimed (%s), trying again", pin, error)
                self._pause(TRY_AGAIN_S)
            else:
                self._keep(pin, tries)
                return

    def _keep(self, pin: InputPin | OutputPin, tries: int) -> None:
        if tries > 1:
            LOG.warning("%s was claimed at try %d", pin, tries)
        if isinstance(pin, InputPin):
            self._inputs[pin.line.name] = pin
        else:
            self._outputs[pin.line.name] = pin

    def _claimed(self) -> Header:
        if self._header is None:
            raise ClaimError("the table's lines are not claimed: start comes first, and close ends it")
        return self._header

    @staticmethod
    def _read(pin: InputPin, header: Header) -> bool:
        try:
            return pin.read()
        except header.errors as error:
            raise HalError(f"{pin} cannot be read: {error}; check the wiring, then restart") from error


def _try(what: str, release: Callable[[], None], header: Header) -> str:
    """Release one thing and say what went wrong, or nothing: one failure may not keep the others claimed."""
    try:
        release()
    except header.errors as error:
        return f"{what}: {error}"
    return ""
