"""The shift report as data: what a span of time did to money, seats and faults, from the journal alone.

Which records a span has is said in `controller.slips.within`. Those without a date that counts are in it too, and the
report names them, and each step of the wall clock.
"""

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import msgspec

from controller.core import events as ev
from controller.core.faults import FaultCode
from controller.core.game import Hand
from controller.core.money import Currency
from controller.core.state import Table
from controller.journal import Record, reader
from controller.journal.read import ends
from controller.meters import meters
from controller.signing.standing import prove_from
from controller.slips.award import Moment
from controller.slips.day import Span
from controller.slips.flow import Flow, LevelFlow
from controller.slips.source import between, find, rules_at, table_of
from controller.slips.within import within

STEPS_MAX = 20
"""Clock steps that a report names one by one; the others it counts."""


class Edge(msgspec.Struct, frozen=True):
    """The first or the last record of a report."""

    seq: int
    digest: str
    at: Moment


class AwardLine(msgspec.Struct, frozen=True):
    """An award approved in the span; `paid`: by its end."""

    number: int
    record: int
    seat: int
    hand: Hand
    level: str | None
    amount: int
    paid: bool


class SeatCount(msgspec.Struct, frozen=True):
    """What the counts of a seat rose by."""

    seat: int
    dropped: int
    accepted: int
    excess: int
    late: int
    voided: int


class FaultCount(msgspec.Struct, frozen=True):
    """How often a fault came and went."""

    code: FaultCode
    raised: int
    cleared: int


class Undated(msgspec.Struct, frozen=True):
    """Records whose clock had not been set, or was in doubt: how many, and the first of them."""

    count: int
    since: Edge


class ClockStep(msgspec.Struct, frozen=True):
    """A step of the wall clock, by so many nanoseconds, as a record says it."""

    record: int
    by_ns: int


class ShiftReport(msgspec.Struct, frozen=True):
    """A span of a table. Amounts in minor units.

    `wagers` are chips accepted, `wagered` their money, `refunds` what the house gave back, `paid` what was paid out in
    the span (older awards too), `unpaid` what is owed at its end. `house_awards` and `house_resets` are what the house
    paid for awards and for restarts. `liability` is what pots, reserves and overflow hold at the end, and what is
    unpaid. `undated`: records without a date that counts, None if there are none. `steps` are the first steps of the
    clock of `stepped`.
    """

    table: str
    profile: str
    currency: Currency
    span: Span
    first: Edge
    last: Edge
    undated: Undated | None
    stepped: int
    steps: tuple[ClockStep, ...]
    rounds: int
    late_locks: int
    discrepancies: int
    disputes: int
    wagers: int
    wagered: int
    refunds: int
    awards: tuple[AwardLine, ...]
    awarded: int
    paid: int
    unpaid: int
    house_awards: int
    house_resets: int
    liability: int
    levels: tuple[LevelFlow, ...]
    faults: tuple[FaultCount, ...]
    seats: tuple[SeatCount, ...]


class Tally:
    """Adds up record by record; holds counts only, however long the span is."""

    def __init__(self, before: Table | None) -> None:
        self.flow = Flow(before)
        self.rounds = self.late_locks = self.discrepancies = self.disputes = self.paid = 0
        self.house_resets = 0
        self.stepped = self.undated = 0
        self.since: Edge | None = None
        self.steps: list[ClockStep] = []
        self.awards: list[tuple[int, ev.AwardApproved]] = []
        self.raised: Counter[FaultCode] = Counter()
        self.cleared: Counter[FaultCode] = Counter()

    def add(self, record: Record) -> None:
        """Count one record."""
        self._clock(record)
        self.disputes += isinstance(record.event, ev.DisputeRaised) and ev.Noted() in record.results
        for result in record.results:
            self._one(record, result)
        self.flow.add(record)

    def _clock(self, record: Record) -> None:
        if not record.wall_trusted:
            self.undated += 1
            self.since = self.since or _edge(record)
        if isinstance(record.event, ev.ClockStepped):
            self.stepped += 1
            if self.stepped <= STEPS_MAX:
                self.steps.append(ClockStep(record.seq, record.event.by_ns))

    def _one(self, record: Record, result: ev.AnyResult) -> None:
        match result:
            case ev.RoundLocked(late=late):
                self.rounds += 1
                self.late_locks += late
            case ev.DiscrepancyLeftOpen():
                self.discrepancies += 1
            case ev.AwardApproved():
                self.awards.append((record.seq, result))
            case ev.AwardSettled(amount=amount):
                self.paid += amount
            case ev.PotReset(from_house=amount):
                self.house_resets += amount
            case ev.FaultRaised(code=code):
                self.raised[code] += 1
            case ev.FaultCleared(code=code):
                self.cleared[code] += 1
            case _:
                return


def shift_report(journal: Path, span: Span) -> ShiftReport:
    """Report on a span of time. Raises `SlipError` if no record lies in it, and the journal's errors."""
    with reader(journal) as connection:
        known = ends(connection, journal)
        first, last = within(connection, journal, span, known.last.seq)
        # What is in the span is checked as it is read.
        prove_from(connection, journal, known.first, last)
        before = find(connection, journal, "seq = ?", first - 1)
        tally = Tally(None if before is None else before.state)
        begin = end = None
        for record in between(connection, journal, first, last):
            begin = begin or record
            end = record
            tally.add(record)
        if begin is None or end is None:
            raise AssertionError(f"no record between {first} and {last}")
        rules = rules_at(connection, journal, known.first, end)
    now = meters(end.state)
    was = {} if before is None else meters(before.state)
    return ShiftReport(
        table=table_of(known.first, journal),
        profile=rules.profile,
        currency=rules.currency,
        span=span,
        first=_edge(begin),
        last=_edge(end),
        undated=None if tally.since is None else Undated(tally.undated, tally.since),
        stepped=tally.stepped,
        steps=tuple(tally.steps),
        rounds=tally.rounds,
        late_locks=tally.late_locks,
        discrepancies=tally.discrepancies,
        disputes=tally.disputes,
        wagers=_by(was, now, "in_count"),
        wagered=_by(was, now, "in_meter"),
        refunds=_by(was, now, "refund_meter"),
        awards=_awards(tally, end.state),
        awarded=sum(award.amount for _, award in tally.awards),
        paid=tally.paid,
        unpaid=now["unpaid"],
        house_awards=sum(award.from_house for _, award in tally.awards),
        house_resets=tally.house_resets,
        liability=now["current"] + now["reserve_pool"] + now["overflow_meter"] + now["unpaid"],
        levels=tally.flow.levels(end.state),
        faults=_faults(tally),
        seats=tuple(_seat(number, was, now) for number in range(1, len(end.state.seats) + 1)),
    )


def _edge(record: Record) -> Edge:
    return Edge(record.seq, record.digest, Moment(record.wall_ns, record.wall_trusted))


def _by(was: Mapping[str, int], now: Mapping[str, int], meter: str) -> int:
    return now[meter] - was.get(meter, 0)


def _awards(tally: Tally, after: Table) -> tuple[AwardLine, ...]:
    owed = {award.number for award in after.awards if not award.paid}
    return tuple(
        AwardLine(
            award.number, seq, award.seat, award.hand, award.level, award.amount, award.number not in owed
        )
        for seq, award in tally.awards
    )


def _faults(tally: Tally) -> tuple[FaultCount, ...]:
    return tuple(
        FaultCount(code, tally.raised[code], tally.cleared[code])
        for code in FaultCode
        if tally.raised[code] or tally.cleared[code]
    )


def _seat(number: int, was: Mapping[str, int], now: Mapping[str, int]) -> SeatCount:
    def by(count: str) -> int:
        return _by(was, now, f"seat_{number}.{count}")

    return SeatCount(number, by("dropped"), by("accepted"), by("excess"), by("late"), by("voided"))
