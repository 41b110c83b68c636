"""Rows of the field log that the journal answers for. Each test carries its row's number."""

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from controller.journal import (
    InUseError,
    Journal,
    ReadOnlyError,
    ends_of,
    reader,
    records,
    schema,
    verify,
)
from tests.helpers_table import TABLE, WALL_NS, a_round, chip, commissioning, filled, new_journal

DAY_NS = 86_400_000_000_000
ROOT = Path(__file__).parent.parent


def test_F082_every_connection_that_writes_has_full_synchronisation(tmp_path: Path) -> None:
    made: list[sqlite3.Connection] = []
    settings: list[tuple[int, str, int]] = []

    def connect(path: Path) -> sqlite3.Connection:
        made.append(schema.connect(path))
        return made[-1]

    def look() -> None:
        ask = made[-1].execute
        settings.append(
            (
                ask("PRAGMA synchronous").fetchone()[0],
                ask("PRAGMA journal_mode").fetchone()[0],
                ask("PRAGMA foreign_keys").fetchone()[0],
            )
        )

    journal = Journal.create(
        tmp_path / "pozo.db", TABLE, commissioning(), WALL_NS, wall_trusted=True, connect=connect
    )
    look()
    journal.append(a_round(1), WALL_NS, wall_trusted=True)
    journal.checkpoint()
    look()
    journal.close()
    with closing(Journal.open(tmp_path / "pozo.db", TABLE, connect)):
        look()
    assert settings == [(2, "wal", 1)] * 3  # 2 is FULL


def test_F082_every_other_connection_cannot_write(tmp_path: Path) -> None:
    path = filled(tmp_path, 1)
    with pytest.raises(ReadOnlyError), reader(path) as connection:
        connection.execute("DELETE FROM journal")
    assert ends_of(path).last.seq == 5


def test_F083_what_was_acknowledged_is_there_after_a_cut(tmp_path: Path) -> None:
    with closing(new_journal(tmp_path)) as journal:
        for number in range(1, 30):
            journal.append(a_round(number)[:2], WALL_NS, wall_trusted=True)
            if number % 7 == 0:
                journal.checkpoint()
            after_cut = tmp_path / f"cut{number}"
            after_cut.mkdir()
            for name in ("pozo.db", "pozo.db-wal", "pozo.db.id"):
                shutil.copy(tmp_path / name, after_cut)
            with closing(Journal.open(after_cut / "pozo.db", TABLE)) as recovered:
                assert recovered.last == journal.last
            assert verify(after_cut / "pozo.db", journal.head).bad is None


def test_F083_a_commit_torn_at_any_byte_is_there_whole_or_not_at_all(tmp_path: Path) -> None:
    with closing(new_journal(tmp_path)) as journal:
        journal.append(a_round(1), WALL_NS, wall_trusted=True)
        before, wal_before = journal.head, (tmp_path / "pozo.db-wal").read_bytes()
        journal.append(a_round(2), WALL_NS, wall_trusted=True)
        after, wal = journal.head, (tmp_path / "pozo.db-wal").read_bytes()
        torn = tmp_path / "torn"
        torn.mkdir()
        changed = [at for at in range(len(wal)) if wal[at] != wal_before[at]]
        points = [*random.Random(3).sample(range(changed[0], changed[-1] + 1), 300), changed[-1] + 1]
        heads = []
        for point in points:
            shutil.copy(tmp_path / "pozo.db", torn)
            (torn / "pozo.db-wal").write_bytes(wal[:point] + wal_before[point:])
            (torn / "pozo.db-shm").unlink(missing_ok=True)
            verdict = verify(torn / "pozo.db")
            assert verdict.bad is None
            heads.append(verdict.head)
    assert set(heads[:-1]) <= {before, after}
    assert before in heads
    assert heads[-1] == after


def test_F084_a_reader_may_hold_the_wal_back_but_it_shrinks_again(tmp_path: Path) -> None:
    with closing(new_journal(tmp_path)) as journal:
        with reader(tmp_path / "pozo.db") as report:
            report.execute("BEGIN")
            report.execute("SELECT count(*) FROM journal").fetchone()
            for number in range(1, 501):
                journal.append(a_round(number), WALL_NS, wall_trusted=True)
                journal.checkpoint()
            assert journal.wal_bytes() > schema.RESERVE_BYTES  # what the loop raises its alarm on
        journal.checkpoint()
        assert journal.wal_bytes() < 10_000
        assert (tmp_path / "pozo.db-wal").stat().st_size == schema.RESERVE_BYTES


def test_F084_a_long_read_through_this_program_holds_nothing_back(tmp_path: Path) -> None:
    filled(tmp_path, 300)  # 1,201 records, more than one page of a read
    with closing(Journal.open(tmp_path / "pozo.db", TABLE)) as journal:
        reading = records(tmp_path / "pozo.db")
        assert next(reading).seq == 1
        journal.append(a_round(301), WALL_NS, wall_trusted=True)
        salt = (tmp_path / "pozo.db-wal").read_bytes()[16:24]
        journal.checkpoint()
        assert (tmp_path / "pozo.db-wal").read_bytes()[16:24] != salt
        assert sum(1 for _ in reading) == 1_204


def test_F086_a_foreign_lock_is_waited_for_and_the_coin_is_stored(tmp_path: Path) -> None:
    with (
        closing(new_journal(tmp_path)) as journal,
        closing(
            sqlite3.connect(tmp_path / "pozo.db", isolation_level=None, check_same_thread=False)
        ) as foreign,
    ):
        foreign.execute("BEGIN IMMEDIATE")
        begun = threading.Event()

        def ten_coins() -> None:
            begun.set()
            for number in range(1, 11):
                journal.append([chip(number)], WALL_NS, wall_trusted=True)

        coins = threading.Thread(target=ten_coins)
        coins.start()
        assert begun.wait(10)
        foreign.execute("COMMIT")
        foreign.execute("BEGIN")
        foreign.execute("SELECT count(*) FROM journal").fetchone()
        coins.join(10)
        assert journal.last.seq == 11


def test_F086_a_lock_held_too_long_is_an_error_that_stores_nothing_and_passes(tmp_path: Path) -> None:
    def impatient(path: Path) -> sqlite3.Connection:
        connection = schema.connect(path)
        connection.execute("PRAGMA busy_timeout=0")
        return connection

    new_journal(tmp_path).close()
    with (
        closing(Journal.open(tmp_path / "pozo.db", TABLE, impatient)) as journal,
        closing(sqlite3.connect(tmp_path / "pozo.db", isolation_level=None)) as foreign,
    ):
        foreign.execute("BEGIN IMMEDIATE")
        for batch in (a_round(1), a_round(1)[:1]):
            with pytest.raises(InUseError, match="nothing was stored"):
                journal.append(batch, WALL_NS, wall_trusted=True)
        foreign.execute("COMMIT")
        journal.append(a_round(1), WALL_NS, wall_trusted=True)
        assert journal.last.seq == 5


def test_F094_F095_a_wall_clock_that_steps_back_changes_no_order(tmp_path: Path) -> None:
    new_journal(tmp_path).close()
    with closing(Journal.open(tmp_path / "pozo.db", TABLE)) as journal:
        journal.append(a_round(1), WALL_NS - 13 * DAY_NS, wall_trusted=False)
        journal.append(a_round(2), WALL_NS, wall_trusted=True)
        journal.append(a_round(3), WALL_NS - 3 * DAY_NS, wall_trusted=True)
    found = list(records(tmp_path / "pozo.db"))
    assert [record.event for record in found[1:]] == [e.event for n in (1, 2, 3) for e in a_round(n)]
    assert [record.wall_trusted for record in found] == [True] + [False] * 4 + [True] * 8
    assert verify(tmp_path / "pozo.db").bad is None


CHILD = """
import sys
from pathlib import Path
from tests.helpers_table import TABLE, WALL_NS, a_round
from controller.journal import Journal
journal = Journal.open(Path(sys.argv[1]), TABLE)
number = 0
while True:
    number += 1
    journal.append(a_round(number)[:3], WALL_NS, wall_trusted=True)
    print(journal.last.seq, flush=True)
"""


def test_F108_a_killed_process_leaves_whole_batches_and_all_that_it_told(tmp_path: Path) -> None:
    path = filled(tmp_path, 0)
    draw = random.Random(108)
    before = 1
    for _ in range(12):
        child = subprocess.Popen(
            [sys.executable, "-c", CHILD, path],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            text=True,
        )
        assert child.stdout is not None
        told = [int(child.stdout.readline()) for _ in range(draw.randint(1, 60))]
        child.send_signal(signal.SIGKILL)
        told += [int(line) for line in child.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
        child.stdout.close()
        assert child.wait(10) == -signal.SIGKILL
        verdict = verify(path)
        assert verdict.bad is None
        assert verdict.records in {told[-1], told[-1] + 3}
        assert (verdict.records - before) % 3 == 0
        before = verdict.records
