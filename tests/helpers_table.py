"""Small tables and journals built by hand for tests that need one but not the rules."""

from contextlib import closing
from pathlib import Path

from controller.core.events import (
    AnyEvent,
    AnyResult,
    ChipDropped,
    ChipLate,
    CoinInPressed,
    Commissioned,
    GameOverPressed,
    PhaseChanged,
    RoundEnded,
    RoundLocked,
    WagerPlaced,
)
from controller.core.state import Level, Phase, Pot, Seat, Table, Wager
from controller.journal import Entry, Journal, schema

TABLE = "mesa-4"
GAME = "5f" * 32
WALL_NS = 1_767_225_600_000_000_000
"""2026-01-01 00:00:00 UTC."""


def a_table(bets: int = 0, phase: Phase = Phase.OPEN, rounds: int = 1, current: int = 10_000_000) -> Table:
    """A table of seven seats, the first `bets` of them with a wager placed; wager 10.00, all of it to the pot."""
    seats = tuple(
        Seat(wager=Wager.PLACED, placed_ns=1_000 + seat, dropped=rounds) if seat < bets else Seat()
        for seat in range(7)
    )
    level = Level("main", current, house_funding=10_000_000)
    return Table(GAME, phase, seats, Pot((level,), current - 10_000_000), rounds)


def commissioning(table: str = TABLE) -> Entry:
    """The entry of record 1."""
    return Entry(
        Commissioned(at_ns=1, table=table, game=GAME, rules='{"currency":"UYU"}'),
        (PhaseChanged(Phase.CLOSED),),
        a_table(phase=Phase.CLOSED),
    )


def chip(number: int) -> Entry:
    """A chip; each third is late."""
    seat = number % 7 + 1
    result: AnyResult = ChipLate(seat) if number % 3 == 0 else WagerPlaced(seat)
    return Entry(ChipDropped(1_000_000 * number, seat), (result,), a_table(seat))


def a_round(number: int) -> tuple[Entry, ...]:
    """Four entries: two chips, COIN IN, GAME OVER, with a table that grows as they say."""
    at_ns = number * 10_000_000_000
    current = 10_000_000 + 2_000 * number
    steps: tuple[tuple[AnyEvent, tuple[AnyResult, ...], Table], ...] = (
        (ChipDropped(at_ns, 1), (WagerPlaced(1),), a_table(1, rounds=number)),
        (ChipDropped(at_ns + 1, 2), (WagerPlaced(2),), a_table(2, rounds=number)),
        (
            CoinInPressed(at_ns + 2),
            (RoundLocked(number, (1, 2), 2_000),),
            a_table(2, Phase.LOCKED, number, current),
        ),
        (GameOverPressed(at_ns + 3), (RoundEnded(number),), a_table(0, rounds=number + 1, current=current)),
    )
    return tuple(Entry(*step) for step in steps)


def new_journal(directory: Path, table: str = TABLE) -> Journal:
    """A journal that has just been commissioned."""
    return Journal.create(directory / "pozo.db", table, commissioning(table), WALL_NS, wall_trusted=True)


def filled(directory: Path, rounds: int) -> Path:
    """A closed journal of `rounds` rounds, four records each, after the commissioning."""
    journal = new_journal(directory)
    for number in range(1, rounds + 1):
        journal.append(a_round(number), WALL_NS, wall_trusted=True)
    journal.close()
    return directory / "pozo.db"


def laid_out(directory: Path) -> Path:
    """A journal's file without a record."""
    path = directory / "pozo.db"
    path.touch()
    with closing(schema.connect(path)) as connection:
        schema.lay_out(connection)
    return path


def descriptors() -> int:
    """How many files this process holds open."""
    return len(list(Path("/proc/self/fd").iterdir()))
