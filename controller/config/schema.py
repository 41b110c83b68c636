"""The shape of a table's own file and of a board's; a game's profile has its own (`controller.config.profile`).

A table's file gives what the profile leaves to the house; a board file says what is wired where. Nothing here has a
default that decides anything: an absent value is `None`, and `games` refuses it where somebody has to give it.
"""

from enum import StrEnum
from typing import Annotated, Any

import msgspec

from controller.config.kinds import (
    Amount,
    Level,
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
from hal.interface import Device, Factory, Format, KeypadKind, Pull, ScreenKind, SignKind

# A table's own file.


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


class AccessGiven(Strict, frozen=True):
    """Which roles have to enter a PIN; an empty list is a choice too, but it has to be written."""

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


# A board's file.


def _ms(least: int, most: int) -> msgspec.Meta:
    return msgspec.Meta(
        ge=least, le=most, extra={"allowed": f"whole milliseconds, {least} to {most}, without unit or quotes"}
    )


class TimingsGiven(Strict, frozen=True):
    """The filter's times (`controller.inputs.Timings` says what each does), with their ranges."""

    settle_ms: Annotated[int, _ms(5, 50)]
    rearm_ms: Annotated[int, _ms(5, 100)]
    jam_ms: Annotated[int, _ms(500, 10_000)]
    button_settle_ms: Annotated[int, _ms(5, 50)]
    stuck_ms: Annotated[int, _ms(2_000, 60_000)]
    hold_ms: Annotated[int, _ms(500, 1_900)]
    common_mode_ms: Annotated[int, _ms(1, 5)]
    common_mode_lines: Annotated[int, msgspec.Meta(ge=3, le=32)]
    held_wait_ms: Annotated[int, _ms(20, 100)]
    poll_ms: Annotated[int, _ms(10, 200)]
    repair_ms: Annotated[int, _ms(1, 50)]
    chatter_per_s: Annotated[int, msgspec.Meta(ge=10, le=100)]


class Voltage(StrEnum):
    """What a line's pin carries."""

    LOW = "low"
    HIGH = "high"


class Active(Strict, frozen=True):
    """The voltage that means active, for each kind of line."""

    seats: Voltage
    buttons: Voltage
    keys: Voltage
    lamps: Voltage
    slots: Voltage
    release: Voltage
    bell: Voltage


class Pulls(Strict, frozen=True):
    """The inputs' own resistors."""

    seats: Pull
    buttons: Pull
    keys: Pull


class Buses(Strict, frozen=True):
    """Which buses the header's pins serve; their pins are then reserved."""

    i2c: bool
    uart: bool
    spi: bool


_Pin = Annotated[int, msgspec.Meta(ge=0, le=27, extra={"allowed": "the BCM number of a header pin, 0 to 27"})]
_Bus = Annotated[
    int, msgspec.Meta(ge=0, le=9, extra={"allowed": "the number of the bus, such as 1 for /dev/i2c-1"})
]
_DevicePath = Annotated[
    str,
    msgspec.Meta(
        pattern="^/dev/.", extra={"allowed": "a device's path in quotes, such as /dev/serial/by-id/..."}
    ),
]


class ScreenGiven(Strict, frozen=True):
    """The croupier's screen. `address` on I2C; `device` (chip select), `dc` and `reset` (pins) on SPI."""

    kind: ScreenKind
    bus: _Bus
    address: int | None = None
    device: Annotated[int, msgspec.Meta(ge=0, le=1)] | None = None
    dc: _Pin | None = None
    reset: _Pin | None = None


class SignGiven(Strict, frozen=True):
    """The jackpot sign: `port`, `baud`, `format` of a serial one, `bus` and `address` of a panel.

    `label` stands before what a serial sign shows; none if it is not given.
    """

    kind: SignKind
    port: _DevicePath | None = None
    baud: int | None = None
    format: Format | None = None
    bus: _Bus | None = None
    address: int | None = None
    label: Annotated[
        str, msgspec.Meta(pattern="^.{1,16}$", extra={"allowed": "1 to 16 characters in quotes"})
    ] = ""


class KeypadGiven(Strict, frozen=True):
    """The keypad. `keys`: what it sends, to the key's name; `baud` and `format` of a serial one."""

    kind: KeypadKind
    port: _DevicePath
    keys: dict[str, str]
    baud: int | None = None
    format: Format | None = None


class BoardFile(Strict, frozen=True):
    """What is wired where. Pins are BCM numbers; `board` judges them one by one."""

    title: ShortText
    factory: Factory
    chip_labels: tuple[str, ...]
    devices: tuple[Device, ...]
    buses: Buses
    active: Active
    pull: Pulls
    inputs: dict[str, Any]
    outputs: dict[str, Any]
    timings: TimingsGiven
    screen: ScreenGiven | None = None
    sign: SignGiven | None = None
    keypad: KeypadGiven | None = None
