"""A floor as queues: processors, one disk that flushes for everybody who waits, one lock a link. Discrete events.

Pure: seeds in, figures out; `floor_size.py` gives it what was measured. A table's link looks once a second, at a moment
of its own: what its table has written meanwhile is one report, nothing is one question for the head. A call takes a
processor for its measured time; a report then waits for a flush, which serves all who were waiting when it began. A
claim holds its link's lock from its processor time to its flush; so does a fold, without the flush.
"""

import heapq
import random
from collections import deque
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

LOOK_S = 1.0
FOLD_S = 0.1


class Costs(NamedTuple):
    """Seconds of a processor: a report is `report` + `record` for each; a fold and a claim grow with the tables."""

    head: float
    report: float
    record: float
    fold: float
    fold_table: float
    claim: float
    claim_table: float
    flush: float


class Hall(NamedTuple):
    """What is simulated: tables, their rounds an hour, records of a round, one claim in so many rounds, processors."""

    tables: int
    rounds_an_hour: float
    records_a_round: int
    rounds_a_claim: float
    cores: int


class Found(NamedTuple):
    """What came of it; times in seconds, `busy` as shares of the time, `left`: calls that were not answered yet."""

    reports: int
    records_a_report: float
    processors_busy: float
    disk_busy: float
    report_median: float
    report_p99: float
    claim_p99: float
    left: int


class Floor:
    """The queues, driven by time."""

    def __init__(self, costs: Costs, cores: int) -> None:
        self.costs = costs
        self.now = 0.0
        self._events: list[tuple[float, int, Callable[[], None]]] = []
        self._number = 0
        self._free = cores
        self._ready: deque[tuple[float, Callable[[], None]]] = deque()
        self._to_flush: list[Callable[[], None]] = []
        self._flushing = False
        self._locked = False
        self._for_lock: deque[Callable[[], None]] = deque()
        self.processor_s = self.disk_s = 0.0

    def at(self, when: float, what: Callable[[], None]) -> None:
        """Let something happen at a time."""
        self._number += 1
        heapq.heappush(self._events, (when, self._number, what))

    def run(self, until: float) -> None:
        """Let everything happen up to a time."""
        while self._events and self._events[0][0] <= until:
            self.now, _, what = heapq.heappop(self._events)
            what()

    def compute(self, cost: float, then: Callable[[], None]) -> None:
        """Take a processor for so long, in order of coming."""
        self._ready.append((cost, then))
        self._dispatch()

    def flush(self, then: Callable[[], None]) -> None:
        """Be durable: with the next flush that begins."""
        self._to_flush.append(then)
        self._begin_flush()

    def lock(self, then: Callable[[], None]) -> None:
        """Hold the link's lock, in order of coming."""
        if self._locked:
            self._for_lock.append(then)
            return
        self._locked = True
        then()

    def unlock(self) -> None:
        """Give the lock to the next."""
        self._locked = bool(self._for_lock)
        if self._for_lock:
            self._for_lock.popleft()()

    @property
    def locked(self) -> bool:
        return self._locked

    def _dispatch(self) -> None:
        while self._free and self._ready:
            cost, then = self._ready.popleft()
            self._free -= 1
            self.processor_s += cost
            self.at(self.now + cost, partial(self._computed, then))

    def _computed(self, then: Callable[[], None]) -> None:
        self._free += 1
        then()
        self._dispatch()

    def _begin_flush(self) -> None:
        if self._flushing or not self._to_flush:
            return
        self._flushing = True
        served, self._to_flush = self._to_flush, []
        self.disk_s += self.costs.flush
        self.at(self.now + self.costs.flush, lambda: self._flushed(served))

    def _flushed(self, served: list[Callable[[], None]]) -> None:
        self._flushing = False
        for then in served:
            then()
        self._begin_flush()


class Tables:
    """The tables of a hall, their links, and what they wait for."""

    def __init__(self, floor: Floor, hall: Hall, seed: int) -> None:
        self.floor = floor
        self.hall = hall
        self.random = random.Random(seed)
        self.report_s: list[float] = []
        self.claim_s: list[float] = []
        self.records = self.waiting = 0
        for _ in range(hall.tables):
            written = self._written()
            floor.at(self.random.random() * LOOK_S, partial(self._look, written))
        floor.at(FOLD_S, self._fold)

    def _written(self) -> deque[float]:
        """A round's records from a chance moment of it on."""
        length = 3600 / self.hall.rounds_an_hour
        begun = self.floor.now - self.random.random() * length
        return deque(time for time in self._round(begun, length) if time > self.floor.now)

    def _round(self, begun: float, length: float) -> list[float]:
        """When a round's records are written: chips in its first half, COIN IN in the middle, the rest at the end."""
        chips = self.hall.records_a_round - 4
        times = sorted(begun + self.random.random() * length / 2 for _ in range(chips))
        return [*times, begun + length / 2, begun + length / 2 + 0.3, begun + length, begun + length]

    def _look(self, written: deque[float]) -> None:
        count, now = 0, self.floor.now
        while written and written[0] <= now:
            written.popleft()
            count += 1
        if not written:
            length = 3600 / self.hall.rounds_an_hour
            written.extend(self._round(now, length))
            if self.random.random() < 1 / self.hall.rounds_a_claim:
                self._claim()

        def again() -> None:
            self.floor.at(self.floor.now + LOOK_S, lambda: self._look(written))

        self.waiting += 1
        if count == 0:
            self.floor.compute(self.floor.costs.head, lambda: self._answered(again))
            return
        cost = self.floor.costs.report + count * self.floor.costs.record
        self.records += count
        self.floor.compute(cost, lambda: self.floor.flush(lambda: self._reported(now, again)))

    def _answered(self, again: Callable[[], None]) -> None:
        self.waiting -= 1
        again()

    def _reported(self, since: float, again: Callable[[], None]) -> None:
        self.report_s.append(self.floor.now - since)
        self._answered(again)

    def _claim(self) -> None:
        since, costs = self.floor.now, self.floor.costs
        cost = costs.claim + costs.claim_table * self.hall.tables

        def served() -> None:
            self.claim_s.append(self.floor.now - since)
            self.floor.unlock()

        self.floor.lock(lambda: self.floor.compute(cost, lambda: self.floor.flush(served)))

    def _fold(self) -> None:
        costs = self.floor.costs
        self.floor.at(self.floor.now + FOLD_S, self._fold)
        if not self.floor.locked:  # as `tick` does: who finds it locked leaves it to others
            cost = costs.fold + costs.fold_table * self.hall.tables
            self.floor.lock(lambda: self.floor.compute(cost, self.floor.unlock))


def simulated(costs: Costs, hall: Hall, seconds: float, seed: int = 1) -> Found:
    """Let a hall play."""
    floor = Floor(costs, hall.cores)
    tables = Tables(floor, hall, seed)
    floor.run(seconds)
    reports = sorted(tables.report_s)
    claims = sorted(tables.claim_s)
    return Found(
        reports=len(reports),
        records_a_report=tables.records / max(len(reports), 1),
        processors_busy=floor.processor_s / (seconds * hall.cores),
        disk_busy=floor.disk_s / seconds,
        report_median=_part(reports, 50),
        report_p99=_part(reports, 99),
        claim_p99=_part(claims, 99),
        left=tables.waiting,
    )


def closed(costs: Costs, clients: int, cores: int, seconds: float) -> float:
    """Reports of one record a second, where so many clients do nothing but report: what `floor.py` measures."""
    floor = Floor(costs, cores)
    done = 0

    def begin() -> None:
        floor.compute(costs.report + costs.record, lambda: floor.flush(end))

    def end() -> None:
        nonlocal done
        done += 1
        begin()

    for _ in range(clients):
        begin()
    floor.run(seconds)
    return done / seconds


def _part(ordered: list[float], hundredths: int) -> float:
    return ordered[min(len(ordered) * hundredths // 100, len(ordered) - 1)] if ordered else 0.0
