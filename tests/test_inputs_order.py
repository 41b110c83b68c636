"""What waits for what: events leave in the order of their stamps, COIN IN locks before it is told."""

from controller.core import events as ev
from tests.helpers_inputs import Change, Driver, chip, low, ns, play, wave


def held(*lengths_ms: float, at_ms: float = 0) -> list[Change]:
    """Seats 1, 2, 3 fall together."""
    return [
        change for seat, length in enumerate(lengths_ms, 1) for change in low(f"seat_{seat}", at_ms, length)
    ]


def test_a_chip_that_fell_before_coin_in_leaves_before_it() -> None:
    events = play(low("coin_in", 5, 120) + low("seat_1", 4.999999, 40), 500)
    assert events == [chip(4.999999, 1), ev.CoinInPressed(ns(5))]


def test_with_equal_stamps_the_chip_is_late() -> None:
    assert play(low("seat_1", 0, 40) + low("coin_in", 0, 120), 500) == [ev.CoinInPressed(ns(0)), chip(0, 1)]


def test_a_chip_waits_for_a_button_that_may_be_a_press() -> None:
    driver = Driver()
    driver.run(low("coin_in", 0, 15) + low("seat_1", 1, 40), 500)
    assert driver.told == [(ns(15), chip(1, 1))]
    driver = Driver()
    driver.run(low("coin_in", 0, 50) + low("seat_1", 1, 40), 500)
    assert driver.told == [(ns(20), ev.CoinInPressed(ns(0))), (ns(20), chip(1, 1))]


def test_a_chip_waits_for_one_that_fell_earlier_and_is_not_settled() -> None:
    driver = Driver()
    driver.run([*low("seat_1", 0, 40), *low("seat_2", 5, 40)], 500)
    assert driver.told == [(ns(10), chip(0, 1)), (ns(15), chip(5, 2))]


def test_a_key_leaves_before_a_chip_that_fell_after_it() -> None:
    events = play([Change(ns(0), "supervisor", True), *low("seat_1", 3, 40)], 500)
    assert events == [ev.KeyTurned(ns(0), ev.Key.SUPERVISOR, on=True), chip(3, 1)]


def test_a_chip_does_not_wait_for_held_lows() -> None:
    driver = Driver()
    driver.run(held(300, 310, 320) + low("seat_4", 50, 40), 250)
    assert driver.told == [(ns(60), chip(50, 4))]


def test_coin_in_waits_for_held_lows_and_locks_meanwhile() -> None:
    driver = Driver()
    driver.run(held(60, 70, 80) + low("coin_in", 5, 120), 500)
    assert driver.told == [
        (ns(62.000001), chip(0, 1)),
        (ns(72.000001), chip(0, 2)),
        (ns(82.000001), chip(0, 3)),
        (ns(82.000001), ev.CoinInPressed(ns(5))),
    ]
    assert driver.locks == [(ns(25), True), (ns(82.000001), False)]


def test_coin_in_waits_a_hundred_milliseconds_at_most_and_the_chips_are_late() -> None:
    driver = Driver()
    driver.run(held(120, 130, 140) + low("coin_in", 5, 300), 500)
    assert driver.told[0] == (ns(105), ev.CoinInPressed(ns(5)))
    assert driver.events[1:] == [chip(0, 1), chip(0, 2), chip(0, 3)]


def test_chips_behind_a_waiting_coin_in_wait_with_it() -> None:
    driver = Driver()
    driver.run(held(60, 70, 80) + low("coin_in", 5, 120) + low("seat_7", 30, 30), 500)
    assert driver.events[-2:] == [ev.CoinInPressed(ns(5)), chip(30, 7)]


def test_coin_in_does_not_wait_for_lows_that_fell_well_after_it() -> None:
    driver = Driver()
    driver.run(low("coin_in", 0, 120) + held(60, 70, 80, at_ms=2.000001), 500)
    assert driver.told[0] == (ns(20), ev.CoinInPressed(ns(0)))


def test_game_over_waits_until_held_lows_rise_or_jam() -> None:
    driver = Driver()
    driver.run(held(400, 410, 3000) + low("game_over", 5, 120), 2000)
    assert driver.told == [
        (ns(402.000001), chip(0, 1)),
        (ns(412.000001), chip(0, 2)),
        (ns(1000.000001), ev.GameOverPressed(ns(125))),
        (ns(1000.000001), ev.SeatJammed(ns(1000), 3, ns(0))),
    ]


def test_a_chip_after_game_over_belongs_to_the_next_round() -> None:
    driver = Driver()
    driver.run(low("game_over", 0, 120) + low("seat_1", 119, 40) + low("seat_2", 121, 40), 500)
    assert driver.events == [chip(119, 1), ev.GameOverPressed(ns(120)), chip(121, 2)]
    assert driver.told[-1][0] == ns(140)


def test_the_lock_is_wanted_no_longer_than_coin_in_waits() -> None:
    driver = Driver()
    driver.run(low("coin_in", 0, 120), 500)
    assert driver.locks == []


def test_a_hold_that_a_bounce_proves_afterwards_leaves_in_its_place() -> None:
    events = play([*wave("game_over", 0, 995, 10, 300), *low("seat_1", 2, 1100)], 1400)
    assert events[1:3] == [ev.GameOverHeld(ns(1000)), ev.SeatJammed(ns(1002), 1, ns(2))]


def test_a_chip_waits_for_a_stuck_button_that_may_have_come_up_before() -> None:
    events = play(low("coin_in", 0, 6000) + low("seat_1", 6005, 40), 6500)
    assert events[2:] == [ev.ButtonFreed(ns(6000), ev.Button.COIN_IN), chip(6005, 1)]
