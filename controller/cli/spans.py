"""The time that a report is asked for: a gaming day, or from one moment to another."""

from datetime import date
from typing import Protocol

import click

from controller.slips.day import MomentError, Span, gaming_day, moment


class Zoned(Protocol):
    """Whose gaming day it is."""

    @property
    def timezone(self) -> str:
        """An IANA name."""
        ...

    @property
    def day_starts_at(self) -> str:
        """`HH:MM` there."""
        ...


def span_of(
    house: Zoned, day: date | None, begin: str, end: str, options: tuple[str, str] = ("", "")
) -> Span:
    """The gaming day `day`, or without one from `begin` to `end`; `options` are named before these in an error.

    Raises `UsageError` for a time that no record has, or that is none, and for an end not after its beginning.
    """
    try:
        if day is not None:
            return gaming_day(day, house.timezone, house.day_starts_at)
        span = Span(moment(begin, house.timezone), moment(end, house.timezone))
    except MomentError as error:
        raise click.UsageError(str(error)) from error
    if span.from_ns >= span.to_ns:
        raise click.UsageError(f"{options[1]}{end} is not after {options[0]}{begin}")
    return span
