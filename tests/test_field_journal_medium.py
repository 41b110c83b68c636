"""Rows of the field log about media that fill up, fail, wear out or go missing."""

import os
import random
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from controller.journal import (
    AlreadyCommissionedError,
    DamagedError,
    DiskFullError,
    Flaw,
    Journal,
    JournalIOError,
    JournalMissingError,
    ReadOnlyError,
    RecordRefusedError,
    records,
    schema,
    verify,
)
from tests.helpers_table import TABLE, WALL_NS, a_round, chip, filled, new_journal


def overwrite_page(path: Path, page: int) -> None:
    with path.open("r+b") as file:
        file.seek((page - 1) * schema.PAGE_BYTES)
        file.write(random.Random(7).randbytes(schema.PAGE_BYTES))


def page_of(path: Path, seq: int) -> int:
    """The page that holds a record: its digest is found nowhere else but in that leaf."""
    digest = next(record.digest for record in records(path) if record.seq == seq)
    return path.read_bytes().index(digest.encode()) // schema.PAGE_BYTES + 1


def until_full(journal: Journal) -> int:
    """Append rounds until the medium is full; how many were stored."""
    for number in range(1, 10_000):
        try:
            journal.append(a_round(number), WALL_NS, wall_trusted=True)
        except DiskFullError:
            return number - 1
    raise AssertionError("10,000 rounds fit on a medium that should be full")


def failing(code: int, times: int = 1) -> Callable[[Path], sqlite3.Connection]:
    """A connect whose connections report SQLite's `code` for the next `times` inserts, as a bad medium does."""
    left = [times]

    class Failing(sqlite3.Connection):
        def execute(self, sql: str, parameters: object = (), /) -> sqlite3.Cursor:
            if sql == schema.INSERT_SQL and left[0]:
                left[0] -= 1
                error = sqlite3.OperationalError("as if the medium had failed")
                error.sqlite_errorcode = code
                raise error
            return super().execute(sql, parameters)  # type: ignore[arg-type] # handed on as it came

    def connect(path: Path) -> sqlite3.Connection:
        return sqlite3.connect(path, isolation_level=None, factory=Failing)

    return connect


def test_F087_on_a_full_medium_nothing_is_half_stored_and_play_goes_on_after(tmp_path: Path) -> None:
    made: list[sqlite3.Connection] = []

    def connect(path: Path) -> sqlite3.Connection:
        made.append(schema.connect(path))
        return made[-1]

    new_journal(tmp_path).close()
    with closing(Journal.open(tmp_path / "pozo.db", TABLE, connect)) as journal:
        made[-1].execute("PRAGMA max_page_count=6")  # SQLite then says "full" as for a full medium
        stored = until_full(journal)
        assert journal.last.seq == 1 + 4 * stored
        with pytest.raises(DiskFullError):
            journal.append(a_round(stored + 1), WALL_NS, wall_trusted=True)
        made[-1].execute("PRAGMA max_page_count=1000000")
        journal.append(a_round(stored + 1), WALL_NS, wall_trusted=True)
        head = journal.head
    assert verify(tmp_path / "pozo.db", head).records == 5 + 4 * stored


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small medium takes root")
def test_F087_the_reserve_still_takes_records_when_not_a_byte_is_free(tmp_path: Path) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1500k", "tmpfs", tmp_path], check=True)
    try:
        with closing(new_journal(tmp_path)) as journal:
            with pytest.raises(OSError, match="No space"):
                (tmp_path / "other").write_bytes(bytes(10_000_000))
            assert os.statvfs(tmp_path).f_bavail == 0
            for number in range(1, 51):  # a payout is one round of them
                journal.append(a_round(number), WALL_NS, wall_trusted=True)
            assert until_full(journal) > 50
            (tmp_path / "other").unlink()
            journal.checkpoint()
            journal.append(a_round(1), WALL_NS, wall_trusted=True)
            head = journal.head
        assert verify(tmp_path / "pozo.db", head).bad is None
    finally:
        subprocess.run(["umount", tmp_path], check=True)


def test_F088_a_broken_last_page_stops_the_start_and_the_file_is_kept(tmp_path: Path) -> None:
    path = filled(tmp_path, 20)
    overwrite_page(path, page_of(path, 81))
    before = path.read_bytes()
    with pytest.raises(DamagedError, match="do not delete it"):
        Journal.open(path, TABLE)
    assert path.read_bytes() == before
    with pytest.raises(AlreadyCommissionedError):
        new_journal(tmp_path)


def test_F088_a_broken_page_in_the_middle_is_found_by_verify(tmp_path: Path) -> None:
    path = filled(tmp_path, 20)
    overwrite_page(path, page_of(path, 41))
    verdict = verify(path)
    assert verdict.bad is not None
    assert 35 <= verdict.bad.seq <= 41  # the first record of that page
    assert verdict.records == verdict.bad.seq - 1


def test_F088_a_journal_of_zero_length_is_never_a_new_table(tmp_path: Path) -> None:
    path = filled(tmp_path, 1)
    path.write_bytes(b"")
    with pytest.raises(JournalMissingError, match=r"table mesa-4 at .* has zero length"):
        Journal.open(path, TABLE)
    with pytest.raises(AlreadyCommissionedError):
        new_journal(tmp_path)
    assert path.stat().st_size == 0


def test_F088_an_integrity_error_spoils_only_its_own_record(tmp_path: Path) -> None:
    new_journal(tmp_path).close()
    with closing(Journal.open(tmp_path / "pozo.db", TABLE, failing(sqlite3.SQLITE_CONSTRAINT))) as journal:
        with pytest.raises(RecordRefusedError):
            journal.append([chip(1)], WALL_NS, wall_trusted=True)
        journal.append([chip(2)], WALL_NS, wall_trusted=True)
        assert journal.last.event == chip(2).event


def test_F089_an_unreadable_record_is_named_and_never_skipped(tmp_path: Path) -> None:
    path = filled(tmp_path, 125)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE journal SET event = substr(event, 5) WHERE seq = 250")
    verdict = verify(path)
    assert verdict.bad is not None
    assert (verdict.bad.seq, verdict.bad.flaw, verdict.records) == (250, Flaw.DIGEST, 249)
    with pytest.raises(DamagedError, match="record 250"):
        list(records(path))


def test_F090_malformed_once_in_memory_goes_on_after_opening_anew(tmp_path: Path) -> None:
    new_journal(tmp_path).close()
    connect = failing(sqlite3.SQLITE_CORRUPT)
    with closing(Journal.open(tmp_path / "pozo.db", TABLE, connect)) as journal:
        with pytest.raises(DamagedError):
            journal.append([chip(1)], WALL_NS, wall_trusted=True)
        with pytest.raises(JournalIOError, match="stores nothing more in this session"):
            journal.append([chip(1)], WALL_NS, wall_trusted=True)
    with closing(Journal.open(tmp_path / "pozo.db", TABLE, connect)) as again:
        again.append([chip(1)], WALL_NS, wall_trusted=True)
        assert again.last.seq == 2


def test_F092_a_medium_gone_read_only_stores_nothing_and_says_so(tmp_path: Path) -> None:
    made: list[sqlite3.Connection] = []

    def connect(path: Path) -> sqlite3.Connection:
        made.append(schema.connect(path))
        return made[-1]

    new_journal(tmp_path).close()
    with closing(Journal.open(tmp_path / "pozo.db", TABLE, connect)) as journal:
        made[-1].execute("PRAGMA query_only=ON")
        with pytest.raises(ReadOnlyError, match="read-only"):
            journal.append([chip(1)], WALL_NS, wall_trusted=True)
        with pytest.raises(JournalIOError):
            journal.append([chip(1)], WALL_NS, wall_trusted=True)
        assert journal.last.seq == 1


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a medium takes root")
def test_F092_a_journal_on_a_read_only_medium_is_read_but_not_opened(tmp_path: Path) -> None:
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", tmp_path], check=True)
    try:
        path = filled(tmp_path, 1)
        subprocess.run(["mount", "-o", "remount,ro", tmp_path], check=True)
        with pytest.raises(ReadOnlyError, match="mounted read-only"):
            Journal.open(path, TABLE)
        assert verify(path).records == 5
    finally:
        subprocess.run(["umount", tmp_path], check=True)


def test_F128_a_lost_journal_never_starts_with_the_base_amount(tmp_path: Path) -> None:
    path = filled(tmp_path, 3)
    kept = path.read_bytes()
    path.unlink()
    with pytest.raises(JournalMissingError, match=r"table mesa-4 .* is gone: never start without it"):
        Journal.open(path, TABLE)
    with pytest.raises(AlreadyCommissionedError, match="would start the pot again"):
        new_journal(tmp_path)
    assert not path.exists()
    path.write_bytes(kept)
    with closing(Journal.open(path, TABLE)) as journal:
        assert journal.last.state == a_round(3)[-1].state
