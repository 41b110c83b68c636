"""Fractions written as decimals, rounded exactly (half away from zero): the digits shown are right."""

from fractions import Fraction
from math import isqrt

from controller.core.money import Currency, plain


def rounded(value: Fraction) -> int:
    """The nearest whole number."""
    whole = (2 * abs(value.numerator) + value.denominator) // (2 * value.denominator)
    return -whole if value < 0 else whole


def decimal(value: Fraction, places: int) -> str:
    """`value` with so many digits after the point, thousands grouped: `263,205.26`."""
    units = rounded(value * 10**places)
    whole, fraction = divmod(abs(units), 10**places)
    sign = "-" if units < 0 else ""
    return f"{sign}{whole:,}" + (f".{fraction:0{places}}" if places else "")


def percent(part: Fraction, places: int = 4) -> str:
    """A part of 1 as percent."""
    return f"{decimal(part * 100, places)} %"


def amount(minor: Fraction, currency: Currency) -> str:
    """Minor units as money, to the nearest one."""
    return plain(rounded(minor), currency)


def square_root(value: Fraction, places: int) -> str:
    """The square root with so many digits after the point, the last one rounded."""
    doubled = isqrt(4 * value.numerator * 10 ** (2 * places) // value.denominator)
    return decimal(Fraction((doubled + 1) // 2, 10**places), places)
