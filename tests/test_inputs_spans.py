"""The edges of every span: what is exactly as far apart as allowed still belongs together. Two milliseconds."""

import pytest

from controller.core import events as ev
from controller.inputs import REFERENCE, Inputs
from hal.interface import Edge
from tests.helpers_inputs import START_NS, Change, Driver, chip, low, ns, play
from tests.test_inputs_common import lows

TOGETHER = ev.CommonModeSeen(ns(0), (1, 2, 3))


def chips_of(events: list[ev.AnyEvent]) -> list[ev.AnyEvent]:
    return [event for event in events if isinstance(event, ev.ChipDropped)]


@pytest.mark.parametrize("rises_ms", [(30, 31, 32, 33), (27, 28, 28, 30), (30, 32, 32, 34)])
def test_a_rise_within_a_span_of_three_judged_before_it_is_noise_too(rises_ms: tuple[float, ...]) -> None:
    events = play(lows(*((0, rise) for rise in rises_ms)), 500)
    assert chips_of(events) == []
    assert {seat for event in events if isinstance(event, ev.CommonModeSeen) for seat in event.seats} == {
        1,
        2,
        3,
        4,
    }


def test_judged_lows_are_compared_as_long_as_another_may_rise_within_a_span_of_them() -> None:
    """Seat 5's judgement comes one nanosecond before seat 4's, which needs seats 2 and 3."""
    noise = lows((0, 19), (0, 20), (0, 20), (0, 22))
    others = [*low("seat_5", 5, 16.999999), *low("seat_6", 5, 40), *low("seat_7", 5, 50)]
    assert chips_of(play(noise + others, 500)) == [chip(5, 5), chip(5, 6), chip(5, 7)]


def test_a_low_that_has_risen_already_still_holds_the_next_one_back() -> None:
    assert chips_of(play(lows((0, 11), (0, 11), (2, 10.5)), 500)) == []


@pytest.mark.parametrize(("short_ms", "long_ms"), [(0, 2), (2, 0)])
def test_two_short_lows_a_span_away_hold_a_third_line_back(short_ms: float, long_ms: float) -> None:
    driver = Driver()
    driver.run(lows((short_ms, 5), (short_ms, 5), (long_ms, 50)), 500)
    assert driver.told == [(ns(long_ms + 52.000001), chip(long_ms, 3))]


def test_coin_in_waits_for_held_lows_that_fell_a_span_after_it() -> None:
    driver = Driver()
    driver.run(low("coin_in", 0, 120) + lows((2, 60), (2, 70), (2, 80)), 500)
    assert driver.told == [
        (ns(84.000001), event) for event in (ev.CoinInPressed(ns(0)), chip(2, 1), chip(2, 2), chip(2, 3))
    ]


@pytest.mark.parametrize(("fall_ms", "rise_ms"), [(2, 32), (0, 28), (0, 32)])
def test_a_press_whose_ends_lie_a_span_from_the_noise_is_noise(fall_ms: float, rise_ms: float) -> None:
    noise = lows((0, 30), (0, 30), (0, 30))
    assert play(noise + low("coin_in", fall_ms, rise_ms - fall_ms), 500) == [TOGETHER]
    assert play(noise + low("game_over", fall_ms, rise_ms - fall_ms), 500) == [TOGETHER]


def test_bursts_are_counted_against_those_of_the_minute_before_whenever_it_is() -> None:
    bursts = [
        change
        for at_ms in range(100_000, 100_800, 100)
        for change in lows((at_ms, 30), (at_ms, 30), (at_ms, 30))
    ]
    assert Driver().run(bursts, 101_000) == [
        ev.CommonModeSeen(ns(at_ms), (1, 2, 3)) for at_ms in range(100_000, 100_600, 100)
    ]


def test_no_more_bursts_are_remembered_than_a_press_can_meet() -> None:
    driver = Driver()
    for at_ms in range(0, 1_000, 100):
        driver.run(lows((at_ms, 30), (at_ms, 30), (at_ms, 30)), at_ms + 99)
    assert [burst[0].fall_ns for burst in driver.inputs._common._bursts] == [
        ns(at_ms) for at_ms in (600, 700, 800, 900)
    ]


def test_every_line_without_a_level_at_start_is_named() -> None:
    named = (
        "coin_in, game_over, seat_1, seat_2, seat_3, seat_4, seat_5, seat_6, seat_7, supervisor, technician"
    )
    with pytest.raises(ValueError, match=f"^no level at start for {named}:"):
        Inputs(REFERENCE, 7, {}, START_NS)


def test_two_edges_of_one_pass_are_taken_by_their_stamps() -> None:
    driver = Driver()
    driver.now_ns = ns(20)
    driver.feed([Edge("seat_1", False, ns(20)), Edge("seat_1", True, ns(0))])
    assert driver.run([], 500) == [chip(0, 1)]


def test_the_press_behind_game_over_is_found_by_what_came_of_it() -> None:
    driver = Driver()
    driver.run(low("game_over", 0, 120) + low("game_over", 300, 1500), 2_000)
    pressed, held = driver.of(ev.GameOverPressed, ev.GameOverHeld)
    assert (pressed.at_ns, held.at_ns) == (ns(120), ns(1300))
    assert driver.inputs.fell_ns(ev.GameOverPressed(pressed.at_ns)) == ns(0)
    assert driver.inputs.fell_ns(ev.GameOverHeld(held.at_ns)) == ns(300)
    assert driver.inputs.fell_ns(ev.GameOverPressed(ns(121))) == 0


def test_each_level_found_changed_without_its_edge_is_one_repair_more() -> None:
    """A snapshot at 50, then one a millisecond, and five milliseconds after the first the level is believed."""
    driver = Driver()
    counts: list[int] = []
    for until_ms, at_ms in ((54.9, 10), (55, None), (400, 210)):
        changes = [] if at_ms is None else [Change(ns(at_ms), "supervisor", at_ms == 10, lost=True)]
        driver.run(changes, until_ms)
        counts.append(driver.inputs.repairs)
    assert counts == [0, 1, 2]


def test_a_level_that_stays_other_than_its_edges_say_is_looked_at_again_soon() -> None:
    """An edge under way is no news about another line, and a second rise none about a fall that is under way."""
    driver = Driver()
    driver.levels["seat_1"] = driver.levels["seat_2"] = True
    driver.now_ns = ns(50)
    driver.feed([Edge("seat_1", True, ns(50))])
    assert driver.inputs.deadline_ns == ns(51)  # seat 2's fall is under way
    driver.now_ns = ns(50.5)
    driver.feed([Edge("seat_3", True, ns(50.4)), Edge("seat_2", False, ns(50.1))])
    assert driver.inputs.deadline_ns == ns(51)
    driver.now_ns = ns(50.6)
    driver.feed([Edge("seat_2", True, ns(49))])
    assert driver.inputs.deadline_ns == ns(60)  # seat 1 settles, and no line is in doubt


def test_an_edge_as_old_as_the_snapshot_is_doubted_where_they_disagree() -> None:
    driver = Driver()
    driver.now_ns = ns(50)
    driver.feed([Edge("seat_1", True, ns(50))])
    assert driver.inputs.deadline_ns == ns(51)


def test_noise_that_presses_game_over_is_counted_on_its_line() -> None:
    events = play(lows((0, 30), (1, 30), (1, 30)) + low("game_over", 0, 31), 62_000)
    assert events == [TOGETHER, ev.NoiseSeen(ns(0), "game_over", 0, 1)]


def test_nothing_waits_for_a_button_a_key_or_a_chip_of_its_own_stamp() -> None:
    driver = Driver()
    others = [Change(ns(1000), "supervisor", True), *low("seat_1", 1000, 40)]
    driver.run(low("game_over", 0, 1500) + others, 1100)
    assert driver.told == [
        (ns(1000), ev.GameOverHeld(ns(1000))),
        (ns(1020), ev.KeyTurned(ns(1000), ev.Key.SUPERVISOR, on=True)),
        (ns(1020), chip(1000, 1)),
    ]


def test_a_chip_does_not_wait_for_a_button_that_fell_after_it() -> None:
    driver = Driver()
    driver.run(low("seat_1", 0, 40) + low("coin_in", 0.000001, 100), 500)
    assert driver.told[0] == (ns(10), chip(0, 1))


def test_a_chip_does_not_wait_for_a_line_in_doubt_whose_last_edge_is_newer() -> None:
    driver = Driver()
    fall, rise = low("seat_2", 2, 6)
    driver.run([*low("seat_1", 0, 40), fall, rise._replace(delay_ns=5_000_000)], 500)
    assert driver.told == [(ns(10), chip(0, 1))]
