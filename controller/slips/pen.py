"""How a house words what stands on its papers: labels, money, moments.

Labels have a catalogue of their own (`slips`); hands, suits, funds and payments are the table's words.
"""

import gettext

from controller.core.game import Fund
from controller.core.money import Currency
from controller.slips.award import Moment
from controller.slips.day import at, day_of
from controller.slips.document import Pair
from controller.slips.house import House
from controller.slips.texts import Label
from controller.words import CATALOGUES, Words
from controller.words.amounts import format_amount


class Pen:
    """One house's words and one currency."""

    def __init__(self, house: House, currency: Currency) -> None:
        self._house = house
        self._currency = currency
        self._words = Words(house.language, house.locale, currency)
        self._labels = gettext.translation("slips", CATALOGUES, [house.language])

    def say(self, label: Label, **values: object) -> str:
        """A label in the house's language."""
        return self._labels.gettext(label).format(**values)

    def word(self, kind: str, code: str) -> str:
        """What the catalogues call a code: a hand, a suit, a fault, a way of payment."""
        return self._words.tell(f"{kind}.{code}")

    def source(self, source: str) -> str:
        """An article, in the house's language where it is a sentence."""
        return self._words.cite(source)

    def fund(self, fund: Fund) -> str:
        """Who pays."""
        return self.word("value.fund", fund.value)

    def money(self, amount: int) -> str:
        """Minor units as the country writes them."""
        return format_amount(amount, self._house.locale, self._currency)

    def when(self, moment: Moment) -> str:
        """Date and time on the house's clock, with its zone; `~` where the clock had not been set."""
        return f"{'' if moment.trusted else '~'}{self.instant(moment.wall_ns)}"

    def instant(self, wall_ns: int) -> str:
        """An instant on the house's clock."""
        return f"{at(wall_ns, self._house.timezone):%Y-%m-%d %H:%M:%S %Z}"

    def gaming_day(self, moment: Moment) -> str:
        """The gaming day a moment lies in."""
        return day_of(moment.wall_ns, self._house.timezone, self._house.day_starts_at).isoformat()

    def pair(self, label: Label, value: object) -> Pair:
        """A row of label and value."""
        return Pair(self.say(label), str(value))

    def sum(self, label: Label, amount: int) -> Pair:
        """A row of label and money."""
        return Pair(self.say(label), self.money(amount))
