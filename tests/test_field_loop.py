"""Field-log rows of the running loop that need many turns, not many processes."""

import random
import resource
import threading
from pathlib import Path

import pytest

from controller.assemble import assemble
from controller.cli.run import play
from controller.clock import SystemClock
from controller.config import load
from controller.core import events as ev
from controller.drill.medium import Medium
from controller.drill.play import settings_of
from controller.drill.statements import Part
from controller.drill.world import World
from controller.inbox import Stop
from controller.journal import count
from controller.pulse_file import PulseFile
from hal.simulated import Closed, SimulatedHal
from tests.helpers_ledger import audit
from tests.helpers_process import journal_of, opened

PAGE_KB = resource.getpagesize() // 1024


@pytest.mark.slow
def test_F103_edges_of_another_thread_are_taken_or_not_while_the_loop_ends_two_hundred_times(
    tmp_path: Path,
) -> None:
    config = opened(tmp_path)
    settings, clock, chance = load(str(config)), SystemClock(), random.Random(103)
    fallen = 0
    for _ in range(200):
        hal = SimulatedHal(settings.wiring, clock.monotonic_ns)
        loop, inbox = assemble(settings, hal, clock, lambda _: None)
        loop.start()
        ended = threading.Event()

        def drop(hal: SimulatedHal = hal, ended: threading.Event = ended) -> None:
            nonlocal fallen
            while not ended.wait(0.005):
                fallen += 1
                for active in (True, False):
                    for seat in range(1, 8):
                        hal.drive(f"seat_{seat}", active)
                    ended.wait(0.012)

        hands = threading.Thread(target=drop)
        hands.start()
        order = threading.Timer(chance.uniform(0, 0.05), inbox.put, args=(Stop("SIGTERM"),))
        order.start()
        play(loop, inbox, clock, PulseFile(settings.journal))
        assert not any(hal.outputs.values())
        assert isinstance(hal.history[-1], Closed), "something was told to the hardware after its end"
        ended.set()
        hands.join()
        order.join()
        inbox.close()
    ledger = audit(journal_of(config))
    assert ledger.seen["stopped"] == 201
    assert ledger.chips.total() <= 7 * fallen


@pytest.mark.slow
def test_F110_two_hundred_thousand_events_without_sign_and_host_keep_no_memory(tmp_path: Path) -> None:
    """Compressed from the row's 2,000,000; what grows does so from the first thousand on."""
    world = World(settings_of("simulated", {}), medium=Medium(tmp_path))
    world.power_on(open_table=True)
    for part in (Part.SIGN, Part.HOST):
        world.break_part(part, broken=True)

    def events(count: int) -> None:
        for _ in range(count // 100):
            now = world.clock.monotonic_ns()
            world.listen()
            world.act(
                *(ev.DisputeRaised(now, number % 7 + 1) for number in range(50)),
                *(ev.AwardsApproved(now) for _ in range(50)),
            )
            world.pass_time(100_000_000)

    events(20_000)
    before = resident_kb()
    events(200_000)
    grown = resident_kb() - before
    kept = count(world.medium.journal, "dispute_raised")
    world.close()
    assert kept == 110_000
    assert grown < 5 * 1024, f"{grown} KB more than after the first 20,000 events"


def resident_kb() -> int:
    return int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1]) * PAGE_KB
