"""People: identified by their PIN, refused, locked out; and changes of who may be one.

Whether a PIN is right is found outside; here is what follows. Wrong ones are counted twice: in a row, by role, which
anybody's right PIN ends; and by the person they were entered for, which only his own ends, so that a colleague does not
guess on with right PINs of his own in between. Both are part of the table's state, so that neither a key turned back
nor a power cut forgets them.
"""

from msgspec.structs import replace

from controller.core import events as ev
from controller.core.events import Key, Refusal
from controller.core.faults import FaultCode
from controller.core.game import Game, Role
from controller.core.state import Phase, Seat, Table, Tried, Tries
from controller.core.table.gate import Outcome, cleared, raised, refuse, with_fault
from controller.core.table.presence import (
    ROLE_OF,
    WRONG_MAX,
    frees,
    is_locked,
    locked_roles,
    person,
    person_locked,
    person_wait_ns,
    pin_locked,
    tried,
    tries,
    turned,
    untried,
    wait_ns,
)

_KEY_FIRST = {Key.SUPERVISOR: Refusal.SUPERVISOR_KEY, Key.TECHNICIAN: Refusal.TECHNICIAN_KEY}
_OTHER = {Key.SUPERVISOR: Key.TECHNICIAN, Key.TECHNICIAN: Key.SUPERVISOR}
_LOCKED = frozenset({FaultCode.PIN_LOCKED})
_FORGETS = frozenset({ev.UserChange.PIN_SET, ev.UserChange.DISABLED})
"""Changes after which what was tried says nothing about a person's PIN."""

TRIED_MOST = 64
"""Persons with wrong PINs that are counted at once; a wrong one for one more locks the entry of his role."""


def identified(game: Game, table: Table, event: ev.PersonIdentified) -> Outcome:
    """A key's holder is there. Technician alone in CLOSED, where his key waited for him: TEST begins."""
    key, role = event.key, ROLE_OF[event.key]
    if not turned(table, key):
        return refuse(table, _KEY_FIRST[key])
    refusal = untried(table, role, event.number, event.at_ns)
    if refusal is None and event.person == person(table, _OTHER[key]):
        refusal = Refusal.SAME_PERSON
    if refusal is not None:
        return refuse(table, refusal)
    waited = role in game.pin and not person(table, key)
    after = replace(_forgiven(_untold(table, event.number), role), refusal=None)
    if key is Key.SUPERVISOR:
        return replace(after, supervisor_person=event.person), (ev.Noted(),)
    after = replace(after, technician_person=event.person)
    if waited and table.phase is Phase.CLOSED and not table.supervisor:
        return test_begun(after)
    return after, (ev.Noted(),)


def test_begun(table: Table) -> Outcome:
    """Enter TEST, every test count from 0."""
    seats: tuple[Seat, ...] = tuple(replace(seat, tested=0) for seat in table.seats)
    after = replace(table, phase=Phase.TEST, seats=seats, lamp_test=False)
    return after, (ev.PhaseChanged(Phase.TEST),)


def refused(table: Table, event: ev.PinRefused) -> Outcome:
    """A wrong PIN: the next one has to wait; too many in a row lock the entry, too many for one person lock his."""
    if pin_locked(table, event.role) or (event.known and person_locked(table, event.number)):
        return refuse(table, Refusal.PIN_LOCKED)
    before = tries(table, event.role)
    wrong = 1 if before is None else before.wrong + 1
    after = table
    if event.known:
        after = _counted(table, event)
        wrong = wrong if tried(after, event.number) else WRONG_MAX
    now = Tries(event.role, wrong, event.at_ns + wait_ns(wrong))
    others = tuple(each for each in table.tries if each.role is not event.role)
    after = replace(after, tries=(*others, now))
    if wrong < WRONG_MAX and not (event.known and person_locked(after, event.number)):
        return refuse(after, Refusal.PIN_WRONG)
    faults, told = raised(after, FaultCode.PIN_LOCKED)
    after, refusal = refuse(replace(after, faults=faults), Refusal.PIN_LOCKED)
    return after, (*refusal, *told)


def _counted(table: Table, event: ev.PinRefused) -> Table:
    """The wrong PIN counted against the person it was entered for; the table as it is where no more are counted."""
    before = tried(table, event.number) or Tried(event.number, event.role, 0)
    others = tuple(each for each in table.tried if each.number != event.number)
    if len(others) >= TRIED_MOST:
        return table
    wrong = before.wrong + 1
    now = replace(before, wrong=wrong, until_ns=event.at_ns + person_wait_ns(wrong))
    return replace(table, tried=(*others, now))


def not_tried(table: Table, event: ev.PinNotTried) -> Outcome:
    """A PIN that was not looked at: nothing is counted, the reason is shown and kept."""
    return refuse(table, event.why)


def dealer_changed(game: Game, table: Table, event: ev.DealerChanged) -> Outcome:
    """Another dealer; where the policy asks, he has entered his PIN."""
    if event.identified:
        number = int(event.dealer) if event.dealer.isdecimal() else 0
        refusal = untried(table, Role.DEALER, number, event.at_ns)
        if refusal is not None:
            return refuse(table, refusal)
        return _forgiven(replace(_untold(table, number), refusal=None), Role.DEALER), (ev.Noted(),)
    if Role.DEALER in game.pin:
        return refuse(table, Refusal.DEALER_PIN)
    return replace(table, refusal=None), (ev.Noted(),)


def unlock_asked(game: Game, table: Table) -> Outcome:
    """Clear the fault of locked PIN entries: each role's needs the holder of a key that is not its own, in person."""
    locked = locked_roles(table)
    freed = [role for role in Role if role in locked and frees(game, table, role)]
    if not freed:
        return refuse(table, Refusal.OTHER_KEY_HOLDER)
    return _unlocked(replace(table, refusal=None), *freed)


def user_changed(game: Game, table: Table, event: ev.UserChanged) -> Outcome:
    """Who may be a person of this table changed; an unlocking frees the entry of that person's role.

    That needs another person's PIN, as at the table; keys alone do it only where nobody else has one to enter. Where he
    has a new PIN, or may act no more, the wrong ones for him are forgotten. A list restored by keys alone is a warning.
    """
    if event.change is ev.UserChange.UNLOCKED:
        if not event.alone and not frees(game, table, event.role):
            return refuse(table, Refusal.OTHER_KEY_HOLDER)
        return _unlocked(table, event.role)
    after = replace(table, users=table.users + 1)
    if event.change is ev.UserChange.RESTORED and event.alone:
        return with_fault(after, FaultCode.USERS_RESTORED)
    return _settled(_untold(after, event.number) if event.change in _FORGETS else after)


def _unlocked(table: Table, *roles: Role) -> Outcome:
    """The entries of these roles freed, and their locked persons: the next PIN for each is looked at without a wait."""
    freed = tuple(
        replace(each, freed=each.wrong, until_ns=0) if each.role in roles and is_locked(each) else each
        for each in table.tried
    )
    return _settled(_forgiven(replace(table, tried=freed), *roles))


def _settled(table: Table) -> Outcome:
    """The table without the fault of a locked entry, where none is locked any more."""
    if locked_roles(table):
        return table, (ev.Noted(),)
    faults, told = cleared(table.faults, _LOCKED)
    return replace(table, faults=faults), told or (ev.Noted(),)


def _untold(table: Table, number: int) -> Table:
    """Nothing wrong is known of this person's PIN any more."""
    return replace(table, tried=tuple(each for each in table.tried if each.number != number))


def _forgiven(table: Table, *roles: Role) -> Table:
    left = tuple(each for each in table.tries if each.role not in roles)
    return table if len(left) == len(table.tries) else replace(table, tries=left)


def gone(table: Table, key: Key) -> Table:
    """Nobody stands behind this key any more, or not yet."""
    if key is Key.SUPERVISOR:
        return replace(table, supervisor_person="")
    return replace(table, technician_person="")


def waits_again(table: Table, at_ns: int) -> Table:
    """The table with its waits after wrong PINs begun anew: a boot that ended took its clock with it."""
    entries = tuple(replace(each, until_ns=at_ns + wait_ns(each.wrong)) for each in table.tries)
    persons = tuple(
        replace(each, until_ns=at_ns + person_wait_ns(each.wrong)) if each.until_ns else each
        for each in table.tried
    )
    return replace(table, tries=entries, tried=persons)
