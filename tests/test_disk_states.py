"""States of a disk after power cuts, opened by the real program; and builds that are wrong, each seen to be.

The long run: `python -m tests.disk_states --states 100000 --resume FILE` (docs/soak.md).
"""

import sqlite3
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

import pytest

from controller.journal import marker, schema, store, wal
from controller.journal.record import Row
from tests.disk_states import Tally, session_states

STATES = 2_000
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


BROKEN: dict[str, tuple[object, str, Callable[..., None]]] = {
    "commits without a flush": (schema, "configure", commits_without_a_flush),
    "nothing is flushed": (schema, "configure", nothing_is_flushed),
    "told before the commit": (store, "_insert", committed_by_the_next_one),
    "what a failed flush left is believed": (wal.Wal, "write_again", not_written_again),
    "names are not flushed": (marker, "sync_directory", names_are_not_flushed),
}
"""Builds that lose something only when the power goes."""


@pytest.mark.parametrize("name", BROKEN)
def test_a_build_that_loses_something_is_caught(name: str) -> None:
    tally = Tally(seed=6)
    with patch.object(*BROKEN[name]):
        while not tally.wrong and tally.opened < STATES:
            session_states(tally, STATES)
    assert tally.wrong
