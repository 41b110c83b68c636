"""What the end of a round and of a shoe change at a table of Punto y Banca, and that they change nothing else."""

import pytest
from msgspec.structs import replace

from controller.core import events as ev
from controller.core.game import Game
from controller.core.punto.frozen import LeftBet
from controller.core.punto.ledger import Bank
from controller.core.punto.rules import FrozenInto, HouseSuite, LeftPlays
from controller.core.punto.shoe import Shoe
from controller.core.punto.state import Hands
from controller.core.state import Closure, Phase, Table
from tests.helpers_exact import becomes, each, with_seats
from tests.helpers_punto import PUNTO_GAME, game_with
from tests.test_exact_banker import BANCA, FRESH, LAST, LOCKED, PUNTO, SEVEN
from tests.test_exact_punto import done, with_punto


def ended(before: Table, **values: object) -> Table:
    """The table with the next round open, the shoe less four to six cards, and these values."""
    shoe = Shoe(294, 298, 7)
    common: dict[str, object] = {"shoe": shoe, "hands": None, "result": None, "amount": None, "encarts": 0}
    return replace(done(before, **common | values), phase=Phase.OPEN, round=5)


def ends(before: Table, /, *told: ev.AnyResult, game: Game = PUNTO_GAME, **values: object) -> None:
    """Assert that GAME OVER makes this of the table."""
    becomes(before, ev.GameOverPressed(50), ended(before, **values), ev.RoundEnded(4), *told, game=game)


def test_a_bank_that_wins_goes_on_with_its_commission_booked() -> None:
    """400 won in the second round: 40 of it."""
    before = with_punto(LOCKED, result=BANCA, encarts=2, hands=Hands((1, 1), (1, 2)))
    bank = Bank(
        3, 20_000, 76_000, rounds=2, last_won=40_000, last_discounted=True, commission=4_000, turn_before=2
    )
    told = ev.BankMoved(3, 76_000, won=40_000, commission=4_000, source="num. 13")
    ends(before, told, bank=bank, last=BANCA, commission_meter=4_070, shoe=Shoe(296, 298, 7))
    entered = with_punto(before, amount=10_000)
    bank = replace(bank, stake=49_000, last_won=10_000, commission=1_000)
    told = ev.BankMoved(3, 49_000, won=10_000, commission=1_000, source="num. 13")
    ends(entered, told, bank=bank, last=BANCA, commission_meter=1_070, shoe=Shoe(296, 298, 7))


def test_a_bank_that_falls_ends_and_the_next_open_seat_deals() -> None:
    before = with_seats(with_punto(LOCKED, result=PUNTO, suite=True), each(4, 5, closed=Closure.HAND))
    told = (ev.BankEnded(3, 40_000, 0, 0, "num. 6"), ev.TurnPassed(6))
    ends(before, *told, bank=None, last=PUNTO, turn=6, suite=False)
    part = with_punto(before, amount=15_000)
    told = (ev.BankEnded(3, 15_000, 25_000, 0, "num. 6"), ev.TurnPassed(6))
    ends(part, *told, bank=None, last=PUNTO, turn=6, suite=False)


@pytest.mark.parametrize(
    ("turn", "closed", "following"), [(16, (), 1), (15, (16,), 1), (3, range(1, 17), 3), (0, (), 0)]
)
def test_the_turn_goes_round_the_table_and_to_nobody_where_there_is_none(
    turn: int, closed: tuple[int, ...], following: int
) -> None:
    before = with_seats(
        with_punto(LOCKED, result=PUNTO, bank=None, turn=turn), each(*closed, closed=Closure.HAND)
    )
    told = [ev.TurnPassed(following)] if turn else []
    ends(before, *told, last=PUNTO, turn=following)


def test_the_house_banks_on_until_punto_wins() -> None:
    before = with_punto(LOCKED, bank=None, house_bank=True)
    ends(with_punto(before, result=BANCA), last=BANCA)
    ends(with_punto(before, result=PUNTO), ev.TurnPassed(4), last=PUNTO, house_bank=False, turn=4)
    nobody = with_punto(before, house_bank=False)
    ends(with_punto(nobody, result=BANCA), last=BANCA)


BETS = (SEVEN, LeftBet(8, BANCA, 2_000, 30, 2), LeftBet(9, PUNTO, 400, 5, 2))


@pytest.mark.parametrize(
    ("into", "house", "values", "waits"),
    [
        (FrozenInto.HOUSE, False, {"frozen_meter": 3_801}, False),
        (FrozenInto.ENDING_BANK, False, {"frozen_meter": 3_801}, False),
        (FrozenInto.NEXT_BANK, False, {"frozen_waiting": 3_801}, True),
        (FrozenInto.NEXT_BANK, True, {"frozen_meter": 3_801}, False),
    ],
)
def test_bets_that_are_left_win_lose_or_are_frozen_where_nobody_banks(
    into: FrozenInto, house: bool, values: dict[str, object], waits: bool
) -> None:
    """Seat 7: 10 wins 9 (10 % less) → 19. Seat 8: 20 wins 18 → 38, frozen; 0.30 beside it. Seat 9 loses 4."""
    game = game_with(frozen_into=into)
    start = dict.fromkeys(values, 1)
    before = with_punto(
        LOCKED, bank=None, house_bank=house, left=BETS, result=BANCA, discount_meter=9, **start
    )
    told = (
        ev.BetLost(9, PUNTO, 400, 5),
        ev.BetLeft(7, BANCA, 1_900, 0, 2),
        ev.BetFrozen(8, BANCA, 3_800, into=0, waits=waits),
        ev.BetReturned(8, BANCA, 30),
    )
    left = (LeftBet(7, BANCA, 1_900, 0, 2),)
    ends(before, *told, game=game, left=left, discount_meter=309, last=BANCA, **values)


def test_what_is_frozen_enters_the_bank_that_goes_on_after_its_own_round() -> None:
    """The bank wins 400, of which 40 are taken; then 38 enter it."""
    before = with_punto(LOCKED, left=BETS[1:2], result=BANCA)
    told = (
        ev.BankMoved(3, 76_000, won=40_000, commission=4_000, source="num. 13"),
        ev.BetFrozen(8, BANCA, 3_800, into=3),
        ev.BetReturned(8, BANCA, 30),
        ev.BankMoved(3, 79_800, frozen=3_800),
    )
    bank = Bank(
        3, 20_000, 79_800, rounds=2, last_won=40_000, last_discounted=True, commission=4_000, turn_before=2
    )
    ends(before, *told, bank=bank, left=(), discount_meter=200, last=BANCA, commission_meter=4_070)


@pytest.mark.parametrize(("into", "paid_out"), [(FrozenInto.ENDING_BANK, 800), (FrozenInto.HOUSE, 0)])
def test_what_is_frozen_as_the_bank_falls_is_the_bankers_only_by_policy(
    into: FrozenInto, paid_out: int
) -> None:
    """4 on punto win 4 → 8."""
    game = game_with(frozen_into=into)
    before = with_punto(LOCKED, left=(LeftBet(9, PUNTO, 400, 0, 2),), result=PUNTO)
    fell = ev.BankEnded(3, 40_000, paid_out, 0, "num. 6")
    if paid_out:
        told: tuple[ev.AnyResult, ...] = (
            ev.BetFrozen(9, PUNTO, 800, into=3),
            ev.BankMoved(3, 40_800, frozen=800),
            fell,
        )
    else:
        told = (fell, ev.BetFrozen(9, PUNTO, 800, into=0))
    kept = {} if paid_out else {"frozen_meter": 800}
    ends(before, *told, ev.TurnPassed(4), game=game, left=(), bank=None, turn=4, last=PUNTO, **kept)


def test_by_policy_winnings_wait_beside_a_bet() -> None:
    game = game_with(left_plays=LeftPlays.STAKE_ONLY)
    before = with_punto(LOCKED, bank=None, left=(SEVEN,), result=BANCA)
    after = (LeftBet(7, BANCA, 1_000, 900, 2),)
    ends(before, ev.BetLeft(7, BANCA, 1_000, 900, 2), game=game, left=after, discount_meter=100, last=BANCA)


def over(*, fewest: int = 4) -> Shoe:
    """The shoe after its last round, of which nobody entered the cards: six at most."""
    return replace(LAST, least=LAST.least - 6, most=LAST.most - fewest, last=False, over=True)


def test_after_the_red_card_the_next_round_is_the_last_and_then_the_shoe_is_over() -> None:
    red = replace(LAST, last=False)
    coming = Shoe(294, 298, 7, red=True, last=True)
    ends(with_punto(LOCKED, bank=None, result=BANCA, shoe=red), ev.LastRound(), last=BANCA, shoe=coming)
    ends(with_punto(LOCKED, bank=None, result=BANCA, shoe=LAST), ev.ShoeOver(), last=BANCA, shoe=over())
    ends(with_punto(LOCKED, bank=None, result=BANCA, shoe=None), last=BANCA, shoe=None)


SUITE = Bank(9, 30_000, 30_000, suite=True, rounds=1, last_won=0, turn_before=3)


def test_a_suite_and_an_asiento_libre_end_with_the_shoe() -> None:
    suite = with_punto(LOCKED, bank=SUITE, suite=True, void=True, shoe=LAST)
    told = (ev.ShoeOver(), ev.BankEnded(9, 0, 30_000, 0, "num. 6"), ev.TurnPassed(4))
    ends(suite, *told, bank=None, suite=False, turn=4, void=False, last=None, shoe=over(fewest=0))
    free = with_punto(LOCKED, bank=replace(FRESH, free=True), void=True, shoe=LAST)
    told_free = (ev.ShoeOver(), ev.BankEnded(3, 0, 20_000, 0, "num. 6"))
    ends(free, *told_free, bank=None, void=False, last=None, shoe=over(fewest=0))
    any_other = with_punto(LOCKED, void=True, shoe=LAST)
    ends(any_other, ev.ShoeOver(), void=False, last=None, shoe=over(fewest=0))


def test_what_a_sent_home_bank_inherited_waits_for_the_next() -> None:
    bank = replace(FRESH, free=True, stake=20_700, inherited=700)
    before = with_punto(LOCKED, bank=bank, void=True, shoe=LAST, frozen_waiting=40)
    told = (ev.ShoeOver(), ev.BankMoved(3, 20_000, frozen=-700), ev.BankEnded(3, 0, 20_000, 0, "num. 6"))
    ends(before, *told, bank=None, void=False, last=None, shoe=over(fewest=0), frozen_waiting=740)


@pytest.mark.parametrize("policy", HouseSuite)
def test_how_long_the_house_goes_on_with_a_suite_is_a_policy(policy: HouseSuite) -> None:
    game = game_with(house_suite=policy)
    before = with_punto(LOCKED, bank=None, house_bank=True, suite=True, result=BANCA, shoe=LAST)
    if policy is HouseSuite.UNTIL_PUNTO:
        ends(before, ev.ShoeOver(), game=game, last=BANCA, shoe=over())
    else:
        told = (ev.ShoeOver(), ev.TurnPassed(4))
        ends(before, *told, game=game, last=BANCA, shoe=over(), house_bank=False, suite=False, turn=4)
