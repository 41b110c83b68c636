"""Reading a journal while its writer runs: read-only connections that never hold a snapshot for long.

A read transaction that stays open keeps the WAL from being used again from its start, so long reads go in pages,
each a transaction of its own; records never change, so that pages fit together.
"""

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from controller.journal import marker, schema, shm
from controller.journal.chain import GENESIS, digest
from controller.journal.errors import (
    DamagedError,
    FormatError,
    InUseError,
    JournalError,
    JournalMissingError,
    NotCommissionedError,
    PermissionProblemError,
    WrongTableError,
    damaged,
    from_os,
    from_sqlite,
)
from controller.journal.record import Record, Row, RowError, decode

FIRST_KINDS = frozenset({"commissioned", "journal_recovered"})
"""What record 1 is: the commissioning, or the recovery with which two persons began a journal anew."""

DATED_ROWS = 20_000
"""How far back the newest date of a set clock is looked for: some days of play without one. Beyond there is none."""

NEWEST_ROWS = 2_000
"""Among how many records the newest date is looked for: an evening's, read in one breath at a start."""

DOUBTED = '"code":"clock_doubted"'
"""How a state says that its date is in doubt; no text in it can, for a text's quotes are written otherwise."""

PAGE_ROWS = 1000
"""Rows read in one transaction: some milliseconds."""

_SEQ_MIN, _SEQ_MAX = -(2**63), 2**63 - 1

_SELECT = "SELECT seq, boot, at_ns, wall_ns, wall_trusted, kind, event, results, state, digest FROM journal "


class Ends(NamedTuple):
    """The first and the last record of a journal; both are the same one in a new journal."""

    first: Record
    last: Record


def check_present(path: Path) -> None:
    """Raise `NotCommissionedError` or `JournalMissingError` unless there is a file with something in it."""
    try:
        size = path.stat().st_size
    except FileNotFoundError:
        found = marker.read(path)
        if found is None or found.unfinished:
            raise NotCommissionedError(
                f"there is no journal at {path} and none was ever finished there: run `pozo commission`"
            ) from None
        raise JournalMissingError(_missing(path, found.table, "is gone")) from None
    except OSError as error:
        raise from_os(error, path) from error
    if size == 0:
        raise JournalMissingError(_missing(path, marker.expected(path) or "?", "has zero length"))
    if not path.is_file():
        raise damaged(path, "it is no file")


@contextmanager
def reader(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a journal read-only; not a byte of it changes. SQLite's errors inside come out as `JournalError`.

    A user who may not lock it reads without locks; `InUseError` at the end says that it may not fit together.
    """
    check_present(path)
    before = _unlocked(path)
    try:
        with closing(_connect(path)) as connection:
            connection.execute("PRAGMA query_only=ON")
            yield connection
    except sqlite3.Error as error:
        _refuse_moved(path, before)
        raise _reading(error, path) from error
    except DamagedError:
        _refuse_moved(path, before)
        raise
    except UnicodeError as error:
        _refuse_moved(path, before)
        raise damaged(path, f"it holds bytes that are no text: {error}") from error
    _refuse_moved(path, before)


def rows(connection: sqlite3.Connection) -> Iterator[Row]:
    """All raw rows in the order of their numbers, whatever these are: a false one is to be seen too."""
    return rows_from(connection, _SEQ_MIN)


def rows_from(connection: sqlite3.Connection, start: int) -> Iterator[Row]:
    """As `rows`, from number `start` on."""
    while True:
        page: list[Row] = []
        try:
            page.extend(
                connection.execute(f"{_SELECT} WHERE seq >= ? ORDER BY seq LIMIT {PAGE_ROWS}", (start,))
            )
        except (sqlite3.Error, UnicodeError):
            # What stands before the damage is good and shows where it begins.
            yield from page
            raise
        yield from page
        if len(page) < PAGE_ROWS or not start <= page[-1][0] < _SEQ_MAX:
            return
        start = page[-1][0] + 1


def readable_after(connection: sqlite3.Connection, seq: int) -> Iterator[Record]:
    """What can be read behind record `seq` of a journal that may be damaged; nothing is checked.

    Rising numbers up to the first that SQLite cannot read, then falling ones from the end. Rows that are no records
    are left out.
    """
    reached = seq
    try:
        for row in rows_from(connection, seq + 1):
            reached = max(reached, row[0])
            yield from decodable(row)
    except (sqlite3.Error, UnicodeError):
        yield from _backwards(connection, reached)


def _backwards(connection: sqlite3.Connection, reached: int) -> Iterator[Record]:
    falling = f"{_SELECT} WHERE seq BETWEEN ? AND ? ORDER BY seq DESC LIMIT 1"
    seq = _SEQ_MAX
    try:
        while row := connection.execute(falling, (reached + 1, seq)).fetchone():
            yield from decodable(row)
            seq = row[0] - 1
    except (sqlite3.Error, UnicodeError):
        return  # the damage is met from the other side


def decodable(row: Row) -> Iterator[Record]:
    """The row as a record, or nothing if it is none."""
    try:
        yield decode(row)
    except RowError:
        return


def records(path: Path) -> Iterator[Record]:
    """All records, oldest first. Raises `DamagedError` at one that cannot be read; `verify` checks the chain."""
    with reader(path) as connection:
        for row in rows(connection):
            yield decoded(row, path)


def page(path: Path, after: int, limit: int = PAGE_ROWS) -> list[Row]:
    """The raw rows after record `after`, `limit` at most: how a follower reads on. Raises `JournalError`."""
    with reader(path) as connection:
        return connection.execute(f"{_SELECT} WHERE seq > ? ORDER BY seq LIMIT ?", (after, limit)).fetchall()


def recent(path: Path, last: int, kind: str | None = None) -> tuple[Record, ...]:
    """The last `last` records, oldest first; with `kind`, those whose event or one of whose results is of it."""
    with reader(path) as connection:
        if kind is None:
            found = connection.execute(f"{_SELECT} ORDER BY seq DESC LIMIT ?", (last,))
        else:
            found = connection.execute(
                f"{_SELECT} WHERE kind = ? OR instr(results, ?) ORDER BY seq DESC LIMIT ?",
                (kind, _tagged(kind), last),
            )
        return tuple(decoded(row, path) for row in reversed(found.fetchall()))


def newest_first(path: Path, kinds: Sequence[str]) -> Iterator[Record]:
    """The records whose event is of one of `kinds`, newest first; it reads only as far back as it is asked.

    The read stays open meanwhile: take what is needed and leave it. Raises `JournalError`.
    """
    wanted = ", ".join("?" * len(kinds))
    with reader(path) as connection:
        for row in connection.execute(f"{_SELECT} WHERE kind IN ({wanted}) ORDER BY seq DESC", tuple(kinds)):
            yield decoded(row, path)


def last_date(path: Path) -> int | None:
    """The newest date of a set clock, Unix time in ns; None if the last `DATED_ROWS` have none.

    The greatest of the `NEWEST_ROWS` up to the last dated one, not what stands in that: else a clock could go back bit
    by bit, from start to start. What was dated before a doubt that somebody has cleared counts no more.
    Raises `JournalError`.
    """
    with reader(path) as connection:
        last = connection.execute(
            "SELECT seq, wall_ns FROM journal WHERE wall_trusted = 1 AND typeof(wall_ns) = 'integer' "
            "AND seq > (SELECT max(seq) FROM journal) - ? ORDER BY seq DESC LIMIT 1",
            (DATED_ROWS,),
        ).fetchone()
        return None if last is None else max([int(last[1]), *_dates_before(connection, int(last[0]))])


def _dates_before(connection: sqlite3.Connection, seq: int) -> list[int]:
    """The dates before record `seq`, back to a doubt; what cannot be read ends them, for a start does not need them."""
    found: list[int] = []
    # A damaged row may claim a length that no memory has, and a flipped bit makes bytes of a number.
    with suppress(sqlite3.Error, UnicodeError, MemoryError):
        for wall_ns, dated, doubted in connection.execute(
            "SELECT wall_ns, wall_trusted = 1 AND typeof(wall_ns) = 'integer', instr(state, ?) FROM journal "
            "WHERE seq < ? ORDER BY seq DESC LIMIT ?",
            (DOUBTED, seq, NEWEST_ROWS - 1),
        ):
            if doubted:
                break
            if dated:
                found.append(wall_ns)
    return found


def count(path: Path, kind: str) -> int:
    """How many records have an event or a result of this kind."""
    with reader(path) as connection:
        found: int = connection.execute(
            "SELECT count(*) FROM journal WHERE kind = ? OR instr(results, ?)", (kind, _tagged(kind))
        ).fetchone()[0]
        return found


def ends_of(path: Path) -> Ends:
    """The first and last record, checked as a start-up checks them; raises `JournalError`."""
    with reader(path) as connection:
        return ends(connection, path)


def ends(connection: sqlite3.Connection, path: Path) -> Ends:
    """Check the file's kind, its first record and its last two; the cost does not depend on its length.

    Raises `DamagedError` and `FormatError`.
    """
    flaw = schema.flaw(connection)
    if flaw is not None:
        raise damaged(path, flaw)
    if schema.version(connection) != schema.VERSION:
        raise FormatError(
            f"{path} has format {schema.version(connection)}, this program knows {schema.VERSION}: "
            f"install the program that wrote it, or a newer one"
        )
    last_two = connection.execute(f"{_SELECT} ORDER BY seq DESC LIMIT 2").fetchall()
    if not last_two:
        raise damaged(path, "it holds no record, not even the commissioning")
    first = _first(connection, path)
    _check_link(last_two, path)
    return Ends(first, decoded(last_two[0], path))


def row_at(connection: sqlite3.Connection, seq: int) -> Row | None:
    """The raw row of this number, None if there is none."""
    row: Row | None = connection.execute(f"{_SELECT} WHERE seq = ?", (seq,)).fetchone()
    return row


def last_row(connection: sqlite3.Connection) -> Row | None:
    """The raw row with the highest number, None in an empty journal."""
    row: Row | None = connection.execute(f"{_SELECT} ORDER BY seq DESC LIMIT 1").fetchone()
    return row


def check_table(found: Record, table_id: str, path: Path) -> None:
    """Raise `WrongTableError` unless record 1 is that of this table."""
    table = getattr(found.event, "table", None)
    if table != table_id:
        raise WrongTableError(
            f"{path} is the journal of table {table!r}, this is table {table_id!r}: put the right card in, or "
            f"correct the table's name in its configuration",
            str(table),
        )


def _first(connection: sqlite3.Connection, path: Path) -> Record:
    row = connection.execute(f"{_SELECT} ORDER BY seq LIMIT 1").fetchone()
    if row[0] != 1 or row[-1] != digest(GENESIS, row[:-1]):
        raise damaged(path, f"its first record ({row[0]}) is not the one the table began with")
    record = decoded(row, path)
    if record.kind not in FIRST_KINDS:
        raise damaged(path, f"its first record is {record.kind!r}, not the commissioning")
    return record


def _check_link(last_two: list[Row], path: Path) -> None:
    last = last_two[0]
    previous, previous_digest = (last_two[1][0], last_two[1][-1]) if len(last_two) > 1 else (0, GENESIS)
    if last[0] != previous + 1:
        raise damaged(path, f"between record {previous} and the last one, {last[0]}, records are missing")
    if last[-1] != digest(previous_digest, last[:-1]):
        raise damaged(path, f"the digest of its last record ({last[0]}) is wrong")


def decoded(row: Row, path: Path) -> Record:
    """The row as a record. Raises `DamagedError`."""
    try:
        return decode(row)
    except RowError as error:
        raise damaged(path, f"record {row[0]}: {error}") from error


def _connect(path: Path) -> sqlite3.Connection:
    # A running writer always keeps a -wal file. Without one the file stands still, and `immutable` reads it even
    # where SQLite's own help files cannot be made: on a read-only medium, or in somebody else's directory.
    still = not _wal(path).exists() and not os.access(path.parent, os.W_OK, effective_ids=True)
    unlocked = shm.is_anothers(path)
    if not unlocked and (_wal(path).exists() or shm.will_be(path)):
        shm.keep_private(path)
    mode = "mode=ro&immutable=1" if still else "mode=ro&vfs=unix-none" if unlocked else "mode=ro"
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?{mode}", uri=True, timeout=schema.BUSY_S, isolation_level=None
    )
    if unlocked:
        # SQLite's index of the log is then in this process's memory, and its locks are none.
        connection.execute("PRAGMA locking_mode=EXCLUSIVE")
    return connection


def _unlocked(path: Path) -> shm.Moved | None:
    """Where the log of a journal stands that is read without locks; None where SQLite's own locks hold."""
    if not shm.is_anothers(path):
        return None
    try:
        return shm.moved(path)
    except OSError as error:
        raise from_os(error, path) from error


def _refuse_moved(path: Path, before: shm.Moved | None) -> None:
    if before is not None and _unlocked(path) != before:
        raise InUseError(f"the table moved {path} on while it was read: nothing is wrong, read it again")


def _reading(error: sqlite3.Error, path: Path) -> JournalError:
    translated = from_sqlite(error, path)
    if isinstance(translated, PermissionProblemError) and _wal(path).exists():
        return PermissionProblemError(
            f"{translated}; a journal with a -wal file can be read only where its -shm file is or can be made: or "
            f"copy {path.name} and {path.name}-wal to a directory of your own and read them there"
        )
    return translated


def _wal(path: Path) -> Path:
    return path.with_name(path.name + "-wal")


def _missing(path: Path, table: str, how: str) -> str:
    return (
        f"the journal of table {table} at {path} {how}: never start without it. Put the right card in, or bring "
        f"the table back from its second copy: `pozo recover`"
    )


def _tagged(kind: str) -> str:
    return f'"kind":"{kind}"'
