"""A table's lines on virtual time: the driver jumps from deadline to deadline and reads simulated levels."""

from collections import deque
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from controller.core import events as ev
from controller.inputs import REFERENCE, Inputs, Timings
from hal.interface import Edge

START_NS = 1_000_000_000
"""Virtual now when a driver is made; times in tests are milliseconds after it."""

LINES = [*(f"seat_{seat}" for seat in range(1, 8)), "coin_in", "game_over", "supervisor", "technician"]


def ns(ms: float) -> int:
    """A time of a test, in nanoseconds of the driver's clock."""
    return START_NS + round(ms * 1_000_000)


class Change(NamedTuple):
    """A line changes its level at `at_ns`; the edge arrives `delay_ns` later, or never."""

    at_ns: int
    line: str
    active: bool
    delay_ns: int = 0
    lost: bool = False


def low(line: str, at_ms: float, for_ms: float) -> list[Change]:
    """A low of `for_ms` beginning at `at_ms`."""
    return [Change(ns(at_ms), line, True), Change(ns(at_ms + for_ms), line, False)]


def wave(line: str, at_ms: float, *steps_ms: float) -> list[Change]:
    """Levels from `at_ms` on: low for the first step, high for the second, and so on; the last one stays."""
    changes, active = [Change(ns(at_ms), line, True)], True
    for step in steps_ms:
        at_ms += step
        active = not active
        changes.append(Change(ns(at_ms), line, active))
    return changes


class Driver:
    """Feeds an `Inputs` as the loop does: edges as they arrive, a snapshot whenever its deadline is due."""

    def __init__(self, *, timings: Timings = REFERENCE, active: Iterable[str] = ()) -> None:
        self.levels = {line: line in set(active) for line in LINES}
        self.now_ns = START_NS
        self.inputs = Inputs(timings, 7, self.levels, START_NS)
        self.events: list[ev.AnyEvent] = []
        self.told: list[tuple[int, ev.AnyEvent]] = []
        """Each event with the time at which it left."""
        self.locks: list[tuple[int, bool]] = []
        """Each change of `lock_wanted`."""
        self.wakes = 0
        self.freezes: list[tuple[int, int]] = []
        """From when to when the loop stands still."""

    def run(self, changes: Sequence[Change], until_ms: float) -> list[ev.AnyEvent]:
        """Play the changes and run on to `until_ms`; returns all events so far."""
        until_ns = ns(until_ms)
        levels = deque(sorted(changes, key=lambda change: change.at_ns))
        arrivals = deque(
            sorted((c for c in levels if not c.lost), key=lambda c: (c.at_ns + c.delay_ns, c.at_ns))
        )
        waiting: list[Edge] = []
        while True:
            wanted = [self.inputs.deadline_ns, until_ns]
            wanted += [arrivals[0].at_ns + arrivals[0].delay_ns] if arrivals else []
            self.now_ns = self._awake(max(self.now_ns, min(wanted)))
            while levels and levels[0].at_ns <= self.now_ns:
                moved = levels.popleft()
                self.levels[moved.line] = moved.active
            while arrivals and arrivals[0].at_ns + arrivals[0].delay_ns <= self.now_ns:
                change = arrivals.popleft()
                waiting.append(Edge(change.line, change.active, change.at_ns))
            self.feed(waiting)
            waiting = []
            if self.now_ns >= until_ns and self.inputs.deadline_ns > until_ns:
                return self.events

    def feed(self, edges: Sequence[Edge]) -> None:
        """One pass of the loop now."""
        due = self.inputs.deadline_ns <= self.now_ns
        told = self.inputs.feed(edges, self.now_ns, dict(self.levels) if due else None)
        self.wakes += 1
        self.events += told
        self.told += [(self.now_ns, event) for event in told]
        if self.inputs.lock_wanted != (bool(self.locks) and self.locks[-1][1]):
            self.locks.append((self.now_ns, self.inputs.lock_wanted))

    def of(self, *kinds: type[ev.Event]) -> list[ev.AnyEvent]:
        """The events of these kinds so far."""
        return [event for event in self.events if isinstance(event, kinds)]

    def _awake(self, at_ns: int) -> int:
        for begin, end in self.freezes:
            if begin <= at_ns < end:
                return end
        return at_ns


def chip(at_ms: float, seat: int) -> ev.ChipDropped:
    """The event of a chip that fell at `at_ms`."""
    return ev.ChipDropped(ns(at_ms), seat)


def play(changes: Sequence[Change], until_ms: float, *, active: Iterable[str] = ()) -> list[ev.AnyEvent]:
    """All events of a fresh table whose lines go through these changes."""
    return Driver(active=active).run(changes, until_ms)
