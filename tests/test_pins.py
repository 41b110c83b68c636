"""A key gives nothing until its person has entered his PIN, where the policy asks: waits, locks, and every act."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from controller.core import events as ev
from controller.core.events import Key, Refusal
from controller.core.faults import Fault, FaultCode
from controller.core.game import Game, Hand, Role
from controller.core.invariants import InvariantError, check
from controller.core.state import Phase, Table
from controller.core.table import step
from controller.core.table.presence import wait_ns
from tests.helpers_game import GAME, chips, key, new_table, opened, play

SECOND = 1_000_000_000
SUP, TEC = Key.SUPERVISOR, Key.TECHNICIAN
BOTH = (Role.SUPERVISOR, Role.TECHNICIAN)
ASKED = replace(GAME, pin=BOTH)
ANA = ev.PersonIdentified(50, SUP, "Ana", 7)
LUIS = ev.PersonIdentified(50, TEC, "Luis", 12)


def wrong(at_s: int, role: Role = Role.SUPERVISOR) -> ev.PinRefused:
    return ev.PinRefused(at_s * SECOND, role, 7)


def came(at_s: int, who: ev.PersonIdentified = ANA) -> ev.PersonIdentified:
    return replace(who, at_ns=at_s * SECOND)


def refusal(game: Game, table: Table, event: ev.AnyEvent) -> Refusal | None:
    """Why it is refused; nothing but words changes then."""
    after, results = step(game, table, event)
    check(game, table, after, results)
    first = results[0]
    if not isinstance(first, ev.Refused):
        return None
    assert (after.phase, after.seats, after.pot) == (table.phase, table.seats, table.pot)
    return first.reason


def by_ana(game: Game) -> Table:
    """Bets open at a table that Ana opened."""
    acts: list[ev.AnyEvent] = [key(True), ANA, ev.LampTestStarted(2), ev.TableOpened(3)]
    return play(game, new_table(game), acts)


def accepted(game: Game) -> Table:
    return play(game, by_ana(game), [*chips(1, 2), ev.CoinInPressed(20)])


def claimed(game: Game) -> Table:
    return play(game, accepted(game), [ev.AwardClaimed(30, 1, Hand.FLUSH)])


LATE_CLAIM = ev.AwardClaimed(60, 1, Hand.FLUSH)
SUPERVISORS: list[tuple[str, Callable[[Game], Table], ev.AnyEvent]] = [
    ("lamp test", new_table, ev.LampTestStarted(60)),
    ("open", lambda game: play(game, new_table(game), [key(True), ANA, ev.LampTestStarted(2)]), ev.TableOpened(60)),
    ("close", by_ana, ev.TableClosed(60)),
    ("late lock", lambda game: play(game, by_ana(game), chips(1)), ev.LateLocked(60)),
    ("re-open a seat", lambda game: play(game, by_ana(game), [ev.SeatClosed(40, 3)]), ev.SeatOpened(60, 3)),
    ("void a seat", accepted, ev.SeatVoided(60, 1, ev.Reason.NO_ANTE)),
    ("void the round", accepted, ev.RoundVoided(60, ev.Reason.EXPOSED_CARDS)),
    ("accept", lambda game: play(game, accepted(game), [ev.DiscrepancyFound(40, 9)]), ev.DiscrepancyAccepted(60)),
    ("approve", claimed, ev.AwardsApproved(60)),
    ("reject", claimed, ev.AwardRejected(60, 1, "four cards")),
    ("claim late", lambda game: play(game, accepted(game), [ev.GameOverPressed(45)]), LATE_CLAIM),
]  # fmt: skip


@pytest.mark.parametrize(
    ("table", "event"), [each[1:] for each in SUPERVISORS], ids=[each[0] for each in SUPERVISORS]
)
def test_every_act_of_the_supervisor_needs_key_and_person(
    table: Callable[[Game], Table], event: ev.AnyEvent
) -> None:
    without = play(ASKED, table(ASKED), [key(False)])
    assert refusal(ASKED, without, event) is Refusal.SUPERVISOR_KEY
    turned = play(ASKED, without, [key(True)])
    assert refusal(ASKED, turned, event) is Refusal.SUPERVISOR_PIN
    lamps: list[ev.AnyEvent] = [ev.LampTestStarted(2)] if isinstance(event, ev.TableOpened) else []
    assert refusal(ASKED, play(ASKED, turned, [ANA, *lamps]), event) is None


def test_where_the_policy_does_not_ask_the_key_alone_is_enough() -> None:
    technician_only = replace(GAME, pin=(Role.TECHNICIAN,))
    table = play(technician_only, new_table(technician_only), [key(True)])
    assert refusal(technician_only, table, ev.LampTestStarted(3)) is None


@pytest.mark.parametrize(
    "event",
    [
        ev.PotCorrected(60, "main", 5, "x"),
        ev.TransferSent(60, "t1", "main", 5, "mvd-08", "x"),
        ev.ParametersChanged(60, "d2", "{}", (), "Ana", "Luis"),
    ],
)
def test_acts_of_both_keys_need_two_persons(event: ev.AnyEvent) -> None:
    table = play(ASKED, new_table(ASKED), [key(True), key(True, TEC)])
    assert refusal(ASKED, table, event) is Refusal.SUPERVISOR_PIN
    assert refusal(ASKED, play(ASKED, table, [ANA]), event) is Refusal.TECHNICIAN_PIN
    assert refusal(ASKED, play(ASKED, table, [LUIS]), event) is Refusal.SUPERVISOR_PIN
    assert refusal(ASKED, play(ASKED, table, [ANA, LUIS]), event) is None
    assert refusal(ASKED, play(ASKED, table, [ANA, LUIS, key(False)]), event) is Refusal.BOTH_KEYS


def test_a_table_fault_is_cleared_by_the_technician_in_person() -> None:
    asked = ev.FaultClearAsked(60, FaultCode.STORAGE_FAILED)
    table = play(ASKED, new_table(ASKED), [key(True, TEC), ev.StorageFailed(30, "full", ())])
    assert refusal(ASKED, table, asked) is Refusal.TECHNICIAN_PIN
    assert refusal(ASKED, play(ASKED, table, [LUIS]), asked) is Refusal.WRONG_PHASE, "in TEST, like any other"
    beside = play(
        ASKED, new_table(ASKED), [key(True), key(True, TEC), LUIS, ev.StorageFailed(30, "full", ())]
    )
    assert refusal(ASKED, beside, asked) is None


def test_test_mode_waits_for_the_technician_and_ends_with_his_key() -> None:
    turned = play(ASKED, new_table(ASKED), [key(True, TEC)])
    assert turned.phase is Phase.CLOSED
    tested = play(ASKED, turned, [LUIS])
    assert tested.phase is Phase.TEST
    assert play(ASKED, tested, [key(False, TEC)]).phase is Phase.CLOSED
    assert play(ASKED, tested, [key(True, TEC)]).phase is Phase.CLOSED, "turned twice: turned back in between"
    assert play(ASKED, new_table(ASKED), [key(True), key(True, TEC), LUIS]).phase is Phase.CLOSED
    again = play(ASKED, tested, [ev.Started(90, supervisor=False, technician=True)])
    assert (again.phase, again.technician_person) == (Phase.CLOSED, "")


def test_a_key_turned_back_and_a_start_take_the_person_away() -> None:
    table = play(ASKED, new_table(ASKED), [key(True), ANA])
    assert table.supervisor_person == "Ana"
    assert play(ASKED, table, [key(False), key(True)]).supervisor_person == ""
    assert play(ASKED, table, [key(True)]).supervisor_person == "", "a key heard twice was turned in between"
    started = play(ASKED, table, [ev.Started(90, supervisor=True, technician=False)])
    assert started.supervisor_person == ""


def test_nobody_is_identified_without_his_key_nor_at_both() -> None:
    assert refusal(ASKED, new_table(ASKED), ANA) is Refusal.SUPERVISOR_KEY
    assert refusal(ASKED, new_table(ASKED), LUIS) is Refusal.TECHNICIAN_KEY
    table = play(ASKED, new_table(ASKED), [key(True), key(True, TEC), ANA])
    assert refusal(ASKED, table, replace(LUIS, person="Ana")) is Refusal.SAME_PERSON


def test_the_wait_doubles_from_two_seconds_to_a_minute() -> None:
    assert [wait_ns(count) // SECOND for count in range(8)] == [0, 2, 4, 8, 16, 32, 60, 60]


def test_no_pin_is_looked_at_while_the_wait_lasts() -> None:
    """Wrong at 10 s: the next at 12 s or later. Wrong again at 12 s: the next at 16 s or later."""
    table = play(ASKED, new_table(ASKED), [key(True), wrong(10)])
    assert refusal(ASKED, table, came(11)) is Refusal.PIN_WAIT
    assert refusal(ASKED, table, came(12)) is None
    table = play(ASKED, table, [wrong(12)])
    assert refusal(ASKED, table, came(15)) is Refusal.PIN_WAIT
    right = play(ASKED, table, [came(16)])
    assert (right.tries, right.supervisor_person) == ((), "Ana")


def test_five_wrong_ones_lock_until_the_other_holder_clears_it() -> None:
    table = play(ASKED, new_table(ASKED), [key(True), *[wrong(at * 100) for at in range(1, 6)]])
    assert table.faults == (Fault(FaultCode.PIN_LOCKED),)
    assert refusal(ASKED, table, came(10_000)) is Refusal.PIN_LOCKED
    assert refusal(ASKED, table, wrong(10_000)) is Refusal.PIN_LOCKED
    assert table.tries[0].wrong == 5
    clear = ev.FaultClearAsked(60, FaultCode.PIN_LOCKED)
    assert refusal(ASKED, table, clear) is Refusal.OTHER_KEY_HOLDER
    turned = play(ASKED, table, [key(True, TEC)])
    assert refusal(ASKED, turned, clear) is Refusal.OTHER_KEY_HOLDER
    freed = play(ASKED, turned, [LUIS, clear])
    assert (freed.faults, freed.tries) == ((), ())
    assert refusal(ASKED, freed, came(10_001)) is None


ONLY_TECHNICIAN = replace(GAME, pin=(Role.TECHNICIAN,))
CLEAR = ev.FaultClearAsked(60, FaultCode.PIN_LOCKED)


def test_whoever_holds_both_keys_does_not_clear_his_own_lock() -> None:
    """The policy asks for the technician's PIN only; the supervisor's key is enough for all but this."""
    five = [wrong(at * 100, Role.TECHNICIAN) for at in range(1, 6)]
    game = ONLY_TECHNICIAN
    table = play(game, new_table(game), [key(True, TEC), *five, key(True)])
    assert refusal(game, table, CLEAR) is Refusal.OTHER_KEY_HOLDER
    himself = came(10_000, replace(LUIS, key=TEC))
    assert refusal(game, table, himself) is Refusal.PIN_LOCKED
    by_ana_ = play(game, table, [came(10_000), CLEAR])
    assert (by_ana_.faults, by_ana_.tries, by_ana_.supervisor_person) == ((), (), "Ana")


def test_nobody_whose_own_entry_is_locked_clears_another_ones() -> None:
    five = [wrong(at * 100, Role.TECHNICIAN) for at in range(1, 6)]
    table = play(ASKED, new_table(ASKED), [key(True), ANA, key(True, TEC), *five])
    locked_too = play(ASKED, table, [wrong(at * 100) for at in range(10, 15)])
    assert locked_too.supervisor_person == "Ana"
    assert refusal(ASKED, locked_too, CLEAR) is Refusal.OTHER_KEY_HOLDER
    unlock = ev.UserChanged(60, "Luis", 12, Role.TECHNICIAN, ev.UserChange.UNLOCKED, "", "")
    assert refusal(ASKED, locked_too, unlock) is Refusal.OTHER_KEY_HOLDER
    assert refusal(ASKED, table, CLEAR) is None


def test_the_terminal_unlocks_by_another_ones_pin_and_by_keys_alone_only_where_it_says_so() -> None:
    five = [wrong(at * 100, Role.TECHNICIAN) for at in range(1, 6)]
    table = play(ASKED, new_table(ASKED), [key(True), key(True, TEC), *five])
    unlock = ev.UserChanged(60, "Luis", 12, Role.TECHNICIAN, ev.UserChange.UNLOCKED, "Ana", "Luis")
    assert refusal(ASKED, table, unlock) is Refusal.OTHER_KEY_HOLDER
    assert play(ASKED, table, [came(10_000), unlock]).tries == ()
    assert play(ASKED, table, [replace(unlock, alone=True)]).tries == ()


def test_the_count_outlives_the_power_and_its_wait_begins_again() -> None:
    table = play(ASKED, new_table(ASKED), [key(True), wrong(100), wrong(200), wrong(300)])
    back = play(ASKED, table, [ev.Started(5 * SECOND, supervisor=True, technician=False)])
    assert [(each.wrong, each.until_ns) for each in back.tries] == [(3, 13 * SECOND)]
    assert refusal(ASKED, back, came(12)) is Refusal.PIN_WAIT
    assert refusal(ASKED, back, came(13)) is None


def test_each_role_is_counted_alone() -> None:
    five = [wrong(at * 100) for at in range(1, 6)]
    table = play(ASKED, new_table(ASKED), [key(True), key(True, TEC), *five])
    assert refusal(ASKED, table, came(10_000, LUIS)) is None
    six = [wrong(at * 100, Role.TECHNICIAN) for at in range(6, 11)]
    both = play(ASKED, table, six)
    assert both.faults == (Fault(FaultCode.PIN_LOCKED),)
    unlock = ev.UserChanged(60, "Ana", 7, Role.SUPERVISOR, ev.UserChange.UNLOCKED, "", "", alone=True)
    one = play(ASKED, both, [unlock])
    assert one.faults == (Fault(FaultCode.PIN_LOCKED),), "the technician's is locked still"
    assert refusal(ASKED, one, came(20_000)) is None
    other = replace(unlock, name="Luis", role=Role.TECHNICIAN)
    assert play(ASKED, one, [other]).faults == ()


def test_a_locked_entry_hinders_no_play() -> None:
    table = play(ASKED, by_ana(ASKED), [*[wrong(at * 100) for at in range(1, 6)], *chips(1, 2)])
    locked_ = play(ASKED, table, [ev.CoinInPressed(600 * SECOND), ev.GameOverPressed(601 * SECOND)])
    assert locked_.phase is Phase.OPEN
    assert locked_.round == 2


def test_a_dealer_changes_by_his_pin_where_the_policy_asks() -> None:
    asked = replace(GAME, pin=(Role.DEALER,))
    table = opened(asked)
    assert refusal(asked, table, ev.DealerChanged(60, "41")) is Refusal.DEALER_PIN
    rosa = ev.DealerChanged(60, "41", "Rosa", identified=True)
    assert refusal(asked, table, rosa) is None
    refused = play(asked, table, [wrong(10, Role.DEALER)])
    assert refusal(asked, refused, replace(rosa, at_ns=11 * SECOND)) is Refusal.PIN_WAIT
    assert play(asked, refused, [replace(rosa, at_ns=12 * SECOND)]).tries == ()


def test_the_list_of_persons_is_changed_with_both_keys_and_counted() -> None:
    event = ev.UserChanged(60, "Rosa", 41, Role.DEALER, ev.UserChange.ADDED, "", "")
    table = play(ASKED, new_table(ASKED), [key(True)])
    assert refusal(ASKED, table, event) is Refusal.BOTH_KEYS
    table = play(ASKED, table, [key(True, TEC), event, event])
    assert table.users == 2
    assert play(ASKED, table, [replace(event, change=ev.UserChange.UNLOCKED)]).users == 2


def test_a_person_behind_no_key_and_one_at_both_are_never_stored() -> None:
    table = play(ASKED, new_table(ASKED), [key(True), key(True, TEC), ANA])
    for after in (replace(table, supervisor=False), replace(table, technician_person="Ana")):
        with pytest.raises(InvariantError):
            check(ASKED, table, after, (ev.Noted(),))
