"""The second copy as the running table keeps it: what is owed to the witness, and what becomes of a write that fails.

It is written after the journal's commit and after the outputs, so that no lamp waits for it; a chip that comes in the
meantime does. A failure is tried again, never waited for.
"""

from collections.abc import Sequence
from typing import Final

from controller.core.events import WitnessFound, WitnessLost
from controller.journal import Entry
from controller.journal.record import Row
from controller.witness.errors import TooLargeError, WitnessWriteError
from controller.witness.significant import significant
from controller.witness.store import Witness

RETRY_NS: Final = 1_000_000_000
"""How often a write that failed is tried again."""


class SecondCopy:
    """Remembers the newest record that must be in the witness, and puts it there."""

    def __init__(self, witness: Witness) -> None:
        self._witness = witness
        self._owed: Row | None = None
        self._lost = False
        self._retry_ns = 0

    def owe(self, entries: Sequence[Entry], row: Row) -> None:
        """Tell of a batch that is in the journal; `row` is its last record, which holds the state after all of it."""
        if self._owed is not None or significant(entries):
            self._owed = row

    def settle(self, now_ns: int) -> WitnessLost | WitnessFound | None:
        """Write what is owed, if it is time; what there is to tell, if that changed."""
        if self._owed is None or (self._lost and now_ns < self._retry_ns):
            return None
        try:
            self._witness.write(self._owed)
        except (WitnessWriteError, TooLargeError) as error:
            self._retry_ns = now_ns + RETRY_NS
            told = None if self._lost else WitnessLost(now_ns, str(error))
            self._lost = True
            return told
        self._owed = None
        told_found = WitnessFound(now_ns) if self._lost else None
        self._lost = False
        return told_found
