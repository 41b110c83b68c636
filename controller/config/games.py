"""A game's profile and the house's values together: the `Game` a table plays by, and who said what.

Each value comes from the text (with its article) or from the house, never from here. What the text leaves to the
house and the house does not give is refused; so is what the house gives against the text.
"""

from collections.abc import Mapping

import msgspec

from controller.config import prizes
from controller.config.desk import Desk
from controller.config.kinds import Ruled
from controller.config.problems import did_you_mean, folded
from controller.config.profile import Conduct, Irregular, LevelText, Procedure, Profile, SeatsText
from controller.config.schema import LevelGiven, PolicyGiven, TableFile
from controller.core.game import Game, Policies, without_awards
from controller.core.money import Currency

_OF_THE_TABLE = ("require_sign", "require_host")
"""Policies of every table; all others are about awards."""

_NOT_EVERYWHERE = ("bet_returned_with_progressive",)
"""Policies about awards that not every text has."""

NO_SHARES = 1
"""The payable unit of a game that pays no prize: it is never asked."""


def build(name: str, profile: Profile, house: TableFile, desk: Desk) -> Game:
    """The game in force. Raises `ConfigError` with all that is missing or against the text."""
    report = desk.table.report
    _known(profile, desk)
    currency = desk.choose("wager.currency", profile.wager.currency, house.wager.currency)
    if currency is None:
        report.fail()
    wager = _amount_if_any("amount", profile, house, currency, desk)
    unit = _amount_if_any("payable_unit", profile, house, currency, desk)
    draft: dict[str, object] = {
        "profile": name,
        "currency": currency,
        "seats": _seats(profile.seats, house.table.seats, desk),
        "wager": wager,
        "payable_unit": NO_SHARES if profile.wager.payable_unit is None else unit,
        "dealt": _dealt(profile, desk),
        "ace_low_straight": _ace_low(profile, house.cards.ace_low_straight, desk),
        "levels": _levels(profile, house, currency, desk),
        "prizes": prizes.prizes(profile, house, prizes.Stake(currency, wager), desk),
        "policies": _policies(profile, house.policies, currency, desk),
        "release_ms": house.release.pulse_ms,
    }
    report.settle()
    return msgspec.convert(draft, Game)


def _known(profile: Profile, desk: Desk) -> None:
    """Names that a profile's tables may have, and what its parts need of each other."""
    for part, given, known in (
        ("irregular", profile.irregular, tuple(Irregular)),
        ("procedure", profile.procedure, tuple(Procedure)),
        ("conduct", profile.conduct, tuple(Conduct)),
    ):
        for name in given:
            if name not in known:
                desk.profile.refuse(f"{part}.{name}", f"is not known.{did_you_mean(name, known)}")
    if profile.winners is not None and profile.wager.amount is None:
        desk.profile.refuse("wager.amount", "is missing; where a hand wins a prize there is a wager")
    if profile.winners is None and (profile.levels or profile.prizes or profile.wager.amount):
        desk.profile.refuse("winners", "is missing; a game with a wager says which hands win a prize")


def _amount_if_any(
    name: str, profile: Profile, house: TableFile, currency: Currency, desk: Desk
) -> int | None:
    """An amount of the wager; 0 where the game has no wager."""
    ruled: Ruled[str] | None = getattr(profile.wager, name)
    given: str | None = getattr(house.wager, name)
    if ruled is not None:
        return desk.amount(f"wager.{name}", ruled, given, currency)
    if given is not None:
        desk.table.refuse(f"wager.{name}", "this game has no progressive wager; take it out", given)
    return 0


def _seats(text: SeatsText, given: int | None, desk: Desk) -> int | None:
    if text.at_most and given is not None and given > text.value:
        desk.table.refuse("table.seats", f"this game has at most {text.value} ({folded(text.source)})", given)
        return None
    free = text.house or text.at_most
    return desk.choose("table.seats", Ruled(text.source, text.value, free), given)


def _dealt(profile: Profile, desk: Desk) -> int | None:
    if profile.cards is None:
        return 0
    own = desk.choose("cards.own", profile.cards.own, None)
    common = desk.choose("cards.common", profile.cards.common, None)
    return None if own is None or common is None else own + common


def _ace_low(profile: Profile, given: bool | None, desk: Desk) -> bool | None:
    key = "cards.ace_low_straight"
    if profile.cards is not None:
        return desk.choose(key, profile.cards.ace_low_straight, given)
    if given is not None:
        desk.table.refuse(key, "this game ranks no hands of players; take it out", given)
    return False


def _levels(profile: Profile, house: TableFile, currency: Currency, desk: Desk) -> list[dict[str, object]]:
    for name in house.pot:
        if name not in profile.levels:
            what = "this game has no such level." if profile.levels else "this game has no pot; take it out"
            desk.table.refuse(f"pot.{name}", f"{what}{did_you_mean(name, profile.levels)}")
    return [
        _level(name, text, house.pot.get(name, LevelGiven()), currency, desk)
        for name, text in profile.levels.items()
    ]


def _level(
    name: str, text: LevelText, given: LevelGiven, currency: Currency, desk: Desk
) -> dict[str, object]:
    at = f"pot.{name}"
    if given.link is not None:
        _linked(f"{at}.link", given.link, desk)
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
        "link": given.link,
    }


def _linked(key: str, link: str, desk: Desk) -> None:
    """A pot shared with other tables is a choice of the house's, whatever the text says of its amounts."""
    desk.rule(key, link, "house", link)


def _policies(
    profile: Profile, given: PolicyGiven, currency: Currency, desk: Desk
) -> Mapping[str, object] | Policies:
    found: dict[str, object] = {}
    for name in Policies.__struct_fields__:
        key, ruled, value = f"policies.{name}", getattr(profile.policies, name), getattr(given, name)
        if ruled is None:
            found[name] = None
            _absent(name, value, profile, desk)
        elif name == "award_key_from":
            found[name] = desk.amount(key, ruled, value, currency)
        else:
            found[name] = desk.choose(key, ruled, value)
        if ruled is not None and profile.winners is None and name not in _OF_THE_TABLE:
            desk.profile.refuse(key, "is about awards, and no hand of this game wins a prize; take it out")
    if profile.winners is None:
        return without_awards(
            require_sign=bool(found["require_sign"]), require_host=bool(found["require_host"])
        )
    return found


def _absent(name: str, given: object, profile: Profile, desk: Desk) -> None:
    """A policy the profile does not have: refuse it where it is needed, or given by the house all the same."""
    if profile.winners is not None and name not in _NOT_EVERYWHERE:
        what = "is missing; give it a table with its source: a game with prizes needs it"
        desk.profile.refuse(f"policies.{name}", what)
    elif given is not None:
        desk.table.refuse(f"policies.{name}", "this game's rules do not have this policy; take it out", given)
