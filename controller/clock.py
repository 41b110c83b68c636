"""Time as the program may know it: one monotonic clock that decides, and a wall clock that only dates.

Wall time may step by days; nothing in play depends on it.
"""

import time
from pathlib import Path
from typing import Protocol

SYNCHRONISED = Path("/run/systemd/timesync/synchronized")
"""systemd-timesyncd makes this file when the wall clock has been set from the network (its manual page)."""


BOOT_NS = 1_000_000_000
"""Where a virtual machine's monotonic clock stands when it comes up."""


class Clock(Protocol):
    """The two clocks, in nanoseconds."""

    def monotonic_ns(self) -> int:
        """CLOCK_MONOTONIC, the clock that stamps edges."""

    def wall_ns(self) -> int:
        """Unix time; only a date for people."""

    def wall_trusted(self) -> bool:
        """Whether the wall clock has been set from a source since the machine came up."""


LOOK_AGAIN_NS = 10_000_000_000
"""While the wall clock is not trusted, the mark is looked for this often: looking costs as much as storing a record."""


class SystemClock:
    """The machine's clocks."""

    def __init__(self) -> None:
        self._trusted = False
        self._look_ns = 0

    def monotonic_ns(self) -> int:
        """CLOCK_MONOTONIC of this machine."""
        return time.monotonic_ns()

    def wall_ns(self) -> int:
        """Unix time of this machine."""
        return time.time_ns()

    def wall_trusted(self) -> bool:
        """Whether systemd-timesyncd says that the clock was set; what is set once stays so until the next boot."""
        if not self._trusted and time.monotonic_ns() >= self._look_ns:
            self._look_ns = time.monotonic_ns() + LOOK_AGAIN_NS
            self._trusted = SYNCHRONISED.exists()
        return self._trusted


class VirtualClock:
    """A clock that stands still until it is moved: for drills, soaks and tests."""

    def __init__(self, monotonic_ns: int = BOOT_NS, wall_ns: int = 1_767_225_600_000_000_000) -> None:
        self._monotonic_ns = monotonic_ns
        self._wall_offset_ns = wall_ns - monotonic_ns
        self.trusted = True

    def monotonic_ns(self) -> int:
        """Where the clock was moved to."""
        return self._monotonic_ns

    def wall_ns(self) -> int:
        """The monotonic clock plus the offset that `step_wall` changes."""
        return self._monotonic_ns + self._wall_offset_ns

    def wall_trusted(self) -> bool:
        """What the test says."""
        return self.trusted

    def move_to(self, at_ns: int) -> None:
        """Move forward to `at_ns`; a monotonic clock never goes back."""
        if at_ns < self._monotonic_ns:
            raise ValueError(f"the clock stands at {self._monotonic_ns} ns and cannot go back to {at_ns} ns")
        self._monotonic_ns = at_ns

    def restart(self) -> None:
        """The machine comes up again: monotonic time begins anew, the wall clock goes on."""
        wall_ns = self.wall_ns()
        self._monotonic_ns = BOOT_NS
        self._wall_offset_ns = wall_ns - BOOT_NS

    def step_wall(self, by_ns: int) -> None:
        """Step the wall clock; monotonic time does not notice."""
        self._wall_offset_ns += by_ns
