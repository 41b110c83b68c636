"""Looks at both copies of a table's history before anybody writes to either. Nothing is changed by it.

The cost does not grow with the history, but where nothing is left of the witness: then the whole chain is checked.
"""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from controller.core.events import HeadSigned, JournalRecovered
from controller.journal import (
    DamagedError,
    Head,
    JournalMissingError,
    NotCommissionedError,
    Record,
    WrongTableError,
    check_table,
    verify,
)
from controller.journal.errors import damaged
from controller.journal.read import ends, reader, row_at
from controller.journal.record import Row, RowError, decode
from controller.signing.device import key_in_force
from controller.witness.slot import Slot
from controller.witness.store import Absent, Slots, Witness
from controller.witness.verdict import (
    AllDamaged,
    BadJournal,
    GoodJournal,
    Lack,
    NothingTrusted,
    Verdict,
    compare,
)


class Examined(NamedTuple):
    """What was found, and what follows from it."""

    journal: GoodJournal | BadJournal
    slots: Slots
    verdict: Verdict


def examine(journal: Path, table: str, witness: Witness, working: Callable[[], None]) -> Examined:
    """Look at journal and witness of `table`. `working` is called now and then while the whole chain is checked.

    Raises `NotCommissionedError` where there is neither, `WitnessDeniedError`, and the journal's errors that speak of
    the machine or the program, not of the history.
    """
    slots = witness.look()
    found = _journal(journal, table, slots)
    verdict = compare(found, slots, table)
    if isinstance(verdict, AllDamaged):
        bad = verify(journal, None, working).bad
        if bad is not None:
            found = BadJournal(Lack.DAMAGED, f"{journal} is damaged at record {bad.seq}: {bad.detail}")
            verdict = NothingTrusted(found, verdict.why)
    return Examined(found, slots, verdict)


def _journal(path: Path, table: str, slots: Slots) -> GoodJournal | BadJournal:
    try:
        with reader(path) as connection:
            found = ends(connection, path)
            check_table(found.first, table, path)
            numbers = {slot.head.seq for slot in slots if isinstance(slot, Slot)}
            rows = [row_at(connection, seq) for seq in sorted(numbers)]
            at = {row[0]: row[-1] for row in rows if row is not None}
            # A start reads back to the head that was signed last: what is bad on that way is found before it writes.
            key_in_force(path)
            return GoodJournal(found.last, at, _superseded(connection, found.last, path))
    except NotCommissionedError:
        if all(isinstance(slot, Absent) for slot in slots):
            raise
        return BadJournal(Lack.MISSING, f"There is no journal at {path}")
    except JournalMissingError as error:
        return BadJournal(Lack.MISSING, str(error))
    except DamagedError as error:
        return BadJournal(Lack.DAMAGED, str(error))
    except WrongTableError as error:
        return BadJournal(Lack.FOREIGN, str(error))


def _superseded(connection: sqlite3.Connection, last: Record, path: Path) -> frozenset[Head]:
    """The heads that a recovery left behind, if that is what the journal did last, its signature aside."""
    event = last.event
    if isinstance(event, HeadSigned):
        row = row_at(connection, last.seq - 1)
        event = event if row is None else _decoded(row, path).event
    left = event.witness if isinstance(event, JournalRecovered) else ()
    return frozenset(Head(head.seq, head.digest) for head in left)


def _decoded(row: Row, path: Path) -> Record:
    try:
        return decode(row)
    except RowError as error:
        raise damaged(path, f"record {row[0]}: {error}") from error
