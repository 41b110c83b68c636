import hashlib
import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from controller.core.events import CoinInPressed, Commissioned, GameOverPressed, PhaseChanged
from controller.journal import (
    AlreadyCommissionedError,
    Entry,
    InUseError,
    Journal,
    NotCommissionedError,
    RecordRefusedError,
    count,
    recent,
    records,
    schema,
)
from tests.helpers_table import GAME, TABLE, WALL_NS, a_round, a_table, chip, new_journal


def wal_salt(directory: Path) -> bytes:
    """The two salts in a WAL's header: SQLite changes them whenever it begins the file anew (its file format)."""
    return (directory / "pozo.db-wal").read_bytes()[16:24]


def test_what_is_appended_comes_back_typed_and_in_order(tmp_path: Path) -> None:
    journal = new_journal(tmp_path)
    journal.append(a_round(1), WALL_NS + 5, wall_trusted=False)
    journal.close()
    found = list(records(tmp_path / "pozo.db"))
    assert [record.seq for record in found] == [1, 2, 3, 4, 5]
    assert [record.kind for record in found] == [
        "commissioned",
        "chip_dropped",
        "chip_dropped",
        "coin_in_pressed",
        "game_over_pressed",
    ]
    assert [(r.event, r.results, r.state) for r in found[1:]] == [tuple(entry) for entry in a_round(1)]
    assert {(r.boot, r.wall_ns, r.wall_trusted) for r in found[1:]} == {(1, WALL_NS + 5, False)}


def test_the_digest_can_be_worked_out_without_this_program(tmp_path: Path) -> None:
    journal = new_journal(tmp_path)
    journal.append(a_round(1), WALL_NS, wall_trusted=True)
    journal.close()
    with closing(sqlite3.connect(tmp_path / "pozo.db")) as connection:
        rows = connection.execute("SELECT * FROM journal ORDER BY seq").fetchall()
    previous = "0" * 64
    for *body, digest in rows:
        text = json.dumps([previous, *body], separators=(",", ":"), ensure_ascii=False)
        previous = hashlib.sha256(text.encode()).hexdigest()
        assert digest == previous


def test_the_columns_are_plain_json(tmp_path: Path) -> None:
    journal = new_journal(tmp_path)
    journal.append([chip(3)], WALL_NS, wall_trusted=True)
    journal.close()
    with closing(sqlite3.connect(tmp_path / "pozo.db")) as connection:
        found = connection.execute(
            "SELECT json_extract(event,'$.seat'), json_extract(results,'$[0].kind'), "
            "json_extract(state,'$.phase'), typeof(state), at_ns FROM journal WHERE seq = 2"
        ).fetchone()
    assert found == (4, "chip_late", "open", "text", 3_000_000)


def test_each_start_is_a_new_boot_and_goes_on_where_the_last_ended(tmp_path: Path) -> None:
    journal = new_journal(tmp_path)
    assert (journal.boot, journal.last.seq) == (1, 1)
    journal.append(a_round(1), WALL_NS, wall_trusted=True)
    before = journal.last
    journal.close()
    with closing(Journal.open(tmp_path / "pozo.db", TABLE)) as again:
        assert again.boot == 2
        assert again.last == before
        assert again.head == (before.seq, before.digest)
        again.append(a_round(2), WALL_NS, wall_trusted=True)
        assert (again.last.seq, again.last.boot) == (9, 2)
        assert again.last.state == a_round(2)[-1].state


def test_only_a_commissioning_can_be_record_one(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="must be the commissioning of table 'mesa-4'"):
        Journal.create(tmp_path / "pozo.db", TABLE, a_round(1)[0], WALL_NS, wall_trusted=True)
    other = Entry(Commissioned(1, "mesa-5", GAME, "{}"), (), a_table())
    with pytest.raises(ValueError, match="mesa-4"):
        Journal.create(tmp_path / "pozo.db", TABLE, other, WALL_NS, wall_trusted=True)
    assert list(tmp_path.iterdir()) == []


def test_commissioning_twice_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    new_journal(tmp_path).close()
    before = (tmp_path / "pozo.db").read_bytes()
    with pytest.raises(AlreadyCommissionedError, match="pozo run"):
        new_journal(tmp_path)
    assert (tmp_path / "pozo.db").read_bytes() == before


def test_a_commissioning_cut_off_half_way_leaves_no_journal_and_can_be_done_again(tmp_path: Path) -> None:
    (tmp_path / "pozo.db.new").write_bytes(b"SQLite format 3\0 and then the plug was pulled")
    (tmp_path / "pozo.db.new-wal").write_bytes(b"half")
    with pytest.raises(NotCommissionedError, match="pozo commission"):
        Journal.open(tmp_path / "pozo.db", TABLE)
    with closing(new_journal(tmp_path)) as journal:
        assert journal.last.seq == 1
    assert not (tmp_path / "pozo.db.new").exists()


def test_a_lost_marker_is_made_again_from_the_journal(tmp_path: Path) -> None:
    new_journal(tmp_path).close()
    marker = tmp_path / "pozo.db.id"
    before = marker.read_bytes()
    marker.unlink()
    Journal.open(tmp_path / "pozo.db", TABLE).close()
    assert marker.read_bytes() == before


def test_a_second_writer_is_refused_while_the_first_lives(tmp_path: Path) -> None:
    with closing(new_journal(tmp_path)), pytest.raises(InUseError, match="another pozo process"):
        Journal.open(tmp_path / "pozo.db", TABLE)
    Journal.open(tmp_path / "pozo.db", TABLE).close()


def test_a_batch_is_stored_whole_or_not_at_all(tmp_path: Path) -> None:
    with closing(new_journal(tmp_path)) as journal:
        too_late = Entry(GameOverPressed(2**63), (), a_table())
        with pytest.raises(OverflowError):
            journal.append([*a_round(1), too_late], WALL_NS, wall_trusted=True)
    with closing(Journal.open(tmp_path / "pozo.db", TABLE)) as again:
        assert again.last.seq == 1


def test_an_append_of_nothing_is_a_mistake(tmp_path: Path) -> None:
    with closing(new_journal(tmp_path)) as journal, pytest.raises(ValueError, match="nothing to store"):
        journal.append([], WALL_NS, wall_trusted=True)


def test_a_closed_journal_stores_nothing(tmp_path: Path) -> None:
    journal = new_journal(tmp_path)
    journal.close()
    journal.close()
    with pytest.raises(OSError, match="was closed by this program"):
        journal.append(a_round(1), WALL_NS, wall_trusted=True)


def test_a_record_that_sqlite_refuses_spoils_only_itself(tmp_path: Path) -> None:
    def connect(path: Path) -> sqlite3.Connection:
        connection = schema.connect(path)
        if path.name == "pozo.db":
            connection.execute(
                "CREATE TEMP TRIGGER refuse BEFORE INSERT ON main.journal WHEN NEW.kind='coin_in_pressed' "
                "BEGIN SELECT RAISE(ABORT, 'not this one'); END"
            )
        return connection

    new_journal(tmp_path).close()
    with closing(Journal.open(tmp_path / "pozo.db", TABLE, connect)) as journal:
        with pytest.raises(RecordRefusedError, match="none of them was stored: not this one"):
            journal.append(a_round(1), WALL_NS, wall_trusted=True)
        journal.append(a_round(1)[:2], WALL_NS, wall_trusted=True)
        assert journal.last.seq == 3


def test_no_commit_begins_the_wal_anew_only_a_checkpoint_does(tmp_path: Path) -> None:
    with closing(new_journal(tmp_path)) as journal:
        for number in range(1, 4):
            salt = wal_salt(tmp_path)
            journal.append(a_round(number), WALL_NS, wall_trusted=True)
            journal.append(a_round(number)[:1], WALL_NS, wall_trusted=True)
            assert wal_salt(tmp_path) == salt
            journal.checkpoint()
            assert wal_salt(tmp_path) != salt


def test_a_checkpoint_with_nothing_new_does_nothing(tmp_path: Path) -> None:
    with closing(new_journal(tmp_path)) as journal:
        journal.append(a_round(1), WALL_NS, wall_trusted=True)
        journal.checkpoint()
        before = (tmp_path / "pozo.db-wal").read_bytes()
        journal.checkpoint()
        assert (tmp_path / "pozo.db-wal").read_bytes() == before


def test_commits_do_not_change_the_size_of_the_wal_file(tmp_path: Path) -> None:
    with closing(new_journal(tmp_path)) as journal:
        assert journal.reserved
        for number in range(1, 20):
            journal.append(a_round(number), WALL_NS, wall_trusted=True)
            assert (tmp_path / "pozo.db-wal").stat().st_size == 1 << 20


def test_the_wal_in_use_is_what_sqlite_says_it_is(tmp_path: Path) -> None:
    with closing(new_journal(tmp_path)) as journal:
        for number in range(1, 30):
            journal.append(a_round(number)[: number % 4 + 1], WALL_NS, wall_trusted=True)
            if number % 10 == 0:
                journal.checkpoint()
                assert journal.wal_bytes() == 32 + 2072  # the one page a checkpoint leaves
            with closing(sqlite3.connect(tmp_path / "pozo.db")) as other:
                _, frames, _ = other.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
            assert journal.wal_bytes() == 32 + frames * (24 + 2048)


def test_recent_and_count_find_events_and_results_by_kind(tmp_path: Path) -> None:
    with closing(new_journal(tmp_path)) as journal:
        for number in range(1, 10):
            journal.append([chip(number)], WALL_NS, wall_trusted=True)
        path = tmp_path / "pozo.db"
        assert [record.seq for record in recent(path, 3)] == [8, 9, 10]
        assert [record.event.at_ns for record in recent(path, 2, "chip_late")] == [6_000_000, 9_000_000]
        assert count(path, "chip_late") == 3
        assert count(path, "chip_dropped") == 9
        assert count(path, "round_locked") == 0


def test_a_text_that_looks_like_a_result_is_not_counted_as_one(tmp_path: Path) -> None:
    with closing(new_journal(tmp_path)) as journal:
        quoting = PhaseChanged(phase='[{"kind":"chip_late","seat":1}]')
        journal.append([Entry(CoinInPressed(5), (quoting,), a_table())], WALL_NS, wall_trusted=True)
        assert count(tmp_path / "pozo.db", "chip_late") == 0
        assert count(tmp_path / "pozo.db", "phase_changed") == 2, "the commissioning's and this one"


def test_files_get_the_mode_of_their_group_only(tmp_path: Path) -> None:
    previous = os.umask(0)
    try:
        journal = new_journal(tmp_path)
    finally:
        os.umask(previous)
    modes = {path.name: path.stat().st_mode & 0o777 for path in tmp_path.iterdir()}
    journal.close()
    assert modes == {"pozo.db": 0o640, "pozo.db-wal": 0o640, "pozo.db-shm": 0o600, "pozo.db.id": 0o600}
