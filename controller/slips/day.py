"""Gaming days and moments: from a house's clock to the two instants that bound a report.

A gaming day begins at `day_starts_at` in the house's time zone and ends where the next begins: one of 23 or 25 hours
when summer time comes or goes, and no instant in two days or in none.
"""

from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple
from zoneinfo import ZoneInfo

SECOND_NS = 1_000_000_000
YEARS = range(1678, 2262)
"""A record's date is nanoseconds in 64 bits, counted from 1970: none is of another year."""


class Span(NamedTuple):
    """From one instant (Unix time, ns) up to, and without, another."""

    from_ns: int
    to_ns: int


class MomentError(ValueError):
    """A text that is no moment; the message says what one looks like."""


def gaming_day(day: date, timezone: str, day_starts_at: str) -> Span:
    """The gaming day that begins on the calendar day `day`. Raises `MomentError` for one that no record has."""
    _refuse_other(day)
    return Span(
        _begin(day, timezone, day_starts_at), _begin(day + timedelta(days=1), timezone, day_starts_at)
    )


def day_of(wall_ns: int, timezone: str, day_starts_at: str) -> date:
    """The gaming day in which an instant lies, by the calendar day on which that began."""
    day = at(wall_ns, timezone).date()
    return day if wall_ns >= _begin(day, timezone, day_starts_at) else day - timedelta(days=1)


def moment(text: str, timezone: str) -> int:
    """`2026-01-31T22:00` as Unix time in ns: the house's clock, or another where it carries an offset (`Z`, `-03:00`).

    An hour that comes twice in autumn is its first. Raises `MomentError`.
    """
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        raise MomentError(
            f"{text!r} is no moment: write 2026-01-31T22:00, or with an offset 2026-01-31T22:00-03:00"
        ) from None
    _refuse_other(found)
    return _ns(found if found.tzinfo else found.replace(tzinfo=ZoneInfo(timezone)))


def at(wall_ns: int, timezone: str) -> datetime:
    """An instant on the house's clock, to the second."""
    return datetime.fromtimestamp(wall_ns // SECOND_NS, ZoneInfo(timezone))


def _refuse_other(day: date) -> None:
    if day.year not in YEARS:
        raise MomentError(
            f"the year {day.year} has no records: write one from {YEARS[0]} to {YEARS[-1]}, as in 2026-01-31T22:00"
        )


def _begin(day: date, timezone: str, day_starts_at: str) -> int:
    return _ns(datetime.combine(day, time.fromisoformat(day_starts_at), ZoneInfo(timezone)))


def _ns(when: datetime) -> int:
    since = when.astimezone(UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    return (since.days * 86_400 + since.seconds) * SECOND_NS + since.microseconds * 1000
