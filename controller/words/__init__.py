"""Words: what people at the table read, from gettext catalogues. Spanish first, English too.

`Words.say` turns a named `Line` into text. A catalogue without an entry is a defect that a test finds; the codes
of hands, refusals, faults, results and mistakes have entries of their own (`hand.flush`, `refusal.table_fault`,
`fault.sign_lost`, `result.banca`, `mistake.bank_must_draw`).
"""

import gettext
from pathlib import Path

from controller.core.events import Refusal
from controller.core.faults import FaultCode
from controller.core.game import Hand
from controller.core.money import Currency
from controller.core.punto.draw import Mistake
from controller.core.punto.score import PuntoResult
from controller.texts import Coded, Counted, Line
from controller.words.amounts import format_amount
from controller.words.spelled import spell

CATALOGUES = Path(__file__).parent
LANGUAGES = ("es", "en")
AMOUNTS = frozenset({"amount", "before"})
"""Names under which a line's value is minor units of the currency."""
LEVELS = frozenset({"level", "source", "target"})
"""Names under which a line's value is a pot level's; the catalogues name those that people know."""
NAMED_APART = ("seed 002", "seed 004", "Jugadores, no.")
"""Parts of sources that people know by another name: the catalogue and the game's card of the SCJ."""


class Words:
    """One language and one country's way to write money. `table` is the name players know the table by."""

    def __init__(self, language: str, locale: str, currency: Currency, table: str = "") -> None:
        try:
            self._catalogue = gettext.translation("pozo", CATALOGUES, [language])
        except FileNotFoundError as error:
            raise FileNotFoundError(
                f"no compiled catalogue for {language!r} in {CATALOGUES} (there are {', '.join(LANGUAGES)}): "
                "install the package with pip, which compiles them"
            ) from error
        self._language = language
        self._locale = locale
        self._currency = currency
        self._table = table

    def say(self, line: Line) -> str:
        """The line in this language, its values in words."""
        values = {name: self._word(name, value) for name, value in line.values.items()}
        return self._catalogue.gettext(line.text).format(table=self._table, **values)

    def tell(self, key: str, **values: object) -> str:
        """A sentence of the catalogues by its key, its values as they are given."""
        return self._catalogue.gettext(key).format(**values)

    def tell_if_known(self, key: str) -> str:
        """A text in this language where the catalogues have it, else as it is: `art. 17` is one in any language."""
        return self._catalogue.gettext(key)

    def cite(self, source: str) -> str:
        """An article as this language cites it, a text by the name people know it by."""
        told = self.tell_if_known(source)
        for part in NAMED_APART:
            told = told.replace(part, self._catalogue.gettext(part))
        return told

    def level_name(self, level: str) -> str:
        """A pot level as people call it, where the catalogues know it: `principal` for `main`."""
        return self.tell_or(f"level.{level}", level)

    def tell_or(self, key: str, otherwise: str) -> str:
        """A sentence of the catalogues by its key, or `otherwise` where they have none."""
        told = self._catalogue.gettext(key)
        return otherwise if told == key else told

    def _word(self, name: str, value: object) -> str:
        match value:
            case Line():
                return self.say(value)
            case Counted(what=what, count=count):
                return self._catalogue.ngettext(*what.value, count).format(count=count)
            case Coded(kind=kind, code=code):
                return self._catalogue.gettext(f"{kind}.{code}")
            case Hand():
                return self._catalogue.gettext(f"hand.{value}")
            case Refusal():
                return self._catalogue.gettext(f"refusal.{value}")
            case PuntoResult():
                return self._catalogue.gettext(f"result.{value}")
            case Mistake():
                return self._catalogue.gettext(f"mistake.{value}")
            case FaultCode():
                return self._catalogue.gettext(f"fault.{value}")
            case int() if name == "spelled":
                return spell(value, self._currency, self._language)
            case str() if name in LEVELS:
                return self.level_name(value).upper()
            case int() if name in AMOUNTS:
                return format_amount(value, self._locale, self._currency)
            case tuple():
                return _joined([self._word("", part) for part in value], value)
            case _:
                return str(value)


def _joined(words: list[str], values: tuple[object, ...]) -> str:
    """Numbers stand side by side; sentences are kept apart."""
    return (" - " if any(isinstance(value, Line) for value in values) else " ").join(words)
