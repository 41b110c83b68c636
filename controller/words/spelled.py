"""Amounts in words: on a slip, where nobody can add a digit to them, and at the table, to be read back (F147).

Spanish counts a million millions as a billón, English a thousand millions as a billion. Every number here stands
before a masculine noun (mil, millones, pesos, soles), so Spanish `uno` is always `un`.
"""

from collections.abc import Mapping
from typing import Final, NamedTuple

from controller.core.money import Currency

UNITS_MAX: Final = 10**18
"""Amounts from here on (in whole pesos or soles) have no words here; `AMOUNT_MAX` is far below."""


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


class Nouns(NamedTuple):
    """One and several of a currency's unit and of its hundredth; no hundredth where there is none."""

    unit: tuple[str, str]
    hundredth: tuple[str, str] | None


SPANISH: Final = {
    Currency.UYU: Nouns(("peso uruguayo", "pesos uruguayos"), ("centésimo", "centésimos")),
    Currency.CLP: Nouns(("peso chileno", "pesos chilenos"), None),
    Currency.PEN: Nouns(("sol", "soles"), ("céntimo", "céntimos")),
}
ENGLISH: Final = {
    Currency.UYU: Nouns(("Uruguayan peso", "Uruguayan pesos"), ("centésimo", "centésimos")),
    Currency.CLP: Nouns(("Chilean peso", "Chilean pesos"), None),
    Currency.PEN: Nouns(("sol", "soles"), ("céntimo", "céntimos")),
}

_ES_SMALL: Final = _words(
    "cero un dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis "
    "diecisiete dieciocho diecinueve veinte veintiún veintidós veintitrés veinticuatro veinticinco "
    "veintiséis veintisiete veintiocho veintinueve"
)
_ES_TENS: Final = _words("- - - treinta cuarenta cincuenta sesenta setenta ochenta noventa")
_ES_HUNDREDS: Final = _words(
    "- ciento doscientos trescientos cuatrocientos quinientos seiscientos setecientos ochocientos novecientos"
)
_ES_MILLIONS: Final = (("", ""), ("millón", "millones"), ("billón", "billones"))
_EN_SMALL: Final = _words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_EN_TENS: Final = _words("- - twenty thirty forty fifty sixty seventy eighty ninety")
_EN_THOUSANDS: Final = ("", "thousand", "million", "billion", "trillion", "quadrillion")


def in_words(amount: int, currency: Currency, language: str) -> str:
    """An amount in minor units (0 or more) as a slip says it: in words of `language` (`es`, `en`), with its currency.

    Raises `ValueError` for an amount below 0, one of `UNITS_MAX` units or more, or another language.
    """
    return _said(amount, currency, language, {"es": ("exacto", "exactos"), "en": ("exactly", "exactly")})


def spell(amount: int, currency: Currency, language: str) -> str:
    """The same in capitals and without `exactos`, as the table reads an amount back. Raises as `in_words` does."""
    return _said(amount, currency, language, {}).upper()


def _said(amount: int, currency: Currency, language: str, exact: Mapping[str, tuple[str, str]]) -> str:
    units, rest = divmod(amount, 10**currency.decimals)
    if amount < 0 or units >= UNITS_MAX:
        raise ValueError(f"{amount} minor units cannot be said in words: 0 to 10^18 {currency} can")
    match language:
        case "es":
            nouns, number, joint = SPANISH[currency], spanish, "con"
        case "en":
            nouns, number, joint = ENGLISH[currency], english, "and"
        case _:
            raise ValueError(f"there are no numbers in {language!r}: es and en are there")
    whole_millions = language == "es" and units >= 10**6 and units % 10**6 == 0
    words = [number(units), *(["de"] if whole_millions else []), nouns.unit[units != 1]]
    if nouns.hundredth is not None and rest:
        words += [joint, number(rest), nouns.hundredth[rest != 1]]
    elif language in exact:
        words.append(exact[language][units != 1])
    return " ".join(words)


def spanish(number: int) -> str:
    """A number from 0 to 10^18 - 1 as Spanish says it before a masculine noun: `un`, `veintiún mil`."""
    if number == 0:
        return _ES_SMALL[0]
    words: list[str] = []
    for power, (one, several) in reversed(tuple(enumerate(_ES_MILLIONS))):
        part = number // 10 ** (6 * power) % 10**6
        if part:
            words += [_es_thousands(part), one if part == 1 else several]
    return " ".join(word for word in words if word)


def _es_thousands(number: int) -> str:
    thousands, rest = divmod(number, 1000)
    words = [] if thousands < 2 else [_es_hundreds(thousands)]
    if thousands:
        words.append("mil")
    return " ".join([*words, *([_es_hundreds(rest)] if rest else [])])


def _es_hundreds(number: int) -> str:
    if number == 100:
        return "cien"
    hundreds, rest = divmod(number, 100)
    words = [_ES_HUNDREDS[hundreds]] if hundreds else []
    return " ".join([*words, *([_es_tens(rest)] if rest else [])])


def _es_tens(number: int) -> str:
    if number < len(_ES_SMALL):
        return _ES_SMALL[number]
    tens, rest = divmod(number, 10)
    return f"{_ES_TENS[tens]} y {_ES_SMALL[rest]}" if rest else _ES_TENS[tens]


def english(number: int) -> str:
    """A number from 0 to 10^18 - 1 as American English says it, without `and`."""
    if number == 0:
        return _EN_SMALL[0]
    words: list[str] = []
    for power, name in reversed(tuple(enumerate(_EN_THOUSANDS))):
        part = number // 1000**power % 1000
        if part:
            words += [_en_hundreds(part), name]
    return " ".join(word for word in words if word)


def _en_hundreds(number: int) -> str:
    hundreds, rest = divmod(number, 100)
    words = [_EN_SMALL[hundreds], "hundred"] if hundreds else []
    return " ".join([*words, *([_en_tens(rest)] if rest else [])])


def _en_tens(number: int) -> str:
    if number < len(_EN_SMALL):
        return _EN_SMALL[number]
    tens, rest = divmod(number, 10)
    return f"{_EN_TENS[tens]}-{_EN_SMALL[rest]}" if rest else _EN_TENS[tens]
