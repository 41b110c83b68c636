"""Limits, rows 1a-1e: what a durable record costs, beside a raw write and flush of as many bytes in the same run.

1a and 1d are times, in turns; 1b counts fsync and fdatasync with a small library loaded before libc; 1c counts
the sectors the device was told to write, so that nothing else should write there meanwhile; for 1e the same library
sleeps 8 ms in each flush, as a slow card does. The library is compiled here with `gcc`; without one 1b and 1e are
not measured, and that is said.

Run: `python benchmarks/commit.py [--rounds N] [--directory D]`, D on the medium to measure. Exit code 1 if a limit
is missed.
"""

import argparse
import ctypes
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

from journals import WALL_NS, Raw, entries, first, game, new_journal
from measure import interleaved, ratio, seconds, tell

from controller.journal import Entry, schema
from controller.journal.record import columns_of

COMMITS = 25
"""Commits in one turn of a contender."""

CHECKPOINT_TURNS = 4
"""Turns between checkpoints: 100 commits, some rounds of play."""

SHIM = r"""
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <time.h>
static long flushes;
static int flush(const char *name, int fd) {
  int (*real)(int) = (int (*)(int))dlsym(RTLD_NEXT, name);
  const char *ms = getenv("FLUSH_MS");
  if (ms) { struct timespec t = {0, atol(ms) * 1000000L}; nanosleep(&t, 0); }
  flushes++;
  return real(fd);
}
int fsync(int fd) { return flush("fsync", fd); }
int fdatasync(int fd) { return flush("fdatasync", fd); }
long flushes_so_far(void) { return flushes; }
"""


def repeated(work: Callable[[], object]) -> Callable[[], float]:
    """A contender: `COMMITS` times the work, seconds for one."""

    def turn() -> float:
        return seconds(lambda: [work() for _ in range(COMMITS)]) / COMMITS

    return turn


class Contenders:
    """A raw file, a journal given ready rows, one given entries, and one given sixteen at a time."""

    def __init__(self, directory: Path) -> None:
        rules = game()
        found = list(islice(entries(rules, first(rules).state), 4 + 9 * 300))[4:]
        self.row_bytes = sum(len(row_of(entry)) for entry in found) // len(found)
        self.raw = Raw(directory / "raw", self.row_bytes)
        self.single = new_journal(directory / "single", rules)
        self.grouped = new_journal(directory / "grouped", rules)
        self._entries = found
        bare = schema.connect(new_file(directory / "bare"))
        schema.configure(bare)
        numbers = iter(range(2, 10**9))
        columns = columns_of(found[3])
        self.commit_bare: Callable[[], object] = lambda: bare.execute(
            schema.INSERT_SQL, (next(numbers), 1, 10**9, WALL_NS, 1, *columns, "0" * 64)
        )
        self.close_bare = bare.close
        self.checkpoint_bare: Callable[[], object] = lambda: (
            bare.execute("PRAGMA wal_checkpoint(PASSIVE)"),
            bare.execute(f"PRAGMA user_version={schema.VERSION}"),
        )
        self.checkpoint_bare()
        self._next = self._forever()

    def _forever(self) -> Iterator[Entry]:
        while True:
            yield from self._entries

    def append(self) -> None:
        self.single.append((next(self._next),), WALL_NS, wall_trusted=True)

    def append_sixteen(self) -> None:
        self.grouped.append(tuple(islice(self._next, 16)), WALL_NS, wall_trusted=True)

    def checkpoint(self) -> None:
        self.single.checkpoint()
        self.grouped.checkpoint()
        self.checkpoint_bare()

    def close(self) -> None:
        self.raw.close()
        self.single.close()
        self.grouped.close()
        self.close_bare()


def row_of(entry: Entry) -> bytes:
    """A row as bytes: its texts, its digest, and five numbers as SQLite packs them (25 bytes together)."""
    return "".join(columns_of(entry)).encode() + bytes(64 + 25)


def new_file(directory: Path) -> Path:
    """An empty journal file, closed."""
    new_journal(directory, game()).close()
    return directory / "pozo.db"


def times(directory: Path, rounds: int) -> list[bool]:
    """Rows 1a and 1d."""
    contenders = Contenders(directory)
    turns = 0

    def checkpoint_now_and_then() -> float:
        nonlocal turns
        turns += 1
        if turns % CHECKPOINT_TURNS == 0:
            contenders.checkpoint()
        return 1.0

    costs = interleaved(
        {
            "raw": repeated(contenders.raw.append),
            "commit": repeated(contenders.commit_bare),
            "append": repeated(contenders.append),
            "sixteen": repeated(contenders.append_sixteen),
            "checkpoint": checkpoint_now_and_then,
        },
        rounds,
    )
    contenders.close()
    commit, append = ratio(costs, "commit", "raw"), ratio(costs, "append", "raw")
    grouped = 16 * ratio(costs, "append", "sixteen")
    print(f"a row of a busy table: {contenders.row_bytes} bytes; the raw file gets as many at a time")
    return [
        tell(
            "1a one commit of a ready row / raw write and flush", commit, "x", "<= 1.25", good=commit <= 1.25
        ),
        tell(
            "9  of it the journal: encode, hash, commit / raw",
            append,
            "x",
            "<= 1.75",
            good=append <= 1.75,
        ),
        tell("1d rows a second, 16 a commit / 1 a commit", grouped, "x", ">= 5", good=grouped >= 5),
    ]


def stat_of(directory: Path) -> Path:
    """Where the kernel counts what the device of `directory` does."""
    device = directory.stat().st_dev
    return Path(f"/sys/dev/block/{os.major(device)}:{os.minor(device)}/stat")


def written(directory: Path) -> int:
    """Bytes the device of `directory` was told to write so far: the seventh figure, in sectors of 512."""
    return int(stat_of(directory).read_text().split()[6]) * 512


def device_bytes(directory: Path) -> list[bool]:
    """Row 1c, with the checkpoints of play in it."""
    if not stat_of(directory).exists():
        print("1c not measured: this directory is on no block device of its own")
        return []
    contenders = Contenders(directory)
    sixteen = Raw(directory / "sixteen", 16 * contenders.row_bytes)

    def cost(
        work: Callable[[], object], times: int, rows: int, checkpoint: Callable[[], None] | None
    ) -> float:
        before = written(directory)
        for number in range(1, times + 1):
            work()
            if checkpoint and number * rows % 96 == 0:
                checkpoint()
        return (written(directory) - before) / (times * rows)

    single = cost(contenders.append, 960, 1, contenders.single.checkpoint)
    grouped = cost(contenders.append_sixteen, 60, 16, contenders.grouped.checkpoint)
    raw = cost(contenders.raw.append, 960, 1, None)
    raw_grouped = cost(sixteen.append, 60, 16, None)
    size = contenders.row_bytes
    contenders.close()
    sixteen.close()
    return [
        tell_bytes("1c", single, raw, 6500, size),
        tell_bytes("1c, 16 a commit:", grouped, raw_grouped, 2000, size),
    ]


def tell_bytes(row: str, found: float, raw: float, limit: int, size: int) -> bool:
    """The limit is for rows under 500 bytes; beyond, the ratio to the same rows written raw is told."""
    if size < 500:
        return tell(f"{row} bytes to the device a record", found, "B", f"<= {limit}", good=found <= limit)
    what = f"{row} {found:.0f} bytes a record / {raw:.0f} raw"
    return tell(what, found / raw, "x", "none: told", good=True)


def compile_shim(directory: Path) -> Path | None:
    """The library that counts flushes, or None without a compiler."""
    gcc = shutil.which("gcc")
    if gcc is None:
        print("1b and 1e not measured: there is no gcc to make the counting library with")
        return None
    source, library = directory / "flushes.c", directory / "flushes.so"
    source.write_text(SHIM)
    subprocess.run([gcc, "-O2", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
    return library


def under_shim(
    library: Path, part: str, directory: Path, program: str = __file__, **environment: str
) -> float:
    """Run one part of `program`, of this file if none is named, with the library loaded first."""
    command = [sys.executable, program, "--part", part, "--directory", str(directory)]
    done = subprocess.run(
        command,
        env={**os.environ, "LD_PRELOAD": str(library), **environment},
        check=True,
        capture_output=True,
        text=True,
    )
    return float(json.loads(done.stdout))


def count_flushes(directory: Path) -> float:
    """Flushes of 500 commits, checkpoints between them not counted, for one commit."""
    shim = ctypes.CDLL(None)
    shim.flushes_so_far.restype = ctypes.c_long
    rules = game()
    journal = new_journal(directory / "count", rules)
    flushes = 0
    for number, entry in enumerate(islice(entries(rules, first(rules).state), 500), start=1):
        before = shim.flushes_so_far()
        journal.append((entry,), WALL_NS, wall_trusted=True)
        flushes += shim.flushes_so_far() - before
        if number % 50 == 0:
            journal.checkpoint()
    journal.close()
    return flushes / 500


def slow_ratio(directory: Path) -> float:
    """Append against raw where every flush takes 8 ms longer."""
    contenders = Contenders(directory)
    costs = interleaved({"raw": repeated(contenders.raw.append), "append": repeated(contenders.append)}, 5)
    contenders.close()
    return ratio(costs, "append", "raw")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=61, help="measured turns of each contender")
    options.add_argument("--directory", type=Path, help="on the medium to measure (default: a temporary one)")
    options.add_argument("--part", choices=["count", "slow"], help=argparse.SUPPRESS)
    given = options.parse_args()
    with tempfile.TemporaryDirectory(dir=given.directory) as name:
        directory = Path(name)
        if given.part:
            found = count_flushes(directory) if given.part == "count" else slow_ratio(directory)
            print(json.dumps(found))
            return
        for part in ("times", "bytes"):
            (directory / part).mkdir()
        kept = times(directory / "times", given.rounds) + device_bytes(directory / "bytes")
        library = compile_shim(directory)
        if library:
            flushes = under_shim(library, "count", directory)
            slow = under_shim(library, "slow", directory, FLUSH_MS="8")
            kept.append(tell("1b flushes a commit", flushes, "", "exactly 1", good=flushes == 1))
            kept.append(tell("1e append / raw with an 8 ms flush", slow, "x", "<= 1.05", good=slow <= 1.05))
    sys.exit(0 if all(kept) else 1)


if __name__ == "__main__":
    main()
