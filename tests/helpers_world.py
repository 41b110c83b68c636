"""A whole simulated table for tests: lines pushed from outside, the journal and the hardware read back."""

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager

from controller.core import events as ev
from controller.core.money import plain
from controller.core.state import Table
from controller.drill.play import settings_of
from controller.drill.world import World
from controller.journal import Record, records, verify
from controller.loop import Loop
from controller.meters import is_money, meters
from controller.outputs import Lamp
from hal.simulated import SimulatedHal, Switched

MS = 1_000_000
SECOND = 1_000 * MS
Moves = Sequence[tuple[int, str, bool]]
"""Level changes: when, in nanoseconds from the beginning, which line, active or not."""


@contextmanager
def powered(values: dict[str, str] | None = None, world: World | None = None) -> Iterator[World]:
    """A table under power with its bets open, and what it leaves behind is removed."""
    made = World(settings_of("simulated", values or {})) if world is None else world
    with closing(made):
        made.power_on(open_table=True)
        made.listen()
        yield made


def running(world: World) -> Loop:
    """The loop of a table under power."""
    assert world.loop is not None
    return world.loop


def table(world: World) -> Table:
    """The table as stored."""
    return running(world).table


def lamp(world: World, seat: int) -> Lamp:
    """What a seat's lamp shows."""
    return running(world).lamps[seat - 1]


def meter(world: World, name: str) -> str:
    """A meter as people read it."""
    value = meters(table(world))[name]
    return plain(value, world.settings.game.currency) if is_money(name) else str(value)


def play(world: World, moves: Moves, length_ns: int) -> None:
    """Push lines at their moments, then let time pass until `length_ns` after the beginning."""
    begin = world.clock.monotonic_ns()
    for at_ns, line, active in sorted(moves):
        world.pass_until(max(begin + at_ns, now(world)))
        world.drive(line, active=active)
    world.pass_until(max(begin + length_ns, now(world)))


def low(line: str, at_ns: int, length_ns: int) -> list[tuple[int, str, bool]]:
    """One low of a line."""
    return [(at_ns, line, True), (at_ns + length_ns, line, False)]


def chip(world: World, *seats: int) -> None:
    """A clean chip on each seat, one after the other."""
    for seat in seats:
        play(world, low(f"seat_{seat}", 0, 40 * MS), 100 * MS)


def press(world: World, button: ev.Button) -> None:
    """A press as a finger makes it."""
    play(world, low(button, 0, 120 * MS), 200 * MS)


def key(world: World, which: ev.Key, *, on: bool) -> None:
    """Turn a key and let it settle."""
    world.drive(which, active=on)
    world.pass_time(50 * MS)


def act(world: World, event: ev.AnyEvent) -> tuple[ev.AnyResult, ...]:
    """What the menu asks for, and what became of it; empty if nothing was stored."""
    world.listen()
    world.act(event)
    return tuple(result for entry in world.entries() for result in entry.results)


def now(world: World) -> int:
    """The monotonic clock."""
    return world.clock.monotonic_ns()


def stored(world: World, *kinds: type[ev.Event]) -> list[Record]:
    """The journal's records of these events, all if none is named."""
    return [
        record for record in records(world.medium.journal) if not kinds or isinstance(record.event, kinds)
    ]


def told(world: World, kind: type[ev.Result]) -> list[ev.AnyResult]:
    """Every result of this kind in the journal."""
    return [result for record in stored(world) for result in record.results if isinstance(result, kind)]


def intact(world: World) -> bool:
    """Whether the journal's chain is whole."""
    return verify(world.medium.journal).bad is None


def switched(hal: SimulatedHal, line: str, *, on: bool) -> list[int]:
    """When an output was switched this way."""
    return [
        seen.at_ns
        for seen in hal.history
        if isinstance(seen, Switched) and (seen.line, seen.on) == (line, on)
    ]
