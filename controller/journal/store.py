"""The one writer of a journal: every decision is on the medium before anything is done about it.

It knows files and SQLite and no rule of the game. Its start reads three records, however long the history is.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Self

from controller.core.events import Commissioned, JournalRecovered
from controller.journal import marker, schema
from controller.journal.chain import GENESIS, Head, digest
from controller.journal.errors import (
    RETRIABLE,
    AlreadyCommissionedError,
    DiskFullError,
    JournalError,
    JournalIOError,
    ReadOnlyError,
    denied,
    from_os,
    from_sqlite,
)
from controller.journal.read import check_present, check_table, ends, ends_of, page, reader, row_at
from controller.journal.record import Entry, Record, Row, columns_of
from controller.journal.wal import Wal

FIRST = (Commissioned, JournalRecovered)
"""What a journal may begin with."""

Seal = Callable[[Head], Entry]
"""What closes a batch: given the head after it, the entry that is stored behind it, in the same transaction."""

Sealer = Callable[[Sequence[Entry], int], Seal | None]
"""Says how a batch is sealed, and stamps it with the given monotonic time; None for one that needs no seal."""

Connect = Callable[[Path], sqlite3.Connection]
"""How a writer connects: to an existing file, in autocommit mode. Tests give one that fails or is slow."""


class Journal:
    """A table's journal, open for writing. Make one with `create` or `open`; it may be used by one thread at a time.

    `boot` numbers this session, 1 at commissioning.
    """

    def __init__(self, connection: sqlite3.Connection, wal: Wal, last: Record, boot: int) -> None:
        self.path = wal.journal
        self.boot = boot
        self._connection = connection
        self._wal = wal
        self._held = ExitStack()
        self._stopped: JournalError | None = None
        self._settled = False
        self._last: Record | tuple[Row, Entry] = last
        self._head = Head(last.seq, last.digest)
        self._row: Row | None = None

    @property
    def row(self) -> Row:
        """The newest durable record as the row that stores it; right after an `append` it costs nothing."""
        if self._row is None:
            (self._row,) = page(self.path, self._head.seq - 1, 1)
        return self._row

    @property
    def last(self) -> Record:
        """The newest record that is durable."""
        if isinstance(self._last, tuple):
            self._last = _record(*self._last)
        return self._last

    @property
    def head(self) -> Head:
        """Number and digest of the newest durable record; cheaper than `last`."""
        return self._head

    @classmethod
    def create(
        cls,
        path: Path,
        table_id: str,
        first: Entry,
        wall_ns: int,
        wall_trusted: bool,
        *,
        connect: Connect = schema.connect,
        unfinished: str = "",
        seal: Seal | None = None,
    ) -> Self:
        """Make a table's journal with `first` as record 1, and what `seal` makes of its head behind it.

        It is there whole, or not at all.

        Record 1 is the commissioning; or the recovery by which two persons put a journal in the place of one they
        have set aside. `unfinished`: the device's word, in its marker, that a commissioning is under way until `finish`
        is called. Raises `AlreadyCommissionedError` if a journal is there, or, at a commissioning, the marker
        of one, and the errors of the medium.
        """
        if not isinstance(first.event, FIRST) or first.event.table != table_id:
            raise ValueError(f"record 1 must be the commissioning of table {table_id!r}, not {first.event!r}")
        if isinstance(first.event, Commissioned):
            refuse_second(path)
        else:
            _refuse_beside(path)
        rows = [_row(first, 1, 1, wall_ns, wall_trusted, previous=GENESIS)]
        if seal is not None:
            begun = Head(1, rows[0][-1])
            rows.append(_row(seal(begun), 2, 1, wall_ns, wall_trusted, previous=begun.digest))
        with _translated(path):
            marker.write(path, table_id, wall_ns, unfinished)
            _make_file(path, rows, connect)
        return cls._attach(path, table_id, connect, boot=1)

    @classmethod
    def open(cls, path: Path, table_id: str, connect: Connect = schema.connect) -> Self:
        """Open a journal for the next session. A journal that cannot be trusted is left as it is.

        Raises every `JournalError` but `RecordRefusedError` and `AlreadyCommissionedError`.
        """
        _check_usable(path)
        found = ends_of(path)
        check_table(found.first, table_id, path)
        finish(path, table_id, found.first)
        return cls._attach(path, table_id, connect, boot=None)

    def append(
        self, entries: Sequence[Entry], wall_ns: int, wall_trusted: bool, seal: Seal | None = None
    ) -> None:
        """Store these entries, and what `seal` makes of their head, in one transaction: one flush, all or nothing.

        It is durable on return.

        After `DiskFullError`, `InUseError` or `RecordRefusedError` nothing of the batch is stored and it may be
        tried again; after any other `JournalError` the process must stop, and this journal refuses every call.
        """
        if self._stopped is not None:
            raise self._refusal()
        if not entries:
            raise ValueError("nothing to store: an append without entries is a mistake of the caller")
        rows: list[Row] = []
        head, last = self._head, entries[-1]
        for entry in entries:
            head = self._add(rows, entry, head, wall_ns, wall_trusted)
        if seal is not None:
            last = seal(head)
            head = self._add(rows, last, head, wall_ns, wall_trusted)
        try:
            _insert(self._connection, rows)
        except sqlite3.Error as error:
            raise self._failed(from_sqlite(error, self.path)) from error
        except BaseException as error:
            # A signal's, perhaps after the commit: whether the batch is stored is not known here.
            self._failed(JournalIOError(f"it was interrupted by {error!r}"))
            raise
        self._head = head
        self._row = rows[-1]
        self._last = (rows[-1], last)
        self._settled = False

    def _add(self, rows: list[Row], entry: Entry, head: Head, wall_ns: int, wall_trusted: bool) -> Head:
        """Put an entry's row behind `rows`; the head after it."""
        row = _row(entry, head.seq + 1, self.boot, wall_ns, wall_trusted, previous=head.digest)
        rows.append(row)
        return Head(row[0], row[-1])

    def holds(self, head: Head) -> bool:
        """Whether the journal has this very record; a head of number 0 is one of nothing, and any journal has it.

        Raises as `append` does.
        """
        if self._stopped is not None:
            raise self._refusal()
        if head.seq == 0:
            return head.digest == GENESIS
        try:
            row = row_at(self._connection, head.seq)
        except sqlite3.Error as error:
            raise self._failed(from_sqlite(error, self.path)) from error
        return row is not None and row[-1] == head.digest

    def checkpoint(self) -> None:
        """Move the WAL into the file; for quiet moments only, it takes several flushes.

        The extra flush with which SQLite begins a WAL anew is spent here too, so that each commit has exactly
        one. A reader in the middle of a read puts this off to the next call. Raises as `append` does.
        """
        if self._stopped is not None:
            raise self._refusal()
        if self._settled:
            return
        try:
            self._settled = self._move_wal()
        except sqlite3.Error as error:
            raise self._failed(from_sqlite(error, self.path)) from error
        except OSError as error:
            raise self._failed(from_os(error, self._wal.path)) from error

    @property
    def reserved(self) -> bool:
        """Whether the space for the next commits is set aside; False on a medium that was too full for it."""
        return self._wal.reserved

    def wal_bytes(self) -> int:
        """How much of the WAL is in use. From half of `schema.RESERVE_BYTES` on a checkpoint is due.

        Above `schema.RESERVE_BYTES` nothing is set aside any more: somebody's long read holds checkpoints back.
        """
        return self._wal.used_bytes()

    def close(self) -> None:
        """Give file and lock back. May be called more than once; what was stored stays stored."""
        self._stopped = JournalError(f"{self.path} was closed by this program")
        self._held.close()

    @classmethod
    def _attach(cls, path: Path, table_id: str, connect: Connect, boot: int | None) -> Self:
        with ExitStack() as held, _translated(path):
            held.callback(os.close, marker.lock(path))
            connection = held.enter_context(closing(connect(path)))
            # Once more, now that nobody else writes.
            found = ends(connection, path)
            check_table(found.first, table_id, path)
            schema.configure(connection)
            wal = held.enter_context(closing(Wal(path)))
            # A checkpoint writes over good pages: what it is made from must be on the medium, not only believed so.
            wal.write_again()
            journal = cls(connection, wal, found.last, boot or found.last.boot + 1)
            journal.checkpoint()
            journal._held = held.pop_all()
            return journal

    def _move_wal(self) -> bool:
        _, frames, moved = self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        if frames != moved:
            return False
        # Rewriting the version rewrites one page: the smallest commit there is, and it restarts the WAL.
        self._connection.execute(f"PRAGMA user_version={schema.VERSION}")
        self._reserve()
        return True

    def _reserve(self) -> None:
        try:
            self._wal.reserve()
        except OSError as error:
            if not isinstance(from_os(error, self._wal.path), DiskFullError):
                raise

    def _failed(self, error: JournalError) -> JournalError:
        if not isinstance(error, RETRIABLE):
            self._stopped = error
            self._let_go()
        return error

    def _let_go(self) -> None:
        """Close the connection without another write: SQLite moves the log into the file only for the last one."""
        try:
            with reader(self.path) as other:
                other.execute("SELECT 1 FROM sqlite_schema").fetchone()
                self._connection.close()
        except JournalError:
            # A medium that cannot even be read takes no checkpoint either.
            self._connection.close()

    def _refusal(self) -> JournalIOError:
        return JournalIOError(f"{self.path} stores nothing more in this session: {self._stopped}")


def _row(entry: Entry, seq: int, boot: int, wall_ns: int, wall_trusted: bool, *, previous: str) -> Row:
    body = (seq, boot, entry.event.at_ns, wall_ns, int(wall_trusted), *columns_of(entry))
    return (*body, digest(previous, body))


def _record(row: Row, entry: Entry) -> Record:
    seq, boot, at_ns, wall_ns, trusted, kind, *_, own = row
    return Record(seq, boot, at_ns, wall_ns, trusted == 1, kind, *entry, digest=own)


def _insert(connection: sqlite3.Connection, rows: list[Row]) -> None:
    """Store the rows in one transaction; a single INSERT is one by itself, and spares two statements."""
    if len(rows) == 1:
        connection.execute(schema.INSERT_SQL, rows[0])
        return
    with _transaction(connection):
        connection.executemany(schema.INSERT_SQL, rows)


def _make_file(path: Path, rows: list[Row], connect: Connect) -> None:
    """Build the journal under another name, durable, and only then give it its own."""
    draft = path.with_name(path.name + ".new")
    for leftover in (draft, *(draft.with_name(draft.name + tail) for tail in ("-wal", "-shm", "-journal"))):
        leftover.unlink(missing_ok=True)
    os.close(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o640))
    connection = connect(draft)
    try:
        schema.lay_out(connection)
        _insert(connection, rows)
    finally:
        connection.close()
    draft.rename(path)
    marker.sync_directory(path.parent)


def finish(path: Path, table_id: str, first: Record) -> None:
    """Let the marker say that a commissioning is done and a history is expected, if it does not. No writer is open.

    Raises `JournalError`.
    """
    if marker.read(path) != marker.Marker(table_id, first.wall_ns):
        marker.write(path, table_id, first.wall_ns)


def refuse_second(path: Path) -> None:
    """Raise `AlreadyCommissionedError` where a journal is, or its marker says that one was."""
    if path.exists():
        raise AlreadyCommissionedError(
            f"there is a journal at {path} already: start the table with `pozo run`"
        )
    found = marker.read(path)
    if found is not None and not found.unfinished:
        raise AlreadyCommissionedError(
            f"{marker.path_of(path)} says that the journal of table {found.table} belongs here, and it is missing: "
            f"put it back, or bring the table back: `pozo recover`; a new journal would start the pot again"
        )


def _refuse_beside(path: Path) -> None:
    """Raise `AlreadyCommissionedError` if anything of a journal is left here: a log would be read into the new one."""
    for name in ("", "-wal", "-shm"):
        file = path.with_name(path.name + name)
        if file.exists():
            raise AlreadyCommissionedError(
                f"{file} is there: it must be set aside before a new journal is made"
            )


def _check_usable(path: Path) -> None:
    """Raise the error that says why this process may not write the journal; looks without touching."""
    check_present(path)
    if os.statvfs(path).f_flag & os.ST_RDONLY:
        raise ReadOnlyError(f"{path} lies on a medium mounted read-only: check the card, then remount it")
    for name in ("", "-wal", "-shm", ".id"):
        file = path.with_name(path.name + name)
        if file.exists() and not os.access(file, os.R_OK | os.W_OK, effective_ids=True):
            raise denied(file)
    if not os.access(path.parent, os.W_OK | os.X_OK, effective_ids=True):
        raise denied(path.parent)


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """One transaction. IMMEDIATE: the lock is taken first and waited for, never asked for half-way."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:  # also a signal's: nothing of a batch may stay behind half done
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def _translated(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise from_sqlite(error, path) from error
    except JournalError:
        raise
    except OSError as error:
        raise from_os(error, path) from error
