"""Looks at both copies of a table's history before anybody writes to either. Nothing is changed by it.

The cost does not grow with the history, but where nothing is left of the witness: then the whole chain is checked.
"""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from controller.core.events import HeadSigned, JournalRecovered
from controller.journal import (
    DamagedError,
    Head,
    JournalMissingError,
    NotCommissionedError,
    Record,
    WrongTableError,
    check_table,
    ends_of,
    page,
    recent,
    verify,
)
from controller.witness.slot import Slot
from controller.witness.store import Absent, Slots, Witness
from controller.witness.verdict import (
    AllDamaged,
    BadJournal,
    GoodJournal,
    Lack,
    NothingTrusted,
    Verdict,
    compare,
)


class Examined(NamedTuple):
    """What was found, and what follows from it."""

    journal: GoodJournal | BadJournal
    slots: Slots
    verdict: Verdict


def examine(journal: Path, table: str, witness: Witness, working: Callable[[], None]) -> Examined:
    """Look at journal and witness of `table`. `working` is called now and then while the whole chain is checked.

    Raises `NotCommissionedError` where there is neither, `WitnessDeniedError`, and the journal's errors that speak of
    the machine or the program, not of the history.
    """
    slots = witness.look()
    found = _journal(journal, table, slots)
    verdict = compare(found, slots, table)
    if isinstance(verdict, AllDamaged):
        bad = verify(journal, None, working).bad
        if bad is not None:
            found = BadJournal(Lack.DAMAGED, f"{journal} is damaged at record {bad.seq}: {bad.detail}")
            verdict = NothingTrusted(found, verdict.why)
    return Examined(found, slots, verdict)


def _journal(path: Path, table: str, slots: Slots) -> GoodJournal | BadJournal:
    try:
        found = ends_of(path)
        check_table(found.first, table, path)
        heads = [slot.head for slot in slots if isinstance(slot, Slot)]
        at = dict(_digests(path, [head.seq for head in heads if head.seq <= found.last.seq]))
        return GoodJournal(found.last, at, _superseded(path, found.last))
    except NotCommissionedError:
        if all(isinstance(slot, Absent) for slot in slots):
            raise
        return BadJournal(Lack.MISSING, f"There is no journal at {path}")
    except JournalMissingError as error:
        return BadJournal(Lack.MISSING, str(error))
    except DamagedError as error:
        return BadJournal(Lack.DAMAGED, str(error))
    except WrongTableError as error:
        return BadJournal(Lack.FOREIGN, str(error))


def _superseded(path: Path, last: Record) -> frozenset[Head]:
    """The heads that a recovery left behind, if that is what the journal did last, its signature aside."""
    event = recent(path, 2)[0].event if isinstance(last.event, HeadSigned) else last.event
    left = event.witness if isinstance(event, JournalRecovered) else ()
    return frozenset(Head(head.seq, head.digest) for head in left)


def _digests(path: Path, numbers: list[int]) -> list[tuple[int, str]]:
    """The digests of these records, as far as the journal has them."""
    rows = [row for seq in numbers for row in page(path, seq - 1, 1)]
    return [(row[0], row[-1]) for row in rows]
