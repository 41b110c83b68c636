"""The two unions: every event there is, and every result."""

from controller.core.events import (
    errands,
    floor,
    lines,
    machine,
    operators,
    people,
    punto,
    punto_results,
    results,
    tested,
    witness,
)

AnyEvent = (
    machine.Commissioned
    | machine.Started
    | machine.Stopped
    | machine.LoopStalled
    | machine.ClockStepped
    | lines.ChipDropped
    | lines.SeatJammed
    | lines.JamCleared
    | lines.SeatChattered
    | lines.EdgeLost
    | lines.NoiseSeen
    | lines.CommonModeSeen
    | lines.LineOverflowed
    | lines.CoinInPressed
    | lines.GameOverPressed
    | lines.GameOverHeld
    | lines.ButtonStuck
    | lines.ButtonFreed
    | lines.KeyTurned
    | machine.DeviceLost
    | machine.DeviceFound
    | machine.StorageFailed
    | machine.StorageLow
    | machine.JournalHeld
    | machine.HeadSigned
    | witness.WitnessLost
    | witness.WitnessFound
    | witness.WitnessRebuilt
    | witness.JournalRecovered
    | floor.FloorDisagreed
    | floor.FloorAgreed
    | floor.HostGarbled
    | floor.LinkTold
    | floor.LinkDisagreed
    | floor.LinkAgreed
    | floor.ClaimAnswered
    | floor.ClaimRefused
    | floor.ClaimGivenUp
    | machine.JournalReopened
    | operators.LampTestStarted
    | operators.TableOpened
    | operators.TableClosed
    | operators.DealerChanged
    | operators.SeatClosed
    | operators.SeatOpened
    | operators.LateLocked
    | operators.CountConfirmed
    | operators.DiscrepancyFound
    | operators.DiscrepancyAccepted
    | operators.SeatVoided
    | operators.RoundVoided
    | operators.HandFolded
    | operators.CardBought
    | operators.BankNotOpened
    | operators.AwardClaimed
    | operators.CardsShown
    | operators.AwardWithdrawn
    | operators.AwardRejected
    | operators.AwardsApproved
    | operators.AwardPaid
    | operators.DisputeRaised
    | operators.FaultClearAsked
    | operators.PotCorrected
    | operators.ParametersChanged
    | operators.DeviceKeyChanged
    | operators.PotTransferred
    | operators.TransferSent
    | operators.TransferReceived
    | tested.SelfTested
    | errands.UpdateAsked
    | errands.BackupAsked
    | errands.ErrandEnded
    | people.PersonIdentified
    | people.PinRefused
    | people.PinNotTried
    | people.UserChanged
    | punto.PlayersSeated
    | punto.ShoeMade
    | punto.RedCardShown
    | punto.CardBurned
    | punto.CardsCounted
    | punto.HandsShown
    | punto.ResultEntered
    | punto.DealDoubted
    | punto.BankTaken
    | punto.BankRaised
    | punto.BankWithdrawn
    | punto.BankPassed
    | punto.BankGivenUp
    | punto.BetNotWithdrawn
    | punto.BetTakenBack
    | machine.ReleaseEnded
)
"""What happens to a table. A `match` over it ends in `assert_never`."""

AnyResult = (
    results.WagerPlaced
    | results.ChipExcess
    | results.ChipLate
    | results.ChipIgnored
    | results.ChipTested
    | results.ButtonTested
    | results.RoundLocked
    | results.PotRaised
    | results.LinkContributed
    | results.LinkClaimed
    | results.ClaimServed
    | results.ClaimVoid
    | results.RoundEnded
    | results.DiscrepancyLeftOpen
    | results.WagerVoided
    | results.WagerForfeited
    | results.AwardRequested
    | results.ClaimDropped
    | results.ClaimExcluded
    | results.CardsAgree
    | results.AwardApproved
    | results.PotReset
    | results.AwardSettled
    | results.CorrectionMade
    | results.ParametersAccepted
    | results.TransferMade
    | results.FaultRaised
    | results.FaultCleared
    | results.PhaseChanged
    | results.Recovered
    | punto_results.CardsJudged
    | punto_results.ResultStands
    | punto_results.DealtAgain
    | punto_results.RoundAnnulled
    | punto_results.BankOpened
    | punto_results.BankMoved
    | punto_results.BankEnded
    | punto_results.TurnPassed
    | punto_results.BetLeft
    | punto_results.BetLost
    | punto_results.BetFrozen
    | punto_results.BetReturned
    | punto_results.LastRound
    | punto_results.ShoeOver
    | results.Noted
    | results.Refused
)
"""What became of it."""
