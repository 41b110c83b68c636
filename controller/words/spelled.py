"""Amounts in full words, to be read back before they are believed (field log F147).

No grouping sign and no decimal point is left that two countries read differently. Spanish and English.
"""

from controller.core.money import Currency

_LOW = {
    "es": [
        "cero",
        "uno",
        "dos",
        "tres",
        "cuatro",
        "cinco",
        "seis",
        "siete",
        "ocho",
        "nueve",
        "diez",
        "once",
        "doce",
        "trece",
        "catorce",
        "quince",
        "dieciséis",
        "diecisiete",
        "dieciocho",
        "diecinueve",
        "veinte",
        "veintiuno",
        "veintidós",
        "veintitrés",
        "veinticuatro",
        "veinticinco",
        "veintiséis",
        "veintisiete",
        "veintiocho",
        "veintinueve",
    ],
    "en": [
        "zero",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
        "thirteen",
        "fourteen",
        "fifteen",
        "sixteen",
        "seventeen",
        "eighteen",
        "nineteen",
    ],
}
_TENS = {
    "es": ["-", "-", "-", "treinta", "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa"],
    "en": ["-", "-", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"],
}
_HUNDREDS = [
    "-",
    "ciento",
    "doscientos",
    "trescientos",
    "cuatrocientos",
    "quinientos",
    "seiscientos",
    "setecientos",
    "ochocientos",
    "novecientos",
]
_MAJOR = {
    ("es", Currency.UYU): ("peso uruguayo", "pesos uruguayos"),
    ("es", Currency.PEN): ("sol", "soles"),
    ("es", Currency.CLP): ("peso chileno", "pesos chilenos"),
    ("en", Currency.UYU): ("Uruguayan peso", "Uruguayan pesos"),
    ("en", Currency.PEN): ("sol", "soles"),
    ("en", Currency.CLP): ("Chilean peso", "Chilean pesos"),
}
_MINOR = {
    ("es", Currency.UYU): ("centésimo", "centésimos"),
    ("es", Currency.PEN): ("céntimo", "céntimos"),
    ("en", Currency.UYU): ("centésimo", "centésimos"),
    ("en", Currency.PEN): ("céntimo", "céntimos"),
}
_WITH = {"es": "con", "en": "and"}


def spell(amount: int, currency: Currency, language: str) -> str:
    """Minor units, 0 or more, in words and capitals. Raises KeyError for a language without number words."""
    whole, fraction = divmod(amount, 10**currency.decimals)
    words = [_counted(whole, _MAJOR[language, currency], language)]
    if fraction:
        words += [_WITH[language], _counted(fraction, _MINOR[language, currency], language)]
    return " ".join(words).upper()


def _counted(number: int, noun: tuple[str, str], language: str) -> str:
    if language == "es":
        # Before a noun "uno" is "un", and full millions want "de".
        joint = " de " if number and not number % 1_000_000 else " "
        return _short(_spanish(number)) + joint + noun[number != 1]
    return f"{_english(number)} {noun[number != 1]}"


def _short(words: str) -> str:
    if words.endswith("veintiuno"):
        return words.removesuffix("veintiuno") + "veintiún"
    return words.removesuffix("o") if words.endswith("uno") else words


def _spanish(number: int) -> str:
    for scale, one, many in ((10**12, "un billón", "billones"), (10**6, "un millón", "millones")):
        if number >= scale:
            above, below = divmod(number, scale)
            head = one if above == 1 else f"{_short(_spanish(above))} {many}"
            return f"{head} {_spanish(below)}" if below else head
    if number >= 1000:
        above, below = divmod(number, 1000)
        head = "mil" if above == 1 else f"{_short(_spanish(above))} mil"
        return f"{head} {_spanish(below)}" if below else head
    if number >= 100:
        above, below = divmod(number, 100)
        if number == 100:
            return "cien"
        return f"{_HUNDREDS[above]} {_spanish(below)}" if below else _HUNDREDS[above]
    if number < len(_LOW["es"]):
        return _LOW["es"][number]
    above, below = divmod(number, 10)
    return f"{_TENS['es'][above]} y {_LOW['es'][below]}" if below else _TENS["es"][above]


def _english(number: int) -> str:
    scales = (
        (10**12, "trillion"),
        (10**9, "billion"),
        (10**6, "million"),
        (1000, "thousand"),
        (100, "hundred"),
    )
    for scale, name in scales:
        if number >= scale:
            above, below = divmod(number, scale)
            head = f"{_english(above)} {name}"
            return f"{head} {_english(below)}" if below else head
    if number < len(_LOW["en"]):
        return _LOW["en"][number]
    above, below = divmod(number, 10)
    return f"{_TENS['en'][above]}-{_LOW['en'][below]}" if below else _TENS["en"][above]
