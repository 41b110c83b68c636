"""Who deals from the next shoe (seed 001 nums. 6, 10, 19, 26); amounts in cents, worked by hand."""

from controller.core import events as ev
from controller.core.events import Refusal
from controller.core.punto.rules import HouseSuite
from controller.core.punto.score import PuntoResult
from controller.core.state import Table
from tests.helpers_game import key, play
from tests.helpers_punto import PUNTO_GAME, game_with, opened_punto, refused, round_of, state, told

PUNTO, BANCA = PuntoResult.PUNTO, PuntoResult.BANCA
COIN_IN, GAME_OVER = ev.CoinInPressed(20), ev.GameOverPressed(22)
SHOD: list[ev.AnyEvent] = [key(True), ev.ShoeMade(3, 7), key(False)]
SUITE: list[ev.AnyEvent] = [
    *SHOD,
    ev.BankTaken(4, 3, 20_000),
    *round_of(BANCA),
    ev.BankPassed(30),
    ev.BankTaken(31, 9, 30_000),
]


def free_seat() -> Table:
    """Seat 3 does not deal; seat 8's bank of 200 is dealt as asiento libre and won 200."""
    taken: list[ev.AnyEvent] = [
        ev.BankTaken(4, 3, 20_000),
        ev.BankGivenUp(5),
        ev.BankTaken(6, 8, 20_000, free=True),
    ]
    return play(PUNTO_GAME, opened_punto(), [*SHOD, *taken, *round_of(BANCA)])


def test_num_19_a_shoe_made_anew_in_a_suite_ends_it_as_its_last_round_would() -> None:
    """Seat 9 won 300: his 600 go back whole, seat 4 deals."""
    table = play(PUNTO_GAME, opened_punto(), [*SUITE, *round_of(BANCA), key(True)])
    assert told(PUNTO_GAME, table, [ev.ShoeMade(40, 7)]) == [
        ev.ShoeOver(),
        ev.BankEnded(9, 0, 60_000, 0, "num. 6"),
        ev.TurnPassed(4),
    ]
    after = state(play(PUNTO_GAME, table, [ev.ShoeMade(40, 7)]))
    assert not after.suite
    assert after.shoe is not None
    assert after.shoe.most == 312


def test_a_shoe_from_which_nothing_was_dealt_is_only_put_right() -> None:
    table = play(PUNTO_GAME, opened_punto(), [*SHOD, ev.BankTaken(4, 3, 20_000), key(True)])
    assert told(PUNTO_GAME, table, [ev.ShoeMade(40, 8)]) == [ev.Noted()]


def test_num_6_a_free_seats_bank_goes_back_whole_at_the_shoes_end_and_the_owner_deals() -> None:
    """200 → 400, then 400 more less 40 of the second round (num. 13): 760."""
    table = play(PUNTO_GAME, free_seat(), [ev.RedCardShown(30)])
    assert state(table).turn == 3
    assert told(PUNTO_GAME, table, round_of(BANCA))[-2:] == [
        ev.ShoeOver(),
        ev.BankEnded(8, 0, 76_000, 0, "num. 6"),
    ]
    assert state(play(PUNTO_GAME, table, round_of(BANCA))).turn == 3


def test_num_6_punto_against_a_free_seat_passes_the_deal_to_the_right_of_the_owner() -> None:
    assert state(play(PUNTO_GAME, free_seat(), round_of(PUNTO))).turn == 4


def test_asiento_libre_needs_an_owner_of_the_turn_and_is_none_in_a_suite() -> None:
    free = ev.BankTaken(40, 8, 20_000, free=True)
    assert refused(PUNTO_GAME, opened_punto(), free) is Refusal.NO_FREE_SEAT
    assert refused(PUNTO_GAME, opened_punto(), *SUITE[:-1], free) is Refusal.NO_FREE_SEAT


def test_a_bank_entered_for_the_wrong_seat_takes_nobodys_turn() -> None:
    """Seat 3's turn; seat 8 is entered as its own, then as asiento libre."""
    table = play(PUNTO_GAME, opened_punto(), [ev.BankTaken(4, 3, 20_000), ev.BankGivenUp(5)])
    table = play(PUNTO_GAME, table, [ev.BankTaken(6, 8, 20_000)])
    assert state(table).turn == 8
    assert state(play(PUNTO_GAME, table, [ev.BankTaken(7, 8, 20_000, free=True)])).turn == 3


DOUBTED: list[ev.AnyEvent] = [
    *SUITE,
    ev.RedCardShown(32),
    COIN_IN,
    ev.DealDoubted(33),
    ev.BankGivenUp(34),
    ev.ResultEntered(35, BANCA),
    GAME_OVER,
]


def test_num_6_by_policy_the_shoe_ends_the_suite_the_house_went_on_with() -> None:
    after = state(play(PUNTO_GAME, opened_punto(), DOUBTED))
    assert (after.house_bank, after.suite, after.turn) == (False, False, 4)


def test_num_10_by_policy_the_house_goes_on_with_it_until_punto() -> None:
    game = game_with(house_suite=HouseSuite.UNTIL_PUNTO)
    table = play(game, opened_punto(game), DOUBTED)
    assert (state(table).house_bank, state(table).turn) == (True, 3)
    after = state(play(game, table, [*SHOD, *round_of(PUNTO)]))
    assert (after.house_bank, after.suite, after.turn) == (False, False, 4)
