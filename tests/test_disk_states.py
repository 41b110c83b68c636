"""States of a disk after power cuts, opened by the real program; and builds that are wrong, each seen to be.

The long run: `python -m tests.disk_states --states 100000 --resume FILE` (docs/soak.md).
"""

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from unittest.mock import patch

import pytest

from controller.journal import Entry, marker, schema, store, wal
from controller.journal.record import Row
from controller.keeper import Keeper
from controller.witness import DiskFiles, Witness
from tests.disk_states import USUAL, Plan, Tally, session_states
from tests.helpers_disk import a_flush_fails, a_round

STATES = 2_000
right_insert, right_store = store._insert, Keeper.store
right_settings = schema.configure


def test_thousands_of_legal_disk_states_come_back_as_they_must() -> None:
    tally = Tally(seed=2_026)
    while tally.opened < STATES:
        session_states(tally, STATES)
    assert tally.wrong == []
    assert tally.distinct == STATES


def commits_without_a_flush(connection: sqlite3.Connection) -> None:
    right_settings(connection)
    connection.execute("PRAGMA synchronous=NORMAL")


def nothing_is_flushed(connection: sqlite3.Connection) -> None:
    right_settings(connection)
    connection.execute("PRAGMA synchronous=OFF")


def committed_by_the_next_one(connection: sqlite3.Connection, rows: list[Row]) -> None:
    if connection.in_transaction:
        connection.execute("COMMIT")
    connection.execute("BEGIN IMMEDIATE")
    connection.executemany(schema.INSERT_SQL, rows)


def names_are_not_flushed(_directory: Path) -> None:
    """What a program does that forgets that a directory is written too."""


def not_written_again(_wal: wal.Wal) -> None:
    """What a start does that believes the system's memory."""


def overwritten_without_a_flush(_files: DiskFiles, path: Path, data: bytes) -> None:
    with path.open("r+b") as file:
        file.write(data)


def always_the_first_slot(_witness: Witness) -> int:
    return 0


def witness_before_commit(keeper: Keeper, entries: Sequence[Entry]) -> bool:
    """The row is made as the journal makes it, and shown to the witness before SQLite has it."""
    journal = keeper._journal
    assert journal is not None

    def insert(connection: sqlite3.Connection, rows: list[Row]) -> None:
        keeper._second.owe(entries, rows[-1])
        keeper._second.settle(0)
        right_insert(connection, rows)

    with patch.object(store, "_insert", insert):
        return right_store(keeper, entries)


FLUSH_FAILS = Plan([a_round, a_flush_fails], length=4, each=40)

BROKEN: dict[str, tuple[object, str, Callable[..., object], Plan]] = {
    "commits without a flush": (schema, "configure", commits_without_a_flush, USUAL),
    "nothing is flushed": (schema, "configure", nothing_is_flushed, USUAL),
    "told before the commit": (store, "_insert", committed_by_the_next_one, USUAL),
    "names are not flushed": (marker, "sync_directory", names_are_not_flushed, USUAL),
    "a failed flush is believed": (wal.Wal, "write_again", not_written_again, FLUSH_FAILS),
    "the witness is not flushed": (DiskFiles, "overwrite", overwritten_without_a_flush, USUAL),
    "one slot of the witness only": (Witness, "_next", always_the_first_slot, USUAL),
    "the witness before the commit": (Keeper, "store", witness_before_commit, USUAL),
}
"""Builds that lose something only when the power goes, and what is played to see it."""


@pytest.mark.parametrize("name", BROKEN)
def test_a_build_that_loses_something_is_caught(name: str) -> None:
    target, attribute, broken, plan = BROKEN[name]
    tally = Tally(seed=8)
    with patch.object(target, attribute, broken):
        while not tally.wrong and tally.opened < STATES:
            session_states(tally, STATES, plan)
    assert tally.wrong
