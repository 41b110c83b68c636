"""The banker's ledger compared whole, and at the edge of every limit (seed 001); amounts in cents, worked by hand."""

import pytest
from msgspec.structs import replace

from controller.core.punto import frozen, ledger
from controller.core.punto import shoe as shoes
from controller.core.punto.draw import Mistake, judge
from controller.core.punto.ledger import Bank, BankError, BankProblem, Moved
from controller.core.punto.rules import (
    DECKS_ALLOWED,
    CommissionBase,
    Discount,
    EncartSuite,
    FirstDiscount,
    Remainder,
)
from controller.core.punto.score import PuntoResult
from controller.core.punto.shoe import Shoe
from tests.helpers_punto import PUNTO_POLICIES, RULES, with_punto

TO_THE_HOUSE = with_punto(remainder=Remainder.HOUSE)


def problem(error: pytest.ExceptionInfo[BankError]) -> BankProblem:
    return error.value.problem


def test_num_1_a_shoe_has_six_or_eight_decks() -> None:
    assert DECKS_ALLOWED == (6, 8)


@pytest.mark.parametrize(("stake", "suite"), [(10_000, False), (100_000, True), (99_000, False)])
def test_num_5_a_bank_is_taken_at_both_limits(stake: int, suite: bool) -> None:
    assert ledger.take(RULES, 3, stake, suite=suite) == Bank(3, stake, stake, suite=suite)


def test_num_5_bids_go_up_from_the_least_bank() -> None:
    """From 103.00 by 10.00: 113.00 is one step, 110.00 none."""
    rules = replace(RULES, bank_min=10_300)
    assert ledger.take(rules, 3, 11_300, suite=False).stake == 11_300
    with pytest.raises(BankError):
        ledger.take(rules, 3, 11_000, suite=False)


def test_a_won_round_changes_all_that_belongs_to_the_last_one() -> None:
    """200 staked, 50 of it inherited; 150 won in the first round, which pays nothing."""
    bank = Bank(
        3, 20_000, 25_000, encarts=2, commission=70, unpaid_base=9_000, inherited=5_000, turn_before=2
    )
    after = Bank(
        3, 20_000, 40_000, rounds=1, last_won=15_000, commission=70, unpaid_base=24_000, turn_before=2
    )
    assert ledger.won(RULES, bank, 15_000, 1) == Moved(after, 0, 0, "")
    # The second pays 10 % of 100.01 = 10.001, in whole cents.
    second = Bank(
        3, 20_000, 49_001, rounds=2, last_won=10_001, last_discounted=True, commission=1_070, turn_before=2
    )
    assert ledger.won(RULES, after, 10_001, 1) == Moved(second, 1_000, 0, "num. 13")
    dearer = replace(second, stake=49_000, commission=1_071)
    assert ledger.won(TO_THE_HOUSE, after, 10_001, 1) == Moved(dearer, 1_001, 0, "num. 13")
    # By the other policy 10 % of 240.00 + 100.01.
    both = with_punto(commission_base=CommissionBase.SINCE_LAST)
    assert ledger.won(both, after, 10_001, 1).commission == 3_400


@pytest.mark.parametrize(
    ("initial", "rounds", "source"),
    [
        (40_000, 1, "num. 13"),
        (50_000, 1, "num. 13"),
        (51_000, 0, "num. 14"),
        (50_000, 0, ""),
        (51_000, 1, ""),
    ],
)
def test_nums_13_and_14_the_article_of_a_commission_is_that_of_the_first_stake(
    initial: int, rounds: int, source: str
) -> None:
    """Half the maximum are 500.00."""
    bank = Bank(3, initial, initial, rounds=rounds)
    assert ledger.won(RULES, bank, 1_000, 1).source == source


def test_a_bank_wins_and_loses_from_nothing_to_its_whole_stake() -> None:
    bank = Bank(3, 20_000, 20_000)
    assert ledger.lost(bank, 0) == Moved(None, 0, 20_000, "num. 6")
    assert ledger.lost(bank, 20_000) == Moved(None, 0, 0, "num. 6")
    assert ledger.won(RULES, bank, 0, 1).bank == Bank(3, 20_000, 20_000, rounds=1)
    for wrong in (ledger.lost, lambda it, amount: ledger.won(RULES, it, amount, 1)):
        with pytest.raises(BankError) as refused:
            wrong(bank, -1)
        assert problem(refused) is BankProblem.NOT_STAKED


def test_each_encart_is_counted() -> None:
    assert ledger.encart(ledger.encart(Bank(3, 1, 1))) == Bank(3, 1, 1, encarts=2)


def test_nums_15_and_16_a_withdrawal_changes_the_bank_so_and_no_further() -> None:
    """200 won 200.05: half of 400.05 by whole cents are 200.02; 10 % of 200.05 are 20.00, or 20.01 for the house."""
    bank = Bank(3, 20_000, 40_005, rounds=1, last_won=20_005, unpaid_base=20_005, commission=7, encarts=1)
    after = Bank(
        3,
        20_000,
        20_003,
        rounds=1,
        last_won=20_005,
        last_discounted=True,
        withdrawn=True,
        asked_half=True,
        commission=2_007,
        encarts=1,
    )
    assert ledger.withdraw(RULES, bank, 20_002, 1) == Moved(after, 2_000, 18_002, "num. 16")
    assert ledger.withdraw(TO_THE_HOUSE, bank, 20_002, 1)[1:] == (2_001, 18_001, "num. 16")
    less = replace(bank, stake=20_004, withdrawn=True)
    assert ledger.withdraw(RULES, bank, 20_001, 1) == Moved(less, 0, 20_001, "num. 15")


def test_num_15_a_cent_may_be_withdrawn_and_what_just_pays_its_own_discount() -> None:
    bank = Bank(3, 20_000, 40_000, rounds=1, last_won=20_000)
    assert ledger.withdraw(RULES, bank, 1, 1).paid_out == 1
    any_part = with_punto(first_discount=FirstDiscount.ANY)
    assert ledger.withdraw(any_part, bank, 2_000, 1)[1:3] == (2_000, 0)


def test_num_38_the_least_raise_is_one_step() -> None:
    by_a_cent = replace(RULES, bank_step=1)
    bank = Bank(3, 20_000, 20_000, rounds=1)
    assert ledger.increase(by_a_cent, bank, 1) == replace(bank, stake=20_001)


def test_what_a_suite_leaves_below_a_payable_unit_goes_by_policy() -> None:
    """5 % of 200.05 are 10.0025; after encarts by the policy that always takes it."""
    bank = Bank(3, 20_000, 40_005, rounds=1, last_won=20_005)
    assert ledger.suite(RULES, bank, 1) == Moved(None, 1_000, 39_005, "num. 20")
    assert ledger.suite(TO_THE_HOUSE, bank, 1) == Moved(None, 1_001, 39_004, "num. 20")
    always = with_punto(remainder=Remainder.HOUSE, encart_suite=EncartSuite.ALWAYS)
    assert ledger.suite(always, replace(bank, encarts=1), 1) == Moved(None, 1_001, 39_004, "num. 35")


def test_num_11_the_rest_of_a_discount_goes_by_policy() -> None:
    """10 % of 0.15 are 0.015."""
    assert ledger.bet_discount(RULES, 15, won=True, unit=1) == 1
    assert ledger.bet_discount(TO_THE_HOUSE, 15, won=True, unit=1) == 2
    every = with_punto(discount=Discount.EVERY_BET, remainder=Remainder.HOUSE)
    assert ledger.bet_discount(every, 15, won=False, unit=1) == 2


def test_num_44_what_a_bank_inherits_it_gives_back_whole() -> None:
    bank = Bank(3, 20_000, 20_000)
    rich = ledger.inherit(bank, 5_000)
    assert rich == Bank(3, 20_000, 25_000, inherited=5_000)
    assert (ledger.own(rich), ledger.disinherit(rich)) == (20_000, bank)
    assert ledger.frozen_in(bank, 5_000) == Bank(3, 20_000, 25_000)


def test_a_problem_is_told_by_its_name() -> None:
    assert str(BankError(BankProblem.TOO_MUCH)) == "too_much"


def test_what_moved_is_nothing_unless_it_is_said() -> None:
    assert Moved(None) == (None, 0, 0, "")


def test_num_8_an_encart_takes_no_discount() -> None:
    assert frozen.play(RULES, (), PuntoResult.ENCART, 1) == ((), (), (), 0)


@pytest.mark.parametrize("cards", [0, 8])
def test_a_count_may_be_anything_from_none_to_all_that_can_be_left(cards: int) -> None:
    assert shoes.counted(Shoe(6, 8, 7), cards) == Shoe(cards, cards, 7)


def test_no_shoe_holds_less_than_nothing() -> None:
    assert shoes.dealt(Shoe(3, 4, 7), 5) == Shoe(0, 0, 7)


@pytest.mark.parametrize(
    ("punto", "banca"),
    [((1, 2, 3, 4), (13, 7)), ((13, 7), (1, 2, 3, 4)), ((1,), (13, 7)), ((13, 7), (1,))],
)
def test_num_7_a_hand_is_two_or_three_cards(punto: tuple[int, ...], banca: tuple[int, ...]) -> None:
    assert judge(PUNTO_POLICIES, punto, banca, by_dealer=False).mistake is Mistake.CARD_COUNT
