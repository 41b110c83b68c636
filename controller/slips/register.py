"""The register of papers: what of each slip was put on paper, beside the journal and never in it.

Printing moves no money and decides nothing in play, so it is no event of the table, and no second program ever writes
the journal. The register is `<journal>.slips`, an SQLite file of its own to which rows are only added, chained by
digest. A paper is `started` and on the medium before its first byte leaves, and `finished` when the printer took all
of it and still has paper. What was started and never finished may lie in somebody's hand: whatever is printed after
it says so. That is also the cursor: a slip is due until one of its papers is finished.
"""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import msgspec

from controller.journal import ends_of
from controller.slips.source import table_of

ATTEMPTS_MAX: Final = 3
"""Papers of one slip that may fail half-way before it is printed only when somebody asks for it."""

_GENESIS: Final = "0" * 64
_TABLE_SQL: Final = """CREATE TABLE papers(
  id INTEGER PRIMARY KEY,
  wall_ns INTEGER NOT NULL,
  act TEXT NOT NULL,
  number INTEGER NOT NULL,
  copy INTEGER NOT NULL,
  detail TEXT NOT NULL,
  digest TEXT NOT NULL
) STRICT"""


class RegisterError(RuntimeError):
    """The register cannot be used; the message says what to do."""


class Act(StrEnum):
    """What happened to a paper."""

    BEGUN = "begun"
    STARTED = "started"
    FINISHED = "finished"
    FAILED = "failed"
    VOIDED = "voided"


class Begun(msgspec.Struct, frozen=True):
    """With what a register began: its table, the journal's first digest, its head, and which slips were owed then."""

    table: str
    genesis: str
    seq: int
    awards_made: Annotated[int, msgspec.Meta(ge=0)]
    owed: tuple[int, ...]


class Done(NamedTuple):
    """One row about a slip. `copy` 0 is the original.

    `detail`: of a paper that failed or is void, why; of one that was started or finished, the digest of the record
    that it was made of, empty in a register from before that was kept.
    """

    act: Act
    wall_ns: int
    copy: int
    detail: str


class Paper(msgspec.Struct, frozen=True):
    """A paper to be printed. `copy` 0 is the original, else the copy's number.

    `reprint`: an earlier print may exist whose end nobody saw. `replaces`: the one before was declared void. `void`:
    the reason why this very paper is void, else empty. `foreign`: the digest of another record that papers of this
    number were made of, else empty. `digest`: of its own record.
    """

    number: int
    copy: int
    wall_ns: int
    trusted: bool
    reprint: bool = False
    replaces: bool = False
    void: str = ""
    foreign: str = ""
    digest: str = ""


class Register:
    """One table's register, open. Made by `opened`."""

    def __init__(self, connection: sqlite3.Connection, path: Path, begun: Begun, digest: str) -> None:
        self._connection = connection
        self._path = path
        self._begun = begun
        self._digest = digest

    def history(self, number: int) -> tuple[Done, ...]:
        """What happened to the papers of slip `number`, oldest first."""
        rows = self._connection.execute(
            "SELECT act, wall_ns, copy, detail FROM papers WHERE number = ? ORDER BY id", (number,)
        )
        try:
            return tuple(Done(Act(act), wall_ns, copy, detail) for act, wall_ns, copy, detail in rows)
        except ValueError as error:
            raise _unusable(self._path, str(error)) from error

    def due(self, awards_made: int) -> tuple[int, ...]:
        """Slips without a finished paper, up to number `awards_made`, that may still be tried by themselves.

        Of those older than the register only the ones owed when it began.
        """
        wanted = {*self._begun.owed, *range(self._begun.awards_made + 1, awards_made + 1)}
        rows = self._connection.execute(
            "SELECT number FROM papers GROUP BY number HAVING sum(act = 'finished') > 0 OR sum(act = 'started') >= ?",
            (ATTEMPTS_MAX,),
        )
        return tuple(sorted(wanted - {number for (number,) in rows}))

    def given_up(self) -> tuple[int, ...]:
        """Slips that failed so often that they are printed only when somebody asks."""
        rows = self._connection.execute(
            "SELECT number FROM papers GROUP BY number HAVING sum(act = 'finished') = 0 AND sum(act = 'started') >= ?",
            (ATTEMPTS_MAX,),
        )
        return tuple(number for (number,) in rows)

    def foreign(self, number: int, digest: str) -> str:
        """The digest of another record than this one that the newest such paper of the number was made of, else empty.

        A number is handed out again after a recovery; and rows that somebody put into a journal, had printed and took
        out again leave a paper that no award stands behind.
        """
        made = [done.detail for done in self.history(number) if done.act is Act.STARTED]
        return next((detail for detail in reversed(made) if detail not in {"", digest}), "")

    def lacks(self, number: int, digest: str) -> bool:
        """Whether what is on paper under this number is of another record only, and this one may still be tried."""
        acts = [done.act for done in self.history(number) if done.detail == digest]
        ended = Act.FINISHED in acts or acts.count(Act.STARTED) >= ATTEMPTS_MAX
        return bool(self.foreign(number, digest)) and not ended

    def start(self, number: int, digest: str, wall_ns: int, *, trusted: bool) -> Paper:
        """Take the next paper of a slip, made of this record; from here on it counts as one that may exist."""
        history = self.history(number)
        papers = [done for done in history if done.act is Act.STARTED]
        ended = {done.copy for done in history if done.act is Act.FINISHED}
        unknown = number <= self._begun.awards_made and not papers
        paper = Paper(
            number=number,
            copy=len(papers),
            wall_ns=wall_ns,
            trusted=trusted,
            reprint=unknown or any(done.copy not in ended for done in papers),
            replaces=bool(papers)
            and any(done.act is Act.VOIDED and done.copy == papers[-1].copy for done in history),
            foreign=self.foreign(number, digest),
            digest=digest,
        )
        self._add(wall_ns, Act.STARTED, number, paper.copy, digest)
        return paper

    def finish(self, paper: Paper, wall_ns: int) -> None:
        """The printer has taken the whole paper."""
        self._add(wall_ns, Act.FINISHED, paper.number, paper.copy, paper.digest)

    def fail(self, paper: Paper, wall_ns: int, why: str) -> None:
        """The paper's end was not seen."""
        self._add(wall_ns, Act.FAILED, paper.number, paper.copy, why)

    def void(self, number: int, wall_ns: int, reason: str, *, trusted: bool) -> Paper:
        """Declare the newest paper of a slip void and return it, marked. The award itself stands.

        Raises `RegisterError` without a reason, without a paper, or if that paper is void already.
        """
        if not reason.strip():
            raise RegisterError("a void paper needs its reason: nothing was done")
        history = self.history(number)
        copies = [done.copy for done in history if done.act is Act.STARTED]
        if not copies:
            raise RegisterError(f"slip {number} was never printed: there is no paper to declare void")
        if any(done.act is Act.VOIDED and done.copy == copies[-1] for done in history):
            raise RegisterError(
                f"the newest paper of slip {number} is void already: print another with --copy"
            )
        self._add(wall_ns, Act.VOIDED, number, copies[-1], reason)
        return Paper(number, copies[-1], wall_ns, trusted, void=reason)

    def _add(self, wall_ns: int, act: Act, number: int, copy: int, detail: str) -> None:
        self._digest = _chained(self._digest, (wall_ns, act.value, number, copy, detail))
        self._connection.execute(
            "INSERT INTO papers(wall_ns, act, number, copy, detail, digest) VALUES(?,?,?,?,?,?)",
            (wall_ns, act.value, number, copy, detail, self._digest),
        )


def path_of(journal: Path) -> Path:
    """Where the register of a journal is."""
    return journal.with_name(journal.name + ".slips")


@contextmanager
def opened(journal: Path, wall_ns: Callable[[], int]) -> Iterator[Register]:
    """Open a journal's register, or begin one. One program at a time: the caller holds its lock.

    A new register cannot know what was printed before it: slips of awards that are there already are marked as
    reprints. Raises `RegisterError`, and the journal's errors.
    """
    path = path_of(journal)
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA synchronous=FULL")
            _lay_out(connection, journal, wall_ns())
            yield _read(connection, path, journal)
    except (sqlite3.Error, UnicodeError) as error:
        raise _unusable(path, str(error)) from error


def _unusable(path: Path, why: str) -> RegisterError:
    return RegisterError(
        f"{path} cannot be used: {why}. Check its medium and its owner; a damaged one is put aside, a new one "
        "begins by itself and marks what it prints as reprints"
    )


def _lay_out(connection: sqlite3.Connection, journal: Path, wall_ns: int) -> None:
    connection.execute("BEGIN IMMEDIATE")
    if not connection.execute("SELECT 1 FROM sqlite_schema").fetchone():
        known = ends_of(journal)
        state = known.last.state
        owed = [award.number for award in state.awards if not award.paid]
        for claim in state.link_claims:
            owed += range(claim.number, claim.number + len(claim.claims))
        begun = Begun(
            table_of(known.first, journal), known.first.digest, known.last.seq, state.awards_made, tuple(owed)
        )
        detail = msgspec.json.encode(begun).decode()
        row = (wall_ns, Act.BEGUN.value, 0, 0, detail)
        connection.execute(_TABLE_SQL)
        connection.execute("INSERT INTO papers VALUES(1,?,?,?,?,?,?)", (*row, _chained(_GENESIS, row)))
    connection.execute("COMMIT")


def _read(connection: sqlite3.Connection, path: Path, journal: Path) -> Register:
    previous = _GENESIS
    detail = ""
    for number, *row, digest in connection.execute("SELECT * FROM papers ORDER BY id"):
        if digest != _chained(previous, tuple(row)):
            raise RegisterError(
                f"{path}: row {number} was altered; put the file aside and call the technician"
            )
        detail = detail or str(row[-1])
        previous = digest
    try:
        begun = msgspec.json.decode(detail, type=Begun)
    except (msgspec.MsgspecError, RecursionError) as error:
        raise _unusable(path, f"its first row is not the beginning of a register: {error}") from error
    known = ends_of(journal)
    if begun.genesis != known.first.digest:
        raise RegisterError(
            f"{path} belongs to another journal (of table {begun.table}): put the file aside and a new one begins"
        )
    return Register(connection, path, begun, previous)


def _chained(previous: str, row: tuple[object, ...]) -> str:
    return sha256(msgspec.json.encode((previous, *row))).hexdigest()
