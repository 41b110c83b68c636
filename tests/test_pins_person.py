"""Wrong PINs are counted by the person they were entered for: nobody's right PIN but his own ends that count."""

import msgspec
from msgspec.structs import replace

from controller.core import events as ev
from controller.core.events import Key, Refusal
from controller.core.faults import Fault, FaultCode
from controller.core.game import Role
from controller.core.invariants import check
from controller.core.state import Table
from controller.core.table import step
from controller.core.table.people import TRIED_MOST
from tests.helpers_game import GAME, key, new_table, opened, play

SECOND = 1_000_000_000
SUP, TEC = Key.SUPERVISOR, Key.TECHNICIAN
ASKED = replace(GAME, pin=(Role.SUPERVISOR, Role.TECHNICIAN))
CLEAR = ev.FaultClearAsked(60, FaultCode.PIN_LOCKED)


def wrong(at_s: int, number: int = 7, role: Role = Role.SUPERVISOR) -> ev.PinRefused:
    return ev.PinRefused(at_s * SECOND, role, number, known=True)


def ana(at_s: int) -> ev.PersonIdentified:
    return ev.PersonIdentified(at_s * SECOND, SUP, "Ana", 7)


def bea(at_s: int) -> ev.PersonIdentified:
    return ev.PersonIdentified(at_s * SECOND, SUP, "Bea", 8)


def luis(at_s: int) -> ev.PersonIdentified:
    return ev.PersonIdentified(at_s * SECOND, TEC, "Luis", 12)


def refusal(table: Table, event: ev.AnyEvent) -> Refusal | None:
    after, results = step(ASKED, table, event)
    check(ASKED, table, after, results)
    first = results[0]
    return first.reason if isinstance(first, ev.Refused) else None


def guessed(tries: int, table: Table | None = None, begin_s: int = 0) -> Table:
    """Bea enters a wrong PIN for Ana so often, an hour or more apart, and her own right one after each."""
    after = play(ASKED, new_table(ASKED), [key(True)]) if table is None else table
    for number in range(1, tries + 1):
        at_s = begin_s + number * 4_000
        after = play(ASKED, after, [wrong(at_s), bea(at_s + 4), key(True)])
    return after


def test_a_colleagues_right_pin_in_between_does_not_end_the_count() -> None:
    four = guessed(4)
    assert (four.tries, four.faults) == ((), ())
    assert [(each.number, each.wrong) for each in four.tried] == [(7, 4)]
    five = play(ASKED, four, [wrong(20_000)])
    assert five.faults == (Fault(FaultCode.PIN_LOCKED),)
    assert refusal(five, ana(40_000)) is Refusal.PIN_LOCKED, "right or not, none is looked at for her"
    assert refusal(five, wrong(40_000)) is Refusal.PIN_LOCKED
    assert refusal(five, bea(40_000)) is None, "the entry itself is free"


def test_her_own_right_pin_ends_it() -> None:
    table = play(ASKED, guessed(4), [ana(20_000)])
    assert (table.supervisor_person, table.tried) == ("Ana", ())


def test_a_locked_person_is_freed_by_the_holder_of_the_other_key_only() -> None:
    locked = play(ASKED, guessed(4), [wrong(20_000), bea(20_010)])
    assert refusal(locked, CLEAR) is Refusal.OTHER_KEY_HOLDER, "a colleague would guess on"
    there = play(ASKED, locked, [key(True, TEC)])
    assert refusal(there, CLEAR) is Refusal.OTHER_KEY_HOLDER
    freed = play(ASKED, there, [luis(20_020), CLEAR])
    assert freed.faults == ()
    assert [(each.wrong, each.freed, each.until_ns) for each in freed.tried] == [(5, 5, 0)]
    assert refusal(freed, ana(20_021)) is None, "freed, she does not wait"


def test_who_has_a_person_freed_again_and_again_waits_longer_each_time() -> None:
    """Luis with both keys: five tries for Ana, freed by his own PIN, and again: an hour in the end."""
    table = play(ASKED, new_table(ASKED), [key(True), key(True, TEC)])
    at_s, waits = 0, []
    for _ in range(3):
        for _ in range(5):
            at_s += 4_000
            table = play(ASKED, table, [wrong(at_s)])
            waits.append(table.tried[0].until_ns // SECOND - at_s)
        table = play(ASKED, table, [replace(luis(at_s)), replace(CLEAR, at_ns=at_s * SECOND), key(True, TEC)])
        assert table.faults == ()
    assert waits == [2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 3600, 3600, 3600, 3600]
    table = play(ASKED, table, [wrong(at_s + 1)])
    assert refusal(table, wrong(at_s + 2)) is not Refusal.PIN_LOCKED
    assert refusal(table, ana(at_s + 3_600)) is Refusal.PIN_WAIT
    assert refusal(table, ana(at_s + 3_601)) is None


def test_the_count_outlives_the_power_and_its_wait_begins_again() -> None:
    """Three wrong: 8 s from the start of the boot on. Freed without a wait: none after it either."""
    table = guessed(3)
    back = play(ASKED, table, [ev.Started(5 * SECOND, supervisor=True, technician=False)])
    assert [(each.wrong, each.until_ns) for each in back.tried] == [(3, 13 * SECOND)]
    assert (refusal(back, ana(12)), refusal(back, ana(13))) == (Refusal.PIN_WAIT, None)
    freed = play(ASKED, play(ASKED, guessed(4), [wrong(20_000), key(True, TEC), luis(20_020)]), [CLEAR])
    again = play(ASKED, freed, [ev.Started(5 * SECOND, supervisor=True, technician=False)])
    assert refusal(again, ana(5)) is None


def test_a_new_pin_ends_the_count_and_a_lock_by_it() -> None:
    locked = play(ASKED, guessed(4), [wrong(20_000), bea(20_010), key(True, TEC), luis(20_010)])
    change = ev.UserChanged(21, "Ana", 7, Role.SUPERVISOR, ev.UserChange.PIN_SET, "Bea", "Luis")
    table = play(ASKED, locked, [change])
    assert (table.tried, table.faults, table.users) == ((), (), 1)
    other = play(ASKED, locked, [replace(change, name="Eva", number=71)])
    assert other.faults == (Fault(FaultCode.PIN_LOCKED),)
    assert play(ASKED, locked, [replace(change, change=ev.UserChange.ENABLED)]).tried == locked.tried


def test_a_dealer_too_is_counted_by_his_number() -> None:
    asked = replace(GAME, pin=(Role.DEALER,))
    rosa = ev.DealerChanged(60, "41", "Rosa", identified=True)
    table = opened(asked)
    for at_s in range(1_000, 6_000, 1_000):
        table = play(asked, table, [wrong(at_s, 41, Role.DEALER)])
        if at_s < 5_000:
            table = play(asked, table, [replace(rosa, dealer="42", at_ns=(at_s + 900) * SECOND)])
    after, results = step(asked, table, replace(rosa, at_ns=9_000 * SECOND))
    assert results[0] == ev.Refused(Refusal.PIN_LOCKED, "")
    assert after.tried[0].wrong == 5


def test_a_number_nobody_has_is_counted_for_nobody_and_the_counts_have_a_limit() -> None:
    table = play(ASKED, new_table(ASKED), [key(True), replace(wrong(10), known=False)])
    assert (table.tried, table.tries[0].wrong) == ((), 1)
    full = play(ASKED, new_table(ASKED), [key(True)])
    for number in range(1, TRIED_MOST + 1):
        full = play(ASKED, full, [wrong(number * 100, 1_000 + number), bea(number * 100 + 50), key(True)])
    assert (len(full.tried), full.faults) == (TRIED_MOST, ())
    over = play(ASKED, full, [wrong(100_000)])
    assert len(over.tried) == TRIED_MOST
    assert over.faults == (Fault(FaultCode.PIN_LOCKED),), "one more locks the whole entry"


def test_records_from_before_are_read_and_worked_out_as_they_were() -> None:
    """A wrong PIN of an older program has no `known`, and its state no `tried`."""
    old = msgspec.json.decode(b'{"at_ns":10000000000,"role":"supervisor","number":7}', type=ev.PinRefused)
    assert not old.known
    after = play(ASKED, new_table(ASKED), [key(True), old, ana(12)])
    assert b"tried" not in msgspec.json.encode(after)


RESTORED = ev.UserChanged(60, "Ana", 7, Role.SUPERVISOR, ev.UserChange.RESTORED, "", "", alone=True)


def test_a_list_restored_by_keys_alone_is_a_warning_that_both_key_holders_clear() -> None:
    """Who has both keys and a login makes two persons of himself: others see that there is a new list."""
    table = play(ASKED, new_table(ASKED), [key(True), key(True, TEC), RESTORED, replace(RESTORED, number=12)])
    assert (table.faults, table.users) == ((Fault(FaultCode.USERS_RESTORED),), 2)
    clear = ev.FaultClearAsked(61, FaultCode.USERS_RESTORED)
    assert refusal(table, clear) is Refusal.SUPERVISOR_PIN
    by_one = play(ASKED, table, [replace(ana(1), at_ns=70)])
    assert refusal(by_one, clear) is Refusal.TECHNICIAN_PIN
    assert play(ASKED, by_one, [replace(luis(1), at_ns=80), clear]).faults == ()
    assert refusal(play(ASKED, by_one, [key(False, TEC)]), clear) is Refusal.BOTH_KEYS


def test_a_restored_list_of_an_older_program_raises_nothing() -> None:
    table = play(ASKED, new_table(ASKED), [key(True), key(True, TEC), replace(RESTORED, alone=False)])
    assert (table.faults, table.users) == ((), 1)
