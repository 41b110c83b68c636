"""Spots of the journal that only odd files, odd users and odd moments reach."""

import errno
import os
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from controller.core import events as ev
from controller.journal import (
    DamagedError,
    Head,
    Journal,
    JournalIOError,
    PermissionProblemError,
    marker,
    schema,
    verify,
)
from controller.journal.chain import GENESIS, digest
from controller.journal.copies import copied_rows
from controller.journal.export import Format, json_line, lines
from controller.journal.read import _backwards, ends_of, last_row, page, readable_after, rows
from controller.journal.record import Entry, LineError
from controller.journal.verify import Flaw, Walk, check
from controller.witness.examine import _decoded, _ever_left
from tests.helpers_table import TABLE, WALL_NS, a_table, chip, commissioning, filled, new_journal
from tests.test_journal_edges import GOOD
from tests.test_journal_errors import as_nobody
from tests.test_journal_limits import plain, stored


@pytest.fixture
def laid_out(tmp_path: Path) -> Path:
    path = tmp_path / "pozo.db"
    path.touch()
    with closing(schema.connect(path)) as connection:
        schema.lay_out(connection)
    return path


def copy_of(tmp_path: Path, form: Format, old: str, new: str) -> list[object]:
    """What is read of a copy of three good rows, with something in the second exchanged."""
    text = list(lines([(seq, *GOOD[1:]) for seq in (1, 2, 3)], form))
    at = 1 if form is Format.JSONL else 2
    text[at] = text[at].replace(old, new)
    (tmp_path / "copy").write_text("".join(text), encoding="utf-8", newline="")
    return list(copied_rows(tmp_path / "copy", form))


def test_a_bad_number_is_named_with_its_line_and_its_first_digits(tmp_path: Path) -> None:
    found = copy_of(tmp_path, Format.CSV, "2,2,3,", f"2,2,{'7' * 50},")
    assert str(found[1]) == f"line 3: at_ns is '{'7' * 40}', not a whole number of 64 bits"
    assert [isinstance(row, LineError) for row in found] == [False, True, False]


def test_a_bad_line_of_json_is_named_by_its_number(tmp_path: Path) -> None:
    found = copy_of(tmp_path, Format.JSONL, '"boot":2', '"boot":"2"')
    assert str(found[1]).startswith("line 2 is no JSON object")
    assert found[2] == (3, *GOOD[1:])


def test_the_json_of_a_line_stands_in_it_as_it_is() -> None:
    assert json_line(GOOD) == (
        b'{"seq":1,"boot":2,"at_ns":3,"wall_ns":4,"wall_trusted":true,"kind":"stopped",'
        b'"event":{"kind":"stopped","at_ns":3,"why":"x"},"results":[{"kind":"noted"}],'
        b'"state":{"game":"g","phase":"open","seats":[],"pot":{"levels":[]}},"digest":"d"}\n'
    )


def test_only_a_directorys_names_are_made_durable(tmp_path: Path) -> None:
    marker.sync_directory(tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(NotADirectoryError):
        marker.sync_directory(tmp_path / "file")


def test_a_full_page_that_ends_with_the_last_possible_number_is_the_last(laid_out: Path) -> None:
    stored(laid_out, plain(range(2**63 - 1_000, 2**63)))
    with closing(sqlite3.connect(laid_out)) as connection:
        assert len(list(rows(connection))) == 1_000
        last = last_row(connection)
    assert last is not None
    assert last[0] == 2**63 - 1


def test_an_empty_journal_has_no_last_row(laid_out: Path) -> None:
    with closing(sqlite3.connect(laid_out)) as connection:
        assert last_row(connection) is None


def test_a_journal_that_begins_with_record_2_is_damaged(tmp_path: Path) -> None:
    path = filled(tmp_path, 0)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE journal SET seq=2")
        row = connection.execute("SELECT * FROM journal").fetchone()
        connection.execute("UPDATE journal SET digest=?", (digest(GENESIS, row[:-1]),))
    with pytest.raises(DamagedError, match=r"its first record \(2\) is not the one the table began with"):
        ends_of(path)


def test_what_can_be_read_behind_a_record_is_told_from_both_ends(tmp_path: Path) -> None:
    """1,001 records in pages of two; one page in the middle is gone."""
    with closing(new_journal(tmp_path)) as journal:
        journal.append(tuple(chip(number) for number in range(1, 1_001)), WALL_NS, wall_trusted=True)
    with closing(sqlite3.connect(journal.path)) as connection:
        assert [record.seq for record in readable_after(connection, 997)] == [998, 999, 1_000, 1_001]
        assert [record.seq for record in _backwards(connection, 998)] == [1_001, 1_000, 999]
    data = bytearray(journal.path.read_bytes())
    middle = len(data) // schema.PAGE_BYTES // 2 * schema.PAGE_BYTES
    data[middle : middle + schema.PAGE_BYTES] = b"\xff" * schema.PAGE_BYTES
    journal.path.write_bytes(data)
    with closing(sqlite3.connect(journal.path)) as connection:
        found = [record.seq for record in readable_after(connection, 100)]
    turn = found.index(1_001)
    assert found[:turn] == list(range(101, 101 + turn))
    assert found[turn:] == list(range(1_001, found[-1] - 1, -1))
    assert 0 < found[-1] - found[turn - 1] - 1 < 10, "a page holds some records"


def test_bytes_that_are_no_text_are_a_flaw_however_they_are_met(tmp_path: Path) -> None:
    path = filled(tmp_path, 1)
    with closing(sqlite3.connect(path)) as connection:
        with connection:
            connection.execute("UPDATE journal SET kind=CAST(x'c3ff' AS TEXT) WHERE seq=3")
        connection.text_factory = bytes.decode
        bad = check(connection).bad
    assert bad is not None
    assert (bad.seq, bad.flaw) == (3, Flaw.PAGE)


def test_a_line_that_is_no_row_is_the_flaw_of_the_record_after_the_last_good_one(tmp_path: Path) -> None:
    found = page(filled(tmp_path, 1), 0)
    bad = Walk(()).through([*found[:2], LineError("line 4 has 9 fields")])
    assert bad is not None
    assert (bad.seq, bad.flaw, bad.detail) == (3, Flaw.RECORD, "line 4 has 9 fields")


def test_the_check_of_the_files_structure_says_that_it_gets_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = filled(tmp_path, 1)
    monkeypatch.setattr(sys.modules[check.__module__], "STEP_OPCODES", 1)
    steps: list[int] = []
    assert verify(path, None, lambda: steps.append(1)).bad is None
    assert len(steps) > 10


@pytest.fixture
def shared() -> Iterator[Path]:
    """A directory that every user can reach and write to."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o777)
        yield Path(name)


@pytest.mark.parametrize("tail", ["-wal", "-shm", ".id"])
def test_a_file_beside_the_journal_that_cannot_be_used_is_named(shared: Path, tail: str) -> None:
    new_journal(shared).close()
    for name in ("", "-wal", "-shm", ".id"):
        beside = shared / f"pozo.db{name}"
        beside.touch()
        beside.chmod(0o600 if name == tail else 0o666)
    with (
        as_nobody(),
        pytest.raises(PermissionProblemError, match=rf"may not read and write {shared}/pozo.db{tail} "),
    ):
        Journal.open(shared / "pozo.db", TABLE)


def test_what_a_cut_off_commissioning_left_is_cleared_away(tmp_path: Path) -> None:
    path = tmp_path / "pozo.db"
    left = [tmp_path / f"pozo.db.new{tail}" for tail in ("", "-wal", "-shm", "-journal")]
    for file in left:
        file.write_bytes(b"junk")
    Journal.create(path, TABLE, commissioning(), WALL_NS, wall_trusted=True).close()
    assert ends_of(path).last.seq == 1
    assert not [file for file in left if file.exists()]


@pytest.mark.parametrize(
    ("number", "opens"), [(errno.ENOSPC, True), (errno.EDQUOT, True), (errno.EIO, False)]
)
def test_a_medium_too_full_for_the_reserve_still_opens_and_one_that_fails_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, opens: bool
) -> None:
    path = filled(tmp_path, 1)

    def full(descriptor: int, data: bytes, offset: int) -> int:
        raise OSError(number, os.strerror(number), f"{descriptor} {len(data)} {offset}")

    monkeypatch.setattr(os, "pwrite", full)
    if opens:
        with closing(Journal.open(path, TABLE)) as journal:
            assert not journal.reserved
            journal.append((chip(1),), WALL_NS, wall_trusted=True)
            assert journal.head.seq == 6
    else:
        with pytest.raises(JournalIOError, match="Input/output error"):
            Journal.open(path, TABLE)


def recovery(number: int) -> Entry:
    heads = (ev.HeadSeen(number, f"{number:064d}"), ev.HeadSeen(number + 1, f"{number + 1:064d}"))
    event = ev.JournalRecovered(
        number,
        TABLE,
        "digest",
        "{}",
        ev.Trusted.JOURNAL,
        "gone",
        None,
        heads,
        (),
        "Ana",
        "Luis",
        "a new card",
    )
    return Entry(event, (ev.Recovered("open", 0),), a_table())


def test_what_any_recovery_left_behind_is_remembered(tmp_path: Path) -> None:
    with closing(new_journal(tmp_path)) as journal:
        for entry in (recovery(5), chip(1), recovery(9)):
            journal.append((entry,), WALL_NS, wall_trusted=True)
    left = {Head(number, f"{number:064d}") for number in (5, 6, 9, 10)}
    assert _ever_left(journal.path) == left


def test_a_row_that_is_no_record_is_named_by_its_number(tmp_path: Path) -> None:
    with pytest.raises(DamagedError, match="record 7: kind is 'x'"):
        _decoded((7, *GOOD[1:5], "x", *GOOD[6:]), tmp_path / "pozo.db")
