"""Shows on simulated hardware what a real table shows, worked out from its journal's last record alone.

What a table shows is a pure function of its state, so the very display of the real table is used. What is not in a
record is not seen here: the dealer's menu, and whether the medium still takes records.
"""

from collections.abc import Callable
from threading import Lock

from controller.config import Settings
from controller.core.state import Table
from controller.display import Display
from controller.sim.told import Power, Show, Told, tell
from controller.words import Words
from hal.interface import Message
from hal.simulated import Seen, SimulatedHal


class Mirror:
    """The outside of a table that somebody else runs. `show` is told as a simulated table tells."""

    def __init__(self, settings: Settings, now_ns: Callable[[], int], show: Show) -> None:
        self._settings = settings
        self._now_ns = now_ns
        self._show = show
        self._guard = Lock()
        self._table: Table | None = None
        self._display: Display | None = None
        self._words = Words(settings.language, settings.locale, settings.game.currency, settings.name)
        self._dark()

    def put(self, table: Table) -> None:
        """A new last record's state."""
        with self._guard:
            self._table = table

    def look(self, *, running: bool) -> None:
        """Show the table as it is at this moment; one whose program does not run is dark."""
        with self._guard:
            if not running or self._table is None:
                if self._display is not None:
                    self._dark()
                return
            if self._display is None:
                self._hal.start(_heard)
                self._display = Display(self._settings.game, self._hal, self._words, self._settings.slots)
                self._show(Told.POWER, Power.ON)
            self._display.show(self._table, self._now_ns(), failing=False, hold_lock=False)
            self._show(Told.LAMPS, self._display.lamps)

    def _dark(self) -> None:
        self._hal = SimulatedHal(self._settings.wiring, self._now_ns, watch=self._watch)
        self._display = None
        for line, on in self._hal.outputs.items():
            self._show(f"out.{line}", on)
        self._show(Told.LAMPS, ())
        self._show(Told.SCREEN, None)
        self._show(Told.SIGN, "")
        self._show(Told.POWER, Power.STOPPED)

    def _watch(self, seen: Seen) -> None:
        tell(self._show, seen, self._hal)


def _heard(_message: Message) -> None:
    """A mirror has no inputs; nothing is ever put."""
