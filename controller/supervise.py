"""Whether everything that must live does: threads, input scan, storing. What does not ends the process, with its name.

It knows signs of life as numbers and no part behind them. It is asked by the loop, whose own life is the service
manager's business: a loop that stands still pets no watchdog.
"""

from collections.abc import Mapping
from typing import NamedTuple

from controller.core.state import Table

LOOK_NS = 1_000_000_000
STUCK_LOOKS = 10
"""A part whose beat has not moved over so many looks in a row is stuck. It is counted in looks, not in time: after
the whole process stood still its threads have their second chance. No bus of the board may hold a thread this long."""

DEAF_REPAIRS = 4
"""So many levels changed in a row without one edge, on any line: two whole pulses. The pins are deaf, and a chip that
is shorter than the distance of two looks at the levels would be lost."""

PINS_ARE_DEAF = "pins: levels change and no edge comes"


class Signs(NamedTuple):
    """What there is to see: each part's last beat (0: it has ended), edges heard and levels repaired so far."""

    beats: Mapping[str, int]
    edges: int
    repairs: int


class Supervisor:
    """Remembers the last signs and compares."""

    def __init__(self) -> None:
        self._due_ns = 0
        self._beats: Mapping[str, int] = {}
        self._still: dict[str, int] = {}
        self._edges = 0
        self._repairs = 0

    def due(self, now_ns: int) -> bool:
        """Whether it is time to look."""
        return now_ns >= self._due_ns

    def look(self, now_ns: int, signs: Signs) -> str | None:
        """Look at everything: the parts that are dead or stuck, in words, or None while all live."""
        self._due_ns = now_ns + LOOK_NS
        self._still = {
            part: self._still.get(part, 0) + 1 if self._beats.get(part) == beat else 0
            for part, beat in signs.beats.items()
        }
        self._beats = signs.beats
        wrong = [f"{part}: it has ended" for part, beat in signs.beats.items() if beat == 0]
        wrong += [
            f"{part}: it has stood still for {still * LOOK_NS // 1_000_000_000} s"
            for part, still in self._still.items()
            if still >= STUCK_LOOKS and signs.beats[part] != 0
        ]
        if self._deaf(signs):
            wrong.append(PINS_ARE_DEAF)
        return "; ".join(wrong) or None

    def _deaf(self, signs: Signs) -> bool:
        if signs.edges != self._edges:
            self._edges, self._repairs = signs.edges, signs.repairs
        return signs.repairs - self._repairs >= DEAF_REPAIRS


def status(table: Table, latest_ms: int) -> str:
    """The table in one line, as `systemctl status` shows it. `latest_ms`: how late the loop ever was, 0 for never."""
    parts = [f"{table.phase}, round {table.round}"]
    if table.faults:
        names = (f"{fault.code} {fault.seat}" if fault.seat else fault.code for fault in table.faults)
        parts.append(f"faults: {', '.join(names)}")
    if latest_ms:
        parts.append(f"latest turn {latest_ms} ms late")
    return "; ".join(parts)
