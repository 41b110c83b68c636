"""Which lows are chips, worked out from the whole record at once: a second opinion on the filter.

It looks at complete lows and at the rules' sentences, not at edges one after the other, and shares no code with
`controller.inputs`.
"""

from collections.abc import Sequence
from functools import cache
from itertools import product

from tests.helpers_inputs import Change

MS = 1_000_000
SETTLE, REARM, JAM, TOGETHER, LINES = 10 * MS, 10 * MS, 1000 * MS, 2 * MS, 3
ENDLESS = 10**18

Low = tuple[int, int, int]
"""Seat, fall, rise."""


class Oracle:
    """The verdict on every low of the seats' lines."""

    def __init__(self, changes: Sequence[Change]) -> None:
        self.lows: dict[int, list[Low]] = {}
        for seat in range(1, 8):
            stamps = [c.at_ns for c in sorted(changes) if c.line == f"seat_{seat}"]
            ends = [*stamps[1::2], ENDLESS]
            self.lows[seat] = [(seat, fall, ends[i]) for i, fall in enumerate(stamps[::2])]
        self.candidate = cache(self._candidate)
        self.chip = cache(self._chip)

    def chips(self) -> list[tuple[int, int]]:
        """Stamp and seat of every chip."""
        return sorted((low[1], low[0]) for lows in self.lows.values() for low in lows if self.chip(low))

    def noise(self) -> set[Low]:
        """Every settled low that was common-mode noise."""
        return {low for lows in self.lows.values() for low in lows if settled(low) and self.common(low)}

    def _candidate(self, low: Low) -> bool:
        """Whether a low may be a chip at all: no bounce of a counted pulse or of a jam before it."""
        lows = self.lows[low[0]]
        index = lows.index(low)
        if index == 0:
            return True
        before = lows[index - 1]
        if low[1] >= before[2] + REARM:
            return True
        if not self.candidate(before):
            return False
        return not self.chip(before) and not jam(before)

    def _chip(self, low: Low) -> bool:
        if not self.candidate(low) or not settled(low):
            return False
        if not self.fell_together(low):
            return True
        return not jam(low) and not self.common(low)

    def near(self, low: Low) -> list[Low]:
        """Candidate lows of any seat that fell within the span, itself included."""
        return [
            other
            for lows in self.lows.values()
            for other in lows
            if abs(other[1] - low[1]) <= TOGETHER and self.candidate(other)
        ]

    def fell_together(self, low: Low) -> bool:
        near = self.near(low)
        return any(
            len({o[0] for o in near if first <= o[1] <= first + TOGETHER}) >= LINES
            for first in range_of(near, 1)
            if first <= low[1]
        )

    def common(self, low: Low) -> bool:
        """Whether three seats fell within the span and rose within the span, this low among them; no jams."""
        if not self.candidate(low) or jam(low):
            return False
        near = [o for o in self.near(low) if abs(o[2] - low[2]) <= TOGETHER and not jam(o)]
        for fall, rise in product(range_of(near, 1), range_of(near, 2)):
            box = [o for o in near if fall <= o[1] <= fall + TOGETHER and rise <= o[2] <= rise + TOGETHER]
            if low in box and len({o[0] for o in box}) >= LINES:
                return True
        return False


def settled(low: Low) -> bool:
    """Whether a low held long enough to be a chip."""
    return low[2] - low[1] >= SETTLE


def jam(low: Low) -> bool:
    """Whether a low is longer than the jam limit."""
    return low[2] - low[1] > JAM


def range_of(lows: Sequence[Low], index: int) -> list[int]:
    return sorted({low[index] for low in lows})
