"""Every (phase, event) pair has a stated result. The table below is written from rules.md sections 2 and 6."""

from typing import get_args

import pytest

from controller.core import events as ev
from controller.core.cards import read
from controller.core.events import Refusal
from controller.core.faults import FaultCode
from controller.core.game import Hand, Role
from controller.core.invariants import check
from controller.core.pot import imbalance
from controller.core.punto.score import PuntoResult
from controller.core.state import Phase, Table
from controller.core.table import step
from tests.helpers_game import GAME, chips, key, locked, new_table, opened, pending, play

SUP, TEC = ev.Key.SUPERVISOR, ev.Key.TECHNICIAN


def tables() -> dict[Phase, Table]:
    """One table a phase, the supervisor's key turned (in TEST: turned after the technician's)."""
    after_round = play(GAME, locked(2), [ev.GameOverPressed(30), key(True)])
    return {
        Phase.CLOSED: play(GAME, new_table(), [key(True), ev.LampTestStarted(2)]),
        Phase.OPEN: play(GAME, after_round, [*chips(1), ev.SeatClosed(40, 3)]),
        Phase.LOCKED: play(GAME, locked(1, 2), [key(True), ev.DiscrepancyFound(40, 3)]),
        Phase.AWARD_PENDING: play(GAME, pending({1: Hand.FLUSH, 2: Hand.FLUSH}), [ev.AwardWithdrawn(40, 2)]),
        Phase.TEST: play(GAME, new_table(), [key(True, TEC), key(True)]),
    }


WRONG = "refused:wrong_phase"
PENDING = "refused:award_pending"
NO_WAGER = "refused:no_wager"
NOT_HERE = "refused:not_this_game"
HELD = "refused:held_too_long"
BOTH_KEYS = "refused:both_keys"
NO_AWARD = "refused:no_award"
NO_FAULT = "refused:no_fault"
RAISED = "fault_raised"
NOTED = "noted"
FLUSH = read("As Ks Qs Js 9s")
STRAIGHT = read("Ad Ks Qs Js Ts")
COLUMNS = (Phase.CLOSED, Phase.OPEN, Phase.LOCKED, Phase.AWARD_PENDING, Phase.TEST)

# The event; then what it becomes in CLOSED, OPEN, LOCKED, AWARD PENDING, TEST.
Row = tuple[ev.AnyEvent, tuple[str, ...]]


def row(event: ev.AnyEvent, *became: str) -> Row:
    """An event and what it becomes in each phase."""
    return event, became


RECOVERED = ev.JournalRecovered(
    50, "mvd-07", "digest", "{}", ev.Trusted.WITNESS, "gone", None, (), (), "Ana", "Luis", "a new card"
)
MATRIX: list[Row] = [
    row(ev.ChipDropped(50, 1), "chip_late", "chip_excess", "chip_late", "chip_late", "chip_tested"),
    row(ev.ChipDropped(50, 4), "chip_late", "wager_placed", "chip_late", "chip_late", "chip_tested"),
    row(ev.ChipDropped(50, 3), "chip_late", "chip_late", "chip_late", "chip_late", "chip_tested"),
    row(ev.CoinInPressed(50), WRONG, "round_locked", WRONG, PENDING, "button_tested"),
    row(ev.GameOverPressed(50), WRONG, WRONG, "discrepancy_left_open", PENDING, "button_tested"),
    row(ev.GameOverHeld(50), HELD, HELD, HELD, HELD, "button_tested"),
    row(ev.SeatJammed(1050, 4, 50), *[RAISED] * 5),
    row(ev.SeatJammed(1010, 1, 10), RAISED, "wager_voided", RAISED, RAISED, RAISED),
    row(ev.JamCleared(50, 4), *[NOTED] * 5),
    row(ev.SeatChattered(50, 4), *[RAISED] * 5),
    row(ev.EdgeLost(50, "seat_4", 4), *[NOTED] * 5),
    row(ev.NoiseSeen(50, "seat_4", 4, 7), *[NOTED] * 5),
    row(ev.NoiseSeen(50, "seat_4", 4, 100), *[RAISED] * 5),
    row(ev.CommonModeSeen(50, (1, 2, 3)), *[RAISED] * 5),
    row(ev.LineOverflowed(50, "seat_4", 4, 9), *[RAISED] * 5),
    row(ev.LineOverflowed(50, "coin_in", 0, 9), *[RAISED] * 5),
    row(ev.ButtonStuck(50, ev.Button.COIN_IN), *[RAISED] * 5),
    row(ev.ButtonFreed(50, ev.Button.COIN_IN), *[NOTED] * 5),
    row(ev.KeyTurned(50, SUP, on=False), *[NOTED] * 5),
    row(ev.KeyTurned(50, TEC, on=True), *[NOTED] * 5),
    row(ev.KeyTurned(50, TEC, on=False), NOTED, NOTED, NOTED, NOTED, "phase_changed"),
    row(ev.DeviceLost(50, FaultCode.SIGN_LOST, "no answer"), *[RAISED] * 5),
    row(ev.DeviceFound(50, FaultCode.SIGN_LOST), *[NOTED] * 5),
    row(ev.StorageFailed(50, "disk full", (4,)), *[RAISED] * 5),
    row(ev.StorageLow(50, 12), *[RAISED] * 5),
    row(ev.JournalHeld(50, 40), *[RAISED] * 5),
    row(ev.JournalReopened(50, "malformed", (4,)), *[RAISED] * 5),
    row(ev.HeadSigned(50, 9, "d", "k", "s", ev.Sealed.ROUND_ENDED), *[NOTED] * 5),
    row(ev.WitnessLost(50, "no space"), *[RAISED] * 5),
    row(ev.WitnessFound(50), *[NOTED] * 5),
    row(ev.WitnessRebuilt(50, "slot-a is damaged", whole=False), *[NOTED] * 5),
    row(ev.WitnessRebuilt(50, "both slots are damaged", whole=True), *[RAISED] * 5),
    row(ev.FloorDisagreed(50, 120, "d", 100), *[RAISED] * 5),
    row(ev.FloorAgreed(50, 120), *[NOTED] * 5),
    row(ev.HostGarbled(50, 3, "no JSON"), *[NOTED] * 5),
    row(ev.LinkTold(50, "main", 9_000, 3), *["refused:no_such_level"] * 5),
    row(ev.LinkDisagreed(50, "main", "another limit"), *[RAISED] * 5),
    row(ev.LinkAgreed(50), *[NOTED] * 5),
    row(ev.ClaimAnswered(50, 1, 7, ()), *["refused:no_claim"] * 5),
    row(ev.ClaimRefused(50, 1, "no wager"), *["refused:no_claim"] * 5),
    row(RECOVERED, *[WRONG] * 5),
    row(ev.Commissioned(50, "mvd-07", "digest", "{}"), *[WRONG] * 5),
    row(ev.Started(50, supervisor=True, technician=True), *["recovered"] * 5),
    row(ev.Stopped(50, "SIGTERM"), *[NOTED] * 5),
    row(ev.LoopStalled(50, 900), *[NOTED] * 5),
    row(ev.LoopStalled(50, 1_999), *[NOTED] * 5),
    row(ev.LoopStalled(50, 2_000), *[RAISED] * 5),
    row(ev.ClockStepped(50, 10**12), *[NOTED] * 5),
    row(ev.ReleaseEnded(50), *[NOTED] * 5),
    row(ev.LampTestStarted(50), NOTED, WRONG, WRONG, PENDING, WRONG),
    row(ev.TableOpened(50), "phase_changed", WRONG, WRONG, PENDING, WRONG),
    row(ev.TableClosed(50), WRONG, "refused:chip_placed", WRONG, PENDING, WRONG),
    row(ev.DealerChanged(50, "Rosa"), WRONG, NOTED, WRONG, PENDING, WRONG),
    row(ev.SeatClosed(50, 4), WRONG, NOTED, WRONG, PENDING, WRONG),
    row(ev.SeatClosed(50, 1), WRONG, "refused:chip_placed", WRONG, PENDING, WRONG),
    row(ev.SeatClosed(50, 3), WRONG, "refused:already_closed", WRONG, PENDING, WRONG),
    row(ev.SeatOpened(50, 3), WRONG, NOTED, WRONG, PENDING, WRONG),
    row(ev.SeatOpened(50, 4), WRONG, "refused:not_closed", WRONG, PENDING, WRONG),
    row(ev.SeatOpened(50, 8), WRONG, "refused:no_such_seat", WRONG, PENDING, WRONG),
    row(ev.LateLocked(50), WRONG, "round_locked", WRONG, PENDING, WRONG),
    row(ev.CountConfirmed(50), WRONG, WRONG, NOTED, PENDING, WRONG),
    row(ev.DiscrepancyFound(50, 1), WRONG, WRONG, NOTED, PENDING, WRONG),
    row(ev.DiscrepancyAccepted(50), WRONG, WRONG, NOTED, PENDING, WRONG),
    row(ev.SeatVoided(50, 1, ev.Reason.NO_ANTE), WRONG, "wager_voided", "wager_voided", PENDING, WRONG),
    row(ev.SeatVoided(50, 5, ev.Reason.NO_ANTE), WRONG, "refused:no_wager", "refused:no_wager", PENDING, WRONG),
    row(ev.RoundVoided(50, ev.Reason.EXPOSED_CARDS), WRONG, WRONG, "wager_voided", PENDING, WRONG),
    row(ev.HandFolded(50, 1), WRONG, WRONG, "wager_forfeited", PENDING, WRONG),
    row(ev.CardBought(50, 1), WRONG, WRONG, "wager_forfeited", PENDING, WRONG),
    row(ev.BankNotOpened(50), WRONG, WRONG, "refused:not_this_game", PENDING, WRONG),
    row(ev.AwardClaimed(50, 2, Hand.FLUSH), WRONG, "award_requested", "award_requested", "award_requested", WRONG),
    row(ev.AwardClaimed(50, 1, Hand.FLUSH), WRONG, NO_WAGER, "award_requested", "refused:already_claimed", WRONG),
    row(ev.AwardClaimed(50, 2, Hand.PAIR), WRONG, "refused:no_prize", "refused:no_prize", "refused:no_prize", WRONG),
    row(ev.CardsShown(50, 1, FLUSH), WRONG, WRONG, WRONG, "cards_agree", WRONG),
    row(ev.CardsShown(50, 2, FLUSH), WRONG, WRONG, WRONG, "refused:no_claim", WRONG),
    row(ev.CardsShown(50, 1, FLUSH[:4]), WRONG, WRONG, WRONG, "refused:cards_impossible", WRONG),
    row(ev.CardsShown(50, 1, STRAIGHT), WRONG, WRONG, WRONG, "refused:cards_disagree", WRONG),
    row(ev.AwardWithdrawn(50, 1), WRONG, WRONG, WRONG, "claim_dropped", WRONG),
    row(ev.AwardWithdrawn(50, 2), WRONG, WRONG, WRONG, "refused:no_claim", WRONG),
    row(ev.AwardRejected(50, 1, "four cards"), WRONG, WRONG, WRONG, "claim_dropped", WRONG),
    row(ev.AwardRejected(50, 1, " "), WRONG, WRONG, WRONG, "refused:no_reason", WRONG),
    row(ev.AwardsApproved(50), WRONG, WRONG, WRONG, "award_approved", WRONG),
    row(ev.AwardPaid(50, 1, ev.Payment.CASH, signed=True), NO_AWARD, NO_AWARD, NO_AWARD, NO_AWARD, WRONG),
    row(ev.DisputeRaised(50, 1), WRONG, NOTED, NOTED, NOTED, WRONG),
    row(ev.FaultClearAsked(50, FaultCode.STORAGE_FAILED), NO_FAULT, NO_FAULT, NO_FAULT, NO_FAULT, WRONG),
    row(ev.PersonIdentified(50, SUP, "Ana", 7), *[NOTED] * 5),
    row(ev.PersonIdentified(50, TEC, "Luis", 9), *["refused:technician_key"] * 4, NOTED),
    row(ev.PinRefused(50, Role.SUPERVISOR, 7), *["refused:pin_wrong"] * 5),
    row(ev.PinNotTried(50, Role.SUPERVISOR, 7, ev.Refusal.NO_USERS), *["refused:no_users"] * 5),
    row(ev.UserChanged(50, "Rosa", 12, Role.DEALER, ev.UserChange.ADDED, "Ana", "Luis"), *[BOTH_KEYS] * 4, NOTED),
    row(ev.FaultClearAsked(50, FaultCode.PIN_LOCKED), NO_FAULT, NO_FAULT, NO_FAULT, NO_FAULT, WRONG),
    row(ev.PlayersSeated(50, 5), *[NOT_HERE] * 5),
    row(ev.ShoeMade(50, 7), *[NOT_HERE] * 5),
    row(ev.RedCardShown(50), *[NOT_HERE] * 5),
    row(ev.CardBurned(50), *[NOT_HERE] * 5),
    row(ev.CardsCounted(50, 20), *[NOT_HERE] * 5),
    row(ev.HandsShown(50, (4, 5), (3, 4)), *[NOT_HERE] * 5),
    row(ev.ResultEntered(50, PuntoResult.BANCA), *[NOT_HERE] * 5),
    row(ev.DealDoubted(50), *[NOT_HERE] * 5),
    row(ev.BankTaken(50, 1, 20_000), *[NOT_HERE] * 5),
    row(ev.BankRaised(50, 1_000), *[NOT_HERE] * 5),
    row(ev.BankWithdrawn(50, 1_000), *[NOT_HERE] * 5),
    row(ev.BankPassed(50), *[NOT_HERE] * 5),
    row(ev.BankGivenUp(50), *[NOT_HERE] * 5),
    row(ev.BetNotWithdrawn(50, 1, PuntoResult.BANCA, 1_000), *[NOT_HERE] * 5),
    row(ev.BetTakenBack(50, 1, PuntoResult.BANCA), *[NOT_HERE] * 5),
    row(ev.RoundVoided(50, ev.Reason.CARDS_SEEN), *[NOT_HERE] * 5),
    row(ev.PotCorrected(50, "main", 5, "typed wrong"), "refused:both_keys", WRONG, WRONG, PENDING, WRONG),
    row(ev.PotTransferred(50, "main", "minor", 5, "moved"), "refused:both_keys", WRONG, WRONG, PENDING, WRONG),
    row(ev.TransferSent(50, "t1", "main", 5, "mvd-08", "moved"), "refused:both_keys", WRONG, WRONG, PENDING, WRONG),
    row(ev.TransferReceived(50, "t1", "main", 5, "mvd-08"), "refused:both_keys", WRONG, WRONG, PENDING, WRONG),
    row(ev.ParametersChanged(50, "d2", "{}", (), "Ana", "Luis"), "refused:both_keys", WRONG, WRONG, PENDING, WRONG),
    row(ev.ClaimGivenUp(50, 1, "floor lost"), "refused:both_keys", WRONG, WRONG, PENDING, WRONG),
    row(ev.DeviceKeyChanged(50, "a", "b", "", "Ana", "Luis", "lost"), *["refused:both_keys"] * 4, NOTED),
    row(ev.DeviceKeyChanged(50, "a", "b", "", "Ana", "Luis", " "), *["refused:both_keys"] * 4, "refused:no_reason"),
    row(ev.SelfTested(50, "Luis", "reference", ()), NOTED, WRONG, WRONG, PENDING, WRONG),
    row(ev.UpdateAsked(50), "refused:technician_key", WRONG, WRONG, PENDING, WRONG),
    row(ev.BackupAsked(50), "refused:both_keys", WRONG, WRONG, PENDING, WRONG),
    row(ev.ErrandEnded(50, ev.Errand.BACKUP, 40, ev.Became.DONE), *[NOTED] * 5),
]  # fmt: skip


def in_words(result: ev.AnyResult) -> str:
    """A result as the table writes it."""
    if isinstance(result, ev.Refused):
        return f"refused:{result.reason}"
    return ev.snake(type(result).__name__)


@pytest.mark.parametrize(("event", "expected"), MATRIX, ids=lambda value: ev.snake(type(value).__name__))
@pytest.mark.parametrize("column", range(5), ids=lambda column: COLUMNS[column].value)
def test_every_event_in_every_phase_becomes_what_the_rules_say(
    event: ev.AnyEvent, expected: tuple[str, ...], column: int
) -> None:
    before = tables()[COLUMNS[column]]
    assert before.phase is COLUMNS[column]
    after, results = step(GAME, before, event)
    check(GAME, before, after, results)
    assert expected[column] == in_words(results[0])
    assert imbalance(after.pot) == 0


def test_the_matrix_names_every_event_there_is() -> None:
    assert {type(event) for event, _ in MATRIX} == set(get_args(ev.AnyEvent))


def test_a_refusal_changes_nothing_but_the_words_on_the_screen() -> None:
    for event, _ in MATRIX:
        for phase, table in tables().items():
            after, results = step(GAME, table, event)
            if isinstance(results[0], ev.Refused):
                assert (after.phase, after.seats, after.pot, after.claims, after.awards, after.faults) == (
                    phase,
                    table.seats,
                    table.pot,
                    table.claims,
                    table.awards,
                    table.faults,
                )


WITHOUT_KEY = [
    (Phase.CLOSED, ev.LampTestStarted(50)),
    (Phase.CLOSED, ev.TableOpened(50)),
    (Phase.OPEN, ev.TableClosed(50)),
    (Phase.OPEN, ev.SeatOpened(50, 3)),
    (Phase.OPEN, ev.LateLocked(50)),
    (Phase.OPEN, ev.AwardClaimed(50, 2, Hand.FLUSH)),
    (Phase.LOCKED, ev.SeatVoided(50, 1, ev.Reason.NO_ANTE)),
    (Phase.LOCKED, ev.RoundVoided(50, ev.Reason.EXPOSED_CARDS)),
    (Phase.LOCKED, ev.DiscrepancyAccepted(50)),
    (Phase.AWARD_PENDING, ev.AwardRejected(50, 1, "four cards")),
    (Phase.AWARD_PENDING, ev.AwardsApproved(50)),
]


@pytest.mark.parametrize(("phase", "event"), WITHOUT_KEY)
def test_the_supervisors_acts_are_refused_without_the_key(phase: Phase, event: ev.AnyEvent) -> None:
    table = play(GAME, tables()[phase], [key(False)])
    assert step(GAME, table, event)[1] == (ev.Refused(Refusal.SUPERVISOR_KEY),)


def test_F120_test_mode_is_entered_by_key_only_when_closed_and_moves_no_meter() -> None:
    open_table = play(GAME, opened(), [*chips(1)])
    assert play(GAME, open_table, [key(True, TEC)]).phase is Phase.OPEN
    closed = play(GAME, new_table(), [key(True, TEC)])
    tested = play(GAME, closed, [*chips(1, 1, 2), ev.CoinInPressed(20), ev.GameOverPressed(30)])
    assert tested.phase is Phase.TEST
    assert tested.pot == closed.pot
    assert [seat.tested for seat in tested.seats] == [2, 1, 0, 0, 0, 0, 0]
    assert all(seat.dropped == 0 for seat in tested.seats)
    assert play(GAME, tested, [ev.Started(40, supervisor=False, technician=False)]).phase is Phase.CLOSED
    assert play(GAME, tested, [ev.Started(40, supervisor=False, technician=True)]).phase is Phase.TEST


def test_F047_a_hundred_thousand_random_events_never_break_the_law() -> None:
    import random

    choose = random.Random(47)
    table = opened()
    events = [event for event, _ in MATRIX]
    for _ in range(100_000):
        event = choose.choice(events)
        after, results = step(GAME, table, event)
        assert results
        check(GAME, table, after, results)
        table = after
    assert imbalance(table.pot) == 0


def test_a_voided_seat_is_refunded_by_the_house_and_its_contribution_stays() -> None:
    """Two wagers of 10.00 at 50 %: pot 100,010.00; voiding one refunds 10.00 and leaves the pot."""
    table = play(GAME, locked(1, 2), [key(True), ev.SeatVoided(50, 1, ev.Reason.WRONG_CARD_COUNT)])
    assert table.pot.levels[0].current == 10_001_000
    assert table.pot.refund_meter == 1_000
    assert table.seats[0].voided == 1


def test_after_an_approved_award_neither_seat_nor_round_can_be_voided() -> None:
    table = play(GAME, pending({1: Hand.FLUSH}), [ev.AwardsApproved(40)])
    for event in (ev.SeatVoided(50, 1, ev.Reason.OTHER), ev.RoundVoided(50, ev.Reason.OTHER)):
        assert step(GAME, table, event)[1] == (ev.Refused(Refusal.AWARD_APPROVED),)


def test_a_void_round_stays_locked_with_count_zero_until_game_over() -> None:
    table = play(GAME, locked(1, 2), [key(True), ev.RoundVoided(50, ev.Reason.DEALER_CARD_SEEN)])
    assert table.phase is Phase.LOCKED
    assert table.pot.refund_meter == 2_000
    assert play(GAME, table, [ev.GameOverPressed(60)]).phase is Phase.OPEN


def test_a_chip_placed_for_the_next_round_survives_a_claim_from_the_last_one() -> None:
    table = play(GAME, locked(2), [ev.GameOverPressed(30), *chips(1), key(True)])
    table = play(GAME, table, [ev.AwardClaimed(50, 2, Hand.FLUSH), ev.AwardsApproved(60)])
    assert table.phase is Phase.OPEN
    assert table.seats[0].wager.value == "placed"
    assert [(award.round, award.seat) for award in table.awards] == [(1, 2)]


def test_the_next_coin_in_ends_the_time_for_claims_of_the_round_before() -> None:
    table = play(
        GAME, locked(2), [ev.GameOverPressed(30), ev.CoinInPressed(40), ev.GameOverPressed(50), key(True)]
    )
    assert step(GAME, table, ev.AwardClaimed(60, 2, Hand.FLUSH))[1] == (ev.Refused(Refusal.NO_WAGER),)


def test_a_table_fault_locks_but_lets_game_over_close_the_stored_round() -> None:
    table = play(GAME, locked(1), [ev.StorageFailed(30, "disk full", ()), ev.GameOverPressed(40)])
    assert table.phase is Phase.OPEN
    assert step(GAME, table, ev.CoinInPressed(50))[1] == (ev.Refused(Refusal.TABLE_FAULT),)
    assert step(GAME, table, ev.ChipDropped(50, 2))[1] == (ev.ChipLate(2),)
    asked = ev.FaultClearAsked(60, FaultCode.STORAGE_FAILED)
    assert step(GAME, table, asked)[1] == (ev.Refused(Refusal.TECHNICIAN_KEY),)
    cleared = play(GAME, table, [key(True, TEC), asked])
    assert isinstance(step(GAME, cleared, ev.CoinInPressed(70))[1][0], ev.RoundLocked)


def test_a_lost_sign_finishes_the_round_then_locks_until_it_is_back() -> None:
    lost = ev.DeviceLost(15, FaultCode.SIGN_LOST, "no answer")
    table = play(GAME, opened(), [*chips(1), lost, *chips(2, at_ns=16), ev.CoinInPressed(20)])
    assert sum(seat.accepted for seat in table.seats) == 2
    table = play(GAME, table, [ev.GameOverPressed(30)])
    assert step(GAME, table, ev.ChipDropped(40, 1))[1] == (ev.ChipLate(1),)
    assert step(GAME, table, ev.CoinInPressed(50))[1] == (ev.Refused(Refusal.SIGN_LOST),)
    back = play(GAME, table, [ev.DeviceFound(60, FaultCode.SIGN_LOST)])
    assert step(GAME, back, ev.ChipDropped(70, 1))[1] == (ev.WagerPlaced(1),)


def test_F143_the_carried_fraction_survives_any_grouping_of_wagers() -> None:
    """27.5 % of a 1.00 coin and 3.25 % to the reserve, 1,000,003 coins: floor(1,000,003 × 27.5) and × 3.25 cents."""
    from msgspec.structs import replace as but

    from controller.core.pot import commissioned, take
    from tests.helpers_game import with_level

    game = but(with_level(increment_rate_ppm=275_000, reserve_rate_ppm=32_500, base_amount=0), wager=100)
    pot = commissioned(game)
    left, turn = 1_000_003, 0
    while left:
        count = min(left, turn % 8)
        pot, _ = take(game, pot, count)
        left, turn = left - count, turn + 1
    level = pot.levels[0]
    assert level.current == 27_500_082  # 1,000,003 × 27.5 = 27,500,082.5
    assert level.carry == 500_000
    assert level.reserve_pool == 3_250_009  # 1,000,003 × 3.25 = 3,250,009.75
    assert imbalance(pot) == 0


def test_F118_the_meter_stops_at_its_limit_to_the_cent() -> None:
    """Limit 100,007.00, base 100,000.00, three wagers add 15.00: 7.00 to the pot, 8.00 to the overflow."""
    from tests.helpers_game import with_level

    game = with_level(limit=10_000_700)
    level = locked(1, 2, 3, game=game).pot.levels[0]
    assert (level.current, level.overflow_meter) == (10_000_700, 800)
