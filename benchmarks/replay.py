"""Limits, row 4: reading a whole journal back, and a start-up that does not depend on its length.

Replay is `pozo journal verify`: every row hashed against the chain, every event, result and state decoded into its
type, then SQLite's own check of the file. Its peer is the bare SELECT of the same rows in the same run. Start-up is
`Journal.open`; its peer is the same on a journal of 1,000 records. The issue asks for 5 million records:
`--records 5000000` (some minutes and 5 GB).

Run: `python benchmarks/replay.py [--records N] [--rounds N] [--directory D]`. Exit code 1 if a limit is missed.
"""

import argparse
import sys
import tempfile
from itertools import islice
from pathlib import Path

from journals import TABLE, WALL_NS, entries, first, game, new_journal
from measure import interleaved, ratio, seconds, tell

from controller.journal import Journal, reader, verify
from controller.journal.read import rows

BATCH = 2_000
"""Records of one commit while a journal is filled."""


def filled(directory: Path, records: int) -> Path:
    """A closed journal of as many records."""
    rules = game()
    journal = new_journal(directory, rules)
    left = islice(entries(rules, first(rules).state), records - 1)
    while batch := tuple(islice(left, BATCH)):
        journal.append(batch, WALL_NS, wall_trusted=True)
        journal.checkpoint()
    journal.close()
    return directory / "pozo.db"


def select(path: Path) -> None:
    """The bare SELECT."""
    with reader(path) as connection:
        for _ in rows(connection):
            pass


def prove(path: Path) -> None:
    """The replay."""
    verdict = verify(path)
    if verdict.bad is not None:
        raise AssertionError(f"a journal of this benchmark is not good: {verdict.bad}")


def start(path: Path) -> None:
    """A start-up, and the end of the session."""
    Journal.open(path, TABLE).close()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--records", type=int, default=100_000, help="length of the journal")
    options.add_argument("--rounds", type=int, default=5, help="measured turns of each contender")
    options.add_argument("--directory", type=Path, help="on the medium to measure (default: a temporary one)")
    given = options.parse_args()
    with tempfile.TemporaryDirectory(dir=given.directory) as name:
        long = filled(Path(name) / "long", given.records)
        short = filled(Path(name) / "short", 1_000)
        print(f"{given.records} records, {long.stat().st_size / given.records:.0f} bytes each in the file")
        reads = interleaved(
            {"select": lambda: seconds(lambda: select(long)), "verify": lambda: seconds(lambda: prove(long))},
            given.rounds,
        )
        starts = interleaved(
            {"long": lambda: seconds(lambda: start(long)), "short": lambda: seconds(lambda: start(short))}, 31
        )
        replay, startup = ratio(reads, "verify", "select"), ratio(starts, "long", "short")
    kept = [
        tell(
            "4 replay with chain and types / SELECT of the same rows", replay, "x", "<= 8", good=replay <= 8
        ),
        tell(
            f"4 start-up at {given.records} records / at 1,000", startup, "x", "<= 1.25", good=startup <= 1.25
        ),
    ]
    sys.exit(0 if all(kept) else 1)


if __name__ == "__main__":
    main()
