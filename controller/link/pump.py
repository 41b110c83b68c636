"""Brings the journal to the floor: in order, each record once, gone on from where the floor says it is.

There is no cursor of its own that could be wrong: the floor's head, asked for at each connection, is the cursor, and a
record is done with when the floor's transaction is. Whoever drives it calls `turn` when the time it gave is reached,
and may `wait` until then for a word of the floor's that makes it due before.
"""

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from controller.clock import Clock
from controller.floor import FloorDownError, FloorError, GapError
from controller.journal import JournalError
from controller.journal.chain import Head
from controller.link import outbox
from controller.link.beat import EVERY_NS, Beat
from controller.link.pauses import Pauses
from controller.link.pots import LinkedPots
from controller.link.reach import Reached
from controller.link.said import WHY_MAX

ASK_NS: Final = 1_000_000_000
"""With nothing to report the floor is asked this often how far it is: that shows that it lives, and what it has."""

NEWS_NS: Final = 200_000_000
"""A win that the floor tells of is asked about at once, but not more often than this: any login can say so."""

FLOOR: Final = "the floor"
LOG = logging.getLogger(__name__)


class Ends(NamedTuple):
    """What a pump stands between."""

    table_id: str
    journal: Path
    reach: Callable[[], Reached]
    tell: Callable[[Beat], None]
    """How the table hears of the floor."""
    program: str
    """Name and version of this program, for the floor's list."""


class Pump:
    """Reports one table's journal, and says to the table once a second how far the floor is.

    `chance` spreads its pauses (`Pauses`).
    """

    def __init__(self, ends: Ends, clock: Clock, chance: Callable[[], float]) -> None:
        self._ends = ends
        self._clock = clock
        self._pauses = Pauses(chance)
        self._pots = LinkedPots(ends.table_id, ends.journal)
        self._floor: Reached | None = None
        self._head: Head | None = None
        self._offset_ns = 0
        self._due_ns = self._beat_ns = self._asked_ns = 0
        self._sent_ns = -1
        self.trouble = "the floor was not asked yet"
        """Why there is no floor for this table now; empty while all is well."""

    @property
    def head(self) -> Head | None:
        """The floor's newest record of this table, as far as it was told; None before the first answer."""
        return self._head

    def turn(self) -> int:
        """Do what is due, one page at most. The monotonic time of the next turn, in nanoseconds."""
        if self._clock.monotonic_ns() >= self._due_ns:
            self._asked_ns = self._clock.monotonic_ns()
            pause_ns = self._worked()
            self._due_ns = self._clock.monotonic_ns() + pause_ns
        now = self._clock.monotonic_ns()
        if now >= self._beat_ns:
            self._beat_ns = now + EVERY_NS
            self._beat(now)
        return min(self._due_ns, self._beat_ns)

    def wait(self, timeout_s: float) -> bool:
        """Wait for news of linked pots, `timeout_s` seconds at most; after news the next turn is due at once.

        False if nothing can be heard now: then nothing was waited for.
        """
        if self._floor is None or not self._pots.listens:
            return False
        try:
            news = self._pots.is_news(self._floor.heard(timeout_s))
        except FloorError as error:
            self.close()
            self._say(str(error))
            return True
        if news:
            self._due_ns = self._beat_ns = min(self._due_ns, self._asked_ns + NEWS_NS)
        return True

    def close(self) -> None:
        """Hang up; safe to call twice."""
        if self._floor is not None:
            self._floor.close()
            self._floor = None
            self._pots.forget()

    def _worked(self) -> int:
        """One step, and the pause after it; what went wrong is kept and said."""
        try:
            more = self._carried(self._floor or self._reached())
        except GapError as error:
            # The floor is an older one than a moment ago, a restored backup: it is sent what it lacks.
            self._head = error.head
            return ASK_NS
        except (FloorError, JournalError, outbox.OtherHistoryError) as error:
            if isinstance(error, FloorDownError):
                self.close()
            self._say(str(error))
            return self._pauses.next_ns()
        self._say("")
        self._pauses.over()
        return 0 if more else ASK_NS

    def _reached(self) -> Reached:
        floor = self._ends.reach()
        try:
            greeting = floor.hello(self._ends.program, self._clock.wall_ns())
        except BaseException:
            floor.close()  # who did not greet may not go on
            raise
        self._floor = floor
        self._head, self._offset_ns = greeting.head, greeting.offset_ns
        return floor

    def _carried(self, floor: Reached) -> bool:
        """Report the next page, or ask how far the floor is; whether there is more to report."""
        if self._head is None or self.trouble:
            # After any failure nothing is taken for known.
            self._head = floor.head()
            self._pots.join_again()
        self._pots.look()
        self._pots.settle(floor, self._head, self._clock.monotonic_ns())
        page = outbox.after(self._ends.journal, self._head, FLOOR)
        rows = self._pots.upto_claim(page)
        self._head = floor.report(rows) if rows else floor.head()
        more = bool(rows) and (len(page) == outbox.PAGE or len(rows) < len(page))
        if rows:
            self._pots.settle(floor, self._head, self._clock.monotonic_ns())
        if not more:
            self._pots.ask(floor)
        return more

    def _say(self, trouble: str) -> None:
        if trouble == self.trouble:
            return
        self.trouble = trouble
        if trouble:
            LOG.warning("table %s: %s", self._ends.table_id, trouble)
        else:
            LOG.warning("table %s: the floor has record %s; reporting", self._ends.table_id, self._head)

    def _beat(self, now: int) -> None:
        self._sent_ns = max(now, self._sent_ns + 1)
        seq, digest = (None, None) if self._head is None else self._head
        why = (self.trouble or self._pots.why)[:WHY_MAX]
        pots = () if self.trouble else self._pots.links
        answers = () if self.trouble else self._pots.answers
        beat = Beat(self._ends.table_id, self._sent_ns, why, seq, digest, self._offset_ns, pots, answers)
        self._ends.tell(beat)
