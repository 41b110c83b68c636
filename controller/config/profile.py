"""The shape of a game's profile: what its text fixes, each value with its article, and what the house must give.

Nothing has a default that decides anything: an absent value is `None`, and `games` refuses it where somebody has
to give it.
"""

from enum import StrEnum

import msgspec

from controller.config.kinds import (
    Amount,
    CardCount,
    Level,
    Multiple,
    Rate,
    Ruled,
    SeatCount,
    ShortText,
    Strict,
    ToOne,
)
from controller.core.game import Fund, Hand, JudgedOn, Order, OverflowUse, RoyalExcludes, RoyalSplit
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


class Irregular(StrEnum):
    """What goes wrong at a table, as far as the texts name it."""

    PLAYER_CARD_COUNT = "player_card_count"
    PLAYER_COUNT_UNMENDED = "player_count_unmended"
    BANK_CARD_COUNT = "bank_card_count"
    ONE_CARD_EXPOSED = "one_card_exposed"
    CARDS_EXPOSED = "cards_exposed"
    BANK_CARD_SEEN = "bank_card_seen"
    CARDS_STUCK = "cards_stuck"
    LATE_BET = "late_bet"
    LAMP_OFF = "lamp_off"
    CARDS_SEEN = "cards_seen"
    DOUBTFUL_DEAL = "doubtful_deal"
    NOT_FACE_UP = "not_face_up"
    DISCARDED_EARLY = "discarded_early"
    TOO_FEW_CARDS = "too_few_cards"
    PUNTO_CARD_BY_MISTAKE = "punto_card_by_mistake"
    FACE_UP_IN_SHOE = "face_up_in_shoe"
    SHOE_TROUBLE = "shoe_trouble"
    OPTION_CLAIMED = "option_claimed"
    OPTION_CLAIMED_LATE = "option_claimed_late"


class Remedy(StrEnum):
    """What the text says is done then."""

    VOID_HAND = "void_hand"
    VOID_FOR_PLAYER = "void_for_player"
    VOID_ROUND = "void_round"
    BURN_CARD = "burn_card"
    PLAYER_CHOOSES = "player_chooses"
    BET_NULL = "bet_null"
    MAY_WITHDRAW = "may_withdraw"
    SHOE_MADE = "shoe_made"
    OPTION_GIVEN = "option_given"
    OPTION_STANDS = "option_stands"


class Conduct(StrEnum):
    """What the texts ask of players."""

    SEATED_ONLY = "seated_only"
    ONE_PLACE_PER_PLAYER = "one_place_per_player"
    ONE_PLAYER_PER_PLACE = "one_player_per_place"
    NO_CHANGE_AFTER_FIRST_CARD = "no_change_after_first_card"
    NO_CHANGE_AFTER_START = "no_change_after_start"
    NO_BET_AFTER_LOCK = "no_bet_after_lock"
    NO_VERBAL_BETS = "no_verbal_bets"
    STAY_AT_TABLE = "stay_at_table"
    CARDS_IN_SIGHT = "cards_in_sight"
    NO_TALK = "no_talk"
    NO_GAME_TALK = "no_game_talk"
    NO_SHOWING = "no_showing"
    NO_SWAPPING = "no_swapping"
    HANDS_OFF = "hands_off"
    FIVE_CARDS_SHOWN = "five_cards_shown"
    CHIPS_ONLY = "chips_only"
    HALF_ON_THE_LINE = "half_on_the_line"
    TWO_HALVES_MOST = "two_halves_most"
    NO_HALF_ON_BANK = "no_half_on_bank"
    NO_HALF_STANDING = "no_half_standing"
    CARDS_TURNED_AT_ONCE = "cards_turned_at_once"


class Procedure(StrEnum):
    """How the texts have it played, beside what has a value of its own."""

    ANTE_OBLIGATORY = "ante_obligatory"
    ANTE_TOO = "ante_too"
    BONO_WITH_ANTE = "bono_with_ante"
    PROGRESSIVE_WITH_ANTE = "progressive_with_ante"
    BETS_WITHIN_LIMITS = "bets_within_limits"
    ONLY_WAGERS_WIN = "only_wagers_win"
    BANK_LAST_CARD_OPEN = "bank_last_card_open"
    ALL_DECLARE_FIRST = "all_declare_first"
    SUITS_NEVER_DECIDE = "suits_never_decide"
    PRIZES_LAST = "prizes_last"
    TWO_OWN_THREE_COMMON = "two_own_three_common"
    FOUR_BETTING_SPACES = "four_betting_spaces"
    FIVE_BETTING_SPACES = "five_betting_spaces"


class SeatsText(Strict, frozen=True):
    """How many seats a table of this game has; `at_most`: the text names the most, a table may have fewer."""

    source: str
    value: SeatCount
    house: bool = False
    at_most: bool = False


class CardsText(Strict, frozen=True):
    """How many cards a hand is judged on: each player's `own`, and the `common` ones; how straights are ranked."""

    own: Ruled[CardCount]
    common: Ruled[CardCount]
    ace_low_straight: Ruled[bool]


class WagerText(Strict, frozen=True):
    """The one chip value, its currency, and the unit shares are rounded down to.

    No `amount`: the game has no wager in the slots; its currency is that of the base game.
    """

    currency: Ruled[Currency]
    amount: Ruled[Amount] | None = None
    payable_unit: Ruled[Amount] | None = None


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

    `cap_wager_multiple` is the most a share pays, in wagers. Without `level` it is a bonus without a pot.
    """

    source: str
    fund: Ruled[Fund]
    level: Level | None = None
    house: bool = False
    share_ppm: Rate | None = None
    amount: Amount | None = None
    wager_multiple: Multiple | None = None
    cap_wager_multiple: Multiple | None = None


class Winners(Strict, frozen=True):
    """The hands that win a prize. Each needs its own table: a profile that lost one is noticed.

    `house` without a value: the house says which hands win and what; `level` and `fund` are then those of all.
    """

    source: str
    value: tuple[Hand, ...] | None = None
    house: bool = False
    level: Level | None = None
    fund: Ruled[Fund] | None = None


class PolicyText(Strict, frozen=True):
    """Each policy of `core.game.Policies`, with its article; those about awards only where a hand wins a prize."""

    require_sign: Ruled[bool]
    require_host: Ruled[bool]
    order: Ruled[Order] | None = None
    royal_split: Ruled[RoyalSplit] | None = None
    royal_excludes: Ruled[RoyalExcludes] | None = None
    fold_forfeits: Ruled[bool] | None = None
    purchase_forfeits: Ruled[bool] | None = None
    judged_on: Ruled[JudgedOn] | None = None
    award_when_bank_does_not_open: Ruled[bool] | None = None
    bet_returned_with_progressive: Ruled[bool] | None = None
    award_key_from: Ruled[Amount] | None = None


class PaysText(Strict, frozen=True):
    """What a winning bet pays to one, by hand; `house`: the house gives all of it."""

    source: str
    value: dict[str, ToOne] | None = None
    house: bool = False


class BaseText(Strict, frozen=True):
    """The game against the bank's hand.

    `unopened_pays_ante`, `unopened_returns_bet`: what becomes of the stakes when the bank does not open.
    `bet_times_ante`: the second bet, in antes. `ante_min`, `ante_max`: its limits, where the text has them set.
    `changes_most`: how many cards a player may change. The house may limit what a hand wins only where its text says
    so.
    """

    pays: PaysText
    bank_opens: Ruled[Opening]
    bet_times_ante: Ruled[ToOne]
    ante_by_table: Ruled[bool]
    unopened_pays_ante: Ruled[bool]
    unopened_returns_bet: Ruled[bool]
    tie: Ruled[Tie]
    card_can_be_bought: Ruled[bool]
    changes_most: Ruled[CardCount]
    ante_min: Ruled[Amount] | None = None
    ante_max: Ruled[Amount] | None = None
    most_per_hand: Ruled[Amount] | None = None


class CircleText(Strict, frozen=True):
    """A game among players: the part of the pots the house takes, and whether bets have a limit."""

    house_share_ppm: Ruled[Rate]
    bets_limited: Ruled[bool] | None = None


class PuntoText(Strict, frozen=True):
    """What a table of Punto y Banca is played by (`core.punto.PuntoRules`), each choice with its num."""

    decks: Ruled[int]
    bank_min: Ruled[Amount]
    bank_max: Ruled[Amount]
    bank_step: Ruled[Amount]
    bank_low: Ruled[BankLow]
    bank_natural: Ruled[BankNatural]
    bank_draws_to: Ruled[int]
    discount: Ruled[Discount]
    commission_base: Ruled[CommissionBase]
    first_discount: Ruled[FirstDiscount]
    first_discount_stacks: Ruled[bool]
    encart_suite: Ruled[EncartSuite]
    remainder: Ruled[Remainder]
    bank_wins: Ruled[BankWins]
    red_card: Ruled[RedCard]
    left_plays: Ruled[LeftPlays]
    first_win_counts: Ruled[bool]
    frozen_into: Ruled[FrozenInto]
    last_bank: Ruled[LastBank]
    house_suite: Ruled[HouseSuite]
    withdraw_before_win: Ruled[bool]
    seated_by: Ruled[SeatedBy]
    require_shoe: Ruled[bool]
    require_banker: Ruled[bool]


class IrregularText(Strict, frozen=True):
    """What is done in an irregular case, and the article."""

    does: Remedy
    source: str


class Profile(Strict, frozen=True):
    """A game's rules as its text gives them.

    `interpreter`: who completes the text and says what it means, where it names somebody. `base`: the game against
    the bank's hand; `pays`: a pay table without it, of a game whose text says no more.
    """

    title: ShortText
    text: str
    seats: SeatsText
    wager: WagerText
    policies: PolicyText
    interpreter: Ruled[str] | None = None
    players_least: Ruled[SeatCount] | None = None
    cards: CardsText | None = None
    winners: Winners | None = None
    levels: dict[str, LevelText] = msgspec.field(default_factory=dict)
    prizes: dict[str, PrizeText] = msgspec.field(default_factory=dict)
    base: BaseText | None = None
    pays: PaysText | None = None
    circle: CircleText | None = None
    punto: PuntoText | None = None
    irregular: dict[str, IrregularText] = msgspec.field(default_factory=dict)
    procedure: dict[str, str] = msgspec.field(default_factory=dict)
    conduct: dict[str, str] = msgspec.field(default_factory=dict)
