"""Opens every state that a disk may legally hold after a power cut at any write or flush of random sessions.

`python -m tests.disk_states --states 100000 [--seed 1] [--resume FILE]`: exit 0 if each state came back as it must.
"""

import argparse
import hashlib
import random
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import msgspec

from controller.journal import JournalError
from controller.soak.disk_model import Tree, without_zeros
from controller.soak.disk_states import legal_states
from tests.helpers_disk import MOVES, LostError, Move, Session
from tests.helpers_disk_check import Opener


class Plan(NamedTuple):
    """How a session is played, and how many states are opened for one moment of it."""

    moves: Sequence[Move] = MOVES
    length: int = 12
    """Twelve moves are some five hundred writes and flushes."""
    each: int = 12


USUAL = Plan()

THOROUGH = 50
"""Every so many states the table is started in full, and its whole chain is proved."""


KEPT_FILES = 64
"""Files whose fingerprint is remembered."""

WRONG_MAX = 5
"""Enough to see what is wrong."""


class Tally(msgspec.Struct):
    """What was found so far; it can be written down and gone on with."""

    seed: int
    opened: int = 0
    distinct: int = 0
    seconds: float = 0.0
    wrong: list[str] = []


def session_states(tally: Tally, limit: int, plan: Plan = USUAL) -> None:
    """Play the session of `tally.seed`, open its states, and count."""
    began = time.monotonic()
    try:
        segments = Session(tally.seed, plan.moves, plan.length).play()
    except (LostError, JournalError) as error:
        tally.wrong.append(f"seed {tally.seed}: {type(error).__name__}: {error}")
        return
    rng = random.Random(tally.seed)
    seen = Marks()
    with closing(Opener()) as opener:
        for number, segment in enumerate(segments):
            for done, tree in legal_states(segment.base, segment.log, rng, plan.each):
                if not seen.new(tree, number):
                    continue
                flaw = opener.flaw(tree, segment, done, thorough=len(seen) % THOROUGH == 0)
                if flaw is not None:
                    last = segment.log[done - 1] if done else "the beginning"
                    tally.wrong.append(
                        f"seed {tally.seed}, disk {number}, after {done} ({last}): {flaw}"[:600]
                    )
                if tally.opened + opener.opened >= limit or len(tally.wrong) >= WRONG_MAX:
                    break
        tally.opened += opener.opened
    tally.distinct += len(seen)
    tally.seed += 1
    tally.seconds += time.monotonic() - began


class Marks:
    """Which states were opened already. Files that did not change are the same objects, and are read once."""

    def __init__(self) -> None:
        self._files: dict[int, tuple[bytes, bytes]] = {}
        self._seen: set[bytes] = set()

    def __len__(self) -> int:
        return len(self._seen)

    def new(self, tree: Tree, disk: int) -> bool:
        """Whether this state of this disk was not there before; from now on it was."""
        whole = hashlib.blake2b(str(disk).encode(), digest_size=12)
        for name, data in sorted(tree.items()):
            whole.update(name.encode())
            whole.update(self._of(data))
        before = len(self._seen)
        self._seen.add(whole.digest())
        return len(self._seen) > before

    def _of(self, data: bytes) -> bytes:
        if id(data) in self._files:
            return self._files[id(data)][1]
        used = without_zeros(data)
        made = hashlib.blake2b(f"{len(data)} ".encode() + used, digest_size=12).digest()
        self._files[id(data)] = (data, made)
        if len(self._files) > KEPT_FILES:
            self._files.pop(next(iter(self._files)))
        return made


def say(*lines: str) -> None:
    sys.stdout.writelines(f"{line}\n" for line in lines)
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--states", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--resume", type=Path, help="a file that is gone on with, and written after each session"
    )
    given = parser.parse_args()
    tally = Tally(given.seed)
    if given.resume is not None and given.resume.exists():
        tally = msgspec.json.decode(given.resume.read_bytes(), type=Tally)
    while tally.opened < given.states and not tally.wrong:
        session_states(tally, given.states)
        if given.resume is not None:
            given.resume.write_bytes(msgspec.json.encode(tally))
        say(
            f"next seed {tally.seed}: {tally.opened} states opened, {tally.distinct} distinct, "
            f"{len(tally.wrong)} wrong, {tally.seconds:.0f} s"
        )
    say(*tally.wrong)
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
