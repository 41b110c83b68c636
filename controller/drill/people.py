"""The persons of a drill's table: written into its list before power on, as `pozo users add` would have.

`user NUMBER NAME ROLE PIN`, our own addition to the drills' language. Where the policy asks for a supervisor's PIN,
`power on` on an empty medium opens the table as the first supervisor of the list would.
"""

from collections.abc import Callable

from controller.core import events as ev
from controller.core.game import Game, Role
from controller.drill import statements as st
from controller.drill.line import Line, choice, count
from controller.drill.medium import Medium
from controller.journal import ends_of
from controller.users import Desk, Store, User, UsersError, added, weak
from controller.users.person import NUMBER_MOST
from controller.users.secret import hashed, make_pepper


class AddUser(st.Statement, frozen=True):
    """`user 7 Ana supervisor 2580`."""

    number: int
    name: str
    role: Role
    pin: str


def _user(line: Line) -> st.Statement:
    number, name, role, pin = line.takes("user 7 Ana supervisor 2580", 4)
    known = count(line, number, NUMBER_MOST)
    why = weak(pin, known)
    if why:
        raise line.refuse(why)
    return AddUser(line.number, line.text, number=known, name=name, role=choice(line, Role, role), pin=pin)


STATEMENTS: dict[str, Callable[[Line], st.Statement]] = {"user": _user}


def _changes(medium: Medium) -> int:
    return 0 if medium.empty else ends_of(medium.journal).last.state.users


def add_user(medium: Medium, new: AddUser) -> None:
    """Write a person into the list of the medium's table, which must be without power. Raises `UsersError`."""
    store = Store(medium.journal)
    changes = _changes(medium)
    secret = hashed(new.pin, make_pepper(medium.journal))
    store.prepare(added(store.load(changes), User(new.number, new.name, new.role, pin=secret)), changes)
    store.commit()


def opener(game: Game, medium: Medium, at_ns: int) -> tuple[ev.AnyEvent, ...]:
    """What it takes, besides the key, that a supervisor opens the table; nothing where no PIN is asked for.

    Raises `UsersError` where the policy asks and the drill has named nobody.
    """
    if Role.SUPERVISOR not in game.pin:
        return ()
    found = Desk(medium.journal, _changes(medium)).people.of(Role.SUPERVISOR)
    if not found:
        raise UsersError(
            "no supervisor to open the table: write `user 7 Ana supervisor 2580` before, or `power on closed`"
        )
    return (ev.PersonIdentified(at_ns, ev.Key.SUPERVISOR, found[0].name, found[0].number),)
