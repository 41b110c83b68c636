"""What a chip, a line's trouble and the acts about one seat change, and that they change nothing else."""

import pytest
from msgspec.structs import replace

from controller.core import events as ev
from controller.core.events import Refusal
from controller.core.faults import Fault, FaultCode
from controller.core.game import Game
from controller.core.state import Closure, Phase, Table, Wager
from tests.helpers_exact import NOTED, becomes, each, refuses, shown, with_seats
from tests.helpers_game import GAME, chips, key, locked, new_table, opened, play, with_policies

TESTED = play(GAME, new_table(), [key(True, ev.Key.TECHNICIAN)])
OPEN = shown(opened(), recovered=True)
SUPERVISED = play(GAME, OPEN, [key(True)])
SEAT_4 = ev.ChipDropped(50, 4)
LATE_4 = each(4, dropped=1, late=1, give_back=1)


def test_a_chip_is_placed_with_its_stamp() -> None:
    after = with_seats(OPEN, each(4, wager=Wager.PLACED, placed_ns=50, dropped=1))
    becomes(OPEN, SEAT_4, after, ev.WagerPlaced(4))


def test_a_second_chip_is_excess_and_leaves_the_stamp_of_the_first() -> None:
    before = with_seats(OPEN, each(4, wager=Wager.PLACED, placed_ns=10, dropped=3, excess=1, give_back=1))
    becomes(before, SEAT_4, with_seats(before, each(4, dropped=4, excess=2, give_back=2)), ev.ChipExcess(4))


@pytest.mark.parametrize(
    "before",
    [
        shown(new_table()),
        shown(locked(1, 2)),
        with_seats(OPEN, each(4, closed=Closure.HAND)),
        replace(OPEN, faults=(Fault(FaultCode.STORAGE_FAILED),)),
        replace(OPEN, faults=(Fault(FaultCode.SIGN_LOST),)),
    ],
    ids=["closed", "locked", "closed by hand", "table fault", "sign lost"],
)
def test_where_no_wager_is_taken_a_chip_is_late(before: Table) -> None:
    becomes(before, SEAT_4, with_seats(before, LATE_4), ev.ChipLate(4))


def test_a_late_chip_is_counted_on_top_of_those_before() -> None:
    before = with_seats(shown(locked(4)), each(4, late=2, give_back=3, dropped=5))
    becomes(before, SEAT_4, with_seats(before, each(4, dropped=6, late=3, give_back=4)), ev.ChipLate(4))


def test_a_lost_sign_takes_the_chips_of_a_round_that_has_begun() -> None:
    before = with_seats(
        replace(OPEN, faults=(Fault(FaultCode.SIGN_LOST),)),
        each(1, wager=Wager.PLACED, placed_ns=10, dropped=1),
    )
    after = with_seats(before, each(4, wager=Wager.PLACED, placed_ns=50, dropped=1))
    becomes(before, SEAT_4, after, ev.WagerPlaced(4))


def test_a_game_without_a_wager_takes_no_chip() -> None:
    game = replace(GAME, wager=0)
    becomes(OPEN, SEAT_4, with_seats(OPEN, LATE_4), ev.ChipLate(4), game=game)


def test_in_test_only_the_test_count_moves_also_at_a_seat_closed_by_a_fault() -> None:
    before = with_seats(TESTED, each(4, tested=2, closed=Closure.FAULT))
    becomes(before, SEAT_4, with_seats(before, each(4, tested=3)), ev.ChipTested(4))


@pytest.mark.parametrize("before", [OPEN, locked(4)], ids=["open", "locked"])
def test_on_a_line_closed_by_a_fault_nothing_counts(before: Table) -> None:
    faulty = with_seats(before, each(4, closed=Closure.FAULT))
    becomes(faulty, SEAT_4, faulty, ev.ChipIgnored(4))


@pytest.mark.parametrize(
    "event", [ev.StorageFailed(60, "full", (4, 2, 4)), ev.JournalReopened(60, "cut", (4, 2, 4))]
)
def test_chips_seen_while_nothing_was_stored_are_late_each(
    event: ev.StorageFailed | ev.JournalReopened,
) -> None:
    code = FaultCode.STORAGE_FAILED if isinstance(event, ev.StorageFailed) else FaultCode.JOURNAL_REOPENED
    late = each(4, dropped=2, late=2, give_back=2) | each(2, dropped=1, late=1, give_back=1)
    after = with_seats(replace(OPEN, faults=(Fault(code),)), late)
    told = (ev.FaultRaised(code, 0), ev.ChipLate(4), ev.ChipLate(2), ev.ChipLate(4))
    becomes(OPEN, event, after, *told)


def test_a_jam_voids_the_wager_of_its_own_pulse() -> None:
    before = with_seats(OPEN, each(4, wager=Wager.PLACED, placed_ns=50, dropped=1, voided=2))
    after = with_seats(
        replace(before, faults=(Fault(FaultCode.SEAT_JAMMED, 4),)),
        each(4, wager=Wager.NONE, placed_ns=0, voided=3, closed=Closure.FAULT, line_active=True),
    )
    told = (ev.WagerVoided(4, 0), ev.FaultRaised(FaultCode.SEAT_JAMMED, 4))
    becomes(before, ev.SeatJammed(1050, 4, 50), after, *told)


def test_a_jam_leaves_any_other_wager_as_it_was() -> None:
    for before in (with_seats(OPEN, each(4, wager=Wager.PLACED, placed_ns=50, dropped=1)), shown(locked(4))):
        after = with_seats(
            replace(before, faults=(Fault(FaultCode.SEAT_JAMMED, 4),)),
            each(4, closed=Closure.FAULT, line_active=True),
        )
        becomes(before, ev.SeatJammed(1060, 4, 60), after, ev.FaultRaised(FaultCode.SEAT_JAMMED, 4))
        becomes(after, ev.SeatJammed(2060, 4, 1060), after, NOTED)


def test_a_line_that_came_back_is_no_longer_active() -> None:
    before = with_seats(OPEN, each(3, 4, closed=Closure.FAULT, line_active=True))
    becomes(before, ev.JamCleared(60, 4), with_seats(before, each(4, line_active=False)), NOTED)


@pytest.mark.parametrize(
    ("event", "code"),
    [
        (ev.SeatChattered(60, 4), FaultCode.SEAT_CHATTER),
        (ev.LineOverflowed(60, "seat_4", 4, 9), FaultCode.SEAT_OVERFLOW),
    ],
)
def test_a_seat_whose_line_cannot_be_trusted_is_closed_with_its_wager(
    event: ev.AnyEvent, code: FaultCode
) -> None:
    before = shown(locked(4))
    after = with_seats(replace(before, faults=(Fault(code, 4),)), each(4, closed=Closure.FAULT))
    becomes(before, event, after, ev.FaultRaised(code, 4))


def test_a_button_beyond_its_share_is_a_fault_of_the_table() -> None:
    after = replace(OPEN, faults=(Fault(FaultCode.BUTTON_OVERFLOW),))
    becomes(OPEN, ev.LineOverflowed(60, "coin_in", 0, 9), after, ev.FaultRaised(FaultCode.BUTTON_OVERFLOW, 0))


def test_a_lost_edge_sends_the_dealer_to_that_slot_and_a_buttons_nowhere() -> None:
    becomes(OPEN, ev.EdgeLost(60, "seat_4", 4), with_seats(OPEN, each(4, look=True)), NOTED)
    becomes(OPEN, ev.EdgeLost(60, "coin_in", 0), OPEN, NOTED)


def test_common_mode_noise_sends_the_dealer_to_its_slots_with_one_warning() -> None:
    after = with_seats(replace(OPEN, faults=(Fault(FaultCode.COMMON_MODE),)), each(1, 4, 7, look=True))
    event = ev.CommonModeSeen(60, (1, 4, 7))
    becomes(OPEN, event, after, ev.FaultRaised(FaultCode.COMMON_MODE, 0))
    becomes(after, event, after, NOTED)


def test_noise_adds_up_and_a_hundred_a_minute_are_a_warning() -> None:
    before = with_seats(OPEN, each(4, noise=5))
    becomes(before, ev.NoiseSeen(60, "seat_4", 4, 99), with_seats(before, each(4, noise=104)), NOTED)
    noisy = replace(before, faults=(Fault(FaultCode.LINE_NOISY, 4),))
    told = ev.FaultRaised(FaultCode.LINE_NOISY, 4)
    becomes(before, ev.NoiseSeen(60, "seat_4", 4, 100), with_seats(noisy, each(4, noise=105)), told)


def test_noise_of_a_button_is_no_seats() -> None:
    becomes(OPEN, ev.NoiseSeen(60, "coin_in", 0, 99), OPEN, NOTED)
    after = replace(OPEN, faults=(Fault(FaultCode.LINE_NOISY),))
    becomes(OPEN, ev.NoiseSeen(60, "coin_in", 0, 100), after, ev.FaultRaised(FaultCode.LINE_NOISY, 0))


def test_a_seat_is_closed_by_hand() -> None:
    becomes(
        OPEN,
        ev.SeatClosed(60, 4),
        replace(with_seats(OPEN, each(4, closed=Closure.HAND)), refusal=None),
        NOTED,
    )
    refuses(with_seats(OPEN, each(4, wager=Wager.PLACED)), ev.SeatClosed(60, 4), Refusal.CHIP_PLACED)
    for closed in (Closure.HAND, Closure.FAULT):
        refuses(with_seats(OPEN, each(4, closed=closed)), ev.SeatClosed(60, 4), Refusal.ALREADY_CLOSED)


def test_a_seat_is_opened_with_all_its_faults_cleared_and_those_of_others_left() -> None:
    codes = (FaultCode.SEAT_JAMMED, FaultCode.SEAT_CHATTER, FaultCode.SEAT_OVERFLOW, FaultCode.LAMP_DEAD)
    others = (Fault(FaultCode.SEAT_JAMMED, 5), Fault(FaultCode.LINE_NOISY, 4))
    before = replace(
        SUPERVISED,
        faults=(others[0], *(Fault(code, 4) for code in codes), others[1]),
        refusal=Refusal.NO_WAGER,
    )
    before = with_seats(before, each(4, 5, closed=Closure.FAULT))
    after = with_seats(replace(before, faults=others, refusal=None), each(4, closed=Closure.NONE))
    becomes(before, ev.SeatOpened(60, 4), after, *(ev.FaultCleared(code, 4) for code in codes))
    refuses(with_seats(before, each(4, line_active=True)), ev.SeatOpened(60, 4), Refusal.LINE_ACTIVE)


def test_a_seat_closed_by_hand_is_opened_without_a_word_about_faults() -> None:
    before = with_seats(shown(SUPERVISED), each(4, closed=Closure.HAND))
    becomes(
        before,
        ev.SeatOpened(60, 4),
        replace(with_seats(before, each(4, closed=Closure.NONE)), refusal=None),
        NOTED,
    )


VOID_4 = ev.SeatVoided(60, 4, ev.Reason.NO_ANTE)


def test_before_coin_in_a_void_seat_gets_its_chip_back() -> None:
    before = with_seats(OPEN, each(4, wager=Wager.PLACED, placed_ns=10, dropped=1, voided=1))
    after = with_seats(before, each(4, wager=Wager.NONE, placed_ns=0, voided=2))
    becomes(before, VOID_4, replace(after, refusal=None), ev.WagerVoided(4, 0))
    refuses(OPEN, VOID_4, Refusal.NO_WAGER)


@pytest.mark.parametrize(("counted", "left"), [(2, None), (1, 1), (None, None)])
def test_after_coin_in_the_house_refunds_and_a_count_that_agrees_now_is_settled(
    counted: int | None, left: int | None
) -> None:
    """Three lamps, one voided."""
    before = shown(play(GAME, locked(1, 2, 4), [key(True)]), counted=counted)
    after = with_seats(before, each(4, wager=Wager.VOID, voided=1))
    after = replace(after, pot=replace(before.pot, refund_meter=1_000), counted=left, refusal=None)
    becomes(before, VOID_4, after, ev.WagerVoided(4, 1_000))
    refuses(after, VOID_4, Refusal.NO_WAGER)


ON = with_policies(GAME, fold_forfeits=False, purchase_forfeits=False)


@pytest.mark.parametrize("event", [ev.HandFolded(60, 4), ev.CardBought(60, 4)])
def test_who_folds_or_buys_loses_the_wager_by_policy(event: ev.AnyEvent) -> None:
    before = shown(locked(1, 4))
    after = replace(with_seats(before, each(4, wager=Wager.FORFEITED)), refusal=None)
    becomes(before, event, after, ev.WagerForfeited(4))
    becomes(before, event, replace(before, refusal=None), NOTED, game=ON)
    refuses(after, event, Refusal.NO_WAGER)
    refuses(with_seats(before, each(4, awarded=True)), event, Refusal.AWARD_APPROVED)


@pytest.mark.parametrize(
    ("fold", "buy"), [(True, False), (False, True)], ids=["only folding forfeits", "only buying forfeits"]
)
def test_each_of_the_two_has_its_own_policy(fold: bool, buy: bool) -> None:
    game: Game = with_policies(GAME, fold_forfeits=fold, purchase_forfeits=buy)
    for event, forfeits in ((ev.HandFolded(60, 4), fold), (ev.CardBought(60, 4), buy)):
        before = locked(1, 4)
        after = with_seats(before, each(4, wager=Wager.FORFEITED)) if forfeits else before
        becomes(before, event, after, ev.WagerForfeited(4) if forfeits else NOTED, game=game)


def test_a_game_that_sells_no_card_refuses_the_purchase() -> None:
    refuses(locked(4), ev.CardBought(60, 4), Refusal.NO_CARD_SOLD, game=replace(GAME, sells_card=False))


def test_a_seat_beyond_the_table_is_refused_at_both_ends() -> None:
    for number in (0, 8):
        refuses(SUPERVISED, ev.SeatClosed(60, number), Refusal.NO_SUCH_SEAT)
    for number in (1, 7):
        after = replace(with_seats(SUPERVISED, each(number, closed=Closure.HAND)), refusal=None)
        becomes(SUPERVISED, ev.SeatClosed(60, number), after, NOTED)


def test_chips_placed_before_a_fault_are_taken_in_once_it_is_cleared() -> None:
    table = play(GAME, opened(), [*chips(1), ev.StorageFailed(15, "full", ())])
    refuses(table, ev.CoinInPressed(20), Refusal.TABLE_FAULT)
    cleared = play(
        GAME, table, [key(True, ev.Key.TECHNICIAN), ev.FaultClearAsked(25, FaultCode.STORAGE_FAILED)]
    )
    assert play(GAME, cleared, [ev.CoinInPressed(30)]).phase is Phase.LOCKED
