"""The last pulses of every line, width and gap, for the technician's page. It decides nothing.

It may know edges only: what the filter made of them is told elsewhere.
"""

from collections import deque
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from hal.interface import Edge

KEPT = 20
"""Pulses remembered per line; older ones leave."""


class Pulse(NamedTuple):
    """A low from its fall to its rise, and the idle time before it; nanoseconds. Bounces are pulses too."""

    width_ns: int
    gap_ns: int


class Pulses:
    """Remembers, line by line, the last pulses whose fall and rise were both seen."""

    def __init__(self) -> None:
        self._fell: dict[str, int] = {}
        self._rose: dict[str, int] = {}
        self._kept: dict[str, deque[Pulse]] = {}

    def see(self, edges: Iterable[Edge]) -> None:
        """Take the edges of one pass."""
        for edge in edges:
            if edge.active:
                self._fell[edge.line] = edge.at_ns
                continue
            fell = self._fell.pop(edge.line, None)
            if fell is not None:
                gap = fell - self._rose.get(edge.line, fell)
                self._kept.setdefault(edge.line, deque(maxlen=KEPT)).append(Pulse(edge.at_ns - fell, gap))
            self._rose[edge.line] = edge.at_ns

    def kept(self) -> Mapping[str, tuple[Pulse, ...]]:
        """Every line that pulsed, its newest pulse first."""
        return {line: tuple(reversed(pulses)) for line, pulses in self._kept.items()}
