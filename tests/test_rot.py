"""Ten thousand damages at rest to a table's files, the journal, its log and the witness: caught, or harmless.

Harmless means that the table starts and shows every amount as it was stored last; then also its whole history is the
right one, or `pozo journal verify` names the flaw. Caught means an error for people, and not a byte changed by it.
"""

import json
import random
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import msgspec
import pytest

from controller.assemble import assemble
from controller.clock import VirtualClock
from controller.core import events as ev
from controller.journal import JournalError, verify
from controller.soak.disk import read_tree, write_tree
from controller.soak.disk_model import Tree, without_zeros
from controller.witness import WitnessError
from hal.simulated import SimulatedHal
from tests.helpers_disk import TABLE, Session, a_round, an_award
from tests.helpers_ledger import Json
from tests.helpers_powercut import MEMORY
from tests.helpers_world import chip, press

TRIES = 850
SEEDS = range(4)
"""Each on three tables: more than ten thousand in all."""
JOURNAL, LOG, WITNESS = "journal.db", "journal.db-wal", "second/witness"
SLOTS = (f"{WITNESS}/slot-a", f"{WITNESS}/slot-b")
MONEY = ("pot", "awards")

Damage = Callable[[random.Random, Tree, "Truth"], None]


class Truth(NamedTuple):
    """A table's files as they were, some time before, and what its last record says."""

    tree: Tree
    earlier: Tree
    rows: list[tuple[object, ...]]
    state: Json


def stored(path: Path) -> list[tuple[object, ...]] | None:
    """Every row, read by SQLite alone; None if it cannot."""
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            return connection.execute("SELECT * FROM journal ORDER BY seq").fetchall()
    except (sqlite3.Error, UnicodeError):
        return None


@pytest.fixture(
    scope="module", params=["killed after a round", "killed with chips in the slots", "switched off"]
)
def truth(request: pytest.FixtureRequest) -> Truth:
    session = Session(1, [a_round], 0)
    world, medium = session.world, session.medium
    try:
        world.power_on(open_table=True)
        a_round(session)
        an_award(session)
        # What is behind a restart is in the journal's own file, what comes after it in the log.
        world.power_off()
        world.power_on(open_table=False)
        a_round(session)
        earlier = read_tree(medium.disk.root)
        a_round(session)
        chip(world, 2, 5)
        if request.param == "killed after a round":
            press(world, ev.Button.COIN_IN)
            press(world, ev.Button.GAME_OVER)
        if request.param == "switched off":
            # Then there is no log, and nothing of SQLite's own guards what the journal's pages hold.
            world.power_off()
        rows = stored(medium.journal)
        assert rows is not None
        return Truth(read_tree(medium.disk.root), earlier, rows, json.loads(str(rows[-1][8])))
    finally:
        if world.powered:
            world.kill()
        world.close()


def some_file(rng: random.Random, tree: Tree) -> tuple[str, int]:
    """A file, and how many of its bytes mean anything."""
    often = (JOURNAL, JOURNAL, JOURNAL, LOG, LOG, *SLOTS, *sorted(tree))
    name = rng.choice([each for each in often if tree.get(each)])
    return name, max(1, len(without_zeros(tree[name].rstrip(b" \n"))))


def flip_bits(rng: random.Random, tree: Tree, _truth: Truth) -> None:
    name, used = some_file(rng, tree)
    data = bytearray(tree[name])
    for _ in range(rng.choice((1, 1, 1, 2, 8))):
        data[rng.randrange(used)] ^= 1 << rng.randrange(8)
    tree[name] = bytes(data)


def spoil_a_sector(rng: random.Random, tree: Tree, _truth: Truth) -> None:
    name, used = some_file(rng, tree)
    data = bytearray(tree[name])
    begin = rng.randrange(used) // 512 * 512
    length = min(512 * rng.choice((1, 1, 4, 8)), len(data) - begin)
    data[begin : begin + length] = rng.choice((bytes(length), b"\xff" * length, rng.randbytes(length)))
    tree[name] = bytes(data)


def cut_short(rng: random.Random, tree: Tree, _truth: Truth) -> None:
    name, used = some_file(rng, tree)
    tree[name] = tree[name][: rng.randrange(used)]


def lose(rng: random.Random, tree: Tree, _truth: Truth) -> None:
    for name in rng.sample(sorted(tree), rng.choice((1, 1, 2))):
        del tree[name]


def turn_back(rng: random.Random, tree: Tree, truth: Truth) -> None:
    """Some files are those of some time before; journal and witness are never both that old."""
    for name in rng.choice(((JOURNAL, LOG), (JOURNAL,), (LOG,), SLOTS, SLOTS[:1], SLOTS[1:])):
        tree[name] = truth.earlier[name]


def both_slots(rng: random.Random, tree: Tree, _truth: Truth) -> None:
    for name in SLOTS:
        data = bytearray(tree[name])
        data[rng.randrange(1_000)] ^= 1 << rng.randrange(8)
        tree[name] = bytes(data)


def twice(rng: random.Random, tree: Tree, truth: Truth) -> None:
    flip_bits(rng, tree, truth)
    rng.choice((flip_bits, spoil_a_sector, cut_short))(rng, tree, truth)


DAMAGES: tuple[Damage, ...] = (
    *(flip_bits,) * 8,
    *(spoil_a_sector,) * 4,
    *(twice,) * 4,
    *(cut_short, lose, turn_back, both_slots),
)


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    place = (MEMORY if MEMORY.is_dir() else tmp_path) / f"pozo-rot-{tmp_path.parent.name}-{tmp_path.name}"
    place.mkdir()
    yield place
    shutil.rmtree(place)


def outcome(folder: Path, tree: Tree, truth: Truth) -> str:
    """What becomes of a start on these files. Fails on a wrong amount, and on a file changed by a refusal."""
    shutil.rmtree(folder)
    write_tree(tree, folder)
    settings = msgspec.structs.replace(TABLE, journal=folder / JOURNAL, witness=folder / WITNESS)
    clock = VirtualClock()
    try:
        loop, inbox = assemble(
            settings, SimulatedHal(settings.wiring, clock.monotonic_ns), clock, lambda _: None
        )
    except (JournalError, WitnessError) as error:
        return refused(folder, tree, type(error).__name__)
    try:
        shown = json.loads(msgspec.json.encode(loop.table))
        assert {name: shown.get(name) for name in MONEY} == {name: truth.state.get(name) for name in MONEY}
        found = stored(settings.journal)
    finally:
        loop.abandon()
        inbox.close()
    if found == truth.rows:
        return "nothing lost"
    if found is not None and found == truth.rows[: len(found)]:
        return "chips lost"
    assert verify(settings.journal).bad is not None, "a changed history that proves good"
    return "history damaged, and verify says where"


def refused(folder: Path, tree: Tree, how: str) -> str:
    """Where the history is in doubt every file stays as it is."""
    after = read_tree(folder)
    assert [name for name, data in tree.items() if after.get(name) != data] == [], how
    return how


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_ten_thousand_damages_at_rest_never_show_a_wrong_amount(
    truth: Truth, folder: Path, seed: int
) -> None:
    rng = random.Random(seed)
    outcomes: Counter[str] = Counter()
    for number in range(TRIES):
        damage = rng.choice(DAMAGES)
        tree = dict(truth.tree)
        damage(rng, tree, truth)
        try:
            outcomes[outcome(folder, tree, truth)] += 1
        except Exception as error:
            raise AssertionError(f"damage {number} of seed {seed}, {damage.__name__}") from error
    assert outcomes["nothing lost"] > 100
    assert outcomes["StrandedError"] > 100
    assert outcomes["history damaged, and verify says where"] > 100
