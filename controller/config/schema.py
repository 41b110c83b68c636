"""The shape of the three kinds of files: a table's own, a board's, a game's profile.

A profile says what a game's text fixes, each value with its article, and what the house must give. A table's file
gives that. A board file says what is wired where. Nothing here has a default that decides anything: an absent
value is `None`, and `games` refuses it where somebody has to give it.
"""

from enum import StrEnum
from typing import Annotated, Any, Generic, TypeVar

import msgspec

from controller.core.game import Fund, Hand, JudgedOn, Order, OverflowUse, RoyalExcludes, RoyalSplit
from controller.core.money import PPM, Currency
from hal.interface import Device, Factory, Pull

T_co = TypeVar("T_co", covariant=True)

Amount = Annotated[
    str,
    msgspec.Meta(
        extra={"allowed": 'an amount in quotes with exactly the currency\'s decimals, like "10000.00"'}
    ),
]
Rate = Annotated[
    int,
    msgspec.Meta(
        ge=0, le=PPM, extra={"allowed": "whole parts per million, 0 to 1000000 (a quarter is 250000)"}
    ),
]
Multiple = Annotated[
    int, msgspec.Meta(ge=1, le=1_000_000, extra={"allowed": "how many times the wager, 1 to 1000000"})
]
SeatCount = Annotated[int, msgspec.Meta(ge=1, le=32, extra={"allowed": "a number of seats, 1 to 32"})]
CardCount = Annotated[int, msgspec.Meta(ge=0, le=9, extra={"allowed": "a number of cards, 0 to 9"})]
Level = Annotated[str, msgspec.Meta(pattern="^[a-z][a-z0-9_]{0,19}$")]
TableId = Annotated[
    str,
    msgspec.Meta(
        pattern="^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$",
        extra={"allowed": "1 to 32 ASCII letters, digits, - and _ in quotes"},
    ),
]
TimeOfDay = Annotated[
    str,
    msgspec.Meta(
        pattern="^([01][0-9]|2[0-3]):[0-5][0-9]$", extra={"allowed": 'a time of day in quotes, like "06:00"'}
    ),
]
ShortText = Annotated[
    str, msgspec.Meta(pattern="^.{1,60}$", extra={"allowed": "a text of 1 to 60 characters in quotes"})
]


class Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Common to all parts of a file: a key nobody knows is refused."""


# A game's profile.


class Ruled(Strict, Generic[T_co], frozen=True):
    """One value and the article it comes from.

    `house` with a value: the text leaves it open and this is what is shipped, a table's file may give another.
    `house` without one: a table's file must give it. A value alone is fixed.
    """

    source: str
    value: T_co | None = None
    house: bool = False


class WagerRules(Strict, frozen=True):
    """The one chip value, its currency, and the unit shares are rounded down to."""

    amount: Ruled[Amount]
    currency: Ruled[Currency]
    payable_unit: Ruled[Amount]


class LevelText(Strict, frozen=True):
    """The parameters of one level."""

    base_amount: Ruled[Amount]
    reset_amount: Ruled[Amount]
    increment_rate_ppm: Ruled[Rate]
    reserve_rate_ppm: Ruled[Rate]
    limit: Ruled[Amount]
    overflow_use: Ruled[OverflowUse]


class PrizeText(Strict, frozen=True):
    """What a hand wins: one of `share_ppm`, `amount`, `wager_multiple`; none of them if `house` must say.

    `cap_wager_multiple` is the most a share pays, in wagers.
    """

    level: Level
    source: str
    fund: Ruled[Fund]
    house: bool = False
    share_ppm: Rate | None = None
    amount: Amount | None = None
    wager_multiple: Multiple | None = None
    cap_wager_multiple: Multiple | None = None


class PolicyText(Strict, frozen=True):
    """Each policy of `core.game.Policies`, with its article."""

    order: Ruled[Order]
    royal_split: Ruled[RoyalSplit]
    royal_excludes: Ruled[RoyalExcludes]
    fold_forfeits: Ruled[bool]
    purchase_forfeits: Ruled[bool]
    judged_on: Ruled[JudgedOn]
    award_when_bank_does_not_open: Ruled[bool]
    award_key_from: Ruled[Amount]
    require_sign: Ruled[bool]
    require_host: Ruled[bool]
    bet_returned_with_progressive: Ruled[bool] | None = None


class CardsText(Strict, frozen=True):
    """How many cards a hand is judged on: each player's `own`, and the `common` ones; how straights are ranked."""

    own: Ruled[CardCount]
    common: Ruled[CardCount]
    ace_low_straight: Ruled[bool]


class Winners(Strict, frozen=True):
    """The hands that win a prize. Each needs its own table: a profile that lost one is noticed."""

    value: tuple[Hand, ...]
    source: str


class Profile(Strict, frozen=True):
    """A game's rules as its text gives them."""

    title: ShortText
    text: str
    seats: Ruled[SeatCount]
    cards: CardsText
    wager: WagerRules
    winners: Winners
    policies: PolicyText
    levels: dict[str, LevelText] = {}
    prizes: dict[str, PrizeText] = {}


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


class ReleaseGiven(Strict, frozen=True):
    """The chip release pulse."""

    pulse_ms: Annotated[int, msgspec.Meta(ge=50, le=5000, extra={"allowed": "milliseconds, 50 to 5000"})]


class JournalGiven(Strict, frozen=True):
    """Where the journal is."""

    path: Annotated[
        str,
        msgspec.Meta(
            pattern="^(/|~/)", extra={"allowed": 'an absolute path in quotes, or one that begins with "~/"'}
        ),
    ]


class LocaleGiven(Strict, frozen=True):
    """How a table writes when it plays one certain game."""

    locale: str | None = None
    language: str | None = None
    seats: SeatCount | None = None


class HouseFor(Strict, frozen=True):
    """What a table's file says for one game only, over what it says for all."""

    table: LocaleGiven | None = None
    wager: WagerGiven | None = None
    pot: dict[str, LevelGiven] | None = None
    prizes: dict[str, PrizeGiven] | None = None
    policies: PolicyGiven | None = None


class TableFile(Strict, frozen=True, rename={"for_game": "for"}):
    """A table's own file."""

    game: str
    board: str
    table: Identity
    release: ReleaseGiven
    journal: JournalGiven
    wager: WagerGiven = WagerGiven()
    pot: dict[str, LevelGiven] = {}
    prizes: dict[str, PrizeGiven] = {}
    policies: PolicyGiven = PolicyGiven()
    for_game: dict[str, HouseFor] = {}


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
