"""The one state machine: `step` decides what every event means in every phase.

Rules of this room:

1. Every change of phase happens in `rounds`, `claims` or `keys` here, and nowhere else in the product.
2. Every (phase, event) pair has a stated result; a thing asked for and not done is `Refused` with its reason,
   and a chip is never nothing: it is placed, excess, late, tested, or ignored on a line closed by a fault.
3. `step` is pure. Time arrives as events; `next_deadline` says when the table next wants one.

    CLOSED --open--> OPEN --COIN IN--> LOCKED --GAME OVER--> OPEN
    OPEN (supervisor), LOCKED --claim--> AWARD_PENDING --last claim settled--> back
    CLOSED <--technician's key--> TEST
"""

from typing import assert_never

from controller.core import events as ev
from controller.core.game import Game
from controller.core.state import Table
from controller.core.table import (
    claims,
    errands,
    faults,
    keys,
    link,
    people,
    punto,
    punto_bank,
    rounds,
    seats,
)
from controller.core.table.both_keys import both_keys
from controller.core.table.commission import Remembered, commission, on_paper, recovered
from controller.core.table.gate import ACCEPTED_IN, KEYS_NEEDED, Outcome, bets, gate, refuse, slots_open

__all__ = [
    "ACCEPTED_IN",
    "KEYS_NEEDED",
    "Outcome",
    "Remembered",
    "bets",
    "commission",
    "next_deadline",
    "on_paper",
    "recovered",
    "slots_open",
    "step",
]


def next_deadline(table: Table) -> int | None:
    """When the table next wants `ReleaseEnded`, in monotonic nanoseconds, or None."""
    return table.release_until_ns


def step(game: Game, table: Table, event: ev.AnyEvent) -> Outcome:
    """Decide one event: the table after it and what became of it. Pure, total, and never without a result."""
    # What a round is made of comes first, and without a pattern: asking the class costs a fifth of matching it.
    if isinstance(event, ev.ChipDropped):
        return seats.chip_dropped(game, table, event)
    if isinstance(event, ev.CoinInPressed):
        return rounds.coin_in(game, table, event)
    if isinstance(event, ev.GameOverPressed):
        return rounds.game_over(game, table)
    if isinstance(event, ev.ReleaseEnded):
        return rounds.release_ended(table)
    match event:
        case (
            ev.SeatJammed()
            | ev.JamCleared()
            | ev.SeatChattered()
            | ev.EdgeLost()
            | ev.NoiseSeen()
            | ev.CommonModeSeen()
            | ev.LineOverflowed()
        ):
            return _line(table, event)
        case ev.GameOverHeld() | ev.ButtonStuck() | ev.ButtonFreed() | ev.KeyTurned():
            return _button(game, table, event)
        case ev.PersonIdentified() | ev.PinRefused() | ev.PinNotTried():
            return _person(game, table, event)
        case (
            ev.Commissioned()
            | ev.Started()
            | ev.Stopped()
            | ev.LoopStalled()
            | ev.ClockStepped()
            | ev.DeviceLost()
            | ev.DeviceFound()
            | ev.StorageFailed()
            | ev.StorageLow()
            | ev.JournalHeld()
            | ev.HeadSigned()
            | ev.JournalReopened()
            | ev.WitnessLost()
            | ev.WitnessFound()
            | ev.WitnessRebuilt()
            | ev.JournalRecovered()
        ):
            return _machine(game, table, event)
        case (
            ev.FloorDisagreed()
            | ev.FloorAgreed()
            | ev.HostGarbled()
            | ev.LinkTold()
            | ev.LinkDisagreed()
            | ev.LinkAgreed()
            | ev.ClaimAnswered()
            | ev.ClaimRefused()
        ):
            return link.heard(game, table, event)
        case ev.UpdateAsked() | ev.BackupAsked() | ev.ErrandEnded():
            return errands.errand(game, table, event)
        case _:
            return _operator(game, table, event)


_LineEvent = (
    ev.SeatJammed
    | ev.JamCleared
    | ev.SeatChattered
    | ev.EdgeLost
    | ev.NoiseSeen
    | ev.CommonModeSeen
    | ev.LineOverflowed
)


def _line(table: Table, event: _LineEvent) -> Outcome:
    match event:
        case ev.SeatJammed():
            return seats.jammed(table, event)
        case ev.JamCleared():
            return seats.jam_cleared(table, event)
        case ev.SeatChattered():
            return seats.chattered(table, event)
        case ev.EdgeLost():
            return seats.edge_lost(table, event)
        case ev.NoiseSeen():
            return seats.noise_seen(table, event)
        case ev.CommonModeSeen():
            return seats.common_mode(table, event)
        case ev.LineOverflowed():
            return seats.overflowed(table, event)
        case _:
            assert_never(event)


def _person(game: Game, table: Table, event: ev.PersonIdentified | ev.PinRefused | ev.PinNotTried) -> Outcome:
    match event:
        case ev.PersonIdentified():
            return people.identified(game, table, event)
        case ev.PinRefused():
            return people.refused(table, event)
        case ev.PinNotTried():
            return people.not_tried(table, event)
        case _:
            assert_never(event)


def _button(
    game: Game, table: Table, event: ev.GameOverHeld | ev.ButtonStuck | ev.ButtonFreed | ev.KeyTurned
) -> Outcome:
    match event:
        case ev.GameOverHeld():
            return rounds.game_over_held(table)
        case ev.ButtonStuck():
            return faults.button_stuck(table, event)
        case ev.ButtonFreed():
            return faults.button_freed(table, event)
        case ev.KeyTurned():
            return keys.turned(game, table, event)
        case _:
            assert_never(event)


_MachineEvent = (
    ev.Commissioned
    | ev.Started
    | ev.Stopped
    | ev.LoopStalled
    | ev.ClockStepped
    | ev.DeviceLost
    | ev.DeviceFound
    | ev.StorageFailed
    | ev.StorageLow
    | ev.JournalHeld
    | ev.JournalReopened
    | ev.HeadSigned
    | ev.WitnessLost
    | ev.WitnessFound
    | ev.WitnessRebuilt
    | ev.JournalRecovered
)


def _machine(game: Game, table: Table, event: _MachineEvent) -> Outcome:
    match event:
        case ev.Commissioned() | ev.JournalRecovered():
            return refuse(table, ev.Refusal.WRONG_PHASE)
        case ev.Started():
            return keys.started(game, table, event)
        case ev.Stopped() | ev.HeadSigned():
            return table, (ev.Noted(),)
        case ev.ClockStepped():
            return faults.clock_stepped(table, event)
        case ev.LoopStalled():
            return faults.loop_stalled(table, event)
        case ev.DeviceLost():
            return faults.device_lost(table, event)
        case ev.DeviceFound():
            return faults.device_found(table, event)
        case ev.StorageFailed():
            return faults.storage_failed(table, event)
        case ev.StorageLow():
            return faults.storage_low(table)
        case ev.JournalHeld():
            return faults.journal_held(table)
        case ev.JournalReopened():
            return faults.journal_reopened(table, event)
        case ev.WitnessLost():
            return faults.witness_lost(table)
        case ev.WitnessFound():
            return faults.witness_found(table)
        case ev.WitnessRebuilt():
            return faults.witness_rebuilt(table, event)
        case _:
            assert_never(event)


_OperatorEvent = (
    ev.LampTestStarted
    | ev.TableOpened
    | ev.TableClosed
    | ev.DealerChanged
    | ev.SeatClosed
    | ev.SeatOpened
    | ev.LateLocked
    | ev.CountConfirmed
    | ev.DiscrepancyFound
    | ev.DiscrepancyAccepted
    | ev.SeatVoided
    | ev.RoundVoided
    | ev.HandFolded
    | ev.CardBought
    | ev.BankNotOpened
    | ev.AwardClaimed
    | ev.CardsShown
    | ev.AwardWithdrawn
    | ev.AwardRejected
    | ev.AwardsApproved
    | ev.AwardPaid
    | ev.DisputeRaised
    | ev.FaultClearAsked
    | ev.PotCorrected
    | ev.ParametersChanged
    | ev.DeviceKeyChanged
    | ev.PotTransferred
    | ev.TransferSent
    | ev.TransferReceived
    | ev.SelfTested
    | ev.UserChanged
    | ev.ClaimGivenUp
)

_PuntoEvent = (
    ev.PlayersSeated
    | ev.ShoeMade
    | ev.RedCardShown
    | ev.CardBurned
    | ev.CardsCounted
    | ev.HandsShown
    | ev.ResultEntered
    | ev.DealDoubted
    | ev.BankTaken
    | ev.BankRaised
    | ev.BankWithdrawn
    | ev.BankPassed
    | ev.BankGivenUp
    | ev.BetNotWithdrawn
    | ev.BetTakenBack
)


def _operator(game: Game, table: Table, event: _OperatorEvent | _PuntoEvent) -> Outcome:
    refusal = gate(game, table, event)
    if refusal is not None:
        return refuse(table, refusal)
    match event:
        case ev.LampTestStarted():
            return rounds.lamp_test(table)
        case ev.TableOpened():
            return rounds.opened(table, event)
        case ev.TableClosed():
            return rounds.closed(table)
        case ev.LateLocked():
            return rounds.late_lock(game, table, event)
        case ev.CountConfirmed() | ev.DiscrepancyFound() | ev.DiscrepancyAccepted():
            return rounds.counted(table, event)
        case ev.RoundVoided():
            return rounds.voided(game, table) if table.punto is None else punto.voided(game, table, event)
        case ev.SeatClosed():
            return seats.closed(table, event)
        case ev.SeatOpened():
            return seats.opened(table, event)
        case ev.SeatVoided():
            return seats.voided(game, table, event)
        case ev.HandFolded():
            return seats.forfeited(table, event.seat, forfeits=game.policies.fold_forfeits)
        case ev.CardBought():
            return seats.bought(game, table, event.seat)
        case ev.BankNotOpened():
            return claims.bank_not_opened(game, table)
        case ev.AwardClaimed():
            return claims.claimed(game, table, event)
        case ev.CardsShown():
            return claims.cards_shown(game, table, event)
        case ev.AwardWithdrawn():
            return claims.dropped(table, event.seat)
        case ev.AwardRejected():
            return claims.rejected(table, event)
        case ev.AwardsApproved():
            return claims.approved(game, table)
        case ev.AwardPaid():
            return claims.paid(table, event)
        case ev.DisputeRaised() | ev.SelfTested():
            return table, (ev.Noted(),)
        case ev.DealerChanged():
            return people.dealer_changed(game, table, event)
        case ev.FaultClearAsked():
            return faults.clear_asked(game, table, event)
        case (
            ev.PotCorrected()
            | ev.PotTransferred()
            | ev.TransferSent()
            | ev.TransferReceived()
            | ev.ParametersChanged()
            | ev.DeviceKeyChanged()
            | ev.UserChanged()
            | ev.ClaimGivenUp()
        ):
            return both_keys(game, table, event)
        case _:
            return _punto(game, table, event)


def _punto(game: Game, table: Table, event: _PuntoEvent) -> Outcome:
    match event:
        case ev.PlayersSeated():
            return punto.players_seated(game, table, event)
        case ev.ShoeMade():
            return punto_bank.shoe_made(game, table, event)
        case ev.RedCardShown():
            return punto_bank.red_card(game, table)
        case ev.CardBurned():
            return punto_bank.card_burned(game, table)
        case ev.CardsCounted():
            return punto_bank.cards_counted(game, table, event)
        case ev.HandsShown():
            return punto.hands_shown(game, table, event)
        case ev.ResultEntered():
            return punto.result_entered(game, table, event)
        case ev.DealDoubted():
            return punto.deal_doubted(game, table)
        case ev.BankTaken():
            return punto_bank.taken(game, table, event)
        case ev.BankRaised():
            return punto_bank.raised(game, table, event)
        case ev.BankWithdrawn():
            return punto_bank.withdrawn(game, table, event)
        case ev.BankPassed():
            return punto_bank.passed(game, table)
        case ev.BankGivenUp():
            return punto_bank.given_up(game, table)
        case ev.BetNotWithdrawn():
            return punto_bank.bet_left(game, table, event)
        case ev.BetTakenBack():
            return punto_bank.bet_taken_back(game, table, event)
        case _:
            assert_never(event)
