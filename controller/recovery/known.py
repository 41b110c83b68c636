"""What the copies of a table's history still say, good or not, where two persons enter its amounts from paper.

What the device signed binds them: it is not forgotten because people read paper. What stands behind that, or in a copy
that nobody signed, is hearsay, for whoever can write the file can write it: it is shown, and taken only where both
persons enter it. It reads journals, the one set aside before included, and changes nothing.
"""

import sqlite3
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

import msgspec
from msgspec.structs import replace

from controller.config import game_digest
from controller.core import events as ev
from controller.core.state import Award
from controller.journal import Head, JournalError, Record
from controller.journal.aside import with_those_aside
from controller.journal.chain import GENESIS, digest
from controller.journal.read import readable_after, reader, row_at
from controller.journal.record import RowError, decode
from controller.signing.device import own_keys
from controller.signing.heads import head_message
from controller.signing.key import genuine, short_key
from controller.signing.replay import rules_named
from controller.witness.examine import Examined
from controller.witness.slot import Slot
from controller.witness.store import SLOT_NAMES, Absent
from controller.witness.told import at
from controller.witness.verdict import BadJournal

_Telling = ev.Commissioned | ev.ParametersChanged | ev.JournalRecovered

SAID_MAX: Final = 300
"""Characters that are kept of what is said of one copy: the record must fit into a slot of the witness."""

MOST_HEARSAY: Final = 3
"""Copies of which what nobody signed is told, the newest; whoever plants more of them hides nothing that is signed."""


class Hearsay(msgspec.Struct, frozen=True):
    """The last record that can be read in a copy and that no signed head of this table covers."""

    source: str
    record: Record

    @property
    def unpaid(self) -> tuple[Award, ...]:
        """Awards that it calls approved and not paid."""
        return _unpaid(self.record)


class Known(msgspec.Struct, frozen=True):
    """What the newest signed copy says, up to its newest signed head. `record` None: there is none.

    `rules` and `terms`: the last ones that any record gives, as builtins; `vouched`: the signed state names these rules
    by their digest. `received`: transfers that any signed copy remembers. `hearsay`: what nobody signed, the newest
    copy first.
    """

    source: str = ""
    record: Record | None = None
    rules: Mapping[str, object] | None = None
    terms: Mapping[str, object] | None = None
    received: tuple[str, ...] = ()
    vouched: bool = False
    hearsay: tuple[Hearsay, ...] = ()

    @property
    def unpaid(self) -> tuple[Award, ...]:
        """Awards that are signed as approved and not paid."""
        return () if self.record is None else _unpaid(self.record)

    @property
    def last_award(self) -> int:
        """Number of the last slip that it speaks of; 0 where it speaks of none."""
        return 0 if self.record is None else self.record.state.awards_made

    @property
    def round(self) -> int:
        """The round that it was in; 1 where there is none."""
        return 1 if self.record is None else self.record.state.round

    @property
    def users(self) -> int:
        """Changes of the list of persons that it has seen."""
        return 0 if self.record is None else self.record.state.users


def known(journal: Path, table: str, filed: str = "") -> Known:
    """What this table's journal and those set aside beside it say; the journal counts as the newest.

    `filed`: digits that both persons read from paper: then only that key signs, else the ones beside the journal do.
    """
    own = own_keys(journal)

    def ours(key: str) -> bool:
        return key.startswith(filed) if filed else key in own

    read = [each for path in with_those_aside(journal) if (each := _read(path, table, ours)) is not None]
    hearsay = tuple(each for one in read for each in one.hearsay)[:MOST_HEARSAY]
    signed = [each for each in read if each.record is not None]
    if not signed:
        rules = next((each.rules for each in read if each.rules is not None), None)
        terms = next((each.terms for each in read if each.terms is not None), None)
        return Known(rules=rules, terms=terms, hearsay=hearsay)
    received = dict.fromkeys(name for each in reversed(signed) for name in each.received)
    return replace(signed[0], received=tuple(received), hearsay=hearsay)


def copies_said(found: Examined, said: Known, money: Callable[[int], str]) -> tuple[str, ...]:
    """Each copy in one line: its head and pots, or why it is not believed; for people, and for the record."""
    journal = found.journal
    lines = [f"journal: {journal.why if isinstance(journal, BadJournal) else at(journal.last, money)}"]
    if isinstance(journal, BadJournal) and said.record is not None:
        lines.append(f"{said.source}, signed up to: {at(said.record, money)}")
    lines.extend(f"{each.source}, hearsay: {at(each.record, money)}" for each in said.hearsay)
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


class _Read:
    """What one file gives, row by row."""

    def __init__(self) -> None:
        self.last: Record | None = None
        self.heads: list[Record] = []
        self.telling: list[Record] = []

    def take(self, record: Record) -> None:
        if self.last is None or record.seq > self.last.seq:
            self.last = record
        if isinstance(record.event, ev.HeadSigned):
            self.heads.append(record)
        elif isinstance(record.event, _Telling) and not record.refused:
            self.telling.append(record)


def _read(path: Path, table: str, ours: Callable[[str], bool]) -> Known | None:
    """What one file says; None where nothing of it can be read, or it is another table's."""
    found, signed = _Read(), None
    # A file that is no journal is no copy: why the journal is not believed is told by who examined it.
    with suppress(JournalError), reader(path) as connection:
        for record in readable_after(connection, 0):
            if getattr(record.event, "table", table) != table and record.seq == 1:
                return None
            found.take(record)
        signed = _signed(connection, table, found.heads, ours)
    if found.last is None:
        return None
    rules, vouched = _rules_of(found.telling, signed)
    terms = _newest(found.telling, lambda event: event.terms)
    # The head's own record has the state of what it signs.
    beyond = signed is None or found.last.seq > signed.seq + 1
    hearsay = (Hearsay(path.name, found.last),) if beyond else ()
    received = () if signed is None else signed.state.received
    return Known(path.name, signed, rules, terms, received, vouched, hearsay)


def _signed(
    connection: sqlite3.Connection, table: str, heads: Sequence[Record], ours: Callable[[str], bool]
) -> Record | None:
    """The newest record under a good signature of this table's key.

    Its own content and its predecessor's digest must give the digest that is signed; what may be damaged before them
    takes nothing away from it.
    """
    signatures = [head.event for head in heads if isinstance(head.event, ev.HeadSigned)]
    for event in sorted(signatures, key=lambda each: -each.seq):
        message = head_message(table, Head(event.seq, event.digest))
        if not ours(event.key) or not genuine(event.key, message, event.signature):
            continue
        with suppress(sqlite3.Error, UnicodeError, RowError):
            row, before = row_at(connection, event.seq), row_at(connection, event.seq - 1)
            previous = before[-1] if before is not None else GENESIS
            if row is not None and digest(previous, row[:-1]) == event.digest:
                return decode(row)
    return None


def _rules_of(telling: Sequence[Record], signed: Record | None) -> tuple[Mapping[str, object] | None, bool]:
    """The rules that the signed state names by their digest; else the newest, which nobody vouches for."""
    for record in sorted(telling, key=lambda each: -each.seq):
        game = rules_named(record.event)
        if signed is not None and game is not None and game_digest(game) == signed.state.game:
            return _newest([record], lambda event: event.rules), True
    return _newest(telling, lambda event: event.rules), False


def _unpaid(record: Record) -> tuple[Award, ...]:
    return tuple(award for award in record.state.awards if not award.paid)


def _newest(telling: Sequence[Record], named: Callable[[_Telling], str]) -> Mapping[str, object] | None:
    """What the newest record names that names any, and can be read."""
    for record in sorted(telling, key=lambda each: each.seq, reverse=True):
        if isinstance(record.event, _Telling):
            with suppress(msgspec.MsgspecError, UnicodeError, RecursionError):
                return msgspec.json.decode(named(record.event), type=dict[str, object])
    return None
