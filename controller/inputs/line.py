"""What every input line has, whatever it is for: a believed level, a deadline, noise, and lost edges.

It may know events and the outbox; it does not know other lines.
"""

from abc import ABC, abstractmethod
from typing import NamedTuple

from controller.core.events import EdgeLost, NoiseSeen
from controller.inputs.outbox import Outbox
from controller.inputs.timings import MINUTE, MS, NEVER, SECOND, Timings


class Minutes:
    """The minutes in which lines count noise: one deadline for all of them."""

    def __init__(self, outbox: Outbox) -> None:
        self.due_ns = NEVER
        self._outbox = outbox
        self._open: list[Noise] = []

    def open(self, noise: "Noise", due_ns: int) -> None:
        """A line began to count; its minute ends at `due_ns`."""
        self._open.append(noise)
        self.due_ns = min(self.due_ns, due_ns)
        self._outbox.wake(due_ns)

    def expire(self) -> None:
        """Tell the counts of every minute that has ended."""
        ended = [noise for noise in self._open if noise.due_ns <= self.due_ns]
        self._open = [noise for noise in self._open if noise.due_ns > self.due_ns]
        self.due_ns = min((noise.due_ns for noise in self._open), default=NEVER)
        for noise in sorted(ended, key=lambda noise: noise.line):
            noise.tell()

    def end(self) -> None:
        """End all of them now."""
        self.due_ns = NEVER
        self.expire()


class Noise:
    """Counts a line's meaningless pulses; at most one record a minute leaves."""

    __slots__ = ("_count", "_first_ns", "_minutes", "_outbox", "_seat", "due_ns", "line")

    def __init__(self, line: str, seat: int, outbox: Outbox, minutes: Minutes) -> None:
        self.line = line
        self._seat = seat
        self._outbox = outbox
        self._minutes = minutes
        self._count = 0
        self._first_ns = 0
        self.due_ns = NEVER
        """End of the minute; it is set while something is counted."""

    def add(self, fall_ns: int, at_ns: int) -> None:
        """A pulse that fell at `fall_ns` was found meaningless at `at_ns`; the first opens the minute."""
        if not self._count:
            self._first_ns = fall_ns
            self.due_ns = at_ns + MINUTE
            self._minutes.open(self, self.due_ns)
        self._count += 1

    def tell(self) -> None:
        """Tell what was counted; the next pulse opens another minute."""
        self._outbox.put(NoiseSeen(self._first_ns, self.line, self._seat, self._count))
        self._count = 0


class Setup(NamedTuple):
    """What all lines of a table have in common; `now_ns` is when the levels at start were read."""

    timings: Timings
    outbox: Outbox
    minutes: Minutes
    now_ns: int


class Line(ABC):
    """A line as far as edges and snapshots have told. `active` is the believed level."""

    __slots__ = (
        "_echo_ns",
        "_lost_again_ns",
        "_outbox",
        "active",
        "agreed_ns",
        "doubt_after_ns",
        "doubt_ns",
        "due_ns",
        "last_ns",
        "low_ns",
        "name",
        "noise",
        "seat",
    )

    def __init__(self, name: str, seat: int, active: bool, setup: Setup) -> None:
        now_ns = setup.now_ns
        self.name = name
        self.seat = seat
        """0 for a line that is no seat's."""
        self.active = active
        self.due_ns = NEVER
        self.last_ns = now_ns
        """Stamp of the last edge."""
        self.low_ns = now_ns
        """Start of the low that is going on, or of the last one."""
        self.agreed_ns = now_ns
        """When a snapshot last showed the believed level."""
        self.doubt_ns = NEVER
        """Since when snapshots have shown the other level."""
        self.doubt_after_ns = NEVER
        """The edge after which one is missing."""
        self.noise = Noise(name, seat, setup.outbox, setup.minutes)
        self._outbox = setup.outbox
        # A snapshot may tell a level before the edge that led to it arrives: such an edge is no news.
        self._echo_ns = now_ns + setup.timings.repair_ms * MS
        self._lost_again_ns = 0

    @property
    @abstractmethod
    def undecided_ns(self) -> int:
        """The oldest stamp an event of this line can still get; `NEVER` if none is being decided."""

    @abstractmethod
    def fall(self, at_ns: int) -> None:
        """The line became active at `at_ns`."""

    @abstractmethod
    def rise(self, at_ns: int) -> None:
        """The line became idle at `at_ns`."""

    @abstractmethod
    def expire(self) -> None:
        """The deadline `due_ns` is reached."""

    @abstractmethod
    def repair(self, at_ns: int) -> None:
        """An edge was lost: since `at_ns` at the latest the level is the other one."""

    def edge_lost(self, at_ns: int) -> None:
        """Tell a lost edge, once a second at most; what comes faster is counted as noise."""
        if at_ns >= self._lost_again_ns:
            self._lost_again_ns = at_ns + SECOND
            self._outbox.put(EdgeLost(at_ns, self.name, self.seat))
        else:
            self.noise.add(at_ns, at_ns)
