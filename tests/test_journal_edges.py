"""The journal at the edge of every limit: what each error means, markers, rows and settings."""

import errno
import fcntl
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from controller.core import events as ev
from controller.journal import (
    DamagedError,
    DiskFullError,
    Head,
    JournalError,
    JournalIOError,
    JournalMissingError,
    NotCommissionedError,
    PermissionProblemError,
    marker,
    schema,
)
from controller.journal.aside import with_those_aside
from controller.journal.chain import short_digest
from controller.journal.errors import (
    InUseError,
    ReadOnlyError,
    RecordRefusedError,
    from_os,
    from_sqlite,
    primary_code,
)
from controller.journal.read import (
    check_present,
    check_table,
    ends_of,
)
from controller.journal.record import Row, RowError, decode
from tests.helpers_table import TABLE, descriptors, filled, laid_out

PATH = Path("/data/pozo.db")


def of_sqlite(code: int | None, text: str = "broken") -> sqlite3.Error:
    error = sqlite3.OperationalError(text)
    if code is not None:
        error.sqlite_errorcode, error.sqlite_errorname = code, "SQLITE_X"
    return error


@pytest.mark.parametrize("extended", [0, 0x100, 0x700])
@pytest.mark.parametrize(
    ("code", "kind", "said"),
    [
        (sqlite3.SQLITE_FULL, DiskFullError, "^no space left for /data/pozo.db: nothing was stored"),
        (sqlite3.SQLITE_READONLY, ReadOnlyError, "^/data/pozo.db cannot be written: its medium is read-only"),
        (sqlite3.SQLITE_BUSY, InUseError, "^another program holds /data/pozo.db locked"),
        (sqlite3.SQLITE_LOCKED, InUseError, "another program"),
        (sqlite3.SQLITE_PROTOCOL, InUseError, "another program"),
        (
            sqlite3.SQLITE_PERM,
            PermissionProblemError,
            "may not read and write /data/pozo.db .*directory /data",
        ),
        (sqlite3.SQLITE_AUTH, PermissionProblemError, "may not read"),
        (sqlite3.SQLITE_CANTOPEN, PermissionProblemError, "may not read"),
        (
            sqlite3.SQLITE_CORRUPT,
            DamagedError,
            r"^/data/pozo.db is damaged: broken \(SQLITE_X\)\. The file was left",
        ),
        (sqlite3.SQLITE_NOTADB, DamagedError, "is damaged: broken"),
        (sqlite3.SQLITE_CONSTRAINT, RecordRefusedError, "^/data/pozo.db refused these records"),
        (sqlite3.SQLITE_TOOBIG, RecordRefusedError, "refused these"),
        (sqlite3.SQLITE_MISMATCH, RecordRefusedError, "refused these"),
        (
            sqlite3.SQLITE_IOERR,
            JournalIOError,
            r"^/data/pozo.db could not be written or read: broken \(SQLITE_X\); stop",
        ),
        (sqlite3.SQLITE_NOMEM, JournalIOError, "could not be written or read"),
    ],
)
def test_each_code_of_sqlite_says_what_it_means_for_a_journal(
    code: int, kind: type[JournalError], said: str, extended: int
) -> None:
    found = from_sqlite(of_sqlite(code | extended), PATH)
    assert type(found) is kind
    assert primary_code(of_sqlite(code | extended)) == code
    with pytest.raises(kind, match=said):
        raise found


def test_what_the_python_module_says_by_itself_has_no_code() -> None:
    assert primary_code(of_sqlite(None)) is None
    text = from_sqlite(of_sqlite(None, "Could not decode to UTF-8 column 'kind'"), PATH)
    assert type(text) is DamagedError
    assert str(text).startswith(
        "/data/pozo.db is damaged: it holds bytes that are no text. The file was left"
    )
    other = from_sqlite(of_sqlite(None, "Cannot operate on a closed database."), PATH)
    said = "/data/pozo.db could not be used: Cannot operate on a closed database. (no code)"
    assert (type(other), str(other)) == (JournalError, said)
    assert type(from_sqlite(of_sqlite(sqlite3.SQLITE_IOERR_SHMSIZE), PATH)) is DiskFullError


@pytest.mark.parametrize(
    ("number", "kind", "said"),
    [
        (errno.EACCES, PermissionProblemError, "may not read and write"),
        (errno.EPERM, PermissionProblemError, "may not read and write"),
        (
            errno.EROFS,
            ReadOnlyError,
            "^/data/pozo.db cannot be written: its medium is read-only; check the card",
        ),
        (errno.ENOSPC, DiskFullError, "^no space left for /data/pozo.db: free space on that medium$"),
        (errno.EDQUOT, DiskFullError, "^no space left"),
        (errno.EIO, JournalIOError, "^/data/pozo.db: Input/output error; check the path and the medium$"),
    ],
)
def test_each_error_of_the_system_says_what_it_means(
    number: int, kind: type[JournalError], said: str
) -> None:
    found = from_os(OSError(number, os.strerror(number)), PATH)
    assert type(found) is kind
    with pytest.raises(kind, match=said):
        raise found


def test_a_user_without_a_name_is_told_by_his_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 54_321)
    assert str(from_os(PermissionError(errno.EACCES, "no"), PATH)).startswith("user number 54321 may not")


def test_digits_on_paper_are_sixteen_in_four_groups() -> None:
    assert short_digest("0123456789abcdef" + "e" * 48) == "0123 4567 89ab cdef"
    assert str(Head(7, "ab")) == "7:ab"


def test_journals_set_aside_are_listed_newest_first(tmp_path: Path) -> None:
    journal = tmp_path / "pozo.db"
    for name in ("pozo.db.aside-2", "pozo.db.aside-10", "pozo.db.aside-x", "other.db.aside-3"):
        (tmp_path / name).touch()
    assert [path.name for path in with_those_aside(journal)] == [
        "pozo.db",
        "pozo.db.aside-10",
        "pozo.db.aside-2",
    ]


def test_the_journal_of_another_table_is_told_by_both_names(tmp_path: Path) -> None:
    first = ends_of(filled(tmp_path, 0)).first
    check_table(first, TABLE, PATH)
    with pytest.raises(
        JournalError, match=f"^/data/pozo.db is the journal of table '{TABLE}', this is table 'mesa-9'"
    ):
        check_table(first, "mesa-9", PATH)


def test_where_a_journal_was_there_is_no_new_table(tmp_path: Path) -> None:
    path = tmp_path / "pozo.db"
    with pytest.raises(NotCommissionedError, match="none was ever finished there: run `pozo commission`"):
        check_present(path)
    path.touch()
    with pytest.raises(
        JournalMissingError, match=rf"of table \? at {path} has zero length: never start without it"
    ):
        check_present(path)
    marker.write(path, TABLE, 5)
    with pytest.raises(JournalMissingError, match=f"of table {TABLE} at {path} has zero length"):
        check_present(path)
    path.unlink()
    with pytest.raises(JournalMissingError, match=f"of table {TABLE} at {path} is gone: never"):
        check_present(path)
    marker.write(path, TABLE, 5, "ab")
    with pytest.raises(NotCommissionedError):
        check_present(path)


def test_a_marker_says_whose_journal_is_expected(tmp_path: Path) -> None:
    path = tmp_path / "pozo.db"
    assert (marker.read(path), marker.expected(path)) == (None, None)
    mask = os.umask(0)
    try:
        marker.write(path, "another", 4)
    finally:
        os.umask(mask)
    assert marker.path_of(path).stat().st_mode & 0o777 == 0o600
    marker.path_of(path).with_name("pozo.db.id.new").write_bytes(b"x" * 500)
    marker.write(path, TABLE, 5)
    assert marker.path_of(path).read_bytes() == b'{"table":"mesa-4","created_ns":5}\n'
    assert (marker.read(path), marker.expected(path)) == (marker.Marker(TABLE, 5, ""), TABLE)
    marker.write(path, TABLE, 6, "ab")
    assert marker.read(path) == marker.Marker(TABLE, 6, "ab")
    marker.path_of(path).write_bytes(b"{")
    assert (marker.read(path), marker.expected(path)) == (marker.SPOILT, "?")
    assert marker.Marker("?", 0, "") == marker.SPOILT


def test_a_marker_that_cannot_be_read_or_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "pozo.db.id").mkdir()
    with pytest.raises(JournalIOError, match=f"^{tmp_path}/pozo.db.id: Is a directory; check the path"):
        marker.read(tmp_path / "pozo.db")
    with pytest.raises(JournalIOError, match=f"^{tmp_path}/no/pozo.db.id: No such file or directory; check"):
        marker.write(tmp_path / "no" / "pozo.db", TABLE, 5)


@pytest.mark.parametrize(("more", "spoilt"), [(0, False), (1, True)])
def test_no_more_of_a_marker_is_read_than_one_may_have(tmp_path: Path, more: int, spoilt: bool) -> None:
    path = tmp_path / "pozo.db"
    whole = b'{"table":"mesa-4","created_ns":5}'
    marker.path_of(path).write_bytes(b" " * (marker.BYTES_MOST - len(whole) + more) + whole)
    assert (marker.read(path) == marker.SPOILT) is spoilt
    assert marker.BYTES_MOST == 4096


def test_the_lock_is_held_until_its_file_is_closed(tmp_path: Path) -> None:
    path = tmp_path / "pozo.db"
    marker.write(path, TABLE, 5)
    held = marker.lock(path)
    before = descriptors()
    with pytest.raises(InUseError, match=f"^another pozo process is writing {path}: stop it first"):
        marker.lock(path)
    assert descriptors() == before
    assert fcntl.fcntl(held, fcntl.F_GETFD) == fcntl.FD_CLOEXEC
    os.close(held)
    os.close(marker.lock(path))


GOOD: Row = (
    1,
    2,
    3,
    4,
    1,
    "stopped",
    '{"kind":"stopped","at_ns":3,"why":"x"}',
    '[{"kind":"noted"}]',
    '{"game":"g","phase":"open","seats":[],"pot":{"levels":[]}}',
    "d",
)


def test_a_row_is_read_as_it_stands() -> None:
    record = decode(GOOD)
    assert (record.seq, record.boot, record.at_ns, record.wall_ns, record.wall_trusted) == (1, 2, 3, 4, True)
    assert (record.kind, record.event, record.results, record.digest) == (
        "stopped",
        ev.Stopped(3, "x"),
        (ev.Noted(),),
        "d",
    )
    assert not decode((*GOOD[:4], 0, *GOOD[5:])).wall_trusted
    assert not record.refused


def test_a_record_is_refused_if_any_of_its_results_is() -> None:
    results = '[{"kind":"noted"},{"kind":"refused","reason":"wrong_phase"}]'
    assert decode((*GOOD[:7], results, *GOOD[8:])).refused


@pytest.mark.parametrize(
    ("place", "value", "said"),
    [
        (0, "1", "^seq is stored as str, not as int$"),
        (4, True, "^wall_trusted is stored as bool, not as int$"),
        (9, None, "^digest is stored as NoneType, not as str$"),
        (4, 2, "^wall_trusted is 2, not 0 or 1$"),
        (4, -1, "^wall_trusted is -1, not 0 or 1$"),
        (6, "{", "^its JSON cannot be read: "),
        (7, "{}", "^its JSON cannot be read: "),
        (8, "[]", "^its JSON cannot be read: "),
        (5, "started", "^kind is 'started', but its event is 'stopped'$"),
        (7, "[]", "^it has no result, and nothing that happens is without one$"),
        (2, 4, "^at_ns is 4, but its event says 3$"),
    ],
)
def test_a_row_that_is_no_record_says_why(place: int, value: object, said: str) -> None:
    row = (*GOOD[:place], value, *GOOD[place + 1 :])
    with pytest.raises(RowError, match=said):
        decode(row)  # type: ignore[arg-type]  # what SQLite may hand out whatever the types say


def test_a_writers_connection_is_set_as_the_journal_needs_it(tmp_path: Path) -> None:
    path = laid_out(tmp_path)
    with closing(schema.connect(path)) as connection:
        schema.configure(connection)
        found = {
            name: connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in (
                "journal_mode",
                "synchronous",
                "wal_autocheckpoint",
                "journal_size_limit",
                "foreign_keys",
                "trusted_schema",
                "page_size",
                "application_id",
                "user_version",
                "busy_timeout",
            )
        }
        assert connection.isolation_level is None
        assert (schema.flaw(connection), schema.version(connection)) == (None, 1)
    assert found == {
        "journal_mode": "wal",
        "synchronous": 2,  # FULL
        "wal_autocheckpoint": 0,
        "journal_size_limit": 1_048_576,
        "foreign_keys": 1,
        "trusted_schema": 0,
        "page_size": 2_048,
        "application_id": int.from_bytes(b"Pozo"),
        "user_version": 1,
        "busy_timeout": 5_000,
    }


def test_a_journal_that_is_not_there_is_not_made_by_connecting(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError), closing(schema.connect(tmp_path / "none.db")) as connection:
        connection.execute("SELECT 1 FROM sqlite_schema")
    assert list(tmp_path.iterdir()) == []
