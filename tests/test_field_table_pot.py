"""Field-log row F122 on a whole table under power: the pot shown never falls without an award or a correction."""

from random import Random

import pytest

from controller.core import events as ev
from controller.core.faults import FaultCode
from controller.core.game import Hand
from controller.drill.statements import Part
from controller.drill.world import World
from tests.helpers_world import SECOND, chip, intact, key, now, powered, press, table

DAY = 86_400 * SECOND


@pytest.mark.parametrize("seed", range(10))
def test_F122_the_shown_pot_falls_only_by_an_award_or_a_correction(seed: int) -> None:
    """Ten random evenings of 200 acts with cuts, restarts, clock jumps and failures of the medium."""
    random = Random(seed)
    with powered() as world:
        shown = table(world).pot.levels[0].current
        for _ in range(200):
            world.listen()
            random.choice(EVENING)(world, random)
            results = [result for entry in world.entries() for result in entry.results]
            lawful = any(isinstance(result, ev.AwardApproved | ev.CorrectionMade) for result in results)
            current = table(world).pot.levels[0].current
            assert current >= shown or lawful
            assert on_sign(world, current) or "SERVICIO" in world.hal.signs
            shown = current
        assert intact(world)
        world.break_part(Part.DISK_FULL, broken=False)


def on_sign(world: World, current: int) -> bool:
    """Whether the sign shows this amount, beside what was won."""
    pot = world.hal.signs.split(" - ")[-1]
    digits = "".join(letter for letter in pot if letter.isdigit())
    return digits == str(current)


def some_chip(world: World, random: Random) -> None:
    chip(world, random.randrange(1, 8))


def some_press(world: World, random: Random) -> None:
    press(world, random.choice(list(ev.Button)))


def some_claim(world: World, random: Random) -> None:
    hand = random.choice([Hand.ROYAL_FLUSH, Hand.STRAIGHT_FLUSH, Hand.FLUSH])
    world.act(ev.AwardClaimed(now(world), random.randrange(1, 8), hand))


def some_settling(world: World, random: Random) -> None:
    key(world, ev.Key.SUPERVISOR, on=True)
    seat = random.randrange(1, 8)
    acts: list[ev.AnyEvent] = [
        ev.AwardsApproved(now(world)),
        ev.AwardWithdrawn(now(world), seat),
        ev.SeatVoided(now(world), seat, ev.Reason.OTHER),
        ev.RoundVoided(now(world), ev.Reason.OTHER),
    ]
    world.act(random.choice(acts))
    key(world, ev.Key.SUPERVISOR, on=False)


def some_cut(world: World, _random: Random) -> None:
    world.power_cut()
    world.power_on(open_table=False)


def some_restart(world: World, _random: Random) -> None:
    world.power_off()
    world.power_on(open_table=False)


def some_clock_jump(world: World, random: Random) -> None:
    world.clock.step_wall(random.randrange(-13, 14) * DAY)
    world.pass_time(SECOND)


def some_failure(world: World, _random: Random) -> None:
    world.break_part(Part.DISK_FULL, broken=True)
    chip(world, 1)
    world.break_part(Part.DISK_FULL, broken=False)
    world.pass_time(2 * SECOND)
    key(world, ev.Key.TECHNICIAN, on=True)
    world.act(ev.FaultClearAsked(now(world), FaultCode.STORAGE_FAILED))
    key(world, ev.Key.TECHNICIAN, on=False)


EVENING = [
    *[some_chip] * 8,
    *[some_press] * 8,
    *[some_claim] * 2,
    some_settling,
    some_settling,
    some_cut,
    some_restart,
    some_clock_jump,
    some_failure,
]
