"""Every (phase, event) pair at a table of Punto y Banca has a stated result, written from seed 001 and the rules."""

import random
from typing import get_args

import pytest

from controller.core import events as ev
from controller.core.events import Refusal
from controller.core.faults import FaultCode
from controller.core.game import Hand, Role
from controller.core.invariants import check
from controller.core.punto.score import PuntoResult
from controller.core.state import Phase, Table
from controller.core.table import slots_open, step
from tests.helpers_game import key, new_table, play
from tests.helpers_punto import PUNTO_GAME, opened_punto, round_of, state

SUP, TEC = ev.Key.SUPERVISOR, ev.Key.TECHNICIAN
PUNTO, BANCA, ENCART = PuntoResult.PUNTO, PuntoResult.BANCA, PuntoResult.ENCART
WRONG = "refused:wrong_phase"
NOT_HERE = "refused:not_this_game"
NOTED = "noted"
HELD = "refused:held_too_long"
NO_FAULT = "refused:no_fault"
RAISED = "fault_raised"
VOID = "round_annulled"
BANK_HELD = "refused:bank_held"
RANGE = "refused:amount_out_of_range"
LATE = "chip_late"
STANDS = "refused:result_stands"
GOES_ON = "refused:bank_goes_on"
BOTH = "refused:both_keys"
NO_KEY = "refused:technician_key"
RECOVERED = ev.JournalRecovered(
    50, "mvd-07", "digest", "{}", ev.Trusted.WITNESS, "gone", None, (), (), "Ana", "Luis", "a new card"
)


def tables() -> dict[str, Table]:
    """Each phase this game has, LOCKED before and after a result; the supervisor's key is turned."""
    shod: list[ev.AnyEvent] = [key(True), ev.ShoeMade(3, 7), key(False)]
    begun = play(
        PUNTO_GAME,
        opened_punto(),
        [*shod, ev.BankTaken(4, 3, 20_000), *round_of(BANCA), ev.BetNotWithdrawn(30, 1, BANCA, 1_000)],
    )
    dealing = play(PUNTO_GAME, begun, [ev.CoinInPressed(40), key(True)])
    return {
        "closed": play(PUNTO_GAME, new_table(PUNTO_GAME), [key(True), ev.LampTestStarted(2)]),
        "open": play(PUNTO_GAME, begun, [ev.SeatClosed(40, 9), key(True)]),
        "dealing": dealing,
        "decided": play(PUNTO_GAME, dealing, [ev.ResultEntered(41, BANCA)]),
        "test": play(PUNTO_GAME, new_table(PUNTO_GAME), [key(True, TEC), key(True)]),
    }


COLUMNS = ("closed", "open", "dealing", "decided", "test")
HERE = [NOT_HERE] * 5

# The event; then what it becomes in CLOSED, OPEN, LOCKED without and with a result, TEST.
Row = tuple[ev.AnyEvent, *tuple[str, ...]]
MATRIX: list[Row] = [
    (ev.ChipDropped(50, 1), LATE, LATE, LATE, LATE, "chip_tested"),
    (ev.CoinInPressed(50), WRONG, "round_locked", WRONG, WRONG, "button_tested"),
    (ev.GameOverPressed(50), WRONG, WRONG, "refused:no_result", "round_ended", "button_tested"),
    (ev.GameOverHeld(50), HELD, HELD, HELD, HELD, "button_tested"),
    (ev.SeatJammed(1050, 4, 50), *[RAISED] * 5),
    (ev.JamCleared(50, 4), *[NOTED] * 5),
    (ev.SeatChattered(50, 4), *[RAISED] * 5),
    (ev.EdgeLost(50, "seat_4", 4), *[NOTED] * 5),
    (ev.NoiseSeen(50, "seat_4", 4, 7), *[NOTED] * 5),
    (ev.CommonModeSeen(50, (1, 2, 3)), *[RAISED] * 5),
    (ev.LineOverflowed(50, "coin_in", 0, 9), *[RAISED] * 5),
    (ev.ButtonStuck(50, ev.Button.COIN_IN), *[RAISED] * 5),
    (ev.ButtonFreed(50, ev.Button.COIN_IN), *[NOTED] * 5),
    (ev.KeyTurned(50, SUP, on=False), *[NOTED] * 5),
    (ev.DeviceLost(50, FaultCode.SIGN_LOST, "no answer"), *[RAISED] * 5),
    (ev.DeviceFound(50, FaultCode.SIGN_LOST), *[NOTED] * 5),
    (ev.StorageFailed(50, "disk full", (4,)), *[RAISED] * 5),
    (ev.StorageLow(50, 12), *[RAISED] * 5),
    (ev.JournalHeld(50, 12), *[RAISED] * 5),
    (ev.JournalReopened(50, "malformed", (4,)), *[RAISED] * 5),
    (ev.HeadSigned(50, 9, "d", "k", "s", ev.Sealed.ROUND_ENDED), *[NOTED] * 5),
    (ev.WitnessLost(50, "no space"), *[RAISED] * 5),
    (ev.WitnessFound(50), *[NOTED] * 5),
    (ev.WitnessRebuilt(50, "slot-a is damaged", whole=False), *[NOTED] * 5),
    (ev.WitnessRebuilt(50, "both slots are damaged", whole=True), *[RAISED] * 5),
    (ev.FloorDisagreed(50, 120, "d", 100), *[RAISED] * 5),
    (ev.FloorAgreed(50, 120), *[NOTED] * 5),
    (ev.HostGarbled(50, 3, "no JSON"), *[NOTED] * 5),
    (ev.LinkTold(50, "main", 9_000, 3), *["refused:no_such_level"] * 5),
    (ev.LinkDisagreed(50, "main", "another limit"), *[RAISED] * 5),
    (ev.LinkAgreed(50), *[NOTED] * 5),
    (ev.ClaimAnswered(50, 1, 7, ()), *["refused:no_claim"] * 5),
    (ev.ClaimRefused(50, 1, "no wager"), *["refused:no_claim"] * 5),
    (ev.ClaimGivenUp(50, 1, "floor lost"), *HERE),
    (RECOVERED, *[WRONG] * 5),
    (ev.Commissioned(50, "mvd-07", "digest", "{}"), *[WRONG] * 5),
    (ev.Started(50, supervisor=True, technician=True), *["recovered"] * 5),
    (ev.Stopped(50, "SIGTERM"), *[NOTED] * 5),
    (ev.LoopStalled(50, 900), *[NOTED] * 5),
    (ev.LoopStalled(50, 1_999), *[NOTED] * 5),
    (ev.LoopStalled(50, 2_000), *[RAISED] * 5),
    (ev.ClockStepped(50, 10**12), *[NOTED] * 5),
    (ev.ReleaseEnded(50), *[NOTED] * 5),
    (ev.LampTestStarted(50), NOTED, WRONG, WRONG, WRONG, WRONG),
    (ev.TableOpened(50), "phase_changed", WRONG, WRONG, WRONG, WRONG),
    (ev.TableClosed(50), WRONG, "phase_changed", WRONG, WRONG, WRONG),
    (ev.PersonIdentified(50, SUP, "Ana", 7), *[NOTED] * 5),
    (ev.PersonIdentified(50, TEC, "Luis", 9), NO_KEY, NO_KEY, NO_KEY, NO_KEY, NOTED),
    (ev.PinRefused(50, Role.SUPERVISOR, 7), *["refused:pin_wrong"] * 5),
    (ev.PinNotTried(50, Role.SUPERVISOR, 7, ev.Refusal.NO_USERS), *["refused:no_users"] * 5),
    (ev.UserChanged(50, "Rosa", 12, Role.DEALER, ev.UserChange.ADDED, "Ana", "Luis"), BOTH, BOTH, BOTH, BOTH, NOTED),
    (ev.DealerChanged(50, "Rosa"), WRONG, NOTED, WRONG, WRONG, WRONG),
    (ev.SeatClosed(50, 4), WRONG, NOTED, WRONG, WRONG, WRONG),
    (ev.SeatOpened(50, 9), WRONG, NOTED, WRONG, WRONG, WRONG),
    (ev.SeatOpened(50, 17), WRONG, "refused:no_such_seat", WRONG, WRONG, WRONG),
    (ev.LateLocked(50), WRONG, "round_locked", WRONG, WRONG, WRONG),
    (ev.RoundVoided(50, ev.Reason.CARDS_SEEN), WRONG, WRONG, VOID, VOID, WRONG),
    (ev.RoundVoided(50, ev.Reason.NOT_FACE_UP), WRONG, WRONG, VOID, VOID, WRONG),
    (ev.RoundVoided(50, ev.Reason.DISCARDED_EARLY), WRONG, WRONG, VOID, VOID, WRONG),
    (ev.RoundVoided(50, ev.Reason.TOO_FEW_CARDS), WRONG, WRONG, VOID, VOID, WRONG),
    (ev.RoundVoided(50, ev.Reason.MACHINE_FAULT), WRONG, WRONG, VOID, VOID, WRONG),
    (ev.RoundVoided(50, ev.Reason.DEALER_CARD_SEEN), *HERE),
    (ev.DisputeRaised(50, 1), WRONG, NOTED, NOTED, NOTED, WRONG),
    (ev.FaultClearAsked(50, FaultCode.STORAGE_FAILED), NO_FAULT, NO_FAULT, NO_FAULT, NO_FAULT, WRONG),
    (ev.ParametersChanged(50, "d2", "{}", (), "Ana", "Luis"), "refused:both_keys", WRONG, WRONG, WRONG, WRONG),
    (ev.DeviceKeyChanged(50, "a", "b", "", "Ana", "Luis", "lost"), BOTH, BOTH, BOTH, BOTH, NOTED),
    (ev.SelfTested(50, "Luis", "reference", ()), NOTED, WRONG, WRONG, WRONG, WRONG),
    (ev.UpdateAsked(50), "refused:technician_key", WRONG, WRONG, WRONG, WRONG),
    (ev.BackupAsked(50), "refused:both_keys", WRONG, WRONG, WRONG, WRONG),
    (ev.ErrandEnded(50, ev.Errand.BACKUP, 40, ev.Became.DONE), *[NOTED] * 5),
    (ev.SeatVoided(50, 1, ev.Reason.NO_ANTE), *HERE),
    (ev.CountConfirmed(50), *HERE),
    (ev.DiscrepancyFound(50, 1), *HERE),
    (ev.DiscrepancyAccepted(50), *HERE),
    (ev.HandFolded(50, 1), *HERE),
    (ev.CardBought(50, 1), *HERE),
    (ev.BankNotOpened(50), *HERE),
    (ev.AwardClaimed(50, 1, Hand.FLUSH), *HERE),
    (ev.CardsShown(50, 1, ()), *HERE),
    (ev.AwardWithdrawn(50, 1), *HERE),
    (ev.AwardRejected(50, 1, "four cards"), *HERE),
    (ev.AwardsApproved(50), *HERE),
    (ev.AwardPaid(50, 1, ev.Payment.CASH, signed=True), *HERE),
    (ev.PotCorrected(50, "main", 5, "typed wrong"), *HERE),
    (ev.PotTransferred(50, "main", "minor", 5, "moved"), *HERE),
    (ev.TransferSent(50, "t1", "main", 5, "mvd-08", "moved"), *HERE),
    (ev.TransferReceived(50, "t1", "main", 5, "mvd-08"), *HERE),
    (ev.PlayersSeated(50, 5), WRONG, NOTED, WRONG, WRONG, WRONG),
    (ev.PlayersSeated(50, 17), WRONG, RANGE, WRONG, WRONG, WRONG),
    (ev.ShoeMade(50, 7), NOTED, "shoe_over", WRONG, WRONG, WRONG),
    (ev.ShoeMade(50, 6), "refused:too_few_cards", "refused:too_few_cards", WRONG, WRONG, WRONG),
    (ev.RedCardShown(50), WRONG, "last_round", NOTED, STANDS, WRONG),
    (ev.CardBurned(50), WRONG, NOTED, NOTED, NOTED, WRONG),
    (ev.CardsCounted(50, 300), WRONG, NOTED, WRONG, WRONG, WRONG),
    (ev.CardsCounted(50, 313), WRONG, RANGE, WRONG, WRONG, WRONG),
    (ev.HandsShown(50, (4, 5), (13, 7)), WRONG, WRONG, "cards_judged", STANDS, WRONG),
    (ev.HandsShown(50, (4, 14), (13, 7)), WRONG, WRONG, "refused:no_such_cards", STANDS, WRONG),
    (ev.ResultEntered(50, PUNTO), WRONG, WRONG, "result_stands", "result_stands", WRONG),
    (ev.ResultEntered(50, BANCA), WRONG, WRONG, "result_stands", "result_stands", WRONG),
    (ev.ResultEntered(50, ENCART), WRONG, WRONG, "dealt_again", "dealt_again", WRONG),
    (ev.ResultEntered(50, BANCA, 5), WRONG, WRONG, RANGE, RANGE, WRONG),
    (ev.DealDoubted(50), WRONG, WRONG, NOTED, STANDS, WRONG),
    (ev.BankTaken(50, 1, 20_000), WRONG, BANK_HELD, BANK_HELD, BANK_HELD, WRONG),
    (ev.BankTaken(50, 1, 20_000, free=True), WRONG, BANK_HELD, BANK_HELD, BANK_HELD, WRONG),
    (ev.BankRaised(50, 1_000), WRONG, "bank_moved", WRONG, WRONG, WRONG),
    (ev.BankWithdrawn(50, 20_000), WRONG, "bank_moved", WRONG, WRONG, WRONG),
    (ev.BankPassed(50), WRONG, "bank_ended", WRONG, WRONG, WRONG),
    (ev.BankGivenUp(50), WRONG, GOES_ON, GOES_ON, GOES_ON, WRONG),
    (ev.BetNotWithdrawn(50, 2, BANCA, 1_000), WRONG, "bet_left", WRONG, WRONG, WRONG),
    (ev.BetNotWithdrawn(50, 1, BANCA, 1_000), WRONG, "refused:already_left", WRONG, WRONG, WRONG),
    (ev.BetNotWithdrawn(50, 2, PUNTO, 1_000), WRONG, "refused:bet_did_not_win", WRONG, WRONG, WRONG),
    (ev.BetTakenBack(50, 1, BANCA), WRONG, "bet_returned", WRONG, WRONG, WRONG),
    (ev.BetTakenBack(50, 2, BANCA), WRONG, "refused:no_bet_left", WRONG, WRONG, WRONG),
]  # fmt: skip


def in_words(result: ev.AnyResult) -> str:
    if isinstance(result, ev.Refused):
        return f"refused:{result.reason}"
    return ev.snake(type(result).__name__)


@pytest.mark.parametrize("row", MATRIX, ids=lambda row: ev.snake(type(row[0]).__name__))
@pytest.mark.parametrize("column", range(5), ids=lambda column: COLUMNS[column])
def test_every_event_in_every_phase_becomes_what_the_text_says(row: Row, column: int) -> None:
    event, *expected = row
    before = tables()[COLUMNS[column]]
    after, results = step(PUNTO_GAME, before, event)
    check(PUNTO_GAME, before, after, results)
    assert expected[column] == in_words(results[0])


def test_the_matrix_names_every_event_there_is() -> None:
    assert {type(row[0]) for row in MATRIX} == set(get_args(ev.AnyEvent))


def test_a_refusal_changes_nothing_but_the_words_on_the_screen() -> None:
    for row in MATRIX:
        for table in tables().values():
            after, results = step(PUNTO_GAME, table, row[0])
            if isinstance(results[0], ev.Refused):
                assert (after.phase, after.seats, after.punto) == (table.phase, table.seats, table.punto)


def test_the_slots_never_open_and_no_chip_is_a_wager() -> None:
    for table in tables().values():
        assert not slots_open(PUNTO_GAME, table)
        assert all(seat.wager.value == "none" for seat in table.seats)


WITHOUT_KEY = [
    ("open", ev.ShoeMade(50, 7)),
    ("dealing", ev.RoundVoided(50, ev.Reason.CARDS_SEEN)),
    ("decided", ev.ResultEntered(50, PUNTO)),
    ("decided", ev.ResultEntered(50, ENCART)),
]


@pytest.mark.parametrize(("phase", "event"), WITHOUT_KEY)
def test_the_supervisors_acts_are_refused_without_the_key(phase: str, event: ev.AnyEvent) -> None:
    table = play(PUNTO_GAME, tables()[phase], [key(False)])
    assert step(PUNTO_GAME, table, event)[1] == (ev.Refused(Refusal.SUPERVISOR_KEY),)


def test_twenty_thousand_random_events_never_break_the_law() -> None:
    choose = random.Random(44)
    table = tables()["open"]
    events = [row[0] for row in MATRIX]
    phases, commission = set(), 0
    for number in range(20_000):
        if number % 200 == 0:
            table = tables()["open"]  # or the first table fault would be the end of all rounds
        event = choose.choice(events)
        after, results = step(PUNTO_GAME, table, event)
        assert results
        check(PUNTO_GAME, table, after, results)
        table = after
        phases.add(table.phase)
        commission = max(commission, state(table).commission_meter)
    assert phases == {Phase.CLOSED, Phase.OPEN, Phase.LOCKED}
    assert commission > 0
