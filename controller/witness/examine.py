"""Looks at both copies of a table's history before anybody writes to either. Nothing is changed by it.

The cost is that of the records behind the head signed last, and does not grow with the history, but where nothing is
left of the witness: then the whole chain is checked.
"""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from controller.core.events import Commissioned, HeadSigned, JournalRecovered
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
from controller.journal.read import ends, newest_first, reader, row_at
from controller.journal.record import Row, RowError, decode
from controller.signing.device import first_key, key_in_force, own_keys
from controller.signing.heads import begun_message
from controller.signing.key import genuine
from controller.signing.tail import tail_flaw
from controller.witness.slot import Slot
from controller.witness.store import Absent, Slots, Witness
from controller.witness.verdict import (
    AllDamaged,
    BadJournal,
    Forked,
    GoodJournal,
    JournalBehind,
    Lack,
    NothingTrusted,
    Verdict,
    compare,
    unproven,
)


class Examined(NamedTuple):
    """What was found, and what follows from it.

    `keys`: the public halves that are this table's: in force by a good journal, of its own key file, confirmed by
    persons. `unproven`: the slots that would speak against the journal, or without one, and are not signed with these.
    """

    journal: GoodJournal | BadJournal
    slots: Slots
    verdict: Verdict
    keys: frozenset[str]
    unproven: tuple[Slot, ...]


def examine(
    journal: Path,
    table: str,
    witness: Witness,
    working: Callable[[], None],
    known: Game | None = None,
    *,
    filed: str = "",
) -> Examined:
    """Look at journal and witness of `table`. `working` is called now and then while much is checked.

    `known`: rules that the journal may name as those in force; it spares the search for them in a long one. `filed`:
    digits that the public half of the table's key begins with, read from paper by two persons; empty for none.

    Raises `NotCommissionedError` where there is neither, `WitnessDeniedError`, and the journal's errors that speak of
    the machine or the program, not of the history.
    """
    slots = witness.look()
    found = _journal(journal, table, slots, known, working)
    keys = _keys(journal, found, slots, filed)
    verdict = compare(found, slots, table, keys)
    if isinstance(found, GoodJournal) and isinstance(verdict, JournalBehind | Forked):
        # Genuine all the same may be a slot that a recovery set aside, put back by whoever has that medium.
        found = replace(found, superseded=found.superseded | _ever_left(journal))
        verdict = compare(found, slots, table, keys)
    if isinstance(verdict, AllDamaged):
        bad = verify(journal, None, working).bad
        if bad is not None:
            found = BadJournal(Lack.DAMAGED, f"{journal} is damaged at record {bad.seq}: {bad.detail}")
            verdict = NothingTrusted(found, verdict.why)
    return Examined(found, slots, verdict, keys, unproven(found, slots, table, keys))


def _ever_left(path: Path) -> frozenset[Head]:
    """The heads that any recovery left behind; none where the journal cannot be read to its beginning."""
    left: set[Head] = set()
    try:
        for record in newest_first(path, ("journal_recovered",)):
            left |= _left(record)
    except DamagedError:
        return frozenset()
    return frozenset(left)


def _keys(path: Path, journal: GoodJournal | BadJournal, slots: Slots, filed: str) -> frozenset[str]:
    in_force = {journal.key} if isinstance(journal, GoodJournal) else set[str]()
    signed = {slot.key for slot in slots if isinstance(slot, Slot)}
    return frozenset(in_force | own_keys(path) | {key for key in signed if filed and key.startswith(filed)})


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
            decided = _decided(connection, found.last, path)
            return GoodJournal(
                found.last,
                at,
                key_in_force(path),
                superseded=_left(decided),
                unfinished=isinstance(decided.event, Commissioned) and _unfinished(path, found.first),
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


def _decided(connection: sqlite3.Connection, last: Record, path: Path) -> Record:
    """What the journal did last, its signature aside."""
    row = row_at(connection, last.seq - 1) if isinstance(last.event, HeadSigned) else None
    return last if row is None else _decoded(row, path)


def _left(record: Record) -> frozenset[Head]:
    """The heads of the witness that a record left behind, if it is a recovery."""
    left = record.event.witness if isinstance(record.event, JournalRecovered) else ()
    return frozenset(Head(head.seq, head.digest) for head in left)


def _decoded(row: Row, path: Path) -> Record:
    try:
        return decode(row)
    except RowError as error:
        raise damaged(path, f"record {row[0]}: {error}") from error
