"""The dealer's menu as the loop keeps it: what belongs to it, where it stands, and what it lays over the displays.

The menu itself is pure (`controller.menu`); here is its one mutable place, and where a PIN is looked at. It is not
stored: after a power cut the menu is closed, and nothing was done that had not become an event.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Protocol, assert_never

from controller.core import events as ev
from controller.core.game import Game, Role
from controller.core.state import Table
from controller.core.table.presence import untried
from controller.display import Overlay
from controller.inputs import Pulses
from controller.inputs.pulses import Pulse
from controller.menu import (
    NOBODY,
    Given,
    Identify,
    Looked,
    Menu,
    People,
    Pushed,
    Turned,
    Typed,
    chosen_seat,
    menu_lines,
    menu_step,
)
from hal.interface import Edge, KeyPressed

_Press = ev.GameOverPressed | ev.GameOverHeld


class Users(Protocol):
    """Who may act, and whether a PIN is right; `controller.users.Desk` is the one of a real table."""

    @property
    def people(self) -> People:
        """The persons the menu may offer."""
        ...

    def right(self, number: int, role: Role, pin: str) -> bool:
        """Whether this is the PIN of the person known by this number in this role."""
        ...


class Nobody:
    """A table that knows no persons."""

    people = NOBODY

    def right(self, number: int, role: Role, pin: str) -> bool:  # noqa: ARG002, nobody has a PIN
        """No PIN is anybody's."""
        return False


def looked_at(users: Users, table: Table, asked: Identify) -> ev.AnyEvent:
    """What a PIN comes to. One that comes too soon is not looked at, so that nobody learns by it."""
    why = untried(table, asked.role, asked.number, asked.at_ns)
    if why is not None:
        return ev.PinNotTried(asked.at_ns, asked.role, asked.number, why)
    if not users.right(asked.number, asked.role, asked.pin):
        known = any(each.number == asked.number for each in users.people.of(asked.role))
        return ev.PinRefused(asked.at_ns, asked.role, asked.number, known)
    match asked.role:
        case Role.DEALER:
            return ev.DealerChanged(asked.at_ns, asked.typed, asked.name, identified=True)
        case Role.SUPERVISOR:
            return ev.PersonIdentified(asked.at_ns, ev.Key.SUPERVISOR, asked.name, asked.number)
        case Role.TECHNICIAN:
            return ev.PersonIdentified(asked.at_ns, ev.Key.TECHNICIAN, asked.name, asked.number)
        case _:
            assert_never(asked.role)


class Front:
    """Where the dealer stands in the menu."""

    def __init__(self, game: Game, users: Users) -> None:
        self._game = game
        self._users = users
        self._menu = Menu()
        self._pulses = Pulses()
        self._seen: tuple[Menu, Table] | None = None
        self._overlay: Overlay | None = None

    @property
    def due_ns(self) -> int | None:
        """When the menu closes by itself, or None while it is closed."""
        return self._menu.due_ns

    @property
    def pulses(self) -> Mapping[str, tuple[Pulse, ...]]:
        """The last pulses of every line, newest first."""
        return self._pulses.kept()

    def see(self, edges: Iterable[Edge]) -> None:
        """Remember the pulses for the technician's page."""
        self._pulses.see(edges)

    def takes(
        self, event: ev.AnyEvent | KeyPressed, fell_ns: Callable[[ev.GameOverPressed | ev.GameOverHeld], int]
    ) -> Given | None:
        """What the menu is given of this event, or None if it is none of its business.

        `fell_ns` says when the press behind an event of GAME OVER began.
        """
        match event:
            case KeyPressed(key=key, at_ns=at_ns):
                return Typed(key, at_ns)
            case ev.GameOverHeld():
                return Pushed(event, fell_ns(event))
            case ev.GameOverPressed() if self._menu.open or fell_ns(event) < self._menu.since_ns:
                return Pushed(event, fell_ns(event))
            case ev.CoinInPressed() if self._menu.open:
                return Pushed(event, event.at_ns)
            case _:
                return None

    def asks(self, event: ev.AnyEvent | KeyPressed) -> Turned | None:
        """What the menu is given once the table knows of this event, or None."""
        if isinstance(event, ev.KeyTurned) and self._game.pin:
            return Turned(event.key, event.on, event.at_ns)
        return None

    def put(self, table: Table, given: Given) -> tuple[ev.AnyEvent, ...]:
        """Move the menu; what comes out is the table's to decide."""
        self._menu, made = menu_step(
            self._game, table, self._menu, given, self._pulses.kept(), people=self._users.people
        )
        return tuple(
            looked_at(self._users, table, each) if isinstance(each, Identify) else each for each in made
        )

    def overlay(self, table: Table, now_ns: int) -> Overlay | None:
        """What lies over the displays now; the same object as long as nothing changes."""
        if not self._menu.open:
            return None
        seen = self._seen
        if (
            seen is None
            or seen[0] is not self._menu
            or seen[1] is not table
            or now_ns >= self._menu.closes_at_ns
        ):
            self.put(table, Looked(now_ns))
            self._seen = (self._menu, table)
            self._overlay = self._drawn(table)
        return self._overlay

    def _drawn(self, table: Table) -> Overlay | None:
        if not self._menu.open:
            return None
        pulses = self._pulses.kept()
        people = self._users.people
        lines = menu_lines(self._game, table, self._menu, pulses, people=people)
        return Overlay(lines, chosen_seat(self._game, table, self._menu, pulses, people=people))
