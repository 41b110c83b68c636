"""One seat's line: settle, noise, re-arm, jam, chatter, and levels at start. Times are milliseconds."""

import pytest

from controller.core import events as ev
from controller.inputs import REFERENCE, Inputs, Timings
from hal.interface import Edge
from tests.helpers_inputs import LINES, START_NS, Change, Driver, chip, low, ns, play, wave


@pytest.mark.parametrize(("length_ms", "chips"), [(9.999999, 0), (10, 1), (10.000001, 1), (1000, 1)])
def test_a_low_of_exactly_the_settle_time_counts(length_ms: float, chips: int) -> None:
    events = play(low("seat_3", 0, length_ms), 900)
    assert [event for event in events if isinstance(event, ev.ChipDropped)] == [chip(0, 3)] * chips


def test_the_stamp_is_the_start_of_the_unbroken_low_that_settled() -> None:
    assert play(wave("seat_1", 0, 3, 1, 30), 1000) == [chip(4, 1)]


def test_a_chip_is_told_as_soon_as_it_has_settled() -> None:
    driver = Driver()
    driver.run(low("seat_1", 5, 40), 1000)
    assert driver.told == [(ns(15), chip(5, 1))]


def test_noise_needs_no_rearm() -> None:
    assert play(wave("seat_1", 0, 9.9, 0.1, 40), 1000) == [chip(10, 1)]


def test_a_fall_before_rearm_is_a_bounce_of_the_same_pulse() -> None:
    assert play(low("seat_1", 0, 40) + low("seat_1", 49.999999, 40), 900) == [chip(0, 1)]


def test_a_fall_after_exactly_the_rearm_time_is_another_chip() -> None:
    assert play(low("seat_1", 0, 40) + low("seat_1", 50, 40), 900) == [chip(0, 1), chip(50, 1)]


def test_a_bounce_puts_rearm_off() -> None:
    bounces = low("seat_1", 0, 40) + low("seat_1", 45, 2)
    assert play(bounces + low("seat_1", 56.999999, 40), 900) == [chip(0, 1)]
    assert play(bounces + low("seat_1", 57, 40), 900) == [chip(0, 1), chip(57, 1)]


def test_a_bounce_that_stays_low_jams_by_its_own_fall() -> None:
    events = play(low("seat_1", 0, 40) + low("seat_1", 45, 1500), 1400)
    assert events == [chip(0, 1), ev.SeatJammed(ns(1045), 1, ns(45))]


def test_a_low_longer_than_the_limit_is_a_jam_and_one_as_long_is_none() -> None:
    assert play(low("seat_2", 0, 1000), 2000) == [chip(0, 2)]
    assert play(low("seat_2", 0, 1000.000001), 2000) == [
        chip(0, 2),
        ev.SeatJammed(ns(1000), 2, ns(0)),
        ev.JamCleared(ns(1010.000001), 2),
    ]


def test_a_jam_clears_once_its_line_has_been_idle_for_the_rearm_time() -> None:
    events = play(wave("seat_2", 0, 2000, 9, 5), 3000)
    assert events[1:] == [ev.SeatJammed(ns(1000), 2, ns(0)), ev.JamCleared(ns(2024), 2)]


def test_a_jam_is_told_once_however_long_it_lasts() -> None:
    assert len(play(wave("seat_2", 0, 2000, 5, 60_000, 5, 60_000), 200_000)) == 3


def test_low_at_start_is_no_chip() -> None:
    assert play([Change(ns(400), "seat_5", False)], 2000, active=["seat_5"]) == []


def test_low_at_start_jams_by_the_start() -> None:
    events = play([Change(ns(3000), "seat_5", False)], 4000, active=["seat_5"])
    assert events == [ev.SeatJammed(ns(1000), 5, ns(0)), ev.JamCleared(ns(3010), 5)]


def test_a_seat_jammed_before_the_start_is_not_told_again_and_clears_once_it_is_idle() -> None:
    idle = dict.fromkeys(LINES, False)
    inputs = Inputs(REFERENCE, 7, idle | {"seat_5": True}, START_NS, jammed=[5, 6])
    rise, bounce = Edge("seat_5", False, ns(2000)), low("seat_5", 2004, 2)
    edges = [rise, *(Edge(c.line, c.active, c.at_ns) for c in [*bounce, *low("seat_6", 2100, 40)])]
    assert inputs.feed(edges, ns(3000), idle) == [ev.JamCleared(ns(2016), 5), chip(2100, 6)]


def test_a_chip_right_after_a_low_at_start_counts() -> None:
    changes = [Change(ns(400), "seat_5", False), *low("seat_5", 401, 40)]
    assert play(changes, 900, active=["seat_5"]) == [chip(401, 5)]


def test_edges_that_the_levels_at_start_told_already_are_no_news() -> None:
    driver = Driver(active=["seat_1", "coin_in"])
    driver.levels["seat_1"] = driver.levels["coin_in"] = True
    early = START_NS - 1_000_000
    driver.feed([Edge("seat_1", True, early), Edge("seat_2", False, early), Edge("coin_in", True, early)])
    assert driver.run([Change(ns(300), "seat_1", False), Change(ns(300), "coin_in", False)], 900) == []


def test_noise_is_told_once_a_minute_with_its_count() -> None:
    spikes = [change for at in range(0, 61_000, 1000) for change in low("seat_4", at, 1)]
    events = play(spikes, 130_000)
    assert events == [
        ev.NoiseSeen(ns(0), "seat_4", 4, 60),
        ev.NoiseSeen(ns(60_000), "seat_4", 4, 1),
    ] or events == [ev.NoiseSeen(ns(0), "seat_4", 4, 61)]


def test_noise_not_told_yet_is_told_at_an_orderly_stop() -> None:
    driver = Driver()
    assert driver.run(low("seat_4", 0, 1) + low("game_over", 5, 1), 100) == []
    assert driver.inputs.flush(ns(100)) == [
        ev.NoiseSeen(ns(0), "seat_4", 4, 1),
        ev.NoiseSeen(ns(5), "game_over", 0, 1),
    ]
    assert driver.inputs.flush(ns(101)) == []


def test_an_orderly_stop_tells_chips_that_wait_for_their_turn() -> None:
    driver = Driver()
    driver.run([Change(ns(0), "coin_in", True), *low("seat_1", 1, 40)], 15)
    assert driver.events == []
    assert driver.inputs.flush(ns(15)) == [chip(1, 1)]


def chatter(pulses: int, every_ms: float, at_ms: float = 0) -> list[Change]:
    return [change for i in range(pulses) for change in low("seat_1", at_ms + i * every_ms, 15)]


def test_twenty_chips_in_a_second_are_possible() -> None:
    driver = Driver()
    driver.run(chatter(100, 50), 10_000)
    assert driver.of(ev.SeatChattered) == []


def test_more_chips_than_can_fall_are_told_once_until_it_is_quiet() -> None:
    driver = Driver()
    driver.run(chatter(100, 49) + chatter(30, 49, 7000), 10_000)
    assert driver.of(ev.SeatChattered) == [
        ev.SeatChattered(ns(20 * 49), 1),
        ev.SeatChattered(ns(7000 + 20 * 49), 1),
    ]
    assert len(driver.of(ev.ChipDropped)) == 130


def test_a_stamp_older_than_the_lines_last_one_is_taken_as_that_one() -> None:
    driver = Driver()
    driver.levels["seat_1"] = True
    driver.now_ns = ns(5)
    driver.feed([Edge("seat_1", True, ns(5))])
    driver.feed([Edge("seat_1", False, ns(3)), Edge("seat_1", True, ns(4))])
    driver.run([Change(ns(40), "seat_1", False)], 900)
    assert driver.events == [chip(5, 1)]


def test_a_line_the_table_does_not_have_is_named() -> None:
    driver = Driver()
    with pytest.raises(ValueError, match="'seat_8'"):
        driver.inputs.feed([Edge("seat_8", True, ns(1))], ns(1), None)


def test_a_level_missing_at_start_is_named() -> None:
    levels = dict.fromkeys(LINES, False)
    del levels["game_over"]
    with pytest.raises(ValueError, match="game_over"):
        Inputs(REFERENCE, 7, levels, START_NS)


def test_ten_thousand_edges_a_second_take_bounded_room_and_do_not_hide_another_seat() -> None:
    noise = [change for at in range(10_000) for change in low("seat_1", at * 0.2, 0.1)]
    driver = Driver()
    driver.run(noise + low("seat_2", 777, 40), 70_000)
    assert driver.events == [chip(777, 2), ev.NoiseSeen(ns(0), "seat_1", 1, 10_000)]
    assert driver.wakes < 20_000 + 70_000 / 50 + 2000 / 10 + 20


@pytest.mark.parametrize(
    ("changed", "named"),
    [
        ({"settle_ms": 4}, "settle_ms is 4 and must be more than 2 times common_mode_ms"),
        ({"button_settle_ms": 4}, "button_settle_ms"),
        ({"jam_ms": 100}, "held_wait_ms"),
        ({"hold_ms": 20}, "button_settle_ms"),
        ({"stuck_ms": 1000}, "hold_ms"),
        ({"poll_ms": 5}, "repair_ms"),
        ({"held_wait_ms": 20}, "button_settle_ms"),
    ],
)
def test_times_that_contradict_each_other_are_refused(changed: dict[str, int], named: str) -> None:
    values = {name: getattr(REFERENCE, name) for name in REFERENCE.__struct_fields__} | changed
    with pytest.raises(ValueError, match=named):
        Timings(**values)
