"""Journals for slips, made by drills; outlets and a printer that fail on demand."""

import os
import select
import sqlite3
import threading
import tty
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from controller.clock import VirtualClock
from controller.config import load
from controller.drill.parse import parse
from controller.drill.play import Drill
from controller.slips.document import Document
from controller.slips.house import House, house_of
from controller.slips.outlet import OutletError
from controller.slips.plain import plain_text

TWO_AWARDS = """
set wager.amount 10.00
set pot.main.base_amount 100000.00
set pot.main.reset_amount 10000.00
set pot.main.increment_rate_ppm 500000
set pot.main.reserve_rate_ppm 50000
power on
clock +600s
chip 1 2 3
press coin_in
press game_over
chip 2 5
press coin_in
claim 2 straight_flush
cards 2 9s Ts 8s 7s 6s
clock +120s
claim 5 royal_flush
key supervisor on
clock +60s
approve
press game_over
paid 5
"""
"""A straight flush and a royal in one round; the royal is paid, the other is owed. The day begins at 21:00 (-03)."""

ONLINE, OFFLINE = 0x12, 0x1A
PAPER, NO_PAPER = 0x12, 0x72


def played(folder: Path, script: str, name: str = "kept.db") -> Path:
    """The journal a script leaves behind."""
    kept = folder / name
    Drill(keep=kept).play(parse(script))
    return kept


def house(language: str = "es") -> House:
    """The simulated table's house."""
    return house_of(load("simulated"), language)


def approval_of(journal: Path) -> tuple[int, str]:
    """Number and digest of the record that approved, read with SQLite alone."""
    with closing(sqlite3.connect(journal)) as connection:
        seq, digest = connection.execute(
            "SELECT seq, digest FROM journal WHERE kind = 'awards_approved'"
        ).fetchone()
    return int(seq), str(digest)


def clock() -> VirtualClock:
    """A clock an hour after the first evening's begin: 22:00 (-03)."""
    return VirtualClock(wall_ns=(1_767_225_600 + 3600) * 1_000_000_000)


class Killed(BaseException):
    """The process ends here; nothing after it runs."""


class Tray:
    """An outlet in memory. `before` and `after` a paper something may happen; it may be out of paper."""

    def __init__(self) -> None:
        self.papers: list[str] = []
        self.paper = True
        self.before: Callable[[], object] = lambda: None
        self.after: Callable[[], object] = lambda: None

    def ready(self) -> None:
        if not self.paper:
            raise OutletError("out of paper")

    def put(self, document: Document) -> None:
        self.before()
        self.papers.append(plain_text(document))
        self.after()


def torn() -> None:
    """A paper that comes out half."""
    raise OutletError("out of paper half-way")


def killed() -> None:
    """A power cut."""
    raise Killed


class FakePrinter:
    """An ESC/POS printer at the other end of a pty: it takes bytes and answers DLE EOT 1 and 4 as it is told to.

    `printed` is set when a paper was cut. With `mute_when_cut` it says nothing any more from the first cut on.
    """

    def __init__(self, master: int, device: str) -> None:
        self.device = device
        self.received = bytearray()
        self.online, self.paper = ONLINE, PAPER
        self.mute = False
        self.mute_when_cut = False
        self.paper_after_cut: int | None = None
        self.noise = b""
        self.printed = threading.Event()
        self._master = master
        self._pending = bytearray()

    def take(self, data: bytes) -> None:
        """Answer questions and keep the rest, whatever pieces it comes in."""
        self._pending += data
        while self._pending:
            if self._pending[0] == 0x10:
                if len(self._pending) < 3:
                    return
                self._answer(self._pending[2])
                del self._pending[:3]
                continue
            self.received.append(self._pending.pop(0))
            if self.received.endswith(b"\x1dV\x00"):
                self.paper = self.paper if self.paper_after_cut is None else self.paper_after_cut
                self.mute = self.mute or self.mute_when_cut
                self.printed.set()

    def _answer(self, question: int) -> None:
        if not self.mute:
            os.write(self._master, self.noise + bytes([self.online if question == 1 else self.paper]))


@contextmanager
def fake_printer() -> Iterator[FakePrinter]:
    """A printer that is on while the block runs."""
    master, slave = os.openpty()
    tty.setraw(slave)
    printer = FakePrinter(master, os.ttyname(slave))
    stop, wake = os.pipe()

    def serve() -> None:
        while stop not in (ready := select.select([master, stop], [], [])[0]):
            if master in ready:
                printer.take(os.read(master, 4096))

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield printer
    finally:
        os.write(wake, b"x")
        thread.join()
        for descriptor in (master, slave, stop, wake):
            os.close(descriptor)
