"""The bounded door between the threads that see things and the one thread that decides.

Each line has its own share: a line that floods loses its own edges, is told of as an overflow, and cannot push
out an edge of a quiet line. `put` is called from any thread (one thread a line) and from signal handlers; it takes
no lock, so a handler that interrupts `drain` cannot hang.
"""

import os
import select
from collections import deque
from collections.abc import Iterable

import msgspec

from controller.core.events import AnyEvent
from controller.link.said import AnswerSaid, LinkSaid
from hal.interface import DeviceFailed, DeviceMended, Edge, KeyPressed, Message

LINE_SHARE = 512
"""Edges of one line that may wait: half a second of the fastest chatter measured on a real contact (F028)."""


class Act(msgspec.Struct, frozen=True):
    """What an operator asks for, from the menu, a drill or a tool."""

    event: AnyEvent


class Stop(msgspec.Struct, frozen=True):
    """End in order. `failed`: the process must tell its supervisor that something broke."""

    why: str
    failed: bool = False


class FloorHeard(msgspec.Struct, frozen=True):
    """The floor's newest record of this table, as its link said at `at_ns`."""

    seq: int
    digest: str
    at_ns: int


class LinksHeard(msgspec.Struct, frozen=True):
    """What the floor said at `at_ns` of the linked pots and of claims."""

    links: tuple[LinkSaid, ...]
    answers: tuple[AnswerSaid, ...]
    at_ns: int


Arrival = Message | Act | Stop | FloorHeard | LinksHeard


class Overflow(msgspec.Struct, frozen=True):
    """A source sent more than its share; `lost` of its messages were dropped since the last drain."""

    line: str
    lost: int


class _Share:
    """One source's counts. `put`, `lost` are written by its thread only, `taken`, `told` by the deciding one."""

    __slots__ = ("lost", "put", "taken", "told")

    def __init__(self) -> None:
        self.put = self.taken = self.lost = self.told = 0


class Inbox:
    """Messages in order of arrival, a share for each source, and a wake-up for the deciding thread."""

    def __init__(self, lines: Iterable[str]) -> None:
        self._waiting: deque[tuple[_Share, Arrival]] = deque()
        self._lines = {line: _Share() for line in lines}
        self._devices, self._keys, self._acts, self._stops = _Share(), _Share(), _Share(), _Share()
        others = {"devices": self._devices, "keypad": self._keys, "operators": self._acts}
        self._limited = (*self._lines.items(), *others.items())
        self._wake = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._asleep = False

    def put(self, message: Arrival) -> None:
        """Take a message, or count it as lost if its source's share is full. Never blocks, never raises."""
        share = self._share(message)
        if share.put - share.taken >= LINE_SHARE:
            share.lost += 1
        else:
            share.put += 1
            self._waiting.append((share, message))
        if self._asleep:
            os.eventfd_write(self._wake, 1)

    def _share(self, message: Arrival) -> _Share:
        match message:
            case Edge(line=line):
                return self._lines.get(line, self._acts)
            case DeviceFailed() | DeviceMended():
                return self._devices
            case KeyPressed():
                return self._keys
            case Act() | FloorHeard() | LinksHeard():
                return self._acts
            case Stop():
                return self._stops  # whatever floods, the end is heard

    def drain(self) -> list[Arrival]:
        """All messages that wait, in order of arrival."""
        taken: list[Arrival] = []
        waiting = self._waiting
        for _ in range(len(waiting)):
            share, message = waiting.popleft()
            share.taken += 1
            taken.append(message)
        return taken

    def overflows(self) -> list[Overflow]:
        """The lines that lost edges since this was last asked."""
        told: list[Overflow] = []
        for line, share in self._limited:
            if share.lost != share.told:
                told.append(Overflow(line, share.lost - share.told))
                share.told = share.lost
        return told

    def wait(self, timeout_ns: int) -> None:
        """Sleep until a message comes or the time is over."""
        self._asleep = True
        if not self._waiting:
            ready, _, _ = select.select([self._wake], [], [], max(timeout_ns, 0) / 1_000_000_000)
            if ready:
                os.eventfd_read(self._wake)
        self._asleep = False

    def close(self) -> None:
        """Release the wake-up descriptor; only the deciding thread may, after its last turn."""
        self._asleep = False
        os.close(self._wake)
