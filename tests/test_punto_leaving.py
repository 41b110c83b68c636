"""Who may leave, withdraw or come in when (seed 001 nums. 10, 15, 18, 26, 41); amounts in cents, worked by hand."""

import pytest

from controller.core import events as ev
from controller.core.events import Refusal
from controller.core.punto import ledger
from controller.core.punto.ledger import BankError, BankProblem
from controller.core.punto.rules import LastBank, RedCard
from controller.core.punto.score import PuntoResult
from controller.core.state import Table
from tests.helpers_game import key, play
from tests.helpers_punto import (
    PUNTO_GAME,
    game_with,
    opened_punto,
    refused,
    round_of,
    state,
    told,
    with_punto,
)

BANCA, ENCART = PuntoResult.BANCA, PuntoResult.ENCART
COIN_IN = ev.CoinInPressed(20)
TAKEN = ev.BankTaken(4, 3, 20_000)
SHOD: list[ev.AnyEvent] = [key(True), ev.ShoeMade(3, 7), key(False)]
LEFT, BACK = ev.BetNotWithdrawn(30, 7, BANCA, 10_000), ev.BetTakenBack(40, 7, BANCA)
SEEN = ev.HandsShown(41, (13, 4), (13, 8))


def with_bet() -> Table:
    """A shoe, seat 3's bank, and seat 7's bet of 100 left on banca."""
    return play(PUNTO_GAME, opened_punto(), [*SHOD, TAKEN, *round_of(BANCA), LEFT])


def test_num_10_a_bet_is_taken_back_from_a_doubted_deal_until_cards_are_seen() -> None:
    table = play(PUNTO_GAME, with_bet(), [COIN_IN])
    assert refused(PUNTO_GAME, table, BACK) is Refusal.WRONG_PHASE
    table = play(PUNTO_GAME, table, [ev.DealDoubted(21)])
    assert told(PUNTO_GAME, table, [BACK]) == [ev.BetReturned(7, BANCA, 10_000)]
    assert refused(PUNTO_GAME, table, SEEN, BACK) is Refusal.CARDS_WERE_SEEN
    assert refused(PUNTO_GAME, table, ev.ResultEntered(41, BANCA), BACK) is Refusal.RESULT_STANDS


def test_num_10_once_cards_are_seen_the_deal_is_not_doubted_but_void() -> None:
    table = play(PUNTO_GAME, with_bet(), [COIN_IN])
    assert refused(PUNTO_GAME, table, SEEN, ev.DealDoubted(42)) is Refusal.CARDS_WERE_SEEN
    doubted: list[ev.AnyEvent] = [ev.DealDoubted(21), SEEN, ev.BankGivenUp(42)]
    assert refused(PUNTO_GAME, table, *doubted) is Refusal.CARDS_WERE_SEEN


def test_num_41_a_bet_is_taken_back_after_the_red_card_in_the_very_round() -> None:
    game = game_with(red_card=RedCard.THIS_ROUND)
    table = play(game, with_bet(), [COIN_IN, ev.RedCardShown(21)])
    assert told(game, table, [BACK]) == [ev.BetReturned(7, BANCA, 10_000)]
    assert refused(game, table, SEEN, BACK) is Refusal.CARDS_WERE_SEEN
    later = play(PUNTO_GAME, with_bet(), [COIN_IN, ev.RedCardShown(21)])
    assert refused(PUNTO_GAME, later, BACK) is Refusal.WRONG_PHASE


@pytest.mark.parametrize("policy", LastBank)
def test_num_41_whether_the_bankers_stake_may_be_withdrawn_is_a_policy(policy: LastBank) -> None:
    """200 won 200; leaving in the last round would cost nothing."""
    game = game_with(last_bank=policy)
    table = play(game, opened_punto(game), [*SHOD, TAKEN, *round_of(BANCA)])
    assert refused(game, table, ev.BankGivenUp(40)) is Refusal.BANK_GOES_ON
    table = play(game, table, [ev.RedCardShown(30)])
    if policy is LastBank.STAYS:
        assert refused(game, table, ev.BankGivenUp(40)) is Refusal.BANK_GOES_ON
        return
    assert told(game, table, [ev.BankGivenUp(40)]) == [ev.BankEnded(3, 0, 40_000, 0, "num. 41")]
    assert refused(game, table, COIN_IN, ev.BankGivenUp(40)) is Refusal.BANK_GOES_ON


def test_num_41_in_the_last_round_a_bank_is_taken_but_none_is_put_right_upwards() -> None:
    table = play(PUNTO_GAME, opened_punto(), [*SHOD, ev.RedCardShown(3), TAKEN])
    for more in (ev.BankTaken(5, 3, 21_000), ev.BankTaken(5, 9, 21_000)):
        assert refused(PUNTO_GAME, table, more) is Refusal.LAST_ROUND
    bank = state(play(PUNTO_GAME, table, [ev.BankTaken(5, 3, 15_000)])).bank
    assert bank is not None
    assert bank.stake == 15_000


def test_num_26_before_his_first_deal_the_banker_leaves_and_after_an_encart_num_18_lets_him() -> None:
    table = play(PUNTO_GAME, opened_punto(), [TAKEN])
    assert told(PUNTO_GAME, table, [ev.BankGivenUp(5)]) == [ev.BankEnded(3, 0, 20_000, 0, "num. 26")]
    again: list[ev.AnyEvent] = [COIN_IN, ev.ResultEntered(21, ENCART), ev.BankGivenUp(22)]
    assert told(PUNTO_GAME, table, again) == [ev.BankEnded(3, 0, 20_000, 0, "num. 18")]
    assert refused(PUNTO_GAME, table, *round_of(BANCA), ev.BankGivenUp(30)) is Refusal.BANK_GOES_ON


def test_num_15_by_policy_half_is_withdrawn_before_a_win_and_a_bank_of_the_least_size_stays() -> None:
    """400: half is 200, free of charge. 150: half is 75, but 100 must stay, so 50 at most."""
    rules = with_punto(withdraw_before_win=True)
    moved = ledger.withdraw(rules, ledger.take(rules, 3, 40_000, suite=False), 20_000, 1)
    assert (moved.commission, moved.paid_out, moved.source) == (0, 20_000, "num. 15")
    small = ledger.take(rules, 3, 15_000, suite=False)
    assert ledger.withdraw(rules, small, 5_000, 1).paid_out == 5_000
    for bank, amount, problem in (
        (small, 5_001, BankProblem.STAKE),
        (ledger.take(rules, 3, 40_000, suite=False), 20_001, BankProblem.TOO_MUCH),
        (ledger.inherit(ledger.take(rules, 3, 40_000, suite=False), 10_000), 20_001, BankProblem.TOO_MUCH),
    ):
        with pytest.raises(BankError) as refused_:
            ledger.withdraw(rules, bank, amount, 1)
        assert refused_.value.problem is problem
