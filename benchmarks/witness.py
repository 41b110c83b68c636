"""What the second copy costs a significant record, and what looking at it costs a start; ratios, in turns.

A COIN IN is committed with and without its copy, and a copy alone stands beside a raw write and flush of one block, the
least it can cost. A copy is signed; a start checks the signatures of both slots and of the newest head. The commit is
first, and the lamps with it: the copy's time is the next chip's, not this one's. For the last row every flush takes
8 ms longer, by the library of `commit.py`: two flushes, twice a slow card's time.

Run: `python benchmarks/witness.py [--rounds N] [--directory D] [--second D]`, each on the medium to measure. Exit code
1 if a limit is missed.
"""

import argparse
import json
import sys
import tempfile
from itertools import cycle, islice
from pathlib import Path

from commit import compile_shim, repeated, under_shim
from journals import KEY, SIGN, TABLE, WALL_NS, Raw, entries, first, game, new_journal
from measure import interleaved, ratio, tell

from controller.core.events import CoinInPressed
from controller.journal import ends_of
from controller.witness import Witness
from controller.witness.examine import examine
from controller.witness.slot import BLOCK_BYTES
from controller.witness.verdict import Agreed, HalfDamaged

CHECKPOINT_ROWS = 100
A_ROUND = 9
"""Records of one round, and so between one signed head and the next."""
MANY = 20_000
"""Records of the long history that a start looks at."""


class Contenders:
    """A journal alone, one with its second copy, a copy alone, and one raw block."""

    def __init__(self, directory: Path, second: Path) -> None:
        rules = game()
        found = list(islice(entries(rules, first(rules).state), 4 + 9 * 50))
        self._locked = cycle([entry for entry in found if isinstance(entry.event, CoinInPressed)])
        self.alone = new_journal(directory / "alone", rules)
        self.both = new_journal(directory / "both", rules)
        place = second / "witness"
        place.mkdir()
        self.witness = Witness(place, TABLE)
        self.witness.look()
        self.witness.sign_with(KEY)
        self.witness.write(self.both.row)
        self.raw = Raw(directory / "raw", BLOCK_BYTES)

    def commit(self) -> None:
        self.alone.append((next(self._locked),), WALL_NS, wall_trusted=True)
        if self.alone.head.seq % CHECKPOINT_ROWS == 0:
            self.alone.checkpoint()

    def commit_both(self) -> None:
        self.both.append((next(self._locked),), WALL_NS, wall_trusted=True)
        self.witness.write(self.both.row)
        if self.both.head.seq % CHECKPOINT_ROWS == 0:
            self.both.checkpoint()

    def copy(self) -> None:
        self.witness.write(self.both.row)

    def close(self) -> None:
        self.alone.close()
        self.both.close()
        self.raw.close()


def times(directory: Path, second: Path, rounds: int) -> dict[str, float]:
    """What a copy adds to a commit, and what it costs beside one raw block."""
    made = Contenders(directory, second)
    costs = interleaved(
        {
            "alone": repeated(made.commit),
            "both": repeated(made.commit_both),
            "copy": repeated(made.copy),
            "raw": repeated(made.raw.append),
        },
        rounds,
    )
    made.close()
    return {"both": ratio(costs, "both", "alone"), "copy": ratio(costs, "copy", "raw")}


def start_ratio(directory: Path, rounds: int) -> tuple[float, float]:
    """A start's look at both copies beside its look at the journal alone; and a long history beside a short one."""
    rules = game()
    looks = {}
    for name, records in (("short", 20), ("long", MANY)):
        journal = new_journal(directory / name, rules)
        left = islice(entries(rules, first(rules).state), records)
        while batch := tuple(islice(left, A_ROUND)):
            journal.append(batch, WALL_NS, wall_trusted=True, seal=SIGN(batch, batch[-1].event.at_ns))
        place = directory / f"{name}-witness"
        place.mkdir()
        witness = Witness(place, TABLE)
        witness.look()
        witness.sign_with(KEY)
        witness.write(journal.row)
        path = journal.path
        journal.close()
        looks[name] = (path, witness)

    def look(name: str) -> None:
        path, witness = looks[name]
        found = examine(path, TABLE, witness, lambda: None, rules)
        assert isinstance(found.verdict, Agreed | HalfDamaged), found.verdict

    costs = interleaved(
        {
            "short": repeated(lambda: look("short")),
            "long": repeated(lambda: look("long")),
            "journal": repeated(lambda: ends_of(looks["long"][0])),
        },
        rounds,
    )
    return ratio(costs, "long", "journal"), ratio(costs, "long", "short")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=31, help="measured turns of each contender")
    options.add_argument("--directory", type=Path, help="on the medium to measure (default: a temporary one)")
    options.add_argument("--second", type=Path, help="on the second medium (default: the same)")
    options.add_argument("--part", choices=["slow"], help=argparse.SUPPRESS)
    given = options.parse_args()
    with (
        tempfile.TemporaryDirectory(dir=given.directory) as name,
        tempfile.TemporaryDirectory(dir=given.second) as other,
    ):
        directory, second = Path(name), Path(other)
        if given.part:
            print(json.dumps(times(directory, second, 5)["both"]))
            return
        found = times(directory, second, given.rounds)
        (directory / "start").mkdir()
        look, grown = start_ratio(directory / "start", given.rounds)
        kept = [
            tell("COIN IN with its copy / without", found["both"], "x", "<= 2.5", good=found["both"] <= 2.5),
            tell("a copy / one raw block", found["copy"], "x", "<= 1.75", good=found["copy"] <= 1.75),
            tell("a start's look at both / at the journal", look, "x", "<= 3", good=look <= 3),
            tell(f"that look, {MANY} records / 20", grown, "x", "<= 1.1", good=grown <= 1.1),
        ]
        library = compile_shim(directory)
        if library:
            slow = under_shim(library, "slow", directory, __file__, FLUSH_MS="8")
            kept.append(tell("with its copy / without, an 8 ms flush", slow, "x", "<= 2.1", good=slow <= 2.1))
    sys.exit(0 if all(kept) else 1)


if __name__ == "__main__":
    main()
