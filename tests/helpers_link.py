"""A pump between a journal on disk and a floor, its time in the test's hand, and a line to cut."""

import os
import selectors
import socket
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path

from controller.clock import VirtualClock
from controller.floor.office import Office
from controller.floor.reconcile import reconcile
from controller.journal import schema
from controller.journal.record import Row
from controller.link.beat import Beat
from controller.link.pump import Ends, Pump
from controller.link.reach import Reached, reach
from tests.helpers_floor import Hall, Player

MINUTE_NS = 60_000_000_000
PORT_FILE = ".s.PGSQL.5432"


def store(path: Path, rows: Sequence[Row]) -> Path:
    """A journal's file with these rows added; made if it is not there."""
    fresh = not path.exists()
    path.touch()
    with closing(schema.connect(path)) as connection:
        if fresh:
            schema.lay_out(connection)
        connection.execute("PRAGMA synchronous=OFF")
        connection.execute("BEGIN")
        connection.executemany(schema.INSERT_SQL, rows)
        connection.execute("COMMIT")
    return path


def cut_off(path: Path, last: int) -> None:
    """Take away the records after `last`, as an older copy of the journal lacks them."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("DELETE FROM journal WHERE seq > ?", (last,))


class Wire:
    """A pump for `player`'s journal, driven turn by turn; `beats` is what its table heard."""

    def __init__(self, folder: Path, hall: Hall, player: Player) -> None:
        self.player = player
        self.hall = hall
        self.clock = VirtualClock()
        self.beats: list[Beat] = []
        folder.mkdir(exist_ok=True)
        self.journal = store(folder / f"{player.table_id}.db", player.rows)
        self.conninfo = hall.cluster.conninfo(hall.database, player.table_id)
        self.reaches = 0
        self.pump = self._begun()

    def _begun(self) -> Pump:
        ends = Ends(self.player.table_id, self.journal, self.reached, self.beats.append, "pozo test")
        return Pump(ends, self.clock, lambda: 0.5)

    def again(self) -> None:
        """The link's process dies, and another one begins."""
        self.pump.close()
        self.pump = self._begun()

    def reached(self) -> Reached:
        self.reaches += 1
        return reach(self.conninfo, self.player.table_id)

    def close(self) -> None:
        """Hang up."""
        self.pump.close()

    def catch_up(self) -> None:
        """Put what the player has played meanwhile into the journal."""
        with closing(sqlite3.connect(self.journal)) as connection:
            (last,) = connection.execute("SELECT max(seq) FROM journal").fetchone()
        store(self.journal, self.player.rows[last:])

    def turn(self, times: int = 1) -> None:
        """Turn so often, each time when it is due."""
        for _ in range(times):
            due = self.pump.turn()
            self.clock.move_to(max(due, self.clock.monotonic_ns()))

    def until_trouble(self) -> str:
        """Turn until something is wrong: what. The second turn at the latest is one that works and not only speaks."""
        for _ in range(3):
            self.turn()
            if self.pump.trouble:
                return self.pump.trouble
        raise AssertionError("all is well")

    def until_idle(self, turns: int = 200) -> None:
        """Turn until the floor has all, and was asked once more."""
        for _ in range(turns):
            self.turn()
            if (
                self.pump.head is not None
                and self.pump.head.seq == len(self.player.rows)
                and not self.pump.trouble
            ):
                self.turn(2)
                return
        raise AssertionError(self.pump.trouble or f"the floor is at {self.pump.head}")

    def exact(self) -> None:
        """The floor has each record of the journal, and every figure is equal to the unit."""
        found = reconcile(Office(self.hall.owner), self.journal, self.player.table_id)
        assert found.agrees, found
        assert (found.compared, found.unreported) == (len(self.player.rows), 0)


@contextmanager
def wired(folder: Path, hall: Hall, player: Player | None = None) -> Iterator[Wire]:
    """A wire for a table that the floor knows."""
    made = Wire(folder, hall, player or Player())
    Office(hall.owner).add_table(made.player.table_id, made.player.table_id)
    with closing(made):
        yield made


class Cable:
    """A line from `ear`, bound, to a server, through which everything goes until somebody does something to it."""

    def __init__(self, ear: socket.socket, server: str | tuple[str, int]) -> None:
        self._server = server
        self._ear = ear
        self._ear.listen()
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._ear, selectors.EVENT_READ)
        self._wake = os.eventfd(0)
        self._selector.register(self._wake, selectors.EVENT_READ)
        self._guard = threading.Lock()
        self._pairs: dict[socket.socket, socket.socket] = {}
        self._ended = self.silent = self.refusing = False
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def cut(self) -> None:
        """Cut every connection there is."""
        with self._guard:
            for line in list(self._pairs):
                with suppress(OSError):
                    line.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._ended = True
        os.eventfd_write(self._wake, 1)
        self._thread.join()
        for line in (*self._pairs, self._ear):
            line.close()
        self._selector.close()
        os.close(self._wake)

    def _run(self) -> None:
        while not self._ended:
            for key, _ in self._selector.select():
                if key.fileobj is self._ear:
                    self._accept()
                elif isinstance(key.fileobj, socket.socket):
                    self._carry(key.fileobj)

    def _accept(self) -> None:
        near, _ = self._ear.accept()
        if self.refusing:
            near.close()
            return
        far = socket.socket(self._ear.family, socket.SOCK_STREAM)
        try:
            far.connect(self._server)
        except OSError:
            near.close()
            far.close()
            return
        with self._guard:
            self._pairs |= {near: far, far: near}
        for line in (near, far):
            self._selector.register(line, selectors.EVENT_READ)

    def _carry(self, line: socket.socket) -> None:
        other = self._pairs.get(line)
        if other is None:
            return  # its other end broke a moment ago
        try:
            data = line.recv(65536)
            if data:
                if not self.silent:
                    other.sendall(data)
                return
        except OSError:
            data = b""
        with self._guard:
            for end in (line, other):
                self._selector.unregister(end)
                del self._pairs[end]
                end.close()


@contextmanager
def cabled(folder: Path, wire: Wire) -> Iterator[Cable]:
    """The wire goes through a cable from now on."""
    ear = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    ear.bind(str(folder / PORT_FILE))
    cable = Cable(ear, str(wire.hall.cluster.directory / PORT_FILE))
    wire.conninfo = f"host={folder} dbname={wire.hall.database} user={wire.player.table_id}"
    try:
        yield cable
    finally:
        wire.pump.close()
        cable.close()
