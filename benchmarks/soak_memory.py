"""Memory over a million events: the table plays round after round and must not grow.

The real loop, filter, journal and display play on virtual time over the simulated hardware, as a drill does, chip by
chip from electrical edges. Resident memory is read after a warm-up and at every tenth of the way; the limit is on
what it has grown at its highest. Read here: `VmRSS` of this process, in which nothing else runs; the journal on a
RAM disk would not count in it.

Run: `python benchmarks/soak_memory.py [--events N] [--directory D]`: some minutes, and about 1.5 KB of disk an event.
A RAM disk as D saves the wait for flushes. Exit code 1 if the limit is missed.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

from measure import tell

from controller.config import load
from controller.drill.world import World

WARM_UP = 20_000
"""Events before the first reading: caches have filled, rings have gone round."""

LIMIT_MB = 5.0
MS = 1_000_000
SEATS = range(1, 8)


def resident_mb() -> float:
    """This process's resident memory."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGESIZE") / 1024 / 1024


def pulse(world: World, line: str, length_ms: int, rest_ms: int) -> None:
    """A clean pulse on a line, and rest after it."""
    world.drive(line, active=True)
    world.pass_time(length_ms * MS)
    world.drive(line, active=False)
    world.pass_time(rest_ms * MS)


def play_round(world: World) -> int:
    """Seven chips, one too many, COIN IN, one too late, GAME OVER: how many records it made."""
    world.listen()
    for seat in SEATS:
        pulse(world, f"seat_{seat}", 15, 5)
    pulse(world, "seat_4", 15, 25)
    pulse(world, "coin_in", 30, 30)
    pulse(world, "seat_2", 15, 5)
    pulse(world, "game_over", 30, 400)
    return len(world.entries())


def soak(world: World, events: int) -> float:
    """Play until `events` records are made; the most that resident memory grew after the warm-up, in MB."""
    made, grown = 0, 0.0
    while made < WARM_UP:
        made += play_round(world)
    base = resident_mb()
    print(f"{made:>10} events: {base:.1f} MB")
    for tenth in range(1, 11):
        while made < WARM_UP + events * tenth // 10:
            made += play_round(world)
        grown = max(grown, resident_mb() - base)
        print(f"{made:>10} events: {resident_mb():.1f} MB", flush=True)
    return grown


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--events", type=int, default=1_000_000, help="events after the warm-up")
    options.add_argument(
        "--directory", type=Path, help="where the journal is written (default: a temporary one)"
    )
    given = options.parse_args()
    tempfile.tempdir = given.directory and str(given.directory)
    world = World(load("simulated"))
    try:
        world.power_on(open_table=True)
        grown = soak(world, given.events)
    finally:
        world.close()
    good = grown <= LIMIT_MB
    tell(f"6 growth over {given.events} events", grown, "MB", f"<= {LIMIT_MB}", good=good)
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()
