"""The shared vectors by all that work pots out: core, the table's check, the soak's own account, the floor's SQL."""

from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from controller.core.awards import answers, serve
from controller.core.events import AwardApproved
from controller.core.pot import commissioned, imbalance, take
from controller.soak.checks.money import Money
from controller.soak.checks.prizes import serve as by_the_account
from tests.helpers_vectors import VECTORS, Vector
from tests.test_floor_arithmetic import OnTheFloor, a_hall

each = pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.what)


def won(told: tuple[object, ...]) -> tuple[tuple[int, int], ...]:
    return tuple((step.seat, step.amount) for step in told if isinstance(step, AwardApproved))


def funding(vector: Vector) -> int:
    """Base and, where the whole was won, the resets that the house paid; by hand where a vector says so."""
    if vector.house_funding != 11_000_000:
        return vector.house_funding
    royals = [hand for hand in vector.hands.values() if hand.value == "royal_flush"]
    resets = len(royals) if vector.rules.royal_split.value == "first_takes_all" else min(len(royals), 1)
    return vector.level.get("base_amount", 10_000_000) + resets * 1_000_000


@each
def test_the_core(vector: Vector) -> None:
    pot, _ = take(vector.game, commissioned(vector.game), vector.wagers)
    served = serve(vector.game, pot, vector.claims, 1, 7)
    assert won(served.told) == vector.won
    level = served.pot.levels[0]
    assert (level.current, level.carry, level.house_funding) == (vector.pot, vector.carry, funding(vector))
    assert imbalance(served.pot) == 0


@each
def test_the_tables_check_of_an_answer_takes_it_and_no_cent_more(vector: Vector) -> None:
    pot, _ = take(vector.game, commissioned(vector.game), vector.wagers)
    told = serve(vector.game, pot, vector.claims, 1, 7).told
    linked = replace(vector.game, levels=(replace(vector.game.levels[0], link="sala"),))
    assert answers(linked, vector.claims, 7, told)
    for place, step in enumerate(told):
        if isinstance(step, AwardApproved):
            more = replace(step, amount=step.amount + 1, from_pot=step.from_pot + 1)
            assert not answers(linked, vector.claims, 7, (*told[:place], more, *told[place + 1 :]))


@each
def test_the_soaks_own_account(vector: Vector) -> None:
    rules: dict[str, Any] = msgspec.to_builtins(vector.game)
    money = Money(rules)
    money.take_in(vector.wagers)
    found = by_the_account(money, {seat: hand.value for seat, hand in vector.hands.items()})
    assert tuple((one.seat, one.amount) for one in found) == vector.won
    stored = money.pots["main"].stored()
    assert (stored["current"], stored["carry"], stored["house_funding"]) == (
        vector.pot,
        vector.carry,
        funding(vector),
    )


@each
def test_the_floors_functions(vector: Vector) -> None:
    with a_hall().owner.transaction(force_rollback=True):
        floor = OnTheFloor(vector.game)
        if vector.wagers:
            floor.take(vector.wagers * vector.game.wager, "two")
        assert won(floor.serve(vector.claims, 7)) == vector.won
        level = floor.level()
        assert (level.current, level.carry, level.house_funding) == (
            vector.pot,
            vector.carry,
            funding(vector),
        )
        assert floor.sound()
