"""A thread for slow devices: it gives each its turn when one is due, its line has something, or somebody woke it.

It knows nothing of what the devices are. An exception a part lets through ends the thread, and with it the process:
a device thread that died quietly would look healthy.
"""

import logging
import os
import select
from collections.abc import Sequence
from threading import Lock, Thread
from typing import Protocol

from hal.interface import HalThread

LOG = logging.getLogger(__name__)

NEVER_NS = 1 << 62
"""A part that has nothing to do until it is woken."""
BEAT_S = 1.0
"""A thread with nothing to do goes round this often, to show that it lives."""
LAST_WORDS_NS = 1_000_000_000
"""How long a part may take at the end to say what it still has to say."""
JOIN_S = 1.2
"""How long `join` waits for the thread; one that hangs on a stuck bus is left behind (F058). Two fit into 3 s."""


class Clock(Protocol):
    """CLOCK_MONOTONIC in nanoseconds."""

    def __call__(self) -> int:
        """Read it."""


class Part(Protocol):
    """A device the thread serves. Its methods run on that thread only."""

    @property
    def waits_for(self) -> tuple[int, int] | None:
        """A descriptor and the poll events it waits for, if any."""

    @property
    def settled(self) -> bool:
        """Whether it has nothing more to say that it could say now."""

    def turn(self, now_ns: int) -> int:
        """Do what is due; give the time of the next turn, `NEVER_NS` for none."""

    def close(self) -> None:
        """Let go of the device. It must not raise."""


class Worker:
    """Runs `parts` on a thread called `name` from `start` on."""

    def __init__(self, name: HalThread, parts: Sequence[Part], now_ns: Clock) -> None:
        self._name = name
        self._parts = parts
        self._now_ns = now_ns
        self._wake = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._guard = Lock()
        self._open = True
        self._ending = False
        self._beat_ns = 0
        self._thread = Thread(name=name, target=self._run, daemon=True)

    def start(self) -> None:
        """Begin."""
        self._beat_ns = self._now_ns()
        self._thread.start()

    @property
    def name(self) -> HalThread:
        """The thread's name."""
        return self._name

    @property
    def beat_ns(self) -> int:
        """When the thread last went round; 0 once it has ended."""
        return self._beat_ns if self._thread.is_alive() else 0

    def wake(self) -> None:
        """Give every part a turn soon. Returns at once."""
        with self._guard:
            if self._open:
                os.eventfd_write(self._wake, 1)

    def end(self) -> None:
        """Ask the thread to say its last words and end. Returns at once; `join` waits."""
        self._ending = True
        self.wake()

    def join(self) -> None:
        """Wait for the end, but not for a thread that hangs in its device."""
        self._thread.join(JOIN_S)
        if self._thread.is_alive():
            LOG.warning("the thread %r hangs in its device and is left behind", self._thread.name)

    def _run(self) -> None:
        try:
            while not self._ending:
                self._turn(NEVER_NS)
            until_ns = self._now_ns() + LAST_WORDS_NS
            self._serve()
            while self._now_ns() < until_ns and not all(part.settled for part in self._parts):
                self._turn(until_ns)
        finally:
            with self._guard:
                self._open = False
                os.close(self._wake)
            for part in self._parts:
                part.close()

    def _serve(self) -> int:
        now_ns = self._now_ns()
        return min(part.turn(now_ns) for part in self._parts)

    def _turn(self, until_ns: int) -> None:
        self._beat_ns = self._now_ns()
        due_ns = min(self._serve(), until_ns)
        if self._ending and all(part.settled for part in self._parts):
            return
        poll = select.poll()
        poll.register(self._wake, select.POLLIN)
        for part in self._parts:
            if part.waits_for is not None:
                poll.register(*part.waits_for)
        wait_s = min(max(due_ns - self._now_ns(), 0) / 1_000_000_000, BEAT_S)
        ready = poll.poll(-(-wait_s * 1000 // 1))
        if any(fd == self._wake for fd, _happened in ready):
            os.eventfd_read(self._wake)
