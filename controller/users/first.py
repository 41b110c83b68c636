"""The first persons of a new table: one for each role whose PIN is asked for, where that role never had anybody.

Both keys alone add them, as nobody has a PIN yet: all in one session of the journal, or none. Whoever is added later
is added under the PINs of those who are there.
"""

from collections.abc import Sequence
from typing import Final

import msgspec

from controller.administer import administer
from controller.admit import look
from controller.agreed import changes_of
from controller.clock import Clock
from controller.config import Settings
from controller.core import events as ev
from controller.core.game import Role
from controller.core.state import Phase, Table
from controller.journal import ends_of
from controller.users.person import User, added
from controller.users.secret import hashed, make_pepper
from controller.users.store import Store
from controller.witness.verdict import Agreed, NewTable

KEYED: Final = (Role.SUPERVISOR, Role.TECHNICIAN)
"""The roles that have a key, in the order in which their first persons are asked for."""


class Entered(msgspec.Struct, frozen=True):
    """A person as he entered himself. It says its PIN to nobody by accident."""

    role: Role
    name: str
    number: int
    pin: str

    def __repr__(self) -> str:
        return f"Entered({self.role!r}, {self.name!r}, {self.number}, pin=****)"


def roles_lacking(settings: Settings) -> tuple[Role, ...]:
    """The roles to begin with: those with a key whose PIN is asked for; none where such a role ever had anybody.

    None either where the table is in a round or would not start: what keeps it is then said by its start. The caller
    holds the table's lock. Raises what reading journal, second copy and list raises.
    """
    table = ends_of(settings.journal).last.state
    users = Store(settings.journal).load(table.users)
    roles = tuple(role for role in KEYED if role in settings.game.pin)
    if not roles or any(each.role in KEYED for each in users):
        return ()
    return roles if _starts(settings, table) else ()


def _starts(settings: Settings, table: Table) -> bool:
    if table.phase is not Phase.CLOSED or changes_of(settings, table):
        return False
    return isinstance(look(settings).verdict, Agreed | NewTable)


def known(settings: Settings) -> tuple[User, ...]:
    """The list as it is. Raises what reading it raises."""
    return Store(settings.journal).load(ends_of(settings.journal).last.state.users)


def add_first(settings: Settings, clock: Clock, persons: Sequence[Entered]) -> None:
    """Add them all and journal each as `user_changed`, by the keys alone.

    The caller holds the table's lock and has seen both keys. Raises `UsersError` for one that the list does not allow,
    `RefusedError`, and what the journal and the list raise; then nobody was added.
    """
    store = Store(settings.journal)
    changes = ends_of(settings.journal).last.state.users
    users = store.load(changes)
    secret = make_pepper(settings.journal)
    for each in persons:
        users = added(users, User(each.number, each.name, each.role, pin=hashed(each.pin, secret)))
    now = clock.monotonic_ns()
    events = [
        ev.UserChanged(now, each.name, each.number, each.role, ev.UserChange.ADDED, "", "")
        for each in persons
    ]
    store.prepare(users, changes + len(events))
    administer(settings, clock, *events, both_keys=True)
    store.commit()
