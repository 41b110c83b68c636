"""Where slips and reports read: single records of a journal, found by what they hold, not by reading it all.

It selects rows with SQL and decodes only those. An award is looked for from the end, so the slip of a new one costs the
same after three years of records; a date is looked for from the beginning, at the speed of the medium.
"""

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import msgspec

from controller.core import events as ev
from controller.core.game import Role
from controller.core.money import Currency
from controller.earlier import before_recovery
from controller.journal import Record, ends_of
from controller.journal.chain import GENESIS, digest
from controller.journal.errors import damaged
from controller.journal.record import COLUMNS, Row, RowError, decode

PAGE_ROWS = 1000
_SELECT = f"SELECT {', '.join(COLUMNS)} FROM journal WHERE "  # noqa: S608, constants of this program


_VOID = 'instr(results, \'"kind":"claim_void"\')'
_NEW_RULES = "kind IN ('parameters_changed', 'journal_recovered')"


class SlipError(LookupError):
    """The journal has nothing to put on this paper; the message says what it has."""


class EarlierError(SlipError):
    """The award is older than a recovery, and its record is not in this journal."""


class NoAwardError(SlipError):
    """No award bears this number, and the journal says why: its claim waits at the floor, or was given up."""


class Rules(msgspec.Struct, frozen=True):
    """What a paper needs of the rules in force."""

    profile: str
    currency: Currency
    pin: tuple[Role, ...] = ()


def find(connection: sqlite3.Connection, path: Path, where: str, *values: object) -> Record | None:
    """The first record that `where … ORDER BY …` names, or None."""
    row = connection.execute(f"{_SELECT}{where} LIMIT 1", values).fetchone()
    return None if row is None else decoded(row, path)


def between(connection: sqlite3.Connection, path: Path, first: int, last: int) -> Iterator[Record]:
    """Records `first` to `last`, both included, each checked against the one before it.

    They are read a page at a time, so that the writer is never held back for long. Raises `DamagedError`.
    """
    before = connection.execute(f"{_SELECT}seq = ?", (first - 1,)).fetchone()
    previous = GENESIS if before is None else before[-1]
    for start in range(first, last + 1, PAGE_ROWS):
        end = min(start + PAGE_ROWS - 1, last)
        page = connection.execute(f"{_SELECT}seq BETWEEN ? AND ? ORDER BY seq", (start, end)).fetchall()
        if len(page) != end - start + 1:
            raise damaged(path, f"between record {start} and {end} records are missing")
        for row in page:
            if digest(previous, row[:-1]) != row[-1]:
                raise damaged(path, f"the digest of record {row[0]} is wrong")
            previous = row[-1]
            yield decoded(row, path)


def approval(connection: sqlite3.Connection, path: Path, number: int) -> tuple[Record, int]:
    """The record that approved award `number`, its digest checked, and the award's place among its results.

    Raises `SlipError` if there is none, `EarlierError` if a recovery is why, `DamagedError` if the record was altered.
    """
    needle = f'"kind":"award_approved","number":{number},'
    found = find(connection, path, "instr(results, ?) ORDER BY seq DESC", needle)
    if found is None:
        earlier = before_recovery(path, number)
        if earlier is not None:
            raise EarlierError(earlier)
        _refuse_claimed(connection, path, number)
        raise SlipError(f"{path} has no award {number}")
    _check(connection, path, found.seq)
    place = next(
        place
        for place, result in enumerate(found.results)
        if isinstance(result, ev.AwardApproved) and result.number == number
    )
    return found, place


def claiming(connection: sqlite3.Connection, path: Path, record: Record) -> Record:
    """Where people decided about the awards of `record`: it itself, or where the claim was approved that it answers.

    A recovery in between may have taken that record away: then it is the one that brought the claim back.
    """
    if not isinstance(record.event, ev.ClaimAnswered):
        return record
    needle = f'"kind":"link_claimed","claim":{record.event.claim},'
    found = find(connection, path, "seq < ? AND instr(results, ?) ORDER BY seq DESC", record.seq, needle)
    if found is None:
        where = "seq < ? AND kind = 'journal_recovered' ORDER BY seq DESC"
        found = find(connection, path, where, record.seq)
    if found is None:
        raise damaged(path, f"record {record.seq} answers claim {record.event.claim}, which was never made")
    return found


def _refuse_claimed(connection: sqlite3.Connection, path: Path, number: int) -> None:
    """Raise `NoAwardError` for a number that was kept for a claim which has no award, or none yet."""
    newest = find(connection, path, "true ORDER BY seq DESC")
    for claim in () if newest is None else newest.state.link_claims:
        if claim.number <= number < claim.number + len(claim.claims):
            raise NoAwardError(f"award {number} waits for the floor, which has not said yet how much it is")
    seq = 2**62
    while (found := find(connection, path, f"seq < ? AND {_VOID} ORDER BY seq DESC", seq)) is not None:
        for result in found.results:
            if isinstance(result, ev.ClaimVoid) and result.claim <= number <= result.last:
                raise NoAwardError(
                    f"award {number} is void: two persons gave its claim up in record {found.seq} of {path}"
                )
        seq = found.seq


def rules_at(connection: sqlite3.Connection, path: Path, first: Record, record: Record) -> Rules:
    """The rules in force when `record` was written; `first` is the journal's record 1."""
    rules = _commissioned(first, path)
    if record.state.game != first.state.game:
        changed = find(connection, path, f"seq <= ? AND {_NEW_RULES} ORDER BY seq DESC", record.seq)
        while changed is not None and changed.refused:
            changed = find(connection, path, f"seq < ? AND {_NEW_RULES} ORDER BY seq DESC", changed.seq)
        if changed is not None and isinstance(changed.event, ev.ParametersChanged | ev.JournalRecovered):
            rules = changed.event.rules
    return _rules(rules, path)


def currency_of(path: Path) -> Currency:
    """The currency of a journal's table: it never changes, so the commissioning tells. Raises the journal's errors."""
    return _rules(_commissioned(ends_of(path).first, path), path).currency


def decoded(row: Row, path: Path) -> Record:
    """A row as a record. Raises `DamagedError`."""
    try:
        return decode(row)
    except RowError as error:
        raise damaged(path, f"record {row[0]}: {error}") from error


def table_of(first: Record, path: Path) -> str:
    """The identity of the table whose journal begins with `first`."""
    if not isinstance(first.event, ev.Commissioned | ev.JournalRecovered):
        raise damaged(path, f"its first record is {first.kind!r}, not the commissioning")
    return first.event.table


def _commissioned(first: Record, path: Path) -> str:
    if not isinstance(first.event, ev.Commissioned | ev.JournalRecovered):
        raise damaged(path, f"its first record is {first.kind!r}, not the commissioning")
    return first.event.rules


def _rules(rules: str, path: Path) -> Rules:
    try:
        return msgspec.json.decode(rules, type=Rules)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise damaged(path, f"the rules in force cannot be read: {error}") from error


def _check(connection: sqlite3.Connection, path: Path, seq: int) -> None:
    rows = connection.execute(f"{_SELECT}seq IN (?, ?) ORDER BY seq", (seq - 1, seq)).fetchall()
    previous = rows[0][-1] if len(rows) > 1 else GENESIS
    if digest(previous, rows[-1][:-1]) != rows[-1][-1]:
        raise damaged(path, f"the digest of record {seq} is wrong")
