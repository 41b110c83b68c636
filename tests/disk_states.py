"""Opens every state that a disk may legally hold after a power cut at any write or flush of random sessions.

`python -m tests.disk_states --states 100000 [--seed 1] [--resume FILE]`: exit 0 if each state came back as it must.
"""

import argparse
import hashlib
import random
import sys
import time
from contextlib import closing
from pathlib import Path

import msgspec

from controller.journal import JournalError
from controller.soak.disk_model import Tree, without_zeros
from controller.soak.disk_states import legal_states
from tests.helpers_disk import LostError, Opener, Session

MOVES = 12
"""What one session plays: about two hundred writes and flushes."""

EACH = 12
"""States that are opened for one moment."""

THOROUGH = 50
"""Every so many states the table is started in full, and its whole chain is proved."""


WRONG_MAX = 5
"""Enough to see what is wrong."""


class Tally(msgspec.Struct):
    """What was found so far; it can be written down and gone on with."""

    seed: int
    opened: int = 0
    distinct: int = 0
    seconds: float = 0.0
    wrong: list[str] = []


def session_states(tally: Tally, limit: int) -> None:
    """Play the session of `tally.seed`, open its states, and count."""
    began = time.monotonic()
    try:
        segments = Session(tally.seed, MOVES).play()
    except (LostError, JournalError) as error:
        tally.wrong.append(f"seed {tally.seed}: {type(error).__name__}: {error}")
        return
    rng = random.Random(tally.seed)
    seen: set[bytes] = set()
    with closing(Opener()) as opener:
        for number, segment in enumerate(segments):
            for done, tree in legal_states(segment.base, segment.log, rng, EACH):
                mark = fingerprint(tree, number)
                if mark in seen:
                    continue
                seen.add(mark)
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


def fingerprint(tree: Tree, number: int) -> bytes:
    """The same for the same files only."""
    made = hashlib.blake2b(str(number).encode(), digest_size=12)
    for name, data in sorted(tree.items()):
        made.update(f"{name}\0{len(data)}\0".encode())
        made.update(without_zeros(data))
    return made.digest()


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
