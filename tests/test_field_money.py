"""Field-log rows about money that is written, shown and typed: one value everywhere, in each country's own form."""

import re
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from controller.cli.commission import agreement
from controller.config import Kind, load, names
from controller.core import events as ev
from controller.core.game import Hand
from controller.core.money import AMOUNT_MAX, AmountError, Currency, parse, plain
from controller.drill.play import settings_of
from controller.drill.world import World
from controller.meters import meters
from controller.outputs import texts
from controller.words import LANGUAGES, Words
from controller.words.amounts import FORMS, format_amount
from tests.helpers_config import refusal, table
from tests.helpers_game import GAME, opened

CLP, PEN, UYU = Currency.CLP, Currency.PEN, Currency.UYU
LOCALES = {UYU: "es_UY", CLP: "es_CL", PEN: "es_PE"}
DECIMALS = {UYU: 2, CLP: 0, PEN: 2}
POINT = {UYU: ",", CLP: None, PEN: "."}
amounts = st.integers(0, AMOUNT_MAX)
currencies = st.sampled_from(list(Currency))


def read_back(text: str, currency: Currency) -> int:
    """Minor units of what people read, by the rule of the country alone and not by the program's table."""
    digits = re.sub(r"[^0-9.,]", "", text)
    point = POINT[currency]
    whole, fraction = (digits, "") if point is None else digits.rsplit(point, 1)
    assert len(fraction) == DECIMALS[currency], text
    grouped = re.split(r"[.,]", whole)
    assert all(len(group) == 3 for group in grouped[1:]), text
    assert 1 <= len(grouped[0]) <= 3, text
    return int("".join(grouped) + fraction)


@given(amount=amounts, currency=currencies, language=st.sampled_from(LANGUAGES))
def test_F117_sign_journal_and_meters_show_the_same_value_in_every_currency(
    amount: int, currency: Currency, language: str
) -> None:
    level = replace(GAME.levels[0], base_amount=amount, limit=AMOUNT_MAX)
    game = replace(GAME, currency=currency, levels=(level,))
    state = opened(game)
    words = Words(language, LOCALES[currency], currency)
    sign = words.say(texts(game, state).sign)
    stored = msgspec.json.decode(msgspec.json.encode(state))["pot"]["levels"][0]["current"]
    found = meters(state)
    assert read_back(sign, currency) == stored == found["current"] == found["main.current"] == amount
    whole, _, fraction = plain(amount, currency).partition(".")
    assert (int(whole + fraction), len(fraction)) == (amount, DECIMALS[currency])


@pytest.mark.parametrize(
    ("name", "base", "sign", "minor"),
    [
        ("cl-caribbean-progressive", "1234", "$1.234", 1234),
        ("uy-montevideo-caribbean", "1234.00", "$ 1.234,00", 123_400),
        ("uy-montevideo-caribbean", "0.01", "$ 0,01", 1),
    ],
)
def test_F117_a_whole_table_shows_what_it_stored(name: str, base: str, sign: str, minor: int) -> None:
    world = World(settings_of("simulated", {"game": name, "pot.main.base_amount": base}))
    try:
        world.power_on(open_table=True)
        assert world.hal.signs == sign
        with closing(sqlite3.connect(world.medium.journal)) as connection:
            (state,) = connection.execute("SELECT state FROM journal ORDER BY seq DESC LIMIT 1").fetchone()
        assert msgspec.json.decode(state)["pot"]["levels"][0]["current"] == minor
    finally:
        world.close()


def test_F117_a_prize_in_soles_is_the_same_on_screen_and_in_the_journal() -> None:
    world = World(settings_of("simulated", {"game": "pe-caribbean", "prizes.full_house.amount": "1234.50"}))
    try:
        world.power_on(open_table=True)
        world.drive("supervisor", active=True)
        world.pass_time(50_000_000)
        now = world.clock.monotonic_ns()
        world.act(ev.ChipDropped(now, 3), ev.CoinInPressed(now + 1))
        world.act(ev.AwardClaimed(now + 2, 3, Hand.FULL_HOUSE), ev.AwardsApproved(now + 3))
        assert any("PAGUE ASIENTO 3: S/ 1,234.50" in line for line in world.hal.screen)
        assert world.loop is not None
        assert meters(world.loop.table)["wins_meter"] == 123_450
    finally:
        world.close()


FORMATS = [
    (7_000, CLP, "$7.000"),
    (1_234_567, CLP, "$1.234.567"),
    (0, CLP, "$0"),
    (999_999_999, CLP, "$999.999.999"),
    (123_456_750, UYU, "$ 1.234.567,50"),
    (0, UYU, "$ 0,00"),
    (1, UYU, "$ 0,01"),
    (99_999_999_999, UYU, "$ 999.999.999,99"),
    (123_450, PEN, "S/ 1,234.50"),
    (0, PEN, "S/ 0.00"),
    (99_999_999_999, PEN, "S/ 999,999,999.99"),
]
"""Field log F145's own values and forms."""


@pytest.mark.parametrize(("amount", "currency", "written"), FORMATS)
def test_F145_each_country_writes_its_money_in_its_own_form(
    amount: int, currency: Currency, written: str
) -> None:
    assert format_amount(amount, LOCALES[currency], currency) == written


def test_F145_chilean_pesos_have_no_decimals_anywhere() -> None:
    assert {currency: currency.decimals for currency in Currency} == DECIMALS
    assert plain(7_000, CLP) == "7000"
    assert load("simulated", {"game": "cl-caribbean-progressive"}).game.wager == 1_000
    message = refusal("simulated", {"game": "cl-caribbean-progressive", "wager.amount": "1000.00"})
    assert "'1000.00' is not an amount of CLP: write it like '10000'" in message


def test_F146_the_forms_are_our_own_table_which_no_librarys_update_can_change() -> None:
    assert {key: tuple(form) for key, form in FORMS.items()} == {
        ("es_UY", UYU): ("$ ", ".", ","),
        ("es_CL", CLP): ("$", ".", ","),
        ("es_PE", PEN): ("S/ ", ",", "."),
    }


def test_F146_what_the_table_runs_loads_no_locale_library() -> None:
    program = "import sys, controller.display; print([name.partition('.')[0] for name in sys.modules])"
    loaded = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    ).stdout
    assert "controller" in loaded
    assert not {"babel", "icu"} & set(re.findall(r"\w+", loaded))


@pytest.mark.parametrize("locale", ["es_AR", "es_PY", "es_MX", "es_CL"])
def test_F146_a_locale_that_is_not_the_currencys_has_no_form(locale: str) -> None:
    with pytest.raises(KeyError):
        format_amount(5_000, locale, UYU)


TYPED = ["1.234", "1,234", "1.234,50", "1,234.50", "1234", "1234.50", "1234,50"]
MEANT = {
    (CLP, "1234"): 1_234,
    (UYU, "1234.50"): 123_450,
    (PEN, "1234.50"): 123_450,
}
"""What the program takes; all else is refused: `1.234` is a thousand in one country, a bit more than one in another."""


@pytest.mark.parametrize("currency", list(Currency))
@pytest.mark.parametrize("typed", TYPED)
def test_F147_what_a_technician_types_is_plain_or_refused_and_never_guessed(
    typed: str, currency: Currency
) -> None:
    meant = MEANT.get((currency, typed))
    if meant is None:
        with pytest.raises(AmountError, match="is not an amount of"):
            parse(typed, currency)
    else:
        assert parse(typed, currency) == meant


@given(amount=amounts, currency=currencies)
def test_F149_only_plain_ascii_is_written_in_every_currency(amount: int, currency: Currency) -> None:
    text = format_amount(amount, LOCALES[currency], currency)
    assert text.isascii()
    assert text.isprintable()
    assert len(text) <= len("S/ 1,000,000,000,000.00"), "the longest amount any table accepts"


@pytest.mark.parametrize("name", [name for name in names(Kind.GAME) if "progressive" in name])
@pytest.mark.parametrize("locale", ["es_UY", "es_PE"])
def test_F149_another_countrys_locale_is_refused_for_every_game(name: str, locale: str) -> None:
    message = refusal("simulated", {"game": name, "table.locale": locale})
    assert "does not go with CLP (wager.currency): set it to es_CL, or choose another game" in message


def test_F113_a_pay_table_other_than_the_texts_stops_the_start_with_both_values_named(tmp_path: Path) -> None:
    message = refusal(table(tmp_path, ("[prizes.flush]\n", '[prizes.flush]\namount = "8000.00"\n')))
    assert 'prizes.flush.amount = "8000.00": is fixed at 500.00 (art. 17)' in message
    message = refusal("simulated", {"base.pays.flush": "8"})
    assert "base.pays: is fixed by the text (art. 14); take it out" in message


def test_F113_the_first_record_keeps_seed_rate_cap_and_pay_table() -> None:
    world = World(settings_of("simulated", {"game": "cl-caribbean-progressive"}))
    try:
        world.power_on(open_table=False)
        with closing(sqlite3.connect(world.medium.journal)) as connection:
            (event,) = connection.execute("SELECT event FROM journal WHERE seq = 1").fetchone()
        rules = msgspec.json.decode(msgspec.json.decode(event)["rules"])
        (level,) = rules["levels"]
        assert (level["base_amount"], level["reset_amount"], level["limit"]) == (
            80_000_000,
            10_000_000,
            900_000_000,
        )
        assert level["increment_rate_ppm"] == 700_000
        assert {prize["hand"]: prize["pays"] for prize in rules["prizes"]} == {
            "royal_flush": {"kind": "share", "share_ppm": 1_000_000, "cap": None},
            "straight_flush": {"kind": "share", "share_ppm": 100_000, "cap": 5_000_000},
            "four_of_a_kind": {"kind": "fixed", "amount": 500_000},
            "full_house": {"kind": "fixed", "amount": 100_000},
            "flush": {"kind": "fixed", "amount": 50_000},
        }
    finally:
        world.close()


def test_F113_both_keys_agree_to_seed_rate_cap_and_pay_table_in_words() -> None:
    assert agreement(load("simulated", {"game": "cl-caribbean-progressive"}))[1:] == [
        "  wager $1.000, 7 seats",
        (
            "  level main: starts at $80.000.000, restarts at $10.000.000, limit $900.000.000, "
            "takes 700000 ppm of each wager and 50000 ppm into its reserve"
        ),
        "  royal_flush: 100 % of main, paid by the pot (seed 004, 6.6)",
        "  straight_flush: 10 % of main, at most $5.000.000, paid by the pot (seed 004, 6.6)",
        "  four_of_a_kind: $500.000, paid by the house (seed 004, 6.6)",
        "  full_house: $100.000, paid by the house (seed 004, 6.6)",
        "  flush: $50.000, paid by the house (seed 004, 6.6)",
    ]
    assert agreement(load("simulated", {"game": "cl-draw"}))[1:] == ["  no wager in the slots, 6 seats"]
