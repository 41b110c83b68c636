"""Proof of a journal: every record read, in order, against the chain, its types, and the file's own structure.

It shares with the writer the digest's definition, and asks the core one question: whether a state's money balances.
What more there is to ask of a record (its signature) a `Watch` asks, who knows keys.
"""

import sqlite3
from collections.abc import Callable, Iterable
from enum import StrEnum
from pathlib import Path

import msgspec

from controller.core.pot import imbalance
from controller.journal import schema
from controller.journal.chain import GENESIS, Head, digest
from controller.journal.errors import primary_code
from controller.journal.read import FIRST_KINDS, reader, rows
from controller.journal.record import LineError, Record, Row, RowError, decode

STEP_RECORDS = 1_000
STEP_OPCODES = 1_000_000
"""After so many records, or instructions of SQLite's own check where it tells of them, a long proof says it gets on."""


class Flaw(StrEnum):
    """What is wrong with a journal."""

    FORMAT = "format"
    """Not the table this program makes."""
    MISSING = "missing"
    """A record is not where it should be: removed, or numbered otherwise."""
    ORDER = "order"
    """A record stands after one with a higher number, or with the same."""
    DIGEST = "digest"
    """A record was changed, or stands in another's place."""
    RECORD = "record"
    """A record cannot be read, or contradicts itself."""
    BEGINNING = "beginning"
    """Record 1 is not the commissioning, or there is none."""
    BOOT = "boot"
    """A record of an earlier session after one of a later."""
    PAGE = "page"
    """The file's own structure is broken."""
    MONEY = "money"
    """The state of a record does not keep the law of money."""
    TRUNCATED = "truncated"
    """The journal ends before the head that is known from elsewhere."""
    HEAD = "head"
    """The record under the head's number is another one: the history was rewritten."""
    SIGNATURE = "signature"
    """A signed head is not the record before it, or the signature is not the trusted key's."""
    REPLAY = "replay"
    """The rules in force make something else of the event and the state before it: the record was made up."""
    KEY = "key"
    """The journal names a key that is not among those filed, or changed to one that nothing vouches for."""


class Finding(msgspec.Struct, frozen=True):
    """The first thing that is wrong: at which record (0: the file), what, and the detail."""

    seq: int
    flaw: Flaw
    detail: str


class Verdict(msgspec.Struct, frozen=True):
    """`records` were found good up to `head`; `bad` is the first flaw, None in a good journal."""

    records: int
    head: Head
    bad: Finding | None


Watch = Callable[[Record], Finding | None]
"""Asked about each good record in turn: what is wrong with it, or None."""


def nobody() -> None:
    """Nobody waits for the end of it."""


def verify(path: Path, head: Head | None = None, progress: Callable[[], None] = nobody) -> Verdict:
    """Check the whole journal at `path`, also against a `head` known from elsewhere.

    `progress` is called from time to time while it gets on, so that a long check is told from one that hangs.
    Without a head a cut-off end cannot be seen: what is left is a good, shorter journal. Raises `JournalError` when
    the file cannot be read at all; damage is a verdict, not an error.
    """
    with reader(path) as connection:
        return check(connection, head, progress)


def check(
    connection: sqlite3.Connection, head: Head | None = None, progress: Callable[[], None] = nobody
) -> Verdict:
    """As `verify`, on an open connection."""
    return check_journal(connection, Walk(() if head is None else (head,), progress=progress))


def check_journal(connection: sqlite3.Connection, walk: "Walk") -> Verdict:
    """Let `walk` go through a journal, and look at the file's own structure."""
    try:
        bad = (
            _format_flaw(connection)
            or walk.through(rows(connection))
            or _structure_flaw(connection, walk.progress)
        )
    except sqlite3.Error as error:
        if primary_code(error) in _ENVIRONMENT:
            raise
        bad = walk.unreadable(error)
    except UnicodeError as error:
        bad = walk.unreadable(error)
    return walk.verdict(bad)


def check_copy(found: Iterable[Row | LineError], walk: "Walk") -> Verdict:
    """Let `walk` go through the rows of an exported copy."""
    return walk.verdict(walk.through(found))


_ENVIRONMENT = frozenset(
    {
        sqlite3.SQLITE_BUSY,
        sqlite3.SQLITE_LOCKED,
        sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_CANTOPEN,
        sqlite3.SQLITE_PERM,
        sqlite3.SQLITE_PROTOCOL,
    }
)
"""Codes that tell of the machine, not of the journal."""


NOTHING = Head(0, GENESIS)
"""The head of a journal that has not begun."""


class Walk:
    """One way through the records; `last` is the last good one.

    `heads` are known from elsewhere; a digest there may be its first digits only, as paper has them. `watch` is asked
    about each record whose place, digest and content are right; `progress` is called now and then. `after`: the head
    behind which it begins.
    """

    def __init__(
        self,
        heads: Iterable[Head],
        watch: Watch = lambda _: None,
        progress: Callable[[], None] = nobody,
        *,
        after: Head = NOTHING,
    ) -> None:
        self.progress = progress
        self.last = after
        self._boot = 0
        self._heads = {head.seq: head.digest for head in heads}
        self._watch = watch

    def through(self, found: Iterable[Row | LineError]) -> Finding | None:
        """Go on until the first flaw."""
        for row in found:
            if isinstance(row, LineError):
                return Finding(self.last.seq + 1, Flaw.RECORD, str(row))
            bad = self._flaw(row)
            if bad is not None:
                return bad
            self.last = Head(row[0], row[-1])
            self._boot = row[1]
            if row[0] % STEP_RECORDS == 0:
                self.progress()
        return None

    def unreadable(self, error: Exception) -> Finding:
        """The flaw of a file that broke off here."""
        return Finding(self.last.seq + 1, Flaw.PAGE, f"it cannot be read: {error}")

    def verdict(self, bad: Finding | None) -> Verdict:
        """What was found: `bad`, or what is wrong with the end."""
        return Verdict(self.last.seq, self.last, bad or self._end_flaw())

    def _end_flaw(self) -> Finding | None:
        if self.last.seq == 0:
            return Finding(1, Flaw.BEGINNING, "it holds no record, not even the commissioning")
        furthest = max(self._heads, default=0)
        if furthest <= self.last.seq:
            return None
        return Finding(
            self.last.seq + 1,
            Flaw.TRUNCATED,
            f"it ends at record {self.last.seq}; the head says there is a record {furthest}",
        )

    def _flaw(self, row: Row) -> Finding | None:
        expected = self.last.seq + 1
        seq = row[0]
        if seq != expected:
            return _misplaced(seq, expected)
        if row[-1] != digest(self.last.digest, row[:-1]):
            return Finding(seq, Flaw.DIGEST, "its content does not give its digest: it was changed")
        try:
            record = decode(row)
        except RowError as error:
            return Finding(seq, Flaw.RECORD, str(error))
        if record.boot < self._boot:
            return Finding(seq, Flaw.BOOT, f"it is of session {record.boot}, after one of {self._boot}")
        if record.kind not in FIRST_KINDS if seq == 1 else record.kind == "commissioned":
            return Finding(seq, Flaw.BEGINNING, f"{record.kind!r} as record {seq}: only record 1 commissions")
        missing = imbalance(record.state.pot)
        if missing:
            return Finding(seq, Flaw.MONEY, f"{missing} millionths of a minor unit are missing from its pot")
        known = self._heads.get(seq, "")
        if not record.digest.startswith(known):
            return Finding(seq, Flaw.HEAD, f"its digest is {record.digest}; the head says {known}")
        return self._watch(record)


def _misplaced(seq: int, expected: int) -> Finding:
    if seq > expected:
        return Finding(expected, Flaw.MISSING, f"it is not there; record {seq} follows {expected - 1}")
    return Finding(expected, Flaw.ORDER, f"record {seq} stands in its place")


def _format_flaw(connection: sqlite3.Connection) -> Finding | None:
    flaw = schema.flaw(connection)
    if flaw is None and schema.version(connection) != schema.VERSION:
        flaw = f"it has format {schema.version(connection)}, this program knows {schema.VERSION}"
    return None if flaw is None else Finding(0, Flaw.FORMAT, flaw)


def _structure_flaw(connection: sqlite3.Connection, progress: Callable[[], None]) -> Finding | None:
    connection.set_progress_handler(progress, STEP_OPCODES)
    answer = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
    connection.set_progress_handler(None, 0)
    return None if answer == "ok" else Finding(0, Flaw.PAGE, answer)
