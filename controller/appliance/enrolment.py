"""A new table that waits for its first persons: both keys lead them through the pages, and nothing is stored here.

While a key is missing the screen says to turn both, and GAME OVER goes on without. What was entered is forgotten where
a key is turned back, or where nobody goes on.
"""

from collections.abc import Sequence
from typing import Final

from controller.appliance.entering import Entering, Pages
from controller.appliance.standby import Standby, Until
from controller.appliance.telling import Phrases
from controller.appliance.texts import Say
from controller.clock import Clock
from controller.config import Settings
from controller.core import events as ev
from controller.inbox import Arrival
from controller.inputs import Inputs
from controller.menu.state import Pushed, Typed
from controller.users.first import Entered
from hal.interface import Edge, Hal, KeyPressed

SILENCE_NS: Final = 60_000_000_000
"""How long a page waits for its next digit. Two persons hand the table to each other meanwhile."""


class Enrolment(Standby):
    """Leads through `pages` while both keys are turned.

    `entered`: everybody, once it is over by that; else empty. `declined`: GAME OVER ended it.

    Made, started, turned and closed as any standby; `until` ends it too.
    """

    def __init__(self, hal: Hal, settings: Settings, clock: Clock, pages: Pages, until: Until) -> None:
        self._phrases = Phrases(settings.language)
        super().__init__(hal, settings.wiring, clock, self._waiting(None), until)
        self.entered: tuple[Entered, ...] = ()
        self.declined = False
        self._pages = pages
        self._timings, self._seats = settings.timings, settings.slots
        self._inputs: Inputs | None = None
        self._at: Entering | None = None
        """Where it stands; None while a key is missing."""
        self._said: Say | None = None

    def start(self) -> None:
        """As `Standby.start`. A button that is held down at that moment does nothing before it is freed."""
        super().start()
        levels = self._hal.levels()
        self._inputs = Inputs(self._timings, self._seats, levels, self._clock.monotonic_ns())

    def _arrived(self, arrivals: Sequence[Arrival], now: int) -> None:
        super()._arrived(arrivals, now)
        edges = [message for message in arrivals if isinstance(message, Edge)]
        keys = [message for message in arrivals if isinstance(message, KeyPressed)]
        self._silent(now)
        for event in (*self._events(edges, now), *keys):
            if not self.over:
                self._take(event, now)
        if not self.over:
            self._keyed(now)
        self._say(self._waiting(self._said) if self._at is None else self._pages.lines(self._at), now)

    def _told(self) -> str:
        """Not the page: it says which digit stands marked."""
        return self._phrases.tell(Say.NOBODY)

    def _events(self, edges: Sequence[Edge], now: int) -> list[ev.AnyEvent]:
        if self._inputs is None:
            return []
        return self._inputs.feed(edges, now, self._hal.levels())

    def _silent(self, now: int) -> None:
        """Forget what nobody goes on with."""
        if self._at is not None and self._at.begun and now - self._touched_ns >= SILENCE_NS:
            self._at = Entering(said=Say.SILENT, since_ns=now)

    def _keyed(self, now: int) -> None:
        """Begin once both keys are on, forget everything once one is not."""
        both = self._inputs is not None and all(self._inputs.key_on(key) for key in ev.Key)
        if both and self._at is None:
            self._at, self._said = Entering(since_ns=now), None
        elif not both and self._at is not None:
            self._at, self._said = None, Say.TURNED_BACK

    def _take(self, event: ev.AnyEvent | KeyPressed, now: int) -> None:
        given = self._given(event)
        if isinstance(event, ev.KeyTurned):
            self._keyed(now)
        elif self._at is None:
            self.declined = self.over = isinstance(event, ev.GameOverPressed)
        elif given is not None:
            self._at = self._pages.step(self._at, given)
            if self._pages.whole(self._at):
                self.entered, self.over, self._at = self._at.done, True, None

    def _given(self, event: ev.AnyEvent | KeyPressed) -> Pushed | Typed | None:
        match event:
            case KeyPressed(key=key, at_ns=at_ns):
                return Typed(key, at_ns)
            case ev.CoinInPressed(at_ns=at_ns):
                return Pushed(event, at_ns)
            case ev.GameOverPressed() | ev.GameOverHeld() if self._inputs is not None:
                return Pushed(event, self._inputs.fell_ns(event))
            case _:
                return None

    def _waiting(self, said: Say | None) -> tuple[str, ...]:
        texts = (Say.NOBODY, *(() if said is None else (said,)), Say.TURN_BOTH, Say.DIGITS, Say.NOT_NOW)
        return tuple(self._phrases.tell(text) for text in texts)
