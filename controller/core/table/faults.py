"""Faults that stand beside the phase."""

from msgspec.structs import replace

from controller.core import events as ev
from controller.core.events import Refusal
from controller.core.faults import LATE_MS, SELF_CLEARING, SEVERITY, TECHNICIANS, FaultCode, Severity
from controller.core.game import Game
from controller.core.state import Table
from controller.core.table.gate import Outcome, refuse, with_fault, without_fault
from controller.core.table.people import unlock_asked
from controller.core.table.presence import lacking
from controller.core.table.seats import unstored

_STUCK = {
    ev.Button.COIN_IN: FaultCode.COIN_IN_STUCK,
    ev.Button.GAME_OVER: FaultCode.GAME_OVER_STUCK,
}


def button_stuck(table: Table, event: ev.ButtonStuck) -> Outcome:
    """Something leans on a button: a warning until it comes up."""
    return with_fault(table, _STUCK[event.button])


def button_freed(table: Table, event: ev.ButtonFreed) -> Outcome:
    """The button came up."""
    return without_fault(table, _STUCK[event.button])


def device_lost(table: Table, event: ev.DeviceLost) -> Outcome:
    """A device does not answer: a warning; what it means for the slots is the policy's business."""
    return with_fault(table, event.code)


def device_found(table: Table, event: ev.DeviceFound) -> Outcome:
    """The device answers again: its fault clears by itself."""
    return without_fault(table, event.code)


def storage_low(table: Table) -> Outcome:
    """The medium is nearly full."""
    return with_fault(table, FaultCode.STORAGE_LOW)


def journal_held(table: Table) -> Outcome:
    """A reader holds the journal back: play goes on, somebody closes that reader."""
    return with_fault(table, FaultCode.JOURNAL_HELD)


def loop_stalled(table: Table, event: ev.LoopStalled) -> Outcome:
    """The program stood still: noted, and over the limit a warning."""
    if event.ms < LATE_MS:
        return table, (ev.Noted(),)
    return with_fault(table, FaultCode.LOOP_LATE)


def clock_stepped(table: Table, event: ev.ClockStepped) -> Outcome:
    """The wall clock stepped: noted. Where nothing explains its date a technician must look; until then none counts."""
    return with_fault(table, FaultCode.CLOCK_DOUBTED) if event.unexplained else (table, (ev.Noted(),))


def journal_reopened(table: Table, event: ev.JournalReopened) -> Outcome:
    """The journal is whole after all: a warning, and the chips seen meanwhile are late."""
    after, told = unstored(table, event.chips)
    after, fault_told = with_fault(after, FaultCode.JOURNAL_REOPENED)
    return after, (*fault_told, *told)


def storage_failed(table: Table, event: ev.StorageFailed) -> Outcome:
    """Nothing could be stored for a while: table fault; the chips seen meanwhile are late."""
    after, told = unstored(table, event.chips)
    after, fault_told = with_fault(after, FaultCode.STORAGE_FAILED)
    return after, (*fault_told, *told)


def witness_lost(table: Table) -> Outcome:
    """The second copy cannot be written: the round under way ends, no new wager is taken."""
    return with_fault(table, FaultCode.WITNESS_LOST)


def witness_found(table: Table) -> Outcome:
    """The second copy is written again: its fault clears by itself."""
    return without_fault(table, FaultCode.WITNESS_LOST)


def witness_rebuilt(table: Table, event: ev.WitnessRebuilt) -> Outcome:
    """One half of the second copy was made anew, which is only told; or all of it, which a technician must look at."""
    return with_fault(table, FaultCode.WITNESS_REBUILT) if event.whole else (table, (ev.Noted(),))


def _clears(code: FaultCode) -> Refusal | None:
    """The refusal that clearing this fault has without the key or keys it needs; None: anybody may."""
    if code is FaultCode.USERS_RESTORED:
        return Refusal.BOTH_KEYS
    needs_key = SEVERITY[code] is Severity.TABLE or code in TECHNICIANS
    return Refusal.TECHNICIAN_KEY if needs_key else None


def clear_asked(game: Game, table: Table, event: ev.FaultClearAsked) -> Outcome:
    """Clear a fault by hand: a warning by anyone, a table fault and some warnings with the technician's key.

    The lock of PIN entries is a warning that only another key's holder may clear; that a list of persons was made anew,
    one that both of them clear.
    """
    code = event.code
    if all(fault.code is not code for fault in table.faults):
        return refuse(table, Refusal.NO_FAULT)
    if code in SELF_CLEARING:
        return refuse(table, Refusal.FAULT_PERSISTS)
    if SEVERITY[code] is Severity.SEAT:
        return refuse(table, Refusal.REOPEN_SEAT)
    if code is FaultCode.PIN_LOCKED:
        return unlock_asked(game, table)
    nobody = lacking(game, table, _clears(code))
    if nobody is not None:
        return refuse(table, nobody)
    return without_fault(replace(table, refusal=None), code)
