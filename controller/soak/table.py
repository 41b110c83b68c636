"""One table of a soak: a seed plays so many rounds of one game, and what it did is told.

The lines it played are a drill: `pozo drill` plays them again.
"""

import random
import time
from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from controller.drill import statements as st
from controller.drill.expect import FailedError
from controller.drill.parse import parse
from controller.drill.play import GOES_ON, IN_ORDER, Drill
from controller.soak.coverage import Counts, Family, faults_of
from controller.soak.play.bank import Bank
from controller.soak.play.player import PEOPLE
from controller.soak.play.poker import Poker
from controller.soak.play.seen import Seen
from controller.soak.play.trouble import Trouble

MEMORY = Path("/dev/shm")  # noqa: S108, what lies there is named by tempfile
"""No soak needs a real device: where there is memory for files, nobody waits for one."""

GAMES = (
    "uy-montevideo-caribbean",
    "cl-caribbean-progressive",
    "uy-montevideo-caribbean",
    "uy-montevideo-punto-banca",
    "cl-caribbean-plus-progressive",
    "pe-caribbean",
    "uy-montevideo-caribbean",
    "uy-montevideo-punto-banca",
    "cl-draw-progressive",
    "cl-caribbean",
)
"""Which game a seed plays when all are wanted, in turn."""

PIN_EVERY, PIN_SEEDS = 40, (6, 17)
"""Two seeds of forty play with PINs, one of each family: proving one takes as long as several rounds."""

SHARED = 16
"""Such a seed plays Montevideo's game where all games are wanted."""

TROUBLE_PERCENT = 9.0
TROUBLE_ASIDE_PERCENT = 25.0
"""A mishap is as likely as this where no round is played: such moments are short, and things break there too."""

LINES_A_ROUND = 400
"""A table that needs more lines than this for one round in the mean does not get on."""


class Failure(NamedTuple):
    """What a checker found, at which line of the drill."""

    checker: str
    text: str


class Played(NamedTuple):
    """What became of one seed. `lines` is the drill that was played, kept of a failure only."""

    seed: int
    game: str
    rounds: int
    records: int
    seconds: float
    counts: Counts
    failure: Failure | None
    lines: tuple[str, ...]


class ImpatienceError(RuntimeError):
    """A table does not get on: nothing is wrong with it that a checker knows, and no round ends."""


@lru_cache(maxsize=4_096)
def statement(line: str) -> st.Statement:
    """The one statement of this text."""
    (found,) = parse(line)
    return found


def family_of(game: str) -> Family:
    """Which machine a game's table has."""
    return Family.BANK if "punto" in game else Family.POKER


def header(seed: int, game: str) -> list[str]:
    """The table this seed plays on: its game, house values that leave a rest at every wager, and its medium."""
    chance = random.Random(seed)  # noqa: S311, a run that can be played again, not a secret
    lines = [f"set game {game}"]
    if game in {"uy-montevideo-caribbean", "cl-caribbean-progressive", "cl-caribbean-plus-progressive"}:
        lines += [
            f"set pot.main.increment_rate_ppm {chance.choice((333_333, 500_000, 700_001))}",
            f"set pot.main.reserve_rate_ppm {chance.choice((77_777, 50_000, 0))}",
        ]
    if game == "uy-montevideo-caribbean":
        lines += [
            f"set pot.main.limit {chance.choice(('100100.00', '100500.00', '10000000.00'))}",
            f"set prizes.flush.fund {chance.choice(('house', 'reserve', 'pot'))}",
            f"set policies.royal_excludes {chance.choice(('hand', 'round'))}",
            f"set policies.order {chance.choice(('seat', 'rank'))}",
            f"set policies.require_host {chance.choice(('true', 'false'))}",
            f"set policies.award_key_from {chance.choice(('0.00', '1000.00'))}",
        ]
    if game == "uy-montevideo-caribbean" and shares(seed):
        offline = "strict" if "set policies.require_host true" in lines else "continue"
        lines += ["set link.floor service=pozo", "set link.socket /run/pozo/link.sock"]
        lines += [f"set link.offline {offline}", "set pot.main.link sala"]
    if game == "uy-montevideo-punto-banca" and chance.random() < 0.5:
        lines.append("set punto.frozen_into next_bank")
    if lossy(seed):
        lines.append(f"medium lossy {seed % 1_000_000}")
    if seed % PIN_EVERY in PIN_SEEDS:
        lines.append("set access.pin supervisor technician")
        lines += [f"user {number} {role.title()} {role} {pin}" for role, (number, pin) in PEOPLE.items()]
    return [*lines, "audit", "power on"]


def shares(seed: int) -> bool:
    """One seed of twenty shares its pot with other tables; its floor reads true files only."""
    return seed % 20 == SHARED and not lossy(seed)


def lossy(seed: int) -> bool:
    """Every seventh seed plays on a disk that loses, tears and reorders what was not flushed; it takes longer."""
    return seed % 7 == 1


class Table:
    """One seed at play."""

    def __init__(self, seed: int, game: str, parent: Path | None = None) -> None:
        self.lines: list[str] = []
        self.game = game
        self.seed = seed
        self.drill = Drill(parent=parent or (MEMORY if MEMORY.is_dir() else None))
        self.failure: Failure | None = None

    def play(self, rounds: int) -> Played:
        """Play until so many rounds have ended, or a checker finds something."""
        began = time.process_time()
        try:
            self._play(rounds)
        finally:
            world = self.drill.world
            self._attempt_close()
        auditor = self.drill.auditor
        pairs = Counter() if auditor is None else auditor.pairs
        done = 0 if auditor is None else auditor.results["round_ended"]
        family = family_of(self.game)
        counts = Counts(
            Counter({(str(family), *pair): count for pair, count in pairs.items()}),
            faults_of(pairs, world.seams.told()),
            Counter({str(family): done}),
        )
        return Played(
            self.seed,
            self.game,
            done,
            sum(pairs.values()),
            time.process_time() - began,
            counts,
            self.failure,
            tuple(self.lines) if self.failure else (),
        )

    def _attempt_close(self) -> None:
        try:
            self.drill.close()
        except Exception as error:  # noqa: BLE001, whatever ends it is what the soak looks for
            self.failure = self.failure or Failure("crash", f"at the end: {error!r}")
        auditor = self.drill.auditor
        if self.failure is None and auditor is not None and auditor.found:
            self.failure = failure_of(auditor.found[0])

    def _play(self, rounds: int) -> None:
        for line in header(self.seed, self.game):
            if not self._one(line):
                return
        auditor = self.drill.auditor
        if auditor is None:
            raise TypeError("the header has no `audit`")
        seen = Seen(self.drill.world, auditor)
        player = (Bank if family_of(self.game) is Family.BANK else Poker)(self.seed, seen)
        trouble = Trouble(player, lossy=lossy(self.seed))
        while auditor.results["round_ended"] < rounds:
            if not self._scene(self._next(player, trouble, seen), seen):
                return
            if len(self.lines) > LINES_A_ROUND * (auditor.results["round_ended"] + 10):
                self.failure = Failure("progress", f"{len(self.lines)} lines, and the table does not get on")
                return

    def _next(self, player: Poker | Bank, trouble: Trouble, seen: Seen) -> Iterator[str]:
        if seen.broken and player.happens(30):
            return iter([f"mend {seen.broken}", "wait 1.1s"])
        if seen.slow and player.happens(30):
            return iter(["slow 0ms"])
        if not seen.powered:
            return player.come_back()
        if player.happens(TROUBLE_PERCENT if seen.phase in {"open", "locked"} else TROUBLE_ASIDE_PERCENT):
            return trouble.scene()
        return player.next_scene()

    def _scene(self, scene: Iterator[str], seen: Seen) -> bool:
        for line in scene:
            powered = seen.powered
            if not self._one(line):
                return False
            if powered and not seen.powered:
                break  # what was meant to follow makes no sense at a dark table
        return True

    def _one(self, line: str) -> bool:
        self.lines.append(line)
        self.failure = played(self.drill, line)
        return self.failure is None


def played(drill: Drill, line: str) -> Failure | None:
    """Play one line; what went wrong, in one word and in a sentence."""
    try:
        drill.one(statement(line))
    except FailedError as failed:
        if failed.expected == IN_ORDER:
            return failure_of(failed.found)
        return Failure("program" if failed.expected == GOES_ON else "drill", failed.found)
    except Exception as error:  # noqa: BLE001, whatever ends the program is what the soak looks for
        return Failure("crash", f"{type(error).__name__}: {error}")
    return None


def failure_of(found: str) -> Failure:
    """A finding begins with its checker's name."""
    checker, _, text = found.partition(": ")
    return Failure(checker, text or found)
