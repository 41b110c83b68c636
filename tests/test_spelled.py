"""Amounts in words: by hand, and against num2words, which shares no code with ours."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from num2words import num2words

from controller.core.money import AMOUNT_MAX, Currency
from controller.words.spelled import UNITS_MAX, english, in_words, spanish


@pytest.mark.parametrize(
    ("amount", "currency", "words"),
    [
        (100_000_350, Currency.UYU, "un millón tres pesos uruguayos con cincuenta centésimos"),
        (10_000_350, Currency.UYU, "cien mil tres pesos uruguayos con cincuenta centésimos"),
        (100, Currency.UYU, "un peso uruguayo exacto"),
        (101, Currency.UYU, "un peso uruguayo con un centésimo"),
        (0, Currency.UYU, "cero pesos uruguayos exactos"),
        (21, Currency.UYU, "cero pesos uruguayos con veintiún centésimos"),
        (2_100_000_00, Currency.UYU, "dos millones cien mil pesos uruguayos exactos"),
        (1_000_000_00, Currency.UYU, "un millón de pesos uruguayos exactos"),
        (5_000_000, Currency.CLP, "cinco millones de pesos chilenos exactos"),
        (75_000_001, Currency.CLP, "setenta y cinco millones un pesos chilenos exactos"),
        (21_000, Currency.CLP, "veintiún mil pesos chilenos exactos"),
        (1_000, Currency.CLP, "mil pesos chilenos exactos"),
        (516_731, Currency.CLP, "quinientos dieciséis mil setecientos treinta y un pesos chilenos exactos"),
        (123_450, Currency.PEN, "mil doscientos treinta y cuatro soles con cincuenta céntimos"),
        (101, Currency.PEN, "un sol con un céntimo"),
        (10**12, Currency.CLP, "un billón de pesos chilenos exactos"),
        (10**9, Currency.CLP, "mil millones de pesos chilenos exactos"),
    ],
)
def test_spanish_by_hand(amount: int, currency: Currency, words: str) -> None:
    assert in_words(amount, currency, "es") == words


@pytest.mark.parametrize(
    ("amount", "currency", "words"),
    [
        (10_000_350, Currency.UYU, "one hundred thousand three Uruguayan pesos and fifty centésimos"),
        (101, Currency.UYU, "one Uruguayan peso and one centésimo"),
        (5_000_000, Currency.CLP, "five million Chilean pesos exactly"),
        (123_456, Currency.PEN, "one thousand two hundred thirty-four soles and fifty-six céntimos"),
        (10**12, Currency.CLP, "one trillion Chilean pesos exactly"),
        (0, Currency.CLP, "zero Chilean pesos exactly"),
    ],
)
def test_english_by_hand(amount: int, currency: Currency, words: str) -> None:
    assert in_words(amount, currency, "en") == words


@given(st.integers(0, UNITS_MAX - 1))
@example(999_999_999_999_999_999)
@example(10**15 + 10**6)
def test_both_languages_agree_with_an_independent_library(number: int) -> None:
    """num2words says `uno`, where a noun follows it is `un`; and it puts commas and `and` into English."""
    said = num2words(number, lang="es")
    assert spanish(number) == re.sub(r"veintiuno\b", "veintiún", re.sub(r"\buno\b", "un", said))
    assert english(number) == num2words(number, lang="en").replace(" and ", " ").replace(",", "")


def test_every_amount_a_table_accepts_has_words() -> None:
    assert in_words(AMOUNT_MAX, Currency.UYU, "es") == "un billón de pesos uruguayos exactos"


@pytest.mark.parametrize("amount", [-1, UNITS_MAX])
def test_what_has_no_words_is_refused(amount: int) -> None:
    with pytest.raises(ValueError, match="cannot be said in words"):
        in_words(amount, Currency.CLP, "es")


def test_another_language_is_refused() -> None:
    with pytest.raises(ValueError, match="es and en are there"):
        in_words(1, Currency.CLP, "pt")
