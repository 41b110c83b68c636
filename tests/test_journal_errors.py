"""What the person who must act is told when a journal cannot be used, and that the file is left as it is."""

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from controller.journal import (
    DamagedError,
    DiskFullError,
    FormatError,
    Journal,
    JournalError,
    JournalIOError,
    PermissionProblemError,
    WrongTableError,
    ends_of,
    schema,
    verify,
)
from controller.journal.chain import GENESIS, digest
from controller.journal.errors import from_sqlite
from controller.journal.read import newest_first, reader, recent, records
from tests.helpers_table import TABLE, WALL_NS, a_round, chip, new_journal

NOBODY = 65534


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A closed journal of nine records."""
    journal = new_journal(tmp_path)
    for number in (1, 2):
        journal.append(a_round(number), WALL_NS, wall_trusted=True)
    journal.close()
    return tmp_path / "pozo.db"


@contextmanager
def refused(path: Path, error: type[JournalError], text: str) -> Iterator[None]:
    """Opening `path` raises `error`, which names it first, with `text` in it; no byte of the file has changed."""
    yield
    before = path.read_bytes()
    with pytest.raises(error, match=text) as told:
        Journal.open(path, TABLE)
    assert str(told.value).startswith(f"{path} ")
    assert path.read_bytes() == before


def change(path: Path, *statements: str) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        for statement in statements:
            connection.execute(statement)


def test_a_file_that_is_no_database(path: Path) -> None:
    with refused(path, DamagedError, "file is not a database"):
        path.write_text("the technician's shopping list, long enough to be read as a header\n" * 20)


def test_a_directory_in_the_journals_place(tmp_path: Path) -> None:
    (tmp_path / "pozo.db").mkdir()
    with pytest.raises(DamagedError, match=f"^{tmp_path}/pozo.db is damaged: it is no file"):
        Journal.open(tmp_path / "pozo.db", TABLE)


def test_a_database_of_another_program(path: Path) -> None:
    path.unlink()
    with refused(path, DamagedError, "another program"):
        change(path, "CREATE TABLE cooking(recipe TEXT)")


@pytest.mark.parametrize(
    ("statement", "text"),
    [
        ("DELETE FROM journal WHERE seq=8", "between record 7 and the last one, 9"),
        ("UPDATE journal SET wall_ns=1 WHERE seq=9", r"digest of its last record \(9\) is wrong"),
        ("UPDATE journal SET digest='00' WHERE seq=8", r"digest of its last record \(9\) is wrong"),
        ("DELETE FROM journal WHERE seq=1", r"first record \(2\) is not the one"),
        ("UPDATE journal SET event=replace(event,'UYU','CLP') WHERE seq=1", r"first record \(1\)"),
        ("UPDATE journal SET kind=CAST(x'c3ff' AS TEXT) WHERE seq=9", "it holds bytes that are no text"),
        ("UPDATE journal SET event=CAST(x'ff' AS TEXT) WHERE seq=1", "it holds bytes that are no text"),
        ("DELETE FROM journal", "holds no record"),
        ("ALTER TABLE journal ADD COLUMN note TEXT", "was altered"),
    ],
)
def test_ends_that_do_not_hold_together(path: Path, statement: str, text: str) -> None:
    with refused(path, DamagedError, text):
        change(path, statement)


def test_a_last_record_of_unknown_content_under_a_right_digest(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        (previous,) = connection.execute("SELECT digest FROM journal WHERE seq=8").fetchone()
        connection.execute("""UPDATE journal SET state='{"phase":"asleep"}' WHERE seq=9""")
        row = connection.execute("SELECT * FROM journal WHERE seq=9").fetchone()
        connection.execute("UPDATE journal SET digest=? WHERE seq=9", (digest(previous, row[:-1]),))
    with refused(path, DamagedError, "record 9: its JSON cannot be read"):
        pass


def test_a_first_record_of_unknown_content_under_a_right_digest(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("""UPDATE journal SET state='{"phase":"asleep"}' WHERE seq=1""")
        row = connection.execute("SELECT * FROM journal WHERE seq=1").fetchone()
        connection.execute("UPDATE journal SET digest=? WHERE seq=1", (digest(GENESIS, row[:-1]),))
    with refused(path, DamagedError, "record 1: its JSON cannot be read"):
        pass


def test_a_reader_of_many_names_the_journal_and_the_record_that_is_none(path: Path) -> None:
    """Records 3 and 7 are the second chips of their rounds."""
    change(path, "UPDATE journal SET results='[]' WHERE seq=7")
    said = f"^{path} is damaged: record 7: it has no result"
    for read in (
        lambda: list(records(path)),
        lambda: recent(path, 3),
        lambda: recent(path, 9, "chip_dropped"),
        lambda: list(newest_first(path, ("chip_dropped",))),
    ):
        with pytest.raises(DamagedError, match=said):
            read()
    assert [record.seq for record in recent(path, 2)] == [8, 9]


def test_bytes_that_are_no_text_are_damage_of_the_journal_that_is_named(path: Path) -> None:
    change(path, "UPDATE journal SET kind=CAST(x'c3ff' AS TEXT) WHERE seq=5")

    def read() -> None:
        with reader(path) as connection:
            connection.text_factory = bytes.decode
            connection.execute("SELECT kind FROM journal WHERE seq=5").fetchone()

    with pytest.raises(
        DamagedError, match=f"^{path} is damaged: it holds bytes that are no text: 'utf-8' codec"
    ):
        read()


def test_a_first_record_that_is_no_commissioning(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM journal WHERE seq>1")
        kind, at_ns, event = "coin_in_pressed", 1, '{"kind":"coin_in_pressed","at_ns":1}'
        connection.execute("UPDATE journal SET kind=?, at_ns=?, event=?", (kind, at_ns, event))
        row = connection.execute("SELECT * FROM journal").fetchone()
        connection.execute("UPDATE journal SET digest=?", (digest(GENESIS, row[:-1]),))
    with refused(path, DamagedError, "'coin_in_pressed', not the commissioning"):
        pass


def test_a_truncated_file(path: Path) -> None:
    with refused(path, DamagedError, "malformed"):
        path.write_bytes(path.read_bytes()[: 2 * schema.PAGE_BYTES])


def test_damage_found_with_a_wal_beside_changes_neither_file(tmp_path: Path) -> None:
    with closing(new_journal(tmp_path)) as journal:
        journal.append(a_round(1), WALL_NS, wall_trusted=True)
        crashed = tmp_path / "crashed"
        crashed.mkdir()
        for name in ("pozo.db", "pozo.db-wal", "pozo.db.id"):
            (crashed / name).write_bytes((tmp_path / name).read_bytes())
    damaged = (crashed / "pozo.db-wal").read_bytes().replace(b"game_over_pressed", b"game_over_pressec")
    (crashed / "pozo.db").write_bytes(b"not a database at all" * 100)
    (crashed / "pozo.db-wal").write_bytes(damaged)
    before = (crashed / "pozo.db").read_bytes()
    with pytest.raises(DamagedError):
        Journal.open(crashed / "pozo.db", TABLE)
    assert (crashed / "pozo.db").read_bytes() == before
    assert (crashed / "pozo.db-wal").read_bytes() == damaged


def test_a_newer_format(path: Path) -> None:
    with refused(path, FormatError, "format 2, this program knows 1: install"):
        change(path, "PRAGMA user_version=2")


def test_the_journal_of_another_table(tmp_path: Path) -> None:
    new_journal(tmp_path, "mesa-9").close()
    with refused(tmp_path / "pozo.db", WrongTableError, "table 'mesa-9', this is table 'mesa-4'"):
        pass
    assert b"mesa-9" in (tmp_path / "pozo.db.id").read_bytes()


def test_a_failed_flush_ends_the_session_for_good(path: Path) -> None:
    class BadMedium(sqlite3.Connection):
        def execute(self, sql: str, parameters: object = (), /) -> sqlite3.Cursor:
            if sql == "COMMIT":
                error = sqlite3.OperationalError("disk I/O error")
                error.sqlite_errorcode, error.sqlite_errorname = 1034, "SQLITE_IOERR_FSYNC"
                raise error
            return super().execute(sql, parameters)  # type: ignore[arg-type] # handed on as it came

    def connect(at: Path) -> sqlite3.Connection:
        return sqlite3.connect(at, isolation_level=None, factory=BadMedium)

    with closing(Journal.open(path, TABLE, connect)) as journal:
        with pytest.raises(JournalIOError, match=r"SQLITE_IOERR_FSYNC\); stop, check the medium"):
            journal.append(a_round(3), WALL_NS, wall_trusted=True)
        with pytest.raises(JournalIOError, match="stores nothing more in this session"):
            journal.append([chip(1)], WALL_NS, wall_trusted=True)
        with pytest.raises(JournalIOError, match="stores nothing more in this session"):
            journal.checkpoint()
        assert journal.last.seq == 9


@pytest.fixture
def shared() -> Iterator[Path]:
    """A directory that every user can reach, and the test as a user who is not root."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        directory.chmod(0o755)
        yield directory


@contextmanager
def as_nobody() -> Iterator[None]:
    user = os.geteuid()
    if user == 0:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(user)


def test_a_journal_of_another_user_names_the_file_and_the_user(shared: Path) -> None:
    new_journal(shared).close()
    (shared / "pozo.db").chmod(0o400)
    with (
        as_nobody(),
        pytest.raises(PermissionProblemError, match=r"user \w+ may not read and write .*pozo\.db"),
    ):
        Journal.open(shared / "pozo.db", TABLE)


def test_a_directory_nobody_may_write_to_is_named(shared: Path) -> None:
    new_journal(shared).close()
    for name in ("pozo.db", "pozo.db.id"):
        (shared / name).chmod(0o666)
    shared.chmod(0o555)
    with as_nobody(), pytest.raises(PermissionProblemError, match=f"may not read and write {shared} "):
        Journal.open(shared / "pozo.db", TABLE)


def test_a_directory_nobody_may_enter_is_told(shared: Path) -> None:
    new_journal(shared).close()
    shared.chmod(0o600)
    try:
        with as_nobody(), pytest.raises(PermissionProblemError):
            Journal.open(shared / "pozo.db", TABLE)
    finally:
        shared.chmod(0o755)


def test_a_closed_journal_can_be_read_where_nothing_can_be_written(shared: Path) -> None:
    new_journal(shared).close()
    (shared / "pozo.db").chmod(0o444)
    shared.chmod(0o555)
    with as_nobody():
        assert verify(shared / "pozo.db").records == 1
    assert sorted(file.name for file in shared.iterdir()) == ["pozo.db", "pozo.db.id"]


def test_a_journal_with_a_wal_that_cannot_be_read_here_says_how_to_read_it(shared: Path) -> None:
    with closing(new_journal(shared)) as journal:
        journal.append([chip(1)], WALL_NS, wall_trusted=True)
        crashed = shared / "crashed"
        crashed.mkdir()
        for name in ("pozo.db", "pozo.db-wal"):
            (crashed / name).write_bytes((shared / name).read_bytes())
            (crashed / name).chmod(0o444)
    crashed.chmod(0o555)
    with (
        as_nobody(),
        pytest.raises(PermissionProblemError, match=r"copy pozo\.db and pozo\.db-wal to a directory"),
    ):
        ends_of(crashed / "pozo.db")
    crashed.chmod(0o755)


def test_a_medium_too_full_for_the_shared_memory_file_is_a_full_one(tmp_path: Path) -> None:
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode, error.sqlite_errorname = sqlite3.SQLITE_IOERR_SHMSIZE, "SQLITE_IOERR_SHMSIZE"
    assert isinstance(from_sqlite(error, tmp_path / "pozo.db"), DiskFullError)
