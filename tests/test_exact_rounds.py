"""What COIN IN, GAME OVER and the acts about a whole round change, and that they change nothing else."""

import pytest
from msgspec.structs import replace

from controller.core import events as ev
from controller.core.cards import read
from controller.core.events import Refusal
from controller.core.faults import Fault, FaultCode
from controller.core.game import Fund, Hand
from controller.core.state import Award, Closure, Phase, ShownHand, Table, Wager
from controller.core.table import next_deadline
from tests.helpers_exact import NOTED, becomes, each, refuses, shown, with_seats
from tests.helpers_game import GAME, key, locked, new_table, opened, play

PAID = Award(1, 1, 2, Hand.FLUSH, "main", 50_000, Fund.HOUSE, paid=True)
OWED = Award(2, 1, 3, Hand.FLUSH, "main", 50_000, Fund.HOUSE)
HALF_A_SECOND = 500_000_000
TESTED = play(GAME, new_table(), [key(True, ev.Key.TECHNICIAN)])
SUPERVISED = play(GAME, new_table(), [key(True)])


def untidy() -> Table:
    """Bets open after a power cut: chips at seats 1 and 3, and all that a round before it can leave behind."""
    placed: dict[str, object] = {"wager": Wager.PLACED, "placed_ns": 10, "dropped": 1}
    left: dict[str, object] = {"claimable": True, "awarded": True, "give_back": 2, "look": True}
    table = with_seats(
        opened(),
        {
            1: placed,
            2: left,
            3: placed | left | {"accepted": 4, "dropped": 5},
            4: {"look": True},
            5: {"give_back": 1},
            6: {"awarded": True},
            7: {"claimable": True},
        },
    )
    return shown(
        table,
        round=7,
        awards=(PAID, OWED),
        awards_made=2,
        shown=(ShownHand(2, read("As Ks Qs Js 9s")),),
        bank_unopened=True,
        recovered=True,
        counted=3,
    )


def locked_after(before: Table, at_ns: int, *, late: bool) -> Table:
    """Two wagers of 10.00 at 50 %: 10.00 more in the pot, 10.00 for the house; all marks of the round before gone."""
    level = replace(before.pot.levels[0], current=before.pot.levels[0].current + 1_000)
    accepted: dict[str, object] = {"wager": Wager.ACCEPTED, "placed_ns": 0, "dropped": 1, "accepted": 1}
    clean: dict[str, object] = {"claimable": False, "awarded": False, "give_back": 0, "look": False}
    after = replace(
        before,
        phase=Phase.LOCKED,
        pot=replace(before.pot, levels=(level,), in_meter=2_000, in_count=2, house_share=1_000_000_000),
        awards=(OWED,),
        shown=(),
        bank_unopened=False,
        release_until_ns=at_ns + HALF_A_SECOND,
        recovered=False,
        late_lock=late,
        counted=None,
        refusal=None,
    )
    others = each(2, 4, 5, 6, 7, **clean)
    return with_seats(after, {1: accepted, 3: accepted | clean | {"accepted": 5, "dropped": 5}, **others})


def test_coin_in_takes_the_placed_wagers_in_and_ends_all_that_the_round_before_left() -> None:
    before = untidy()
    told = (ev.RoundLocked(7, (1, 3), 2_000), ev.PotRaised("main", 1_000, 10_001_000))
    becomes(before, ev.CoinInPressed(20), locked_after(before, 20, late=False), *told)
    assert next_deadline(locked_after(before, 20, late=False)) == 20 + HALF_A_SECOND
    assert next_deadline(before) is None


def test_a_late_lock_does_the_same_and_marks_the_round() -> None:
    before = play(GAME, untidy(), [key(True)])
    told = (ev.RoundLocked(7, (1, 3), 2_000, late=True), ev.PotRaised("main", 1_000, 10_001_000))
    becomes(before, ev.LateLocked(60), locked_after(before, 60, late=True), *told)


def test_game_over_ends_the_round_and_keeps_what_can_still_be_claimed() -> None:
    before = with_seats(
        shown(locked(1, 2, 3, 6), round=7, recovered=True, late_lock=True, counted=5),
        {
            2: {"wager": Wager.VOID},
            3: {"wager": Wager.FORFEITED, "give_back": 1},
            4: {"give_back": 1},
            5: {"look": True},
            6: {"look": True},
        },
    )
    gone: dict[str, object] = {"wager": Wager.NONE, "give_back": 0, "look": False}
    after = with_seats(
        replace(
            before, phase=Phase.OPEN, round=8, recovered=False, late_lock=False, counted=None, refusal=None
        ),
        {1: gone | {"claimable": True}, 6: gone | {"claimable": True}, **each(2, 3, 4, 5, **gone)},
    )
    becomes(before, ev.GameOverPressed(40), after, ev.DiscrepancyLeftOpen(7, 5), ev.RoundEnded(7))
    becomes(replace(before, counted=None), ev.GameOverPressed(40), after, ev.RoundEnded(7))


def test_seven_wagers_are_taken_in_with_what_they_amount_to() -> None:
    """7 × 10.00 at 50 %: 35.00 more in the pot."""
    before = with_seats(
        opened(), {number: {"wager": Wager.PLACED, "placed_ns": 10} for number in range(1, 8)}
    )
    after = play(GAME, before, [ev.CoinInPressed(20)])
    assert (after.pot.in_meter, after.pot.in_count, after.pot.levels[0].current) == (7_000, 7, 10_003_500)
    assert {(seat.wager, seat.accepted, seat.placed_ns) for seat in after.seats} == {(Wager.ACCEPTED, 1, 0)}


@pytest.mark.parametrize(
    ("event", "button"),
    [
        (ev.CoinInPressed(20), ev.Button.COIN_IN),
        (ev.GameOverPressed(20), ev.Button.GAME_OVER),
        (ev.GameOverHeld(20), ev.Button.GAME_OVER),
    ],
)
def test_a_button_in_test_is_told_by_its_name_and_changes_nothing(
    event: ev.AnyEvent, button: ev.Button
) -> None:
    becomes(shown(TESTED), event, shown(TESTED), ev.ButtonTested(button))


def test_the_end_of_the_release_pulse_is_kept_and_nothing_else() -> None:
    before = shown(locked(1), late_lock=True)
    becomes(before, ev.ReleaseEnded(9), replace(before, release_until_ns=None), NOTED)


def test_a_lamp_test_lights_the_lamps() -> None:
    before = shown(SUPERVISED, recovered=True)
    becomes(before, ev.LampTestStarted(2), replace(before, lamp_test=True, refusal=None), NOTED)


def test_the_table_opens_with_the_seats_of_dead_lamps_closed() -> None:
    dead = ev.TableOpened(3, (1, 7))
    before = shown(SUPERVISED, lamp_test=True)
    faults = (Fault(FaultCode.LAMP_DEAD, 1), Fault(FaultCode.LAMP_DEAD, 7))
    after = replace(before, phase=Phase.OPEN, lamp_test=False, faults=faults, refusal=None)
    after = with_seats(after, each(1, 7, closed=Closure.FAULT))
    raised = (ev.FaultRaised(FaultCode.LAMP_DEAD, 1), ev.FaultRaised(FaultCode.LAMP_DEAD, 7))
    becomes(before, dead, after, ev.PhaseChanged(Phase.OPEN), *raised)
    kept = with_seats(before, {3: {"closed": Closure.HAND}})
    becomes(
        kept,
        ev.TableOpened(3),
        replace(kept, phase=Phase.OPEN, lamp_test=False, refusal=None),
        ev.PhaseChanged(Phase.OPEN),
    )


@pytest.mark.parametrize("number", [0, 8])
def test_a_lamp_that_the_table_does_not_have_is_not_dead(number: int) -> None:
    refuses(shown(SUPERVISED, lamp_test=True), ev.TableOpened(3, (number,)), Refusal.NO_SUCH_SEAT)


def test_the_table_is_not_opened_without_a_lamp_test_nor_with_a_table_fault() -> None:
    refuses(SUPERVISED, ev.TableOpened(3), Refusal.LAMP_TEST_FIRST)
    faulty = replace(SUPERVISED, lamp_test=True, faults=(Fault(FaultCode.STORAGE_FAILED),))
    refuses(faulty, ev.TableOpened(3), Refusal.TABLE_FAULT)


def test_the_table_closes_with_everything_else_as_it_was() -> None:
    before = with_seats(shown(play(GAME, opened(), [key(True)]), recovered=True), {2: {"claimable": True}})
    after = replace(before, phase=Phase.CLOSED, recovered=False, refusal=None)
    becomes(before, ev.TableClosed(30), after, ev.PhaseChanged(Phase.CLOSED))
    with_chip = with_seats(before, {5: {"wager": Wager.PLACED, "placed_ns": 10}})
    refuses(with_chip, ev.TableClosed(30), Refusal.CHIP_PLACED)


@pytest.mark.parametrize(
    ("event", "counted"),
    [
        (ev.CountConfirmed(30), None),
        (ev.DiscrepancyFound(30, 2), None),  # two lamps, two chips
        (ev.DiscrepancyFound(30, 1), 1),
        (ev.DiscrepancyFound(30, 0), 0),
        (ev.DiscrepancyAccepted(30), None),
    ],
)
def test_the_count_is_kept_only_while_it_differs(event: ev.AnyEvent, counted: int | None) -> None:
    before = shown(play(GAME, locked(1, 2), [key(True)]), counted=3)
    becomes(before, event, replace(before, counted=counted, refusal=None), NOTED)


def test_where_nothing_differs_nothing_is_accepted() -> None:
    refuses(play(GAME, locked(1, 2), [key(True)]), ev.DiscrepancyAccepted(30), Refusal.NO_DISCREPANCY)


def test_a_void_round_refunds_each_accepted_wager_and_no_other() -> None:
    void = ev.RoundVoided(50, ev.Reason.EXPOSED_CARDS)
    before = with_seats(
        shown(play(GAME, locked(1, 2, 3), [key(True)]), counted=2, recovered=True),
        {3: {"wager": Wager.FORFEITED}},
    )
    after = with_seats(
        replace(before, pot=replace(before.pot, refund_meter=2_000), counted=None, refusal=None),
        each(1, 2, wager=Wager.VOID, voided=1),
    )
    becomes(before, void, after, ev.WagerVoided(1, 1_000), ev.WagerVoided(2, 1_000))
    becomes(after, void, after, NOTED)
    refuses(with_seats(before, {3: {"awarded": True}}), void, Refusal.AWARD_APPROVED)
