"""The seams of a simulated table: connection and hardware that pass every step by the plug and tell the watcher.

They stand between the program and its medium or hardware, and change nothing unless something was broken on purpose.
"""

import sqlite3
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

from controller.clock import VirtualClock
from controller.drill.plug import Plug, Pull, Step
from controller.drill.watch import Row, Unwatched, Watcher
from controller.witness import Files
from hal.interface import Device, Edge, Message, Put, Screen, Wiring
from hal.simulated import SimulatedHal

_WRITES = ("BEGIN", "INSERT", "COMMIT", "PRAGMA wal_checkpoint", "PRAGMA user_version=")
_FLUSHES = ("COMMIT", "PRAGMA wal_checkpoint")
_LAMP = "lamp_"


class Seams:
    """What is loose, slow or broken at this table, and who watches."""

    def __init__(self, clock: VirtualClock) -> None:
        self.clock = clock
        self.plug = Plug()
        self.watcher: Watcher = Unwatched()
        self.slow_ns = 0
        """How long each flush takes."""
        self.flush_fails = False
        """The next flush fails with an I/O error, once."""
        self.flush_failed = False
        """It did: the process that saw it must end."""
        self.stalled_until: dict[Device, int] = {}
        self.doubled: Counter[tuple[str, bool]] = Counter()
        self.happened: Counter[str] = Counter()
        """What of all that came about, by name."""
        self.was_loose = False
        """A plug was loosened in this drill: nobody can know when the power goes."""
        self._lost: list[sqlite3.Connection] = []

    def told(self) -> dict[str, int]:
        """All that came about, by name."""
        pulled = {
            name: sum(count for (pull, _), count in self.plug.pulled.items() if pull is kind)
            for name, kind in (("cut_in_turn", Pull.CUT), ("killed_in_turn", Pull.KILL))
        }
        return {**self.happened, **pulled}

    def fail_flush(self, *, fails: bool) -> None:
        """The next flush fails, once, or after all it does not."""
        self.was_loose = True
        self.flush_fails = fails

    def fresh_process(self) -> None:
        """Another process begins: the plug is in, though it may be loose; no flush of its own has failed."""
        self.plug.out = self.flush_failed = False

    def lost(self, connection: sqlite3.Connection) -> None:
        """A connection that had no time to be closed."""
        self._lost.append(connection)

    def close_lost(self) -> None:
        """Close such connections, once the medium lies somewhere else."""
        while self._lost:
            self._lost.pop().close()


class SeamConnection:
    """A writer's connection with a step before and after whatever it writes."""

    def __init__(self, inner: sqlite3.Connection, seams: Seams) -> None:
        self._inner = inner
        self._seams = seams
        self._rows: list[Row] = []

    @property
    def in_transaction(self) -> bool:
        """As SQLite says, until the plug is pulled: then nothing more can be done about it."""
        return not self._seams.plug.out and self._inner.in_transaction

    def execute(self, sql: str, parameters: Any = (), /) -> sqlite3.Cursor:  # noqa: ANN401, sqlite3's own signature
        """As SQLite's own, past the seams."""
        if not sql.startswith(_WRITES):
            with self._refusals_told():
                return self._inner.execute(sql, parameters)
        self._before([parameters] if sql.startswith("INSERT") else [])
        with self._refusals_told():
            done = self._inner.execute(sql, parameters)
        self._after(flushes=sql.startswith(_FLUSHES) or not self._inner.in_transaction)
        return done

    def executemany(self, sql: str, rows: Iterable[Any], /) -> sqlite3.Cursor:
        """As SQLite's own, past the seams."""
        batch = list(rows)
        self._before(batch)
        with self._refusals_told():
            done = self._inner.executemany(sql, batch)
        self._after(flushes=not self._inner.in_transaction)
        return done

    def close(self) -> None:
        """Close, in order only while there is power: SQLite would tidy up the files on its way out."""
        if self._seams.plug.out or self._seams.flush_failed:
            self._seams.lost(self._inner)
        else:
            self._inner.close()

    @contextmanager
    def _refusals_told(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error:
            self._rows = []
            self._seams.watcher.failed()
            raise

    def _before(self, rows: Sequence[Row]) -> None:
        seams = self._seams
        if seams.flush_failed:
            seams.watcher.flush_failed()
        seams.plug.step(Step.WRITE)
        if rows:
            self._rows = list(rows)
            seams.watcher.offered(rows)

    def _after(self, *, flushes: bool) -> None:
        seams = self._seams
        if flushes:
            self._flush(seams)
        seams.plug.step(Step.WRITTEN)
        if flushes and self._rows:
            rows, self._rows = self._rows, []
            seams.watcher.stored(rows)

    def _flush(self, seams: Seams) -> None:
        if seams.slow_ns:
            seams.happened["slow"] += 1
            seams.clock.move_to(seams.clock.monotonic_ns() + seams.slow_ns)
        if seams.flush_fails:
            seams.happened["fsync"] += 1
            seams.flush_fails, seams.flush_failed = False, True
            self._rows = []
            seams.watcher.failed()
            error = sqlite3.OperationalError("disk I/O error")
            error.sqlite_errorcode, error.sqlite_errorname = sqlite3.SQLITE_IOERR_FSYNC, "SQLITE_IOERR_FSYNC"
            raise error


def past_the_seams(
    connect: Callable[[Path], sqlite3.Connection], seams: Seams
) -> Callable[[Path], sqlite3.Connection]:
    """A way to connect whose connections pass the seams; `SeamConnection` has all of it that a journal uses."""
    return lambda path: cast("sqlite3.Connection", SeamConnection(connect(path), seams))


class SeamFiles:
    """The second copy's files with a step before and after whatever is written."""

    def __init__(self, inner: Files, seams: Seams) -> None:
        self._inner = inner
        self._seams = seams

    def read(self, path: Path) -> bytes | None:
        """See `Files.read`."""
        return self._inner.read(path)

    def make(self, path: Path, data: bytes) -> None:
        """See `Files.make`."""
        with self._seen():
            self._inner.make(path, data)

    def overwrite(self, path: Path, data: bytes) -> None:
        """See `Files.overwrite`."""
        with self._seen():
            self._inner.overwrite(path, data)

    @contextmanager
    def _seen(self) -> Iterator[None]:
        self._seams.plug.step(Step.WITNESS)
        yield
        self._seams.watcher.witnessed()
        self._seams.plug.step(Step.WITNESS)


class SeamHal(SimulatedHal):
    """A simulated table that may lose its power at each output, stall, and double an edge."""

    def __init__(
        self,
        wiring: Wiring,
        seams: Seams,
        levels: Mapping[str, bool] | None,
        failed: Collection[Device],
    ) -> None:
        self._seams = seams
        self._waits: dict[Device, Screen | str] = {}
        super().__init__(wiring, seams.clock.monotonic_ns, levels=levels, failed=failed)

    def levels(self) -> Mapping[str, bool]:
        """See `SimulatedHal.levels`."""
        now_ns = self._seams.clock.monotonic_ns()
        self._catch_up(now_ns)
        self._seams.watcher.looked(now_ns)
        self._seams.plug.step(Step.LEVELS)
        return super().levels()

    def write(self, line: str, on: bool) -> None:
        """See `SimulatedHal.write`."""
        self._seams.plug.step(Step.LAMP if line.startswith(_LAMP) else Step(line))
        self._seams.watcher.switching(line, on=on, at_ns=self._seams.clock.monotonic_ns())
        super().write(line, on)

    def show(self, screen: Screen) -> None:
        """See `SimulatedHal.show`; a stalled screen takes the picture and shows it later, the newest only."""
        self._seams.plug.step(Step.SCREEN)
        if self._stalls(Device.SCREEN):
            self._waits[Device.SCREEN] = screen
        else:
            self._waits.pop(Device.SCREEN, None)
            super().show(screen)

    def sign(self, text: str) -> None:
        """See `SimulatedHal.sign`; a stalled sign takes the text and shows it later, the newest only."""
        self._seams.plug.step(Step.SIGN)
        if self._stalls(Device.SIGN):
            self._waits[Device.SIGN] = text
        else:
            self._waits.pop(Device.SIGN, None)
            super().sign(text)

    def drive(self, line: str, active: bool) -> None:
        """See `SimulatedHal.drive`."""
        if self._levels.get(line, active) is not active:
            told = self.started and not self._drops[line, active]
            at_ns = self._seams.clock.monotonic_ns()
            self._seams.watcher.edge(line, active=active, at_ns=at_ns, told=told)
        super().drive(line, active)

    def start(self, put: Put) -> None:
        """See `SimulatedHal.start`; an edge that is to be doubled is put twice."""

        def put_doubled(message: Message) -> None:
            put(message)
            if isinstance(message, Edge) and self._seams.doubled[message.line, message.active]:
                self._seams.doubled[message.line, message.active] -= 1
                self._seams.happened["double_edge"] += 1
                put(message)

        super().start(put_doubled)

    def _stalls(self, device: Device) -> bool:
        stalls = self._seams.clock.monotonic_ns() < self._seams.stalled_until.get(device, 0)
        if stalls:
            self._seams.happened[f"stalled_{device}"] += 1
        return stalls

    def _catch_up(self, now_ns: int) -> None:
        for device in list(self._waits):
            if now_ns >= self._seams.stalled_until.get(device, 0):
                waits = self._waits.pop(device)
                if isinstance(waits, str):
                    super().sign(waits)
                else:
                    super().show(waits)
