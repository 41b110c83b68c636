"""What happens to a table (events, past tense) and what became of it (results).

Both are frozen structs in one union each; their `kind` in the journal is the class name in snake case. Every
event carries `at_ns`, nanoseconds of the monotonic clock of the boot it happened in: a chip's is its fall, COIN
IN's its fall, GAME OVER's its rise.
"""

from enum import StrEnum

import msgspec

from controller.core.faults import FaultCode
from controller.core.game import Fund, Hand


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
    """Why a seat or a round is void; the cases the texts name (seed 000 art. 9, seed 004, seed 002)."""

    WRONG_CARD_COUNT = "wrong_card_count"
    EXPOSED_CARDS = "exposed_cards"
    DEALER_CARD_SEEN = "dealer_card_seen"
    NO_ANTE = "no_ante"
    PLAYER_LEFT = "player_left"
    DISCREPANCY = "discrepancy"
    MACHINE_FAULT = "machine_fault"
    OTHER = "other"


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
    POT_TOO_SMALL = "pot_too_small"
    ABOVE_LIMIT = "above_limit"
    LEVEL_REMOVED = "level_removed"
    SEATS_FIXED = "seats_fixed"
    ALREADY_RECEIVED = "already_received"
    TOO_MANY_TRANSFERS = "too_many_transfers"


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


class Noted(Result, frozen=True):
    """Recorded; nothing else changes."""


class Refused(Result, frozen=True):
    """Not done, and why."""

    reason: Refusal


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
    | Noted
    | Refused
)
