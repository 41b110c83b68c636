"""What money is in doubt once a journal is not right: the amounts that still stand against what the file says last.

It decides nothing about who is right; it puts the figures and the awards side by side for those who must.
"""

from collections.abc import Iterable
from typing import Final

import msgspec

from controller.core import events as ev
from controller.core.game import Hand
from controller.core.money import Currency
from controller.core.state import Table
from controller.journal import Record
from controller.meters import is_money, meters

AWARDS_MAX: Final = 1000
"""Awards that are listed; the others are counted."""

ALWAYS: Final = ("current", "in_meter", "unpaid")
"""Meters that are told even where both figures agree, with each level's own pot."""


class Figure(msgspec.Struct, frozen=True):
    """One meter in minor units: at the last record that stands, and at the last that can be read; None: not known."""

    meter: str
    stands: int | None
    says: int | None


class DoubtfulAward(msgspec.Struct, frozen=True):
    """An award that only records in doubt speak of. `paid`: one of them says that it was paid."""

    number: int
    record: int
    seat: int
    hand: Hand
    level: str | None
    amount: int
    paid: bool


class Doubt(msgspec.Struct, frozen=True):
    """Records after `since` are in doubt (0: all of them); `until` is the last that can be read, None if none can.

    `settled`: numbers of older awards that only records in doubt call paid. `more`: awards beyond those listed.
    """

    since: int
    until: int | None
    currency: Currency | None
    figures: tuple[Figure, ...]
    awards: tuple[DoubtfulAward, ...]
    more: int
    settled: tuple[int, ...]


def doubt(stands: Record | None, rest: Iterable[Record], currency: Currency | None) -> Doubt:
    """Compare the last record that stands with what the rest says; `rest` may come in any order."""
    until: Record | None = None
    approved: dict[int, DoubtfulAward] = {}
    settled: set[int] = set()
    more = 0
    for record in rest:
        if until is None or record.seq > until.seq:
            until = record
        for result in record.results:
            match result:
                case ev.AwardApproved(number=number) if len(approved) < AWARDS_MAX or number in approved:
                    approved[number] = _listed(record.seq, result)
                case ev.AwardApproved():
                    more += 1
                case ev.AwardSettled(number=number):
                    settled.add(number)
                case _:
                    continue
    awards = [msgspec.structs.replace(award, paid=number in settled) for number, award in approved.items()]
    return Doubt(
        since=0 if stands is None else stands.seq,
        until=None if until is None else until.seq,
        currency=currency,
        figures=_figures(None if stands is None else stands.state, None if until is None else until.state),
        awards=tuple(sorted(awards, key=lambda award: (award.record, award.number))),
        more=more,
        settled=tuple(sorted(settled - approved.keys())),
    )


def _listed(seq: int, award: ev.AwardApproved) -> DoubtfulAward:
    return DoubtfulAward(award.number, seq, award.seat, award.hand, award.level, award.amount, paid=False)


def _figures(stands: Table | None, says: Table | None) -> tuple[Figure, ...]:
    before = {} if stands is None else _money(stands)
    after = {} if says is None else _money(says)
    found = [Figure(meter, before.get(meter), after.get(meter)) for meter in {**before, **after}]
    return tuple(
        each
        for each in found
        if each.stands != each.says or each.meter in ALWAYS or each.meter.endswith(".current")
    )


def _money(table: Table) -> dict[str, int]:
    return {meter: value for meter, value in meters(table).items() if is_money(meter)}
