"""The thread of the slow devices: it shows that it lives, and an error ends it where everybody sees."""

import threading
from collections.abc import Iterator
from queue import SimpleQueue

import pytest

from hal import worker as worker_module
from hal.interface import HalThread
from hal.worker import NEVER_NS, Worker

WAIT_S = 10.0


class Idle:
    """A part with nothing to do; it counts its turns, and fails at one of them."""

    waits_for = None
    settled = True

    def __init__(self, fails_at: int = 0) -> None:
        self.turns: SimpleQueue[int] = SimpleQueue()
        self.fails_at = fails_at
        self.closed = False

    def turn(self, now_ns: int) -> int:
        self.turns.put(now_ns)
        self.fails_at -= 1
        if self.fails_at == 0:
            raise RuntimeError("asked for by the test")
        return NEVER_NS

    def close(self) -> None:
        self.closed = True


class Steps:
    """A clock that goes on by one with each look at it."""

    def __init__(self) -> None:
        self.now_ns = 100

    def __call__(self) -> int:
        self.now_ns += 1
        return self.now_ns


@pytest.fixture
def idle(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Worker, Idle]]:
    monkeypatch.setattr(worker_module, "BEAT_S", 0.001)
    part = Idle()
    worker = Worker(HalThread.PORTS, [part], Steps())
    yield worker, part
    worker.end()
    worker.join()


def test_an_idle_thread_goes_round_all_the_same(idle: tuple[Worker, Idle]) -> None:
    worker, part = idle
    worker.start()
    beats = []
    for _ in range(5):
        part.turns.get(timeout=WAIT_S)
        beats.append(worker.beat_ns)
    assert beats == sorted(set(beats))
    assert beats[0] > 100


def test_a_thread_that_has_ended_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[str] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: heard.append(str(args.exc_value)))
    part = Idle(fails_at=1)
    worker = Worker(HalThread.SCREEN, [part], Steps())
    worker.start()
    worker.join()
    assert (worker.beat_ns, part.closed, heard) == (0, True, ["asked for by the test"])
    worker.wake()
