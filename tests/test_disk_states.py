"""States of a disk after power cuts, opened by the real program; and builds that are wrong, each seen to be.

The long run: `python -m tests.disk_states --states 100000 --resume FILE` (docs/soak.md).
"""

import random
import sqlite3
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from unittest.mock import patch

import pytest

from controller.core import events as ev
from controller.core.state import Wager
from controller.drill.world import World
from controller.journal import Entry, schema, store, verify, wal
from controller.journal.record import Row
from controller.keeper import Keeper
from controller.outputs import Lamp
from controller.soak.disk import LossyMedium
from controller.soak.disk_calls import PowerCut
from controller.witness import DiskFiles, Witness, files
from tests.disk_states import USUAL, Plan, Tally, session_states
from tests.helpers_disk import TABLE, a_flush_fails, a_round
from tests.helpers_ledger import audit
from tests.helpers_world import MS, lamp, press, table

STATES = 2_000
right_insert, right_store = store._insert, Keeper.store
right_settings = schema.configure


@pytest.mark.slow
def test_thousands_of_legal_disk_states_come_back_as_they_must() -> None:
    tally = Tally(seed=2_026)
    while tally.opened < STATES:
        session_states(tally, STATES)
    assert tally.wrong == []
    assert tally.distinct == tally.opened >= STATES


CUTS = 1_000


@pytest.mark.slow
def test_F083_every_coin_whose_lamp_was_lit_is_there_after_a_thousand_cuts() -> None:
    """Half the cuts come the moment the lamp lights, half at some write or flush on the way to it."""
    rng = random.Random(83)
    medium = LossyMedium(83)
    world = World(TABLE, medium=medium)
    lit = Counter[str]()
    with closing(world):
        world.power_on(open_table=True)
        for number in range(CUTS):
            seat = number % 7 + 1
            if seat == 1 and number:
                press(world, ev.Button.COIN_IN)
                press(world, ev.Button.GAME_OVER)
            before = table(world).seats[seat - 1].dropped
            medium.disk.cut_after(rng.choice((None, rng.randrange(6))))
            shown = lamp_after_a_chip(world, seat)
            world.power_cut()
            world.power_on(open_table=False)
            world.drive(f"seat_{seat}", active=False)
            world.pass_time(60 * MS)
            stored = table(world).seats[seat - 1]
            assert stored.dropped - before in ({1} if shown else {0, 1})
            assert stored.wager is (Wager.PLACED if stored.dropped > before else Wager.NONE)
            lit[f"lit {shown}, stored {stored.dropped > before}"] += 1
        world.power_off()
        assert verify(medium.journal).bad is None
        audit(medium.journal)
    assert lit["lit True, stored False"] == 0
    assert min(lit["lit True, stored True"], lit["lit False, stored False"]) > 100


def lamp_after_a_chip(world: World, seat: int) -> bool:
    """Let a chip fall and go on until its lamp is lit for it, or the power is gone; whether it was lit."""
    try:
        world.drive(f"seat_{seat}", active=True)
        while lamp(world, seat) is not Lamp.PLACED:
            world.pass_time(MS)
    except PowerCut:
        return False
    return True


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
    "names are not flushed": (files, "sync_directory", names_are_not_flushed, USUAL),
    "a failed flush is believed": (wal.Wal, "write_again", not_written_again, FLUSH_FAILS),
    "the witness is not flushed": (DiskFiles, "overwrite", overwritten_without_a_flush, USUAL),
    "one slot of the witness only": (Witness, "_next", always_the_first_slot, USUAL),
    "the witness before the commit": (Keeper, "store", witness_before_commit, USUAL),
}
"""Builds that lose something only when the power goes, and what is played to see it."""


@pytest.mark.parametrize("name", BROKEN)
def test_a_build_that_loses_something_is_caught(name: str) -> None:
    target, attribute, broken, plan = BROKEN[name]
    # Few sessions show what a failed flush lost, and which ones changes with the length of what is stored: 17 does.
    tally = Tally(seed=17 if plan is FLUSH_FAILS else 8)
    with patch.object(target, attribute, broken):
        while not tally.wrong and tally.opened < STATES:
            session_states(tally, STATES, plan)
    assert tally.wrong
