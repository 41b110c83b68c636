"""The filter's times, as the board file gives them. It knows nothing else."""

import msgspec

MS = 1_000_000
"""Nanoseconds in a millisecond."""

SECOND = 1_000_000_000
"""Nanoseconds in a second."""

MINUTE = 60 * SECOND
"""Nanoseconds in a minute."""

NEVER = 2**63 - 1
"""A deadline that is not set."""


class Timings(msgspec.Struct, frozen=True):
    """All of the filter's limits; whole milliseconds where the name says so.

    The range of each value is the board file's business (`controller.config`); what must hold between them is
    checked here. Raises `ValueError` naming the two values, what is allowed and where to change it.
    Source of the reference values: the design's section 5 and the rules' section 2.
    """

    settle_ms: int
    """A seat's low this long is a chip; a shorter one is noise. 5 at least."""
    rearm_ms: int
    """After a counted pulse the line must be idle this long before the next fall counts."""
    jam_ms: int
    """A low longer than this is a jam, not a chip."""
    button_settle_ms: int
    """A button or key must hold a level this long, pressed and released."""
    stuck_ms: int
    """A button down this long is told as stuck."""
    hold_ms: int
    """GAME OVER down this long opens the menu and ends no round."""
    common_mode_ms: int
    """Lows whose falls, and whose rises, lie within this time of each other came together."""
    common_mode_lines: int
    """So many seats must fall and rise together to be noise of the whole table."""
    held_wait_ms: int
    """COIN IN waits this long from its own stamp for lows that are held back."""
    poll_ms: int
    """Levels are read again at least this often."""
    repair_ms: int
    """A level that differs from what edges said for this long means that an edge was lost."""
    chatter_per_s: int
    """More counted pulses than this in a second on one seat: a contact that chatters."""

    def __post_init__(self) -> None:
        """Check what must hold between two values, or the filter's order of decisions would not be sound."""
        self._longer("settle_ms", "common_mode_ms", 2)
        self._longer("button_settle_ms", "common_mode_ms", 2)
        self._longer("jam_ms", "settle_ms")
        self._longer("jam_ms", "held_wait_ms")
        self._longer("held_wait_ms", "button_settle_ms")
        self._longer("hold_ms", "button_settle_ms")
        self._longer("stuck_ms", "hold_ms")
        self._longer("poll_ms", "repair_ms")

    def _longer(self, name: str, other: str, times: int = 1) -> None:
        value, least = getattr(self, name), times * getattr(self, other)
        if value <= least:
            much = f"{times} times {other}" if times > 1 else other
            raise ValueError(
                f"timings: {name} is {value} and must be more than {much} ({least}): "
                f"raise {name} or lower {other} in the board file"
            )


REFERENCE = Timings(
    settle_ms=10,
    rearm_ms=10,
    jam_ms=1000,
    button_settle_ms=20,
    stuck_ms=5000,
    hold_ms=1000,
    common_mode_ms=2,
    common_mode_lines=3,
    held_wait_ms=100,
    poll_ms=50,
    repair_ms=5,
    chatter_per_s=20,
)
"""The reference board's times (the design's section 5)."""
