"""The award slip as data: everything rules section 5.7 asks for, computed from the journal alone."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from controller.core import events as ev
from controller.core.cards import Card
from controller.core.game import Role
from controller.core.money import PPM, Currency
from controller.core.state import Table
from controller.journal import Record, reader
from controller.journal.errors import damaged
from controller.journal.read import ends
from controller.signing.standing import prove_from
from controller.slips.source import approval, claiming, find, rules_at, table_of

LOOK_BACK: Final = 10_000
"""Records before an award in which the dealer's change is looked for: a busy day. Beyond, the name is left to the
signature line."""


class Moment(msgspec.Struct, frozen=True):
    """A record's date: Unix time in ns, and whether that clock had been set from a source."""

    wall_ns: int
    trusted: bool


class Paid(msgspec.Struct, frozen=True):
    """When and how the award was paid, by which record, and whether its slip was signed."""

    at: Moment
    record: int
    how: ev.Payment
    signed: bool


class AwardSlip(msgspec.Struct, frozen=True):
    """One award. Amounts in minor units; `award` holds the arithmetic as it was approved.

    `accepted` is when COIN IN took the round's wagers in, `late_lock` whether the supervisor had to do it afterwards;
    `won` is when the hand was claimed, `prepared` when the award was approved; where a recovery took the round or the
    claim over from a journal that was lost, its moment stands for theirs. `cards`: as entered, none if they were
    not. `dealer`: as the journal names it, else empty. `by_key`: approved with the supervisor's key, with a PIN where
    the house asks for it; without it the amount was below the house's limit for that. `approver`: who had entered his
    PIN, else empty. `starts_again`: what the level restarted with after this award.
    `paid`: as the journal stands now; None while it is owed.
    """

    table: str
    profile: str
    currency: Currency
    round: int
    accepted: Moment
    late_lock: bool
    award: ev.AwardApproved
    cards: tuple[Card, ...]
    won: Moment
    prepared: Moment
    dealer: str
    by_key: bool
    approver: str
    starts_again: int | None
    paid: Paid | None
    record: int
    digest: str

    @property
    def number(self) -> int:
        """The slip's number is the award's: one series a table, without gaps."""
        return self.award.number


def award_slip(journal: Path, number: int) -> AwardSlip:
    """The slip of award `number`. Raises `SlipError` if there is none, and the journal's errors."""
    with reader(journal) as connection:
        known = ends(connection, journal)
        record, place = approval(connection, journal, number)
        prove_from(connection, journal, known.first, record.seq)
        award = record.results[place]
        if not isinstance(award, ev.AwardApproved):
            raise TypeError(f"result {place} of record {record.seq} is {award!r}, not the award")
        rules = rules_at(connection, journal, known.first, record)
        round_ = _round(record.state, number)
        asked = claiming(connection, journal, record)
        approver = asked.state.supervisor_person
        accepted, late_lock = _locked(connection, journal, asked.seq, round_)
        return AwardSlip(
            table=table_of(known.first, journal),
            profile=rules.profile,
            currency=rules.currency,
            round=round_,
            accepted=accepted,
            late_lock=late_lock,
            award=award,
            cards=_cards(asked.state, award.seat),
            won=_won(connection, journal, asked, award.seat),
            prepared=_moment(record),
            dealer=_dealer(connection, journal, asked.seq),
            by_key=asked.state.supervisor and bool(approver or Role.SUPERVISOR not in rules.pin),
            approver=approver,
            starts_again=_starts_again(record.results[place + 1 :], award),
            paid=_paid(connection, journal, record, known.last.state, number),
            record=record.seq,
            digest=record.digest,
        )


def record_digest(journal: Path, number: int) -> str:
    """The digest of the record that approved award `number`. Raises as `award_slip` does."""
    with reader(journal) as connection:
        return approval(connection, journal, number)[0].digest


def _moment(record: Record) -> Moment:
    return Moment(record.wall_ns, record.wall_trusted)


def _round(after: Table, number: int) -> int:
    return next(award.round for award in after.awards if award.number == number)


def _locked(connection: sqlite3.Connection, path: Path, seq: int, round_: int) -> tuple[Moment, bool]:
    needle = f'"kind":"round_locked","round":{round_},'
    record = find(connection, path, "seq < ? AND instr(results, ?) ORDER BY seq DESC", seq, needle)
    for result in () if record is None else record.results:
        if record is not None and isinstance(result, ev.RoundLocked):
            return _moment(record), result.late
    taken_over = _recovery(connection, path, seq)
    if taken_over is not None and taken_over.state.round == round_:
        return _moment(taken_over), taken_over.state.late_lock
    raise damaged(path, f"record {seq} approves an award of round {round_}, which was never locked")


def _recovery(connection: sqlite3.Connection, path: Path, seq: int) -> Record | None:
    """The newest recovery before a record: what came before it may be in a journal that was set aside."""
    return find(connection, path, "seq < ? AND kind = 'journal_recovered' ORDER BY seq DESC", seq)


def _cards(after: Table, seat: int) -> tuple[Card, ...]:
    return next((shown.cards for shown in after.shown if shown.seat == seat), ())


def _won(connection: sqlite3.Connection, path: Path, record: Record, seat: int) -> Moment:
    """The claim that was approved: the newest of that seat, for an older one was withdrawn."""
    for claim in _claims(connection, path, record.seq):
        if any(isinstance(result, ev.AwardRequested) and result.seat == seat for result in claim.results):
            return _moment(claim)
    taken_over = _recovery(connection, path, record.seq)
    if taken_over is not None and any(claim.seat == seat for claim in taken_over.state.claims):
        return _moment(taken_over)
    raise damaged(path, f"record {record.seq} approves an award that seat {seat} never claimed")


def _claims(connection: sqlite3.Connection, path: Path, before: int) -> Iterator[Record]:
    seq = before
    while True:
        found = find(connection, path, "seq < ? AND kind = 'award_claimed' ORDER BY seq DESC", seq)
        if found is None:
            return
        yield found
        seq = found.seq


def _dealer(connection: sqlite3.Connection, path: Path, seq: int) -> str:
    done = 'instr(results, \'"kind":"refused"\') = 0'
    where = f"seq BETWEEN ? AND ? AND kind = 'dealer_changed' AND {done} ORDER BY seq DESC"
    found = find(connection, path, where, max(1, seq - LOOK_BACK), seq)
    if found is None or not isinstance(found.event, ev.DealerChanged):
        return ""
    return f"{found.event.dealer} {found.event.person}".rstrip()


def _starts_again(after: tuple[ev.AnyResult, ...], award: ev.AwardApproved) -> int | None:
    if award.share_ppm != PPM:
        return None
    return next(
        (each.current for each in after if isinstance(each, ev.PotReset) and each.level == award.level), None
    )


def _paid(connection: sqlite3.Connection, path: Path, record: Record, now: Table, number: int) -> Paid | None:
    if any(award.number == number and not award.paid for award in now.awards):
        return None
    needle = f'"kind":"award_settled","number":{number},'
    found = find(connection, path, "seq > ? AND instr(results, ?) ORDER BY seq", record.seq, needle)
    if found is None or not isinstance(found.event, ev.AwardPaid):
        raise damaged(path, f"award {number} is not owed any more, but no record says that it was paid")
    return Paid(_moment(found), found.seq, found.event.how, found.event.signed)
