"""One pin each: an input that puts edges, an output that starts and ends in its safe state.

It may know gpiozero's raw pins and `hal.interface`. gpiozero keeps a pin's callback weakly, so an `InputPin`
lives as long as its table (gpiozero issue 959).
"""

from collections.abc import Callable
from contextlib import suppress
from typing import Protocol

import msgspec

from hal.interface import ClaimError, Edge, Input, Message, Output, Pull, Put

SECOND_NS = 1_000_000_000
GPIOZERO_PULL = {Pull.UP: "up", Pull.DOWN: "down", Pull.NONE: "floating"}


class RawPin(Protocol):
    """What we use of gpiozero's `Pin` (gpiozero 2.0.1, `gpiozero/pins/__init__.py`)."""

    state: int
    bounce: float | None
    edges: str
    when_changed: Callable[[float, int], None] | None

    def input_with_pull(self, pull: str) -> None:
        """Become an input with this resistor: up, down or floating."""

    def close(self) -> None:
        """Become a plain input again."""


class PinFactory(Protocol):
    """What we use of gpiozero's `PiFactory`."""

    def pin(self, name: int) -> RawPin:
        """Get the pin with this BCM number."""


class Header(msgspec.Struct, frozen=True):
    """An opened header: a pin factory and what differs from library to library.

    `errors` are what the library raises; `claim_output` makes a pin an output at a level at once;
    `wall_stamps` tells whether a BCM pin's edges are stamped with the wall clock; `release` gives the header
    back without touching pins that were left holding; `kernel_stamps` is False where edges are stamped only
    when they reach the library; `alive` tells whether the thread that brings edges still runs, as far as the library
    lets one ask.
    """

    factory: PinFactory
    errors: tuple[type[Exception], ...]
    claim_output: Callable[[RawPin, int, bool], None]
    wall_stamps: Callable[[int], bool]
    release: Callable[[], None]
    kernel_stamps: bool
    alive: Callable[[], bool]


def not_listening(_message: Message) -> None:
    """Take what a pin says before its table has started and after it was closed."""


class InputPin:
    """An input line on its pin.

    gpiozero hands over a stamp in seconds of CLOCK_MONOTONIC. A stamp from before the table started, or more
    than a second in the future, is of some other clock (joan2937/lg issue 19): the edge then carries the time
    of its arrival and `implausible_stamps` counts it. Stamps of one line never run backwards.
    """

    def __init__(self, line: Input, now_ns: Callable[[], int]) -> None:
        self.line = line
        self.put: Put = not_listening
        self.implausible_stamps = 0
        self._now_ns = now_ns
        self._earliest_ns = now_ns() - SECOND_NS
        self._last_ns = 0
        self._pin: RawPin | None = None

    def __str__(self) -> str:
        return f"{self.line.name} (GPIO{self.line.pin})"

    def claim(self, header: Header) -> None:
        """Claim the pin and watch both edges. Raises the library's error; then it may be tried again."""
        self._pin = pin = header.factory.pin(self.line.pin)
        pin.input_with_pull(GPIOZERO_PULL[self.line.pull])
        pin.bounce = None
        pin.edges = "both"
        pin.when_changed = self.changed
        if header.wall_stamps(self.line.pin):
            raise ClaimError(
                f"{self}: the kernel stamps this line's edges with the wall clock, which steps; "
                "the table needs CLOCK_MONOTONIC: update the kernel (5.7 or newer) and lgpio (0.2.2.0 or newer)"
            )

    def rehearse(self) -> None:
        """Send one made-up edge through the library's own reference to our callback; nobody else hears it.

        Raises `ClaimError` naming the line when it does not come out whole: a deaf input looks healthy.
        """
        heard: list[Message] = []
        self.put = heard.append
        try:
            handler = self._held().when_changed
            if handler is not None:
                handler(self._now_ns() / SECOND_NS, int(self.line.active_low))
        except Exception as error:  # whatever goes wrong here would have made the line deaf
            raise ClaimError(f"{self} would be deaf: its edge handler fails with {error!r}") from error
        finally:
            self.put = not_listening
            self._last_ns = 0
        if not any(isinstance(edge, Edge) and edge.line == self.line.name for edge in heard):
            raise ClaimError(f"{self} would be deaf: an edge on it does not reach the program")

    def changed(self, ticks: float, state: int) -> None:
        """Put one edge, and do nothing else: an error here would end the pin library's only thread."""
        self.put(Edge(self.line.name, self._active(state), self._stamp(ticks)))

    def read(self) -> bool:
        """Read the level now. Raises the library's error."""
        return self._active(self._held().state)

    def release(self) -> None:
        """Give the pin back. Raises the library's error; nothing is put any more in either case."""
        self.put = not_listening
        pin, self._pin = self._pin, None
        if pin is not None:
            try:
                pin.when_changed = None
            finally:
                pin.close()

    def _held(self) -> RawPin:
        if self._pin is None:
            raise ClaimError(f"{self} is not claimed: start comes first, and close ends it")
        return self._pin

    def _active(self, state: int) -> bool:
        return bool(state) != self.line.active_low

    def _stamp(self, ticks: float) -> int:
        at_ns, now_ns = round(ticks * SECOND_NS), self._now_ns()
        if not self._earliest_ns <= at_ns <= now_ns + SECOND_NS:
            self.implausible_stamps += 1
            at_ns = now_ns
        self._last_ns = max(at_ns, self._last_ns)
        return self._last_ns


class OutputPin:
    """An output line on its pin: off from the first instant, off and held off by its resistor at the end.

    The Pi's own resistor (about 50 kΩ) holds only a high-ohm input: a lock, a release coil's driver and a bell
    need an external resistor to their off level all the same, for the time without any program.
    """

    def __init__(self, line: Output) -> None:
        self.line = line
        self._pin: RawPin | None = None

    def __str__(self) -> str:
        return f"{self.line.name} (GPIO{self.line.pin})"

    def claim(self, header: Header) -> None:
        """Claim the pin as an output that is off. Raises the library's error; then it may be tried again."""
        self._pin = pin = header.factory.pin(self.line.pin)
        header.claim_output(pin, self.line.pin, self.line.active_low)

    def write(self, on: bool) -> None:
        """Switch it. Raises the library's error."""
        if self._pin is None:
            raise ClaimError(f"{self} is not claimed: start comes first, and close ends it")
        self._pin.state = int(on != self.line.active_low)

    def release(self) -> None:
        """Switch it off, then leave it an input whose resistor pulls to off. Raises the library's error.

        The pin is not closed: that would let go of the resistor (gpiozero issue 1146).
        """
        pin, self._pin = self._pin, None
        if pin is not None:
            pin.state = int(self.line.active_low)
            pin.input_with_pull("up" if self.line.active_low else "down")


def give_up(line: InputPin | OutputPin, header: Header) -> None:
    """Release a line whose claim failed half-way, as far as the library lets us."""
    with suppress(*header.errors):  # the claim's own error is the one to report
        line.release()
