"""What the journal's benchmarks share: records as a busy table makes them, and raw files to hold against it."""

import os
from collections.abc import Iterator
from itertools import chain, count
from pathlib import Path

import msgspec

from controller.config import game_digest, load
from controller.core import events as ev
from controller.core.game import Game
from controller.core.state import Table
from controller.core.table import commission, step
from controller.journal import Entry, Journal, schema
from controller.signing.heads import Signer
from controller.signing.key import PrivateKey

TABLE = "BENCH-1"
KEY = PrivateKey.from_seed(bytes(32))
SIGN = Signer(TABLE, KEY)
WALL_NS = 1_767_225_600_000_000_000


def first(game: Game) -> Entry:
    """The commissioning."""
    rules = msgspec.json.encode(game).decode()
    event = ev.Commissioned(0, TABLE, game_digest(game), rules, KEY.public)
    table, results = commission(game, event)
    return Entry(event, results, table)


OPENING: tuple[ev.AnyEvent, ...] = (
    ev.KeyTurned(1, ev.Key.SUPERVISOR, on=True),
    ev.LampTestStarted(2),
    ev.TableOpened(3),
    ev.KeyTurned(4, ev.Key.SUPERVISOR, on=False),
)


def a_round(now: int) -> tuple[ev.AnyEvent, ...]:
    """Five wagers and one chip too many, COIN IN, a late chip, GAME OVER: nine events from `now` on."""
    return (
        *(ev.ChipDropped(now + seat * 1_000_000, seat) for seat in (1, 2, 4, 5, 7, 4)),
        ev.CoinInPressed(now + 8_000_000_000),
        ev.ChipDropped(now + 9_000_000_000, 3),
        ev.GameOverPressed(now + 50_000_000_000),
    )


def entries(game: Game, table: Table) -> Iterator[Entry]:
    """What the rules make of opening the table and of rounds without end."""
    events = chain(OPENING, chain.from_iterable(a_round(60_000_000_000 * number) for number in count(1)))
    for event in events:
        table, results = step(game, table, event)
        yield Entry(event, results, table)


def new_journal(directory: Path, game: Game) -> Journal:
    """A journal in a directory of its own, its first record signed."""
    directory.mkdir()
    begun = first(game)
    seal = SIGN((begun,), 0)
    return Journal.create(directory / "pozo.db", TABLE, begun, WALL_NS, wall_trusted=True, seal=seal)


def game() -> Game:
    """The shipped simulated table's rules."""
    return load("simulated").game


class Raw:
    """A file of the WAL's size, filled beforehand: the least a durable append can cost is a write and a flush."""

    def __init__(self, path: Path, size: int) -> None:
        self._bytes = bytes(size)
        self._at = 0
        self._file = os.open(path, os.O_RDWR | os.O_CREAT)
        os.pwrite(self._file, bytes(schema.RESERVE_BYTES), 0)
        os.fsync(self._file)

    def append(self) -> None:
        """Write and flush once."""
        if self._at + len(self._bytes) > schema.RESERVE_BYTES:
            self._at = 0
        os.pwrite(self._file, self._bytes, self._at)
        self._at += len(self._bytes)
        os.fdatasync(self._file)

    def close(self) -> None:
        """Give the file back."""
        os.close(self._file)
