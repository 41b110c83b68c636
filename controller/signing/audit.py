"""Proof of a journal on any machine: of the file itself or of an exported copy, with nothing but the public key.

It joins the chain (`journal.verify`), the signatures, what the rules make of each event and, where something is wrong,
the money in doubt.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from pathlib import Path

import msgspec
from msgspec.structs import replace

from controller.core import events as ev
from controller.core.money import Currency
from controller.journal import Finding, Flaw, Head, Record, Verdict, reader
from controller.journal.chain import GENESIS
from controller.journal.copies import copied_rows, format_of
from controller.journal.export import Format
from controller.journal.read import check_present, decodable, readable_after
from controller.journal.record import LineError
from controller.journal.verify import Walk, check_copy, check_journal
from controller.signing.doubt import Doubt, doubt
from controller.signing.replay import Replay
from controller.signing.signatures import Named, Signatures

_OF_SIGNATURES = frozenset({Flaw.SIGNATURE, Flaw.KEY, Flaw.HEAD, Flaw.REPLAY})
"""Flaws of a history that may have been rewritten before the record where it shows: only what is proven stands."""


class Proof(msgspec.Struct, frozen=True):
    """What was found in a journal or a copy of one.

    `records` are good up to `head`. `signed` is the newest record under a good signature, None if there is none, and
    `unsigned` how many good records come after it (its own signature not counted). `keys`: every key it named.
    `replayed`: each record was worked out anew; `recoveries`: records whose amounts two persons vouch for, no rule.
    `begins`: what the recovery trusted that record 1 is; None where it is the commissioning.
    `bad` is the first flaw and `doubt` the money it puts in doubt.
    """

    form: str
    table: str
    records: int
    head: Head
    signatures: int
    signed: Head | None
    unsigned: int
    keys: tuple[Named, ...]
    replayed: bool
    recoveries: tuple[int, ...]
    bad: Finding | None
    doubt: Doubt | None
    begins: ev.Trusted | None = None


def prove(path: Path, heads: Sequence[Head] = (), keys: Iterable[str] = (), *, replay: bool = True) -> Proof:
    """Check every record, the chain, and every signature of a journal or an exported copy.

    `heads` and `keys` are known from elsewhere. `replay`: work each record out anew from the one before it.
    Raises `JournalError` when the file cannot be read at all or is no
    journal; damage is a finding, not an error.
    """
    check_present(path)
    source = _Source(path, format_of(path))
    asked = Signatures(keys)
    again = Replay()
    kept = _Kept(asked, heads, again if replay else None)
    verdict = source.check(Walk(heads, kept))
    bad = verdict.bad or asked.end_flaw()
    found = Proof(
        form="journal" if source.form is None else source.form.value,
        table=asked.table,
        records=verdict.records,
        head=verdict.head,
        signatures=asked.good,
        signed=_head(asked.proven),
        # The newest signature stands right behind what it signs, and is a record that nothing signs.
        unsigned=verdict.records - (0 if asked.proven is None else asked.proven.seq + 1),
        keys=tuple(asked.keys),
        replayed=replay,
        recoveries=tuple(again.recoveries),
        bad=bad,
        doubt=None,
        begins=_begins(kept.first),
    )
    return found if bad is None else _doubted(found, source, bad, kept)


def _doubted(found: Proof, source: "_Source", bad: Finding, kept: "_Kept") -> Proof:
    stands = kept.last
    if bad.flaw in _OF_SIGNATURES:
        stands = kept.anchor
        head = _head(stands) or Head(0, GENESIS)
        found = replace(found, records=head.seq, head=head, unsigned=0)
    if bad.seq == 0:
        return found
    with source.readable_after(found.records) as rest:
        read = list(islice(rest, 1))
        first = kept.first or next(iter(read), None)
        money = doubt(stands, chain(read, rest), None if first is None else _currency(first))
    return replace(found, doubt=money)


def _begins(first: Record | None) -> ev.Trusted | None:
    event = None if first is None else first.event
    return event.trusted if isinstance(event, ev.JournalRecovered) else None


def _head(record: Record | None) -> Head | None:
    return None if record is None else Head(record.seq, record.digest)


class _Source(msgspec.Struct, frozen=True):
    """A journal (`form` None) or a copy of one."""

    path: Path
    form: Format | None

    def check(self, walk: Walk) -> Verdict:
        """Let `walk` go through it."""
        if self.form is not None:
            return check_copy(copied_rows(self.path, self.form), walk)
        with reader(self.path) as connection:
            return check_journal(connection, walk)

    @contextmanager
    def readable_after(self, seq: int) -> Iterator[Iterator[Record]]:
        """What can be read behind record `seq`, right or not."""
        if self.form is not None:
            yield self._copied_after(self.form, seq)
            return
        with reader(self.path) as connection:
            yield readable_after(connection, seq)

    def _copied_after(self, form: Format, seq: int) -> Iterator[Record]:
        for row in copied_rows(self.path, form):
            if not isinstance(row, LineError) and row[0] > seq:
                yield from decodable(row)


class _Kept:
    """The watch of one proof: signatures, and the records that it is told from."""

    def __init__(self, asked: Signatures, heads: Sequence[Head], replay: Replay | None) -> None:
        self._asked = asked
        self._replay = replay
        self._known = {head.seq for head in heads}
        self.first: Record | None = None
        self.last: Record | None = None
        self.anchor: Record | None = None
        """The newest record that a signature or a head from elsewhere vouches for."""

    def __call__(self, record: Record) -> Finding | None:
        found = self._asked(record) or (None if self._replay is None else self._replay(record))
        if found is not None:
            return found
        self.first, self.last = self.first or record, record
        if record.seq in self._known:
            self.anchor = record
        elif isinstance(record.event, ev.HeadSigned):
            self.anchor = self._asked.proven
        return None


def _currency(first: Record) -> Currency | None:
    """The currency of the rules that a first record holds; None where it is no first record or holds none."""
    match first.event:
        case ev.Commissioned(rules=rules) | ev.JournalRecovered(rules=rules):
            try:
                return msgspec.json.decode(rules, type=_Rules).currency
            except msgspec.MsgspecError:
                return None
        case _:
            return None


class _Rules(msgspec.Struct, frozen=True):
    currency: Currency
