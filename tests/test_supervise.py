"""What must live is watched: a part that is dead or stuck is named and ends the process; nothing else does."""

import pytest
from msgspec.structs import replace

from controller.core import events as ev
from controller.core.faults import LATE_MS, Fault, FaultCode
from controller.drill.statements import Part
from controller.drill.world import World
from controller.supervise import DEAF_REPAIRS, PINS_ARE_DEAF, STUCK_LOOKS, Signs, Supervisor, status
from hal.interface import HalThread
from hal.simulated import Closed
from tests.helpers_game import locked, new_table
from tests.helpers_world import MS, SECOND, chip, low, play, powered, press, running, stored, table

MINUTE = 60 * SECOND


def looked(*looks: Signs) -> list[str | None]:
    """What is found, one look a second."""
    supervisor = Supervisor()
    return [supervisor.look(second * SECOND, signs) for second, signs in enumerate(looks)]


def test_a_part_that_beats_lives_however_slowly_and_one_that_does_not_is_stuck_after_ten_looks() -> None:
    assert STUCK_LOOKS == 10
    lives = [Signs({"screen": 5 + second // 10, "ports": second + 1}, 0, 0) for second in range(100)]
    assert looked(*lives) == [None] * 100
    still = [Signs({"screen": 5, "ports": second + 1}, 0, 0) for second in range(12)]
    assert looked(*still) == [None] * 10 + [
        "screen: it has stood still for 10 s",
        "screen: it has stood still for 11 s",
    ]


def test_a_part_that_has_ended_is_named_at_once_and_all_that_are_wrong_together() -> None:
    assert looked(Signs({"pins": 0, "ports": 7, "screen": 0}, 0, 0)) == [
        "pins: it has ended; screen: it has ended"
    ]


def test_a_look_is_due_once_a_second() -> None:
    supervisor = Supervisor()
    supervisor.look(SECOND, Signs({}, 0, 0))
    assert not supervisor.due(2 * SECOND - 1)
    assert supervisor.due(2 * SECOND)


def test_levels_that_change_without_an_edge_make_the_pins_deaf_and_one_edge_proves_them_sound() -> None:
    assert DEAF_REPAIRS == 4
    beats = {"pins": 1}
    assert (
        looked(Signs(beats, 10, 3), Signs(beats, 11, 6), Signs(beats, 11, 9), Signs(beats, 12, 12))
        == [None] * 4
    )
    assert looked(Signs(beats, 10, 3), Signs(beats, 10, 6), Signs(beats, 10, 7)) == [
        None,
        None,
        PINS_ARE_DEAF,
    ]


def ended(world: World) -> str:
    """Why the process ended; it must have, in order and as failed."""
    loop = running(world)
    assert loop.stopped
    assert loop.failed
    assert isinstance(world.hal.history[-1], Closed)
    assert not any(world.hal.outputs.values())
    (record,) = stored(world, ev.Stopped)
    assert isinstance(record.event, ev.Stopped)
    return record.event.why


@pytest.mark.parametrize("thread", list(HalThread))
def test_a_thread_that_ended_ends_the_process_within_a_second_and_the_next_one_plays_on(
    thread: HalThread,
) -> None:
    with powered() as world:
        chip(world, 3)
        press(world, ev.Button.COIN_IN)
        world.hal.end_thread(thread)
        world.pass_time(1_100 * MS)
        assert ended(world) == f"{thread}: it has ended"
        world.power_off()
        world.power_on(open_table=False)
        world.pass_time(MINUTE)
        assert table(world).phase == "locked"
        assert not running(world).stopped


@pytest.mark.parametrize("thread", [HalThread.SCREEN, HalThread.PORTS])
def test_a_thread_that_hangs_has_ten_seconds(thread: HalThread) -> None:
    with powered() as world:
        world.pass_time(MINUTE)
        world.hal.hang(thread)
        world.pass_time(9 * SECOND)
        assert not running(world).stopped
        world.pass_time(3 * SECOND)
        assert ended(world) == f"{thread}: it has stood still for 10 s"


def test_an_input_whose_edges_stay_away_ends_the_process_and_its_levels_are_repaired_until_then() -> None:
    with powered() as world:
        for _ in range(3):  # the first may share its second with an edge that was heard
            world.hal.drop_edge("seat_5", active=True)
            world.hal.drop_edge("seat_5", active=False)
            play(world, low("seat_5", 0, 400 * MS), SECOND)
        world.pass_time(SECOND)
        assert ended(world) == PINS_ARE_DEAF


def test_lost_edges_among_heard_ones_end_nothing() -> None:
    with powered() as world:
        for _ in range(20):
            world.hal.drop_edge("seat_5", active=False)
            chip(world, 5)
            world.pass_time(SECOND)
        assert not running(world).stopped


def test_a_medium_that_takes_nothing_for_an_hour_is_retried_and_ends_nothing() -> None:
    with powered() as world:
        world.break_part(Part.DISK_FULL, broken=True)
        chip(world, 3)
        world.pass_time(60 * MINUTE)
        assert running(world).failing
        assert not running(world).stopped
        world.break_part(Part.DISK_FULL, broken=False)
        world.pass_time(2 * SECOND)
        assert not running(world).failing


def test_a_loop_that_stood_still_for_minutes_finds_its_threads_alive() -> None:
    with powered() as world:
        world.frozen_during(lambda: world.pass_time(5 * MINUTE))
        world.pass_time(MINUTE)
        assert not running(world).stopped


@pytest.mark.parametrize(("frozen_ms", "faults"), [(1_900, ()), (2_100, (Fault(FaultCode.LOOP_LATE),))])
def test_a_loop_that_is_late_by_two_seconds_is_a_fault_that_anyone_clears(
    frozen_ms: int, faults: tuple[Fault, ...]
) -> None:
    assert LATE_MS == 2_000
    with powered() as world:
        world.frozen_during(lambda: world.pass_time(frozen_ms * MS))
        assert table(world).faults == faults
        assert world.hal.outputs["slots"]
        world.act(ev.FaultClearAsked(world.clock.monotonic_ns(), FaultCode.LOOP_LATE))
        assert table(world).faults == ()


def test_the_status_is_one_line_of_phase_round_faults_and_lateness() -> None:
    assert status(new_table(), 0) == "closed, round 1"
    troubled = replace(locked(2), faults=(Fault(FaultCode.SIGN_LOST), Fault(FaultCode.SEAT_JAMMED, 3)))
    line = "locked, round 1; faults: sign_lost, seat_jammed 3; latest turn 731 ms late"
    assert status(troubled, 731) == line
