"""The banker's ledger (seed 001 nums. 5, 11–16, 18, 20, 35, 38), each amount worked by hand in cents."""

import pytest
from hypothesis import given
from hypothesis import strategies as some
from msgspec.structs import replace

from controller.core.punto import ledger
from controller.core.punto.ledger import Bank, BankError, BankProblem, Moved
from controller.core.punto.rules import (
    CommissionBase,
    Discount,
    EncartSuite,
    FirstDiscount,
    PuntoRules,
    Remainder,
)
from tests.helpers_punto import RULES, with_punto


def taken(stake: int, rules: PuntoRules = RULES) -> Bank:
    """Seat 3 takes the bank."""
    return ledger.take(rules, 3, stake, suite=False)


def wins(bank: Bank, *amounts: int, rules: PuntoRules = RULES) -> tuple[Bank, list[int]]:
    """The bank after it won these amounts, and each commission."""
    commissions = []
    for amount in amounts:
        moved = ledger.won(rules, bank, amount, 1)
        assert moved.bank is not None
        bank = moved.bank
        commissions.append(moved.commission)
    return bank, commissions


def problem(error: pytest.ExceptionInfo[BankError]) -> BankProblem:
    return error.value.problem


def test_num_13_ten_percent_every_two_rounds_from_the_second() -> None:
    """200.00 wins 200, 400, 780, 1,560: 40 of the second (bank 760), 152 of the fourth.

    200 → 400 → 400 + 400 - 40 = 760 → 760 + 760 = 1,520 → 1,520 + 1,520 - 152 = 2,888.
    """
    bank, commissions = wins(taken(20_000), 20_000, 40_000, 76_000, 152_000)
    assert commissions == [0, 4_000, 0, 15_200]
    assert (bank.stake, bank.commission, bank.rounds) == (288_800, 19_200, 4)


def test_num_14_a_talla_above_half_the_maximum_pays_from_the_first() -> None:
    """510.00 of 1,000.00: rounds 1 and 3 pay. 510 + 510 - 51 = 969; + 969 = 1,938; + 1,938 - 193.80 = 3,682.20."""
    bank, commissions = wins(taken(51_000), 51_000, 96_900, 193_800)
    assert commissions == [5_100, 0, 19_380]
    assert bank.stake == 368_220


def test_num_14_exactly_half_the_maximum_does_not_exceed_it() -> None:
    assert wins(taken(50_000), 50_000)[1] == [0]


def test_the_commission_of_both_rounds_is_a_policy() -> None:
    """200 won, then 400: 10 % of 600 = 60; the third and fourth begin again: 10 % of (100 + 50) = 15."""
    both = with_punto(commission_base=CommissionBase.SINCE_LAST)
    assert wins(taken(20_000), 20_000, 40_000, 10_000, 5_000, rules=both)[1] == [0, 6_000, 0, 1_500]


@pytest.mark.parametrize(("remainder", "expected"), [(Remainder.PLAYER, 300), (Remainder.HOUSE, 400)])
def test_what_is_below_a_payable_unit_goes_by_policy(remainder: Remainder, expected: int) -> None:
    """10 % of 33.33 is 3.333; payable in whole units of 1.00: 3.00 or 4.00."""
    assert ledger.commission(3_333, 10, 100, remainder) == expected


def test_an_exact_commission_has_no_remainder_to_give() -> None:
    assert ledger.commission(4_000, 10, 100, Remainder.HOUSE) == 400


def test_num_11_a_banca_bet_loses_ten_percent_of_what_it_wins_or_of_every_bet_by_policy() -> None:
    every = with_punto(discount=Discount.EVERY_BET)
    assert ledger.bet_discount(RULES, 5_000, won=True, unit=1) == 500
    assert ledger.bet_discount(RULES, 5_000, won=False, unit=1) == 0
    assert ledger.bet_discount(every, 5_000, won=False, unit=1) == 500


def test_nums_15_and_16_half_in_the_first_round_costs_ten_percent_of_what_was_won() -> None:
    """200 won 200: half of 400 is 200; 20 are taken, 180 paid out, the initial 200 stays."""
    bank, _ = wins(taken(20_000), 20_000)
    moved = ledger.withdraw(RULES, bank, 20_000, 1)
    assert (moved.commission, moved.paid_out, moved.source) == (2_000, 18_000, "num. 16")
    assert moved.bank is not None
    assert (moved.bank.stake, moved.bank.asked_half, moved.bank.last_discounted) == (20_000, True, True)


def test_num_15_later_the_withdrawal_is_free_and_happens_once() -> None:
    """200 → 400 → 760: half is 380, paid whole."""
    bank, _ = wins(taken(20_000), 20_000, 40_000)
    moved = ledger.withdraw(RULES, bank, 38_000, 1)
    assert (moved.commission, moved.paid_out, moved.source) == (0, 38_000, "num. 15")
    assert moved.bank is not None
    with pytest.raises(BankError) as again:
        ledger.withdraw(RULES, moved.bank, 100, 1)
    assert problem(again) is BankProblem.ALREADY_WITHDRAWN


def test_less_than_half_in_the_first_round_costs_by_policy() -> None:
    bank, _ = wins(taken(20_000), 20_000)
    assert ledger.withdraw(RULES, bank, 19_999, 1).commission == 0
    assert ledger.withdraw(with_punto(first_discount=FirstDiscount.ANY), bank, 19_999, 1).commission == 2_000


def test_nums_14_and_16_together_in_the_first_round_are_a_policy() -> None:
    """510 won 510 and paid 51: bank 969. 459 may go (510 stay); a second 51 of it by policy."""
    both = with_punto(first_discount=FirstDiscount.ANY, first_discount_stacks=True)
    once = with_punto(first_discount=FirstDiscount.ANY)
    bank, _ = wins(taken(51_000), 51_000)
    assert ledger.withdraw(both, bank, 45_900, 1)[1:3] == (5_100, 40_800)
    assert ledger.withdraw(once, bank, 45_900, 1)[1:3] == (0, 45_900)


@pytest.mark.parametrize(
    ("won", "amount", "expected"),
    [
        ((), 1_000, BankProblem.NO_ROUND_WON),
        ((20_000,), 20_001, BankProblem.TOO_MUCH),
        ((10_000,), 10_001, BankProblem.TOO_MUCH),  # 300 in the bank: half is 150, but 200 must stay
        ((20_000,), 0, BankProblem.TOO_LITTLE),
        ((20_000, 0), -1, BankProblem.TOO_LITTLE),
    ],
)
def test_withdrawals_beyond_the_text_are_refused(
    won: tuple[int, ...], amount: int, expected: BankProblem
) -> None:
    with pytest.raises(BankError) as refused:
        ledger.withdraw(RULES, wins(taken(20_000), *won)[0], amount, 1)
    assert problem(refused) is expected


def test_a_withdrawal_smaller_than_its_own_discount_is_refused() -> None:
    bank, _ = wins(taken(20_000), 20_000)
    with pytest.raises(BankError) as refused:
        ledger.withdraw(with_punto(first_discount=FirstDiscount.ANY), bank, 1_999, 1)
    assert problem(refused) is BankProblem.TOO_LITTLE


def test_num_20_a_suite_in_an_undiscounted_middle_round_costs_five_percent_of_it() -> None:
    """200 → 400 → 760 → wins 760: 5 % of 760 = 38, and 1,520 - 38 = 1,482 go to the banker."""
    bank, _ = wins(taken(20_000), 20_000, 40_000, 76_000)
    assert ledger.suite(RULES, bank, 1) == Moved(None, 3_800, 148_200, "num. 20")


def test_num_20_a_suite_after_a_paying_round_costs_nothing() -> None:
    bank, _ = wins(taken(20_000), 20_000, 40_000)
    assert ledger.suite(RULES, bank, 1) == Moved(None, 0, 76_000, "")


def test_nums_16_and_20_the_first_round_is_not_discounted_twice() -> None:
    bank, _ = wins(taken(20_000), 20_000)
    after = ledger.withdraw(RULES, bank, 20_000, 1).bank
    assert after is not None
    assert ledger.suite(RULES, after, 1) == Moved(None, 0, 20_000, "")


def test_num_35_after_half_and_encarts_the_suite_costs_five_percent_of_the_round_before_them() -> None:
    """200 → 400 → 760, half (380) withdrawn, 380 wins 380 → 760, two encarts: 5 % of 380 = 19."""
    bank, _ = wins(taken(20_000), 20_000, 40_000)
    half = ledger.withdraw(RULES, bank, 38_000, 1).bank
    assert half is not None
    bank, _ = wins(half, 38_000)
    bank = ledger.encart(ledger.encart(bank))
    assert ledger.suite(RULES, bank, 1) == Moved(None, 1_900, 74_100, "num. 35")


def test_num_35_without_half_withdrawn_the_suite_after_encarts_is_a_policy() -> None:
    """200 won 200, an encart: 5 % of 200 = 10 by `always`, nothing by the letter of num. 35."""
    bank = ledger.encart(wins(taken(20_000), 20_000)[0])
    assert ledger.suite(RULES, bank, 1) == Moved(None, 0, 40_000, "")
    always = with_punto(encart_suite=EncartSuite.ALWAYS)
    assert ledger.suite(always, bank, 1) == Moved(None, 1_000, 39_000, "num. 35")


def test_an_encart_counts_no_round() -> None:
    """Num. 8: the same round is dealt again, so the second won round still is the paying one."""
    bank = ledger.encart(wins(taken(20_000), 20_000)[0])
    assert wins(bank, 40_000)[1] == [4_000]


def test_num_38_the_stake_may_be_raised_within_the_maximum_after_a_round() -> None:
    bank, _ = wins(taken(20_000), 20_000)
    assert ledger.increase(RULES, bank, 60_000).stake == 100_000
    for by in (61_000, 500, 0, -1_000):
        with pytest.raises(BankError) as refused:
            ledger.increase(RULES, bank, by)
        assert problem(refused) is BankProblem.STAKE
    with pytest.raises(BankError) as early:
        ledger.increase(RULES, taken(20_000), 1_000)
    assert problem(early) is BankProblem.NO_ROUND_WON


@pytest.mark.parametrize("stake", [9_000, 101_000, 10_500])
def test_num_5_a_bank_outside_the_limits_in_force_is_refused(stake: int) -> None:
    with pytest.raises(BankError) as refused:
        taken(stake)
    assert problem(refused) is BankProblem.STAKE


def test_punto_ends_the_talla_and_what_is_not_lost_goes_back() -> None:
    assert ledger.lost(taken(20_000), 15_000) == Moved(None, 0, 5_000, "num. 6")
    with pytest.raises(BankError) as refused:
        ledger.lost(taken(20_000), 20_001)
    assert problem(refused) is BankProblem.NOT_STAKED


def test_more_than_the_stake_cannot_be_won() -> None:
    with pytest.raises(BankError) as refused:
        ledger.won(RULES, taken(20_000), 20_001, 1)
    assert problem(refused) is BankProblem.NOT_STAKED


def test_a_suite_before_a_round_was_won_is_giving_up() -> None:
    with pytest.raises(BankError) as refused:
        ledger.suite(RULES, taken(20_000), 1)
    assert problem(refused) is BankProblem.NO_ROUND_WON
    assert ledger.give_up(taken(20_000), "num. 18") == Moved(None, 0, 20_000, "num. 18")


ACTS = some.lists(
    some.tuples(
        some.sampled_from(["won", "encart", "withdraw", "raise", "freeze"]), some.integers(0, 300_000)
    ),
    max_size=30,
)


@given(some.integers(0, 90), ACTS, some.sampled_from([1, 100, 500]), some.sampled_from(Remainder))
def test_no_cent_is_made_or_lost_whatever_the_banker_does(
    steps: int, acts: list[tuple[str, int]], unit: int, remainder: Remainder
) -> None:
    rules = replace(with_punto(remainder=remainder), bank_step=1_000)
    bank = taken(10_000 + steps * 1_000, rules)
    inside, outside = bank.stake, 0
    for act, amount in acts:
        try:
            match act:
                case "won":
                    moved = ledger.won(rules, bank, amount, unit)
                    inside += amount
                case "withdraw":
                    moved = ledger.withdraw(rules, bank, amount, unit)
                case "raise":
                    moved = Moved(ledger.increase(rules, bank, amount))
                    inside += amount
                case "freeze":
                    moved = Moved(ledger.frozen_in(bank, amount))
                    inside += amount
                case _:
                    moved = Moved(ledger.encart(bank))
        except BankError:
            continue
        assert moved.bank is not None
        bank = moved.bank
        outside += moved.paid_out
        assert inside == bank.stake + outside + bank.commission
        assert bank.stake >= 0
        assert bank.commission % unit == 0
