"""Bets that are not withdrawn (seed 001 num. 44), each amount worked by hand in cents."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from controller.core import events as ev
from controller.core.game import Game
from controller.core.punto import frozen
from controller.core.punto.frozen import LeftBet
from controller.core.punto.rules import BankWins, Discount, FrozenInto, LeftPlays
from controller.core.punto.score import PuntoResult
from controller.core.state import Table
from tests.helpers_punto import RULES, game_with, opened_punto, play, round_of, state, told, with_punto

PUNTO, BANCA, ENCART = PuntoResult.PUNTO, PuntoResult.BANCA, PuntoResult.ENCART


def test_num_44_a_bet_left_plays_to_the_third_winning_round_and_is_frozen() -> None:
    """Left after its first win: 50 wins 50 → 100, wins 100 → 200, frozen."""
    bets = (frozen.leave(RULES, 4, PUNTO, 5_000),)
    second = frozen.play(RULES, bets, PUNTO, 1)
    assert second.left == (LeftBet(4, PUNTO, 10_000, 0, 2),)
    assert second.frozen == ()
    third = frozen.play(RULES, second.left, PUNTO, 1)
    assert third.left == ()
    assert third.frozen == (LeftBet(4, PUNTO, 20_000, 0, 3),)


def test_the_round_after_which_it_was_left_counts_by_policy() -> None:
    """Not counted: three more wins, 50 → 100 → 200 → 400."""
    rules = with_punto(first_win_counts=False)
    bets: tuple[LeftBet, ...] = (frozen.leave(rules, 4, PUNTO, 5_000),)
    for _ in range(2):
        bets = frozen.play(rules, bets, PUNTO, 1).left
    assert frozen.play(rules, bets, PUNTO, 1).frozen == (LeftBet(4, PUNTO, 40_000, 0, 3),)


def test_num_11_a_banca_bet_wins_ten_percent_less() -> None:
    """50 wins 50 - 5 = 45 → 95; 95 wins 95 - 9.50 = 85.50 → 180.50."""
    bets = (frozen.leave(RULES, 4, BANCA, 5_000),)
    second = frozen.play(RULES, bets, BANCA, 1)
    third = frozen.play(RULES, second.left, BANCA, 1)
    assert (second.left[0].amount, second.discount) == (9_500, 500)
    assert (third.frozen[0].amount, third.discount) == (18_050, 950)


def test_by_policy_only_the_stake_plays_and_winnings_wait_beside_it() -> None:
    rules = with_punto(left_plays=LeftPlays.STAKE_ONLY)
    bets = frozen.play(rules, (frozen.leave(rules, 4, BANCA, 5_000),), BANCA, 1).left
    assert bets == (LeftBet(4, BANCA, 5_000, 4_500, 2),)
    assert frozen.play(rules, bets, BANCA, 1).frozen == (LeftBet(4, BANCA, 5_000, 9_000, 3),)


def test_num_44_only_the_bet_that_was_not_withdrawn_is_frozen() -> None:
    """50 left, 45 and 45 beside it: 50 enter the bank of 100, 90 go to the player."""
    game = game_with(left_plays=LeftPlays.STAKE_ONLY, bank_wins=BankWins.ENTERED)
    begun: list[ev.AnyEvent] = [
        ev.BankTaken(4, 3, 10_000),
        *round_of(BANCA, 0),
        ev.BetNotWithdrawn(30, 7, BANCA, 5_000),
    ]
    table = play(game, opened_punto(game), [*begun, *round_of(BANCA, 0)])
    assert told(game, table, round_of(BANCA, 0))[2:] == [
        ev.BetFrozen(7, BANCA, 5_000, into=3),
        ev.BetReturned(7, BANCA, 9_000),
        ev.BankMoved(3, 15_000, frozen=5_000),
    ]


def punto_frozen(into: FrozenInto) -> tuple[Game, Table]:
    """Seat 7 left 50 on punto, which won once more (100); seat 5 holds 200 and the deal is out."""
    game = game_with(frozen_into=into)
    left = ev.BetNotWithdrawn(30, 7, PUNTO, 5_000)
    events = [*round_of(PUNTO), left, *round_of(PUNTO), ev.BankTaken(31, 5, 20_000)]
    return game, play(game, opened_punto(game), events)


def test_by_policy_what_is_frozen_as_punto_wins_is_given_to_the_banker_who_falls() -> None:
    """100 + 100 = 200 enter his bank; its 200 are lost, and the 200 are what is left."""
    game, table = punto_frozen(FrozenInto.ENDING_BANK)
    assert told(game, table, round_of(PUNTO))[1:4] == [
        ev.BetFrozen(7, PUNTO, 20_000, into=5),
        ev.BankMoved(5, 40_000, frozen=20_000),
        ev.BankEnded(5, 20_000, 20_000, 0, "num. 6"),
    ]


def test_by_policy_what_is_frozen_waits_for_the_next_bank_and_is_nobodys_until_its_first_round() -> None:
    game, table = punto_frozen(FrozenInto.NEXT_BANK)
    assert told(game, table, round_of(PUNTO))[2] == ev.BetFrozen(7, PUNTO, 20_000, into=0, waits=True)
    table = play(game, table, [*round_of(PUNTO), ev.BankTaken(40, 6, 30_000)])
    bank = state(table).bank
    assert bank is not None
    assert (bank.initial, bank.stake) == (30_000, 50_000)
    assert told(game, table, [ev.BankGivenUp(41)]) == [
        ev.BankMoved(6, 30_000, frozen=-20_000),
        ev.BankEnded(6, 0, 30_000, 0, "num. 26"),
    ]
    assert state(play(game, table, [ev.BankGivenUp(41)])).frozen_waiting == 20_000
    bank = state(play(game, table, round_of(BANCA))).bank
    assert bank is not None
    assert (bank.stake, bank.inherited) == (100_000, 0)


def test_num_10_while_the_house_banks_what_is_frozen_is_the_houses() -> None:
    """Seat 7's 100 on banca: 190, then 361 as the house's bank wins the third time."""
    game = game_with(frozen_into=FrozenInto.NEXT_BANK)
    left = ev.BetNotWithdrawn(30, 7, BANCA, 10_000)
    table = play(game, opened_punto(game), [*round_of(BANCA), left, ev.BankTaken(31, 5, 20_000)])
    doubted: list[ev.AnyEvent] = [ev.CoinInPressed(40), ev.DealDoubted(41), ev.BankGivenUp(42)]
    table = play(game, table, [*doubted, ev.ResultEntered(43, BANCA), ev.GameOverPressed(44)])
    table = play(game, table, round_of(BANCA))
    assert (state(table).frozen_meter, state(table).frozen_waiting) == (36_100, 0)


def test_by_policy_a_lost_banca_bet_pays_its_discount_from_what_lies_beside_it() -> None:
    """100 won 90, which wait; 100 lost: 10 of the 90 are taken, 80 are the player's. A punto bet pays nothing."""
    rules = with_punto(left_plays=LeftPlays.STAKE_ONLY, discount=Discount.EVERY_BET)
    bets = frozen.play(rules, (frozen.leave(rules, 4, BANCA, 10_000),), BANCA, 1).left
    played = frozen.play(rules, bets, PUNTO, 1)
    assert (played.lost, played.discount) == ((LeftBet(4, BANCA, 10_000, 8_000, 2),), 1_000)
    only_winners = with_punto(left_plays=LeftPlays.STAKE_ONLY)
    assert frozen.play(only_winners, bets, PUNTO, 1).lost[0].waiting == 9_000
    punto = (LeftBet(5, PUNTO, 10_000, 10_000, 2),)
    assert frozen.play(rules, punto, BANCA, 1).discount == 0


def test_an_encart_changes_nothing_and_the_other_side_loses() -> None:
    bets = (frozen.leave(RULES, 4, PUNTO, 5_000), frozen.leave(RULES, 5, BANCA, 7_000))
    assert frozen.play(RULES, bets, ENCART, 1).left == bets
    played = frozen.play(RULES, bets, BANCA, 1)
    assert played.lost == bets[:1]
    assert [bet.seat for bet in played.left] == [5]


@pytest.mark.parametrize(("side", "amount"), [(ENCART, 5_000), (PUNTO, 0)])
def test_no_bet_is_left_on_an_encart_or_of_nothing(side: PuntoResult, amount: int) -> None:
    with pytest.raises(ValueError, match="can be left"):
        frozen.leave(RULES, 4, side, amount)


@given(some.lists(some.sampled_from(PuntoResult), max_size=12), some.integers(1, 10**6))
def test_a_bet_is_lost_frozen_or_still_there_and_never_twice(results: list[PuntoResult], amount: int) -> None:
    bets: tuple[LeftBet, ...] = (frozen.leave(RULES, 1, PUNTO, amount), frozen.leave(RULES, 2, BANCA, amount))
    gone: list[int] = []
    for result in results:
        played = frozen.play(RULES, bets, result, 1)
        gone += [bet.seat for bet in (*played.frozen, *played.lost)]
        bets = played.left
        assert sorted([*gone, *(bet.seat for bet in bets)]) == [1, 2]
        assert all(bet.wins < frozen.WINS for bet in bets)
