"""Amounts entered with two buttons: digit by digit, read back in words, believed only after a yes (field log F147)."""

import pytest
from msgspec.structs import replace

from controller.core import events as ev
from controller.core.game import Game
from controller.core.money import Currency
from controller.menu import Verb
from controller.menu.ask import GoneError, Nav, digits, play
from controller.menu.poker import Why
from controller.texts import Line, Text
from controller.words import Words
from controller.words.spelled import spell
from tests.helpers_game import GAME, key, new_table
from tests.helpers_menu import Thumb

LOCALES = {Currency.UYU: "es_UY", Currency.PEN: "es_PE", Currency.CLP: "es_CL"}


def correcting(game: Game = GAME) -> Thumb:
    """A closed table with both keys turned, in the menu at the new amount of its pot."""
    thumb = Thumb(game, new_table(game))
    thumb.decide(key(on=True), key(on=True, which=ev.Key.TECHNICIAN))
    thumb.hold()
    return thumb.choose(Verb.CORRECT, "main")


def shown(thumb: Thumb) -> list[str]:
    words = Words("es", LOCALES[thumb.game.currency], thumb.game.currency)
    return [words.say(line) for line in thumb.lines]


@pytest.mark.parametrize(
    ("currency", "written", "read"),
    [
        (Currency.UYU, "$ 12,34", "DOCE PESOS URUGUAYOS CON TREINTA Y CUATRO CENTÉSIMOS"),
        (Currency.PEN, "S/ 12.34", "DOCE SOLES CON TREINTA Y CUATRO CÉNTIMOS"),
        (Currency.CLP, "$1.234", "MIL DOSCIENTOS TREINTA Y CUATRO PESOS CHILENOS"),
    ],
)
def test_F147_the_same_four_digits_are_read_back_in_words_and_need_a_yes(
    currency: Currency, written: str, read: str
) -> None:
    thumb = correcting(replace(GAME, currency=currency))
    thumb.choose(1, 2, 3, 4)
    assert shown(thumb)[0] == f"NUEVO MONTO: {written}"
    thumb.choose(Nav.DONE, Why.RECONCILED)
    assert read in shown(thumb)
    assert thumb.acts == []
    thumb.choose(Nav.YES)
    assert thumb.acts == [ev.PotCorrected(thumb.now, "main", 1234, "reconciled")]
    assert thumb.table.pot.levels[0].current == 1234


@pytest.mark.parametrize("key_", [".", ",", "-", "e", "٣"])
def test_F147_what_is_no_digit_cannot_be_typed(key_: str) -> None:
    thumb = correcting()
    thumb.type("1", key_, "2")
    assert thumb.lines[0] == Line(Text.NEW_AMOUNT, {"amount": 12})


def test_F147_without_the_yes_nothing_is_corrected_and_back_leads_to_the_digits() -> None:
    thumb = correcting()
    thumb.type("5", "0", "0", "ENTER")
    thumb.choose(Why.OTHER, Nav.BACK, Nav.BACK)
    assert thumb.lines[0] == Line(Text.NEW_AMOUNT, {"amount": 500})
    thumb.type("CLEAR")
    assert thumb.lines[0] == Line(Text.NEW_AMOUNT, {"amount": 50})
    assert thumb.acts == []


def test_an_amount_without_a_digit_is_none_and_digits_end_where_no_pot_can_be() -> None:
    thumb = correcting()
    assert Nav.DONE not in thumb.values
    thumb.type("ENTER")
    assert thumb.lines[0] == Line(Text.NEW_AMOUNT, {"amount": 0})
    thumb.type(*"99999999999999999999")
    # 10**14 is the most: fourteen nines fit, a fifteenth does not.
    assert thumb.lines[0] == Line(Text.NEW_AMOUNT, {"amount": 99_999_999_999_999})


@pytest.mark.parametrize(
    ("amount", "currency", "spanish", "english"),
    [
        (0, Currency.CLP, "CERO PESOS CHILENOS", "ZERO CHILEAN PESOS"),
        (1, Currency.CLP, "UN PESO CHILENO", "ONE CHILEAN PESO"),
        (21, Currency.CLP, "VEINTIÚN PESOS CHILENOS", "TWENTY-ONE CHILEAN PESOS"),
        (31, Currency.CLP, "TREINTA Y UN PESOS CHILENOS", "THIRTY-ONE CHILEAN PESOS"),
        (100, Currency.CLP, "CIEN PESOS CHILENOS", "ONE HUNDRED CHILEAN PESOS"),
        (101, Currency.CLP, "CIENTO UN PESOS CHILENOS", "ONE HUNDRED ONE CHILEAN PESOS"),
        (1_000, Currency.CLP, "MIL PESOS CHILENOS", "ONE THOUSAND CHILEAN PESOS"),
        (
            21_500,
            Currency.CLP,
            "VEINTIÚN MIL QUINIENTOS PESOS CHILENOS",
            "TWENTY-ONE THOUSAND FIVE HUNDRED CHILEAN PESOS",
        ),
        (1_000_000, Currency.CLP, "UN MILLÓN DE PESOS CHILENOS", "ONE MILLION CHILEAN PESOS"),
        (
            80_000_016,
            Currency.CLP,
            "OCHENTA MILLONES DIECISÉIS PESOS CHILENOS",
            "EIGHTY MILLION SIXTEEN CHILEAN PESOS",
        ),
        (
            10_000_350,
            Currency.UYU,
            "CIEN MIL TRES PESOS URUGUAYOS CON CINCUENTA CENTÉSIMOS",
            "ONE HUNDRED THOUSAND THREE URUGUAYAN PESOS AND FIFTY CENTÉSIMOS",
        ),
        (101, Currency.PEN, "UN SOL CON UN CÉNTIMO", "ONE SOL AND ONE CÉNTIMO"),
        (
            10**14,
            Currency.UYU,
            "UN BILLÓN DE PESOS URUGUAYOS",
            "ONE TRILLION URUGUAYAN PESOS",
        ),
        (
            2_000_000_000_00,
            Currency.UYU,
            "DOS MIL MILLONES DE PESOS URUGUAYOS",
            "TWO BILLION URUGUAYAN PESOS",
        ),
    ],
)
def test_amounts_are_spelled_as_people_write_them(
    amount: int, currency: Currency, spanish: str, english: str
) -> None:
    assert spell(amount, currency, "es") == spanish
    assert spell(amount, currency, "en") == english


def test_done_before_the_first_digit_is_no_answer() -> None:
    with pytest.raises(GoneError, match="does not fit"):
        play(digits(lambda _: Line(Text.MENU), 99), [Nav.DONE])
