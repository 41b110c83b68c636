"""Buttons and keys: settled levels, held and stuck buttons, what a press at start means."""

import pytest

from controller.core import events as ev
from tests.helpers_inputs import Change, Driver, low, ns, play, wave

COIN_IN, GAME_OVER = ev.Button.COIN_IN, ev.Button.GAME_OVER


@pytest.mark.parametrize(("length_ms", "presses"), [(19.999999, 0), (20, 1)])
def test_a_press_must_hold_for_the_settle_time(length_ms: float, presses: int) -> None:
    assert play(low("coin_in", 0, length_ms), 900) == [ev.CoinInPressed(ns(0))] * presses


def test_coin_in_acts_when_its_fall_has_settled() -> None:
    driver = Driver()
    driver.run(wave("coin_in", 0, 3, 2, 120), 1000)
    assert driver.told == [(ns(25), ev.CoinInPressed(ns(5)))]


def test_game_over_acts_when_its_rise_has_settled() -> None:
    driver = Driver()
    driver.run(wave("game_over", 0, 120, 3, 2), 1000)
    assert driver.told == [(ns(145), ev.GameOverPressed(ns(125)))]


def test_a_release_that_has_not_settled_is_no_second_press() -> None:
    assert play(wave("coin_in", 0, 100, 19.999999, 100), 1000) == [ev.CoinInPressed(ns(0))]
    assert play(wave("coin_in", 0, 100, 20, 100), 1000) == [
        ev.CoinInPressed(ns(0)),
        ev.CoinInPressed(ns(120)),
    ]


@pytest.mark.parametrize("length_ms", [1000, 1000.000001, 4000])
def test_game_over_held_ends_no_round(length_ms: float) -> None:
    assert play(low("game_over", 0, length_ms), 4500) == [ev.GameOverHeld(ns(1000))]


def test_game_over_up_just_before_a_second_is_a_press() -> None:
    assert play(low("game_over", 0, 999.999999), 2000) == [ev.GameOverPressed(ns(999.999999))]


def test_a_bounce_over_the_end_of_a_second_is_a_hold() -> None:
    assert play(wave("game_over", 0, 995, 10, 300), 2000) == [ev.GameOverHeld(ns(1000))]


@pytest.mark.parametrize(("line", "button"), [("coin_in", COIN_IN), ("game_over", GAME_OVER)])
def test_a_button_down_for_five_seconds_is_stuck_until_it_is_freed(line: str, button: ev.Button) -> None:
    events = play(wave(line, 0, 8000, 3, 2), 9000)
    assert events[1:] == [ev.ButtonStuck(ns(5000), button), ev.ButtonFreed(ns(8005), button)]


def test_a_button_down_at_start_does_nothing_but_get_stuck() -> None:
    events = play([Change(ns(8000), "game_over", False)], 9000, active=["game_over"])
    assert events == [ev.ButtonStuck(ns(5000), GAME_OVER), ev.ButtonFreed(ns(8000), GAME_OVER)]


@pytest.mark.parametrize("line", ["coin_in", "game_over"])
def test_down_at_start_is_no_press_and_the_next_one_is(line: str) -> None:
    driver = Driver(active=[line])
    driver.run([Change(ns(1000), line, False)], 1900)
    assert driver.events == []
    driver.run(low(line, 2000, 100), 3000)
    assert len(driver.events) == 1


def test_keys_settle_both_ways() -> None:
    driver = Driver(active=["technician"])
    assert driver.inputs.key_on(ev.Key.TECHNICIAN)
    assert not driver.inputs.key_on(ev.Key.SUPERVISOR)
    changes = [*wave("supervisor", 0, 2, 3, 500, 3, 2), Change(ns(700), "technician", False)]
    driver.run(changes, 719)
    assert driver.inputs.key_on(ev.Key.TECHNICIAN)
    driver.run([], 800)
    assert driver.events == [
        ev.KeyTurned(ns(5), ev.Key.SUPERVISOR, on=True),
        ev.KeyTurned(ns(510), ev.Key.SUPERVISOR, on=False),
        ev.KeyTurned(ns(700), ev.Key.TECHNICIAN, on=False),
    ]
    assert not driver.inputs.key_on(ev.Key.TECHNICIAN)


def test_a_short_low_of_a_button_is_counted_as_noise() -> None:
    assert play(low("coin_in", 0, 5) + low("coin_in", 100, 5), 61_000) == [
        ev.NoiseSeen(ns(0), "coin_in", 0, 2)
    ]
