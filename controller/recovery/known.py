"""What the copies of a table's history still say, good or not, where two persons enter its amounts from paper.

Nothing here is trusted; it binds them all the same: what a copy remembers is not forgotten because people read paper.
It reads journals, the one set aside before included, and changes nothing.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec

from controller.core import events as ev
from controller.core.state import Award
from controller.journal import JournalError, Record
from controller.journal.aside import with_those_aside
from controller.journal.read import readable_after, reader
from controller.signing.key import short_key
from controller.witness.examine import Examined
from controller.witness.slot import Slot
from controller.witness.store import SLOT_NAMES, Absent
from controller.witness.told import at
from controller.witness.verdict import BadJournal

_Telling = ev.Commissioned | ev.ParametersChanged | ev.JournalRecovered
"""The events that name rules and terms."""

SAID_MAX: Final = 300
"""Characters that are kept of what is said of one copy: the record must fit into a slot of the witness."""


class Known(msgspec.Struct, frozen=True):
    """What the newest copy that can be read at all says. `record` None: there is none.

    `rules` and `terms`: the last ones that any record gives, as builtins; None: none does. `received`: transfers that
    any copy remembers.
    """

    source: str = ""
    record: Record | None = None
    rules: Mapping[str, object] | None = None
    terms: Mapping[str, object] | None = None
    received: tuple[str, ...] = ()

    @property
    def unpaid(self) -> tuple[Award, ...]:
        """Awards that the newest copy calls approved and not paid."""
        if self.record is None:
            return ()
        return tuple(award for award in self.record.state.awards if not award.paid)

    @property
    def last_award(self) -> int:
        """Number of the last slip that it speaks of; 0 where it speaks of none."""
        return 0 if self.record is None else self.record.state.awards_made

    @property
    def round(self) -> int:
        """The round that it was in; 1 where there is no copy."""
        return 1 if self.record is None else self.record.state.round

    @property
    def users(self) -> int:
        """Changes of the list of persons that it has seen."""
        return 0 if self.record is None else self.record.state.users


def known(journal: Path, table: str) -> Known:
    """What can be read of this table's journal and of those set aside beside it; the journal counts as the newest."""
    found = [each for path in with_those_aside(journal) if (each := _read(path, table)) is not None]
    if not found:
        return Known()
    newest = found[0]
    rules = next((each.rules for each in found if each.rules is not None), None)
    terms = next((each.terms for each in found if each.terms is not None), None)
    received = dict.fromkeys(name for each in reversed(found) for name in each.received)
    return Known(newest.source, newest.record, rules, terms, tuple(received))


def copies_said(found: Examined, said: Known, money: Callable[[int], str]) -> tuple[str, ...]:
    """Each copy in one line: its head and pots, or why it is not believed; for people, and for the record."""
    journal = found.journal
    lines = [f"journal: {journal.why if isinstance(journal, BadJournal) else at(journal.last, money)}"]
    if isinstance(journal, BadJournal) and said.record is not None:
        lines.append(f"{said.source}, not proven: {at(said.record, money)}")
    for name, slot in zip(SLOT_NAMES, found.slots, strict=True):
        match slot:
            case Slot(table=table, record=record, key=key) if slot in found.unproven:
                by = short_key(key) or "nobody"
                lines.append(f"{name}: not proven, signed by {by}: table {table}, {at(record, money)}")
            case Slot(table=table, record=record):
                lines.append(f"{name}: table {table}, {at(record, money)}")
            case Absent():
                lines.append(f"{name}: it is not there")
            case damaged:
                lines.append(f"{name}: damaged: {damaged.why}")
    return tuple(line[:SAID_MAX] for line in lines)


def _read(path: Path, table: str) -> Known | None:
    """What one file says; None where nothing of it can be read, or it is another table's."""
    last: Record | None = None
    telling: list[Record] = []
    received: dict[str, None] = {}
    # A file that is no journal is no copy: why the journal is not believed is told by who examined it.
    with suppress(JournalError), reader(path) as connection:
        for record in readable_after(connection, 0):
            if getattr(record.event, "table", table) != table and record.seq == 1:
                return None
            if last is None or record.seq > last.seq:
                last = record
            if isinstance(record.event, _Telling) and not _refused(record):
                telling.append(record)
            received |= dict.fromkeys(record.state.received)
    if last is None:
        return None
    rules, terms = _newest(telling, lambda event: event.rules), _newest(telling, lambda event: event.terms)
    return Known(path.name, last, rules, terms, tuple(received))


def _refused(record: Record) -> bool:
    return any(isinstance(result, ev.Refused) for result in record.results)


def _newest(telling: Sequence[Record], named: Callable[[_Telling], str]) -> Mapping[str, object] | None:
    """What the newest record names that names any, and can be read."""
    for record in sorted(telling, key=lambda each: each.seq, reverse=True):
        if isinstance(record.event, _Telling):
            with suppress(msgspec.MsgspecError, UnicodeError, RecursionError):
                return msgspec.json.decode(named(record.event), type=dict[str, object])
    return None
