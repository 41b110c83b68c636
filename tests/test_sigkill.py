"""Real table processes that are killed at random instants, against a ledger that is not theirs.

Four tables play side by side; each is killed again and again, in its start, between chips, in the middle of COIN IN
and GAME OVER. After each kill the journal is read by the test's own account, and every lamp that was seen must be
in it.
"""

import json
import random
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.helpers_ledger import Ledger, Row, rows
from tests.helpers_process import ROOT, Bench, Running, journal_of, opened

TABLES = 4
KILLS_EACH = 55
DIES_EARLY = 0.25
"""This part of all processes dies within `START_S` of being called, most of them before they play."""

START_S = 0.5
LIFE_S = 0.8
"""The others live this long at most once they have claimed their lines."""

ATTRACT_NS = 300_000_000
"""Attract lights lamp after lamp, this long each; any other lamp is lit for a wager."""

LATE_NS = 1_000_000_000
"""How much later than it was written a line may be read on a busy machine."""

MS = 1_000_000


class Victim:
    """One table, its hands and its ledger."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.config = opened(folder, f"mesa-{seed}")
        self.bench = Bench()
        self.random = random.Random(seed)
        self.fallen: Counter[int] = Counter()
        """Chips driven so far, by seat."""
        self.moves: list[tuple[int, str]] = []
        self.boots = rows(journal_of(self.config))[-1].boot
        self.seen: Counter[str] = Counter()

    def live_and_die(self) -> None:
        """Start, play until the instant of death, then compare."""
        with Running(self.config, self.bench) as running:
            self.moves = []
            if self.random.random() < DIES_EARLY:
                self.play_for(self.random.uniform(0, START_S))
            else:
                self.bench.until(lambda: self.bench.heard("started"), "the start")
                self.play_for(self.random.uniform(0, LIFE_S))
            running.process.kill()
            running.process.wait()
            self.bench.read()
            self.compare()

    def play_for(self, seconds: float) -> None:
        death = time.monotonic_ns() + int(seconds * 1_000 * MS)
        while (now := time.monotonic_ns()) < death:
            if self.bench.heard("started"):
                self.move(now)
            self.bench.read(0.002)

    def move(self, now: int) -> None:
        """Do what is due; after a round's last move plan the next."""
        while self.moves and self.moves[0][0] <= now:
            _, line = self.moves.pop(0)
            if line.startswith("on seat_"):
                self.fallen[int(line.removeprefix("on seat_"))] += 1
            self.bench.say(line)
        if not self.moves:
            self.moves = self.plan(now)

    def plan(self, now: int) -> list[tuple[int, str]]:
        """A quick round: chips that overlap, COIN IN and GAME OVER, each as short as may be."""
        moves: list[tuple[int, str]] = []
        at_ns = now + self.random.randrange(5 * MS, 30 * MS)
        for seat in self.random.sample(range(1, 8), self.random.randint(1, 6)):
            moves += [(at_ns, f"on seat_{seat}"), (at_ns + 25 * MS, f"off seat_{seat}")]
            at_ns += self.random.randrange(3 * MS, 15 * MS)
        for button in ("coin_in", "game_over"):
            at_ns += self.random.randrange(0, 60 * MS)
            moves += [(at_ns, f"on {button}"), (at_ns + 30 * MS, f"off {button}")]
            at_ns += 90 * MS
        return sorted(moves)

    def compare(self) -> None:
        """What is in the journal, against what was driven and what was seen."""
        history = rows(journal_of(self.config))
        ledger = Ledger()
        for row in history:
            ledger.take(row)
        for seat in range(1, 8):
            assert ledger.counts[seat, "dropped"] <= self.fallen[seat], f"seat {seat}: more chips than fell"
        stamps = [(row.boot, row.event["seat"], row.event["at_ns"]) for row in history if "seat" in row.event]
        assert len(set(stamps)) == len(stamps), "a chip is stored twice"
        self.seen[ledger.phase] += 1
        self.seen["chips"] = sum(ledger.counts[seat, "dropped"] for seat in range(1, 8))
        self.lamps_are_stored(history)
        self.the_witness_agrees(history)
        self.stored_wagers_are_lit_again(history)

    def lamps_are_stored(self, history: list[Row]) -> None:
        """Every lamp that was seen to be evidence has its wager in the journal."""
        for at_ns, line in self.bench.seen:
            match line.split():
                case ["out", name, "on"] if name.startswith("lamp_"):
                    seat = int(name.removeprefix("lamp_"))
                    if not may_be_attract(seat, at_ns):
                        self.seen["evidence"] += 1
                        assert wagered(history, seat, at_ns), (seat, at_ns, self.bench.seen[-40:])
                case _:
                    pass  # only lamps are evidence

    def the_witness_agrees(self, history: list[Row]) -> None:
        """The newest good slot is a record of this very journal, and one round's step behind it at most."""
        slots = [slot for name in ("a", "b") if (slot := read_slot(self.config, name)) is not None]
        assert slots, "a kill has spoilt both slots"
        self.seen["slots"] += len(slots)
        record = max(slots, key=lambda slot: slot["serial"])["record"]
        with closing(
            sqlite3.connect(f"{journal_of(self.config).absolute().as_uri()}?mode=ro", uri=True)
        ) as file:
            found = file.execute("SELECT digest FROM journal WHERE seq = ?", [record["seq"]]).fetchone()
        assert found == (record["digest"],)
        ahead = [result["kind"] for row in history if row.seq > record["seq"] for result in row.results]
        # One batch may hold both buttons where the machine was slow, never more.
        assert ahead.count("round_locked") <= 1
        assert ahead.count("round_ended") <= 1
        self.seen["behind"] += bool({"round_locked", "round_ended"} & set(ahead))
        assert not {"witness_lost", "witness_rebuilt"} & {row.event["kind"] for row in history}

    def stored_wagers_are_lit_again(self, history: list[Row]) -> None:
        """A process that came up in a locked round and lived on has lit every accepted wager."""
        boot = [row for row in history if row.boot > self.boots]
        self.boots = history[-1].boot
        if len(boot) < 2 or boot[0].state["phase"] != "locked":
            return
        self.seen["recovered"] += 1
        for number, seat in enumerate(boot[0].state["seats"], start=1):
            if seat.get("wager") == "accepted":
                assert self.bench.heard(f"out lamp_{number} on"), (number, self.bench.seen)


def read_slot(config: Path, name: str) -> dict[str, Any] | None:
    """A slot of the witness by its description alone; None for one that a kill has left half written."""
    text = (config.with_suffix(".witness") / f"slot-{name}").read_bytes().partition(b"\n")[0].rstrip(b" ")
    body, sum_of_it = text[:-74], text[-74:]
    if sum_of_it != b',"sum":"' + sha256(body).hexdigest().encode() + b'"}':
        return None
    found: dict[str, Any] = json.loads(body + b"}")
    return found


def may_be_attract(seat: int, at_ns: int) -> bool:
    """Whether attract's turn is this seat's, or was up to two before: lines are read a little late."""
    return seat - 1 in {(at_ns // ATTRACT_NS - steps) % 7 for steps in range(3)}


def wagered(history: list[Row], seat: int, at_ns: int) -> bool:
    """Whether a seat's wager was stored around the time at which its lamp was read, in this machine's own time."""
    begin, end = at_ns - LATE_NS, at_ns
    before = [row for row in history if row.event["at_ns"] < begin][-1:]
    around = [row for row in history if begin <= row.event["at_ns"] <= end]
    return any(
        row.state["seats"][seat - 1].get("wager") in {"placed", "accepted"} for row in (*before, *around)
    )


def play(victim: Victim) -> Victim:
    try:
        for _ in range(KILLS_EACH):
            victim.live_and_die()
    finally:
        victim.bench.close()
    return victim


@pytest.mark.slow
def test_a_table_that_is_killed_two_hundred_times_loses_and_doubles_nothing(tmp_path: Path) -> None:
    victims = [Victim(tmp_path, seed) for seed in range(TABLES)]
    with ThreadPoolExecutor(TABLES) as pool:
        victims = list(pool.map(play, victims))
    assert TABLES * KILLS_EACH >= 200
    for victim in victims:
        done = subprocess.run(
            [sys.executable, "-m", "controller", "journal", "verify", str(journal_of(victim.config))],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout
    seen = sum((victim.seen for victim in victims), Counter[str]())
    assert seen["open"] > 20
    assert seen["locked"] > 20
    assert seen["recovered"] > 20
    assert seen["evidence"] > 60
    assert seen["chips"] > 200
    assert seen["slots"] > 400
