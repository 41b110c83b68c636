"""Field-log rows on a whole table under power: lines, buttons, screens and clocks, up to the stored record."""

from random import Random

import pytest

from controller.core import events as ev
from controller.core.faults import FaultCode
from controller.core.state import Phase
from controller.core.table import bets
from controller.drill.world import World
from controller.outputs import Lamp
from hal.interface import Device
from hal.simulated import Shown
from tests.helpers_world import (
    MS,
    SECOND,
    chip,
    key,
    lamp,
    low,
    meter,
    now,
    play,
    powered,
    press,
    running,
    stored,
    switched,
    table,
    told,
)

SEATS = range(1, 8)
INPUTS = [f"seat_{seat}" for seat in SEATS] + ["coin_in", "game_over", "supervisor", "technician"]


def restart(world: World) -> None:
    """Off in order and on again."""
    world.power_off()
    world.power_on(open_table=False)
    world.listen()


def test_F012_a_start_with_idle_lines_makes_no_event_and_the_first_chip_counts() -> None:
    with powered() as world:
        restart(world)
        world.pass_time(5 * SECOND)
        assert [entry.event for entry in world.entries()] == []
        restart(world)
        world.pass_time(10 * MS)
        chip(world, 3)
        assert [type(entry.event) for entry in world.entries()] == [ev.ChipDropped]
        assert bets(table(world)) == 1


@pytest.mark.parametrize("apart_ms", [0, 1, 7, 20])
def test_F013_lines_low_while_the_pull_ups_rise_are_neither_chips_nor_keys(apart_ms: int) -> None:
    with powered() as world:
        world.power_off()
        for line in INPUTS:
            world.drive(line, active=True)
        world.power_on(open_table=False)
        world.listen()
        moves = [
            (300 * MS + at * apart_ms * MS, line, False) for at, line in enumerate(INPUTS) if line != "seat_5"
        ]
        play(world, moves, 900 * MS)
        assert {type(entry.event) for entry in world.entries()} <= {ev.KeyTurned}
        assert not any(entry.event.on for entry in world.entries() if isinstance(entry.event, ev.KeyTurned))
        assert table(world).phase is Phase.OPEN
        assert [meter(world, f"seat_{seat}.dropped") for seat in SEATS] == ["0"] * 7
        # The line that stays low is a fault of that seat only.
        world.pass_time(200 * MS)
        assert [(fault.code, fault.seat) for fault in table(world).faults] == [(FaultCode.SEAT_JAMMED, 5)]
        chip(world, 1, 7)
        assert bets(table(world)) == 2


def test_F020_chips_during_an_act_of_two_seconds_keep_their_true_stamps() -> None:
    with powered() as world:
        begin = now(world)
        falls = {seat: begin + seat * 300 * MS for seat in (1, 2, 3)}
        moves = [move for seat in falls for move in low(f"seat_{seat}", seat * 300 * MS, 40 * MS)]
        world.frozen_during(lambda: play(world, moves, 2 * SECOND))
        world.pass_time(100 * MS)
        dropped = {
            entry.event.seat: entry.event.at_ns
            for entry in world.entries()
            if isinstance(entry.event, ev.ChipDropped)
        }
        assert dropped == falls
        assert bets(table(world)) == 3


def test_F027_disturbances_as_long_as_a_chip_place_one_bet_at_most() -> None:
    trace = [
        *low("seat_2", 0, 47 * MS),
        *low("seat_2", 19 * SECOND, 50 * MS),
        *low("seat_2", 19 * SECOND + 200 * MS, 50 * MS),
        *low("seat_2", 23 * SECOND + 250 * MS, 44 * MS),
    ]
    with powered() as world:
        play(world, trace, 24 * SECOND)
        assert lamp(world, 2) is Lamp.PLACED
        assert (meter(world, "seat_2.dropped"), meter(world, "seat_2.excess")) == ("4", "3")
        press(world, ev.Button.COIN_IN)
        assert bets(table(world)) == 1
        assert meter(world, "in_meter") == "10.00"
        assert "DEVUELVA FICHA - ASIENTO 2" in stored_texts(world)


def stored_texts(world: World) -> str:
    """Everything the screen has shown so far."""
    return " | ".join(" ".join(seen.lines) for seen in world.hal.history if isinstance(seen, Shown))


def test_F029_a_jam_of_a_minute_is_no_stream_of_chips() -> None:
    with powered() as world:
        play(world, low("seat_3", 0, 60 * SECOND), 61 * SECOND)
        jams = stored(world, ev.SeatJammed)
        assert [record.event.at_ns - jam_fall(record.event) for record in jams] == [SECOND]
        assert lamp(world, 3) is Lamp.PROBLEM
        chip(world, 3)
        # One at the fall, void by the jam; nothing since.
        assert (meter(world, "seat_3.dropped"), meter(world, "seat_3.voided")) == ("1", "1")
        assert bets(table(world)) == 0
        key(world, ev.Key.SUPERVISOR, on=True)
        world.act(ev.SeatOpened(now(world), 3))
        chip(world, 3)
        assert lamp(world, 3) is Lamp.PLACED
        assert meter(world, "seat_3.dropped") == "2"


def jam_fall(event: ev.AnyEvent) -> int:
    """When the low of a jam began."""
    assert isinstance(event, ev.SeatJammed)
    return event.fell_ns


def test_F037_chips_put_in_fast_never_add_up() -> None:
    with powered() as world:
        play(world, [move for at in range(3) for move in low("seat_1", at * 100 * MS, 40 * MS)], SECOND)
        assert (lamp(world, 1), meter(world, "seat_1.excess")) == (Lamp.PLACED, "2")
        overlapping = [low(f"seat_{seat}", at * 20 * MS, 40 * MS) for at, seat in enumerate((4, 5, 6))]
        play(world, [move for each in overlapping for move in each], SECOND)
        assert [lamp(world, seat) for seat in (4, 5, 6)] == [Lamp.PLACED] * 3
        press(world, ev.Button.COIN_IN)
        assert (meter(world, "in_count"), meter(world, "in_meter")) == ("4", "40.00")


@pytest.mark.parametrize(("after_us", "late"), [(-5_000, False), (0, True), (5_000, True), (500_000, True)])
def test_F041_a_chip_around_the_lock_is_decided_by_its_stamp(after_us: int, late: bool) -> None:
    pressed_ns = 10 * MS
    with powered() as world:
        moves = low("coin_in", pressed_ns, 120 * MS) + low("seat_2", pressed_ns + after_us * 1000, 40 * MS)
        play(world, moves, SECOND)
        assert bets(table(world)) == (not late)
        assert lamp(world, 2) is (Lamp.OFF if late else Lamp.ACCEPTED)
        assert meter(world, "seat_2.late") == str(int(late))
        assert meter(world, "in_meter") == ("0.00" if late else "10.00")
        assert any("DEVUELVA FICHA - ASIENTO 2" in line for line in world.hal.screen) is late


def test_F044_a_freeze_in_the_middle_of_a_chip_leaves_nothing_behind() -> None:
    with powered() as world:
        world.drive("seat_1", active=True)
        world.pass_time(20 * MS)
        moves = [(20 * MS, "seat_1", False)]
        moves += [move for at in range(2, 7) for move in low(f"seat_{at}", at * 400 * MS, 40 * MS)]
        world.frozen_during(lambda: play(world, moves, 3 * SECOND))
        world.pass_time(100 * MS)
        assert bets(table(world)) == 6
        assert len(stored(world, ev.LoopStalled)) == 1
        press(world, ev.Button.COIN_IN)
        press(world, ev.Button.GAME_OVER)
        chip(world, *SEATS, 1, 2, 3)
        # The next ten are exact: seven bets, three in excess.
        assert bets(table(world)) == 7
        assert [meter(world, f"seat_{seat}.excess") for seat in SEATS] == ["1", "1", "1", "0", "0", "0", "0"]
        assert sum(int(meter(world, f"seat_{seat}.dropped")) for seat in SEATS) == 16


def test_F045_hours_of_short_noise_place_nothing() -> None:
    """One hour instead of a day: the filter keeps nothing longer than a minute, so 60 of them say as much."""
    random = Random(45)
    with powered() as world:
        before = table(world)
        for _ in range(60):
            begin = [random.randrange(59 * SECOND) for _ in INPUTS]
            spikes = [
                low(line, at, random.randrange(1, 4 * MS)) for line, at in zip(INPUTS, begin, strict=True)
            ]
            play(world, [move for spike in spikes for move in spike], 60 * SECOND)
        assert {type(entry.event) for entry in world.entries()} <= {ev.NoiseSeen}
        after = table(world)
        assert (after.pot, after.phase, after.faults, bets(after)) == (before.pot, before.phase, (), 0)
        assert sum(seat.noise for seat in after.seats) == 60 * 7 - waiting_noise(world)


def waiting_noise(world: World) -> int:
    """The noise of the seats not told yet: what an orderly stop adds."""
    told_now = sum(seat.noise for seat in table(world).seats)
    world.power_off()
    world.power_on(open_table=False)
    return sum(seat.noise for seat in table(world).seats) - told_now


@pytest.mark.parametrize("button", list(ev.Button))
def test_F046_one_press_is_one_action_though_the_phase_changes_under_it(button: ev.Button) -> None:
    bounce = [(400 * MS + at * MS, button.value, at % 2 == 1) for at in range(7)]
    with powered() as world:
        if button is ev.Button.GAME_OVER:
            press(world, ev.Button.COIN_IN)
        world.listen()
        play(world, [(0, button.value, True), *bounce], 2 * SECOND)
        acts = [
            type(entry.event) for entry in world.entries() if not isinstance(entry.event, ev.ReleaseEnded)
        ]
        assert acts == [ev.CoinInPressed if button is ev.Button.COIN_IN else ev.GameOverPressed]
        assert table(world).phase is (Phase.LOCKED if button is ev.Button.COIN_IN else Phase.OPEN)


def test_F063_a_screen_without_time_holds_up_no_chip_and_no_lock() -> None:
    with powered() as world:
        world.hal.fail(Device.SCREEN)
        world.pass_time(10 * MS)
        begin = now(world)
        moves = [move for seat in SEATS for move in low(f"seat_{seat}", (seat - 1) * 14 * MS, 40 * MS)]
        pressed_ns = 6 * 14 * MS + 40 * MS + 20 * MS
        play(world, moves + low("coin_in", pressed_ns, 120 * MS), SECOND)
        assert bets(table(world)) == 7
        (locked_ns,) = switched(world.hal, "slots", on=False)
        assert locked_ns - begin - pressed_ns <= 50 * MS
        # Back again, it gets the final picture at once, and not those it missed.
        shown_before = sum(isinstance(seen, Shown) for seen in world.hal.history)
        world.hal.mend(Device.SCREEN)
        world.pass_time(SECOND)
        shown = [seen for seen in world.hal.history if isinstance(seen, Shown)][shown_before:]
        assert len(shown) == 1
        assert "7 APUESTAS" in shown[0].lines[0]


@pytest.mark.parametrize(("late_ms", "noticed"), [(400, False), (700, True)])
def test_F111_a_loop_that_lags_more_than_half_a_second_says_so(late_ms: int, noticed: bool) -> None:
    with powered() as world:
        world.frozen_during(lambda: world.pass_time(late_ms * MS))
        assert any(isinstance(entry.event, ev.LoopStalled) for entry in world.entries()) is noticed
        assert running(world).stopped is False


def test_F111_a_whole_round_with_noise_keeps_every_turn_on_its_time() -> None:
    with powered() as world:
        for _ in range(20):
            chip(world, *SEATS)
            press(world, ev.Button.COIN_IN)
            world.pass_time(SECOND)
            press(world, ev.Button.GAME_OVER)
        assert stored(world, ev.LoopStalled) == []


def test_F126_a_chip_half_a_millisecond_around_the_lock_is_always_the_same() -> None:
    pressed_ns = 10 * MS
    half = MS // 2
    with powered() as world:
        before, after = (
            low("seat_1", pressed_ns - half, 30 * MS + half),
            low("seat_2", pressed_ns + half, 40 * MS),
        )
        bounces = [(pressed_ns + 120 * MS + at * MS, "coin_in", at % 2 == 1) for at in range(9)]
        for rounds in range(1, 21):
            play(world, [*before, *after, (pressed_ns, "coin_in", True), *bounces], SECOND)
            assert table(world).phase is Phase.LOCKED
            assert [lamp(world, seat) for seat in (1, 2)] == [Lamp.ACCEPTED, Lamp.OFF]
            assert meter(world, "seat_2.late") == str(rounds)
            press(world, ev.Button.GAME_OVER)
        assert meter(world, "in_count") == "20"
        assert len(told(world, ev.RoundLocked)) == 20


def test_F126_in_random_timings_a_lamp_is_lit_exactly_for_an_older_chip() -> None:
    """2,000 whole rounds with the journal underneath; the filter alone is asked the rest elsewhere."""
    random = Random(126)
    accepted = late = 0
    with powered() as world:
        for _ in range(2_000):
            pressed_ns = 80 * MS
            falls = {seat: random.randrange(160 * MS) for seat in random.sample(SEATS, 2)}
            moves = [
                move
                for seat, at in falls.items()
                for move in low(f"seat_{seat}", at, random.randrange(10 * MS, 60 * MS))
            ]
            play(world, [*moves, *low("coin_in", pressed_ns, 120 * MS)], 320 * MS)
            lit = {seat for seat in SEATS if lamp(world, seat) is Lamp.ACCEPTED}
            assert lit == {seat for seat, at in falls.items() if at < pressed_ns}
            accepted, late = accepted + len(lit), late + 2 - len(lit)
            press(world, ev.Button.GAME_OVER)
        assert meter(world, "in_count") == str(accepted)
        assert sum(int(meter(world, f"seat_{seat}.late")) for seat in SEATS) == late
