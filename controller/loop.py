"""The one thread that decides.

A turn: read what waits, filter edges to events, decide each, store all in one transaction, and only then act.
The single exception is the safe direction: the slots lock as soon as COIN IN has settled. A turn never waits;
whoever drives the loop (a blocking inbox on a real table, a virtual clock in a drill) waits between turns.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from controller.clock import Clock
from controller.core import events as ev
from controller.core.faults import FaultCode
from controller.core.game import Game
from controller.core.state import Closure, Phase, Table, Wager
from controller.core.table import next_deadline, slots_open
from controller.dates import Dates
from controller.display import Display
from controller.errands import Errands, hand_on
from controller.floorear import FloorEar
from controller.front import Front, Nobody, Users
from controller.hostline import Host, NoHost
from controller.inbox import Act, FloorHeard, Inbox, LinksHeard, Stop
from controller.inputs import Inputs, Timings
from controller.inputs.pulses import Pulse
from controller.journal import RESERVE_BYTES, Entry, Finding, Head, Journal, Sealer
from controller.keeper import Keeper, Unopened
from controller.notify import Notify
from controller.outputs import Lamp
from controller.supervise import Signs, Supervisor, status
from controller.witness import Witness
from controller.words import Words
from hal.interface import Device, DeviceFailed, DeviceMended, Edge, Hal, KeyPressed

STALL_MS = 500
"""A loop this late is an event of its own: somebody must know."""

WAL_BYTES_QUIET = RESERVE_BYTES // 2
"""From here the write-ahead log is moved into the file in the next quiet moment, well before its reserve is used."""

WAL_BYTES_HELD = 32 * RESERVE_BYTES
"""A write-ahead log this large means that somebody's reading holds it back: an alarm, long before the disk is full."""

STORAGE_LOW_MB = 64
STORAGE_CHECK_NS = 60_000_000_000
DEVICE_FAULT = {
    Device.SCREEN: FaultCode.SCREEN_LOST,
    Device.SIGN: FaultCode.SIGN_LOST,
    Device.KEYPAD: FaultCode.KEYPAD_LOST,
    Device.HOST: FaultCode.HOST_LOST,
}


class Parts(NamedTuple):
    """What a loop is made of; every edge of the program is handed in here."""

    game: Game
    slots: int
    """How many seats have a slot and a lamp."""
    board: str
    """What moves the lines: the pin library's name, or `simulated`. Journaled: evidence of a board without hardware."""
    timings: Timings
    hal: Hal
    opened: Journal | Unopened
    reopen: Callable[[], Journal]
    prove: Callable[[Head], Finding | None]
    sealer: Sealer
    witness: Witness
    first: Sequence[ev.AnyEvent]
    """What is journaled right after the start."""
    clock: Clock
    last_date_ns: int | None
    """The newest date of a set clock in the journal."""
    inbox: Inbox
    words: Words
    notify: Notify
    free_mb: Callable[[], int]
    observe: Callable[[Sequence[Entry]], None]
    """Told of every batch once it is stored."""
    errands: Errands
    """Who does what is asked for at the stick."""
    host: Host = NoHost()
    """Where it hears of the floor."""
    users: Users = Nobody()
    """The persons of the table."""


class Loop:
    """A running table. `start` once, then `turn` whenever `wake_ns` is reached or the inbox has something."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._clock = parts.clock
        self._inbox = parts.inbox
        self._hal = parts.hal
        self._keeper = Keeper(
            parts.game,
            parts.opened,
            parts.clock,
            parts.reopen,
            parts.sealer,
            prove=parts.prove,
            witness=parts.witness,
        )
        self._display = Display(parts.game, parts.hal, parts.words, parts.slots)
        self._front = Front(parts.game, parts.users)
        self._floor = FloorEar(parts.game)
        self._stop: Stop | None = None
        self._storage_check_ns = 0
        self._expected_ns: int | None = None
        self._dates = Dates(parts.clock, parts.last_date_ns)
        self._supervisor = Supervisor()
        self._scanned_ns = 0
        self._edges = 0
        self._latest_ms = 0
        self.doomed = False
        """A part is dead or stuck: the next turn is the last."""
        self.stopped = False

    @property
    def table(self) -> Table:
        """The table as the last record has it."""
        return self._keeper.table

    @property
    def failing(self) -> bool:
        """Whether records cannot be stored now."""
        return self._keeper.failing

    @property
    def failed(self) -> bool:
        """Whether it ends because something broke."""
        return self._stop is not None and self._stop.failed

    @property
    def lamps(self) -> tuple[Lamp, ...]:
        """What the lamps show now."""
        return self._display.lamps

    @property
    def pulses(self) -> Mapping[str, tuple[Pulse, ...]]:
        """The last pulses of every line, newest first: for a technician's eyes."""
        return self._front.pulses

    def abandon(self) -> None:
        """Let go of the journal without a word, as a power cut does. The hardware's end is its own."""
        self._parts.host.close()
        self._keeper.close()
        self.stopped = True

    def out_of_service(self) -> None:
        """The last picture of a process that ends because it failed; the hardware is closed by who opened it."""
        self._display.out_of_service()

    def start(self) -> None:
        """Claim the hardware, record the start, and show exactly what the last record says.

        Raises `HalError` if a line cannot be claimed, then nothing is left claimed; and `HostLineError`.
        """
        self._parts.host.open(self._clock.monotonic_ns())
        try:
            self._hal.start(self._inbox.put)
        except BaseException:
            self._parts.host.close()
            raise
        now = self._clock.monotonic_ns()
        levels = self._hal.levels()
        self._scanned_ns = now
        timings = self._parts.timings
        slots = range(1, self._parts.slots + 1)
        closed = [seat for seat in slots if self.table.seats[seat - 1].closed is Closure.FAULT]
        self._inputs = Inputs(timings, self._parts.slots, levels, now, jammed=closed)
        started = ev.Started(
            now,
            supervisor=self._inputs.key_on(ev.Key.SUPERVISOR),
            technician=self._inputs.key_on(ev.Key.TECHNICIAN),
            settings=f"board={self._parts.board} {_written(timings)}",
            active=tuple(seat for seat in slots if levels[f"seat_{seat}"]),
        )
        self._settle([started, *self._parts.first, *self._dates.look(now)])
        # A slow medium has taken its time, and attract runs by the clock.
        now = self._clock.monotonic_ns()
        self._show(now)
        self._keep_witness(now)
        self._expected_ns = self.wake_ns
        self._parts.notify.ready()

    @property
    def wake_ns(self) -> int:
        """When the next turn is due even if nothing arrives."""
        # While nothing can be stored, the table's own deadline cannot be met either: trying again is what is due.
        own = self._keeper.retry_ns if self._keeper.failing else next_deadline(self.table)
        wake = self._inputs.deadline_ns
        for due in (own, self._front.due_ns):
            if due is not None and due < wake:
                wake = due
        return wake

    def turn(self) -> None:
        """One pass: everything that waits is decided, stored and shown, in that order."""
        now = self._clock.monotonic_ns()
        levels = self._hal.levels() if now >= self._inputs.deadline_ns else None
        if levels is not None:
            self._scanned_ns = now
        arrivals = [*self._inbox.drain(), *self._parts.host.look(now), *self._parts.errands.look(now)]
        edges = [message for message in arrivals if type(message) is Edge]
        events: list[ev.AnyEvent | KeyPressed] = [*self._inputs.feed(edges, now, levels)]
        if edges:
            self._edges += len(edges)
            self._front.see(edges)
            self._display.touched(now)
        if levels is None and now >= self._inputs.deadline_ns:
            # An edge came later than its line takes to settle: it is decided now, not a turn later.
            events += self._inputs.feed((), now, self._hal.levels())
        if len(edges) != len(arrivals):
            events += self._others(arrivals)
        events += self._own(now)
        if self._inputs.lock_wanted and self.table.phase is Phase.OPEN:
            self._display.lock_slots()
        self._decide(events)
        if self._stop is not None:
            self._end(self._stop)
            return
        now = self._clock.monotonic_ns()
        self._show(now)
        self._keep_witness(now)
        self._rest(now)

    def _show(self, now: int) -> None:
        self._display.show(
            self.table,
            now,
            failing=self._keeper.failing,
            hold_lock=self._inputs.lock_wanted,
            overlay=self._front.overlay(self.table, now),
        )

    def _keep_witness(self, now: int) -> None:
        """Bring the second copy up to date; that it is lost, or found again, is decided and shown at once."""
        told = self._keeper.witness()
        if told is not None:
            self._settle([told])
            self._show(now)

    def _others(self, arrivals: Sequence[object]) -> list[ev.AnyEvent | KeyPressed]:
        events: list[ev.AnyEvent | KeyPressed] = []
        for message in arrivals:
            match message:
                case DeviceFailed(device=device, why=why, at_ns=at_ns):
                    self._display.lost(device)
                    events.append(ev.DeviceLost(at_ns, DEVICE_FAULT[device], why))
                case DeviceMended(device=device, at_ns=at_ns):
                    self._display.found(device)
                    events.append(ev.DeviceFound(at_ns, DEVICE_FAULT[device]))
                case Act(event=event):
                    events.append(event)
                case FloorHeard():
                    events += self._compared(message)
                case LinksHeard():
                    events += self._floor.linked(self.table, message)
                case Stop():
                    self._stop = message
                case KeyPressed(at_ns=at_ns):
                    self._display.touched(at_ns)
                    events.append(message)
                case Edge():
                    pass  # it went through the filter
                case _:
                    raise TypeError(f"{message!r} is no message of the inbox")
        return events

    def _compared(self, heard: FloorHeard) -> list[ev.AnyEvent]:
        agrees = self._keeper.holds(Head(heard.seq, heard.digest))
        return self._floor.compared(self.table, heard, agrees=agrees, last=self._keeper.last)

    def _own(self, now: int) -> list[ev.AnyEvent]:
        """What the loop itself notices: overflow, lateness, clock steps, a nearly full medium, time."""
        events: list[ev.AnyEvent] = [
            ev.LineOverflowed(now, lost.line, _seat_of(lost.line), lost.lost)
            for lost in self._inbox.overflows()
        ]
        late_ms = 0 if self._expected_ns is None else (now - self._expected_ns) // 1_000_000
        if late_ms > STALL_MS:
            self._latest_ms = max(late_ms, self._latest_ms)
            events.append(ev.LoopStalled(now, late_ms))
        events += self._dates.look(now)
        due = None if self._keeper.failing else next_deadline(self.table)
        if due is not None and now >= due:
            events.append(ev.ReleaseEnded(due))
        if now >= self._storage_check_ns:
            self._storage_check_ns = now + STORAGE_CHECK_NS
            events += self._storage(now)
        return events

    def _storage(self, now: int) -> list[ev.AnyEvent]:
        """Alarms of the medium, each raised once."""
        stand = {fault.code for fault in self.table.faults}
        events: list[ev.AnyEvent] = []
        free = self._parts.free_mb()
        if free < STORAGE_LOW_MB and FaultCode.STORAGE_LOW not in stand:
            events.append(ev.StorageLow(now, free))
        held = self._keeper.wal_bytes()
        if held > WAL_BYTES_HELD and FaultCode.JOURNAL_HELD not in stand:
            events.append(ev.JournalHeld(now, held // (1024 * 1024)))
        return events

    def _decide(self, events: Sequence[ev.AnyEvent | KeyPressed]) -> None:
        """Decide in order. The menu's own go through it, on the table as it stands by then, and come out as acts.

        A turned key is decided at once where it makes the menu ask who is there.
        """
        waiting: list[ev.AnyEvent] = []
        for event in events:
            given = self._front.takes(event, self._inputs.fell_ns)
            if given is not None:
                if waiting:
                    self._settle(waiting)
                waiting = list(self._front.put(self.table, given))
            elif (turned := self._front.asks(event)) is not None and isinstance(event, ev.KeyTurned):
                self._settle([*waiting, event])
                waiting = list(self._front.put(self.table, turned))
            elif not isinstance(event, KeyPressed):
                waiting.append(event)
        self._settle(waiting)

    def _settle(self, events: Sequence[ev.AnyEvent]) -> None:
        """Decide, lock if a decision locks, store, and tell those who watch."""
        if not events and self._keeper.retry_ns is None:
            return
        entries = self._keeper.decide(events)
        if not entries:
            return
        if not all(slots_open(self._parts.game, entry.state) for entry in entries):
            self._display.lock_slots()
        if self._keeper.store(entries):
            hand_on(self._parts.errands, entries)
            self._parts.observe(entries)

    def _end(self, stop: Stop) -> None:
        """End in order: inputs are not read any more, the end is stored, then everything goes dark."""
        self._parts.notify.stopping()
        self._decide([*self._inputs.flush(self._clock.monotonic_ns()), self._stopped(stop)])
        self._display.out_of_service()
        told = self._keeper.witness()
        if told is not None:
            self._settle([told])
        self._hal.close()
        self._parts.host.close()
        self._keeper.close()
        self.stopped = True

    def _stopped(self, stop: Stop) -> ev.Stopped:
        return ev.Stopped(self._clock.monotonic_ns(), stop.why)

    def _rest(self, now: int) -> None:
        """After a whole pass: housekeeping if the table is quiet, and a sign of life."""
        keeper = self._keeper
        # The file is asked last: while a round is live nobody needs to know.
        if not keeper.failing and _quiet(self.table) and keeper.wal_bytes() > WAL_BYTES_QUIET:
            keeper.checkpoint()
        self._expected_ns = max(self.wake_ns, now)
        self._live(now)

    def _live(self, now: int) -> None:
        """Look whether every part lives. If so, say it; if not, end: only a new process has sound threads."""
        if self._supervisor.due(now):
            beats = {str(thread): beat_ns for thread, beat_ns in self._hal.beats().items()}
            beats |= {"input scan": self._scanned_ns, "storing": self._keeper.beat_ns(now)}
            wrong = self._supervisor.look(now, Signs(beats, self._edges, self._inputs.repairs))
            if wrong is not None:
                self.doomed = True
                self._inbox.put(Stop(wrong, failed=True))
        if not self.doomed:
            self._parts.notify.alive(now, self._status)

    def _status(self) -> str:
        return "; ".join(filter(None, (status(self.table, self._latest_ms), self._parts.host.told)))


def _quiet(table: Table) -> bool:
    """No round is live: nobody waits for the medium."""
    return table.phase in {Phase.CLOSED, Phase.OPEN} and all(seat.wager is Wager.NONE for seat in table.seats)


def _seat_of(line: str) -> int:
    """The seat of a sensor's line name, 0 for any other line."""
    return int(line.removeprefix("seat_")) if line.startswith("seat_") else 0


def _written(timings: Timings) -> str:
    """The filter's settings as the journal keeps them."""
    return " ".join(f"{name}={getattr(timings, name)}" for name in timings.__struct_fields__)
