"""Keeps decisions: stores them, and knows what to do when the medium does not take them.

What is not stored did not happen: a batch that fails is forgotten, and the table stays what the last record says.
Two things outlive the failure, because they are facts of the world and not wishes: where keys, lines and devices
stand (told again as soon as records can be stored), and chips that were seen (late, and to be given back).
"""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from controller.clock import Clock
from controller.core import events as ev
from controller.core.game import Game
from controller.core.invariants import check
from controller.core.state import Table
from controller.core.table import step
from controller.journal import (
    DamagedError,
    DiskFullError,
    Entry,
    InUseError,
    Journal,
    JournalError,
    ReadOnlyError,
    RecordRefusedError,
)

RETRY_NS = 1_000_000_000
"""How often storing is tried again while it fails."""

CHIPS_MAX = 256
"""Chips seen during one failure that are remembered one by one; the dealer has long stopped play."""

_RETRIED = (DiskFullError, InUseError, RecordRefusedError)
_REOPENED = (ReadOnlyError, DamagedError)

_FACTS = (
    ev.Started,
    ev.KeyTurned,
    ev.DeviceLost,
    ev.DeviceFound,
    ev.SeatJammed,
    ev.JamCleared,
    ev.SeatChattered,
    ev.LineOverflowed,
    ev.ButtonStuck,
    ev.ButtonFreed,
)


class Keeper:
    """The stored table, and the only way to change it.

    `reopen` gives a new writer on the same journal after an error that spoils the old one; an error of the
    medium itself (`JournalIOError`) is never tried again and ends the process.
    """

    def __init__(self, game: Game, journal: Journal, clock: Clock, reopen: Callable[[], Journal]) -> None:
        self.table: Table = journal.last.state
        self.journal = journal
        self.failing = False
        self._game = game
        self._clock = clock
        self._reopen = reopen
        self._spoiled = False
        self._why = ""
        self._facts: dict[tuple[type, object], ev.AnyEvent] = {}
        self._chips: list[int] = []
        self._retry_ns = 0

    @property
    def retry_ns(self) -> int | None:
        """When storing is tried again, or None in health."""
        return self._retry_ns if self.failing else None

    def decide(self, events: Sequence[ev.AnyEvent]) -> list[Entry]:
        """Work out what these events make of the stored table; nothing is stored yet.

        Raises `InvariantError` if a decision breaks the law; then nothing may be stored.
        """
        if self.failing:
            self._forget(events)
            if self._clock.monotonic_ns() < self._retry_ns:
                return []
            events = self._catching_up()
        table = self.table
        entries: list[Entry] = []
        for event in events:
            after, results = step(self._game, table, event)
            check(self._game, table, after, results)
            entries.append(Entry(event, results, after))
            table = after
        return entries

    def store(self, entries: Sequence[Entry]) -> bool:
        """Store a batch: True if it is durable; False if nothing of it is, and `failing` says so.

        Raises `JournalIOError` and others that end the process.
        """
        try:
            if self._spoiled:
                self._replace_writer()
            self.journal.append(entries, self._clock.wall_ns(), self._clock.wall_trusted())
        except _RETRIED as error:
            self._failed(entries, error)
            return False
        except _REOPENED as error:
            self._spoiled = True
            self._failed(entries, error)
            return False
        self.table = entries[-1].state
        if self.failing:
            self.failing, self._facts, self._chips = False, {}, []
        return True

    def checkpoint(self) -> None:
        """Move the write-ahead log into the file; what fails there is a failure to store like any other."""
        try:
            self.journal.checkpoint()
        except _RETRIED as error:
            self._failed([], error)
        except _REOPENED as error:
            self._spoiled = True
            self._failed([], error)

    def _replace_writer(self) -> None:
        before = self.journal.head
        self.journal.close()
        journal = self._reopen()
        if journal.head != before:
            journal.close()
            raise JournalError(
                f"{journal.path} ends at record {journal.head.seq} after a failure, not at {before.seq}: "
                "stop, keep the file, call the technician"
            )
        self.journal, self._spoiled = journal, False

    def _failed(self, entries: Sequence[Entry], error: JournalError) -> None:
        if not self.failing:
            self.failing, self._why = True, str(error)
            self._forget([entry.event for entry in entries])
        self._retry_ns = self._clock.monotonic_ns() + RETRY_NS

    def _forget(self, events: Sequence[ev.AnyEvent]) -> None:
        for event in events:
            if isinstance(event, ev.ChipDropped):
                if len(self._chips) < CHIPS_MAX:
                    self._chips.append(event.seat)
            elif isinstance(event, _FACTS):
                # Taken out first, so that the newest fact comes last: a jam after its own clearing is a jam.
                self._facts.pop(_subject(event), None)
                self._facts[_subject(event)] = event

    def _catching_up(self) -> list[ev.AnyEvent]:
        now = self._clock.monotonic_ns()
        facts = [
            # Told as of now: a release pulse that has to be made again is made now.
            replace(fact, at_ns=now) if isinstance(fact, ev.Started) else fact
            for fact in self._facts.values()
        ]
        return [*facts, ev.StorageFailed(now, self._why, tuple(self._chips))]


def _subject(event: ev.AnyEvent) -> tuple[type, object]:
    """What a fact is about: a later fact about the same thing replaces an earlier one."""
    match event:
        case ev.KeyTurned(key=key):
            return ev.KeyTurned, key
        case ev.DeviceLost(code=code) | ev.DeviceFound(code=code):
            return ev.DeviceLost, code
        case ev.ButtonStuck(button=button) | ev.ButtonFreed(button=button):
            return ev.ButtonStuck, button
        case ev.SeatJammed(seat=seat) | ev.SeatChattered(seat=seat):
            return type(event), seat
        case ev.JamCleared(seat=seat):
            return ev.JamCleared, seat
        case ev.LineOverflowed(line=line):
            return ev.LineOverflowed, line
        case _:
            return type(event), None
