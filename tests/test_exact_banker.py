"""What the banker's acts, the shoe and bets that are left change, and that they change nothing else (seed 001)."""

import pytest
from msgspec.structs import replace

from controller.core import events as ev
from controller.core.events import Refusal
from controller.core.game import Game
from controller.core.punto.frozen import LeftBet
from controller.core.punto.ledger import Bank
from controller.core.punto.rules import LastBank
from controller.core.punto.score import PuntoResult
from controller.core.punto.shoe import Shoe
from controller.core.punto.state import Hands, Punto
from controller.core.state import Table
from tests.helpers_exact import NOTED, becomes, refuses, shown
from tests.helpers_game import key, play
from tests.helpers_punto import PUNTO_GAME, RULES, game_with, opened_punto
from tests.test_exact_punto import done, with_punto

PUNTO, BANCA, ENCART = PuntoResult.PUNTO, PuntoResult.BANCA, PuntoResult.ENCART
FRESH = Bank(3, 20_000, 20_000, turn_before=2)
WON = Bank(3, 20_000, 40_000, rounds=1, last_won=20_000, unpaid_base=20_000, turn_before=2)
PLAYED = Punto(begun=True, shoe=Shoe(300, 302, 7), bank=WON, turn=3, last=BANCA, commission_meter=70)
LOCKED = shown(play(PUNTO_GAME, opened_punto(), [ev.CoinInPressed(20)]), punto=PLAYED, round=4)
OPEN = shown(opened_punto(), punto=PLAYED, round=4)
LAST = Shoe(300, 302, 7, red=True, last=True)
TAKE_5 = ev.BankTaken(40, 5, 30_000)


def does(
    before: Table, event: ev.AnyEvent, /, *told: ev.AnyResult, game: Game = PUNTO_GAME, **values: object
) -> None:
    """Assert that the event changes these values of the game, ends a refusal, and tells this."""
    becomes(before, event, done(before, **values), *told, game=game)


def never(before: Table, event: ev.AnyEvent, reason: Refusal, game: Game = PUNTO_GAME) -> None:
    refuses(before, event, reason, game=game)


def test_a_free_bank_is_taken_and_it_is_its_seats_turn() -> None:
    before = with_punto(OPEN, bank=None)
    does(
        before,
        TAKE_5,
        ev.BankOpened(5, 30_000, suite=False),
        bank=Bank(5, 30_000, 30_000, turn_before=3),
        turn=5,
    )


def test_a_suite_and_an_asiento_libre_leave_the_turn_where_it_is() -> None:
    suite = with_punto(OPEN, bank=None, suite=True)
    bank = Bank(5, 30_000, 30_000, suite=True, turn_before=3)
    does(suite, TAKE_5, ev.BankOpened(5, 30_000, suite=True), bank=bank)
    free = with_punto(OPEN, bank=None)
    event = replace(TAKE_5, free=True)
    told = ev.BankOpened(5, 30_000, suite=False, free=True)
    does(free, event, told, bank=Bank(5, 30_000, 30_000, turn_before=3, free=True))
    never(suite, event, Refusal.NO_FREE_SEAT)
    never(with_punto(free, turn=0), event, Refusal.NO_FREE_SEAT)


def test_frozen_bets_that_waited_enter_the_bank_that_is_taken() -> None:
    before = with_punto(OPEN, bank=None, frozen_waiting=700)
    told = (ev.BankOpened(5, 30_000, suite=False), ev.BankMoved(5, 30_700, frozen=700))
    bank = Bank(5, 30_000, 30_700, turn_before=3, inherited=700)
    does(before, TAKE_5, *told, bank=bank, turn=5, frozen_waiting=0)
    again = shown(done(before, bank=bank, turn=5, frozen_waiting=0))
    back = (ev.BankMoved(5, 30_000, frozen=-700), ev.BankEnded(5, 0, 30_000, 0, ""))
    anew = (ev.BankOpened(6, 40_000, suite=False), ev.BankMoved(6, 40_700, frozen=700))
    six = Bank(6, 40_000, 40_700, turn_before=3, inherited=700)
    does(again, ev.BankTaken(41, 6, 40_000), *back, *anew, bank=six, turn=6)


@pytest.mark.parametrize(
    ("values", "event", "reason"),
    [
        ({"bank": WON}, TAKE_5, Refusal.BANK_HELD),
        ({"bank": replace(FRESH, encarts=1)}, TAKE_5, Refusal.BANK_HELD),
        ({"bank": None, "house_bank": True}, TAKE_5, Refusal.BANK_HELD),
        ({"bank": None}, ev.BankTaken(40, 5, 9_000), Refusal.BANK_STAKE),
        ({"bank": FRESH, "shoe": LAST}, ev.BankTaken(40, 3, 21_000), Refusal.LAST_ROUND),
        (
            {"bank": replace(FRESH, inherited=5_000), "shoe": LAST},
            ev.BankTaken(40, 3, 16_000),
            Refusal.LAST_ROUND,
        ),
    ],
)
def test_a_bank_that_is_held_or_cannot_be_is_not_taken(
    values: dict[str, object], event: ev.AnyEvent, reason: Refusal
) -> None:
    never(with_punto(OPEN, **values), event, reason)


def test_in_the_last_round_a_bank_is_put_right_to_what_is_its_own_at_most() -> None:
    before = with_punto(OPEN, bank=FRESH, shoe=LAST)
    told = (ev.BankEnded(3, 0, 20_000, 0, ""), ev.BankOpened(3, 20_000, suite=False))
    does(before, ev.BankTaken(40, 3, 20_000), *told, bank=Bank(3, 20_000, 20_000, turn_before=2), turn=3)


@pytest.mark.parametrize(
    ("values", "between"),
    [
        ({"encarts": 1}, True),
        ({"encarts": 0}, False),
        ({"encarts": 1, "hands": Hands((1, 2), (3, 4))}, False),
        ({"encarts": 1, "result": PUNTO}, False),
        ({"encarts": 1, "void": True}, False),
    ],
)
def test_between_the_deals_of_an_encart_and_nowhere_else_a_bank_changes_hands(
    values: dict[str, object], between: bool
) -> None:
    free = with_punto(LOCKED, bank=None, **values)
    held = with_punto(LOCKED, **values)
    counted = ev.CardsCounted(40, 300)
    if between:
        does(
            free,
            TAKE_5,
            ev.BankOpened(5, 30_000, suite=False),
            bank=Bank(5, 30_000, 30_000, turn_before=3),
            turn=5,
        )
        told = ev.BankEnded(3, 0, 39_000, 1_000, "num. 20")
        does(held, ev.BankPassed(40), told, bank=None, suite=True, commission_meter=1_070)
        does(held, counted, NOTED, shoe=Shoe(300, 300, 7))
    else:
        never(free, TAKE_5, Refusal.WRONG_PHASE)
        never(held, ev.BankPassed(40), Refusal.WRONG_PHASE)
        never(held, counted, Refusal.WRONG_PHASE)


def test_a_raise_is_added_except_in_the_last_round() -> None:
    told = ev.BankMoved(3, 41_000, raised=1_000)
    does(OPEN, ev.BankRaised(40, 1_000), told, bank=replace(WON, stake=41_000))
    never(with_punto(OPEN, shoe=LAST), ev.BankRaised(40, 1_000), Refusal.LAST_ROUND)
    never(with_punto(OPEN, bank=None), ev.BankRaised(40, 1_000), Refusal.NO_BANKER)
    never(with_punto(OPEN, bank=FRESH), ev.BankRaised(40, 1_000), Refusal.NO_ROUND_WON)
    never(OPEN, ev.BankRaised(40, 500), Refusal.BANK_STAKE)
    without = with_punto(OPEN, shoe=None)
    does(without, ev.BankRaised(40, 1_000), told, bank=replace(WON, stake=41_000))


def test_a_withdrawal_is_paid_less_its_commission() -> None:
    """Half of 400 in the first round: 20 of the 200 won."""
    bank = replace(
        WON,
        stake=20_000,
        withdrawn=True,
        asked_half=True,
        last_discounted=True,
        unpaid_base=0,
        commission=2_000,
    )
    told = ev.BankMoved(3, 20_000, paid_out=18_000, commission=2_000, source="num. 16")
    does(OPEN, ev.BankWithdrawn(40, 20_000), told, bank=bank, commission_meter=2_070)
    never(with_punto(OPEN, bank=None), ev.BankWithdrawn(40, 20_000), Refusal.NO_BANKER)
    never(OPEN, ev.BankWithdrawn(40, 20_001), Refusal.MORE_THAN_HALF)
    never(OPEN, ev.BankWithdrawn(40, 0), Refusal.BELOW_DISCOUNT)
    never(with_punto(OPEN, bank=bank), ev.BankWithdrawn(40, 1_000), Refusal.ALREADY_WITHDRAWN)
    coarse = replace(PUNTO_GAME, payable_unit=500)
    never(OPEN, ev.BankWithdrawn(40, 1_200), Refusal.AMOUNT_OUT_OF_RANGE, coarse)
    does(
        OPEN,
        ev.BankWithdrawn(40, 1_500),
        ev.BankMoved(3, 38_500, paid_out=1_500, source="num. 15"),
        game=coarse,
        bank=replace(WON, stake=38_500, withdrawn=True),
    )


def test_a_suite_is_refused_without_a_bank_or_a_round() -> None:
    never(with_punto(OPEN, bank=None), ev.BankPassed(40), Refusal.NO_BANKER)
    never(with_punto(OPEN, bank=FRESH), ev.BankPassed(40), Refusal.NO_ROUND_WON)


def test_who_gives_up_takes_all_with_him_and_what_he_inherited_waits_again() -> None:
    gone = ev.BankGivenUp(40)
    never(with_punto(OPEN, bank=None), gone, Refusal.NO_BANKER)
    never(OPEN, gone, Refusal.BANK_GOES_ON)
    does(with_punto(OPEN, bank=FRESH), gone, ev.BankEnded(3, 0, 20_000, 0, "num. 26"), bank=None)
    rich = with_punto(OPEN, bank=replace(FRESH, stake=20_700, inherited=700, encarts=1), frozen_waiting=40)
    told = (ev.BankMoved(3, 20_000, frozen=-700), ev.BankEnded(3, 0, 20_000, 0, "num. 18"))
    does(rich, gone, *told, bank=None, frozen_waiting=740)
    doubted = with_punto(LOCKED, doubted=True)
    does(doubted, gone, ev.BankEnded(3, 0, 40_000, 0, "num. 10"), bank=None, house_bank=True)
    never(with_punto(doubted, result=PUNTO), gone, Refusal.RESULT_STANDS)
    may = game_with(last_bank=LastBank.MAY_LEAVE)
    last = with_punto(OPEN, shoe=LAST)
    does(last, gone, ev.BankEnded(3, 0, 40_000, 0, "num. 41"), game=may, bank=None)
    never(OPEN, gone, Refusal.BANK_GOES_ON, may)
    never(last, gone, Refusal.BANK_GOES_ON)
    never(with_punto(LOCKED, shoe=LAST), gone, Refusal.BANK_GOES_ON, may)
    never(with_punto(LOCKED, bank=FRESH), gone, Refusal.BANK_GOES_ON)


def test_a_shoe_is_made_and_one_made_too_soon_ends_the_other() -> None:
    before = play(PUNTO_GAME, OPEN, [key(True)])
    full = Shoe(312, 312, 7)
    made = ev.ShoeMade(40, 7)
    does(before, made, ev.ShoeOver(), shoe=full)
    for other in (None, Shoe(300, 300, 7, over=True), Shoe(312, 312, 20)):
        does(with_punto(before, shoe=other), made, NOTED, shoe=full)
    does(with_punto(before, shoe=Shoe(312, 312, 20, red=True)), made, ev.ShoeOver(), shoe=full)
    free = with_punto(before, bank=replace(FRESH, free=True))
    does(free, made, ev.ShoeOver(), ev.BankEnded(3, 0, 20_000, 0, "num. 6"), shoe=full, bank=None)


def test_the_red_card_is_shown_once_before_a_result() -> None:
    red = Shoe(7, 7, 7, red=True, last=True)
    does(OPEN, ev.RedCardShown(40), ev.LastRound(), shoe=red)
    does(LOCKED, ev.RedCardShown(40), NOTED, shoe=Shoe(7, 13, 7, red=True))
    does(with_punto(LOCKED, encarts=1), ev.RedCardShown(40), ev.LastRound(), encarts=1, shoe=red)
    never(with_punto(OPEN, shoe=None), ev.RedCardShown(40), Refusal.NO_SHOE)
    never(with_punto(OPEN, shoe=red), ev.RedCardShown(40), Refusal.LAST_ROUND)
    never(with_punto(LOCKED, result=PUNTO), ev.RedCardShown(40), Refusal.RESULT_STANDS)


def test_cards_are_burned_and_counted_in_a_shoe_only() -> None:
    does(OPEN, ev.CardBurned(40), NOTED, shoe=Shoe(299, 301, 7))
    does(OPEN, ev.CardsCounted(40, 302), NOTED, shoe=Shoe(302, 302, 7))
    never(OPEN, ev.CardsCounted(40, 303), Refusal.AMOUNT_OUT_OF_RANGE)
    for event in (ev.CardBurned(40), ev.CardsCounted(40, 300)):
        never(with_punto(OPEN, shoe=None), event, Refusal.NO_SHOE)


SEVEN = LeftBet(7, BANCA, 1_000, 0, 1)


def test_a_bet_is_left_once_a_seat_and_side_on_what_has_won() -> None:
    event = ev.BetNotWithdrawn(40, 7, BANCA, 1_000)
    does(OPEN, event, ev.BetLeft(7, BANCA, 1_000, 0, 1), left=(SEVEN,))
    beside = with_punto(OPEN, left=(LeftBet(7, PUNTO, 5, 0, 2), LeftBet(8, BANCA, 5, 0, 2)))
    assert beside.punto is not None
    does(beside, event, ev.BetLeft(7, BANCA, 1_000, 0, 1), left=(*beside.punto.left, SEVEN))
    does(OPEN, replace(event, amount=1), ev.BetLeft(7, BANCA, 1, 0, 1), left=(replace(SEVEN, amount=1),))
    never(with_punto(OPEN, left=(SEVEN,)), event, Refusal.ALREADY_LEFT)
    never(OPEN, replace(event, amount=0), Refusal.AMOUNT_OUT_OF_RANGE)
    never(OPEN, replace(event, side=PUNTO), Refusal.BET_DID_NOT_WIN)
    never(with_punto(OPEN, last=ENCART), replace(event, side=ENCART), Refusal.BET_DID_NOT_WIN)


def test_a_bet_is_taken_back_alone_with_what_lies_beside_it() -> None:
    bets = (LeftBet(7, PUNTO, 5, 0, 2), replace(SEVEN, waiting=90), LeftBet(8, BANCA, 5, 0, 2))
    event = ev.BetTakenBack(40, 7, BANCA)
    told = ev.BetReturned(7, BANCA, 1_090)
    does(with_punto(OPEN, left=bets), event, told, left=(bets[0], bets[2]))
    never(OPEN, event, Refusal.NO_BET_LEFT)
    locked = with_punto(LOCKED, left=bets)
    never(locked, event, Refusal.WRONG_PHASE)
    for values in ({"doubted": True}, {"shoe": LAST}):
        does(with_punto(locked, **values), event, told, left=(bets[0], bets[2]))
        never(with_punto(locked, hands=Hands((1, 2), (3, 4)), **values), event, Refusal.CARDS_WERE_SEEN)


def test_the_numbers_of_the_house_are_those_of_the_tests() -> None:
    """What the amounts above are worked out with."""
    assert (RULES.bank_min, RULES.bank_max, RULES.bank_step, RULES.decks) == (10_000, 100_000, 1_000, 6)
