"""A list of persons that was lost or damaged, made anew: names, numbers and roles from what can be trusted, no PIN."""

from collections.abc import Sequence
from pathlib import Path

from controller.administer import administer
from controller.clock import Clock
from controller.config import Settings
from controller.core import events as ev
from controller.journal import ends_of, recent
from controller.users.person import USERS_MOST, User, UsersError
from controller.users.secret import PinError, make_pepper, pepper_path, set_aside
from controller.users.store import Store, UsersDamagedError

CHANGES_MOST = 100_000
"""Changes of a list that are read back: more than in a table's life."""


def restored(settings: Settings, clock: Clock) -> tuple[tuple[User, ...], Path | None]:
    """Make the list anew and journal it; returns it, and the name under which the bad file is kept.

    What the file says counts where it fits its seal, else what the journal says. Both keys are the caller's business.
    Raises `UsersError` where the list is in order, and the journal's errors.
    """
    store = Store(settings.journal)
    changes = ends_of(settings.journal).last.state.users
    try:
        store.load(changes)
    except (UsersDamagedError, PinError):
        pass
    else:
        raise UsersError("the list of users is in order; there is nothing to restore")
    people = _known(store, settings.journal)
    aside = set_aside(store.path)
    _sure_pepper(settings.journal)
    now = clock.monotonic_ns()
    events = [
        ev.UserChanged(now, each.name, each.number, each.role, ev.UserChange.RESTORED, "", "", alone=True)
        for each in people
    ]
    store.prepare(people, changes + len(events))
    administer(settings, clock, *events, both_keys=True)
    store.commit()
    return people, aside


def _known(store: Store, journal: Path) -> tuple[User, ...]:
    try:
        found: Sequence[User] = store.sealed()
    except (UsersDamagedError, PinError, OSError):
        found = from_journal(journal)
    return tuple(User(each.number, each.name, each.role, each.active) for each in found)


def from_journal(journal: Path) -> tuple[User, ...]:
    """The persons as their changes tell, by number."""
    found: dict[int, User] = {}
    for record in recent(journal, CHANGES_MOST, "user_changed"):
        match record.event:
            case ev.UserChanged(change=ev.UserChange.UNLOCKED):
                continue
            case ev.UserChanged(name=name, number=number, role=role, change=change) if not record.refused:
                before = found.get(number)
                active = before is None or before.active
                match change:
                    case ev.UserChange.DISABLED:
                        active = False
                    case ev.UserChange.ENABLED:
                        active = True
                    case _:
                        pass
                found[number] = User(number, name, role, active)
            case _:
                continue
    return tuple(found[number] for number in sorted(found))[:USERS_MOST]


def _sure_pepper(journal: Path) -> None:
    """A device secret that can be used; a damaged one is kept under another name."""
    try:
        make_pepper(journal)
    except PinError:
        set_aside(pepper_path(journal))
        make_pepper(journal)
