"""The pump against a real PostgreSQL: each record once, whatever is killed, cut, silent, replayed or replaced."""

import sqlite3
import tracemalloc
from collections.abc import Iterator
from contextlib import closing
from itertools import pairwise
from pathlib import Path

import pytest

from controller.clock import VirtualClock
from controller.floor import Floor
from controller.journal.chain import GENESIS, Head
from controller.link import reach
from controller.link.outbox import PAGE, START, OtherHistoryError, after
from controller.link.pauses import Pauses
from controller.link.pump import Ends, Pump
from tests.helpers_floor import Hall, Player, alarm_kinds, hall
from tests.helpers_link import Wire, cabled, cut_off, store, wired
from tests.helpers_postgres import own_cluster
from tests.helpers_world import SECOND


@pytest.fixture
def floor() -> Iterator[Hall]:
    with hall() as made:
        yield made


def played(rounds: int, table: str = "mvd-07") -> Player:
    player = Player(table)
    for number in range(rounds):
        player.play(1 + number % 7)
    return player


def offline(folder: Path, table: Player) -> tuple[Pump, VirtualClock]:
    """A pump whose floor is not there."""
    clock = VirtualClock()
    journal = store(folder / f"{table.table_id}.db", table.rows)
    conninfo = f"host={folder} dbname=pozo user={table.table_id}"
    ends = Ends(
        table.table_id, journal, lambda: reach.reach(conninfo, table.table_id), lambda _: None, "pozo test"
    )
    return Pump(ends, clock, lambda: 0.5), clock


def test_everything_arrives_in_pages_and_the_table_hears_how_far_it_is(tmp_path: Path, floor: Hall) -> None:
    with wired(tmp_path, floor, played(100)) as wire:
        wire.turn()
        assert wire.pump.head is not None
        assert wire.pump.head.seq == PAGE
        wire.until_idle()
        wire.exact()
        last = wire.player.rows[-1]
        beat = wire.beats[-1]
        assert (beat.table, beat.why, beat.seq, beat.digest) == ("mvd-07", "", last[0], last[-1])
        assert beat.offset_ns == floor.one("SELECT offset_ns FROM pozo.hellos")
        assert floor.one("SELECT program FROM pozo.hellos") == "pozo test"


def test_what_is_played_goes_on_from_where_the_floor_is_and_a_second_pump_begins_there(
    tmp_path: Path, floor: Hall
) -> None:
    with wired(tmp_path, floor, played(3)) as wire:
        wire.until_idle()
        wire.player.play(2, 5)
        wire.catch_up()
        wire.until_idle()
        wire.exact()
        wire.pump.close()
        wire.player.play(1)
        wire.catch_up()
        second = Wire(tmp_path / "second", floor, wire.player)
        with closing(second.pump):
            second.turn()
            assert second.pump.head is not None
            assert second.pump.head.seq == len(wire.player.rows), (
                "one page was enough: it began at the floor's head"
            )
        wire.exact()


def test_beats_come_once_a_second_each_of_its_own_moment(tmp_path: Path, floor: Hall) -> None:
    with wired(tmp_path, floor) as wire:
        wire.turn(20)
        stamps = [beat.sent_ns for beat in wire.beats]
        assert all(later - earlier >= SECOND for earlier, later in pairwise(stamps))
        assert len(stamps) >= 10


def test_a_killed_backend_costs_a_second_and_no_record(tmp_path: Path, floor: Hall) -> None:
    with wired(tmp_path, floor, played(2)) as wire:
        wire.until_idle()
        for number in range(5):
            wire.player.play(1 + number)
            wire.catch_up()
            floor.rows(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE usename = 'mvd-07'"
            )
            begun = wire.clock.monotonic_ns()
            assert "does not answer" in wire.until_trouble()
            wire.until_idle()
            assert wire.clock.monotonic_ns() - begun < 6 * SECOND, (
                "each time the first pause, not the next one"
            )
        wire.exact()
        assert wire.reaches == 6


@pytest.mark.slow
def test_a_stopped_floor_is_tried_ever_more_seldom_and_play_waits_in_the_journal(tmp_path: Path) -> None:
    with own_cluster() as cluster:
        made = Hall(cluster)
        with wired(tmp_path, made, played(2)) as wire:
            wire.until_idle()
            made.owner.close()
            cluster.kill()
            wire.beats.clear()
            begun = wire.clock.monotonic_ns()
            tries = wire.reaches
            while wire.clock.monotonic_ns() < begun + 3_600 * SECOND:
                wire.turn()
            # 1, 2, 4 … 32 s and then a minute, each shortened by a quarter here: some 80 tries in the hour.
            assert 75 <= wire.reaches - tries <= 90
            assert all("does not answer" in beat.why for beat in wire.beats[1:])
            assert wire.beats[-1].seq == len(wire.player.rows)
            wire.player.play(3)
            wire.catch_up()
            cluster.start()
            made.owner = cluster.connect(made.database)
            wire.until_idle()
            wire.exact()
            made.owner.close()


def test_a_cut_line_a_refusing_and_a_silent_one(
    tmp_path: Path, floor: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reach, "LIMIT_S", 0.3)
    line = tmp_path / "line"
    line.mkdir()
    with wired(tmp_path, floor, played(2)) as wire, cabled(line, wire) as cable:
        wire.until_idle()
        for number in range(3):
            wire.player.play(1 + number)
            wire.catch_up()
            cable.cut()
            assert wire.until_trouble()
            cable.refusing = True
            wire.turn(5)
            assert wire.pump.trouble
            cable.refusing = False
            wire.until_idle()
        cable.silent = True
        wire.player.play(6)
        wire.catch_up()
        assert "does not answer" in wire.until_trouble(), (
            "a peer that says nothing keeps nobody waiting for ever"
        )
        cable.silent = False
        wire.until_idle()
        wire.exact()


def test_a_thousand_replays_change_nothing(tmp_path: Path, floor: Hall) -> None:
    with wired(tmp_path, floor, played(10)) as wire:
        wire.until_idle()
        rows = wire.player.rows
        with Floor.connect(wire.conninfo, "mvd-07") as replayer:
            for number in range(1_000):
                begin = number % len(rows)
                assert replayer.report(rows[begin : begin + 3]).seq == len(rows)
        wire.player.play(4)
        wire.catch_up()
        wire.until_idle()
        wire.exact()
        assert alarm_kinds(floor) == []


def restore_to(floor: Hall, seq: int) -> None:
    """Make the floor what it was when it had this record: an older backup."""
    floor.rows("DELETE FROM pozo.records WHERE seq > %s RETURNING seq", seq)
    for name in ("movements", "seats", "awards", "faults", "rounds", "parameters", "accesses"):
        floor.rows(f"DELETE FROM pozo.{name} WHERE seq > %s RETURNING 1", seq)
    head = "UPDATE pozo.heads SET seq = r.seq, digest = r.digest FROM pozo.records AS r WHERE r.seq = %s RETURNING 1"
    floor.rows(head, seq)


def test_a_floor_restored_from_an_older_backup_is_sent_what_it_lacks(tmp_path: Path, floor: Hall) -> None:
    with wired(tmp_path, floor, played(2)) as wire:
        wire.until_idle()
        restore_to(floor, 5)
        wire.player.play(3)
        wire.catch_up()
        wire.until_idle()
        assert floor.one("SELECT seq FROM pozo.heads") == len(wire.player.rows)


def test_a_pump_that_stopped_asks_the_floor_again_and_goes_on_once_they_agree(
    tmp_path: Path, floor: Hall
) -> None:
    with wired(tmp_path, floor, played(4)) as wire:
        wire.until_idle()
        cut_off(wire.journal, 8)
        assert "has no such record" in wire.until_trouble()
        restore_to(floor, 5)
        del wire.player.rows[8:]
        wire.until_idle()
        assert floor.one("SELECT seq FROM pozo.heads") == 8


@pytest.mark.parametrize("kind", ["behind", "forked"])
def test_a_journal_older_than_the_floor_or_another_one_is_not_reported_until_it_is_the_true_one(
    tmp_path: Path, floor: Hall, kind: str
) -> None:
    player = played(4)
    with wired(tmp_path, floor, player) as wire:
        wire.until_idle()
        head = player.rows[-1]
        wire.journal.unlink()
        other = played(3)
        if kind == "forked":
            for _ in range(3):
                other.play(7)
        store(wire.journal, other.rows)
        wire.turn(3)
        assert f"the floor has record {head[0]}:{head[-1]}" in wire.pump.trouble
        assert "is to be trusted: stop the table" in wire.pump.trouble
        assert wire.beats[-1].why.startswith("the floor has record")
        assert (wire.beats[-1].seq, wire.beats[-1].digest) == (head[0], head[-1]), "the table judges by it"
        assert floor.one("SELECT seq FROM pozo.heads") == head[0]
        wire.journal.unlink()
        store(wire.journal, player.rows)
        wire.until_idle()
        wire.exact()


def test_a_record_changed_in_the_journal_is_not_taken_and_nothing_after_it(
    tmp_path: Path, floor: Hall
) -> None:
    with wired(tmp_path, floor, played(4)) as wire:
        with closing(sqlite3.connect(wire.journal)) as connection, connection:
            connection.execute("UPDATE journal SET wall_ns = wall_ns + 1 WHERE seq = 8")
        wire.turn(3)
        assert "verify the journal" in wire.pump.trouble
        assert floor.one("SELECT seq FROM pozo.heads") == 0
        assert [kind for (kind, _times) in alarm_kinds(floor)] == ["broken"]


def test_a_journal_that_is_not_there_yet_is_waited_for(tmp_path: Path, floor: Hall) -> None:
    with wired(tmp_path, floor, played(1)) as wire:
        away = wire.journal.rename(tmp_path / "away")
        wire.turn(2)
        assert "run `pozo commission`" in wire.pump.trouble
        away.rename(wire.journal)
        wire.until_idle()
        wire.exact()


def test_a_login_that_speaks_for_another_table_reports_nothing(tmp_path: Path, floor: Hall) -> None:
    with wired(tmp_path, floor, played(1)) as wire:
        floor.table("mvd-08").close()
        wire.conninfo = floor.cluster.conninfo(floor.database, "mvd-08")
        wire.turn(2)
        assert "does not speak for table mvd-07" in wire.pump.trouble
        assert floor.one("SELECT seq FROM pozo.heads WHERE table_id = 'mvd-07'") == 0


def test_pages_follow_each_other_and_hold_the_head_to_its_digest(tmp_path: Path) -> None:
    rows = played(2).rows
    path = store(tmp_path / "mvd-07.db", rows)
    assert after(path, START, "X") == rows
    assert after(path, START, "X", limit=3) == rows[:3]
    assert after(path, Head(3, rows[2][-1]), "X", limit=3) == rows[3:6]
    assert after(path, Head(len(rows), rows[-1][-1]), "X") == []
    with pytest.raises(OtherHistoryError, match=f"X has record 3:{GENESIS} .* has 3:{rows[2][-1]} there"):
        after(path, Head(3, GENESIS), "X")
    cut_off(path, 4)
    with pytest.raises(OtherHistoryError, match="has no such record"):
        after(path, Head(5, rows[4][-1]), "X")


def test_pauses_double_up_to_a_minute_and_lie_in_the_upper_half() -> None:
    least, most = Pauses(lambda: 0.0), Pauses(lambda: 0.999_999)
    assert [least.next_ns() // 10**8 for _ in range(8)] == [5, 10, 20, 40, 80, 160, 300, 300]
    assert [round(most.next_ns() / 10**9) for _ in range(8)] == [1, 2, 4, 8, 16, 32, 60, 60]
    most.over()
    assert round(most.next_ns() / 10**9) == 1


def test_F110_a_floor_away_for_a_day_costs_no_memory(tmp_path: Path) -> None:
    """86,400 beats and 1,440 tries; what is played meanwhile waits in the journal and nowhere else."""
    table = Player()
    pump, clock = offline(tmp_path, table)

    def hours(number: int) -> None:
        end = clock.monotonic_ns() + number * 3_600 * SECOND
        while clock.monotonic_ns() < end:
            clock.move_to(max(pump.turn(), clock.monotonic_ns()))

    hours(1)
    known = len(table.rows)
    for _ in range(500):
        table.play(1)
    store(tmp_path / "mvd-07.db", table.rows[known:])
    tracemalloc.start()
    hours(24)
    kept, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert kept < 1_000_000, "a megabyte; the field log allows five"
    assert most < 2_000_000
    assert pump.trouble


@pytest.mark.slow
def test_ten_thousand_rounds_off_the_floor_are_caught_up_exactly(tmp_path: Path, floor: Hall) -> None:
    with wired(tmp_path, floor, played(10_000)) as wire:
        wire.until_idle(turns=1_000)
        wire.exact()
