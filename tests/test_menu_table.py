"""The menu on a whole table under power: its lamp, its deadline, its keys, and what it never does."""

import pytest

from controller.core import events as ev
from controller.core.game import Hand
from controller.core.state import Phase
from controller.drill.statements import Part
from controller.drill.world import World
from controller.inputs import Pulse, Pulses
from controller.outputs import Lamp
from hal.interface import Edge
from hal.simulated import Switched
from tests.helpers_world import (
    MS,
    SECOND,
    act,
    chip,
    key,
    lamp,
    low,
    now,
    play,
    powered,
    press,
    running,
    stored,
    table,
)

NEXT = ev.Button.GAME_OVER


def hold(world: World) -> None:
    """GAME OVER for a second, and let go."""
    play(world, low(NEXT, 0, 1_100 * MS), 1_200 * MS)


def until(world: World, entry: str) -> None:
    """Next until this entry stands marked."""
    for _ in range(60):
        if f"> {entry}" in world.hal.screen:
            return
        press(world, NEXT)
    raise AssertionError(f"{entry} is not offered: {world.hal.screen}")


def locked(world: World, *seats: int) -> None:
    chip(world, *seats)
    press(world, ev.Button.COIN_IN)
    world.pass_time(SECOND)


def test_F046_a_press_that_began_before_the_menu_closed_ends_no_round() -> None:
    with powered() as world:
        locked(world, 2)
        world.drive(NEXT, active=True)
        world.pass_time(1_000 * MS + 1)
        opened = now(world)
        world.drive(NEXT, active=False)
        world.pass_until(opened + 20 * SECOND - 100 * MS)
        assert "MENÚ" in world.hal.screen[0]
        play(world, low(NEXT, 0, 400 * MS), SECOND)
        assert "NO VA MÁS" in world.hal.screen[0]
        assert table(world).phase is Phase.LOCKED
        assert stored(world, ev.GameOverPressed, ev.GameOverHeld) == []
        press(world, NEXT)
        assert table(world).phase is Phase.OPEN


def test_F046_paying_is_one_act_though_the_button_stays_down_and_bounces() -> None:
    with powered() as world:
        locked(world, 2)
        hold(world)
        until(world, "CUENTA CORRECTA")
        hold(world)
        until(world, "SÍ, HACERLO")
        bounce = [(3_000 * MS + at * MS, NEXT.value, at % 2 == 1) for at in range(7)]
        play(world, [(0, NEXT.value, True), *bounce], 4 * SECOND)
        assert len(stored(world, ev.CountConfirmed)) == 1
        assert table(world).phase is Phase.LOCKED


def test_the_chosen_seats_lamp_blinks_and_the_other_evidence_stays_steady() -> None:
    with powered() as world:
        locked(world, 2, 5)
        hold(world)
        until(world, "NO VA")
        hold(world)
        until(world, "ASIENTO 5")
        assert [lamp(world, seat) for seat in (2, 5)] == [Lamp.ACCEPTED, Lamp.CHOSEN]
        begin = now(world)
        world.pass_time(3 * SECOND)
        moved = [
            s for s in world.hal.history if isinstance(s, Switched) and s.at_ns > begin and "lamp" in s.line
        ]
        assert {seen.line for seen in moved} == {"lamp_5"}
        # Two winks a second.
        assert 10 <= len(moved) <= 13
        press(world, ev.Button.COIN_IN)
        press(world, ev.Button.COIN_IN)
        assert lamp(world, 5) is Lamp.ACCEPTED


def test_the_menu_is_not_kept_over_a_power_cut_and_nothing_half_chosen_was_done() -> None:
    with powered() as world:
        locked(world, 2)
        hold(world)
        until(world, "RECLAMAR PREMIO")
        hold(world)
        before = len(stored(world))
        world.power_cut()
        world.power_on(open_table=False)
        assert "NO VA MÁS" in world.hal.screen[0]
        assert len(stored(world)) == before + 1  # the start itself
        assert table(world).claims == ()


def test_while_nothing_can_be_stored_an_act_does_nothing_and_the_screen_says_so_over_the_menu() -> None:
    with powered() as world:
        locked(world, 2)
        world.break_part(Part.JOURNAL, broken=True)
        hold(world)
        until(world, "CUENTA CORRECTA")
        hold(world)
        until(world, "SÍ, HACERLO")
        hold(world)
        assert "FALLA DEL REGISTRO" in world.hal.screen[0]
        assert running(world).failing
        world.break_part(Part.JOURNAL, broken=False)
        world.pass_time(2 * SECOND)
        assert stored(world, ev.CountConfirmed) == []


def test_menu_keys_that_came_while_the_loop_stood_still_meet_the_table_as_it_is_by_then() -> None:
    """COIN IN and a held GAME OVER wait in the inbox together: the menu opens on the locked round."""
    with powered() as world:
        chip(world, 3)

        def both() -> None:
            play(world, low(ev.Button.COIN_IN, 0, 120 * MS), 300 * MS)
            play(world, low(NEXT, 0, 1_200 * MS), 1_300 * MS)

        world.frozen_during(both)
        world.pass_time(100 * MS)
        assert table(world).phase is Phase.LOCKED
        assert "MENÚ" in world.hal.screen[0]
        assert "> CUENTA CORRECTA" in world.hal.screen


def test_keypad_and_buttons_make_the_same_records() -> None:
    kinds: list[list[str]] = []
    for typed in (True, False):
        with powered() as world:
            locked(world, 4)
            if typed:
                for name in ("FOLD", "4", "ENTER"):
                    world.type_key(name)
            else:
                hold(world)
                until(world, "NO VA")
                hold(world)
                until(world, "ASIENTO 4")
                hold(world)
            kinds.append([record.kind for record in stored(world)])
    assert kinds[0] == kinds[1]
    assert kinds[0][-1] == "hand_folded"


def test_F042_the_technicians_page_shows_width_and_gap_of_the_last_pulses() -> None:
    with powered() as world:
        play(world, [*low("seat_3", 0, 40 * MS), *low("seat_3", 500 * MS, 55 * MS)], SECOND)
        hold(world)
        until(world, "PULSOS DE LÍNEAS")
        hold(world)
        until(world, "seat_3")
        hold(world)
        assert "> 55.0 ms, REPOSO ANTES 460.0 ms" in world.hal.screen
        assert "- 40.0 ms, REPOSO ANTES 0.0 ms" in world.hal.screen


def test_F042_twenty_pulses_a_line_are_kept_the_newest_first() -> None:
    pulses = Pulses()
    for number in range(30):
        pulses.see([Edge("seat_1", True, number * 1_000), Edge("seat_1", False, number * 1_000 + number)])
    kept = pulses.kept()["seat_1"]
    assert len(kept) == 20
    # Pulse 29 is 29 long; pulse 28 rose at 28 028, so 972 lie between.
    assert kept[0] == Pulse(29, 972)
    assert kept[-1].width_ns == 10


def test_a_rise_without_its_fall_is_no_pulse() -> None:
    pulses = Pulses()
    pulses.see([Edge("seat_1", False, 500)])
    assert pulses.kept() == {}


@pytest.mark.parametrize("button", list(ev.Button))
def test_an_operator_who_acts_elsewhere_moves_the_menu_only_where_he_must(button: ev.Button) -> None:
    """A claim entered by another hand while the menu is open changes the phase: the menu makes room for its page."""
    with powered() as world:
        locked(world, 2)
        hold(world)
        act(world, ev.DisputeRaised(now(world), 2))
        assert "MENÚ" in world.hal.screen[0]
        key(world, ev.Key.SUPERVISOR, on=True)
        assert "MENÚ" in world.hal.screen[0]
        act(world, ev.AwardClaimed(now(world), 2, Hand.FLUSH))
        assert "PREMIO PENDIENTE" in world.hal.screen[0]
        press(world, button)
        assert table(world).refusal is ev.Refusal.AWARD_PENDING


def test_the_menu_closes_on_the_instant_not_when_something_else_wakes_the_loop() -> None:
    with powered() as world:
        locked(world, 2)
        world.pass_time(13 * MS + 7)
        fell = now(world)
        hold(world)
        # Held for a second it opened; twenty more close it.
        world.pass_until(fell + 21 * SECOND - 1)
        assert "MENÚ" in world.hal.screen[0]
        world.pass_until(fell + 21 * SECOND)
        assert "NO VA MÁS" in world.hal.screen[0]
