"""People: identified by their PIN, refused, locked out; and changes of who may be one.

Whether a PIN is right is found outside; here is what follows. The count of wrong ones is part of the table's state,
so that neither a key turned back nor a power cut forgets it.
"""

from msgspec.structs import replace

from controller.core import events as ev
from controller.core.events import Key, Refusal
from controller.core.faults import FaultCode
from controller.core.game import Game, Role
from controller.core.state import Phase, Seat, Table, Tries
from controller.core.table.gate import Outcome, cleared, raised, refuse
from controller.core.table.presence import (
    ROLE_OF,
    WRONG_MAX,
    frees,
    person,
    pin_locked,
    tries,
    turned,
    untried,
    wait_ns,
)

_KEY_FIRST = {Key.SUPERVISOR: Refusal.SUPERVISOR_KEY, Key.TECHNICIAN: Refusal.TECHNICIAN_KEY}
_OTHER = {Key.SUPERVISOR: Key.TECHNICIAN, Key.TECHNICIAN: Key.SUPERVISOR}
_LOCKED = frozenset({FaultCode.PIN_LOCKED})


def identified(game: Game, table: Table, event: ev.PersonIdentified) -> Outcome:
    """A key's holder is there. Technician alone in CLOSED, where his key waited for him: TEST begins."""
    key, role = event.key, ROLE_OF[event.key]
    if not turned(table, key):
        return refuse(table, _KEY_FIRST[key])
    refusal = untried(table, role, event.at_ns)
    if refusal is None and event.person == person(table, _OTHER[key]):
        refusal = Refusal.SAME_PERSON
    if refusal is not None:
        return refuse(table, refusal)
    waited = role in game.pin and not person(table, key)
    after = replace(_forgiven(table, role), refusal=None)
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
    """A wrong PIN: the next one has to wait, and the last of too many in a row locks the entry."""
    if pin_locked(table, event.role):
        return refuse(table, Refusal.PIN_LOCKED)
    before = tries(table, event.role)
    wrong = 1 if before is None else before.wrong + 1
    now = Tries(event.role, wrong, event.at_ns + wait_ns(wrong))
    others = tuple(each for each in table.tries if each.role is not event.role)
    after = replace(table, tries=(*others, now))
    if wrong < WRONG_MAX:
        return refuse(after, Refusal.PIN_WRONG)
    faults, told = raised(after, FaultCode.PIN_LOCKED)
    after, refusal = refuse(replace(after, faults=faults), Refusal.PIN_LOCKED)
    return after, (*refusal, *told)


def not_tried(table: Table, event: ev.PinNotTried) -> Outcome:
    """A PIN that was not looked at: nothing is counted, the reason is shown and kept."""
    return refuse(table, event.why)


def dealer_changed(game: Game, table: Table, event: ev.DealerChanged) -> Outcome:
    """Another dealer; where the policy asks, he has entered his PIN."""
    if event.identified:
        refusal = untried(table, Role.DEALER, event.at_ns)
        if refusal is not None:
            return refuse(table, refusal)
        return _forgiven(replace(table, refusal=None), Role.DEALER), (ev.Noted(),)
    if Role.DEALER in game.pin:
        return refuse(table, Refusal.DEALER_PIN)
    return replace(table, refusal=None), (ev.Noted(),)


def unlock_asked(game: Game, table: Table) -> Outcome:
    """Clear the fault of locked PIN entries: each role's needs the holder of a key that is not its own, in person."""
    locked = [each.role for each in table.tries if each.wrong >= WRONG_MAX]
    freed = [role for role in locked if frees(game, table, role)]
    if not freed:
        return refuse(table, Refusal.OTHER_KEY_HOLDER)
    return _unlocked(replace(table, refusal=None), *freed)


def user_changed(game: Game, table: Table, event: ev.UserChanged) -> Outcome:
    """Who may be a person of this table changed; an unlocking frees the entry of that person's role.

    That needs another person's PIN, as at the table. Keys alone do it only where nobody else has one to enter.
    """
    if event.change is ev.UserChange.UNLOCKED:
        if not event.alone and not frees(game, table, event.role):
            return refuse(table, Refusal.OTHER_KEY_HOLDER)
        return _unlocked(table, event.role)
    return replace(table, users=table.users + 1), (ev.Noted(),)


def _unlocked(table: Table, *roles: Role) -> Outcome:
    after = _forgiven(table, *roles)
    if any(each.wrong >= WRONG_MAX for each in after.tries):
        return after, (ev.Noted(),)
    faults, told = cleared(after.faults, _LOCKED)
    return replace(after, faults=faults), told or (ev.Noted(),)


def _forgiven(table: Table, *roles: Role) -> Table:
    left = tuple(each for each in table.tries if each.role not in roles)
    return table if len(left) == len(table.tries) else replace(table, tries=left)


def gone(table: Table, key: Key) -> Table:
    """Nobody stands behind this key any more, or not yet."""
    if key is Key.SUPERVISOR:
        return replace(table, supervisor_person="")
    return replace(table, technician_person="")


def waits_again(table: Table, at_ns: int) -> tuple[Tries, ...]:
    """The wrong PINs with their waits begun anew: a boot that ended took its clock with it."""
    return tuple(replace(each, until_ns=at_ns + wait_ns(each.wrong)) for each in table.tries)
