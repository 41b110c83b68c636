"""Slots of a witness and journals to compare and to spoil, and a table that loses one copy or the other."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec
from msgspec.structs import replace

from controller.clock import VirtualClock
from controller.core import events as ev
from controller.drill.medium import Medium
from controller.drill.play import settings_of
from controller.drill.world import World
from controller.journal import Journal, page
from controller.journal.record import Row
from controller.recovery import Done, Paper, Request, recover
from controller.signing.key import PrivateKey
from controller.witness.slot import SLOT_BYTES, Slot, decode_slot, encode
from tests.helpers_signing import PUBLIC, SEED
from tests.helpers_table import TABLE, WALL_NS, a_round, a_table, commissioning
from tests.helpers_world import chip, press, table

BASE = 10_000_000
"""The simulated table's pot at first: 100,000.00."""
PER_WAGER = 500
"""Half of a wager of 10.00 goes to the pot."""


NOTED = '[{"kind":"noted"}]'

PAPER = Paper({"main": 12_345_678}, round=42, last_award=7, received=(), unpaid=())
"""What two persons read from paper."""


def rows_of(directory: Path, rounds: int = 3) -> list[Row]:
    """The rows of a journal made by hand: the commissioning, then four for each round."""
    journal = Journal.create(
        directory / f"rows-{rounds}.db", TABLE, commissioning(), WALL_NS, wall_trusted=True
    )
    with closing(journal):
        for number in range(1, rounds + 1):
            journal.append(a_round(number), WALL_NS, wall_trusted=True)
    return page(journal.path, 0)


def slot_file(row: Row, serial: int = 1, table: str = TABLE, seed: bytes | None = SEED) -> bytes:
    """A slot's whole file, signed with the virtual tables' key, another one, or none."""
    key = None if seed is None else PrivateKey.from_seed(seed)
    return encode(table, serial, row, key).ljust(SLOT_BYTES)


def a_slot(row: Row, serial: int = 1, table: str = TABLE, seed: bytes | None = SEED) -> Slot:
    return decode_slot(slot_file(row, serial, table, seed))


def long_row(received: int) -> Row:
    """A row whose state has taken in so many transfers."""
    names = tuple(f"{number:036d}" for number in range(received))
    state = msgspec.json.encode(replace(a_table(), received=names)).decode()
    return (9, 1, 1, WALL_NS, 1, "stopped", '{"kind":"stopped","at_ns":1,"why":"x"}', NOTED, state, "d" * 64)


@contextmanager
def played(rounds: int = 1, medium: Medium | None = None) -> Iterator[World]:
    """A table under power that has played rounds of two wagers, its bets open again."""
    with closing(World(settings_of("simulated", {}), medium=medium)) as world:
        world.power_on(open_table=True)
        for _ in range(rounds):
            a_round_of(world)
        yield world


def a_round_of(world: World, *seats: int) -> None:
    """One round: chips on seats 1 and 2, or on these, COIN IN, GAME OVER."""
    chip(world, *(seats or (1, 2)))
    press(world, ev.Button.COIN_IN)
    press(world, ev.Button.GAME_OVER)


def pot(world: World) -> int:
    """The main pot in minor units."""
    return table(world).pot.levels[0].current


def slots(world: World) -> list[bytes]:
    return [(world.medium.witness / name).read_bytes() for name in ("slot-a", "slot-b")]


def kept(world: World) -> dict[Path, bytes]:
    """Every file of journal and witness as it is, without what SQLite makes to read: shared memory, an empty log."""
    folder = world.medium.journal.parent
    return {
        path: path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not path.name.endswith(("-shm", ".lock"))
        if path.stat().st_size or not path.name.endswith("-wal")
    }


def journal_files(world: World) -> dict[str, bytes]:
    """The journal and its log, to be put back as they were."""
    path = world.medium.journal
    names = [path.name, f"{path.name}-wal"]
    return {name: path.with_name(name).read_bytes() for name in names if path.with_name(name).exists()}


def put_back(world: World, files: dict[str, bytes]) -> None:
    path = world.medium.journal
    for tail in ("", "-wal", "-shm"):
        path.with_name(path.name + tail).unlink(missing_ok=True)
    for name, data in files.items():
        path.with_name(name).write_bytes(data)


def lose_journal(world: World) -> None:
    put_back(world, {})


def recovered(
    world: World,
    trusted: ev.Trusted | None = None,
    paper: Paper | None = None,
    reason: str = "a new card",
    filed: str | None = PUBLIC,
) -> Done:
    """What Ana and Luis do with both keys, and the filed key in hand, at a table without power."""
    request = Request(trusted, "Ana", "Luis", reason, paper, filed=filed)
    return recover(world.places, VirtualClock(), request, world.connect, files=world.medium.files)
