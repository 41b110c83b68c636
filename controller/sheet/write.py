"""Writes the rows of a rules sheet in the language and the money of the table."""

from collections.abc import Iterator
from enum import Enum

from controller.config.profile import Profile
from controller.core.money import Currency, parse, percent
from controller.sheet.rows import Row, Said, rows
from controller.sheet.texts import Sheet
from controller.words import Words
from controller.words.amounts import format_amount


class Writer:
    """One language, one country's money."""

    def __init__(self, words: Words, locale: str, currency: Currency) -> None:
        self._words = words
        self._locale = locale
        self._currency = currency

    def write(self, name: str, profile: Profile) -> Iterator[str]:
        """The sheet of a profile, line by line."""
        yield f"{profile.title} ({name})"
        yield profile.text
        star = False
        for row in rows(profile):
            line = self._line(row)
            star = star or line.endswith(" *")
            yield line
        if star:
            yield ""
            yield self._words.tell(Sheet.LEGEND)

    def _line(self, row: Row) -> str:
        told = self._words.tell(row.key, **self._values(row.values))
        if row.plain:
            return f"  {told}"
        if not row.source:
            return f"\n{told}"
        source = self._words.tell_if_known(row.source)
        if row.value is not None:
            mark = " *" if row.house else ""
            return f"  {told}: {self._value(row.value, row.kind)} ({source}){mark}"
        if row.house:
            return f"  {told}: {self._words.tell(Sheet.HOUSE)} ({source})"
        return f"  {told} ({source})"

    def _values(self, values: dict[str, object]) -> dict[str, object]:
        return {name: self._value(value, name) for name, value in values.items()}

    def _value(self, value: object, kind: str) -> str:
        match value:
            case Said(text=Sheet.AMOUNT, values={"amount": str(amount)}):
                return self._amount(amount)
            case Said(text=text, values=values):
                return self._words.tell(text, **self._values(values))
            case bool():
                return self._words.tell(Sheet.YES if value else Sheet.NO)
            case int() if kind in {"share", "rate"}:
                return percent(value)
            case str() if kind == "amount":
                return self._amount(value)
            case Enum() if kind == "hand":
                return self._words.tell(f"hand.{value.value}")
            case Enum() if kind:
                return self._words.tell(f"value.{kind}.{value.value}")
            case _:
                return str(value)

    def _amount(self, text: str) -> str:
        return format_amount(parse(text, self._currency), self._locale, self._currency)
