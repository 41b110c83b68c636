"""Makes a failing drill short: the same checker must still find something, and every line left is needed.

First the end of the run alone is tried, on a fresh table; then lines are left out in ever smaller pieces, as in delta
debugging (Zeller and Hildebrandt, 2002).
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from controller.drill.play import Drill
from controller.soak.table import MEMORY, Failure, failure_of, played

Fails = Callable[[Sequence[str]], bool]

TAILS = (5, 20, 80, 320, 1_280, 5_120)
"""How many of the last lines are tried alone."""

TRIES_MOST = 1_500
"""More replays than this are not spent; what is left then is still a failing drill."""


def replay(lines: Sequence[str], parent: Path | None = None) -> Failure | None:
    """Play lines on a fresh table; what a checker found, or None. What cannot be played any more is no failure."""
    drill = Drill(parent=parent or (MEMORY if MEMORY.is_dir() else None))
    failure: Failure | None = None
    try:
        for line in lines:
            failure = played(drill, line)
            if failure is not None:
                break
    finally:
        failure = closed(drill, failure)
    return failure


def closed(drill: Drill, failure: Failure | None) -> Failure | None:
    """Switch the table off; what is found only now."""
    try:
        drill.close()
    except Exception as error:  # noqa: BLE001, whatever ends it is what is looked for
        return failure or Failure("crash", f"at the end: {error!r}")
    if failure is None and drill.auditor is not None and drill.auditor.found:
        return failure_of(drill.auditor.found[0])
    return failure


def same(checker: str) -> Fails:
    """Whether the same checker still finds something."""

    def fails(lines: Sequence[str]) -> bool:
        found = replay(lines)
        return found is not None and found.checker == checker

    return fails


def shrink(header: Sequence[str], body: Sequence[str], fails: Fails) -> list[str]:
    """A short body behind the header that still fails; the whole of it, if it does not fail when it is played again."""
    budget = [TRIES_MOST]

    def tried(lines: Sequence[str]) -> bool:
        if budget[0] <= 0:
            return False
        budget[0] -= 1
        return fails([*header, *lines])

    kept = next(
        (list(body[-length:]) for length in TAILS if length < len(body) and tried(body[-length:])), list(body)
    )
    if len(kept) == len(body) and not tried(kept):
        return kept
    return _without(kept, tried)


def _without(lines: list[str], fails: Fails) -> list[str]:
    """Leave out pieces as long as it fails without them."""
    pieces = 2
    while len(lines) >= 2:
        size = max(len(lines) // pieces, 1)
        shorter = next(
            (
                rest
                for begin in range(0, len(lines), size)
                if fails(rest := lines[:begin] + lines[begin + size :])
            ),
            None,
        )
        if shorter is not None:
            lines, pieces = shorter, max(pieces - 1, 2)
        elif size == 1:
            return lines
        else:
            pieces = min(pieces * 2, len(lines))
    return lines


def as_drill(seed: int, failure: Failure, lines: Sequence[str]) -> str:
    """The file that `pozo drill` plays, and that fails with it."""
    told = [f"pozo soak, seed {seed}: {failure.checker}", *failure.text.splitlines()]
    return "".join([*(f"# {line}\n" for line in told), *(f"{line}\n" for line in lines)])
