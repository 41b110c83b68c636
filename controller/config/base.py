"""The parts of a profile beside the progressive: the game against the bank, the circle, Punto y Banca."""

from collections.abc import Mapping

import msgspec

from controller.config.conform import Review
from controller.config.desk import Desk
from controller.config.kinds import Ruled
from controller.config.problems import did_you_mean, folded
from controller.config.profile import PaysText, Profile
from controller.config.schema import BaseGiven, CircleGiven, PuntoGiven, TableFile
from controller.core.game import Game, Hand
from controller.core.money import Currency, plain
from controller.core.punto.rules import PuntoRules
from controller.core.settlement import BaseRules, Opening, PayTable, Tie

_AMOUNTS = frozenset({"ante_min", "ante_max", "most_per_hand", "bank_min", "bank_max", "bank_step"})
_RANGES: Mapping[str, tuple[int, ...]] = {
    "decks": (6, 8),
    "bank_draws_to": (2, 3, 4, 5, 6, 7),
    "changes_most": (0, 1, 2, 3, 4, 5),
}
"""What these whole numbers may be: seed 001 num. 1, and what cards allow."""


class Base(msgspec.Struct, frozen=True):
    """The game against the bank as this table plays it; what is None or 0, its text does not have.

    `unopened_pays_ante`, `unopened_returns_bet`: the stakes of those who went on when the bank does not open.
    `bet_times_ante` is the second bet in antes, `pays` what a winning one gets to one, `changes_most` the cards a
    player may change. In minor units: `ante_min` and `ante_max`, the ante's limits, and `most_per_hand`, the house's
    limit of what one hand wins (None: no limit).
    Only `pays` is there where the text says no more than that hands are paid.
    """

    pays: PayTable
    bank_opens: Opening | None
    bet_times_ante: int | None
    ante_by_table: bool | None
    unopened_pays_ante: bool | None
    unopened_returns_bet: bool | None
    tie: Tie | None
    card_can_be_bought: bool
    changes_most: int
    ante_min: int | None
    ante_max: int | None
    most_per_hand: int | None

    def rules(self, game: Game) -> BaseRules | None:
        """What `core.settlement.settle` plays by; None where the bank shows no hand that must open."""
        if (
            self.bank_opens is None
            or self.ante_by_table is None
            or self.unopened_pays_ante is None
            or self.unopened_returns_bet is None
            or self.tie is None
        ):
            return None
        returned = game.policies.bet_returned_with_progressive
        return BaseRules(
            ace_low_straight=game.ace_low_straight,
            bank_opens=self.bank_opens,
            pays=self.pays,
            card_can_be_bought=self.card_can_be_bought,
            bet_returned_with_progressive=True if returned is None else returned,
            ante_by_table=self.ante_by_table,
            unopened_pays_ante=self.unopened_pays_ante,
            unopened_returns_bet=self.unopened_returns_bet,
            tie=self.tie,
            most_per_hand=self.most_per_hand,
        )


class Circle(msgspec.Struct, frozen=True):
    """A game among players: the part of their pots that the house takes, and whether bets have a limit."""

    house_share_ppm: int | None
    bets_limited: bool | None


class Beside(msgspec.Struct, frozen=True):
    """What a table plays by beside the progressive."""

    base: Base | None
    circle: Circle | None
    punto: PuntoRules | None


def beside(profile: Profile, house: TableFile, currency: Currency, desk: Desk) -> Beside:
    """Weigh the parts a profile has; what the house gives for a part it does not have is refused.

    Raises `ConfigError` with all that is missing or against the text.
    """
    has_base = profile.base is not None or profile.pays is not None
    parts = (("base", has_base), ("circle", profile.circle is not None), ("punto", profile.punto is not None))
    for name, has in parts:
        if not has and getattr(house, name) is not None:
            desk.table.refuse(name, "this game has no such part; take it out")
    circle: dict[str, object] = {}
    if profile.circle is not None:
        circle = _weigh("circle", profile.circle, house.circle or CircleGiven(), currency, desk)
    base = _base(profile, house.base or BaseGiven(), currency, desk)
    punto: dict[str, object] = {}
    if profile.punto is not None:
        punto = _weigh("punto", profile.punto, house.punto or PuntoGiven(), currency, desk)
    desk.table.report.settle()
    return Beside(
        base=None if base is None else msgspec.convert(base, Base),
        circle=msgspec.convert(circle, Circle) if circle else None,
        punto=msgspec.convert({**punto, "policies": punto}, PuntoRules) if punto else None,
    )


def _base(profile: Profile, given: BaseGiven, currency: Currency, desk: Desk) -> dict[str, object] | None:
    if profile.base is not None:
        draft = _weigh("base", profile.base, given, currency, desk)
        pays = profile.base.pays
    elif profile.pays is not None:
        draft = _weigh("base", _PaysOnly(), given, currency, desk)
        draft |= {"card_can_be_bought": False, "changes_most": 0}
        pays = profile.pays
    else:
        return None
    _limits(draft, currency, desk)
    to_one = _to_one(pays, given.pays, desk)
    _complete(to_one, draft["bank_opens"], desk.table if pays.house else desk.profile)
    return {**draft, "pays": {"to_one": to_one, "source": pays.source}}


def _limits(draft: dict[str, object], currency: Currency, desk: Desk) -> None:
    """The ante's limits leave room for an ante."""
    least, most = draft["ante_min"], draft["ante_max"]
    if not (isinstance(least, int) and isinstance(most, int)):
        return
    if least < 1:
        desk.table.refuse("base.ante_min", f"{plain(least, currency)} is no ante: it must be above zero")
    if least > most:
        what = f"{plain(least, currency)} is above base.ante_max {plain(most, currency)}; lower it or raise the other"
        desk.table.refuse("base.ante_min", what)


class _PaysOnly(msgspec.Struct, frozen=True):
    """What a game has of the game against the bank when its text says no more than that hands are paid."""

    bank_opens: None = None
    bet_times_ante: None = None
    ante_by_table: None = None
    unopened_pays_ante: None = None
    unopened_returns_bet: None = None
    tie: None = None
    card_can_be_bought: None = None
    changes_most: None = None
    ante_min: None = None
    ante_max: None = None
    most_per_hand: None = None


def _complete(to_one: dict[str, int], opening: object, review: Review) -> None:
    """Every hand that can beat a bank that plays needs its line: a table one line short pays somebody nothing."""
    if opening is None or not to_one:
        return
    needless = {Hand.HIGH_CARD} if opening is Opening.PAIR_OF_EIGHTS else set()
    missing = [hand for hand in Hand if hand not in to_one and hand not in needless]
    if missing:
        review.refuse("base.pays", f"has no line for {', '.join(missing)}; each hand that can win needs one")


def _weigh(
    part: str, text: msgspec.Struct, given: msgspec.Struct, currency: Currency, desk: Desk
) -> dict[str, object]:
    """The value in force of each key of a part; None for a key its profile does not have."""
    found: dict[str, object] = {}
    for name in text.__struct_fields__:
        key, ruled, value = f"{part}.{name}", getattr(text, name), getattr(given, name)
        if ruled is not None and not isinstance(ruled, Ruled):
            continue
        if ruled is None:
            found[name] = None
            if value is not None:
                desk.table.refuse(key, "this game's rules do not have it; take it out", value)
        elif name == "most_per_hand" and value is None:
            found[name] = None  # the house "may" cap what a hand wins (seed 004): no cap is a cap not given
        elif name in _AMOUNTS:
            found[name] = desk.amount(key, ruled, value, currency)
        else:
            found[name] = desk.choose(key, ruled, value)
        allowed = _RANGES.get(name)
        if value is not None and allowed and value not in allowed:
            desk.table.refuse(key, f"must be one of {', '.join(map(str, allowed))}", value)
    return found


def _to_one(text: PaysText, given: dict[str, int] | None, desk: Desk) -> dict[str, int]:
    if given is not None and not text.house:
        desk.table.refuse("base.pays", f"is fixed by the text ({folded(text.source)}); take it out")
    review, pays = (desk.profile, text.value) if given is None else (desk.table, given)
    if pays is None:
        desk.table.refuse("base.pays", f"is missing; the house must give it ({folded(text.source)})")
        return {}
    hands = tuple(Hand)
    for name in pays:
        if name not in hands:
            review.refuse(f"base.pays.{name}", f"is no hand.{did_you_mean(name, hands)}")
    desk.rule(
        "base.pays", ", ".join(f"{name} {to_one}:1" for name, to_one in pays.items()), text.source, given
    )
    return pays
