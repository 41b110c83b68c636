"""The pages on which a new table's first persons enter themselves: number, PIN, PIN again. Pure: no clock and no I/O.

Digits are entered as everywhere at the table: by keypad, or with the two buttons. It stores nothing; whoever turns it
asks `whole` and keeps `done`, and begins anew where a key is turned back.
"""

from collections.abc import Sequence
from typing import Final, assert_never

import msgspec
from msgspec.structs import replace

from controller.appliance.telling import Phrases
from controller.appliance.texts import Say
from controller.core import events as ev
from controller.core.game import Role
from controller.menu.ask import Nav, Option, Question, Script, digits, play, say
from controller.menu.people import pin_digits
from controller.menu.state import Pushed, Typed
from controller.texts import Line, Text
from controller.users import User, UsersError, added, weak
from controller.users.first import Entered
from controller.users.person import NUMBER_MOST
from controller.words import Words

WINDOW: Final = 2
"""Options shown at once: prompt and options are one picture, which does not turn while digits are entered."""

_ROLES: Final = {Role.SUPERVISOR: Say.SUPERVISOR, Role.TECHNICIAN: Say.TECHNICIAN}


class Entering(msgspec.Struct, frozen=True):
    """How far it is. It says its PINs to nobody by accident.

    `number`: of the person who enters, 0 before it is known; `pin`: the PIN entered once. `path`: the digits of this
    page; `marked`: the option that stands marked, None for the first. `said`: what was wrong with the page before.
    `since_ns`: when this page appeared; a button that went down before that belongs to the page before.
    """

    done: tuple[Entered, ...] = ()
    number: int = 0
    pin: str = ""
    path: tuple[object, ...] = ()
    marked: object = None
    said: Say | None = None
    since_ns: int = 0

    @property
    def begun(self) -> bool:
        """Whether anything was entered that could be lost."""
        return bool(self.done or self.number or self.path)

    def __repr__(self) -> str:
        return f"Entering({len(self.done)} done, number={self.number}, pin=****)"


class Pages:
    """The pages of one table. `users`: who is in its list already; `roles`: for whom persons are entered, in order."""

    def __init__(self, roles: Sequence[Role], users: Sequence[User], phrases: Phrases, words: Words) -> None:
        self._roles = roles
        self._users = tuple(users)
        self._phrases = phrases
        self._words = words

    def whole(self, at: Entering) -> bool:
        """Whether everybody has entered himself."""
        return len(at.done) == len(self._roles)

    def step(self, at: Entering, given: Pushed | Typed) -> Entering:
        """The pages after a button or a key. Called only while not `whole`."""
        match given:
            case Typed(key=key, at_ns=at_ns):
                return self._typed(at, key, at_ns)
            case Pushed():
                return self._pushed(at, given)
            case _:
                assert_never(given)

    def lines(self, at: Entering) -> tuple[str, ...]:
        """What the screen says: the page, what was wrong before, the marked option and the next ones."""
        options = self._options(at)
        place = options.index(self._marked(at))
        shown = [options[(place + step) % len(options)] for step in range(min(WINDOW, len(options)))]
        return (
            self._words.say(self._question(at).prompt),
            *(() if at.said is None else (self._phrases.tell(at.said),)),
            self._words.say(Line(Text.MENU_MARKED, {"entry": shown[0].label})),
            *(self._words.say(Line(Text.MENU_OTHER, {"entry": option.label})) for option in shown[1:]),
            *((self._phrases.tell(Say.DIGITS),) if self._untouched(at) else ()),
        )

    def _untouched(self, at: Entering) -> bool:
        """Whether a person has not begun: only then may the page turn, to say what the buttons do."""
        return not at.number and not at.path and at.marked is None and at.said is None

    def _pushed(self, at: Entering, given: Pushed) -> Entering:
        match given.event:
            case ev.CoinInPressed(at_ns=at_ns):
                return self._back(at, at_ns)
            case _ if given.fell_ns < at.since_ns:
                return at
            case ev.GameOverHeld(at_ns=at_ns):
                return self._choose(at, self._marked(at).value, at_ns)
            case ev.GameOverPressed():
                values = [option.value for option in self._options(at)]
                place = values.index(self._marked(at).value)
                return replace(at, marked=values[(place + 1) % len(values)])
            case _:
                assert_never(given.event)

    def _typed(self, at: Entering, key: str, at_ns: int) -> Entering:
        options = self._options(at)
        if key == "CLEAR":
            return self._back(at, at_ns)
        if key == "ENTER":
            done = any(option.value == Nav.DONE for option in options)
            return self._choose(at, Nav.DONE, at_ns) if done else at
        found = next((option for option in options if option.key and option.key == key), None)
        return at if found is None else self._choose(at, found.value, at_ns)

    def _choose(self, at: Entering, value: object, at_ns: int) -> Entering:
        if value == Nav.BACK:
            return self._back(at, at_ns)
        path = (*at.path, value)
        found = play(self._script(at), path)
        if isinstance(found, Question):
            return replace(at, path=path, marked=None, said=None, since_ns=at_ns)
        return self._entered(replace(at, path=(), marked=None, said=None, since_ns=at_ns), found)

    def _back(self, at: Entering, at_ns: int) -> Entering:
        """One digit less, or the page before; before the first there is none."""
        if at.path:
            return replace(at, path=at.path[:-1], marked=at.path[-1], said=None, since_ns=at_ns)
        fresh = replace(at, marked=None, said=None, since_ns=at_ns)
        if at.pin:
            return replace(fresh, pin="")
        return replace(fresh, number=0) if at.number else replace(fresh, done=at.done[:-1])

    def _entered(self, at: Entering, text: str) -> Entering:
        """What a page that was finished leads to: the next one, or the same again with what was wrong."""
        if not at.number:
            number = int(text)
            return replace(at, number=number) if self._free(at, number) else replace(at, said=Say.NOT_FREE)
        if not at.pin:
            return replace(at, said=Say.EASY) if weak(text, at.number) else replace(at, pin=text)
        if text != at.pin:
            return replace(at, pin="", said=Say.DIFFER)
        role = self._role(at)
        person = Entered(role, self._name(role, at.number), at.number, at.pin)
        return Entering(done=(*at.done, person), since_ns=at.since_ns)

    def _free(self, at: Entering, number: int) -> bool:
        """Whether the list would take the next person by this number, beside those who just entered."""
        role = self._role(at)
        users = (*self._users, *(User(each.number, each.name, each.role) for each in at.done))
        try:
            added(users, User(number, self._name(role, number), role))
        except UsersError:
            return False
        return True

    def _role(self, at: Entering) -> Role:
        return self._roles[len(at.done)]

    def _name(self, role: Role, number: int) -> str:
        return f"{self._phrases.tell(_ROLES[role])} {number}"

    def _question(self, at: Entering) -> Question:
        found = play(self._script(at), at.path)
        if not isinstance(found, Question):
            raise TypeError("a page that is finished has led to another one")
        return found

    def _script(self, at: Entering) -> Script[str]:
        role = self._role(at)
        if not at.number:
            who = self._phrases.tell(_ROLES[role]).upper()
            return digits(lambda typed: self._prompt(Say.NUMBER, who, typed or "-"), NUMBER_MOST)
        text = Say.PIN_AGAIN if at.pin else Say.PIN_NEW
        name = self._name(role, at.number).upper()
        return pin_digits(lambda stars: self._prompt(text, name, stars))

    def _prompt(self, text: Say, who: str, typed: str) -> Line:
        return Line(Text.ENTRY, {"entry": self._phrases.tell(text, who=who, typed=typed)})

    def _options(self, at: Entering) -> tuple[Option, ...]:
        return (*self._question(at).options, Option(Nav.BACK, say(Text.MENU_BACK)))

    def _marked(self, at: Entering) -> Option:
        options = self._options(at)
        return next((option for option in options if option.value == at.marked), options[0])
