"""Lows of several seats at once. Three seats, two milliseconds."""

import pytest

from controller.core import events as ev
from tests.helpers_inputs import Change, Driver, chip, low, ns, play, wave


def lows(*begin_and_length: tuple[float, float]) -> list[Change]:
    """One low for each seat from 1 on."""
    return [
        change
        for seat, (at_ms, for_ms) in enumerate(begin_and_length, 1)
        for change in low(f"seat_{seat}", at_ms, for_ms)
    ]


def test_three_that_fall_and_rise_together_are_noise() -> None:
    driver = Driver()
    driver.run(lows((1, 30), (0, 31), (2, 30)), 1000)
    assert driver.told == [(ns(33.000001), ev.CommonModeSeen(ns(0), (1, 2, 3)))]


@pytest.mark.parametrize("last_fall_ms", [2, 2.000001])
def test_the_span_of_the_falls_belongs_to_the_group(last_fall_ms: float) -> None:
    events = play(lows((0, 30), (1, 29), (last_fall_ms, 30 - last_fall_ms)), 1000)
    together = last_fall_ms == 2
    assert events == (
        [ev.CommonModeSeen(ns(0), (1, 2, 3))] if together else [chip(0, 1), chip(1, 2), chip(last_fall_ms, 3)]
    )


@pytest.mark.parametrize("last_rise_ms", [32, 32.000001])
def test_the_span_of_the_rises_belongs_to_the_group(last_rise_ms: float) -> None:
    events = play(lows((0, 30), (0, 31), (0, last_rise_ms)), 1000)
    assert events == (
        [ev.CommonModeSeen(ns(0), (1, 2, 3))] if last_rise_ms == 32 else [chip(0, 1), chip(0, 2), chip(0, 3)]
    )


def test_two_that_fall_together_do_not_wait() -> None:
    driver = Driver()
    driver.run(lows((0, 30), (0, 30)), 1000)
    assert driver.told == [(ns(10), chip(0, 1)), (ns(10), chip(0, 2))]


def test_a_chip_among_noise_counts_when_it_is_proven() -> None:
    driver = Driver()
    driver.run(lows((0, 30), (0.5, 30), (1, 30), (1, 55)), 1000)
    assert driver.told == [
        (ns(32.000001), ev.CommonModeSeen(ns(0), (1, 2, 3))),
        (ns(58.000001), chip(1, 4)),
    ]


def test_chips_that_fall_together_count_when_they_do_not_rise_together() -> None:
    assert play(lows((0, 30), (1, 33), (2, 36)), 1000) == [chip(0, 1), chip(1, 2), chip(2, 3)]


def test_a_short_low_is_a_member_and_its_rise_counts() -> None:
    events = play(lows((0, 10.5), (1, 8.5), (1, 9.9)), 61_000)
    assert events == [
        ev.CommonModeSeen(ns(0), (1, 2, 3)),
        ev.NoiseSeen(ns(1), "seat_2", 2, 1),
        ev.NoiseSeen(ns(1), "seat_3", 3, 1),
    ]


def test_short_lows_alone_are_plain_noise() -> None:
    driver = Driver()
    driver.run(lows((0, 5), (0, 5), (0, 5)), 61_000)
    assert driver.events == [ev.NoiseSeen(ns(0), f"seat_{seat}", seat, 1) for seat in (1, 2, 3)]


def test_a_held_low_that_jams_is_no_chip() -> None:
    events = play(lows((0, 30), (0, 40), (0, 1500)), 3000)
    assert events == [chip(0, 1), chip(0, 2), ev.SeatJammed(ns(1000), 3, ns(0)), ev.JamCleared(ns(1510), 3)]


def test_a_chip_right_after_common_mode_noise_counts() -> None:
    noise = lows((0, 30), (0, 30), (0, 31))
    for again_ms in (30.5, 31.5, 33, 35):
        events = play(noise + low("seat_1", again_ms, 40), 500)
        assert events == [ev.CommonModeSeen(ns(0), (1, 2, 3)), chip(again_ms, 1)]


def test_a_bounce_right_after_a_held_chip_is_no_second_one() -> None:
    chips = lows((0, 30), (0, 40), (0, 50))
    for again_ms in (31, 39.9):
        assert play(chips + low("seat_1", again_ms, 60), 500) == [chip(0, 1), chip(0, 2), chip(0, 3)]
    assert play(wave("seat_1", 0, 30, 0.5, 0.5, 9.9, 60) + chips[2:], 500) == [
        chip(0, 1),
        chip(0, 2),
        chip(0, 3),
    ]


def test_coin_in_pressed_by_the_same_noise_is_no_press() -> None:
    driver = Driver()
    driver.run(lows((0, 30), (1, 30), (1, 30)) + low("coin_in", 1, 31), 61_100)
    assert driver.events == [ev.CommonModeSeen(ns(0), (1, 2, 3)), ev.NoiseSeen(ns(1), "coin_in", 0, 1)]
    assert driver.locks == [(ns(21), True), (ns(32.000001), False)]


def test_coin_in_that_fell_first_is_noise_too() -> None:
    driver = Driver()
    driver.run(low("coin_in", 0, 32) + lows((1, 30), (1, 30), (1, 30)), 100)
    assert driver.events == [ev.CommonModeSeen(ns(1), (1, 2, 3))]


def test_coin_in_that_rises_later_than_the_noise_is_a_press() -> None:
    events = play(lows((0, 30), (1, 30), (1, 30)) + low("coin_in", 1, 120), 500)
    assert events == [ev.CommonModeSeen(ns(0), (1, 2, 3)), ev.CoinInPressed(ns(1))]


def test_coin_in_waits_for_its_rise_as_long_as_it_may_be_noise() -> None:
    four = lows((0, 30), (0, 32), (0, 32), (0, 32))
    assert play(four + low("coin_in", 0, 34), 500) == [ev.CommonModeSeen(ns(0), (1, 2, 3, 4))]
    driver = Driver()
    driver.run(four + low("coin_in", 1, 33.1), 500)
    assert driver.told[1:] == [(ns(34.000001), ev.CoinInPressed(ns(1)))]


def test_game_over_pressed_by_the_same_noise_is_no_press() -> None:
    noise = lows((0, 30), (1, 30), (1, 30))
    assert play(noise + low("game_over", 0, 31), 500) == [ev.CommonModeSeen(ns(0), (1, 2, 3))]
    assert play(noise + low("game_over", 0, 34), 500) == [
        ev.CommonModeSeen(ns(0), (1, 2, 3)),
        ev.GameOverPressed(ns(34)),
    ]


def test_falls_that_only_chain_into_each_other_are_no_group() -> None:
    driver = Driver()
    driver.run(lows((0, 30), (2, 28), (4, 26)), 500)
    assert driver.told == [(ns(10), chip(0, 1)), (ns(12), chip(2, 2)), (ns(14), chip(4, 3))]


def test_a_short_low_that_chains_two_others_makes_no_group() -> None:
    driver = Driver()
    driver.run(lows((0, 5), (2, 28), (4, 26)), 500)
    assert driver.told == [(ns(12), chip(2, 2)), (ns(14), chip(4, 3))]


def test_rises_together_do_not_make_up_for_falls_apart() -> None:
    assert play(lows((0, 9.5), (1, 10), (2, 48), (3, 8.5)), 500) == [chip(1, 2), chip(2, 3)]


def test_noise_needs_three_that_both_fell_and_rose_together() -> None:
    events = play(lows((0, 30), (2, 28), (2, 40), (4, 26)), 500)
    assert sorted(event.at_ns for event in events) == [ns(0), ns(2), ns(2), ns(4)]
    assert {type(event) for event in events} == {ev.ChipDropped}


def test_the_first_rise_of_a_bouncing_button_is_compared_with_the_noise() -> None:
    noise = lows((0, 30), (1, 30), (1, 30))
    assert play(noise + wave("game_over", 0, 31, 2, 3), 500) == [ev.CommonModeSeen(ns(0), (1, 2, 3))]


def test_a_rise_of_coin_in_under_way_is_waited_for_before_it_is_called_a_press() -> None:
    noise = lows((0, 30), (0, 31), (0, 31))
    fall, rise = low("coin_in", 1, 30.5)
    late = rise._replace(delay_ns=3_000_000)
    assert play([*noise, fall, late], 500) == [ev.CommonModeSeen(ns(0), (1, 2, 3))]


def test_six_bursts_a_minute_on_the_same_lines_are_told_and_the_others_counted() -> None:
    burst = [
        change for at_ms in range(0, 20_000, 100) for change in lows((at_ms, 30), (at_ms, 30), (at_ms, 30))
    ]
    later = lows((60_000, 30), (60_000, 30), (60_000, 30))
    driver = Driver()
    driver.run(burst + later, 150_000)
    assert driver.of(ev.CommonModeSeen) == [
        ev.CommonModeSeen(ns(at_ms), (1, 2, 3)) for at_ms in (0, 100, 200, 300, 400, 500, 60_000)
    ]
    # 200 bursts, six of them told; the other 194 are in each line's one count.
    assert driver.of(ev.NoiseSeen) == [ev.NoiseSeen(ns(600), f"seat_{seat}", seat, 194) for seat in (1, 2, 3)]
    assert driver.of(ev.ChipDropped) == []


def test_a_burst_that_reaches_another_seat_is_told_at_once() -> None:
    first = lows((0, 30), (0, 30), (0, 30))
    wider = lows((1_000, 30), (1_000, 30), (1_000, 30), (1_000, 30))
    assert play(first + wider, 2_000) == [
        ev.CommonModeSeen(ns(0), (1, 2, 3)),
        ev.CommonModeSeen(ns(1_000), (1, 2, 3, 4)),
    ]
