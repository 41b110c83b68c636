"""systemd's notification socket, with a real socket at the manager's end."""

import os
import socket
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest

from controller.clock import VirtualClock
from controller.journal import verify
from controller.notify import Notify
from tests.helpers_table import filled

MS = 1_000_000
SECOND = 1_000 * MS
PID = 4711


class Manager:
    """The manager's end of the socket."""

    def __init__(self, address: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(address)
        self.socket.setblocking(False)

    def heard(self) -> list[str]:
        found: list[str] = []
        while True:
            try:
                found.append(self.socket.recv(1000).decode())
            except BlockingIOError:
                return found


@pytest.fixture
def manager(tmp_path: Path) -> Iterator[Manager]:
    made = Manager(str(tmp_path / "notify"))
    yield made
    made.socket.close()


@pytest.fixture
def notify(manager: Manager) -> Iterator[Callable[..., Notify]]:
    made: list[Notify] = []

    def make(**environ: str) -> Notify:
        made.append(Notify({"NOTIFY_SOCKET": manager.socket.getsockname(), **environ}, PID))
        return made[-1]

    yield make
    for each in made:
        each.stopping()


def test_without_a_manager_nothing_is_sent_and_nothing_fails() -> None:
    silent = Notify({}, PID)
    silent.ready()
    silent.alive(1)
    silent.stopping()
    assert silent.period_ns is None


def test_ready_and_stopping_are_said(manager: Manager, notify: Callable[..., Notify]) -> None:
    told = notify()
    told.ready()
    told.stopping()
    assert manager.heard() == ["READY=1", "STOPPING=1"]


def test_an_abstract_address_is_understood() -> None:
    manager = Manager(f"\0pozo-test-{os.getpid()}")
    told = Notify({"NOTIFY_SOCKET": f"@pozo-test-{os.getpid()}"}, PID)
    told.ready()
    told.stopping()
    assert manager.heard() == ["READY=1", "STOPPING=1"]
    manager.socket.close()


# Half of WATCHDOG_USEC, in nanoseconds; by hand.
@pytest.mark.parametrize(
    ("environ", "period_ns"),
    [
        ({"WATCHDOG_USEC": "500000"}, 250 * MS),
        ({"WATCHDOG_USEC": "2000000"}, 1 * SECOND),
        ({"WATCHDOG_USEC": "60000000"}, 30 * SECOND),
        ({}, None),
        ({"WATCHDOG_USEC": "abc"}, None),
        ({"WATCHDOG_USEC": ""}, None),
        ({"WATCHDOG_USEC": "-1"}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "²"}, None),
        ({"WATCHDOG_USEC": "2000000", "WATCHDOG_PID": str(PID)}, 1 * SECOND),
        ({"WATCHDOG_USEC": "2000000", "WATCHDOG_PID": str(PID + 1)}, None),
        ({"WATCHDOG_USEC": "2000000", "WATCHDOG_PID": "abc"}, None),
    ],
)
def test_F097_the_watchdog_is_petted_at_half_its_time_or_not_at_all(
    manager: Manager, notify: Callable[..., Notify], environ: dict[str, str], period_ns: int | None
) -> None:
    told = notify(**environ)
    assert told.period_ns == period_ns
    heard: list[str] = []
    for now_ns in range(10 * SECOND, 20 * SECOND, 50 * MS):
        told.alive(now_ns)
        heard += manager.heard()
    assert heard == ["WATCHDOG=1"] * len(heard)
    # Ten seconds of turns: one at their begin and one every period.
    assert len(heard) == (0 if period_ns is None else -(-10 * SECOND // period_ns))


def test_F099_a_busy_or_stopping_loop_sends_two_messages_a_second_at_most(
    manager: Manager, notify: Callable[..., Notify]
) -> None:
    told = notify(WATCHDOG_USEC="1000000")
    sent = 0
    for now_ns in range(0, 5 * SECOND, MS):
        told.alive(now_ns)
        sent += len(manager.heard())
    assert sent == 10


def test_a_manager_that_went_away_is_not_spoken_to_again(
    manager: Manager, notify: Callable[..., Notify], tmp_path: Path
) -> None:
    told = notify(WATCHDOG_USEC="2000000")
    manager.socket.close()
    (tmp_path / "notify").unlink()
    told.alive(SECOND)
    again = Manager(str(tmp_path / "notify"))
    told.alive(60 * SECOND)
    assert again.heard() == []
    again.socket.close()


def test_a_manager_that_does_not_read_does_not_hold_the_table_up(
    manager: Manager, notify: Callable[..., Notify]
) -> None:
    told = notify(WATCHDOG_USEC="1000000")
    for second in range(1_000):
        told.alive(second * SECOND)
    assert 0 < len(manager.heard()) < 1_000
    told.alive(2_000 * SECOND)
    assert manager.heard() == ["WATCHDOG=1"]


def test_a_status_is_told_when_it_changes_and_once_a_second_at_most(
    manager: Manager, notify: Callable[..., Notify]
) -> None:
    told = notify()
    asked: list[str] = []

    def status() -> str:
        asked.append("open, round 2" if len(asked) < 3 else "locked, round 2")
        return asked[-1]

    for now_ns in range(SECOND, 6 * SECOND, 10 * MS):
        told.alive(now_ns, status)
    assert manager.heard() == ["STATUS=open, round 2", "STATUS=locked, round 2"]
    assert len(asked) == 5


def test_a_status_rides_on_the_sign_of_life(manager: Manager, notify: Callable[..., Notify]) -> None:
    told = notify(WATCHDOG_USEC="2000000")
    told.alive(SECOND, lambda: "open, round 2")
    told.alive(2 * SECOND, lambda: "open, round 2")
    told.alive(3 * SECOND, lambda: "open, round 3")
    assert manager.heard() == [
        "WATCHDOG=1\nSTATUS=open, round 2",
        "WATCHDOG=1",
        "WATCHDOG=1\nSTATUS=open, round 3",
    ]


@pytest.mark.parametrize(
    ("watchdog", "most"), [("500000", 4), ("1000000", 2), ("3000000", 2), ("10000000", 2)]
)
def test_F099_a_status_that_always_changes_adds_no_third_message_a_second(
    manager: Manager, notify: Callable[..., Notify], watchdog: str, most: int
) -> None:
    """A watchdog of half a second wants four by itself."""
    told = notify(WATCHDOG_USEC=watchdog)
    now_ns = SECOND
    sent: list[int] = []
    while now_ns < 21 * SECOND:
        told.alive(now_ns, partial(str, now_ns))
        sent += [now_ns] * len(manager.heard())
        now_ns += 10 * MS
    assert max(sum(at <= other < at + SECOND for other in sent) for at in sent) <= most
    assert len(sent) >= 20


def test_F100_work_that_gets_on_asks_for_another_minute_once_a_second(
    manager: Manager, notify: Callable[..., Notify]
) -> None:
    told = notify(WATCHDOG_USEC="10000000")
    for now_ns in range(SECOND, 11 * SECOND, MS):
        told.working(now_ns)
    assert manager.heard() == ["EXTEND_TIMEOUT_USEC=60000000\nWATCHDOG=1"] * 10
    notify().working(SECOND)
    assert manager.heard() == ["EXTEND_TIMEOUT_USEC=60000000"]


def test_F100_a_long_journal_is_proved_in_steps_and_a_proof_that_hangs_asks_for_nothing(
    manager: Manager, notify: Callable[..., Notify], tmp_path: Path
) -> None:
    """600 rounds are 2,401 records: two steps, of 7 s each here. A proof that hangs makes none."""
    told, clock = notify(WATCHDOG_USEC="10000000"), VirtualClock()
    journal = filled(tmp_path, 600)
    heard: list[str] = []

    def got_on() -> None:
        clock.move_to(clock.monotonic_ns() + 7 * SECOND)
        told.working(clock.monotonic_ns())
        heard.extend(manager.heard())

    assert verify(journal, progress=got_on) == verify(journal)
    assert heard == ["EXTEND_TIMEOUT_USEC=60000000\nWATCHDOG=1"] * 2

    class Hung(BaseException):
        """The proof stands still here."""

    def hangs() -> None:
        raise Hung

    with pytest.raises(Hung):
        verify(journal, progress=hangs)
    assert manager.heard() == [], "nobody but the work itself asks for more time"
