"""Whether the day's date can be true: what a set wall clock says against what has run since the last date.

A date decides nothing in play, but it decides in which report money is found. It knows two clocks and the newest date
in the journal, and no file.
"""

from controller.clock import Clock
from controller.core import events as ev
from controller.core.faults import FaultCode
from controller.core.state import Table

STEP_NS = 2_000_000_000
"""The wall clock moved this much against the monotonic one: a step, not a slew."""

DAY_NS = 86_400_000_000_000

RUNNING_NS = DAY_NS
"""A set clock that has moved this far against a running one, or stands so far before the newest date, is doubted."""

OFF_NS = 7 * DAY_NS
"""A program that did not run for longer than this is a table that was away, or a date that is not true."""


class Dates:
    """Looks at the wall clock of one run. `last_ns`: the newest date of a set clock in the journal, None if none."""

    def __init__(self, clock: Clock, last_ns: int | None) -> None:
        self._clock = clock
        self._last_ns = last_ns
        self._offset_ns = self._offset()
        self._believed_ns: int | None = None
        """Offset of the date that everything since is held against, however small the steps away from it."""

    def look(self, now_ns: int) -> tuple[ev.ClockStepped, ...]:
        """The step of the wall clock since the last look, and whether nothing explains where it stands.

        A clock that was not set explains any step: it is being set. The first date of a set clock may be as much
        later than the newest in the journal as a table may have been off.
        """
        offset = self._offset()
        by_ns, self._offset_ns = offset - self._offset_ns, offset
        stepped = abs(by_ns) > STEP_NS
        far_ns = 0
        if self._clock.wall_trusted() and (stepped or self._believed_ns is None):
            far_ns = self._unexplained(offset)
        if stepped or far_ns:
            return (ev.ClockStepped(now_ns, far_ns or by_ns, unexplained=bool(far_ns)),)
        return ()

    def _unexplained(self, offset: int) -> int:
        """How far the date is from what explains it, 0 where it is not. A doubted date is what counts from then on."""
        if self._believed_ns is not None:
            far_ns, most_ns = offset - self._believed_ns, RUNNING_NS
        elif self._last_ns is not None:
            far_ns, most_ns = self._clock.wall_ns() - self._last_ns, OFF_NS
        else:
            far_ns, most_ns = 0, OFF_NS
        found = far_ns if far_ns > most_ns or far_ns < -RUNNING_NS else 0
        if found or self._believed_ns is None:
            self._believed_ns = offset
        return found

    def _offset(self) -> int:
        return self._clock.wall_ns() - self._clock.monotonic_ns()


def dated(clock: Clock, table: Table) -> bool:
    """Whether a record with this state after it has a date to go by: of a clock that was set, and is not doubted."""
    return clock.wall_trusted() and all(fault.code is not FaultCode.CLOCK_DOUBTED for fault in table.faults)
