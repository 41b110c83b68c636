"""A table out of service as systemd, its screen and its inbox see it."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from controller.admit import StrandedError, admit
from controller.clock import VirtualClock
from controller.config import Settings
from controller.drill.world import World
from controller.inbox import Stop
from controller.stranded import LOOK_NS, OutOfService
from hal.interface import Edge
from hal.simulated import Drawn, Seen, SimulatedHal
from tests.helpers_witness import lose_journal, played

SECOND = 1_000_000_000


@pytest.fixture
def manager(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[socket.socket]:
    """The service manager's end of the notification socket; it wants a sign of life every 4 s."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(str(tmp_path / "notify"))
        listening.setblocking(False)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        monkeypatch.setenv("WATCHDOG_USEC", "4000000")
        yield listening


def heard(manager: socket.socket) -> list[str]:
    told: list[str] = []
    while True:
        try:
            told += manager.recv(4_096).decode().split("\n")
        except BlockingIOError:
            return told


@pytest.fixture
def lost() -> Iterator[World]:
    with played(1) as world:
        world.power_off()
        lose_journal(world)
        yield world


def why(settings: Settings, clock: VirtualClock) -> StrandedError:
    with pytest.raises(StrandedError) as raised:
        admit(settings, clock)
    return raised.value


def test_the_service_manager_sees_a_live_process_and_its_plight_until_the_end(
    lost: World, manager: socket.socket
) -> None:
    clock = VirtualClock()
    pages: set[object] = set()

    def watch(seen: Seen) -> None:
        if isinstance(seen, Drawn):
            pages.add(seen.picture)

    hal = SimulatedHal(lost.places.wiring, clock.monotonic_ns, watch=watch)
    table = OutOfService(lost.places, hal, clock, why(lost.places, clock))
    table.start()
    assert "READY=1" in heard(manager)
    end = clock.monotonic_ns() + 20 * SECOND
    while clock.monotonic_ns() < end:
        clock.move_to(max(table.wake_ns, clock.monotonic_ns() + 1))
        table.turn()
        assert table.wake_ns == clock.monotonic_ns() + LOOK_NS
    told = heard(manager)
    assert told.count("WATCHDOG=1") in {10, 11}, "half of what is asked: one each 2 s"
    assert "STATUS=out of service: journal_lost" in told
    assert len(pages) > 3, "the screen's pages follow each other"
    table.inbox.put(Edge("seat_1", active=True, at_ns=clock.monotonic_ns()))
    table.turn()
    assert not any(hal.outputs.values())
    table.inbox.put(Stop("SIGTERM"))
    table.turn()
    assert table.stopped
    assert heard(manager) == ["STOPPING=1"]
    table.inbox.close()


def test_the_error_tells_everything_a_person_needs(lost: World) -> None:
    text = str(why(lost.places, VirtualClock()))
    assert text.startswith("table SIM-1 is out of service. ")
    assert "is gone" in text
    assert "round 2, open, main $ 100.010,00, wagers taken in so far $ 20,00" in text
    assert f"No file was changed (journal {lost.medium.journal}, witness {lost.medium.witness})" in text
    assert f"`pozo recover --config {lost.places.source}`" in text
