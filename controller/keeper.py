"""Keeps decisions: stores them, and knows what to do when the medium does not take them.

What is not stored did not happen: a batch that fails is forgotten, and the table stays what the last record says.
Two things outlive the failure, because they are facts of the world and not wishes: where keys, lines, devices and
errands stand (told again as soon as records can be stored), and chips that were seen (late, and to be given back).
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from controller.clock import Clock
from controller.core import events as ev
from controller.core.game import Game
from controller.core.invariants import check
from controller.core.state import Table
from controller.core.table import step
from controller.dates import dated
from controller.journal import (
    DamagedError,
    DiskFullError,
    Entry,
    Finding,
    Head,
    InUseError,
    Journal,
    JournalError,
    ReadOnlyError,
    RecordRefusedError,
    Sealer,
)
from controller.witness import Witness
from controller.witness.copy import SecondCopy

RETRY_NS = 1_000_000_000
"""How often storing is tried again while it fails."""

MEMORY_AGAIN_NS = 3_600_000_000_000
"""A journal that is called damaged and is whole on the medium is opened anew; within this time again it is a fault."""

CHIPS_MAX = 256
"""Chips seen during one failure that are counted one by one; the record says how many more there were."""

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
    ev.PinRefused,
    ev.ClockStepped,
    ev.WitnessLost,
    ev.WitnessFound,
    ev.WitnessRebuilt,
    ev.ErrandEnded,
)


class Unopened(NamedTuple):
    """A journal that can be read but not written at the start: what it says last, and why it cannot."""

    table: Table
    head: Head
    error: JournalError


class Keeper:
    """The stored table, and the only way to change it.

    `reopen` gives a new writer on the same journal after an error that spoils the old one; an error of the
    medium itself (`JournalIOError`) is never tried again and ends the process. `prove` checks the whole file
    against a head and tells its flaw, None for a good one.
    """

    def __init__(
        self,
        game: Game,
        opened: Journal | Unopened,
        clock: Clock,
        reopen: Callable[[], Journal],
        sealer: Sealer,
        *,
        prove: Callable[[Head], Finding | None],
        witness: Witness,
    ) -> None:
        self.failing = False
        self._game = game
        self._clock = clock
        self._reopen = reopen
        self._prove = prove
        self._sealer = sealer
        self._second = SecondCopy(witness)
        self._journal: Journal | None = None
        self._head = opened.head
        self._why = ""
        self._facts: dict[tuple[type, object], ev.AnyEvent] = {}
        self._chips: list[int] = []
        self._uncounted = 0
        self._retry_ns = 0
        self._doubted = False
        self._in_memory = False
        self._in_memory_ns: int | None = None
        if isinstance(opened, Journal):
            self._journal = opened
            self.table: Table = opened.last.state
        else:
            self.table = opened.table
            self._failed([], opened.error)

    def wal_bytes(self) -> int:
        """Bytes in use of the write-ahead log; 0 while there is no writer."""
        return 0 if self._journal is None else self._journal.wal_bytes()

    def close(self) -> None:
        """Give the journal back. May be called more than once."""
        if self._journal is not None:
            self._journal.close()

    @property
    def retry_ns(self) -> int | None:
        """When storing is tried again, or None in health."""
        return self._retry_ns if self.failing else None

    def beat_ns(self, now_ns: int) -> int:
        """When storing last showed that it goes on: in health now, else at the last try."""
        return self._retry_ns - RETRY_NS if self.failing else now_ns

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
            writer = self._journal or self._new_writer()
            seal = self._sealer(entries, self._clock.monotonic_ns())
            writer.append(entries, self._clock.wall_ns(), dated(self._clock, entries[-1].state), seal)
        except (*_RETRIED, *_REOPENED) as error:
            self._failed(entries, error)
            return False
        self.table, self._head = entries[-1].state, writer.head
        self._second.owe(entries, writer.row)
        if self.failing:
            self.failing, self._facts, self._chips, self._uncounted = False, {}, [], 0
            if self._in_memory:
                self._in_memory_ns = self._clock.monotonic_ns()
        return True

    def witness(self) -> ev.WitnessLost | ev.WitnessFound | None:
        """Bring the second copy up to date if something significant was stored; what there is to tell of it.

        After a failure it is tried again every second, at a call that comes then.
        """
        return self._second.settle(self._clock.monotonic_ns())

    def holds(self, head: Head) -> bool | None:
        """Whether the journal has this very record; None while it cannot be asked, which is a failure to store."""
        if self._journal is None:
            return None
        try:
            return self._journal.holds(head)
        except (*_RETRIED, *_REOPENED) as error:
            self._failed([], error)
            return None

    @property
    def last(self) -> int:
        """Number of the newest stored record."""
        return self._head.seq

    def checkpoint(self) -> None:
        """Move the write-ahead log into the file; what fails there is a failure to store like any other."""
        if self._journal is None:
            return
        try:
            self._journal.checkpoint()
        except (*_RETRIED, *_REOPENED) as error:
            self._failed([], error)

    def _new_writer(self) -> Journal:
        """A writer on the very journal that was left, or an error that ends the process."""
        flaw = self._prove(self._head) if self._doubted else None
        if flaw is not None:
            raise JournalError(
                f"the journal is damaged at record {flaw.seq}: {flaw.detail}. It was left as it is: stop, copy it and "
                "its -wal away, call the technician"
            )
        self._doubted = False
        journal = self._reopen()
        if journal.head != self._head:
            journal.close()
            raise JournalError(
                f"{journal.path} ends at record {journal.head.seq} after a failure, not at {self._head.seq}: "
                "stop, keep the file, call the technician"
            )
        self._journal = journal
        return journal

    def _drop_writer(self) -> None:
        self.close()
        self._journal = None

    def _failed(self, entries: Sequence[Entry], error: JournalError) -> None:
        if isinstance(error, _REOPENED):
            self._drop_writer()
        damaged = isinstance(error, DamagedError)
        self._doubted = self._doubted or damaged
        self._in_memory = damaged and not self.failing and not self._again()
        if not self.failing:
            self.failing, self._why = True, str(error)
            self._forget([entry.event for entry in entries])
        self._retry_ns = self._clock.monotonic_ns() + RETRY_NS

    def _again(self) -> bool:
        """Whether the journal was called damaged, and was not, a short while ago."""
        last = self._in_memory_ns
        return last is not None and self._clock.monotonic_ns() - last < MEMORY_AGAIN_NS

    def _forget(self, events: Sequence[ev.AnyEvent]) -> None:
        for event in events:
            if isinstance(event, ev.ChipDropped):
                if len(self._chips) < CHIPS_MAX:
                    self._chips.append(event.seat)
                else:
                    self._uncounted += 1
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
        more = f"; {self._uncounted} more chips fell than are counted here" if self._uncounted else ""
        kind = ev.JournalReopened if self._in_memory else ev.StorageFailed
        return [*facts, kind(now, self._why + more, tuple(self._chips))]


def _subject(event: ev.AnyEvent) -> tuple[type, object]:
    """What a fact is about: a later fact about the same thing replaces an earlier one."""
    match event:
        case ev.KeyTurned(key=key):
            return ev.KeyTurned, key
        case ev.DeviceLost(code=code) | ev.DeviceFound(code=code):
            return ev.DeviceLost, code
        case ev.WitnessLost() | ev.WitnessFound():
            return ev.WitnessLost, None
        case ev.ButtonStuck(button=button) | ev.ButtonFreed(button=button):
            return ev.ButtonStuck, button
        case ev.SeatJammed(seat=seat) | ev.SeatChattered(seat=seat):
            return type(event), seat
        case ev.JamCleared(seat=seat):
            return ev.JamCleared, seat
        case ev.LineOverflowed(line=line):
            return ev.LineOverflowed, line
        case ev.ClockStepped(unexplained=unexplained):
            return ev.ClockStepped, unexplained
        case ev.ErrandEnded(errand=errand):
            return ev.ErrandEnded, errand
        case ev.PinRefused(role=role, number=number, known=known):
            return ev.PinRefused, number if known else role
        case _:
            return type(event), None
