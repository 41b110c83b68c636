"""How each country writes its money: a small table of our own, so that no library's update changes a sign.

Field log F145, F146: library data changed CLP's and COP's decimals between versions. The forms below are those
of the field log; the customer confirms each on commissioning.
"""

from typing import NamedTuple

from controller.core.money import Currency


class Form(NamedTuple):
    """The currency sign with its space, the thousands separator and the decimal sign."""

    sign: str
    thousands: str
    point: str


FORMS: dict[tuple[str, Currency], Form] = {
    ("es_UY", Currency.UYU): Form("$ ", ".", ","),
    ("es_CL", Currency.CLP): Form("$", ".", ","),
    ("es_PE", Currency.PEN): Form("S/ ", ",", "."),
}
"""Table locale and currency are set together; any other pair is refused by the configuration."""


def write_amount(amount: int, form: Form, currency: Currency) -> str:
    """Write minor units in this form."""
    whole, fraction = divmod(abs(amount), 10**currency.decimals)
    grouped = f"{whole:,}".replace(",", form.thousands)
    tail = f"{form.point}{fraction:0{currency.decimals}d}" if currency.decimals else ""
    return f"{'-' if amount < 0 else ''}{form.sign}{grouped}{tail}"


def format_amount(amount: int, locale: str, currency: Currency) -> str:
    """Write minor units for people: `$ 100.003,50` (es_UY), `$7.000` (es_CL), `S/ 1,234.50` (es_PE).

    Only plain ASCII characters are made, which every sign's table has. Raises KeyError for a locale and
    currency that do not belong together; the configuration has refused those.
    """
    return write_amount(amount, FORMS[locale, currency], currency)
