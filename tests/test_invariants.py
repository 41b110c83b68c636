"""The law that is asserted before anything is stored: each way to break it is refused, its nearest neighbour is not."""

import pytest
from msgspec.structs import replace

from controller.core import events as ev
from controller.core.game import Fund, Game, Hand, LevelRules, OverflowUse
from controller.core.invariants import InvariantError, check
from controller.core.punto.ledger import Bank
from controller.core.punto.score import PuntoResult
from controller.core.punto.state import Punto
from controller.core.state import Claim, Level, Phase, Pot, Seat, Table, Wager
from tests.helpers_game import GAME, locked, opened
from tests.helpers_punto import PUNTO_GAME, opened_punto, state

NOTED = (ev.Noted(),)
OPEN, LOCKED = opened(), locked(2, 5)
SECOND = LevelRules("mini", 1_000, 500, 0, 0, 5_000, OverflowUse.HOUSE)
TWO_LEVELS: Game = replace(GAME, levels=(*GAME.levels, SECOND))
AWARD = ev.AwardApproved(1, 2, Hand.FLUSH, "main", 100, 1, 1, 0, Fund.POT, 100, 0, 0, "art. 17")


def refuses(why: str, before: Table, after: Table, *results: ev.AnyResult, game: Game = GAME) -> None:
    with pytest.raises(InvariantError, match=why):
        check(game, before, after, results or NOTED)


def accepts(before: Table, after: Table, *results: ev.AnyResult, game: Game = GAME) -> None:
    check(game, before, after, results or NOTED)


def seated(table: Table, number: int, **values: object) -> Table:
    """The table with another seat `number`."""
    seats = [
        replace(seat, **values) if at == number else seat for at, seat in enumerate(table.seats, start=1)
    ]
    return replace(table, seats=tuple(seats))


def potted(table: Table, **values: object) -> Table:
    """The table with other values of its first level."""
    levels = (replace(table.pot.levels[0], **values), *table.pot.levels[1:])
    return replace(table, pot=replace(table.pot, levels=levels))


# Seats


@pytest.mark.parametrize("count", ["dropped", "accepted"])
@pytest.mark.parametrize("number", [1, 3, 7])
def test_a_seats_count_never_falls(count: str, number: int) -> None:
    before = seated(OPEN, number, dropped=5, accepted=5)
    refuses(f"seat {number}: a count fell", before, seated(before, number, **{count: 4}))
    accepts(before, seated(before, number, **{count: 6}))


@pytest.mark.parametrize("wager", [Wager.ACCEPTED, Wager.VOID, Wager.FORFEITED])
def test_only_a_locked_round_knows_taken_wagers(wager: Wager) -> None:
    refuses("seat 4: wager", OPEN, seated(OPEN, 4, wager=wager))


def test_no_wager_is_merely_placed_in_a_locked_round() -> None:
    refuses("seat 4: wager placed in phase locked", LOCKED, seated(LOCKED, 4, wager=Wager.PLACED))


def test_a_change_of_phase_is_looked_at_although_no_seat_changed() -> None:
    refuses("seat 2: wager accepted in phase open", LOCKED, replace(LOCKED, phase=Phase.OPEN))


def test_a_change_of_a_seat_is_looked_at_although_the_phase_stays() -> None:
    refuses("seat 3: accepted a wager that was not placed", LOCKED, seated(LOCKED, 3, wager=Wager.ACCEPTED))


def test_a_placed_wager_may_be_accepted_and_an_accepted_one_stays_so() -> None:
    placed = seated(OPEN, 3, wager=Wager.PLACED)
    accepts(placed, replace(seated(placed, 3, wager=Wager.ACCEPTED), phase=Phase.LOCKED))
    accepts(LOCKED, seated(LOCKED, 2, look=True))


def test_the_locked_round_behind_a_pending_award_counts_as_locked() -> None:
    claims = (Claim(2, Hand.FLUSH),)
    accepts(LOCKED, replace(LOCKED, phase=Phase.AWARD_PENDING, resume=Phase.LOCKED, claims=claims))
    refuses("seat 2", LOCKED, replace(LOCKED, phase=Phase.AWARD_PENDING, resume=Phase.OPEN, claims=claims))


def test_seats_may_be_added() -> None:
    accepts(OPEN, replace(OPEN, seats=(*OPEN.seats, Seat())))


# Phases and persons


def test_no_award_is_pending_without_a_claim() -> None:
    pending = replace(LOCKED, phase=Phase.AWARD_PENDING, resume=Phase.LOCKED, claims=(Claim(2, Hand.FLUSH),))
    refuses("without a claim", pending, replace(pending, claims=()))


@pytest.mark.parametrize(("phase", "resume"), [(Phase.LOCKED, Phase.LOCKED), (Phase.AWARD_PENDING, None)])
def test_a_pending_award_and_only_that_remembers_where_it_came_from(
    phase: Phase, resume: Phase | None
) -> None:
    claims = (Claim(2, Hand.FLUSH),)
    refuses("does not go with", OPEN, replace(OPEN, phase=phase, resume=resume, claims=claims))


@pytest.mark.parametrize("key", ["supervisor", "technician"])
def test_a_person_stands_behind_a_turned_key_only(key: str) -> None:
    person = {f"{key}_person": "Ana"}
    refuses("a key that is not turned", OPEN, replace(OPEN, **person))
    accepts(OPEN, replace(OPEN, **person, **{key: True}))


# Money

GROWN = replace(
    LOCKED,
    pot=Pot(
        (
            Level("main", 10_000, carry=400_000, reserve_pool=7, house_funding=9_000),
            Level("mini", 900, carry=600_000, house_funding=900),
        ),
        in_meter=1_008,
    ),
)
"""Wagers of 10.08: 1,000 to main and 7 to its reserve, and of the last unit 0.4 and 0.6 wait in the two carries."""


def test_two_levels_carries_are_counted_together() -> None:
    accepts(replace(GROWN, pot=replace(GROWN.pot, refund_meter=1)), GROWN, game=TWO_LEVELS)
    lost = potted(GROWN, carry=300_000)
    refuses("100000 millionths", GROWN, lost, game=TWO_LEVELS)


def test_money_is_neither_made_nor_lost() -> None:
    current = LOCKED.pot.levels[0].current
    refuses("money is not conserved", LOCKED, potted(LOCKED, current=current + 1))
    refuses("money is not conserved", LOCKED, potted(LOCKED, current=current - 1), AWARD)


def test_what_is_taken_in_is_what_the_lamps_show() -> None:
    """Two lamps of 10.00: 20.00, of which the house's share is all here."""
    before = replace(LOCKED, pot=replace(LOCKED.pot, in_meter=0, house_share=0))
    before = potted(before, current=10_000_000)
    for taken, right in ((2_000, True), (1_000, False), (3_000, False)):
        after = replace(
            before, pot=replace(before.pot, in_meter=taken, house_share=taken * 1_000_000), seats=before.seats
        )
        if right:
            accepts(before, after)
        else:
            refuses(f"{taken} taken in for 2 lamps", before, after)


@pytest.mark.parametrize(
    "result",
    [
        AWARD,
        ev.CorrectionMade("main", 10_000_000, 9_999_900),
        ev.TransferMade("main", -100, 9_999_900),
    ],
    ids=lambda result: type(result).__name__,
)
def test_a_pot_falls_only_by_what_the_results_tell(result: ev.AnyResult) -> None:
    before = potted(OPEN, current=10_000_000, house_funding=10_000_000)
    after = potted(before, current=9_999_900, corrections=-100)
    refuses("the pot fell without", before, after)
    accepts(before, after, result)


def test_a_fall_of_the_second_level_is_seen_behind_a_first_that_rose() -> None:
    after = replace(
        GROWN,
        pot=replace(
            GROWN.pot,
            levels=(
                replace(GROWN.pot.levels[0], current=10_010, corrections=10),
                replace(GROWN.pot.levels[1], current=890, corrections=-10),
            ),
        ),
    )
    refuses("level mini: the pot fell", GROWN, after, game=TWO_LEVELS)


def test_an_award_of_nothing_lets_no_pot_fall() -> None:
    before = potted(OPEN, current=10_000_000, house_funding=10_000_000)
    after = potted(before, current=9_999_900, corrections=-100)
    refuses("the pot fell without", before, after, replace(AWARD, amount=0))


@pytest.mark.parametrize("meter", ["current", "reserve_pool", "overflow_meter", "house_funding"])
def test_no_meter_falls_below_zero(meter: str) -> None:
    level = OPEN.pot.levels[0]
    low = {meter: -1}
    gone = getattr(level, meter) + 1
    balanced = -gone if meter != "house_funding" else gone
    refuses("a meter fell below zero", OPEN, potted(OPEN, **low, corrections=balanced), AWARD)
    zero = {meter: 0}
    balanced = -getattr(level, meter) if meter != "house_funding" else getattr(level, meter)
    accepts(OPEN, potted(OPEN, **zero, corrections=balanced), AWARD)


def test_no_pot_rises_above_its_limit_but_one_already_there_may_stay() -> None:
    limit = GAME.levels[0].limit
    funded = {"house_funding": limit, "corrections": 0}
    accepts(OPEN, potted(OPEN, current=limit, **funded))
    refuses("above its limit", OPEN, potted(OPEN, current=limit + 1, **{**funded, "corrections": 1}))
    above = potted(OPEN, current=limit + 5, house_funding=limit + 5)
    accepts(above, replace(above, pot=replace(above.pot, refund_meter=1)))


def test_the_pot_has_the_levels_of_its_game() -> None:
    with pytest.raises(ValueError, match="zip"):
        check(GAME, GROWN, replace(GROWN, pot=replace(GROWN.pot, refund_meter=1)), NOTED)


def test_nothing_that_is_the_same_table_is_looked_at() -> None:
    wrong = seated(OPEN, 1, wager=Wager.ACCEPTED)
    accepts(wrong, wrong)


# Punto y Banca

BANKED = replace(opened_punto(), punto=replace(state(opened_punto()), bank=Bank(3, 10_000, 10_000)))


def dealt(table: Table, **values: object) -> Table:
    return replace(table, punto=replace(state(table), **values))


def test_a_table_stays_what_it_is() -> None:
    refuses("does not change between", BANKED, replace(BANKED, punto=None), game=PUNTO_GAME)
    refuses("does not change between", OPEN, replace(OPEN, punto=Punto()))


@pytest.mark.parametrize(("phase", "void"), [(Phase.OPEN, False), (Phase.LOCKED, True)])
def test_a_result_stands_in_a_locked_round_that_is_not_void(phase: Phase, void: bool) -> None:
    table = replace(BANKED, phase=Phase.LOCKED)
    accepts(table, dealt(table, result=PuntoResult.PUNTO), game=PUNTO_GAME)
    wrong = replace(dealt(table, result=PuntoResult.PUNTO, void=void), phase=phase)
    refuses("the result punto stands", table, wrong, game=PUNTO_GAME)


def bank(stake: int) -> Bank:
    return Bank(3, 10_000, stake)


@pytest.mark.parametrize(
    ("stake", "commission", "results"),
    [
        # 100.00 and 50.00 won, 10.00 raised, 4.00 frozen, 7.00 paid out, 5.00 commission: 152.00 inside
        (
            15_200,
            500,
            (
                ev.BankMoved(3, 15_200, 5_000, 1_000, 400, 700, 500),
                ev.BetFrozen(1, PuntoResult.PUNTO, 400, 3),
            ),
        ),
        (
            18_500,
            1_500,
            (ev.BankMoved(3, 0, won=5_000, commission=500), ev.BankMoved(3, 0, won=5_000, commission=1_000)),
        ),
    ],
)
def test_a_bank_moves_by_what_is_told(stake: int, commission: int, results: tuple[ev.AnyResult, ...]) -> None:
    right = dealt(BANKED, bank=bank(stake), commission_meter=commission)
    accepts(BANKED, right, *results, game=PUNTO_GAME)
    refuses("the bank went from", BANKED, dealt(right, bank=bank(stake + 1)), *results, game=PUNTO_GAME)
    refuses("another sum", BANKED, dealt(right, commission_meter=commission - 1), *results, game=PUNTO_GAME)


def test_a_bank_begins_with_its_stake_and_ends_with_nothing_inside() -> None:
    none = dealt(BANKED, bank=None)
    accepts(none, BANKED, ev.BankOpened(3, 10_000, suite=False), game=PUNTO_GAME)
    refuses("the bank went from 0 to 10000", none, BANKED, game=PUNTO_GAME)
    ended = dealt(none, commission_meter=300)
    accepts(BANKED, ended, ev.BankEnded(3, 2_000, 7_700, 300, "13"), game=PUNTO_GAME)
    refuses("the bank went from", BANKED, ended, ev.BankEnded(3, 2_000, 7_000, 300, "13"), game=PUNTO_GAME)


def test_two_ended_banks_commissions_are_counted_together() -> None:
    ended = dealt(BANKED, bank=None, commission_meter=300)
    both = (ev.BankEnded(3, 2_000, 2_900, 100, "13"), ev.BankEnded(4, 2_000, 2_800, 200, "13"))
    accepts(BANKED, ended, *both, game=PUNTO_GAME)


def test_no_bank_goes_below_zero() -> None:
    below = dealt(BANKED, bank=bank(-1))
    refuses("the bank went from", BANKED, below, ev.BankMoved(3, -1, paid_out=10_001), game=PUNTO_GAME)
    accepts(BANKED, dealt(BANKED, bank=bank(0)), ev.BankMoved(3, 0, paid_out=10_000), game=PUNTO_GAME)


def test_a_frozen_bet_enters_a_bank_or_is_kept() -> None:
    frozen = ev.BetFrozen(1, PuntoResult.PUNTO, 400, 0)
    accepts(BANKED, dealt(BANKED, frozen_meter=400), frozen, game=PUNTO_GAME)
    accepts(BANKED, dealt(BANKED, frozen_waiting=400), replace(frozen, waits=True), game=PUNTO_GAME)
    waiting = dealt(BANKED, frozen_waiting=400, frozen_meter=50)
    into = dealt(waiting, frozen_waiting=0, bank=bank(10_400))
    accepts(waiting, into, ev.BankMoved(3, 10_400, frozen=400), game=PUNTO_GAME)
    refuses("were frozen", BANKED, dealt(BANKED, frozen_meter=300), frozen, game=PUNTO_GAME)
    refuses("were frozen", BANKED, dealt(BANKED, encarts=1), frozen, game=PUNTO_GAME)
