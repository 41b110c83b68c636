"""Every fault the table knows, with its severity: the one list.

A `warning` lets play go on, a `seat` fault closes that seat, a `table` fault locks the slots until the
technician's key clears it.
"""

from enum import StrEnum

import msgspec

LATE_MS = 2_000
"""Standing still this long is a fault of the machine, not a moment of a slow medium: slots may have locked so late that
people saw it. Chips are decided by their stamps all the same, so play goes on and somebody looks for the cause."""


class Severity(StrEnum):
    """What a fault does to play."""

    WARNING = "warning"
    SEAT = "seat"
    TABLE = "table"


class FaultCode(StrEnum):
    """The codes, as the journal, the screen and drills name them."""

    SIGN_LOST = "sign_lost"
    HOST_LOST = "host_lost"
    LINK_UNKNOWN = "link_unknown"
    """The floor never confirmed a linked pot: nobody may be promised one."""
    SCREEN_LOST = "screen_lost"
    KEYPAD_LOST = "keypad_lost"
    COMMON_MODE = "common_mode"
    LINE_NOISY = "line_noisy"
    COIN_IN_STUCK = "coin_in_stuck"
    GAME_OVER_STUCK = "game_over_stuck"
    STORAGE_LOW = "storage_low"
    JOURNAL_HELD = "journal_held"
    JOURNAL_REOPENED = "journal_reopened"
    LOOP_LATE = "loop_late"
    WITNESS_REBUILT = "witness_rebuilt"
    CLOCK_DOUBTED = "clock_doubted"
    PIN_LOCKED = "pin_locked"
    USERS_RESTORED = "users_restored"
    """The list of persons was made anew by keys alone: who set the PINs since may be one person."""
    SEAT_JAMMED = "seat_jammed"
    SEAT_CHATTER = "seat_chatter"
    SEAT_OVERFLOW = "seat_overflow"
    LAMP_DEAD = "lamp_dead"
    STORAGE_FAILED = "storage_failed"
    BUTTON_OVERFLOW = "button_overflow"
    WITNESS_LOST = "witness_lost"
    FLOOR_DISAGREES = "floor_disagrees"
    LINK_DISAGREES = "link_disagrees"
    CLAIM_REFUSED = "claim_refused"


SEVERITY: dict[FaultCode, Severity] = {
    FaultCode.SIGN_LOST: Severity.WARNING,
    FaultCode.HOST_LOST: Severity.WARNING,
    FaultCode.LINK_UNKNOWN: Severity.WARNING,
    FaultCode.SCREEN_LOST: Severity.WARNING,
    FaultCode.KEYPAD_LOST: Severity.WARNING,
    FaultCode.COMMON_MODE: Severity.WARNING,
    FaultCode.LINE_NOISY: Severity.WARNING,
    FaultCode.COIN_IN_STUCK: Severity.WARNING,
    FaultCode.GAME_OVER_STUCK: Severity.WARNING,
    FaultCode.STORAGE_LOW: Severity.WARNING,
    FaultCode.JOURNAL_HELD: Severity.WARNING,
    FaultCode.JOURNAL_REOPENED: Severity.WARNING,
    FaultCode.LOOP_LATE: Severity.WARNING,
    FaultCode.WITNESS_REBUILT: Severity.WARNING,
    FaultCode.CLOCK_DOUBTED: Severity.WARNING,
    FaultCode.PIN_LOCKED: Severity.WARNING,
    FaultCode.USERS_RESTORED: Severity.WARNING,
    FaultCode.SEAT_JAMMED: Severity.SEAT,
    FaultCode.SEAT_CHATTER: Severity.SEAT,
    FaultCode.SEAT_OVERFLOW: Severity.SEAT,
    FaultCode.LAMP_DEAD: Severity.SEAT,
    FaultCode.STORAGE_FAILED: Severity.TABLE,
    FaultCode.BUTTON_OVERFLOW: Severity.TABLE,
    FaultCode.WITNESS_LOST: Severity.TABLE,
    FaultCode.FLOOR_DISAGREES: Severity.TABLE,
    FaultCode.LINK_DISAGREES: Severity.TABLE,
    FaultCode.CLAIM_REFUSED: Severity.TABLE,
}

SELF_CLEARING = frozenset(
    {
        FaultCode.SIGN_LOST,
        FaultCode.HOST_LOST,
        FaultCode.LINK_UNKNOWN,
        FaultCode.SCREEN_LOST,
        FaultCode.KEYPAD_LOST,
        FaultCode.COIN_IN_STUCK,
        FaultCode.GAME_OVER_STUCK,
        FaultCode.WITNESS_LOST,
        FaultCode.FLOOR_DISAGREES,
        FaultCode.LINK_DISAGREES,
        FaultCode.CLAIM_REFUSED,
    }
)
"""Faults that end when their cause does; nobody can clear them before."""

OUTLIVE = frozenset({FaultCode.LINK_UNKNOWN, FaultCode.LINK_DISAGREES, FaultCode.CLAIM_REFUSED})
"""Those of them whose cause a new start does not take away: they stand until the floor says otherwise."""

TECHNICIANS = frozenset({FaultCode.WITNESS_REBUILT, FaultCode.CLOCK_DOUBTED})
"""Warnings that only the technician's key clears: somebody must have looked."""


class Fault(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """One fault that stands now. `seat` 0 means the whole table."""

    code: FaultCode
    seat: int = 0

    @property
    def severity(self) -> Severity:
        """What this fault does to play."""
        return SEVERITY[self.code]
