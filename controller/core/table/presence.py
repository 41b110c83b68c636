"""Whether the person behind a key is there: the key turned and, where the house asks for PINs, its holder identified.

Every act that needs a key asks here, so that no key alone does what the policy wants a person for.
"""

from msgspec.structs import replace

from controller.core.events import Key, Refusal
from controller.core.game import Game, Role
from controller.core.state import Table, Tried, Tries

WRONG_MAX = 5
"""Wrong PINs in a row that lock a role's entry, and as many for one person, in a row or not, that lock his."""

WAIT_NS = 2_000_000_000
"""The wait after the first wrong PIN; it doubles with each further one."""

WAIT_MOST_NS = 60_000_000_000

PERSON_WAIT_MOST_NS = 3_600_000_000_000
"""The longest wait for one person's PIN: who has him freed again and again needs over a year for 10,000 of them."""

ROLE_OF = {Key.SUPERVISOR: Role.SUPERVISOR, Key.TECHNICIAN: Role.TECHNICIAN}

ASKED_PIN = {Key.SUPERVISOR: Refusal.SUPERVISOR_PIN, Key.TECHNICIAN: Refusal.TECHNICIAN_PIN}

LACKS = frozenset(
    {
        Refusal.SUPERVISOR_KEY,
        Refusal.TECHNICIAN_KEY,
        Refusal.BOTH_KEYS,
        Refusal.SUPERVISOR_PIN,
        Refusal.TECHNICIAN_PIN,
    }
)
"""Refusals that say only: somebody with a key, or the person to it, is not there."""


def turned(table: Table, key: Key) -> bool:
    """Whether the key is turned now."""
    return table.supervisor if key is Key.SUPERVISOR else table.technician


def person(table: Table, key: Key) -> str:
    """Who identified himself since the key was turned; empty for nobody."""
    return table.supervisor_person if key is Key.SUPERVISOR else table.technician_person


def present(game: Game, table: Table, key: Key) -> bool:
    """Whether the key's holder is there, as the policy wants it."""
    return turned(table, key) and (ROLE_OF[key] not in game.pin or bool(person(table, key)))


def wanted(game: Game, table: Table, key: Key) -> bool:
    """Whether the key is turned and gives nothing, because nobody has entered his PIN."""
    return turned(table, key) and not present(game, table, key)


def asked(game: Game, table: Table, key: Key) -> bool:
    """Whether a PIN at this key gives something: what the key is wanted for, or that another's lock can be cleared."""
    locked = any(role is not ROLE_OF[key] for role in locked_roles(table))
    return wanted(game, table, key) or (locked and turned(table, key) and not person(table, key))


def frees(game: Game, table: Table, role: Role) -> bool:
    """Whether somebody is there who may clear the lock of this role's PIN entry: by a PIN, and another person.

    Also where his key alone is enough for everything else, and not while his own entry is locked: whoever holds both
    keys would clear his own lock. Where the policy asks nobody any more, the other key does.
    """
    return any(
        ROLE_OF[key] is not role
        and turned(table, key)
        and (not game.pin or bool(person(table, key)))
        and not pin_locked(table, ROLE_OF[key])
        for key in Key
    )


def lacking(game: Game, table: Table, needed: Refusal | None) -> Refusal | None:
    """What is missing of the key or keys an act needs: the key first, then its person; None if nothing is.

    `needed` is the refusal the act has without its key; None, or a refusal about anything else, needs no key.
    """
    match needed:
        case Refusal.SUPERVISOR_KEY:
            keys: tuple[Key, ...] = (Key.SUPERVISOR,)
        case Refusal.TECHNICIAN_KEY:
            keys = (Key.TECHNICIAN,)
        case Refusal.BOTH_KEYS:
            keys = (Key.SUPERVISOR, Key.TECHNICIAN)
        case _:
            return None
    if not all(turned(table, key) for key in keys):
        return needed
    return next((ASKED_PIN[key] for key in keys if not present(game, table, key)), None)


def as_supervisor(table: Table) -> Table:
    """The table as it would be with the supervisor there: to show what an approval would do."""
    return replace(table, supervisor=True, supervisor_person=table.supervisor_person or "-")


def tries(table: Table, role: Role) -> Tries | None:
    """The wrong PINs in a row of a role, if the last one was wrong."""
    return next((each for each in table.tries if each.role is role), None)


def pin_locked(table: Table, role: Role) -> bool:
    """Whether the role's PIN entry is locked."""
    found = tries(table, role)
    return found is not None and found.wrong >= WRONG_MAX


def tried(table: Table, number: int) -> Tried | None:
    """The wrong PINs for one person since his own right one, if there are any."""
    return next((each for each in table.tried if each.number == number), None)


def is_locked(found: Tried) -> bool:
    """Whether so many were wrong for a person, since his right one or since he was freed, that none is looked at."""
    return found.wrong - found.freed >= WRONG_MAX


def wrong_for(table: Table, role: Role, number: int) -> int:
    """The wrong PINs that stand against this person: in a row at his role's entry, or for him, whichever are more."""
    return max(0 if each is None else each.wrong for each in (tries(table, role), tried(table, number)))


def person_locked(table: Table, number: int) -> bool:
    """Whether no PIN is looked at for this person until another one has freed him."""
    found = tried(table, number)
    return found is not None and is_locked(found)


def locked_roles(table: Table) -> frozenset[Role]:
    """The roles in which an entry is locked: the whole role's, or one person's."""
    roles = {each.role for each in table.tries if each.wrong >= WRONG_MAX}
    return frozenset(roles | {each.role for each in table.tried if is_locked(each)})


def person_wait_ns(wrong: int) -> int:
    """How long no PIN is looked at for a person after so many wrong ones for him."""
    return min(WAIT_NS << (wrong - 1), PERSON_WAIT_MOST_NS) if wrong else 0


def waits_ns(table: Table, role: Role, number: int) -> int:
    """How long the wait is in which no PIN is looked at for this person, from its begin; 0 for none."""
    entry, his = tries(table, role), tried(table, number)
    by_person = 0 if his is None or not his.until_ns else person_wait_ns(his.wrong)
    return max(0 if entry is None else wait_ns(entry.wrong), by_person)


def wait_ns(wrong: int) -> int:
    """How long no PIN is looked at after so many wrong ones in a row."""
    return min(WAIT_NS << (wrong - 1), WAIT_MOST_NS) if wrong else 0


def untried(table: Table, role: Role, number: int, at_ns: int) -> Refusal | None:
    """Why a PIN entered for this person at `at_ns` may not even be looked at, or None."""
    if pin_locked(table, role) or person_locked(table, number):
        return Refusal.PIN_LOCKED
    waiting = (tries(table, role), tried(table, number))
    too_soon = any(each is not None and at_ns < each.until_ns for each in waiting)
    return Refusal.PIN_WAIT if too_soon else None
