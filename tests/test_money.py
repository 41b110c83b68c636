"""Money: exact texts in and out, parts and shares that lose nothing; field log F141, F143, F144, F148."""

import ast
from decimal import Decimal
from fractions import Fraction
from math import floor
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from controller.core import money
from controller.core.money import AMOUNT_MAX, PPM, AmountError, Currency, parse, part, plain, share, split

AMOUNTS = st.integers(0, AMOUNT_MAX)
RATES = st.integers(0, PPM)


@pytest.mark.parametrize(
    ("text", "currency", "amount"),
    [
        ("0.00", Currency.UYU, 0),
        ("0.01", Currency.UYU, 1),
        ("17.85", Currency.UYU, 1785),
        ("100003.50", Currency.PEN, 10_000_350),
        ("0", Currency.CLP, 0),
        ("80000000", Currency.CLP, 80_000_000),
        ("1000000000000.00", Currency.UYU, AMOUNT_MAX),
        ("100000000000000", Currency.CLP, AMOUNT_MAX),
    ],
)
def test_an_amount_has_exactly_the_currencys_decimals(text: str, currency: Currency, amount: int) -> None:
    assert parse(text, currency) == amount
    assert plain(amount, currency) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        ".",
        "1.",
        ".50",
        "1",
        "1.5",
        "1.500",
        "01.00",
        "-1.00",
        "+1.00",
        " 1.00",
        "1.00 ",
        "1,00",
        "1.000,00",
        "1_000.00",
        "\u0661.00",
        "1.0\u0660",
        "²1.00",
        "0x1.00",
        "1e2.00",
        "1.00.00",
        "\uff11.00",
        "1000000000000.01",
    ],
)
def test_anything_else_is_no_amount(text: str) -> None:
    with pytest.raises(AmountError):
        parse(text, Currency.UYU)


@pytest.mark.parametrize("text", ["1.00", "1.", "01", "00", "1,000", "100000000000001"])
def test_chilean_pesos_have_no_decimals(text: str) -> None:
    with pytest.raises(AmountError):
        parse(text, Currency.CLP)


def test_a_refusal_shows_the_beginning_of_a_long_amount() -> None:
    with pytest.raises(AmountError, match=r"^'9{40}' is larger than any amount"):
        parse("9" * 41 + ".00", Currency.UYU)


def test_a_refusal_shows_what_an_amount_looks_like() -> None:
    with pytest.raises(AmountError, match=r"'10,00' is not an amount of UYU: write it like '10000.00'"):
        parse("10,00", Currency.UYU)
    with pytest.raises(AmountError, match=r"write it like '10000'$"):
        parse("10.00", Currency.CLP)
    with pytest.raises(AmountError, match=r"larger than any amount this table accepts \(1000000000000.00\)"):
        parse("9" * 5_000 + ".00", Currency.UYU)


def test_a_debt_is_written_with_its_sign() -> None:
    assert plain(-5, Currency.UYU) == "-0.05"
    assert plain(-1234, Currency.CLP) == "-1234"


@given(AMOUNTS, st.sampled_from(Currency))
def test_what_is_written_is_read_back(amount: int, currency: Currency) -> None:
    text = plain(amount, currency)
    assert parse(text, currency) == amount
    assert Decimal(text) * 10**currency.decimals == amount


@given(st.text(alphabet="0123456789.,_-+e ", max_size=12), st.sampled_from(Currency))
def test_only_one_text_means_an_amount(text: str, currency: Currency) -> None:
    try:
        amount = parse(text, currency)
    except AmountError:
        return
    assert plain(amount, currency) == text


@given(st.lists(st.integers(0, 10**9), max_size=30), RATES)
def test_parts_of_many_wagers_are_the_part_of_their_sum(wagers: list[int], rate: int) -> None:
    taken, carry = 0, 0
    for wager in wagers:
        whole, carry = part(wager, rate, carry)
        assert 0 <= carry < PPM
        taken += whole
    assert (taken, carry) == part(sum(wagers), rate, 0)
    assert taken == floor(Fraction(rate, PPM) * sum(wagers))


@given(AMOUNTS, RATES, st.integers(1, 10**6))
def test_a_share_is_the_largest_payable_amount_not_above_it(amount: int, rate: int, unit: int) -> None:
    paid = share(amount, rate, unit)
    exact = Fraction(amount * rate, PPM)
    assert paid % unit == 0
    assert paid <= exact < paid + unit


def test_shares_of_the_worked_example() -> None:
    assert share(10_000_000, 100_000, 1) == 1_000_000
    assert share(9_000_000, 100_000, 1) == 900_000
    assert share(10_000_050, 1_000_000, 100) == 10_000_000
    assert split(10_000_001, 2, 1) == 5_000_000
    assert split(10_000_099, 2, 100) == 5_000_000


@pytest.mark.parametrize("text", ["0.01", "0.02", "1.00", "10000.01", "353.16"])
@pytest.mark.parametrize("seats", range(1, 8))
def test_F141_equal_parts_and_the_rest_give_the_amount(text: str, seats: int) -> None:
    amount = parse(text, Currency.UYU)
    each = split(amount, seats, 1)
    rest = amount - each * seats
    assert 0 <= rest < seats
    assert each == floor(Fraction(amount, seats))


def test_F141_every_small_amount_among_every_number_of_seats() -> None:
    for amount in range(10_001):
        for seats in range(1, 8):
            assert 0 <= amount - seats * split(amount, seats, 1) < seats


def test_F143_a_million_and_three_coins_give_the_part_of_their_sum() -> None:
    coins, cuts = 1_000_003, 20
    pot = reserve = pot_carry = reserve_carry = 0
    for coin in range(coins):
        if coin % (coins // cuts) == 0:  # only what a journal holds comes through a power cut: whole numbers
            pot_carry, reserve_carry = int(str(pot_carry)), int(str(reserve_carry))
        more, pot_carry = part(100, 275_000, pot_carry)
        pot += more
        more, reserve_carry = part(100, 32_500, reserve_carry)
        reserve += more
    # 1,000,003 x 27.5 = 27,500,082.5 and 1,000,003 x 3.25 = 3,250,009.75 centesimos
    assert (pot, pot_carry) == (27_500_082, 500_000)
    assert (reserve, reserve_carry) == (3_250_009, 750_000)


@pytest.mark.parametrize(
    "pair", [("10.08", "10.86"), ("10.07", "10.87"), ("10.09", "10.85"), ("10.04", "10.90")]
)
def test_F144_sums_that_floats_get_wrong_are_exact(pair: tuple[str, str]) -> None:
    total = sum(parse(text, Currency.UYU) for text in pair)
    assert plain(total, Currency.UYU) == "20.94"


@pytest.mark.parametrize("text", ["0.1", "1e2", "NaN", "nan", "inf", "-0", "-0.00", "1_000", "1_000.00"])
def test_F144_only_plain_decimals_are_amounts(text: str) -> None:
    with pytest.raises(AmountError):
        parse(text, Currency.UYU)


def test_F144_no_float_is_written_or_made_in_money_code() -> None:
    for name in ("money.py", "pot.py", "awards.py"):
        source = Path(money.__file__).with_name(name)
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            assert not (isinstance(node, ast.Constant) and isinstance(node.value, float)), (name, node.lineno)
            assert not isinstance(node, ast.Div), name
            assert not (isinstance(node, ast.Name) and node.id in {"float", "round", "Decimal"}), (
                name,
                node.lineno,
            )


@given(st.integers(2**53 - 1000, 2**53 + 1000) | st.integers(0, 10**19), RATES)
@example(1_210_000_000_000_000_010, 333_300)
@example(2**53 + 1, 333_300)
def test_F148_part_and_rest_give_the_whole_beyond_what_floats_hold(amount: int, rate: int) -> None:
    taken, carry = part(amount, rate, 0)
    rest, other_carry = part(amount, PPM - rate, carry)
    assert (taken + rest, other_carry) == (amount, 0)
    assert taken * PPM + carry == amount * rate
