"""A game's profile and the house's values together: the `Game` a table plays by, and who said what.

Each value comes from the text (with its article) or from the house, never from here. What the text leaves to the
house and the house does not give is refused; so is what the house gives against the text.
"""

from typing import TypeVar

import msgspec

from controller.config.conform import Review
from controller.config.problems import did_you_mean, folded, shown
from controller.config.schema import (
    LevelGiven,
    LevelText,
    PolicyGiven,
    PrizeGiven,
    PrizeText,
    Profile,
    Ruled,
    TableFile,
)
from controller.core.game import Game, Hand
from controller.core.money import AmountError, Currency, parse

T = TypeVar("T")
_PAYS = ("share_ppm", "amount", "wager_multiple")


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


def build(name: str, profile: Profile, house: TableFile, desk: Desk) -> Game:
    """The game in force. Raises `ConfigError` with all that is missing or against the text."""
    report = desk.table.report
    currency = desk.choose("wager.currency", profile.wager.currency, house.wager.currency)
    if currency is None:
        report.fail()
    wager = desk.amount("wager.amount", profile.wager.amount, house.wager.amount, currency)
    draft: dict[str, object] = {
        "profile": name,
        "currency": currency,
        "seats": desk.choose("table.seats", profile.seats, house.table.seats),
        "wager": wager,
        "payable_unit": desk.amount(
            "wager.payable_unit", profile.wager.payable_unit, house.wager.payable_unit, currency
        ),
        "dealt": sum(count.value or 0 for count in (profile.cards.own, profile.cards.common)),
        "ace_low_straight": desk.choose("cards.ace_low_straight", profile.cards.ace_low_straight, None),
        "levels": _levels(profile, house, currency, desk),
        "prizes": _prizes(profile, house, _Stake(currency, wager), desk),
        "policies": _policies(profile, house.policies, currency, desk),
        "release_ms": house.release.pulse_ms,
    }
    report.settle()
    return msgspec.convert(draft, Game)


class _Stake(msgspec.Struct, frozen=True):
    currency: Currency
    wager: int | None


def _levels(profile: Profile, house: TableFile, currency: Currency, desk: Desk) -> list[dict[str, object]]:
    for name in house.pot:
        if name not in profile.levels:
            desk.table.refuse(
                f"pot.{name}", f"this game has no such level.{did_you_mean(name, profile.levels)}"
            )
    return [
        _level(name, text, house.pot.get(name, LevelGiven()), currency, desk)
        for name, text in profile.levels.items()
    ]


def _level(
    name: str, text: LevelText, given: LevelGiven, currency: Currency, desk: Desk
) -> dict[str, object]:
    at = f"pot.{name}"
    return {
        "name": name,
        "base_amount": desk.amount(f"{at}.base_amount", text.base_amount, given.base_amount, currency),
        "reset_amount": desk.amount(f"{at}.reset_amount", text.reset_amount, given.reset_amount, currency),
        "increment_rate_ppm": desk.choose(
            f"{at}.increment_rate_ppm", text.increment_rate_ppm, given.increment_rate_ppm
        ),
        "reserve_rate_ppm": desk.choose(
            f"{at}.reserve_rate_ppm", text.reserve_rate_ppm, given.reserve_rate_ppm
        ),
        "limit": desk.amount(f"{at}.limit", text.limit, given.limit, currency),
        "overflow_use": desk.choose(f"{at}.overflow_use", text.overflow_use, given.overflow_use),
    }


def _policies(profile: Profile, given: PolicyGiven, currency: Currency, desk: Desk) -> dict[str, object]:
    draft: dict[str, object] = {}
    for name in profile.policies.__struct_fields__:
        key, ruled, value = f"policies.{name}", getattr(profile.policies, name), getattr(given, name)
        if ruled is None:
            draft[name] = None
            continue
        is_amount = name == "award_key_from"
        draft[name] = (
            desk.amount(key, ruled, value, currency) if is_amount else desk.choose(key, ruled, value)
        )
    return draft


def _prizes(profile: Profile, house: TableFile, stake: _Stake, desk: Desk) -> list[dict[str, object]]:
    wins = profile.winners.value
    for name in profile.prizes:
        if name not in wins:
            desk.profile.refuse(f"prizes.{name}", f"is not among the winners.{did_you_mean(name, wins)}")
    for name in house.prizes:
        if name not in wins:
            desk.table.refuse(f"prizes.{name}", f"this game has no such prize.{did_you_mean(name, wins)}")
    for hand in wins:
        if hand not in profile.prizes:
            desk.profile.refuse(
                f"prizes.{hand}", f"is missing although {hand} wins ({folded(profile.winners.source)})"
            )
    return [
        _prize(hand, profile.prizes[hand], house.prizes.get(hand, PrizeGiven()), stake, desk)
        for hand in wins
        if hand in profile.prizes
    ]


def _prize(hand: Hand, text: PrizeText, given: PrizeGiven, stake: _Stake, desk: Desk) -> dict[str, object]:
    at = f"prizes.{hand}"
    level = desk.choose(f"{at}.level", Ruled(text.source, text.level, text.house), given.level)
    return {
        "hand": hand,
        "level": level,
        "fund": desk.choose(f"{at}.fund", text.fund, given.fund),
        "source": text.source,
        "pays": _pays(at, text, given, stake, desk),
    }


def _pays(at: str, text: PrizeText, given: PrizeGiven, stake: _Stake, desk: Desk) -> dict[str, object] | None:
    said: dict[str, object] = {}
    for name in (*_PAYS, "cap_wager_multiple"):
        ruled: Ruled[object] = Ruled(text.source, getattr(text, name), text.house)
        value = desk.choose(f"{at}.{name}", ruled, getattr(given, name), needed=False)
        if value is not None:
            said[name] = value
    review = desk.table if text.house else desk.profile
    if len([name for name in _PAYS if name in said]) != 1:
        review.refuse(at, f"must pay exactly one of {', '.join(_PAYS)}; it has {', '.join(said) or 'none'}")
        return None
    multiples = {name: value for name, value in said.items() if isinstance(value, int)}
    cap = multiples.get("cap_wager_multiple")
    match said:
        case {"share_ppm": share}:
            return {"kind": "share", "share_ppm": share, "cap": _times(cap, stake)}
        case _ if cap is not None:
            review.refuse(f"{at}.cap_wager_multiple", "only a share has a cap; take it out", cap)
            return None
        case {"amount": str(amount)}:
            by = desk.profile if given.amount is None else desk.table
            return {"kind": "fixed", "amount": desk.parse(by, f"{at}.amount", amount, stake.currency)}
        case _:
            return {"kind": "fixed", "amount": _times(multiples["wager_multiple"], stake)}


def _times(multiple: int | None, stake: _Stake) -> int | None:
    return None if multiple is None or stake.wager is None else multiple * stake.wager


def _written(value: object) -> str:
    return str(value) if isinstance(value, str) else shown(value)


def _comma_hint(text: str) -> str:
    if "," in text:
        return ". The decimal sign is a point, and thousands are not separated"
    return ""
