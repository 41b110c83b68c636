"""A thumb on GAME OVER: walks the menu by what stands marked, on a table of events or on a whole one."""

from collections.abc import Mapping

from controller.core import events as ev
from controller.core.game import Game
from controller.core.invariants import check
from controller.core.state import Table
from controller.core.table import step
from controller.front import Nobody, Users, looked_at
from controller.inputs import Pulse
from controller.menu import Given, Identify, Looked, Menu, Pushed, Turned, Typed, menu_lines, menu_step
from controller.menu.ask import Question, Scene
from controller.menu.walk import marked, question
from controller.texts import Line, Text

SECOND = 1_000_000_000


class Thumb:
    """A table, its menu and a clock. What the menu lets through is decided by the table at once, and kept in `acts`.

    `refused` holds why, in order, where something that was decided was refused.
    """

    def __init__(
        self,
        game: Game,
        table: Table,
        pulses: Mapping[str, tuple[Pulse, ...]] | None = None,
        users: Users | None = None,
    ) -> None:
        self.game = game
        self.table = table
        self.menu = Menu()
        self.pulses = pulses or {}
        self.users: Users = users or Nobody()
        self.now = 1_000 * SECOND
        self.acts: list[ev.AnyEvent] = []
        self.refused: list[ev.Refusal] = []

    @property
    def scene(self) -> Scene:
        """What scripts see."""
        return Scene(self.game, self.table, self.pulses, self.users.people)

    @property
    def asked(self) -> Question:
        """What the menu asks now."""
        return question(self.scene, self.menu)

    @property
    def values(self) -> list[object]:
        """What can be chosen now."""
        return [option.value for option in self.asked.options]

    @property
    def lines(self) -> tuple[Line, ...]:
        """What the screen shows."""
        return menu_lines(self.game, self.table, self.menu, self.pulses, people=self.users.people)

    def texts(self) -> set[Text]:
        """Which texts the screen shows."""
        return {line.text for line in self.lines}

    def decide(self, *events: ev.AnyEvent) -> None:
        """The table decides; the menu is told that it changed."""
        for event in events:
            before = self.table
            self.table, results = step(self.game, before, event)
            check(self.game, before, self.table, results)
            self.refused += [result.reason for result in results if isinstance(result, ev.Refused)]
        self._give(Looked(self.now))

    def short(self, fell_ns: int | None = None) -> None:
        """GAME OVER, up again at once."""
        fell = self.now if fell_ns is None else fell_ns
        self.now = max(self.now, fell) + SECOND // 10
        self._give(Pushed(ev.GameOverPressed(self.now), fell))

    def hold(self, fell_ns: int | None = None) -> None:
        """GAME OVER, held."""
        fell = self.now if fell_ns is None else fell_ns
        self.now = max(self.now, fell) + SECOND
        self._give(Pushed(ev.GameOverHeld(self.now), fell))

    def coin_in(self) -> None:
        """COIN IN."""
        self.now += SECOND // 10
        self._give(Pushed(ev.CoinInPressed(self.now), self.now))

    def type(self, *keys: str) -> None:
        """Keys of the keypad."""
        for key in keys:
            self.now += SECOND // 10
            self._give(Typed(key, self.now))

    def turn(self, which: ev.Key, *, on: bool = True) -> None:
        """A key is turned; the table knows, then the menu."""
        self.now += SECOND // 10
        self.decide(ev.KeyTurned(self.now, which, on))
        self._give(Turned(which, on, self.now))

    def wait(self, ns: int) -> None:
        """Nobody touches anything."""
        self.now += ns
        self._give(Looked(self.now))

    def choose(self, *values: object) -> "Thumb":
        """Next until the value stands marked, then hold; one after the other."""
        for value in values:
            assert value in self.values, f"{value!r} is not among {self.values}"
            while marked(self.asked, self.menu).value != value:
                self.short()
            self.hold()
        return self

    def _give(self, given: Given) -> None:
        self.menu, made = menu_step(
            self.game, self.table, self.menu, given, self.pulses, people=self.users.people
        )
        events = [
            looked_at(self.users, self.table, each) if isinstance(each, Identify) else each for each in made
        ]
        self.acts += events
        if events:
            self.decide(*events)
