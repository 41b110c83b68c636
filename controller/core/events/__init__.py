"""What happens to a table (events, past tense) and what became of it (results).

Both are frozen structs in one union each; their `kind` in the journal is the class name in snake case. Every
event carries `at_ns`, nanoseconds of the monotonic clock of the boot it happened in: a chip's is its fall, COIN
IN's its fall, GAME OVER's its rise.
"""

from controller.core.events.base import Event, Result
from controller.core.events.lines import (
    ButtonFreed,
    ButtonStuck,
    ChipDropped,
    CoinInPressed,
    CommonModeSeen,
    EdgeLost,
    GameOverHeld,
    GameOverPressed,
    JamCleared,
    KeyTurned,
    LineOverflowed,
    NoiseSeen,
    SeatChattered,
    SeatJammed,
)
from controller.core.events.machine import (
    ClockStepped,
    Commissioned,
    DeviceFound,
    DeviceLost,
    HeadSigned,
    JournalHeld,
    JournalReopened,
    LoopStalled,
    ReleaseEnded,
    Started,
    Stopped,
    StorageFailed,
    StorageLow,
)
from controller.core.events.operators import (
    AwardClaimed,
    AwardPaid,
    AwardRejected,
    AwardsApproved,
    AwardWithdrawn,
    BankNotOpened,
    CardBought,
    CardsShown,
    Change,
    CountConfirmed,
    DealerChanged,
    DeviceKeyChanged,
    DiscrepancyAccepted,
    DiscrepancyFound,
    DisputeRaised,
    FaultClearAsked,
    HandFolded,
    LampTestStarted,
    LateLocked,
    ParametersChanged,
    PotCorrected,
    PotTransferred,
    RoundVoided,
    SeatClosed,
    SeatOpened,
    SeatVoided,
    TableClosed,
    TableOpened,
    TransferReceived,
    TransferSent,
)
from controller.core.events.punto import (
    BankGivenUp,
    BankPassed,
    BankRaised,
    BankTaken,
    BankWithdrawn,
    BetNotWithdrawn,
    BetTakenBack,
    CardBurned,
    CardsCounted,
    DealDoubted,
    HandsShown,
    PlayersSeated,
    RedCardShown,
    ResultEntered,
    ShoeMade,
)
from controller.core.events.punto_results import (
    BankEnded,
    BankMoved,
    BankOpened,
    BetFrozen,
    BetLeft,
    BetLost,
    BetReturned,
    CardsJudged,
    DealtAgain,
    LastRound,
    ResultStands,
    RoundAnnulled,
    ShoeOver,
    TurnPassed,
)
from controller.core.events.results import (
    AwardApproved,
    AwardRequested,
    AwardSettled,
    ButtonTested,
    CardsAgree,
    ChipExcess,
    ChipIgnored,
    ChipLate,
    ChipTested,
    ClaimDropped,
    ClaimExcluded,
    CorrectionMade,
    DiscrepancyLeftOpen,
    FaultCleared,
    FaultRaised,
    Noted,
    ParametersAccepted,
    PhaseChanged,
    PotRaised,
    PotReset,
    Recovered,
    Refused,
    RoundEnded,
    RoundLocked,
    TransferMade,
    WagerForfeited,
    WagerPlaced,
    WagerVoided,
)
from controller.core.events.tested import Finding, PartTested, SelfTested
from controller.core.events.words import Button, Key, Payment, Reason, Refusal, Sealed, snake

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
    | HeadSigned
    | JournalReopened
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
    | BankNotOpened
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
    | DeviceKeyChanged
    | PotTransferred
    | TransferSent
    | TransferReceived
    | SelfTested
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

__all__ = [
    "AnyEvent",
    "AnyResult",
    "AwardApproved",
    "AwardClaimed",
    "AwardPaid",
    "AwardRejected",
    "AwardRequested",
    "AwardSettled",
    "AwardWithdrawn",
    "AwardsApproved",
    "BankEnded",
    "BankGivenUp",
    "BankMoved",
    "BankNotOpened",
    "BankOpened",
    "BankPassed",
    "BankRaised",
    "BankTaken",
    "BankWithdrawn",
    "BetFrozen",
    "BetLeft",
    "BetLost",
    "BetNotWithdrawn",
    "BetReturned",
    "BetTakenBack",
    "Button",
    "ButtonFreed",
    "ButtonStuck",
    "ButtonTested",
    "CardBought",
    "CardBurned",
    "CardsAgree",
    "CardsCounted",
    "CardsJudged",
    "CardsShown",
    "Change",
    "ChipDropped",
    "ChipExcess",
    "ChipIgnored",
    "ChipLate",
    "ChipTested",
    "ClaimDropped",
    "ClaimExcluded",
    "ClockStepped",
    "CoinInPressed",
    "Commissioned",
    "CommonModeSeen",
    "CorrectionMade",
    "CountConfirmed",
    "DealDoubted",
    "DealerChanged",
    "DealtAgain",
    "DeviceFound",
    "DeviceKeyChanged",
    "DeviceLost",
    "DiscrepancyAccepted",
    "DiscrepancyFound",
    "DiscrepancyLeftOpen",
    "DisputeRaised",
    "EdgeLost",
    "Event",
    "FaultClearAsked",
    "FaultCleared",
    "FaultRaised",
    "Finding",
    "GameOverHeld",
    "GameOverPressed",
    "HandFolded",
    "HandsShown",
    "HeadSigned",
    "JamCleared",
    "JournalHeld",
    "JournalReopened",
    "Key",
    "KeyTurned",
    "LampTestStarted",
    "LastRound",
    "LateLocked",
    "LineOverflowed",
    "LoopStalled",
    "NoiseSeen",
    "Noted",
    "ParametersAccepted",
    "ParametersChanged",
    "PartTested",
    "Payment",
    "PhaseChanged",
    "PlayersSeated",
    "PotCorrected",
    "PotRaised",
    "PotReset",
    "PotTransferred",
    "Reason",
    "Recovered",
    "RedCardShown",
    "Refusal",
    "Refused",
    "ReleaseEnded",
    "Result",
    "ResultEntered",
    "ResultStands",
    "RoundAnnulled",
    "RoundEnded",
    "RoundLocked",
    "RoundVoided",
    "Sealed",
    "SeatChattered",
    "SeatClosed",
    "SeatJammed",
    "SeatOpened",
    "SeatVoided",
    "SelfTested",
    "ShoeMade",
    "ShoeOver",
    "Started",
    "Stopped",
    "StorageFailed",
    "StorageLow",
    "TableClosed",
    "TableOpened",
    "TransferMade",
    "TransferReceived",
    "TransferSent",
    "TurnPassed",
    "WagerForfeited",
    "WagerPlaced",
    "WagerVoided",
    "snake",
]
