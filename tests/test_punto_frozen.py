"""Bets that are not withdrawn (seed 001 num. 44), each amount worked by hand in cents."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from controller.core.punto import frozen
from controller.core.punto.frozen import LeftBet
from controller.core.punto.rules import Discount, LeftPlays
from controller.core.punto.score import PuntoResult
from tests.helpers_punto import RULES, with_punto

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
