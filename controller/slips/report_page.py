"""Lays a shift report out."""

from collections.abc import Iterator

from controller.journal.chain import short_digest
from controller.slips.day import SECOND_NS
from controller.slips.document import Amount, Document, Pair, Row, Rule, Sign, Text, Title
from controller.slips.flow import LevelFlow
from controller.slips.house import House
from controller.slips.pen import Pen
from controller.slips.shift import Edge, ShiftReport
from controller.slips.texts import Label


def report_page(report: ShiftReport, house: House) -> Document:
    """The report as a paper."""
    return tuple(_rows(Pen(house, report.currency), report, house))


def _rows(pen: Pen, report: ShiftReport, house: House) -> Iterator[Row]:
    yield from _head(pen, report, house)
    yield from _play(pen, report)
    yield from _awards(pen, report)
    for level in report.levels:
        yield from _level(pen, level)
    yield Rule()
    yield Title(pen.say(Label.LIABILITY))
    yield Amount(pen.money(report.liability))
    yield from _faults(pen, report)
    yield from _seats(pen, report)
    yield Sign(pen.say(Label.SIGN_SUPERVISOR))


def _head(pen: Pen, report: ShiftReport, house: House) -> Iterator[Row]:
    yield Title(pen.say(Label.REPORT))
    yield Rule()
    yield pen.pair(Label.TABLE, f"{house.name} ({report.table})" if house.name else report.table)
    yield pen.pair(Label.GAME, house.title or report.profile)
    yield pen.pair(Label.FROM, pen.instant(report.span.from_ns))
    yield pen.pair(Label.TO, pen.instant(report.span.to_ns))
    yield from _edge(pen, Label.FIRST, report.first)
    yield from _edge(pen, Label.LAST, report.last)
    yield from _clock(pen, report)


def _clock(pen: Pen, report: ShiftReport) -> Iterator[Row]:
    """What makes the dates of a report less than certain."""
    undated = report.undated
    if undated is not None:
        since = pen.when(undated.since.at)
        yield Text(pen.say(Label.UNDATED, count=undated.count, seq=undated.since.seq, when=since))
    for step in report.steps:
        yield pen.pair(Label.CLOCK_STEP, f"{step.record} {_signed(step.by_ns)}")
    if report.stepped > len(report.steps):
        yield Text(pen.say(Label.CLOCK_STEPS_MORE, count=report.stepped - len(report.steps)))


def _signed(by_ns: int) -> str:
    """`+12:00:00`; hours go on beyond a day."""
    seconds = abs(by_ns) // SECOND_NS
    return f"{'-' if by_ns < 0 else '+'}{seconds // 3600}:{seconds // 60 % 60:02}:{seconds % 60:02}"


def _edge(pen: Pen, label: Label, edge: Edge) -> Iterator[Row]:
    yield pen.pair(label, f"{edge.seq} {pen.when(edge.at)}")
    yield pen.pair(Label.DIGEST, short_digest(edge.digest))


def _play(pen: Pen, report: ShiftReport) -> Iterator[Row]:
    yield Rule()
    yield Title(pen.say(Label.PLAY))
    yield pen.pair(Label.ROUNDS, report.rounds)
    yield pen.pair(Label.LATE_LOCKS, report.late_locks)
    yield pen.pair(Label.DISCREPANCIES, report.discrepancies)
    yield pen.pair(Label.DISPUTES, report.disputes)
    yield pen.pair(Label.WAGERS, report.wagers)
    yield pen.sum(Label.WAGERED, report.wagered)
    yield pen.sum(Label.REFUNDS, report.refunds)


def _awards(pen: Pen, report: ShiftReport) -> Iterator[Row]:
    yield Rule()
    yield Title(pen.say(Label.AWARDS))
    if not report.awards:
        yield Text(pen.say(Label.NO_AWARDS))
    for award in report.awards:
        hand = pen.word("hand", award.hand)
        yield Pair(
            pen.say(Label.AWARD, number=award.number, seat=award.seat, hand=hand), pen.money(award.amount)
        )
        if not award.paid:
            yield Pair("", pen.say(Label.AWARD_UNPAID))
    yield pen.sum(Label.AWARDED, report.awarded)
    yield pen.sum(Label.PAID_OUT, report.paid)
    yield pen.sum(Label.UNPAID, report.unpaid)
    yield pen.sum(Label.HOUSE_AWARDS, report.house_awards)
    yield pen.sum(Label.HOUSE_RESETS, report.house_resets)


def _level(pen: Pen, level: LevelFlow) -> Iterator[Row]:
    yield Rule()
    yield Title(pen.say(Label.POT, name=level.name))
    if level.confirmed is not None:
        yield pen.sum(Label.TO_LINK, level.contributed)
        yield pen.sum(Label.FROM_LINK, level.from_link)
        yield pen.sum(Label.CONFIRMED, level.confirmed)
        return
    yield pen.sum(Label.BEGINS, level.begins)
    yield pen.sum(Label.RAISED, level.raised)
    yield pen.sum(Label.AWARDS_OUT, -level.awards)
    yield pen.sum(Label.RESETS, level.resets)
    yield pen.sum(Label.CORRECTIONS, level.corrections)
    yield pen.sum(Label.TRANSFERS, level.transfers)
    yield pen.sum(Label.ENDS, level.ends)
    if level.unexplained:
        yield pen.sum(Label.UNEXPLAINED, level.unexplained)
    yield pen.sum(Label.RESERVED, level.reserved)
    yield pen.sum(Label.RESERVE_POOL, level.reserve_pool)
    yield pen.sum(Label.OVER, level.over)
    yield pen.sum(Label.OVERFLOW, level.overflow)


def _faults(pen: Pen, report: ShiftReport) -> Iterator[Row]:
    yield Rule()
    yield Title(pen.say(Label.FAULTS))
    if not report.faults:
        yield Text(pen.say(Label.NO_FAULTS))
    for fault in report.faults:
        yield Pair(fault.code, f"{fault.raised}/{fault.cleared}")


def _seats(pen: Pen, report: ShiftReport) -> Iterator[Row]:
    yield Rule()
    yield Title(pen.say(Label.SEATS))
    yield Text(_columns(pen.say(Label.SEATS_HEAD).split()))
    for seat in report.seats:
        numbers = (seat.seat, seat.dropped, seat.accepted, seat.excess, seat.late, seat.voided)
        yield Text(_columns([str(number) for number in numbers]))


def _columns(words: list[str]) -> str:
    """Six columns of seven: the widest number is 7 digits, as many chips as a seat sees in ten years."""
    return "".join(f"{word:>7}" for word in words)
