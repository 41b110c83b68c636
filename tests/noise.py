"""Noise on every line of a table for a day of virtual time, with a round now and then, from one seed.

    python -m tests.noise --hours 24 --seed 1

Each line gets lows shorter than what counts, the seats together get dips that are longer. No wager may come of it, no
real press be lost, every unit of noise be counted, and journal and memory stay small. It takes some four minutes.
"""

import sys
import time
from collections import Counter
from contextlib import closing
from random import Random
from typing import NamedTuple

import click

from controller.core import events as ev
from controller.core.state import Phase, Wager
from controller.drill.play import settings_of
from controller.drill.world import World
from tests.helpers_inputs import LINES
from tests.helpers_world import MS, SECOND, running, table
from tests.test_field_loop import resident_kb

MINUTE = 60 * SECOND
SEATS = range(1, 8)
SPIKES_A_MINUTE = 30
SHORTEST_NS = MS // 1000
SETTLE_NS = 10 * MS
BUTTON_SETTLE_NS = 20 * MS
LONGEST_NS = 100 * MS
"""No low of noise is longer; a count begins with the fall of one that was found out when it rose."""
LOCKED_NS = 4 * SECOND
"""From here on, in a minute with a round, the table must be locked; until GAME OVER at 15 s."""
ROUND_EVERY = 10
"""Minutes between two rounds."""
KEPT_KB = 5 * 1024


class Low(NamedTuple):
    """A line is low from `at_ns`, from the beginning of its minute, to `end_ns`."""

    line: str
    at_ns: int
    end_ns: int


class Told(NamedTuple):
    """What a run has seen: pulses sent by kind, records by kind, and the memory it cost after its first hour."""

    sent: Counter[str]
    records: Counter[str]
    noise: int
    grown_kb: int


class Noise:
    """The generator, the table under it, and the checks."""

    def __init__(self, world: World, seed: int, *, dips: bool) -> None:
        self.world = world
        self.dips = dips
        self.sent: Counter[str] = Counter()
        self.records: Counter[str] = Counter()
        self._random = Random(seed)
        self._told_at_ns: dict[str, int] = {}

    def minute(self, *, a_round: bool) -> None:
        """One minute of it."""
        random = self._random
        chosen = sorted(random.sample(SEATS, random.randint(0, 7))) if a_round else []
        hands = _round(chosen) if a_round else []
        dips = (
            [self._dip(20 * SECOND + n * 600 * MS) for n in range(random.randint(0, 60))] if self.dips else []
        )
        busy = [*hands, *(low for dip in dips for low in dip)]
        spikes = [spike for line in LINES for spike in self._spikes(line, busy)]
        self._play([*busy, *spikes], chosen if a_round else None)
        self._check()

    def _spikes(self, line: str, busy: list[Low]) -> list[Low]:
        """Lows of a line that are too short to count, none near anything else that happens on it."""
        random = self._random
        longest = SETTLE_NS if line.startswith("seat") else BUTTON_SETTLE_NS
        spikes: list[Low] = []
        at_ns = 0
        while True:
            at_ns += round(random.expovariate(SPIKES_A_MINUTE) * MINUTE) + MS // 5
            end_ns = at_ns + random.randrange(SHORTEST_NS, longest)
            if end_ns >= 59 * SECOND:
                self.sent[line] += len(spikes)
                return spikes
            if not any(
                at_ns < low.end_ns + 100 * MS and low.at_ns < end_ns + 100 * MS for low in _on(line, busy)
            ):
                spikes.append(Low(line, at_ns, end_ns))
            at_ns = end_ns

    def _dip(self, at_ns: int) -> list[Low]:
        """Three seats or more, and perhaps a button, that fall and rise together."""
        random = self._random
        lines = [f"seat_{seat}" for seat in random.sample(SEATS, random.randint(3, 7))]
        lines += random.sample(["coin_in", "game_over"], random.randint(0, 2))
        end_ns = at_ns + random.randrange(12 * MS, 60 * MS)
        self.sent["dips"] += 1
        return [Low(line, at_ns + random.randrange(MS), end_ns + random.randrange(MS)) for line in lines]

    def _play(self, lows: list[Low], chosen: list[int] | None) -> None:
        world, begin = self.world, self.world.clock.monotonic_ns()
        moves = sorted(
            move for low in lows for move in ((low.at_ns, low.line, True), (low.end_ns, low.line, False))
        )
        locked = False
        for at_ns, line, active in moves:
            world.pass_until(begin + at_ns)
            if chosen is not None and not locked and at_ns > LOCKED_NS:
                locked = True
                self._locked_with(chosen)
            world.drive(line, active=active)
        world.pass_until(begin + MINUTE)

    def _locked_with(self, chosen: list[int]) -> None:
        state = table(self.world)
        accepted = [n for n, seat in enumerate(state.seats, start=1) if seat.wager is Wager.ACCEPTED]
        assert (state.phase, accepted) == (Phase.LOCKED, chosen)
        assert not self.world.hal.outputs["slots"]
        self.sent["wagers"] += len(chosen)

    def _check(self) -> None:
        world = self.world
        state = table(world)
        assert not running(world).stopped
        assert state.phase is Phase.OPEN
        assert all(seat.wager is Wager.NONE for seat in state.seats), "a wager was made of noise"
        assert sum(seat.dropped for seat in state.seats) == self.sent["wagers"]
        assert world.hal.outputs["slots"]
        for entry in world.entries():
            self.records[ev.snake(type(entry.event).__name__)] += 1
            if isinstance(entry.event, ev.NoiseSeen):
                line, at_ns = entry.event.line, entry.event.at_ns
                last_ns = self._told_at_ns.get(line, -MINUTE)
                assert at_ns - last_ns >= MINUTE - LONGEST_NS, f"{line}: two records in a minute"
                self._told_at_ns[line] = at_ns
        world.listen()


def _round(chosen: list[int]) -> list[Low]:
    """Chips one after the other, COIN IN, a while of play, GAME OVER."""
    chips = [
        Low(f"seat_{seat}", n * 300 * MS, n * 300 * MS + 40 * MS) for n, seat in enumerate(chosen, start=1)
    ]
    coin_in, game_over = 3 * SECOND, 15 * SECOND
    return [
        *chips,
        Low("coin_in", coin_in, coin_in + 150 * MS),
        Low("game_over", game_over, game_over + 150 * MS),
    ]


def _on(line: str, lows: list[Low]) -> list[Low]:
    return [low for low in lows if low.line == line]


def blow(minutes: int, seed: int, *, dips: bool = True) -> Told:
    """Run it; an `AssertionError` says what went wrong."""
    with closing(World(settings_of("simulated", {}))) as world:
        world.power_on(open_table=True)
        world.listen()
        noise = Noise(world, seed, dips=dips)
        kept_kb = 0
        for number in range(minutes):
            noise.minute(a_round=number % ROUND_EVERY == 0)
            if number == min(60, minutes // 2):
                kept_kb = resident_kb()
        grown_kb = resident_kb() - kept_kb
        world.power_off()
        world.power_on(open_table=False)
        counted = sum(seat.noise for seat in table(world).seats)
    return Told(noise.sent, noise.records, counted, grown_kb)


@click.command()
@click.option("--hours", default=24, show_default=True, type=click.IntRange(1))
@click.option("--seed", default=1, show_default=True)
def main(hours: int, seed: int) -> None:
    """Make noise on a simulated table for so many hours of virtual time."""
    begin = time.process_time()
    told = blow(60 * hours, seed)
    spikes = sum(count for line, count in told.sent.items() if line in LINES)
    click.echo(
        f"{hours} h from seed {seed}: {spikes} spikes, {told.sent['dips']} dips of several lines, no wager of them"
    )
    click.echo(f"{told.sent['wagers']} chips in rounds among them, each accepted")
    click.echo(f"records: {', '.join(f'{kind} {count}' for kind, count in told.records.most_common())}")
    click.echo(
        f"memory after the first hour: {told.grown_kb:+} KB; {time.process_time() - begin:.0f} s of processor"
    )
    sys.exit(0 if told.grown_kb < KEPT_KB else 1)


if __name__ == "__main__":
    main()
