"""Who may do what, when: the gate's rows, and that an act which is done ends an older refusal."""

import pytest
from msgspec.structs import replace

from controller.core import events as ev
from controller.core.events import Refusal
from controller.core.faults import Fault, FaultCode
from controller.core.game import (
    Game,
    Hand,
    JudgedOn,
    Order,
    Policies,
    RoyalExcludes,
    RoyalSplit,
    without_awards,
)
from controller.core.state import Phase, Table, Wager
from controller.core.table import bets, slots_open, step
from controller.core.table.gate import (
    ACCEPTED_IN,
    KEYS_NEEDED,
    POKER_ONLY,
    PUNTO_ONLY,
    lock_refusal,
    lost_while_required,
    raised,
    table_fault,
)
from controller.core.table.gate import cleared as clear
from tests import test_phases, test_punto_phases
from tests.helpers_exact import each, refuses, shown, with_seats
from tests.helpers_game import GAME, key, locked, new_table, opened, pending, play, with_policies
from tests.helpers_punto import PUNTO_GAME, opened_punto

LEFT_ON_THE_SCREEN = (ev.DisputeRaised, ev.SelfTested, ev.UserChanged)
"""Acts that only add a record: what was refused before them is still shown."""
POKER = [(GAME, event, table) for event, _ in test_phases.MATRIX for table in test_phases.tables().values()]
PUNTO = [
    (PUNTO_GAME, row[0], table)
    for row in test_punto_phases.MATRIX
    for table in test_punto_phases.tables().values()
]


def test_what_is_refused_changes_the_reason_on_the_screen_and_nothing_else() -> None:
    for game, event, table in (*POKER, *PUNTO):
        if isinstance(event, ev.PinRefused):
            continue  # it is counted as well
        after, results = step(game, table, event)
        if isinstance(results[0], ev.Refused):
            assert after == replace(table, refusal=results[0].reason), event
            assert len(results) == 1


def test_an_act_that_is_done_ends_an_older_refusal() -> None:
    done = set()
    for game, event, table in (*POKER, *PUNTO):
        if type(event) not in ACCEPTED_IN:
            continue
        after, results = step(game, replace(table, refusal=Refusal.HELD_TOO_LONG), event)
        if not isinstance(results[0], ev.Refused):
            kept = Refusal.HELD_TOO_LONG if isinstance(event, LEFT_ON_THE_SCREEN) else None
            assert after.refusal is kept, event
            done.add(type(event))
    assert set(KEYS_NEEDED) - done <= {
        ev.PotCorrected,
        ev.ParametersChanged,
        ev.ClaimGivenUp,
        ev.PotTransferred,
        ev.TransferSent,
        ev.TransferReceived,
        ev.UpdateAsked,
        ev.BackupAsked,
    }


def test_every_act_of_one_game_is_an_act() -> None:
    assert set(ACCEPTED_IN) > PUNTO_ONLY | POKER_ONLY
    assert not PUNTO_ONLY & POKER_ONLY
    assert set(ACCEPTED_IN) > set(KEYS_NEEDED)


@pytest.mark.parametrize("reason", list(ev.Reason))
def test_each_game_voids_a_round_for_its_own_reasons(reason: ev.Reason) -> None:
    """Seed 001 nums. 10, 33, 35 and 42 for Punto y Banca; a machine fault and anything else for both."""
    of_punto = {"cards_seen", "not_face_up", "discarded_early", "too_few_cards"}
    of_both = {"machine_fault", "other"}
    poker = play(GAME, locked(1), [key(True)])
    punto = play(PUNTO_GAME, opened_punto(), [ev.CoinInPressed(20), key(True)])
    event = ev.RoundVoided(50, reason)
    for game, table, fits in (
        (GAME, poker, reason not in of_punto),
        (PUNTO_GAME, punto, reason in of_punto | of_both),
    ):
        _, results = step(game, table, event)
        assert (results[0] == ev.Refused(Refusal.NOT_THIS_GAME)) is not fits


@pytest.mark.parametrize(
    ("policies", "code", "reason"),
    [
        ({"require_sign": True, "require_host": True}, FaultCode.SIGN_LOST, Refusal.SIGN_LOST),
        ({"require_sign": True, "require_host": True}, FaultCode.HOST_LOST, Refusal.HOST_LOST),
        ({"require_sign": False, "require_host": True}, FaultCode.SIGN_LOST, None),
        ({"require_sign": True, "require_host": False}, FaultCode.HOST_LOST, None),
        ({"require_sign": True, "require_host": True}, FaultCode.SCREEN_LOST, None),
    ],
)
def test_a_lost_device_locks_the_slots_only_where_it_is_required(
    policies: dict[str, bool], code: FaultCode, reason: Refusal | None
) -> None:
    game: Game = with_policies(GAME, **policies)
    table = replace(opened(), faults=(Fault(code),))
    assert lost_while_required(game, table) is reason
    assert lock_refusal(game, table) is reason
    assert slots_open(game, table) is (reason is None)
    begun = with_seats(table, each(3, wager=Wager.PLACED))
    assert lock_refusal(game, begun) is None
    assert slots_open(game, begun)


def test_a_table_fault_locks_the_slots_also_of_a_round_that_has_begun() -> None:
    warned = replace(opened(), faults=(Fault(FaultCode.COMMON_MODE), Fault(FaultCode.LAMP_DEAD, 2)))
    assert (table_fault(warned), lock_refusal(GAME, warned), slots_open(GAME, warned)) == (False, None, True)
    faulty = replace(warned, faults=(*warned.faults, Fault(FaultCode.STORAGE_FAILED)))
    begun = with_seats(faulty, each(3, wager=Wager.PLACED))
    for table in (faulty, begun):
        assert (table_fault(table), slots_open(GAME, table)) == (True, False)
        assert lock_refusal(GAME, table) is Refusal.TABLE_FAULT


def test_the_slots_are_open_with_the_bets_and_in_test() -> None:
    tested = play(GAME, new_table(), [key(True, ev.Key.TECHNICIAN)])
    tables = {
        Phase.CLOSED: new_table(),
        Phase.OPEN: opened(),
        Phase.LOCKED: locked(1),
        Phase.AWARD_PENDING: pending({1: Hand.FLUSH}),
        Phase.TEST: replace(tested, faults=(Fault(FaultCode.STORAGE_FAILED),)),
    }
    for phase, table in tables.items():
        assert table.phase is phase
        assert slots_open(GAME, table) is (phase in (Phase.OPEN, Phase.TEST))
        assert not slots_open(replace(GAME, wager=0), table)


def test_the_bets_are_the_placed_wagers_before_coin_in_and_the_accepted_ones_after() -> None:
    assert bets(play(GAME, opened(), [ev.ChipDropped(9, 1), ev.ChipDropped(9, 2)])) == 2
    three = locked(1, 2, 3)
    assert bets(three) == 3
    assert bets(with_seats(three, {1: {"wager": Wager.VOID}, 2: {"wager": Wager.FORFEITED}})) == 1
    claimed = play(GAME, three, [ev.AwardClaimed(30, 1, Hand.FLUSH)])
    assert bets(claimed) == 3
    late: list[ev.AnyEvent] = [ev.GameOverPressed(30), ev.ChipDropped(40, 5), key(True)]
    after = play(GAME, three, [*late, ev.AwardClaimed(50, 1, Hand.FLUSH)])
    assert (after.resume, bets(after)) == (Phase.OPEN, 1)


def test_a_fault_is_told_once_a_seat_and_cleared_by_code_and_seat() -> None:
    jam2, jam3, dead2 = (
        Fault(FaultCode.SEAT_JAMMED, 2),
        Fault(FaultCode.SEAT_JAMMED, 3),
        Fault(FaultCode.LAMP_DEAD, 2),
    )
    table = replace(opened(), faults=(jam2,))
    assert raised(table, FaultCode.SEAT_JAMMED, 2) == ((jam2,), (ev.Noted(),))
    assert raised(table, FaultCode.SEAT_JAMMED, 3) == (
        (jam2, jam3),
        (ev.FaultRaised(FaultCode.SEAT_JAMMED, 3),),
    )
    assert raised(opened(), FaultCode.STORAGE_LOW)[0] == (Fault(FaultCode.STORAGE_LOW, 0),)
    jams = frozenset({FaultCode.SEAT_JAMMED})
    of_2 = ((jam3, dead2), (ev.FaultCleared(FaultCode.SEAT_JAMMED, 2),))
    assert clear((jam2, jam3, dead2), jams, 2) == of_2
    assert clear((jam2, jam3, dead2), jams) == (
        (dead2,),
        (*of_2[1], ev.FaultCleared(FaultCode.SEAT_JAMMED, 3)),
    )


def test_a_game_without_awards_has_every_policy_said_all_the_same() -> None:
    expected = Policies(
        Order.SEAT,
        RoyalSplit.EQUAL,
        RoyalExcludes.HAND,
        fold_forfeits=True,
        purchase_forfeits=True,
        judged_on=JudgedOn.DEALT,
        award_when_bank_does_not_open=True,
        bet_returned_with_progressive=None,
        award_key_from=0,
        require_sign=True,
        require_host=False,
    )
    assert without_awards(require_sign=True, require_host=False) == expected
    other = without_awards(require_sign=False, require_host=True)
    assert other == replace(expected, require_sign=False, require_host=True)


def test_a_kind_is_its_class_in_small_letters() -> None:
    assert [ev.snake(name) for name in ("ChipDropped", "Noted", "GameOverHeld")] == [
        "chip_dropped",
        "noted",
        "game_over_held",
    ]


def test_an_award_that_is_pending_is_the_reason_while_it_is() -> None:
    table: Table = shown(pending({1: Hand.FLUSH}))
    refuses(table, ev.SeatClosed(50, 2), Refusal.AWARD_PENDING)
    refuses(shown(locked(1)), ev.SeatClosed(50, 2), Refusal.WRONG_PHASE)
