"""The field log's rows about edges, bounce, noise and buttons, as far as the filter decides them.

Levels as in the log: lines are idle high and active low. Times are milliseconds.
"""

import ast
import random
from itertools import pairwise
from pathlib import Path

import pytest

import controller.inputs
from controller.core import events as ev
from controller.inputs import REFERENCE, Inputs, Timings
from hal.interface import Edge
from tests.helpers_inputs import LINES, START_NS, Change, Driver, chip, low, ns, play, wave

PRESSES = (ev.CoinInPressed, ev.GameOverPressed, ev.GameOverHeld, ev.KeyTurned)


def without_noise(events: list[ev.AnyEvent]) -> list[ev.AnyEvent]:
    return [event for event in events if not isinstance(event, ev.NoiseSeen)]


def bouncing(dice: random.Random, line: str, at_ms: float, for_ms: float) -> list[Change]:
    """A low with 0 to 8 bounces within 4 ms of each edge."""
    changes, active = [], False
    for begin_ms, level in ((at_ms, True), (at_ms + for_ms, False)):
        bounces = sorted(dice.uniform(0, 4) for _ in range(2 * dice.randint(0, 8)))
        for offset_ms in [0.0, *bounces]:
            active = not active
            changes.append(Change(ns(begin_ms + offset_ms), line, active))
        assert active == level
    return changes


def test_F001_a_short_pulse_does_not_hide_the_next_one() -> None:
    events = play(wave("seat_1", 0, 4, 5000, 40), 61_000)
    assert events == [chip(5004, 1), ev.NoiseSeen(ns(0), "seat_1", 1, 1)]


def test_F003_a_bouncing_release_is_one_press_and_one_release() -> None:
    released_badly = (500, 1, 1, 2, 0.5)
    events = [play(wave(line, 0, *released_badly), 2600) for line in ("coin_in", "game_over", "supervisor")]
    assert [[type(event) for event in told] for told in events] == [
        [ev.CoinInPressed],
        [ev.GameOverPressed],
        [ev.KeyTurned, ev.KeyTurned],
    ]


@pytest.mark.parametrize("line", ["coin_in", "game_over", "supervisor"])
def test_F004_ten_thousand_bouncing_presses_alternate_strictly(line: str) -> None:
    dice = random.Random(4)
    changes: list[Change] = []
    at_ms = 10.0
    for _ in range(10_000):
        width_ms = dice.uniform(25, 300)
        changes += bouncing(dice, line, at_ms, width_ms)
        at_ms += width_ms + dice.uniform(25, 300)
    driver = Driver()
    driver.run(changes, at_ms + 100)
    told = driver.of(*PRESSES)
    assert len(told) == (20_000 if line == "supervisor" else 10_000)
    if line == "supervisor":
        assert [event.on for event in told if isinstance(event, ev.KeyTurned)] == [True, False] * 10_000
    assert all(before.at_ns < after.at_ns for before, after in pairwise(told))
    assert driver.of(ev.EdgeLost, ev.ButtonStuck) == []


def test_F005_spikes_are_counted_told_once_and_hide_no_chip() -> None:
    spikes = [change for at in range(1200) for change in low("seat_2", at * 50, 0.2)]
    events = play(spikes + low("seat_2", 60_000, 40), 130_000)
    assert events == [ev.NoiseSeen(ns(0), "seat_2", 2, 1200), chip(60_000, 2)]


@pytest.mark.parametrize("boot_ns", [0, 3_600_000_000_000, 1_767_225_600_000_000_000])
def test_F007_only_differences_between_stamps_decide(boot_ns: int) -> None:
    idle = dict.fromkeys(LINES, False)
    inputs = Inputs(REFERENCE, 7, idle, boot_ns)
    press = [Edge(c.line, c.active, c.at_ns - START_NS + boot_ns) for c in wave("coin_in", 5, 1, 1, 60, 1, 1)]
    assert inputs.feed(press, boot_ns + 200_000_000, idle) == [ev.CoinInPressed(boot_ns + 7_000_000)]


def test_F007_the_filter_reads_no_clock() -> None:
    for source in Path(controller.inputs.__path__[0]).glob("*.py"):
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not {"time", "datetime", "controller.clock"} & set(names), source.name


def test_F009_a_level_that_follows_its_edge_late_still_makes_one_chip() -> None:
    driver = Driver()
    driver.run([], 49.9)
    driver.now_ns = ns(50)
    driver.feed([Edge("seat_1", True, ns(50))])  # a snapshot is due now, and still shows the old level
    driver.now_ns = ns(51)
    driver.feed([])
    driver.levels["seat_1"] = True
    driver.run([Change(ns(92), "seat_1", False)], 900)
    assert driver.events == [chip(50, 1)]


def test_F011_a_key_held_at_start_acts_at_its_second_press_only() -> None:
    changes = [Change(ns(1000), "coin_in", False), *low("coin_in", 2000, 120)]
    assert play(changes, 4000, active=["coin_in"]) == [ev.CoinInPressed(ns(2000))]


def test_F012_nothing_happens_at_an_idle_start_and_the_first_chip_counts() -> None:
    assert play([], 5000) == []
    assert play(low("seat_6", 10, 40), 900) == [chip(10, 6)]


def test_F013_lines_low_while_the_table_comes_up_are_no_chips() -> None:
    dice = random.Random(13)
    seats = [f"seat_{seat}" for seat in range(1, 8)]
    rises = [Change(ns(300 + dice.uniform(0, 20)), line, False) for line in LINES]
    assert without_noise(play(rises, 5000, active=LINES)) == [
        ev.KeyTurned(change.at_ns, ev.Key(change.line), on=False)
        for change in sorted(rises)
        if change.line in {"supervisor", "technician"}
    ]
    rises = [change for change in rises if change.line in seats and change.line != "seat_4"]
    assert play(rises, 5000, active=seats) == [ev.SeatJammed(ns(1000), 4, ns(0))]


def test_F020_chips_during_a_slow_action_carry_their_own_stamps() -> None:
    driver = Driver()
    driver.freezes = [(ns(100), ns(2100))]
    chips = [change for i in range(3) for change in low(f"seat_{i + 1}", 300 + 300 * i, 40)]
    assert driver.run(chips, 3000) == [chip(300, 1), chip(600, 2), chip(900, 3)]


def test_F025_dips_after_our_own_outputs_switch_cause_nothing() -> None:
    dice = random.Random(25)
    dips = [
        change
        for i in range(1000)
        for line in LINES
        for change in low(line, i * 100 + dice.uniform(0, 5), dice.uniform(0.5, 3))
    ]
    events = play(dips, 170_000)
    assert {type(event) for event in events} == {ev.NoiseSeen}
    assert sum(event.count for event in events if isinstance(event, ev.NoiseSeen)) == 1000 * len(LINES)


def test_F027_induced_pulses_as_long_as_chips_are_told_one_by_one() -> None:
    trace = (
        low("seat_2", 0, 47)
        + low("seat_2", 19_000, 50)
        + low("seat_2", 19_200, 50)
        + low("seat_2", 23_250, 44)
    )
    assert play(trace, 30_000) == [chip(0, 2), chip(19_000, 2), chip(19_200, 2), chip(23_250, 2)]


F028_GAPS_US = [
    *(5, 5, 5, 20, 15, 15, 154141, 5, 5, 9721380, 35, 15, 230, 5, 15, 5, 30, 35, 5, 30, 5, 10, 5, 5, 30),
    *(15, 5, 10, 5, 5, 10, 10, 5, 5, 5, 20, 5, 5),
]


def test_F028_a_recorded_bouncing_button_is_two_presses_and_one_release() -> None:
    record = wave("supervisor", 1, *(gap / 1000 for gap in F028_GAPS_US))
    assert len(record) == 7 + 3 + 29
    events = without_noise(play(record, 12_000))
    first, up, second = 1 + 0.065, 1 + 0.065 + 154.141 + 0.010, 1 + sum(F028_GAPS_US) / 1000
    assert events == [
        ev.KeyTurned(ns(first), ev.Key.SUPERVISOR, on=True),
        ev.KeyTurned(ns(up), ev.Key.SUPERVISOR, on=False),
        ev.KeyTurned(ns(second), ev.Key.SUPERVISOR, on=True),
    ]


def test_F029_a_jam_of_a_minute_is_one_chip_at_most_and_one_alarm() -> None:
    events = play(low("seat_3", 0, 60_000) + low("seat_3", 61_000, 40), 62_000)
    assert events == [
        chip(0, 3),
        ev.SeatJammed(ns(1000), 3, ns(0)),
        ev.JamCleared(ns(60_010), 3),
        chip(61_000, 3),
    ]


def test_F030_clean_and_bouncing_pulses_count_once_each() -> None:
    bounces = [0.1] * 40
    events = without_noise(play(low("seat_1", 0, 40) + wave("seat_1", 200, *bounces, 40), 900))
    assert events == [chip(0, 1), chip(204, 1)]


def test_F031_short_chips_survive_a_loop_that_stands_still_half_the_time() -> None:
    dice = random.Random(31)
    falls = [i * 150 + dice.uniform(0, 100) for i in range(200)]
    driver = Driver()
    driver.freezes = [(ns(second * 1000), ns(second * 1000 + 500)) for second in range(31)]
    driver.run([change for at in falls for change in low("seat_5", at, 12)], 31_500)
    assert driver.events == [chip(at, 5) for at in falls]
    delays_ms = [(told_ns - event.at_ns) / 1e6 for told_ns, event in driver.told]
    assert min(delays_ms) >= 10
    assert max(delays_ms) <= 500 + 10


def test_F037_like_chips_in_a_row_and_at_once_are_never_added_up() -> None:
    row = [change for i in range(3) for change in low("seat_1", i * 100, 40)]
    assert play(row, 900) == [chip(0, 1), chip(100, 1), chip(200, 1)]
    overlapping = [change for i in range(3) for change in low(f"seat_{i + 1}", i * 20, 40)]
    assert play(overlapping, 900) == [chip(0, 1), chip(20, 2), chip(40, 3)]


def test_F038_static_counts_nothing_and_the_border_is_the_settle_time() -> None:
    static = [
        (0.1, 0),
        (0.5, 0),
        (1, 0),
        (2, 0),
        (3, 0),
        (4.9, 0),
        (5.1, 0),
        (9.9, 0),
        (10, 100),
        (10.1, 100),
    ]
    for length_ms, chips in static:
        pulses = [change for i in range(100) for change in low("seat_1", i * 60, length_ms)]
        driver = Driver()
        driver.run(pulses, 70_000)
        assert len(driver.of(ev.ChipDropped)) == chips
        assert sum(e.count for e in driver.events if isinstance(e, ev.NoiseSeen)) == 100 - chips


def test_F039_a_loose_contact_is_noise_and_a_chattering_one_is_told() -> None:
    loose = [change for i in range(1000) for change in low("seat_1", i * 5, 1)]
    assert play(loose, 61_000) == [ev.NoiseSeen(ns(0), "seat_1", 1, 1000)]
    driver = Driver()
    driver.run([change for i in range(40) for change in low("seat_1", i * 25, 12)], 2000)
    assert driver.of(ev.SeatChattered) == [ev.SeatChattered(ns(500), 1)]


def test_F042_a_start_stub_is_not_counted() -> None:
    assert play(wave("seat_7", 0, 2, 8, 50), 900) == [chip(10, 7)]


def test_F044_a_freeze_in_the_middle_of_a_chip_leaks_nothing() -> None:
    driver = Driver()
    driver.freezes = [(ns(15), ns(3015))]
    falls = [0, *range(500, 3000, 500), *range(4000, 5000, 100)]
    driver.run([change for at in falls for change in low("seat_2", at, 40)], 6000)
    assert driver.events == [chip(at, 2) for at in falls]
    frozen_before_settling = Driver()
    frozen_before_settling.freezes = [(ns(5), ns(3005))]
    frozen_before_settling.run([change for at in falls for change in low("seat_2", at, 40)], 6000)
    assert frozen_before_settling.events == driver.events


def test_F045_a_day_of_random_noise_does_nothing() -> None:
    dice = random.Random(45)
    minutes = 24 * 60
    noise = [
        change
        for minute in range(minutes)
        for line in LINES
        for change in low(line, minute * 60_000 + dice.uniform(0, 59_000), dice.uniform(0.001, 4))
    ]
    rarely = {name: getattr(REFERENCE, name) for name in REFERENCE.__struct_fields__} | {"poll_ms": 30_000}
    driver = Driver(timings=Timings(**rarely))
    driver.run(noise, (minutes + 2) * 60_000)
    assert {type(event) for event in driver.events} == {ev.NoiseSeen}
    assert sum(e.count for e in driver.events if isinstance(e, ev.NoiseSeen)) == minutes * len(LINES)


def test_F046_one_press_is_one_action_however_it_bounces() -> None:
    assert without_noise(play(wave("game_over", 0, 400, 4, 3, 2, 1), 3000)) == [ev.GameOverPressed(ns(410))]
    assert without_noise(play(wave("coin_in", 0, 400, 4, 3, 2, 1), 3000)) == [ev.CoinInPressed(ns(0))]


def test_F048_a_long_press_with_a_bouncing_release_is_no_short_one() -> None:
    events = play(wave("game_over", 0, 5000, 4, 3), 9000)
    assert events == [
        ev.GameOverHeld(ns(1000)),
        ev.ButtonStuck(ns(5000), ev.Button.GAME_OVER),
        ev.ButtonFreed(ns(5007), ev.Button.GAME_OVER),
    ]


@pytest.mark.parametrize(
    ("length_ms", "coin_in", "game_over"),
    [
        (10, [], []),
        (50, [ev.CoinInPressed], [ev.GameOverPressed]),
        (400, [ev.CoinInPressed], [ev.GameOverPressed]),
        (
            8000,
            [ev.CoinInPressed, ev.ButtonStuck, ev.ButtonFreed],
            [ev.GameOverHeld, ev.ButtonStuck, ev.ButtonFreed],
        ),
    ],
)
def test_F050_a_pulse_acts_once_at_most_and_a_leaning_object_is_told(
    length_ms: float, coin_in: list[type], game_over: list[type]
) -> None:
    assert [type(event) for event in without_noise(play(low("coin_in", 0, length_ms), 9000))] == coin_in
    assert [type(event) for event in without_noise(play(low("game_over", 0, length_ms), 9000))] == game_over


def test_F126_the_stamps_of_chip_and_lock_decide_in_any_timing() -> None:
    dice = random.Random(126)
    driver = Driver()
    at_ms = 0.0
    for _ in range(2000):
        at_ms += 1000
        changes = bouncing(dice, "coin_in", at_ms, 120)
        falls = {seat: at_ms + dice.choice([-0.5, 0.5, dice.uniform(-60, 60)]) for seat in (1, 4)}
        changes += [change for seat, fall in falls.items() for change in low(f"seat_{seat}", fall, 30)]
        driver.events.clear()
        driver.run(changes, at_ms + 500)
        told = [event for event in driver.events if not isinstance(event, ev.NoiseSeen)]
        (lock,) = (event for event in told if isinstance(event, ev.CoinInPressed))
        before = {e.seat for e in told[: told.index(lock)] if isinstance(e, ev.ChipDropped)}
        after = {e.seat for e in told[told.index(lock) :] if isinstance(e, ev.ChipDropped)}
        assert before == {seat for seat, fall in falls.items() if ns(fall) < lock.at_ns}
        assert after == {seat for seat, fall in falls.items() if ns(fall) >= lock.at_ns}
