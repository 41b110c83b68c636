"""What keys, persons, PINs, starts and faults change, and that they change nothing else."""

import pytest
from msgspec.structs import replace

from controller.core import events as ev
from controller.core.events import Key, Refusal
from controller.core.faults import SELF_CLEARING, SEVERITY, TECHNICIANS, Fault, FaultCode, Severity
from controller.core.game import Game, Role
from controller.core.state import Closure, Phase, Seat, Table, Tries
from controller.core.table.presence import ASKED_PIN, LACKS, as_supervisor, asked, lacking, wait_ns, wanted
from tests.helpers_exact import NOTED, becomes, each, refuses, shown, with_seats
from tests.helpers_game import GAME, key, locked, new_table, opened, play

SUP, TEC = Key.SUPERVISOR, Key.TECHNICIAN
SECOND = 1_000_000_000
ASKED = replace(GAME, pin=(Role.SUPERVISOR, Role.TECHNICIAN))
CLOSED = shown(new_table(), recovered=True)
BOTH = play(GAME, CLOSED, [key(True), key(True, TEC)])
TRIES = (Tries(Role.DEALER, 2, 9 * SECOND), Tries(Role.TECHNICIAN, 1, 5 * SECOND))


def two_locked() -> tuple[Tries, Tries]:
    """Both entries locked."""
    return Tries(Role.SUPERVISOR, 5, 1), Tries(Role.TECHNICIAN, 5, 1)


def test_the_supervisors_key_is_kept_and_takes_his_person_and_the_lamp_test_away() -> None:
    before = replace(CLOSED, lamp_test=True)
    on = replace(before, supervisor=True)
    becomes(before, key(True), on, NOTED)
    there = replace(on, supervisor_person="Ana")
    becomes(there, key(True), on, NOTED)
    becomes(there, key(False), replace(before, lamp_test=False), NOTED)
    becomes(CLOSED, key(True), replace(CLOSED, supervisor=True), NOTED)


def test_the_technicians_key_alone_begins_the_test_and_ends_it() -> None:
    before = with_seats(replace(CLOSED, lamp_test=True), each(3, tested=4, late=2))
    test = with_seats(replace(before, phase=Phase.TEST, technician=True, lamp_test=False), each(3, tested=0))
    becomes(before, key(True, TEC), test, ev.PhaseChanged(Phase.TEST))
    counted = with_seats(test, each(3, tested=7))
    closed = replace(counted, phase=Phase.CLOSED, technician=False, recovered=False)
    becomes(counted, key(False, TEC), closed, ev.PhaseChanged(Phase.CLOSED))
    becomes(test, key(True), replace(test, supervisor=True), NOTED)


@pytest.mark.parametrize("before", [shown(opened()), shown(locked(1)), replace(CLOSED, supervisor=True)])
def test_elsewhere_the_technicians_key_is_only_turned(before: Table) -> None:
    turned = replace(before, technician=True)
    becomes(before, key(True, TEC), turned, NOTED)
    becomes(replace(turned, technician_person="Luis"), key(False, TEC), before, NOTED)


def test_where_a_pin_is_asked_the_test_begins_with_its_person() -> None:
    turned = replace(CLOSED, technician=True)
    becomes(CLOSED, key(True, TEC), turned, NOTED, game=ASKED)
    luis = ev.PersonIdentified(50, TEC, "Luis", 9)
    test = replace(turned, technician_person="Luis", phase=Phase.TEST, refusal=None)
    becomes(turned, luis, test, ev.PhaseChanged(Phase.TEST), game=ASKED)
    # Beside the supervisor's key, in another phase, or where he was there already, he is only there.
    for beside in (replace(turned, supervisor=True), shown(play(ASKED, opened(), [key(True, TEC)]))):
        becomes(beside, luis, replace(beside, technician_person="Luis", refusal=None), NOTED, game=ASKED)
    was_there = replace(turned, technician_person="Eva")
    becomes(was_there, luis, replace(was_there, technician_person="Luis", refusal=None), NOTED, game=ASKED)
    # A policy that asks the technician for none has begun the test with the key.
    becomes(turned, luis, replace(turned, technician_person="Luis", refusal=None), NOTED)


def test_who_is_identified_is_kept_and_the_wrong_pins_of_his_role_forgotten() -> None:
    ana = ev.PersonIdentified(6 * SECOND, SUP, "Ana", 7)
    before = replace(BOTH, tries=(*TRIES, Tries(Role.SUPERVISOR, 4, 6 * SECOND)))
    after = replace(before, supervisor_person="Ana", tries=TRIES, refusal=None)
    becomes(before, ana, after, NOTED)
    refuses(before, replace(ana, at_ns=6 * SECOND - 1), Refusal.PIN_WAIT)
    refuses(replace(before, technician_person="Ana"), ana, Refusal.SAME_PERSON)
    refuses(replace(before, tries=(Tries(Role.SUPERVISOR, 5, 0),)), ana, Refusal.PIN_LOCKED)
    refuses(replace(before, supervisor=False), ana, Refusal.SUPERVISOR_KEY)
    refuses(replace(before, technician=False), replace(ana, key=TEC), Refusal.TECHNICIAN_KEY)


def test_a_wrong_pin_makes_the_next_wait_twice_as_long_and_the_fifth_locks() -> None:
    """2, 4, 8, 16, 32 seconds; other roles keep theirs."""
    table = replace(CLOSED, tries=TRIES)
    for wrong, wait_s in ((1, 2), (2, 4), (3, 8), (4, 16)):
        tries = Tries(Role.SUPERVISOR, wrong, (100 + wait_s) * SECOND)
        after = replace(table, tries=(*TRIES, tries), refusal=Refusal.PIN_WRONG)
        event = ev.PinRefused(100 * SECOND, Role.SUPERVISOR, 7)
        becomes(table, event, after, ev.Refused(Refusal.PIN_WRONG))
        table = after
    locked_out = replace(
        table,
        tries=(*TRIES, Tries(Role.SUPERVISOR, 5, 132 * SECOND)),
        faults=(Fault(FaultCode.PIN_LOCKED),),
        refusal=Refusal.PIN_LOCKED,
    )
    told = (ev.Refused(Refusal.PIN_LOCKED), ev.FaultRaised(FaultCode.PIN_LOCKED, 0))
    becomes(table, event, locked_out, *told)
    refuses(locked_out, event, Refusal.PIN_LOCKED)


@pytest.mark.parametrize(("wrong", "seconds"), [(0, 0), (1, 2), (4, 16), (5, 32), (6, 60), (50, 60)])
def test_the_wait_doubles_up_to_a_minute(wrong: int, seconds: int) -> None:
    assert wait_ns(wrong) == seconds * SECOND


def test_a_pin_that_was_not_tried_only_says_why() -> None:
    refuses(CLOSED, ev.PinNotTried(50, Role.SUPERVISOR, 7, Refusal.NO_USERS), Refusal.NO_USERS)


def test_another_dealer_forgets_the_wrong_pins_of_dealers_only() -> None:
    before = replace(shown(opened()), tries=TRIES)
    with_pin = ev.DealerChanged(9 * SECOND, "3", "Rosa", identified=True)
    becomes(before, with_pin, replace(before, tries=TRIES[1:], refusal=None), NOTED)
    refuses(before, replace(with_pin, at_ns=9 * SECOND - 1), Refusal.PIN_WAIT)
    becomes(before, ev.DealerChanged(50, "Rosa"), replace(before, refusal=None), NOTED)
    dealers = replace(GAME, pin=(Role.DEALER,))
    refuses(before, ev.DealerChanged(50, "Rosa"), Refusal.DEALER_PIN, game=dealers)


def test_a_changed_list_is_counted_and_an_unlocking_frees_one_role() -> None:
    added = ev.UserChanged(50, "Rosa", 12, Role.DEALER, ev.UserChange.ADDED, "Ana", "Luis")
    becomes(BOTH, added, replace(BOTH, users=1), NOTED)
    refuses(replace(BOTH, supervisor=False), added, Refusal.BOTH_KEYS)
    refuses(replace(BOTH, technician=False), added, Refusal.BOTH_KEYS)
    unlocked = replace(added, change=ev.UserChange.UNLOCKED, role=Role.SUPERVISOR, alone=True)
    fault = (Fault(FaultCode.PIN_LOCKED),)
    two = two_locked()
    one = replace(BOTH, tries=two[1:], faults=fault)
    becomes(replace(BOTH, tries=two, faults=fault), unlocked, one, NOTED)
    told = ev.FaultCleared(FaultCode.PIN_LOCKED, 0)
    becomes(one, replace(unlocked, role=Role.TECHNICIAN), replace(BOTH, tries=(), faults=()), told)
    becomes(BOTH, unlocked, BOTH, NOTED)
    waiting = (Tries(Role.TECHNICIAN, 4, 1),)
    becomes(replace(one, tries=(*two[:1], *waiting)), unlocked, replace(BOTH, tries=waiting), told)


LOCKED_OUT = replace(
    new_table(), tries=(Tries(Role.SUPERVISOR, 5, 1),), faults=(Fault(FaultCode.PIN_LOCKED),), supervisor=True
)
TECHNICIANS_KEY = replace(LOCKED_OUT, technician=True)


@pytest.mark.parametrize(
    ("before", "game", "freed"),
    [
        (LOCKED_OUT, GAME, False),  # his own key
        (replace(LOCKED_OUT, supervisor_person="Ana"), ASKED, False),
        (TECHNICIANS_KEY, GAME, True),  # nobody is asked for a PIN, so the other key is enough
        (TECHNICIANS_KEY, ASKED, False),
        (replace(TECHNICIANS_KEY, technician_person="Luis"), ASKED, True),
        (replace(TECHNICIANS_KEY, technician_person="Luis", tries=two_locked()), ASKED, False),
    ],
)
def test_a_locked_pin_entry_is_freed_by_another_role_in_person(
    before: Table, game: Game, freed: bool
) -> None:
    asked = ev.FaultClearAsked(60, FaultCode.PIN_LOCKED)
    unlocked = ev.UserChanged(60, "Ana", 7, Role.SUPERVISOR, ev.UserChange.UNLOCKED, "Ana", "Luis")
    after = replace(before, tries=(), faults=())
    told = ev.FaultCleared(FaultCode.PIN_LOCKED, 0)
    if freed:
        becomes(shown(before), asked, after, told, game=game)
        becomes(before, unlocked, after, told, game=game)
    else:
        refuses(before, asked, Refusal.OTHER_KEY_HOLDER, game=game)
        if before.technician:
            refuses(before, unlocked, Refusal.OTHER_KEY_HOLDER, game=game)


def test_after_a_start_the_table_stands_where_it_stood_without_what_belongs_to_the_boot_before() -> None:
    warnings = (Fault(FaultCode.SIGN_LOST), Fault(FaultCode.SEAT_JAMMED, 2), Fault(FaultCode.HOST_LOST))
    before = replace(
        with_seats(
            shown(locked(1, 2)),
            {
                2: {"closed": Closure.FAULT, "line_active": True},
                3: {"closed": Closure.FAULT},
                4: {"closed": Closure.HAND},
                5: {"placed_ns": 9},
            },
        ),
        faults=warnings,
        supervisor=True,
        supervisor_person="Ana",
        technician_person="Luis",
        tries=TRIES,
        lamp_test=True,
        counted=3,
    )
    after = replace(
        with_seats(before, {2: {"line_active": False}, 3: {"line_active": True}, 5: {"placed_ns": 0}}),
        faults=warnings[1:2],
        supervisor=False,
        technician=True,
        supervisor_person="",
        technician_person="",
        tries=(Tries(Role.DEALER, 2, 104 * SECOND), Tries(Role.TECHNICIAN, 1, 102 * SECOND)),
        release_until_ns=100 * SECOND + 500_000_000,
        lamp_test=False,
        recovered=True,
    )
    started = ev.Started(100 * SECOND, supervisor=False, technician=True, active=(3, 4))
    told = (
        ev.Recovered(Phase.LOCKED, 2),
        ev.FaultCleared(FaultCode.SIGN_LOST, 0),
        ev.FaultCleared(FaultCode.HOST_LOST, 0),
    )
    becomes(before, started, after, *told)
    no_pulse = replace(before, release_until_ns=None)
    becomes(no_pulse, started, replace(after, release_until_ns=None), *told)


@pytest.mark.parametrize(
    ("technician", "game", "phase"),
    [(True, GAME, Phase.TEST), (False, GAME, Phase.CLOSED), (True, ASKED, Phase.CLOSED)],
)
def test_a_start_in_test_goes_on_only_while_its_key_is_turned_and_wants_nobody(
    technician: bool, game: Game, phase: Phase
) -> None:
    before = play(GAME, new_table(), [key(True, TEC)])
    after = replace(before, phase=phase, technician=technician, recovered=phase is Phase.TEST)
    started = ev.Started(9, supervisor=False, technician=technician)
    becomes(before, started, after, ev.Recovered(phase, 0), game=game)


def test_a_start_keeps_idle_seats_as_they_are() -> None:
    table = opened()
    after = play(GAME, table, [ev.Started(9, supervisor=False, technician=False)])
    assert all(now is was for was, now in zip(table.seats, after.seats, strict=True))
    assert after.seats == (Seat(),) * 7


def test_what_is_missing_of_a_key_is_the_key_and_then_its_person() -> None:
    table = opened()
    assert lacking(GAME, table, None) is None
    assert lacking(GAME, table, Refusal.NO_WAGER) is None
    for needed, which, pin in (
        (Refusal.SUPERVISOR_KEY, SUP, Refusal.SUPERVISOR_PIN),
        (Refusal.TECHNICIAN_KEY, TEC, Refusal.TECHNICIAN_PIN),
    ):
        turned = play(GAME, table, [key(True, which)])
        assert lacking(GAME, table, needed) is needed
        assert lacking(GAME, turned, needed) is None
        assert lacking(ASKED, turned, needed) is ASKED_PIN[which] is pin
        assert (wanted(ASKED, turned, which), wanted(GAME, turned, which), wanted(ASKED, table, which)) == (
            True,
            False,
            False,
        )
        assert {needed, pin} < LACKS
    for one in (SUP, TEC):
        assert lacking(GAME, play(GAME, table, [key(True, one)]), Refusal.BOTH_KEYS) is Refusal.BOTH_KEYS
    assert len(LACKS) == 5
    assert Refusal.BOTH_KEYS in LACKS


@pytest.mark.parametrize(
    ("changes", "game", "wants"),
    [
        ({}, ASKED, False),
        ({"technician": True}, ASKED, True),
        ({"technician": True}, GAME, False),
        ({"technician": True, "technician_person": "Luis"}, ASKED, False),
        ({"technician": True, "tries": (Tries(Role.SUPERVISOR, 5, 1),)}, GAME, True),
        ({"technician": True, "tries": (Tries(Role.DEALER, 5, 1),)}, GAME, True),
        ({"technician": True, "tries": (Tries(Role.SUPERVISOR, 4, 1),)}, GAME, False),
        ({"technician": True, "tries": (Tries(Role.TECHNICIAN, 5, 1),)}, GAME, False),
        ({"tries": (Tries(Role.SUPERVISOR, 5, 1),)}, GAME, False),
        (
            {"tries": (Tries(Role.SUPERVISOR, 5, 1),), "technician": True, "technician_person": "Luis"},
            GAME,
            False,
        ),
    ],
)
def test_a_pin_is_asked_where_it_gives_the_key_or_frees_another_role(
    changes: dict[str, object], game: Game, wants: bool
) -> None:
    assert asked(game, replace(opened(), **changes), TEC) is wants


def test_as_supervisor_is_with_the_key_turned_and_somebody_there() -> None:
    there = as_supervisor(opened())
    assert (there.supervisor, bool(there.supervisor_person)) == (True, True)
    ana = replace(opened(), supervisor=True, supervisor_person="Ana")
    assert as_supervisor(ana) == ana
    assert lacking(ASKED, there, Refusal.SUPERVISOR_KEY) is None


# The event, and the fault it raises; then the event that ends it, where one does.
RAISED: list[tuple[ev.AnyEvent, FaultCode, ev.AnyEvent | None]] = [
    (ev.ButtonStuck(9, ev.Button.COIN_IN), FaultCode.COIN_IN_STUCK, ev.ButtonFreed(10, ev.Button.COIN_IN)),
    (
        ev.ButtonStuck(9, ev.Button.GAME_OVER),
        FaultCode.GAME_OVER_STUCK,
        ev.ButtonFreed(10, ev.Button.GAME_OVER),
    ),
    (ev.DeviceLost(9, FaultCode.HOST_LOST, ""), FaultCode.HOST_LOST, ev.DeviceFound(10, FaultCode.HOST_LOST)),
    (ev.StorageLow(9, 12), FaultCode.STORAGE_LOW, None),
    (ev.JournalHeld(9, 40), FaultCode.JOURNAL_HELD, None),
    (ev.LoopStalled(9, 2_000), FaultCode.LOOP_LATE, None),
    (ev.JournalReopened(9, "cut", ()), FaultCode.JOURNAL_REOPENED, None),
    (ev.StorageFailed(9, "full", ()), FaultCode.STORAGE_FAILED, None),
    (ev.ClockStepped(9, 10**12, unexplained=True), FaultCode.CLOCK_DOUBTED, None),
    (ev.WitnessLost(9, "full"), FaultCode.WITNESS_LOST, ev.WitnessFound(10)),
    (ev.WitnessRebuilt(9, "both", whole=True), FaultCode.WITNESS_REBUILT, None),
    (ev.FloorDisagreed(9, 120, "d", 100), FaultCode.FLOOR_DISAGREES, ev.FloorAgreed(10, 120)),
]


@pytest.mark.parametrize(("event", "code", "end"), RAISED, ids=[code.value for _, code, _ in RAISED])
def test_a_fault_is_raised_once_and_ends_with_its_cause(
    event: ev.AnyEvent, code: FaultCode, end: ev.AnyEvent | None
) -> None:
    before = shown(locked(1), faults=(Fault(FaultCode.SEAT_JAMMED, 2),))
    after = replace(before, faults=(Fault(FaultCode.SEAT_JAMMED, 2), Fault(code)))
    becomes(before, event, after, ev.FaultRaised(code, 0))
    becomes(after, event, after, NOTED)
    if end is not None:
        becomes(after, end, before, ev.FaultCleared(code, 0))
        becomes(before, end, before, NOTED)


@pytest.mark.parametrize(
    "event",
    [
        ev.WitnessRebuilt(9, "slot-a", whole=False),
        ev.LoopStalled(9, 1_999),
        ev.ClockStepped(9, 5),
        ev.Stopped(9, "x"),
    ],
)
def test_what_is_only_noted_changes_nothing(event: ev.AnyEvent) -> None:
    becomes(shown(locked(1)), event, shown(locked(1)), NOTED)


@pytest.mark.parametrize("code", [code for code in FaultCode if code is not FaultCode.PIN_LOCKED])
def test_who_clears_which_fault(code: FaultCode) -> None:
    """Rules, section 2: a warning anybody, a seat's with its seat, a table's and some the technician, one both."""
    clear = ev.FaultClearAsked(60, code)
    before = shown(
        opened(), faults=(Fault(FaultCode.COMMON_MODE), Fault(code, 2))[code is FaultCode.COMMON_MODE :]
    )
    technician = replace(before, technician=True)
    left = tuple(fault for fault in before.faults if fault.code is not code)
    if code in SELF_CLEARING:
        refuses(technician, clear, Refusal.FAULT_PERSISTS)
    elif SEVERITY[code] is Severity.SEAT:
        refuses(technician, clear, Refusal.REOPEN_SEAT)
    elif SEVERITY[code] is Severity.TABLE or code in TECHNICIANS:
        refuses(before, clear, Refusal.TECHNICIAN_KEY)
        becomes(technician, clear, replace(technician, faults=left, refusal=None), ev.FaultCleared(code, 2))
    elif code is FaultCode.USERS_RESTORED:
        refuses(technician, clear, Refusal.BOTH_KEYS)
        both = replace(technician, supervisor=True)
        becomes(both, clear, replace(both, faults=left, refusal=None), ev.FaultCleared(code, 2))
    else:
        becomes(before, clear, replace(before, faults=left, refusal=None), ev.FaultCleared(code, 2))
    refuses(replace(before, faults=left), clear, Refusal.NO_FAULT)
