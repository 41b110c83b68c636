"""Where a profile and the house's values are weighed: each value in force, and who said so."""

from typing import TypeVar

import msgspec

from controller.config.conform import Review
from controller.config.kinds import Ruled
from controller.config.problems import folded, shown
from controller.core.money import AmountError, Currency, parse

T = TypeVar("T")


class Ruling(msgspec.Struct, frozen=True):
    """A value in force: its dotted key, how it is written, and who says so (an article, or `house`)."""

    key: str
    value: str
    source: str


class Desk(msgspec.Struct, frozen=True):
    """Where a profile and a table's file are weighed: both reviews, the keys a drill set, the rulings so far."""

    profile: Review
    table: Review
    overridden: frozenset[str]
    rulings: list[Ruling]

    def choose(self, key: str, ruled: Ruled[T], given: T | None, *, needed: bool = True) -> T | None:
        """The value in force, or None after a refusal (and where an absent one is not `needed`).

        A drill may set what the text fixes, to try it out: that is a warning. A table's file may not.
        """
        if given is None:
            return self._unsaid(key, ruled, needed=needed)
        if given != ruled.value and not ruled.house:
            fixed = "not part of the rules" if ruled.value is None else f"fixed at {_written(ruled.value)}"
            if key not in self.overridden:
                self.table.refuse(key, f"is {fixed} ({folded(ruled.source)}); take it out", given)
                return None
            self.table.warn(
                key, f"{_written(given)} departs from the rules: it is {fixed} ({folded(ruled.source)})"
            )
        source = ruled.source if given == ruled.value and not ruled.house else "house"
        self.rulings.append(Ruling(key, _written(given), source))
        return given

    def rule(self, key: str, written: str, source: str, given: object) -> None:
        """Note a value in force that was weighed elsewhere: given by the house, or by the text."""
        self.rulings.append(Ruling(key, written, source if given is None else "house"))

    def _unsaid(self, key: str, ruled: Ruled[T], *, needed: bool) -> T | None:
        if ruled.value is not None:
            self.rulings.append(Ruling(key, _written(ruled.value), ruled.source))
        elif needed and ruled.house:
            self.table.refuse(key, f"is missing; the house must give it ({folded(ruled.source)})")
        elif needed:
            self.profile.refuse(key, "has neither a value nor house = true; the profile must say one of them")
        return ruled.value

    def amount(self, key: str, ruled: Ruled[str], given: str | None, currency: Currency) -> int | None:
        """The amount in force in minor units, or None after a refusal."""
        text = self.choose(key, ruled, given)
        if text is None:
            return None
        return self.parse(self.profile if given is None else self.table, key, text, currency)

    @staticmethod
    def parse(review: Review, key: str, text: str, currency: Currency) -> int | None:
        """An amount in minor units, or None after a refusal."""
        try:
            return parse(text, currency)
        except AmountError as error:
            review.refuse(key, f"{ascii(str(error))[1:-1]}{_comma_hint(text)}", text)
            return None


def _written(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(str(each) for each in value)
    return str(value) if isinstance(value, str) else shown(value)


def _comma_hint(text: str) -> str:
    if "," in text:
        return ". The decimal sign is a point, and thousands are not separated"
    return ""
