"""Limits, row 2e: what one edge costs between the pin and the program's own code, and the threads it takes.

In the same run and in turns, without a wait and with the stamps in the edges: a bare call of a function that does
nothing; the filter (`controller.inputs`) on pulses that mean nothing, and on chips, which it decides and puts into
order; gpiozero's `pin.when_changed` and gpiozero's `Button` on a mock pin, each calling that function. The limit is
for the filter's own edge, against the bare call. What a whole edge costs, from the mock pin through the HAL and
the inbox to the filter's chip, stands beside a Button, which filters nothing and stamps nothing.

Threads: what the pins of a table add to a process (`hal.raspberry` on gpiozero's mock factory) for 7 and 12 seats,
beside one Button a seat.

Run: `python benchmarks/edge.py [--rounds N]`. Exit code 1 if a limit is missed.
"""

import argparse
import sys
import threading
from collections.abc import Callable
from statistics import median
from typing import Any

from gpiozero import Button
from gpiozero.pins.mock import MockFactory
from measure import interleaved, ratio, seconds, tell

from controller.inbox import Inbox
from controller.inputs import REFERENCE, Inputs
from controller.inputs.timings import MS
from hal.header import claim_with_state, stamped_by_monotonic
from hal.interface import Edge, Factory, Input, Message, Output, Pull, Wiring
from hal.pins import Header, InputPin
from hal.raspberry import RaspberryHal

SEATS = 7
PULSES = 1000
"""Pulses in one turn of a contender; two edges each."""

CHIP_NS = 40 * MS
NOISE_NS = MS
GAP_NS = 20 * MS
QUIET_NS = 100_000 * MS
"""Between two turns: what is told once a minute has been told."""

SWITCHES = ("coin_in", "game_over", "supervisor", "technician")
LINES = [*(f"seat_{seat}" for seat in range(1, SEATS + 1)), *SWITCHES]


class Own:
    """Own code: the least there is."""

    def __init__(self) -> None:
        self.heard_ns = 0

    def changed(self, _line: str, _active: bool, at_ns: int) -> None:
        self.heard_ns = at_ns


class Pulses:
    """Pulses of one length, seat after seat, each turn later than the one before."""

    def __init__(self, length_ns: int) -> None:
        self._length_ns = length_ns
        self._now_ns = 1_000 * MS

    def turn(self) -> list[Edge]:
        self._now_ns += QUIET_NS
        edges: list[Edge] = []
        for number in range(PULSES):
            line = LINES[number % SEATS]
            edges.append(Edge(line, active=True, at_ns=self._now_ns))
            edges.append(Edge(line, active=False, at_ns=self._now_ns + self._length_ns))
            self._now_ns += self._length_ns + GAP_NS
        return edges


def direct() -> float:
    """A bare call for each edge."""
    edges, own = Pulses(CHIP_NS).turn(), Own()

    def work() -> None:
        changed = own.changed
        for edge in edges:
            changed(edge.line, edge.active, edge.at_ns)

    return seconds(work) / len(edges)


def filtered(length_ns: int, chips: int) -> Callable[[], float]:
    """The filter, an edge a pass; a turn's pulses must make `chips` chips."""
    pulses = Pulses(length_ns)
    inputs = Inputs(REFERENCE, SEATS, dict.fromkeys(LINES, False), 0)

    def turn() -> float:
        passes = [[edge] for edge in pulses.turn()]
        inputs.feed(passes[0], passes[0][0].at_ns, None)
        made: list[object] = []

        def work() -> None:
            feed = inputs.feed
            for each in passes[1:]:
                made.extend(feed(each, each[0].at_ns, None))

        cost = seconds(work) / (len(passes) - 1)
        if len(made) != chips:
            raise AssertionError(f"{PULSES} pulses of {length_ns} ns made {len(made)} events, not {chips}")
        return cost

    return turn


def drive(pin: Any) -> float:  # noqa: ANN401, gpiozero has no types
    """Drive a mock pin through a turn's pulses, as the library's thread would."""
    pin.clear_states()

    def work() -> None:
        for _ in range(PULSES):
            pin.drive_low()
            pin.drive_high()

    return seconds(work) / (2 * PULSES)


class RawPin:
    """gpiozero's raw pin callback."""

    def __init__(self) -> None:
        self._own = Own()
        self._pin = MockFactory().pin(4)
        self._pin.input_with_pull("up")
        self._pin.edges = "both"
        self._pin.bounce = None
        self._pin.when_changed = self.changed

    def changed(self, ticks: float, state: int) -> None:
        self._own.changed("seat_1", not state, int(ticks))

    def turn(self) -> float:
        return drive(self._pin)


class PressButton:
    """gpiozero's Button, which most projects use."""

    def __init__(self) -> None:
        self._own = Own()
        factory = MockFactory()
        self._button = Button(4, pin_factory=factory)
        self._button.when_pressed = self.pressed
        self._button.when_released = self.released
        self._pin = factory.pin(4)

    def pressed(self) -> None:
        self._own.changed("seat_1", True, 1)

    def released(self) -> None:
        self._own.changed("seat_1", False, 1)

    def turn(self) -> float:
        return drive(self._pin)


class WholeEdge:
    """From the mock pin through the HAL's pin and the inbox to the filter; a clock that the pulses move."""

    def __init__(self) -> None:
        self._now_ns = 1_000 * MS
        self._inbox = Inbox(LINES)
        self._inputs = Inputs(REFERENCE, SEATS, dict.fromkeys(LINES, False), 0)
        factory = MockFactory()
        self._line = InputPin(Input("seat_1", 4, active_low=True, pull=Pull.UP), lambda: self._now_ns)
        self._line.claim(mock_header(factory))
        self._line.put = self.put
        self._pin = factory.pin(4)

    def put(self, message: Message) -> None:
        """The edge gets a stamp from our own clock: the mock factory's is the machine's."""
        if isinstance(message, Edge):
            self._now_ns += CHIP_NS
            self._inbox.put(Edge(message.line, message.active, self._now_ns))
            edges = [each for each in self._inbox.drain() if isinstance(each, Edge)]
            self._inputs.feed(edges, self._now_ns, None)

    def turn(self) -> float:
        return drive(self._pin)


def mock_header(factory: MockFactory) -> Header:
    """gpiozero's mock factory as a header."""
    return Header(
        factory=factory,
        errors=(OSError,),
        claim_output=claim_with_state,
        wall_stamps=stamped_by_monotonic,
        release=lambda: None,
        kernel_stamps=False,
        alive=lambda: True,
    )


def button_threads(seats: int) -> int:
    """Threads that one Button a seat adds to a process."""
    before = threading.active_count()
    factory = MockFactory()
    made = [Button(pin, pin_factory=factory) for pin in range(2, 2 + seats)]
    added = threading.active_count() - before
    for each in made:
        each.close()
    return added


def table_threads(seats: int) -> int:
    """Threads that a table's pins add to a process."""
    before = threading.active_count()
    names = (*(f"seat_{seat}" for seat in range(1, seats + 1)), *SWITCHES)
    wiring = Wiring(
        Factory.LGPIO,
        ("mock",),
        tuple(Input(name, 2 + at, active_low=True, pull=Pull.UP) for at, name in enumerate(names)),
        (Output("slots", 27, active_low=False),),
    )
    header = mock_header(MockFactory())
    hal = RaspberryHal(wiring, open_header=lambda _wiring: header)
    hal.start(lambda _message: None)
    added = threading.active_count() - before
    hal.close()
    return added


def tell_threads() -> list[bool]:
    kept: list[bool] = []
    for seats in (7, 12):
        found = table_threads(seats)
        what = f"2e threads of the pins of {seats} seats (Buttons: {button_threads(seats)})"
        kept.append(tell(what, found, "", "<= 4", good=found <= 4))
    return kept


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=31, help="measured turns of each contender")
    rounds: int = options.parse_args().rounds
    costs = interleaved(
        {
            "direct call": direct,
            "filter, noise": filtered(NOISE_NS, 0),
            "filter, chips": filtered(CHIP_NS, PULSES),
            "pin.when_changed": RawPin().turn,
            "pin to chip": WholeEdge().turn,
            "Button": PressButton().turn,
        },
        rounds,
    )
    for name, each in costs.items():
        print(f"{name:<30} {median(each) * 1e6:>8.2f} µs an edge on this machine now")
    own = ratio(costs, "filter, noise", "direct call")
    chip = ratio(costs, "filter, chips", "direct call")
    whole = ratio(costs, "pin to chip", "Button")
    kept = [
        tell("2e filter, an edge that means nothing / direct call", own, "x", "<= 3", good=own <= 3),
        tell("2e filter, an edge of a chip / direct call", chip, "x", "<= 3", good=chip <= 3),
        tell("2e from the pin to a chip / Button", whole, "x", "none: told", good=True),
        *tell_threads(),
    ]
    sys.exit(0 if all(kept) else 1)


if __name__ == "__main__":
    main()
