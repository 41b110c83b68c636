"""Looks at both copies of a table's history before anybody writes to either. Nothing is changed by it.

The cost is that of the records behind the head signed last, and does not grow with the history, but where nothing is
left of the witness: then the whole chain is checked.
"""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from controller.core.events import HeadSigned, JournalRecovered
from controller.core.game import Game
from controller.journal import (
    DamagedError,
    Finding,
    Flaw,
    Head,
    JournalMissingError,
    NotCommissionedError,
    Record,
    WrongTableError,
    check_table,
    marker,
    verify,
)
from controller.journal.errors import damaged
from controller.journal.read import ends, reader, row_at
from controller.journal.record import Row, RowError, decode
from controller.signing.device import first_key
from controller.signing.heads import begun_message
from controller.signing.key import genuine
from controller.signing.tail import tail_flaw
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


def examine(
    journal: Path, table: str, witness: Witness, working: Callable[[], None], known: Game | None = None
) -> Examined:
    """Look at journal and witness of `table`. `working` is called now and then while much is checked.

    `known`: rules that the journal may name as those in force; it spares the search for them in a long one.

    Raises `NotCommissionedError` where there is neither, `WitnessDeniedError`, and the journal's errors that speak of
    the machine or the program, not of the history.
    """
    slots = witness.look()
    found = _journal(journal, table, slots, known, working)
    verdict = compare(found, slots, table)
    if isinstance(verdict, AllDamaged):
        bad = verify(journal, None, working).bad
        if bad is not None:
            found = BadJournal(Lack.DAMAGED, f"{journal} is damaged at record {bad.seq}: {bad.detail}")
            verdict = NothingTrusted(found, verdict.why)
    return Examined(found, slots, verdict)


def _journal(
    path: Path, table: str, slots: Slots, known: Game | None, working: Callable[[], None]
) -> GoodJournal | BadJournal:
    try:
        with reader(path) as connection:
            found = ends(connection, path)
            check_table(found.first, table, path)
            numbers = {slot.head.seq for slot in slots if isinstance(slot, Slot)}
            rows = [row_at(connection, seq) for seq in sorted(numbers)]
            at = {row[0]: row[-1] for row in rows if row is not None}
            bad = tail_flaw(connection, path, found.first, known, working)
            if bad is not None:
                return _unproven(path, bad)
            return GoodJournal(
                found.last, at, _superseded(connection, found.last, path), _unfinished(path, found.first)
            )
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


_MADE_UP = frozenset({Flaw.SIGNATURE, Flaw.REPLAY})
"""Flaws that no medium makes."""


def _unproven(path: Path, bad: Finding) -> BadJournal:
    if bad.flaw not in _MADE_UP:
        return BadJournal(Lack.DAMAGED, f"{path} is damaged at record {bad.seq}: {bad.detail}")
    return BadJournal(
        Lack.UNPROVEN,
        f"{path} is not proven from record {bad.seq} on ({bad.flaw}: {bad.detail}): it is not played on. "
        "Keep it, and prove it on another machine: `pozo journal verify`",
    )


def _unfinished(path: Path, first: Record) -> bool:
    """Whether the device itself says that this journal's commissioning is still under way."""
    found = marker.read(path)
    if found is None or not found.unfinished:
        return False
    message = begun_message(getattr(first.event, "table", ""), first.wall_ns)
    return genuine(first_key(first), message, found.unfinished)


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
