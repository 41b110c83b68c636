"""Edges that come at the very stamp at which a line changes its mind, and rooms that are limited."""

import pytest

from controller.core import events as ev
from controller.inputs import REFERENCE, Inputs, Pulse, Pulses, Timings
from controller.inputs.common import CommonMode
from controller.inputs.line import Minutes, Setup
from controller.inputs.outbox import Entry, Outbox, Press
from controller.inputs.pulses import KEPT
from controller.inputs.seat import SeatLine
from hal.interface import Edge
from tests.helpers_inputs import LINES, START_NS, Change, Driver, chip, low, ns, play
from tests.test_inputs_common import lows


def fed(driver: Driver, line: str, active: bool, at_ms: float) -> list[ev.AnyEvent]:
    """What one edge that arrives at its own stamp makes the filter tell."""
    before = len(driver.events)
    driver.now_ns = ns(at_ms)
    driver.levels[line] = active
    driver.feed([Edge(line, active, ns(at_ms))])
    return driver.events[before:]


@pytest.mark.parametrize(("at_ms", "lost"), [(5, False), (5.000001, True)])
def test_levels_at_start_tell_edges_until_a_repair_would(at_ms: float, lost: bool) -> None:
    """Five milliseconds: a rise of an idle seat and a fall of one that is down were told by the first snapshot."""
    driver = Driver(active=["seat_1", "coin_in"])
    for line, active in (("seat_2", False), ("seat_1", True), ("game_over", False)):
        seat = int(line[5:]) if line.startswith("seat") else 0
        told = [ev.EdgeLost(ns(at_ms), line, seat)] if lost else []
        assert fed(driver, line, active, at_ms) == told


@pytest.mark.parametrize(("at_ms", "told"), [(49.999999, []), (50, [ev.EdgeLost(ns(50), "seat_1", 1)])])
def test_a_rise_alone_is_a_bounce_until_the_line_is_armed_again(
    at_ms: float, told: list[ev.AnyEvent]
) -> None:
    driver = Driver()
    driver.run(low("seat_1", 0, 40), 49)
    assert fed(driver, "seat_1", False, at_ms) == told


def test_a_late_fall_of_the_stamp_at_which_a_snapshot_told_it_is_no_news() -> None:
    late = low("seat_1", 60, 65)
    late[0] = late[0]._replace(delay_ns=20_000_000)
    assert play(low("seat_1", 0, 53) + late, 900) == [chip(0, 1)]  # before the line was armed again
    late = low("seat_1", 50, 65)
    late[0] = late[0]._replace(delay_ns=10_000_000)
    assert play(late, 900) == [chip(50, 1)]


def test_a_fall_after_a_low_that_only_a_snapshot_told_is_a_chip_and_an_edge_was_lost() -> None:
    """The snapshot of 50 tells a low, repaired at 55; its rise at 65 is lost like its fall."""
    lost = [change._replace(lost=True) for change in low("seat_1", 10, 55)]
    assert play([*lost, *low("seat_1", 70, 40)], 900) == [ev.EdgeLost(ns(70), "seat_1", 1), chip(70, 1)]


def test_a_fall_of_a_line_that_is_held_back_is_a_lost_edge() -> None:
    driver = Driver()
    changes = [*lows((0, 30), (0, 40), (0, 50)), Change(ns(15), "seat_1", True)]
    assert driver.run(changes, 500) == [ev.EdgeLost(ns(15), "seat_1", 1), chip(0, 1), chip(0, 2), chip(0, 3)]


def test_a_low_that_another_fall_ended_is_noise_from_its_own_fall() -> None:
    changes = [Change(ns(0), "seat_1", True), *low("seat_1", 6, 20)]
    assert play(changes, 61_000) == [chip(6, 1), ev.NoiseSeen(ns(0), "seat_1", 1, 1)]


def test_a_low_that_another_fall_ended_can_be_noise_of_the_whole_table() -> None:
    changes = [
        Change(ns(0), "seat_1", True),
        *low("seat_1", 9, 31),
        *low("seat_2", 0, 10.5),
        *low("seat_3", 0, 10.5),
    ]
    assert play(changes, 900) == [ev.CommonModeSeen(ns(0), (1, 2, 3)), chip(9, 1)]


def test_a_seat_jammed_since_before_the_start_hinders_no_other() -> None:
    idle = dict.fromkeys(LINES, False)
    inputs = Inputs(REFERENCE, 7, idle | {"seat_5": True}, START_NS, jammed=[5])
    edges = [Edge(change.line, change.active, change.at_ns) for change in low("seat_6", 100, 40)]
    assert inputs.feed(edges, ns(200), idle | {"seat_5": True}) == [chip(100, 6)]


def test_a_line_remembers_no_more_short_lows_than_are_evidence() -> None:
    driver = Driver()
    driver.run([change for at_ms in range(20) for change in low("seat_1", at_ms, 0.5)], 30)
    assert [fall for fall, _, _ in driver.inputs._seats[0].short] == [ns(at_ms) for at_ms in range(12, 20)]


def test_the_last_twenty_pulses_of_a_line_are_kept() -> None:
    pulses = Pulses()
    pulses.see(
        Edge("seat_1", active, number * 100 + (0 if active else number))
        for number in range(1, KEPT + 6)
        for active in (True, False)
    )
    kept = pulses.kept()["seat_1"]
    assert (len(kept), kept[0], kept[-1].width_ns) == (20, Pulse(25, 76), 6)


def test_an_empty_outbox_is_woken_by_any_deadline() -> None:
    outbox = Outbox()
    outbox.wake(5)
    outbox.wake(7)
    assert outbox.next_ns == 5


def test_a_low_seen_at_the_very_end_of_the_rearm_time_is_no_bounce_and_no_chip() -> None:
    """Armed at 60, where a snapshot tells a low whose fall was lost."""
    fall, rise = low("seat_1", 55, 145)
    events = play([*low("seat_1", 0, 50), fall._replace(lost=True), rise], 900)
    assert events == [chip(0, 1), ev.EdgeLost(ns(200), "seat_1", 1)]


@pytest.mark.parametrize(("quiet_ms", "told"), [(999.999999, 1), (1000, 2)])
def test_a_chattering_seat_is_told_again_after_a_second_of_quiet(quiet_ms: float, told: int) -> None:
    """From one fall to the next."""
    begins: list[float] = [at * 49 for at in range(21)]
    begins += [begins[-1] + quiet_ms + at * 49 for at in range(21)]
    driver = Driver()
    driver.run([change for at_ms in begins for change in low("seat_1", at_ms, 15)], 4_000)
    assert len(driver.of(ev.SeatChattered)) == told


@pytest.mark.parametrize(("again_ms", "noise"), [(5, 0), (5.000001, 1)])
def test_a_second_fall_of_a_press_is_noise_once_the_levels_at_start_are_old(
    again_ms: float, noise: int
) -> None:
    driver = Driver()
    driver.run([Change(ns(3), "coin_in", True), *low("coin_in", again_ms, 100)], 61_000)
    assert driver.events == [
        ev.CoinInPressed(ns(again_ms)),
        *[ev.NoiseSeen(ns(3), "coin_in", 0, 1)] * noise,
    ]


def test_a_button_that_was_stuck_is_one_like_any_other_once_it_is_freed() -> None:
    changes = [*low("coin_in", 0, 8000), *low("coin_in", 9000, 100), *low("coin_in", 10_000, 6000)]
    assert play(changes, 17_000) == [
        ev.CoinInPressed(ns(0)),
        ev.ButtonStuck(ns(5000), ev.Button.COIN_IN),
        ev.ButtonFreed(ns(8000), ev.Button.COIN_IN),
        ev.CoinInPressed(ns(9000)),
        ev.CoinInPressed(ns(10_000)),
        ev.ButtonStuck(ns(15_000), ev.Button.COIN_IN),
        ev.ButtonFreed(ns(16_000), ev.Button.COIN_IN),
    ]


def test_a_chip_waits_for_a_keys_release_but_not_for_that_of_coin_in() -> None:
    driver = Driver()
    driver.run([*low("coin_in", 0, 100), *low("seat_1", 101, 40)], 300)
    assert driver.told[-1] == (ns(111), chip(101, 1))
    driver = Driver()
    driver.run([*low("supervisor", 0, 100), *low("seat_1", 101, 40)], 300)
    assert driver.told[1:] == [
        (ns(120), ev.KeyTurned(ns(100), ev.Key.SUPERVISOR, on=False)),
        (ns(120), chip(101, 1)),
    ]


def test_the_beginnings_of_the_last_sixteen_presses_are_known() -> None:
    driver = Driver()
    driver.run([change for at in range(17) for change in low("game_over", at * 200, 100)], 4_000)
    known = [driver.inputs.fell_ns(ev.GameOverPressed(ns(at * 200 + 100))) for at in range(17)]
    assert known == [0, *(ns(at * 200) for at in range(1, 17))]


def times(**changed: int) -> Timings:
    return Timings(**{name: getattr(REFERENCE, name) for name in REFERENCE.__struct_fields__} | changed)


def test_times_may_lie_just_apart_and_are_named_when_they_do_not() -> None:
    assert times(button_settle_ms=5).button_settle_ms == 5
    assert times(settle_ms=5).settle_ms == 5
    with pytest.raises(
        ValueError, match=r"settle_ms is 4 and must be more than 2 times common_mode_ms \(4\): raise"
    ):
        times(settle_ms=4)
    with pytest.raises(
        ValueError, match=r"jam_ms is 100 and must be more than held_wait_ms \(100\): raise jam_ms"
    ):
        times(jam_ms=100)


def test_a_seat_that_is_low_at_start_is_not_jammed_unless_it_is_said() -> None:
    outbox = Outbox()
    setup = Setup(REFERENCE, outbox, Minutes(outbox), START_NS)
    line = SeatLine(1, True, setup, CommonMode(REFERENCE, outbox))
    assert line.due_ns == START_NS + 1_000_000_001  # it jams after a second


def test_what_cannot_be_stops_the_program_and_is_named() -> None:
    inputs = Driver().inputs
    with pytest.raises(AssertionError, match="seat_1: a deadline in state IDLE"):
        inputs._seats[0].expire()
    with pytest.raises(AssertionError, match="coin_in: a deadline while it is up"):
        inputs._lines["coin_in"].expire()
    with pytest.raises(AssertionError, match="comes from no button"):
        inputs._order._held_up(Entry(0, 1, 1, ev.ChipDropped(0, 1), Press(0)), Press(0), 0)
