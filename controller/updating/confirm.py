"""Whether a slot on trial holds: the table plays by it, for a whole minute, and is between two rounds now."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from controller.clock import Clock
from controller.config import Settings
from controller.core.faults import SEVERITY, Severity
from controller.core.state import Phase, Table, Wager
from controller.journal import JournalError, Record, recent
from controller.updating.admit import last_of
from controller.updating.install import Appliance
from controller.updating.trial import Trial, remember, remembered

Writable = Callable[[Path], AbstractContextManager[None]]
"""Makes the file system at a path writable for a moment."""

Sleep = Callable[[float], None]

STEP_S: Final = 2.0
"""How often a trial is looked at."""

HEALTHY_NS: Final = 60_000_000_000
"""So long a table must have played by a new program, without a start in between."""

WAIT_NS: Final = 900_000_000_000
"""So long a trial is waited for; then the old slot is started again."""


def holds(settings: Settings, trial: Trial, now_ns: int) -> bool:
    """Whether the program started on this table after the trial began, a minute ago or more, and stands well.

    A start proves program, journal and witness before it is recorded; a watchdog's end makes another start.
    """
    last = last_of(settings)
    if last is None:
        return now_ns >= HEALTHY_NS
    started = _started(settings)
    if started is None or started.seq <= trial.seq or now_ns - started.at_ns < HEALTHY_NS:
        return False
    return _quiet(last.state) and not any(
        SEVERITY[fault.code] is Severity.TABLE for fault in last.state.faults
    )


def _started(settings: Settings) -> Record | None:
    found = recent(settings.journal, 1, "started")
    return found[0] if found else None


def _quiet(table: Table) -> bool:
    """Whether nothing of a round is under way: the front partition is never written in play."""
    bets = any(seat.wager is not Wager.NONE for seat in table.seats)
    return table.phase in {Phase.CLOSED, Phase.TEST} or (table.phase is Phase.OPEN and not bets)


def confirm(settings: Settings, appliance: Appliance, clock: Clock, writable: Writable, sleep: Sleep) -> str:
    """Wait for a trial to hold and make its slot the one that is started; what became of it, in words.

    A trial that does not hold in time, or of which nothing is known, ends with the old slot's start.
    Raises `UpdateError`.
    """
    card = appliance.card
    running = card.running()
    if not card.on_trial:
        return f"slot {running} is the one that is started: nothing is on trial"
    trial = remembered(appliance.place)
    if trial is not None and trial.slot is running:
        while clock.monotonic_ns() < WAIT_NS:
            if _holds_surely(settings, trial, clock.monotonic_ns()):
                with writable(card.front):
                    card.make_default(running)
                remember(appliance.place, replace(trial, held=True))
                return f"version {trial.version} holds: slot {running} is started from now on"
            sleep(STEP_S)
    appliance.manager.restart(trying=False)
    return f"slot {running} did not hold: slot {running.other} is started again"


def _holds_surely(settings: Settings, trial: Trial, now_ns: int) -> bool:
    """As `holds`; what cannot be read now does not hold now."""
    try:
        return holds(settings, trial, now_ns)
    except JournalError:
        return False
