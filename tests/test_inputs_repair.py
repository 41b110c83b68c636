"""Lost and late edges: snapshots repair what edges did not tell. A snapshot every 50 ms, a repair after 5 ms."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.core import events as ev
from hal.interface import Edge
from tests.helpers_inputs import Change, Driver, chip, low, ns


def lost(changes: list[Change], index: int) -> list[Change]:
    """The same changes, one edge of which never arrives."""
    return [change._replace(lost=i == index) for i, change in enumerate(changes)]


def late(changes: list[Change], index: int, by_ms: float) -> list[Change]:
    """The same changes, one edge of which arrives late."""
    return [c._replace(delay_ns=round(by_ms * 1_000_000) if i == index else 0) for i, c in enumerate(changes)]


def run(changes: list[Change], until_ms: float = 900) -> list[ev.AnyEvent]:
    return Driver().run(changes, until_ms)


def test_a_lost_rise_loses_neither_this_chip_nor_the_next() -> None:
    assert run(lost(low("seat_1", 0, 40) + low("seat_1", 120, 40), 1)) == [chip(0, 1), chip(120, 1)]


def test_a_line_whose_rise_was_lost_must_rearm_from_when_it_was_seen_idle() -> None:
    # snapshots: 10 (settle), 60 (idle seen), repaired at 65; armed again at 70
    assert run(lost(low("seat_1", 0, 40) + low("seat_1", 69.9, 40), 1)) == [chip(0, 1)]
    assert run(lost(low("seat_1", 0, 40) + low("seat_1", 70, 40), 1)) == [chip(0, 1), chip(70, 1)]


def test_a_lost_rise_before_the_settle_time_is_noise() -> None:
    assert run(lost(low("seat_1", 0, 6), 1), 61_000) == [ev.NoiseSeen(ns(0), "seat_1", 1, 1)]


def test_a_rise_under_way_at_the_settle_time_is_waited_for_and_its_stamp_decides() -> None:
    assert run(late(low("seat_1", 0, 9.9), 1, 4)) == []
    assert run(late(low("seat_1", 0, 10.5), 1, 4)) == [chip(0, 1)]
    driver = Driver()
    driver.run(late(low("seat_1", 0, 10), 1, 3), 500)
    assert driver.told == [(ns(13), chip(0, 1))]


def test_a_rise_later_than_the_repair_that_proves_a_chip_is_told_as_a_lost_edge() -> None:
    assert run(late(low("seat_1", 0, 10), 1, 9)) == [ev.EdgeLost(ns(10), "seat_1", 1)]
    assert run(late(low("seat_1", 0, 9), 1, 9)) == []


def test_a_late_rise_of_a_repaired_line_is_no_news() -> None:
    assert run(late(low("seat_1", 0, 40), 1, 30)) == [chip(0, 1)]


def test_a_low_whose_fall_was_lost_is_no_chip_and_its_rise_is_told() -> None:
    assert run(lost(low("seat_1", 20, 100), 0)) == [ev.EdgeLost(ns(120), "seat_1", 1)]


def test_a_rise_of_an_idle_line_is_told_as_a_lost_edge() -> None:
    assert run(lost(low("seat_1", 10, 20), 0)) == [ev.EdgeLost(ns(30), "seat_1", 1)]


def test_a_fall_that_arrives_after_a_snapshot_told_it_still_makes_a_chip() -> None:
    assert run(late(low("seat_1", 49, 100), 0, 20)) == [chip(49, 1)]


def test_an_unseen_low_jams_by_its_first_observation() -> None:
    events = run(lost(low("seat_1", 20, 2000), 0), 3000)
    assert events == [
        ev.SeatJammed(ns(1050), 1, ns(50)),
        ev.JamCleared(ns(2030), 1),
    ]


def test_a_fall_while_a_counted_low_goes_on_is_told_as_a_lost_edge() -> None:
    changes = low("seat_1", 0, 20) + low("seat_1", 35, 20)
    assert run(lost(changes, 1)) == [chip(0, 1), ev.EdgeLost(ns(35), "seat_1", 1)]


def test_a_fall_while_a_low_is_not_settled_restarts_it() -> None:
    assert run(lost(low("seat_1", 0, 4) + low("seat_1", 6, 20), 1)) == [chip(6, 1)]
    assert run(lost(low("seat_1", 0, 4) + low("seat_1", 6, 9), 1)) == []


def test_lost_edges_are_told_once_a_second_and_the_others_counted() -> None:
    driver = Driver()
    driver.levels["seat_1"] = False
    for at_ms in (7, 8, 9, 1006.9, 1007):
        driver.now_ns = ns(at_ms)
        driver.feed([Edge("seat_1", False, ns(at_ms))])
    driver.run([], 70_000)
    assert driver.events == [
        ev.EdgeLost(ns(7), "seat_1", 1),
        ev.EdgeLost(ns(1007), "seat_1", 1),
        ev.NoiseSeen(ns(8), "seat_1", 1, 3),
    ]


@pytest.mark.parametrize("index", [0, 1])
def test_a_lost_edge_of_coin_in_still_locks_once(index: int) -> None:
    events = run(lost(low("coin_in", 10, 120), index))
    assert events == [ev.CoinInPressed(ns(10 if index else 50))]


def test_a_lost_rise_of_game_over_is_a_press_with_the_stamp_of_the_first_observation() -> None:
    # snapshots: 20 (settle of the press), 70, 120 (still down), 170
    assert run(lost(low("game_over", 0, 130), 1)) == [ev.GameOverPressed(ns(170))]


def test_a_lost_edge_of_a_key_is_repaired() -> None:
    assert run(lost(low("supervisor", 10, 300), 0)) == [
        ev.KeyTurned(ns(50), ev.Key.SUPERVISOR, on=True),
        ev.KeyTurned(ns(310), ev.Key.SUPERVISOR, on=False),
    ]


def test_a_press_too_short_to_be_seen_without_its_fall_is_told() -> None:
    assert run(lost(low("coin_in", 10, 25), 0)) == [ev.EdgeLost(ns(35), "coin_in", 0)]


def test_a_rise_lost_among_common_mode_noise_still_makes_noise() -> None:
    changes = [change for seat in (1, 2, 3) for change in low(f"seat_{seat}", 0, 30)]
    assert run(lost(changes, 5)) == [ev.CommonModeSeen(ns(0), (1, 2, 3))]


def test_coin_in_waits_for_a_fall_under_way() -> None:
    changes = [*low("coin_in", 1, 120), *low("seat_1", 0.5, 60)]
    driver = Driver()
    driver.run(late(changes, 2, 23), 500)
    assert driver.events == [chip(0.5, 1), ev.CoinInPressed(ns(1))]
    assert driver.locks[0] == (ns(21), True)


@settings(max_examples=200, deadline=None)
@given(st.integers(0, 2_000_000), st.integers(60_000, 800_000), st.integers(0, 5), st.integers(0, 49_000))
def test_one_lost_edge_of_any_pulse_never_costs_another_chip(
    gap: int, length: int, index: int, at: int
) -> None:
    """Three chips at least a poll and a repair apart; microseconds."""
    gap += 80_000
    changes = [
        change for i in range(3) for change in low("seat_2", (at + i * (gap + length)) / 1000, length / 1000)
    ]
    events = run(lost(changes, index), 20_000)
    counted = [e.at_ns for e in events if isinstance(e, ev.ChipDropped)]
    falls = [changes[0].at_ns, changes[2].at_ns, changes[4].at_ns]
    if index % 2 == 0:
        del falls[index // 2]
        assert [type(e) for e in events if not isinstance(e, ev.ChipDropped)] == [ev.EdgeLost]
    assert counted == falls


def test_a_bounce_that_only_a_snapshot_told_is_no_chip_and_nothing_lost() -> None:
    # snapshots: 10 (settle), 60 (seen low, before the line has re-armed at 63)
    assert run(late(low("seat_1", 0, 53) + low("seat_1", 55, 65), 2, 20)) == [chip(0, 1)]
    assert run(lost(low("seat_1", 0, 53) + low("seat_1", 55, 65), 2)) == [chip(0, 1)]


def test_a_bounce_whose_fall_was_lost_puts_rearm_off_and_is_not_told() -> None:
    changes = low("seat_1", 0, 40) + low("seat_1", 44, 1)
    assert run(lost(changes + low("seat_1", 54, 20), 2)) == [chip(0, 1)]
    assert run(lost(changes + low("seat_1", 55, 20), 2)) == [chip(0, 1), chip(55, 1)]


def test_a_freeze_that_ends_with_a_rise_under_way_decides_what_came_before_by_stamps() -> None:
    driver = Driver()
    driver.freezes = [(ns(0), ns(150))]
    driver.run(late(low("seat_1", 1, 40) + low("seat_1", 100, 49.9), 3, 2), 500)
    assert driver.events == [chip(1, 1), chip(100, 1)]


def test_an_edge_newer_than_the_snapshot_raises_no_doubt() -> None:
    driver = Driver()
    driver.run([], 49)
    driver.now_ns = ns(50)
    driver.feed([Edge("seat_1", True, ns(50.01))])
    assert driver.inputs.deadline_ns == ns(60.01)


def test_each_edge_under_way_is_given_its_own_time() -> None:
    first = [change._replace(delay_ns=ns(54) - change.at_ns) for change in low("seat_1", 49.5, 4.4)]
    changes = [*first, *late(low("seat_1", 53.95, 46), 0, 2.05)]
    assert run(changes) == [chip(53.95, 1)]


def test_a_late_rise_of_a_button_that_a_snapshot_released_is_no_news() -> None:
    assert run(late(low("game_over", 0, 130), 1, 100)) == [ev.GameOverPressed(ns(170))]


def test_a_fall_inside_a_jam_whose_rise_was_lost_is_still_the_jam() -> None:
    events = run(lost(low("seat_1", 0, 2000) + low("seat_1", 2001, 500), 1), 3000)
    assert events == [chip(0, 1), ev.SeatJammed(ns(1000), 1, ns(0)), ev.JamCleared(ns(2511), 1)]


def test_a_rise_lost_while_low_since_the_start_is_told_when_the_line_falls_again() -> None:
    driver = Driver(active=["seat_1"])
    driver.run(lost([Change(ns(305), "seat_1", False), *low("seat_1", 340, 260)], 0), 900)
    assert driver.events == [ev.EdgeLost(ns(340), "seat_1", 1)]
