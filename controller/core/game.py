"""A game's rules as data: what a profile and a table's file say, checked and in minor units.

A `Game` never changes while a table runs; the table carries its digest. How the values get here, and from
which article each comes, is `controller.config`'s business.
"""

from enum import StrEnum

import msgspec

from controller.core.money import Currency
from controller.core.punto.rules import PuntoRules


class Hand(StrEnum):
    """Categories of a five-card hand, strongest first (seed 000 art. 14 and 17)."""

    ROYAL_FLUSH = "royal_flush"
    STRAIGHT_FLUSH = "straight_flush"
    FOUR_OF_A_KIND = "four_of_a_kind"
    FULL_HOUSE = "full_house"
    FLUSH = "flush"
    STRAIGHT = "straight"
    THREE_OF_A_KIND = "three_of_a_kind"
    TWO_PAIR = "two_pair"
    PAIR = "pair"
    HIGH_CARD = "high_card"


class Fund(StrEnum):
    """Who pays a prize."""

    POT = "pot"
    RESERVE = "reserve"
    HOUSE = "house"


class Order(StrEnum):
    """Who is served first when a round has several awards (Montevideo art. 19: left to right)."""

    SEAT = "seat"
    RANK = "rank"


class RoyalSplit(StrEnum):
    """Several royals in a round: equal parts (art. 17), or the first takes all and the next the reset amount."""

    EQUAL = "equal"
    FIRST_TAKES_ALL = "first_takes_all"


class RoyalExcludes(StrEnum):
    """What a royal excludes: other prizes of the same hand, or of the whole round (art. 17, "mano")."""

    HAND = "hand"
    ROUND = "round"


class JudgedOn(StrEnum):
    """Which cards a prize is judged on: those first dealt, or those after changing or buying."""

    DEALT = "dealt"
    FINAL = "final"


class OverflowUse(StrEnum):
    """What money above the limit is for."""

    NEXT_RESET = "next_reset"
    HOUSE = "house"


class Role(StrEnum):
    """What a person of the house is at a table."""

    DEALER = "dealer"
    SUPERVISOR = "supervisor"
    TECHNICIAN = "technician"


class Policies(msgspec.Struct, frozen=True):
    """Choices the texts leave open, each named; amounts in minor units.

    `bet_returned_with_progressive`: whether a bet comes back although its player has a valid progressive wager,
    when the bank does not open; None where the text has no such rule.
    """

    order: Order
    royal_split: RoyalSplit
    royal_excludes: RoyalExcludes
    fold_forfeits: bool
    purchase_forfeits: bool
    judged_on: JudgedOn
    award_when_bank_does_not_open: bool
    bet_returned_with_progressive: bool | None
    award_key_from: int
    require_sign: bool
    require_host: bool


def without_awards(*, require_sign: bool, require_host: bool) -> Policies:
    """The policies of a game that has no prize: those about awards stand here, but nothing ever asks them."""
    return Policies(
        order=Order.SEAT,
        royal_split=RoyalSplit.EQUAL,
        royal_excludes=RoyalExcludes.HAND,
        fold_forfeits=True,
        purchase_forfeits=True,
        judged_on=JudgedOn.DEALT,
        award_when_bank_does_not_open=True,
        bet_returned_with_progressive=None,
        award_key_from=0,
        require_sign=require_sign,
        require_host=require_host,
    )


class LevelRules(msgspec.Struct, frozen=True, omit_defaults=True):
    """One progressive amount. Amounts in minor units, rates in parts per million of the wager.

    `link`: the pot is shared by the tables of that link and stands at the floor; None, written as nothing: it is the
    table's own.
    """

    name: str
    base_amount: int
    reset_amount: int
    increment_rate_ppm: int
    reserve_rate_ppm: int
    limit: int
    overflow_use: OverflowUse
    link: str | None = None


class Share(msgspec.Struct, frozen=True, tag="share", tag_field="kind"):
    """A prize that is a share of its level, `cap` minor units at most."""

    share_ppm: int
    cap: int | None = None


class Fixed(msgspec.Struct, frozen=True, tag="fixed", tag_field="kind"):
    """A prize of a fixed amount, in minor units (a multiple of the wager is worked out beforehand)."""

    amount: int


class Prize(msgspec.Struct, frozen=True):
    """What a hand wins, from which level, who pays it, and the article that says so.

    No level: a bonus with a fixed pay table and no pot, paid by the house (seed 003 art. 9 e, the *Bono*).
    """

    hand: Hand
    level: str | None
    pays: Share | Fixed
    fund: Fund
    source: str


class Game(msgspec.Struct, frozen=True, omit_defaults=True):
    """All that decides about money and phases at one table.

    `wager` and `payable_unit` are minor units; `release_ms` is the length of the chip release pulse. A `wager` of 0:
    the game has no progressive; its slots never open, its rounds are locked and counted. `dealt` is how many cards
    a hand is judged on, the common ones among them (0: no hand is dealt to a seat); `ace_low_straight` says whether
    A-2-3-4-5 is a straight. `sells_card`: a player may buy one (seed 004, Opción de Compra), elsewhere a purchase is
    refused. `punto`: the rules of Punto y Banca, None in a poker game; it has no wager. `pin`: the roles whose acts
    need a person who has entered his PIN; a table's file always says which, and none is written as nothing.
    """

    profile: str
    currency: Currency
    seats: int
    wager: int
    payable_unit: int
    dealt: int
    ace_low_straight: bool
    levels: tuple[LevelRules, ...]
    prizes: tuple[Prize, ...]
    policies: Policies
    release_ms: int
    punto: PuntoRules | None = None
    sells_card: bool = False
    pin: tuple[Role, ...] = ()

    def prize(self, hand: Hand) -> Prize | None:
        """The prize of a hand, if it has one."""
        return next((prize for prize in self.prizes if prize.hand is hand), None)

    def linked(self, prize: Prize) -> str | None:
        """The link whose shared pot or reserve pays a prize; None where the table's own or the house does."""
        if prize.fund is Fund.HOUSE:
            return None
        return next((level.link for level in self.levels if level.name == prize.level), None)
