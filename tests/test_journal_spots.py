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
    WrongTableError,
    marker,
    schema,
    verify,
)
from controller.journal.chain import GENESIS, digest
from controller.journal.copies import copied_rows
from controller.journal.export import Format, json_line, lines
from controller.journal.read import (
    _backwards,
    check_table,
    ends_of,
    last_date,
    last_row,
    page,
    readable_after,
    rows,
)
from controller.journal.record import Entry, LineError
from controller.journal.verify import Flaw, Walk, check
from controller.journal.wal import Wal
from controller.witness.examine import _decoded, _ever_left
from tests.helpers_table import TABLE, WALL_NS, a_table, chip, commissioning, filled, laid_out, new_journal
from tests.test_journal_edges import GOOD
from tests.test_journal_errors import as_nobody
from tests.test_journal_limits import plain, stored


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


@pytest.mark.parametrize("form", Format)
@pytest.mark.parametrize(
    ("number", "good"), [(2**63 - 1, True), (2**63, False), (-(2**63), True), (-(2**63) - 1, False)]
)
def test_numbers_of_a_copy_are_of_64_bits(tmp_path: Path, form: Format, number: int, good: bool) -> None:
    old, new = (
        ("2,2,3,", f"2,2,{number},") if form is Format.CSV else ('"at_ns":3,"wall', f'"at_ns":{number},"wall')
    )
    found = copy_of(tmp_path, form, old, new)
    assert isinstance(found[1], LineError) is not good
    if good:
        assert found[1] == (2, 2, number, *GOOD[3:])


@pytest.mark.parametrize(("more", "said"), [(0, "line 1 is no JSON object"), (1, "line 1 has no end")])
def test_no_line_of_a_copy_is_longer_than_sixteen_mebibytes(tmp_path: Path, more: int, said: str) -> None:
    (tmp_path / "copy").write_bytes(b"x" * (2**24 - 1 + more) + b"\n")
    found = list(copied_rows(tmp_path / "copy", Format.JSONL))
    assert str(found[0]).startswith(said)


@pytest.mark.parametrize(("more", "good"), [(0, True), (1, False)])
def test_no_field_of_a_copy_is_longer_than_sixteen_mebibytes(tmp_path: Path, more: int, good: bool) -> None:
    kind = "k" * (2**24 + more)
    found = copy_of(tmp_path, Format.CSV, "stopped,", f"{kind},")
    assert isinstance(found[1], LineError) is not good


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


def test_a_full_page_that_ends_with_the_last_possible_number_is_the_last(tmp_path: Path) -> None:
    path = laid_out(tmp_path)
    stored(path, plain(range(2**63 - 1_000, 2**63)))
    with closing(sqlite3.connect(path)) as connection:
        assert len(list(rows(connection))) == 1_000
        last = last_row(connection)
    assert last is not None
    assert last[0] == 2**63 - 1


@pytest.mark.parametrize(("latest", "found"), [(1, 20_010), (2, 99_999), (2_001, 99_999)])
def test_the_greatest_of_two_thousand_dates_counts(tmp_path: Path, latest: int, found: int) -> None:
    """2,001 dated records of which one is dated far ahead; number 1 is the 2,001st from the end."""
    path = laid_out(tmp_path)
    dated = [(*row[:3], 99_999 if row[0] == latest else row[3], *row[4:]) for row in plain(range(1, 2_002))]
    stored(path, dated)
    assert last_date(path) == found


@pytest.mark.parametrize(("number", "taken"), [(errno.EROFS, True), (errno.EPERM, True), (errno.EIO, False)])
def test_a_mode_that_cannot_be_changed_is_left_where_the_medium_or_the_owner_is_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, taken: bool
) -> None:
    def refused(_descriptor: int, _mode: int) -> None:
        raise OSError(number, os.strerror(number))

    with (tmp_path / "file").open("wb") as file:
        marker.close_to_others(file.fileno())
        assert os.fstat(file.fileno()).st_mode & 0o777 == 0o600
        monkeypatch.setattr(os, "fchmod", refused)
        if taken:
            marker.close_to_others(file.fileno())
        else:
            with pytest.raises(OSError, match="Input/output error"):
                marker.close_to_others(file.fileno())


def test_the_journal_of_another_table_says_whose_it_is(tmp_path: Path) -> None:
    with pytest.raises(WrongTableError) as wrong:
        check_table(ends_of(filled(tmp_path, 0)).first, "mesa-9", tmp_path)
    assert wrong.value.found == TABLE


def test_an_empty_journal_has_no_last_row(tmp_path: Path) -> None:
    path = laid_out(tmp_path)
    with closing(sqlite3.connect(path)) as connection:
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


def test_a_record_whose_money_does_not_balance_is_named(tmp_path: Path) -> None:
    """The pot of 100,040.00 after two rounds says one cent more, under a right digest."""
    found = page(filled(tmp_path, 2), 0)
    *body, _ = found[-1]
    assert '"current":10004000' in found[-1][8]
    body[8] = found[-1][8].replace('"current":10004000', '"current":10004001')
    row = (*body, digest(found[-2][-1], tuple(body)))  # type: ignore[arg-type]  # a list has lost its columns' types
    bad = Walk((), after=Head(8, found[-2][-1])).through([row])  # type: ignore[list-item]  # as above
    assert bad is not None
    assert (bad.seq, bad.flaw) == (9, Flaw.MONEY)
    assert bad.detail == "-1000000 millionths of a minor unit are missing from its pot"


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


def log_of(tmp_path: Path, frames: int) -> Path:
    """A log with this many frames in use behind its header, and one of an older salt behind them."""
    salt = b"saltsalt"
    header = bytes(8) + (2_048).to_bytes(4) + bytes(4) + salt + bytes(8)
    frame = bytes(8) + salt + bytes(8) + b"p" * 2_048
    (tmp_path / "pozo.db-wal").write_bytes(header + frame * frames + bytes(len(frame)))
    return tmp_path / "pozo.db"


@pytest.mark.parametrize("frames", [0, 1, 2])
def test_the_frames_of_a_log_are_those_with_its_salt(tmp_path: Path, frames: int) -> None:
    with closing(Wal(log_of(tmp_path, frames))) as wal:
        assert wal.used_bytes() == 32 + frames * 2_072


@pytest.mark.parametrize("frames", [2, 506, 600])
def test_all_of_a_log_that_is_in_use_is_written_again_and_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, frames: int
) -> None:
    """506 frames are 1,048,464 bytes, just below a mebibyte; 600 are more."""
    real = os.pwrite
    written: list[tuple[int, int]] = []

    def pwrite(descriptor: int, data: bytes, offset: int) -> int:
        written.append((offset, len(data)))
        return real(descriptor, data, offset)

    with closing(Wal(log_of(tmp_path, frames))) as wal:
        before = wal.path.read_bytes()
        monkeypatch.setattr(os, "pwrite", pwrite)
        wal.write_again()
        assert wal.path.read_bytes() == before
    used = 32 + frames * 2_072
    pieces = [(begin, min(1_048_576, used - begin)) for begin in range(0, used, 1_048_576)]
    assert written == pieces


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
    with pytest.raises(DamagedError, match=f"{tmp_path}/pozo.db is damaged: record 7: kind is 'x'"):
        _decoded((7, *GOOD[1:5], "x", *GOOD[6:]), tmp_path / "pozo.db")
