"""The pins themselves on a whole table: what lamps, slots and release really get, at stops and power cuts too."""

import pytest

from controller.core import events as ev
from controller.core.game import Hand
from controller.drill.world import World
from controller.outputs import Lamp
from hal.simulated import Closed, Switched
from tests.helpers_world import MS, SECOND, act, chip, lamp, now, powered, press, switched, table

LAMPS = [f"lamp_{seat}" for seat in range(1, 8)]


def lit_during(world: World, ns: int, step_ns: int = 10 * MS) -> dict[str, set[bool]]:
    """Which levels each lamp's pin had while time passed."""
    seen: dict[str, set[bool]] = {name: set() for name in LAMPS}
    end = now(world) + ns
    while now(world) < end:
        world.pass_time(step_ns)
        for name in LAMPS:
            seen[name].add(world.hal.outputs[name])
    return seen


def test_only_an_accepted_lamp_is_steady_and_the_others_of_a_locked_round_are_dark() -> None:
    with powered() as world:
        chip(world, 2)
        placed = lit_during(world, 4 * SECOND)
        assert all(levels == {True, False} for levels in placed.values())
        press(world, ev.Button.COIN_IN)
        locked = lit_during(world, 4 * SECOND)
        assert locked == {name: {name == "lamp_2"} for name in LAMPS}
        act(world, ev.AwardClaimed(now(world), 2, Hand.FLUSH))
        assert lit_during(world, SECOND)["lamp_2"] == {True, False}


@pytest.mark.parametrize("how", ["power_off", "power_cut"])
def test_without_a_program_lamps_are_dark_and_slots_locked_and_a_start_restores_them(how: str) -> None:
    with powered() as world:
        chip(world, 2, 3)
        press(world, ev.Button.COIN_IN)
        hal = world.hal
        getattr(world, how)()
        assert not any(hal.outputs.values())
        assert isinstance(hal.history[-1], Closed)
        world.power_on(open_table=False)
        assert [lamp(world, seat) for seat in range(1, 8)] == [
            Lamp.ACCEPTED if seat in (2, 3) else Lamp.OFF for seat in range(1, 8)
        ]
        assert {name for name in LAMPS if world.hal.outputs[name]} == {"lamp_2", "lamp_3"}
        assert not any(
            isinstance(seen, Switched) and seen.line == "slots" and seen.on for seen in world.hal.history
        )


def test_a_release_pulse_that_a_power_cut_broke_off_is_made_again_in_full_and_only_once() -> None:
    with powered({"release.pulse_ms": "500"}) as world:
        world.drive("coin_in", active=True)
        world.pass_time(200 * MS)
        assert world.hal.outputs["release"] is True
        world.power_cut()
        world.drive("coin_in", active=False)
        world.power_on(open_table=False)
        begin = now(world)
        world.pass_time(2 * SECOND)
        assert switched(world.hal, "release", on=True) == [begin]
        assert switched(world.hal, "release", on=False) == [begin + 500 * MS]
        world.power_cut()
        world.power_on(open_table=False)
        world.pass_time(2 * SECOND)
        assert switched(world.hal, "release", on=True) == []


def test_the_bell_calls_while_an_award_is_pending_over_a_cut_too() -> None:
    with powered() as world:
        chip(world, 1)
        press(world, ev.Button.COIN_IN)
        act(world, ev.AwardClaimed(now(world), 1, Hand.FLUSH))
        assert world.hal.outputs["bell"] is True
        world.power_cut()
        world.power_on(open_table=False)
        assert world.hal.outputs["bell"] is True
        act(world, ev.AwardWithdrawn(now(world), 1))
        assert world.hal.outputs["bell"] is False


def test_the_slots_lock_before_the_record_and_stay_locked_while_coin_in_waits_for_a_group() -> None:
    """Three lines that fell together before COIN IN hold its record back; the slots do not wait for it."""
    with powered() as world:
        for seat in (1, 2, 3):
            world.drive(f"seat_{seat}", active=True)
        world.pass_time(5 * MS)
        world.drive("coin_in", active=True)
        pressed_ns = now(world)
        world.pass_time(25 * MS)
        assert switched(world.hal, "slots", on=False) == [pressed_ns + 20 * MS]
        assert lamp(world, 1) is not Lamp.ACCEPTED
        world.pass_time(100 * MS)
        assert world.hal.outputs["slots"] is False
        # Still undecided 100 ms after COIN IN: late, once they prove to be chips.
        assert table(world).round == 1
        for seat in (1, 2, 3):
            world.drive(f"seat_{seat}", active=False)
            world.pass_time(20 * MS)
        assert [seat.late for seat in table(world).seats[:3]] == [1, 1, 1]
        world.drive("coin_in", active=False)
