"""A whole soak: seed after seed, in one process or several, counted, resumable, each failure shrunk to a drill.

What is done is kept in a file after each seed, so that a run of hours may be stopped and gone on with.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import msgspec

from controller.soak.coverage import PAIRS_FROM, Counts, missing
from controller.soak.shrink import as_drill, same, shrink
from controller.soak.table import GAMES, Played, Table, header


class Plan(msgspec.Struct, frozen=True):
    """What is to be played: seeds from `first` to `last`, `rounds` each, of one game or of all."""

    first: int
    last: int
    rounds: int
    game: str | None = None

    def game_of(self, seed: int) -> str:
        """The game a seed plays."""
        return self.game or GAMES[seed % len(GAMES)]


class Failed(msgspec.Struct, frozen=True):
    """A seed that failed, and the drill that shows it."""

    seed: int
    game: str
    checker: str
    text: str
    drill: str


class Done(msgspec.Struct):
    """How far a plan has come. Pairs are written `family phase event`."""

    plan: Plan
    seeds: list[int] = msgspec.field(default_factory=list)
    rounds: dict[str, int] = msgspec.field(default_factory=dict)
    records: int = 0
    seconds: float = 0.0
    """Processor time, of all processes."""
    pairs: dict[str, int] = msgspec.field(default_factory=dict)
    faults: dict[str, int] = msgspec.field(default_factory=dict)
    failed: list[Failed] = msgspec.field(default_factory=list)

    def counts(self) -> Counts:
        """What happened so far."""
        pairs = {_three(name): count for name, count in self.pairs.items()}
        return Counts(Counter(pairs), Counter(self.faults), Counter(self.rounds))

    def take(self, played: Played, drill: str) -> None:
        """Count a seed in; of a failed one only its failure is kept, with `drill`, the file that shows it."""
        if played.failure is not None:
            checker, text = played.failure
            self.failed.append(Failed(played.seed, played.game, checker, text, drill))
            return
        counts = self.counts()
        counts.add(played.counts)
        self.seeds.append(played.seed)
        self.records += played.records
        self.seconds += played.seconds
        self.pairs = {" ".join(pair): count for pair, count in sorted(counts.pairs.items())}
        self.faults = dict(sorted(counts.faults.items()))
        self.rounds = dict(sorted(counts.rounds.items()))

    def missing(self, at_least: int = PAIRS_FROM) -> list[str]:
        """What should have happened and never did."""
        return missing(self.counts(), at_least)


def _three(name: str) -> tuple[str, str, str]:
    family, phase, event = name.split()
    return family, phase, event


def load(path: Path, plan: Plan) -> Done:
    """How far the plan of this file has come; what failed is to be played again.

    Raises `ValueError` if it is of another plan.
    """
    if not path.exists():
        return Done(plan)
    done = msgspec.json.decode(path.read_bytes(), type=Done)
    if done.plan != plan:
        raise ValueError(f"{path} is of another run, {done.plan}: name another file, or run that plan again")
    done.failed.clear()
    return done


def keep(path: Path, done: Done) -> None:
    """Write it down, whole or not at all."""
    draft = path.with_name(path.name + ".new")
    draft.write_bytes(msgspec.json.format(msgspec.json.encode(done)))
    draft.replace(path)


def run(plan: Plan, done: Done, out: Path, processes: int, tell: Callable[[Played], None]) -> Iterator[Done]:
    """Play every seed that is not done; after each, how far it has come. Failures are written into `out`."""
    left = [seed for seed in range(plan.first, plan.last + 1) if seed not in set(done.seeds)]
    for played in _all(plan, left, processes):
        done.take(played, _written(played, out) if played.failure else "")
        tell(played)
        yield done


def _all(plan: Plan, seeds: Sequence[int], processes: int) -> Iterator[Played]:
    if processes == 1:
        for seed in seeds:
            yield play(plan, seed)
        return
    with ProcessPoolExecutor(processes) as pool:
        for started in [pool.submit(play, plan, seed) for seed in seeds]:
            yield started.result()


def play(plan: Plan, seed: int) -> Played:
    """One seed."""
    return Table(seed, plan.game_of(seed)).play(plan.rounds)


def _written(played: Played, out: Path) -> str:
    """Shrink a failure and write it as a drill; where that lies."""
    failure = played.failure
    if failure is None:
        raise ValueError(f"seed {played.seed} did not fail")
    head = header(played.seed, played.game)
    body = shrink(head, played.lines[len(head) :], same(failure.checker))
    out.mkdir(parents=True, exist_ok=True)
    path = out / f"soak-{played.seed}-{failure.checker}.drill"
    path.write_text(as_drill(played.seed, failure, [*head, *body]), encoding="utf-8")
    return str(path)
