"""The shape of a table's own file: what the profile leaves to the house.

A board's file and a game's profile have shapes of their own (`board_schema`, `profile`). Nothing here has a default
that decides anything: an absent value is `None`, and `games` refuses it where somebody has to give it.
"""

from enum import StrEnum
from typing import Annotated

import msgspec

from controller.config.kinds import (
    Amount,
    Level,
    LinkName,
    Multiple,
    Rate,
    SeatCount,
    ShortText,
    Strict,
    TableId,
    TimeOfDay,
    ToOne,
)
from controller.core.game import Fund, Hand, JudgedOn, Order, OverflowUse, Role, RoyalExcludes, RoyalSplit
from controller.core.money import Currency
from controller.core.punto.rules import (
    BankLow,
    BankNatural,
    BankWins,
    CommissionBase,
    Discount,
    EncartSuite,
    FirstDiscount,
    FrozenInto,
    HouseSuite,
    LastBank,
    LeftPlays,
    RedCard,
    Remainder,
    SeatedBy,
)
from controller.core.settlement import Opening, Tie


class Identity(Strict, frozen=True):
    """Which table this is, how it writes, and when its gaming day begins."""

    id: TableId
    name: ShortText
    locale: str
    language: str
    timezone: str
    day_starts_at: TimeOfDay
    seats: SeatCount | None = None


class WagerGiven(Strict, frozen=True):
    """The house's wager."""

    amount: Amount | None = None
    currency: Currency | None = None
    payable_unit: Amount | None = None


class LevelGiven(Strict, frozen=True):
    """The house's parameters of one level."""

    base_amount: Amount | None = None
    reset_amount: Amount | None = None
    increment_rate_ppm: Rate | None = None
    reserve_rate_ppm: Rate | None = None
    limit: Amount | None = None
    overflow_use: OverflowUse | None = None
    link: LinkName | None = None


class PrizeGiven(Strict, frozen=True):
    """What the house says about one hand's prize."""

    fund: Fund | None = None
    level: Level | None = None
    share_ppm: Rate | None = None
    amount: Amount | None = None
    wager_multiple: Multiple | None = None
    cap_wager_multiple: Multiple | None = None


class PolicyGiven(Strict, frozen=True):
    """The house's choices."""

    order: Order | None = None
    royal_split: RoyalSplit | None = None
    royal_excludes: RoyalExcludes | None = None
    fold_forfeits: bool | None = None
    purchase_forfeits: bool | None = None
    judged_on: JudgedOn | None = None
    award_when_bank_does_not_open: bool | None = None
    bet_returned_with_progressive: bool | None = None
    award_key_from: Amount | None = None
    require_sign: bool | None = None
    require_host: bool | None = None


class CardsGiven(Strict, frozen=True):
    """The house's ranking of straights, where the text is silent."""

    ace_low_straight: bool | None = None


class BaseGiven(Strict, frozen=True):
    """The house's choices about the game against the bank, and its pay table where the text has none."""

    bank_opens: Opening | None = None
    bet_times_ante: ToOne | None = None
    ante_by_table: bool | None = None
    unopened_pays_ante: bool | None = None
    unopened_returns_bet: bool | None = None
    tie: Tie | None = None
    card_can_be_bought: bool | None = None
    changes_most: int | None = None
    ante_min: Amount | None = None
    ante_max: Amount | None = None
    most_per_hand: Amount | None = None
    pays: dict[str, ToOne] | None = None


class CircleGiven(Strict, frozen=True):
    """What the house takes from the pots of a game among players."""

    house_share_ppm: Rate | None = None
    bets_limited: bool | None = None


class PuntoGiven(Strict, frozen=True):
    """The house's choices for Punto y Banca."""

    decks: int | None = None
    bank_min: Amount | None = None
    bank_max: Amount | None = None
    bank_step: Amount | None = None
    bank_low: BankLow | None = None
    bank_natural: BankNatural | None = None
    bank_draws_to: int | None = None
    discount: Discount | None = None
    commission_base: CommissionBase | None = None
    first_discount: FirstDiscount | None = None
    first_discount_stacks: bool | None = None
    encart_suite: EncartSuite | None = None
    remainder: Remainder | None = None
    bank_wins: BankWins | None = None
    red_card: RedCard | None = None
    left_plays: LeftPlays | None = None
    first_win_counts: bool | None = None
    frozen_into: FrozenInto | None = None
    last_bank: LastBank | None = None
    house_suite: HouseSuite | None = None
    withdraw_before_win: bool | None = None
    seated_by: SeatedBy | None = None
    require_shoe: bool | None = None
    require_banker: bool | None = None


class ReleaseGiven(Strict, frozen=True):
    """The chip release pulse."""

    pulse_ms: Annotated[int, msgspec.Meta(ge=50, le=5000, extra={"allowed": "milliseconds, 50 to 5000"})]


_Path = Annotated[
    str,
    msgspec.Meta(
        pattern="^(/|~/)", extra={"allowed": 'an absolute path in quotes, or one that begins with "~/"'}
    ),
]


class JournalGiven(Strict, frozen=True):
    """Where the journal is."""

    path: _Path


class WitnessGiven(Strict, frozen=True):
    """Where the second copy is: a directory."""

    path: _Path


class SoftwareGiven(Strict, frozen=True):
    """What the program is proven by before it plays: the signed list of its files, and the key that signed it."""

    manifest: _Path
    key: _Path


class Offline(StrEnum):
    """What a table does while the floor is not heard."""

    STRICT = "strict"
    """The round under way is finished from what is stored; no new wager until the floor is heard again."""
    CONTINUE = "continue"
    """It plays on, with a warning."""


class LinkGiven(Strict, frozen=True):
    """The floor: how its database is reached (libpq's words), and the socket on which the table hears from its link."""

    floor: Annotated[
        str,
        msgspec.Meta(
            pattern="^.{1,500}$",
            extra={"allowed": 'how to connect, in quotes, such as "service=pozo"; without a password'},
        ),
    ]
    socket: _Path
    offline: Offline = Offline.STRICT


class WebhookGiven(Strict, frozen=True):
    """An HTTPS address to which records are delivered; `ca`: the authority's certificate, if it is the house's own."""

    url: Annotated[
        str,
        msgspec.Meta(
            pattern="^https://[!-~]{1,500}$",
            extra={"allowed": "an address in quotes that begins with https://"},
        ),
    ]
    ca: _Path | None = None


class FolderGiven(Strict, frozen=True):
    """A directory into which records are put as CSV files."""

    path: _Path


class MqttGiven(Strict, frozen=True):
    """A broker on which the newest record is shown: a mirror for screens. `ca`, `certificate` and `key` are files."""

    url: Annotated[
        str,
        msgspec.Meta(
            pattern="^mqtts?://[!-~]{1,300}$",
            extra={"allowed": "an address in quotes that begins with mqtts://, or mqtt:// for this machine"},
        ),
    ]
    prefix: Annotated[
        str,
        msgspec.Meta(
            pattern="^[a-z0-9_-]{1,40}(/[a-z0-9_-]{1,40}){0,4}$",
            extra={"allowed": 'the beginning of its topics, such as "casino/pozo"'},
        ),
    ] = "pozo"
    ca: _Path | None = None
    certificate: _Path | None = None
    key: _Path | None = None


class AccessGiven(Strict, frozen=True):
    """Which roles have to enter a PIN: both key holders, or at a simulated board any, and none too, but written."""

    pin: tuple[Role, ...]


class LocaleGiven(Strict, frozen=True):
    """How a table writes when it plays one certain game."""

    locale: str | None = None
    language: str | None = None
    timezone: str | None = None
    seats: SeatCount | None = None


class HouseFor(Strict, frozen=True):
    """What a table's file says for one game only, over what it says for all."""

    table: LocaleGiven | None = None
    wager: WagerGiven | None = None
    pot: dict[str, LevelGiven] | None = None
    winners: tuple[Hand, ...] | None = None
    prizes: dict[str, PrizeGiven] | None = None
    policies: PolicyGiven | None = None
    cards: CardsGiven | None = None
    base: BaseGiven | None = None
    circle: CircleGiven | None = None
    punto: PuntoGiven | None = None


class TableFile(Strict, frozen=True, rename={"for_game": "for"}):
    """A table's own file."""

    game: str
    board: str
    table: Identity
    release: ReleaseGiven
    journal: JournalGiven
    witness: WitnessGiven
    access: AccessGiven
    software: SoftwareGiven | None = None
    link: LinkGiven | None = None
    webhook: WebhookGiven | None = None
    folder: FolderGiven | None = None
    mqtt: MqttGiven | None = None
    wager: WagerGiven = WagerGiven()
    pot: dict[str, LevelGiven] = msgspec.field(default_factory=dict)
    winners: tuple[Hand, ...] | None = None
    prizes: dict[str, PrizeGiven] = msgspec.field(default_factory=dict)
    policies: PolicyGiven = PolicyGiven()
    cards: CardsGiven = CardsGiven()
    base: BaseGiven | None = None
    circle: CircleGiven | None = None
    punto: PuntoGiven | None = None
    for_game: dict[str, HouseFor] = msgspec.field(default_factory=dict)
