"""Brings the journal to an adapter: in order, at least once, gone on from the adapter's own cursor.

An adapter is one small file with one method: see `Adapter`, `folder` for the shortest, and docs/link.md.
"""

import logging
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Protocol

from controller.clock import Clock
from controller.journal import JournalError
from controller.journal.chain import Head
from controller.journal.record import Row
from controller.link import outbox
from controller.link.cursor import Cursor, CursorError, path_of
from controller.link.pauses import Pauses

LOOK_NS: Final = 1_000_000_000
"""How often the journal is looked into for something new."""

LOG = logging.getLogger(__name__)


class AdapterError(Exception):
    """A receiver did not take what was delivered. The text says which, why, and what to do."""


class Adapter(Protocol):
    """A receiver of records."""

    @property
    def name(self) -> str:
        """What it is called, in file names and in the log: small letters."""

    def deliver(self, rows: Sequence[Row]) -> int:
        """Deliver rows of rising numbers, and give the number of the last that the receiver has safely.

        The number before the first row means none. A row may be delivered again; table and number tell which it is.
        Raises `AdapterError`.
        """


class Courier:
    """Brings one journal to one adapter. `chance` spreads its pauses (`Pauses`)."""

    def __init__(self, journal: Path, adapter: Adapter, clock: Clock, chance: Callable[[], float]) -> None:
        self._journal = journal
        self._adapter = adapter
        self._clock = clock
        self._pauses = Pauses(chance)
        self._cursor = Cursor(path_of(journal, adapter.name))
        self.trouble = ""
        """Why nothing is delivered now; empty while all is well."""

    def turn(self) -> int:
        """Deliver one page at most. The monotonic time of the next turn, in nanoseconds."""
        return self._worked() + self._clock.monotonic_ns()

    def _worked(self) -> int:
        try:
            more = self._carried()
        except (AdapterError, CursorError, JournalError, outbox.OtherHistoryError) as error:
            self._say(str(error))
            return self._pauses.next_ns()
        self._say("")
        self._pauses.over()
        return 0 if more else LOOK_NS

    def _carried(self) -> bool:
        """Deliver the next page; whether there is more."""
        rows = outbox.after(self._journal, self._cursor.read(), f"the {self._adapter.name}")
        if not rows:
            return False
        first, last = rows[0][0], rows[-1][0]
        taken = self._adapter.deliver(rows)
        if not first - 1 <= taken <= last:
            raise AdapterError(
                f"the {self._adapter.name} acknowledged record {taken}, and was given {first} to {last}: nothing of it "
                "counts; see to the receiver"
            )
        if taken < first:
            raise AdapterError(f"the {self._adapter.name} took nothing of records {first} to {last}")
        self._cursor.write(Head(taken, rows[taken - first][-1]))
        return taken < last or len(rows) == outbox.PAGE

    def _say(self, trouble: str) -> None:
        if trouble == self.trouble:
            return
        self.trouble = trouble
        LOG.warning("%s: %s", self._adapter.name, trouble or "delivering again")
