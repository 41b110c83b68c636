"""What happens to a table (events, past tense) and what became of it (results).

Both are frozen structs in one union each; their `kind` in the journal is the class name in snake case. Every
event carries `at_ns`, nanoseconds of the monotonic clock of the boot it happened in: a chip's is its fall, COIN
IN's its fall, GAME OVER's its rise.
"""

from enum import StrEnum

import msgspec

from controller.core.cards import Card
from controller.core.faults import FaultCode
from controller.core.game import Fund, Hand
from controller.core.punto.draw import Mistake
from controller.core.punto.score import PuntoResult


def snake(name: str) -> str:
    """`ChipDropped` -> `chip_dropped`, the kind under which a record is found."""
    return "".join("_" + letter.lower() if letter.isupper() else letter for letter in name).lstrip("_")


class Button(StrEnum):
    """The croupier's two buttons."""

    COIN_IN = "coin_in"
    GAME_OVER = "game_over"


class Key(StrEnum):
    """The two key switches."""

    SUPERVISOR = "supervisor"
    TECHNICIAN = "technician"


class Reason(StrEnum):
    """Why a seat or a round is void; the cases the texts name (seed 000 art. 9, seed 004, seed 002; seed 001)."""

    WRONG_CARD_COUNT = "wrong_card_count"
    EXPOSED_CARDS = "exposed_cards"
    DEALER_CARD_SEEN = "dealer_card_seen"
    NO_ANTE = "no_ante"
    PLAYER_LEFT = "player_left"
    DISCREPANCY = "discrepancy"
    MACHINE_FAULT = "machine_fault"
    OTHER = "other"
    CARDS_SEEN = "cards_seen"
    """Seed 001 num. 10."""
    NOT_FACE_UP = "not_face_up"
    """Seed 001 num. 33: not face up in their places, or not announced."""
    DISCARDED_EARLY = "discarded_early"
    """Seed 001 num. 35: put into the discard box too early."""
    TOO_FEW_CARDS = "too_few_cards"
    """Seed 001 nums. 4 and 42: fewer than seven cards in the shoe."""


class Payment(StrEnum):
    """How an award was paid."""

    CHIPS = "chips"
    CASH = "cash"
    CHEQUE = "cheque"


class Refusal(StrEnum):
    """Why something asked for was not done. Each is a text on the dealer's screen."""

    WRONG_PHASE = "wrong_phase"
    AWARD_PENDING = "award_pending"
    TABLE_FAULT = "table_fault"
    SIGN_LOST = "sign_lost"
    HOST_LOST = "host_lost"
    SUPERVISOR_KEY = "supervisor_key"
    TECHNICIAN_KEY = "technician_key"
    BOTH_KEYS = "both_keys"
    NO_SUCH_SEAT = "no_such_seat"
    NO_WAGER = "no_wager"
    CHIP_PLACED = "chip_placed"
    AWARD_APPROVED = "award_approved"
    NO_PRIZE = "no_prize"
    ALREADY_CLAIMED = "already_claimed"
    NO_CLAIM = "no_claim"
    NO_AWARD = "no_award"
    ALREADY_PAID = "already_paid"
    TOO_MANY_UNPAID = "too_many_unpaid"
    LAMP_TEST_FIRST = "lamp_test_first"
    ALREADY_CLOSED = "already_closed"
    NOT_CLOSED = "not_closed"
    LINE_ACTIVE = "line_active"
    NO_FAULT = "no_fault"
    FAULT_PERSISTS = "fault_persists"
    REOPEN_SEAT = "reopen_seat"
    NO_DISCREPANCY = "no_discrepancy"
    NO_REASON = "no_reason"
    NO_SUCH_LEVEL = "no_such_level"
    AMOUNT_OUT_OF_RANGE = "amount_out_of_range"
    HELD_TOO_LONG = "held_too_long"
    CARDS_IMPOSSIBLE = "cards_impossible"
    CARDS_DISAGREE = "cards_disagree"
    POT_TOO_SMALL = "pot_too_small"
    ABOVE_LIMIT = "above_limit"
    LEVEL_REMOVED = "level_removed"
    SEATS_FIXED = "seats_fixed"
    ALREADY_RECEIVED = "already_received"
    TOO_MANY_TRANSFERS = "too_many_transfers"
    NOT_THIS_GAME = "not_this_game"
    NO_RESULT = "no_result"
    RESULT_STANDS = "result_stands"
    ROUND_VOID = "round_void"
    TOO_FEW_PLAYERS = "too_few_players"
    NO_SHOE = "no_shoe"
    SHOE_OVER = "shoe_over"
    LAST_ROUND = "last_round"
    TOO_FEW_CARDS = "too_few_cards"
    CARDS_SAY_OTHERWISE = "cards_say_otherwise"
    NO_SUCH_CARDS = "no_such_cards"
    NO_BANKER = "no_banker"
    BANK_HELD = "bank_held"
    BANK_STAKE = "bank_stake"
    BANK_GOES_ON = "bank_goes_on"
    ALREADY_WITHDRAWN = "already_withdrawn"
    NO_ROUND_WON = "no_round_won"
    MORE_THAN_HALF = "more_than_half"
    BELOW_DISCOUNT = "below_discount"
    BET_DID_NOT_WIN = "bet_did_not_win"
    ALREADY_LEFT = "already_left"
    NO_BET_LEFT = "no_bet_left"


class Event(msgspec.Struct, frozen=True, gc=False, tag=snake, tag_field="kind"):
    """Common to all events: when, in nanoseconds of this boot's monotonic clock."""

    at_ns: int


# The life of the program.


class Commissioned(Event, frozen=True):
    """The table's first record, made with both keys. `game` is the digest of the rules it begins with."""

    table: str
    game: str
    rules: str
    """The rules themselves, as JSON: what was agreed to stays readable."""


class Started(Event, frozen=True):
    """The program came up on a journal; the key switches as they stand, and the board's filter settings."""

    supervisor: bool
    technician: bool
    settings: str = ""


class Stopped(Event, frozen=True):
    """The program ended in order."""

    why: str


class LoopStalled(Event, frozen=True):
    """The deciding thread stood still for `ms` milliseconds longer than it meant to."""

    ms: int


class ClockStepped(Event, frozen=True):
    """The wall clock moved against the monotonic one by `by_ns`. Nothing in play depends on it."""

    by_ns: int


# The lines.


class ChipDropped(Event, frozen=True):
    """A chip went through seat `seat`'s slot; `at_ns` is the start of the unbroken low that settled."""

    seat: int


class SeatJammed(Event, frozen=True):
    """The seat's line has been active longer than the jam limit; `fell_ns` is when that low began."""

    seat: int
    fell_ns: int


class JamCleared(Event, frozen=True):
    """A jammed seat's line is idle again."""

    seat: int


class SeatChattered(Event, frozen=True):
    """More pulses than chips can fall: a contact that chatters."""

    seat: int


class EdgeLost(Event, frozen=True):
    """A line's rise came without its fall: no chip is counted, but one may lie in that slot. `seat` 0: a button."""

    line: str
    seat: int


class NoiseSeen(Event, frozen=True):
    """`count` pulses too short to mean anything on a line, within a minute of the first."""

    line: str
    seat: int
    count: int


class CommonModeSeen(Event, frozen=True):
    """These seats' lines fell and rose together: noise of the whole table, none counts."""

    seats: tuple[int, ...]


class LineOverflowed(Event, frozen=True):
    """A line sent more edges than its share of the inbox; `lost` of them were dropped. `seat` 0: another line."""

    line: str
    seat: int
    lost: int


class CoinInPressed(Event, frozen=True):
    """The croupier pressed COIN IN; `at_ns` is its fall."""


class GameOverPressed(Event, frozen=True):
    """The croupier pressed and released GAME OVER; `at_ns` is its rise."""


class GameOverHeld(Event, frozen=True):
    """GAME OVER has been down for a second: this ends no round."""


class ButtonStuck(Event, frozen=True):
    """A button has been down so long that something leans on it."""

    button: Button


class ButtonFreed(Event, frozen=True):
    """A stuck button came up."""

    button: Button


class KeyTurned(Event, frozen=True):
    """A key switch was turned."""

    key: Key
    on: bool


# Devices and storage.


class DeviceLost(Event, frozen=True):
    """A device stopped answering; its fault code says which."""

    code: FaultCode
    why: str


class DeviceFound(Event, frozen=True):
    """A lost device answers again."""

    code: FaultCode


class StorageFailed(Event, frozen=True):
    """Records could not be stored for a while. `chips`: seats whose chips were seen meanwhile, to be given back."""

    why: str
    chips: tuple[int, ...]


class StorageLow(Event, frozen=True):
    """The medium is nearly full: `free_mb` megabytes are left."""

    free_mb: int


class JournalHeld(Event, frozen=True):
    """A reader holds the journal's write-ahead log back: `mb` megabytes wait in it."""

    mb: int


# Operators.


class LampTestStarted(Event, frozen=True):
    """All lamps on, so that the dealer can confirm them."""


class TableOpened(Event, frozen=True):
    """The supervisor opened the table; `dead_lamps` are the seats whose lamp the dealer saw dark."""

    dead_lamps: tuple[int, ...] = ()


class TableClosed(Event, frozen=True):
    """The supervisor closed the table."""


class DealerChanged(Event, frozen=True):
    """Another dealer took over."""

    dealer: str


class SeatClosed(Event, frozen=True):
    """A seat was closed by hand."""

    seat: int


class SeatOpened(Event, frozen=True):
    """A closed seat was opened again."""

    seat: int


class LateLocked(Event, frozen=True):
    """COIN IN had been forgotten: the supervisor locks the round and accepts what was placed."""


class CountConfirmed(Event, frozen=True):
    """The dealer found as many chips as the screen says."""


class DiscrepancyFound(Event, frozen=True):
    """The dealer counted `chips` chips in the bucket, not what the screen says."""

    chips: int


class DiscrepancyAccepted(Event, frozen=True):
    """The supervisor accepts the difference."""


class SeatVoided(Event, frozen=True):
    """A seat's wager is void."""

    seat: int
    reason: Reason


class RoundVoided(Event, frozen=True):
    """Every wager of the round is void."""

    reason: Reason


class HandFolded(Event, frozen=True):
    """The player does not go on."""

    seat: int


class CardBought(Event, frozen=True):
    """The player bought a card."""

    seat: int


class AwardClaimed(Event, frozen=True):
    """A seat shows a hand that wins an award."""

    seat: int
    hand: Hand


class CardsShown(Event, frozen=True):
    """The cards behind a seat's claim are entered, so that the claim is checked against them."""

    seat: int
    cards: tuple[Card, ...]


class AwardWithdrawn(Event, frozen=True):
    """The dealer takes a claim back."""

    seat: int


class AwardRejected(Event, frozen=True):
    """The supervisor rejects a claim; the reason is kept."""

    seat: int
    reason: str


class AwardsApproved(Event, frozen=True):
    """All pending claims of the round are approved together."""


class AwardPaid(Event, frozen=True):
    """Award `number` was paid; `signed`: the slip carries the signatures."""

    number: int
    how: Payment
    signed: bool


class DisputeRaised(Event, frozen=True):
    """A player complains. It is recorded; it is no award."""

    seat: int


class FaultClearAsked(Event, frozen=True):
    """Somebody clears a fault."""

    code: FaultCode


class PotCorrected(Event, frozen=True):
    """Both keys set a level to `amount` minor units; the reason is kept."""

    level: str
    amount: int
    reason: str


class Change(msgspec.Struct, frozen=True):
    """One parameter that changed: its dotted key, the old and the new value as the files write them."""

    key: str
    old: str
    new: str


class ParametersChanged(Event, frozen=True):
    """Both keys accept new rules: their digest, the rules as JSON, each change, and who turned the keys."""

    game: str
    rules: str
    changes: tuple[Change, ...]
    supervisor: str
    technician: str


class PotTransferred(Event, frozen=True):
    """Both keys move `amount` minor units from one level to another of this table."""

    source: str
    target: str
    amount: int
    reason: str


class TransferSent(Event, frozen=True):
    """Both keys send `amount` minor units of a level to another table; `transfer` names it for ever."""

    transfer: str
    level: str
    amount: int
    to_table: str
    reason: str


class TransferReceived(Event, frozen=True):
    """Both keys take in what another table sent; the same transfer is never taken twice."""

    transfer: str
    level: str
    amount: int
    from_table: str


# Punto y Banca (seed 001); the numbers are the text's.


class PlayersSeated(Event, frozen=True):
    """The dealer declares how many are seated (num. 3)."""

    count: int


class ShoeMade(Event, frozen=True):
    """The table chief put a full shoe together, `behind_red` cards behind the red one (nums. 4, 19, 43)."""

    behind_red: int


class RedCardShown(Event, frozen=True):
    """The red card came up: "último pase de este sabot" (num. 41)."""


class CardBurned(Event, frozen=True):
    """A card that lay face up in the shoe was burned (nums. 9 and 29)."""


class CardsCounted(Event, frozen=True):
    """The dealer counted the cards left in the shoe."""

    cards: int


class HandsShown(Event, frozen=True):
    """Both hands lie face up, by rank (1 ace … 13 rey); `by_dealer`: the dealer turned the punto's (num. 28)."""

    punto: tuple[int, ...]
    banca: tuple[int, ...]
    by_dealer: bool = False


class ResultEntered(Event, frozen=True):
    """The dealer announces the result; `amount`: what the bank won or lost, where the house has it entered."""

    result: PuntoResult
    amount: int | None = None


class DealDoubted(Event, frozen=True):
    """The dealer says "las cartas juegan así distribuidas": who disagrees may withdraw (num. 10)."""


class BankTaken(Event, frozen=True):
    """Seat `seat` holds the bank with `stake` minor units (nums. 5 and 26)."""

    seat: int
    stake: int


class BankRaised(Event, frozen=True):
    """The banker adds `by` minor units to the bank (num. 38)."""

    by: int


class BankWithdrawn(Event, frozen=True):
    """The banker takes `amount` minor units out of the bank (nums. 15 and 16)."""

    amount: int


class BankPassed(Event, frozen=True):
    """The banker gives the *suite* (num. 20)."""


class BankGivenUp(Event, frozen=True):
    """The banker leaves without a *suite* (nums. 10 and 18)."""


class BetNotWithdrawn(Event, frozen=True):
    """A winning bet of `amount` minor units stays on the table and plays on (num. 44)."""

    seat: int
    side: PuntoResult
    amount: int


class BetTakenBack(Event, frozen=True):
    """A bet that was left is withdrawn after all."""

    seat: int
    side: PuntoResult


# Time.


class ReleaseEnded(Event, frozen=True):
    """The chip release pulse has had its length."""


AnyEvent = (
    Commissioned
    | Started
    | Stopped
    | LoopStalled
    | ClockStepped
    | ChipDropped
    | SeatJammed
    | JamCleared
    | SeatChattered
    | EdgeLost
    | NoiseSeen
    | CommonModeSeen
    | LineOverflowed
    | CoinInPressed
    | GameOverPressed
    | GameOverHeld
    | ButtonStuck
    | ButtonFreed
    | KeyTurned
    | DeviceLost
    | DeviceFound
    | StorageFailed
    | StorageLow
    | JournalHeld
    | LampTestStarted
    | TableOpened
    | TableClosed
    | DealerChanged
    | SeatClosed
    | SeatOpened
    | LateLocked
    | CountConfirmed
    | DiscrepancyFound
    | DiscrepancyAccepted
    | SeatVoided
    | RoundVoided
    | HandFolded
    | CardBought
    | AwardClaimed
    | CardsShown
    | AwardWithdrawn
    | AwardRejected
    | AwardsApproved
    | AwardPaid
    | DisputeRaised
    | FaultClearAsked
    | PotCorrected
    | ParametersChanged
    | PotTransferred
    | TransferSent
    | TransferReceived
    | PlayersSeated
    | ShoeMade
    | RedCardShown
    | CardBurned
    | CardsCounted
    | HandsShown
    | ResultEntered
    | DealDoubted
    | BankTaken
    | BankRaised
    | BankWithdrawn
    | BankPassed
    | BankGivenUp
    | BetNotWithdrawn
    | BetTakenBack
    | ReleaseEnded
)


class Result(msgspec.Struct, frozen=True, gc=False, tag=snake, tag_field="kind"):
    """Common to all results."""


class WagerPlaced(Result, frozen=True):
    """The seat's chip counts: its lamp goes to placed."""

    seat: int


class ChipExcess(Result, frozen=True):
    """The seat has a chip already: give this one back."""

    seat: int


class ChipLate(Result, frozen=True):
    """No wager is accepted now: give the chip back."""

    seat: int


class ChipIgnored(Result, frozen=True):
    """A line closed by a fault moved: it counts nothing until the seat is re-opened."""

    seat: int


class ChipTested(Result, frozen=True):
    """Test mode: the chip counts on the test counter only."""

    seat: int


class ButtonTested(Result, frozen=True):
    """Test mode: the button works."""

    button: Button


class RoundLocked(Result, frozen=True):
    """COIN IN took these seats' wagers in: `amount` minor units in all. `late`: locked by the supervisor afterwards."""

    round: int
    seats: tuple[int, ...]
    amount: int
    late: bool = False


class PotRaised(Result, frozen=True):
    """A level took its part of the wagers: `by` to the pot, `over` to the overflow, `reserve` to the reserve pool."""

    level: str
    by: int
    current: int
    over: int = 0
    reserve: int = 0


class RoundEnded(Result, frozen=True):
    """GAME OVER: the round is over, the next is open."""

    round: int


class DiscrepancyLeftOpen(Result, frozen=True):
    """The round ended although nobody had settled the count."""

    round: int
    chips: int


class WagerVoided(Result, frozen=True):
    """A wager is void: `refund` minor units are paid back by the house (0: the chip itself was given back)."""

    seat: int
    refund: int


class WagerForfeited(Result, frozen=True):
    """The wager is lost, its contribution stays, the lamp goes off."""

    seat: int


class AwardRequested(Result, frozen=True):
    """A claim waits for approval."""

    seat: int
    hand: Hand


class ClaimDropped(Result, frozen=True):
    """A claim was withdrawn or rejected."""

    seat: int


class CardsAgree(Result, frozen=True):
    """The cards are the hand that was claimed."""

    seat: int
    hand: Hand


class ClaimExcluded(Result, frozen=True):
    """A royal of the same round excludes this claim (`royal_excludes = "round"`)."""

    seat: int


class AwardApproved(Result, frozen=True):
    """An award with the arithmetic behind it; amounts in minor units. `pot_after` is before a reset.

    No level: a bonus the house pays; there is no pot before or after it.
    """

    number: int
    seat: int
    hand: Hand
    level: str | None
    amount: int
    pot_before: int
    pot_after: int
    share_ppm: int
    fund: Fund
    from_pot: int
    from_reserve: int
    from_house: int
    source: str
    parts: int = 1
    """How many equal parts the share was divided into."""
    capped: bool = False


class PotReset(Result, frozen=True):
    """A level begins again: what was left plus the reset amount, and where that came from."""

    level: str
    current: int
    left: int
    from_overflow: int
    from_reserve: int
    from_house: int


class AwardSettled(Result, frozen=True):
    """An award is paid."""

    number: int
    seat: int
    amount: int


class CorrectionMade(Result, frozen=True):
    """A level was corrected."""

    level: str
    before: int
    after: int


class ParametersAccepted(Result, frozen=True):
    """The table plays by other rules from now on: the digests before and after."""

    before: str
    after: str


class TransferMade(Result, frozen=True):
    """A level gave (`by` below 0) or took money; the other side is in the event."""

    level: str
    by: int
    current: int


class FaultRaised(Result, frozen=True):
    """A fault stands beside the phase from now on. `seat` 0: the table."""

    code: FaultCode
    seat: int


class FaultCleared(Result, frozen=True):
    """A fault is gone."""

    code: FaultCode
    seat: int


class PhaseChanged(Result, frozen=True):
    """The table moved to another phase."""

    phase: str


class Recovered(Result, frozen=True):
    """The program came back in this phase with this many wagers; the operator is told."""

    phase: str
    bets: int


class CardsJudged(Result, frozen=True):
    """What the cards of a deal say (nums. 7 and 8); no result while a mistake stands the text does not settle."""

    punto: int
    banca: int
    result: PuntoResult | None
    mistake: Mistake | None = None


class ResultStands(Result, frozen=True):
    """The round's result; GAME OVER books it."""

    result: PuntoResult


class DealtAgain(Result, frozen=True):
    """Encart: the same round is dealt again, the bets stand (num. 8)."""

    encarts: int


class RoundAnnulled(Result, frozen=True):
    """The round is void; nothing is won or lost."""

    round: int
    reason: Reason


class BankOpened(Result, frozen=True):
    """A *talla* begins. `suite`: taken over from a banker who passed it on."""

    seat: int
    stake: int
    suite: bool


class BankMoved(Result, frozen=True):
    """The bank's stake changed; amounts in minor units, `source` the article a commission was taken by.

    `won` in a round, `raised` by the banker, `frozen` bets that entered it, `paid_out` to the banker.
    """

    seat: int
    stake: int
    won: int = 0
    raised: int = 0
    frozen: int = 0
    paid_out: int = 0
    commission: int = 0
    source: str = ""


class BankEnded(Result, frozen=True):
    """A *talla* is over: `lost` to punto, `paid_out` to the banker, `commission` by the article `source`."""

    seat: int
    lost: int
    paid_out: int
    commission: int
    source: str


class TurnPassed(Result, frozen=True):
    """It is seat `seat`'s turn to deal (num. 6)."""

    seat: int


class BetLeft(Result, frozen=True):
    """A bet plays on; `wins` of three (num. 44). `waiting` lies beside it and does not play."""

    seat: int
    side: PuntoResult
    amount: int
    waiting: int
    wins: int


class BetLost(Result, frozen=True):
    """A bet that was left lost; `waiting`, after a discount by policy, is still its player's."""

    seat: int
    side: PuntoResult
    amount: int
    waiting: int


class BetFrozen(Result, frozen=True):
    """A bet won for the third time and enters the bank of seat `into` (0: nobody's, the house keeps it)."""

    seat: int
    side: PuntoResult
    amount: int
    into: int


class BetReturned(Result, frozen=True):
    """A bet that was left is given back, winnings beside it included."""

    seat: int
    side: PuntoResult
    amount: int


class LastRound(Result, frozen=True):
    """The round now open is the shoe's last: bets may be withdrawn, none added (num. 41)."""


class ShoeOver(Result, frozen=True):
    """The shoe's last round was played: a new one is made (num. 43)."""


class Noted(Result, frozen=True):
    """Recorded; nothing else changes."""


class Refused(Result, frozen=True, omit_defaults=True):
    """Not done, and why; `detail` where the reason alone does not say what to look at."""

    reason: Refusal
    detail: str = ""


AnyResult = (
    WagerPlaced
    | ChipExcess
    | ChipLate
    | ChipIgnored
    | ChipTested
    | ButtonTested
    | RoundLocked
    | PotRaised
    | RoundEnded
    | DiscrepancyLeftOpen
    | WagerVoided
    | WagerForfeited
    | AwardRequested
    | ClaimDropped
    | ClaimExcluded
    | CardsAgree
    | AwardApproved
    | PotReset
    | AwardSettled
    | CorrectionMade
    | ParametersAccepted
    | TransferMade
    | FaultRaised
    | FaultCleared
    | PhaseChanged
    | Recovered
    | CardsJudged
    | ResultStands
    | DealtAgain
    | RoundAnnulled
    | BankOpened
    | BankMoved
    | BankEnded
    | TurnPassed
    | BetLeft
    | BetLost
    | BetFrozen
    | BetReturned
    | LastRound
    | ShoeOver
    | Noted
    | Refused
)
