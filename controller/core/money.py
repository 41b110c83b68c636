"""Money: whole minor units of one currency, rates in whole parts per million, nothing else.

No float is made here and none is accepted. What a division leaves over is returned to the caller, so that
nothing is ever lost or made.
"""

from enum import StrEnum

PPM = 1_000_000
"""The whole, in parts per million."""

AMOUNT_MAX = 10**14
"""The largest amount a file or an operator may name, in minor units: a typing error, not a pot, lies above it."""


class Currency(StrEnum):
    """ISO 4217 codes of the countries whose rules are built in."""

    UYU = "UYU"
    PEN = "PEN"
    CLP = "CLP"

    @property
    def decimals(self) -> int:
        """Digits after the point (ISO 4217: CLP has had none since 1984)."""
        return 0 if self is Currency.CLP else 2


class AmountError(ValueError):
    """A text that is not an amount of this currency; the message says what one looks like."""


def parse(text: str, currency: Currency) -> int:
    """Turn `"100003.50"` into minor units.

    Only ASCII digits with exactly the currency's decimals after a point are an amount: `"1_000"`, `"1e2"`,
    `"-0"`, `"0,25"`, `"10.000"` are not. Raises `AmountError`.
    """
    whole, point, fraction = text.partition(".")
    plain_digits = text.isascii() and whole.isdigit() and (fraction.isdigit() if point else True)
    if not plain_digits or len(fraction) != currency.decimals or bool(point) != bool(currency.decimals):
        raise AmountError(f"{text!r} is not an amount of {currency}: write it like {_example(currency)!r}")
    if len(whole) > 1 and whole.startswith("0"):
        raise AmountError(f"{text!r} begins with a zero: write it like {_example(currency)!r}")
    digits = whole + fraction
    amount = AMOUNT_MAX + 1 if len(digits) > len(str(AMOUNT_MAX)) else int(digits)
    if amount > AMOUNT_MAX:
        raise AmountError(
            f"{text[:40]!r} is larger than any amount this table accepts ({plain(AMOUNT_MAX, currency)})"
        )
    return amount


def plain(amount: int, currency: Currency) -> str:
    """Write minor units as `parse` reads them: a point, no grouping, exactly the currency's decimals."""
    sign = "-" if amount < 0 else ""
    digits = str(abs(amount)).rjust(currency.decimals + 1, "0")
    if currency.decimals == 0:
        return sign + digits
    return f"{sign}{digits[: -currency.decimals]}.{digits[-currency.decimals :]}"


def percent(rate_ppm: int) -> str:
    """Write a rate in parts per million as percent, exactly: `0.0001 %`, `50 %`."""
    whole, rest = divmod(rate_ppm * 100, PPM)
    return f"{whole}.{rest:06}".rstrip("0").rstrip(".") + " %"


def part(amount: int, rate_ppm: int, carry: int) -> tuple[int, int]:
    """Take `rate_ppm` of `amount`, with what earlier calls left over.

    Returns whole minor units and the new carry (0 … 999,999 millionths of a minor unit). Calling it for each
    wager or once for their sum gives the same total.
    """
    return divmod(amount * rate_ppm + carry, PPM)


def share(amount: int, share_ppm: int, unit: int) -> int:
    """`share_ppm` of `amount`, rounded down to a multiple of `unit` minor units."""
    return amount * share_ppm // (PPM * unit) * unit


def split(amount: int, parts: int, unit: int) -> int:
    """One of `parts` equal parts of `amount`, rounded down to a multiple of `unit`; the caller keeps the rest."""
    return amount // (parts * unit) * unit


def _example(currency: Currency) -> str:
    return "10000" if currency.decimals == 0 else "10000." + "0" * currency.decimals
