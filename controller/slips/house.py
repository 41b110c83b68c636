"""What stands on a paper and is not in the journal: the table's name, its place, its language, its clock's zone."""

import msgspec

from controller.config import Settings
from controller.config.table import LOCALES
from controller.core.money import Currency


class House(msgspec.Struct, frozen=True):
    """How one house writes. `title` is the game's name; empty names are left out of the paper.

    `timezone` is an IANA name and `day_starts_at` is `HH:MM`: together they bound a gaming day.
    """

    name: str
    title: str
    locale: str
    language: str
    timezone: str
    day_starts_at: str


def house_of(settings: Settings, language: str | None = None) -> House:
    """The house of a table's configuration; `language` over the configured one."""
    return House(
        settings.name,
        settings.game_title,
        settings.locale,
        language or settings.language,
        settings.timezone,
        settings.day_starts_at,
    )


def house_unknown(currency: Currency, language: str | None = None) -> House:
    """Where only the journal is at hand: times are UTC and say so, money as its country writes it."""
    return House("", "", LOCALES[currency], language or "es", "UTC", "00:00")
