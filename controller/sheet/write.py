"""Writes the rows of a rules sheet in the language and the money of the table."""

from collections.abc import Iterator
from enum import Enum
from typing import assert_never

from controller.config.kinds import By
from controller.config.profile import Profile
from controller.core.money import Currency, parse, percent
from controller.sheet.rows import Row, Said, rows
from controller.sheet.texts import Sheet
from controller.words import Words
from controller.words.amounts import FORMS, write_amount


class Writer:
    """One language, one country's money. English text takes English separators beside that country's sign."""

    def __init__(self, words: Words, language: str, locale: str, currency: Currency) -> None:
        self._words = words
        self._country = locale[-2:]
        self._currency = currency
        form = FORMS[locale, currency]
        self._form = form._replace(thousands=",", point=".") if language == "en" else form

    def write(self, name: str, profile: Profile) -> Iterator[str]:
        """The sheet of a profile, line by line."""
        yield f"{profile.title} ({name})"
        yield profile.text
        star = False
        for row in rows(profile):
            line = self._line(row)
            star = star or line.endswith(" *")
            yield line
        if star or profile.interpreter is not None:
            yield ""
        if star:
            yield self._words.tell(Sheet.LEGEND)
        if profile.interpreter is not None:
            told, who = self._words.tell(Sheet.INTERPRETER), profile.interpreter.value
            yield f"{told}: {who} ({self._words.cite(profile.interpreter.source)})"

    def _line(self, row: Row) -> str:
        told = self._key(row.key, row.values)
        if row.plain:
            return f"  {told}"
        if not row.source:
            return f"\n{told.upper()}"
        source = self._words.cite(row.source)
        if row.value is not None:
            mark = " *" if row.house else ""
            return f"  {told}: {self._value(row.value, row.kind)} ({source}){mark}"
        if row.house:
            return f"  {told}: {self._set_by(row.by)} ({source})"
        return f"  {told} ({source})"

    def _key(self, key: str, values: dict[str, object]) -> str:
        _, is_hand, hand = key.partition("hand.")
        return self._hand(hand) if is_hand else self._words.tell(key, **self._values(values))

    def _set_by(self, by: By) -> str:
        match by:
            case By.HOUSE:
                return self._words.tell(Sheet.SET_BY_HOUSE)
            case By.DIRECTION:
                return self._words.tell(Sheet.SET_BY_DIRECTION)
            case _:
                assert_never(by)

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
                return percent(value).replace(".", self._form.point)
            case int():
                return f"{value:,}".replace(",", self._form.thousands)
            case str() if kind == "amount":
                return self._amount(value)
            case str() if kind == "level":
                return self._words.level_name(value)
            case Enum() if kind == "hand":
                return self._hand(str(value.value))
            case Enum() if kind:
                return self._words.tell(f"value.{kind}.{value.value}")
            case _:
                return str(value)

    def _hand(self, hand: str) -> str:
        """A hand as the country's own text calls it, else as it is called everywhere."""
        return self._words.tell_or(f"hand.{hand}@{self._country}", self._words.tell(f"hand.{hand}"))

    def _amount(self, text: str) -> str:
        return write_amount(parse(text, self._currency), self._form, self._currency)
