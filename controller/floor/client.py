"""A table's connection to the floor: each call is one function of the database, one transaction, and one answer.

Whatever a call returns is durable at the floor. After `FloorDownError` whether it was stored is unknown, and that is
harmless: reporting and claiming again are free. One thread at a time; it keeps no state but the connection.
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple, Self

import msgspec
import psycopg

from controller.core.events import AwardApproved, PotReset
from controller.core.game import Hand
from controller.floor.errors import (
    BrokenChainError,
    BusyError,
    ClaimRefusedError,
    DoubtedError,
    FloorError,
    FloorVersionError,
    ForkedError,
    GapError,
    MismatchError,
    NotYoursError,
    ReportFirstError,
    UnsoundError,
    translated,
)
from controller.floor.whole import whole
from controller.journal import Head
from controller.journal.record import Row

PROTOCOL: Final = 1
"""Version of the functions tables call; the floor refuses another at the greeting."""

REPORT_MAX: Final = 1000
"""Rows in one report; the floor refuses more."""

CHANNEL: Final = "pozo_link"
"""Here the floor says that a link's pot moved or was won (`Moved`)."""

_Told = tuple[AwardApproved | PotReset, ...]


class Greeting(NamedTuple):
    """The floor's head of this table's journal, and this clock minus the floor's in nanoseconds."""

    head: Head
    offset_ns: int


class Claim(msgspec.Struct, frozen=True):
    """All winners of a round on one linked level.

    `claim` names it for ever; record `seq` of the table's journal holds it. `made`: number of the last award before it.
    `hands`: what each seat shows. `rules`: digest of the link's rules as the table knows them.
    """

    claim: str
    link: str
    rules: str
    round: int
    seq: int
    made: int
    hands: tuple[tuple[int, Hand], ...]


class Answer(NamedTuple):
    """What a claim won: its place in the order of all claims of the link, and the table's results, in their order."""

    number: int
    told: _Told


class LinkLevel(NamedTuple):
    """A linked level as it is now, minor units; the newest win is None before there was one."""

    rules: str
    current: int
    reserve_pool: int
    overflow_meter: int
    claims: int
    last_claim: str | None
    last_table: str | None
    last_amount: int | None


class Moved(msgspec.Struct, frozen=True):
    """A word on `CHANNEL`: a link's pot after so many wins. Any login can say one: it is a reason to ask, no answer."""

    link: str
    current: int
    claims: int


class Floor:
    """A connection of table `table_id`. Make one with `connect`; `close` it, or use it in a `with`."""

    def __init__(self, connection: psycopg.Connection[tuple[object, ...]], table_id: str) -> None:
        self.table_id = table_id
        self.connection = connection
        self._where = _where(connection)

    @classmethod
    def connect(cls, conninfo: str, table_id: str, *, timeout_s: int = 5) -> Self:
        """Connect; a call that takes longer than `timeout_s` seconds fails. Raises `FloorDownError`."""
        with translated("the floor"):
            connection = psycopg.connect(
                conninfo,
                autocommit=True,
                connect_timeout=timeout_s,
                options=f"-c statement_timeout={timeout_s}s -c lock_timeout={timeout_s}s",
                tcp_user_timeout=timeout_s * 1000,
                keepalives_idle=timeout_s,
                application_name=f"pozo {table_id}",
            )
        return cls(connection, table_id)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the connection; safe to call twice."""
        self.connection.close()

    def hello(self, program: str, wall_ns: int) -> Greeting:
        """Say which program this is and what its clock says; the floor records the offset.

        Raises `FloorVersionError` if the floor speaks another protocol, and the errors of every call.
        """
        outcome, seq, digest, offset_ns, detail = self._call(
            "SELECT outcome, head_seq, head_digest, offset_ns, detail FROM pozo.hello(%s, %s, %s, %s)",
            (self.table_id, program, PROTOCOL, wall_ns),
        )
        if outcome == "protocol":
            raise FloorVersionError(f"{self._where}: {detail}; update the older one of both")
        self._demand(outcome, "known", detail)
        return Greeting(Head(whole(seq), str(digest)), whole(offset_ns))

    def head(self) -> Head:
        """Number and digest of this table's last record that the floor has; 0 and zeros before the first."""
        outcome, seq, digest = self._call(
            "SELECT outcome, head_seq, head_digest FROM pozo.head(%s)", (self.table_id,)
        )
        self._demand(outcome, "known", "")
        return Head(whole(seq), str(digest))

    def report(self, rows: Sequence[Row]) -> Head:
        """Report journal rows in order, `REPORT_MAX` at most, and return the floor's new head; known rows are free.

        Raises `GapError` (send from `expected` on), `ForkedError`, `BrokenChainError`, `UnsoundError`: nothing of the
        batch is stored.
        """
        outcome, seq, digest, detail = self._call(
            "SELECT outcome, head_seq, head_digest, detail FROM pozo.report(%s, %s::jsonb)",
            (self.table_id, msgspec.json.encode(rows).decode()),
        )
        head = Head(whole(seq), str(digest))
        match outcome:
            case "gap":
                raise GapError(head, f"{self._where}: {detail}")
            case "forked":
                raise ForkedError(
                    f"{self._where}: {detail}; stop the table and find out which journal is the true one"
                )
            case "broken":
                raise BrokenChainError(f"{self._where}: {detail}; verify the journal before anything else")
            case "unsound":
                raise UnsoundError(
                    f"{self._where}: {detail}; nothing from there on is taken:"
                    " verify the journal, and see `pozo floor status`"
                )
            case _:
                self._demand(outcome, "stored", detail)
                return head

    def join(self, link: str, rules: str, from_seq: int) -> None:
        """Join a link by the digest of its rules; stakes of records after `from_seq` count for it.

        `from_seq` is the record that holds the table's rules. Joining again is free and checks that both still play by
        the same rules. Raises `MismatchError`, `ReportFirstError`, `NotYoursError` (not admitted).
        """
        outcome, _, detail = self._call(
            "SELECT outcome, digest, detail FROM pozo.join_link(%s, %s, %s, %s)",
            (self.table_id, link, rules, from_seq),
        )
        match outcome:
            case "mismatch" | "stale":
                raise MismatchError(f"{self._where}: {detail}; the table may not play until they agree")
            case "report_first":
                raise ReportFirstError(f"{self._where}: {detail}")
            case "not_admitted":
                raise NotYoursError(f"{self._where}: {detail}; `pozo floor link admit` does it")
            case _:
                self._demand(outcome, "joined", detail)

    def claim(self, claim: Claim) -> Answer:
        """Claim a win; asking again gives the same answer for ever.

        Raises `ReportFirstError`, `MismatchError`, `DoubtedError`, `BusyError`; for what can never be served
        `ClaimRefusedError`.
        """
        seats = [seat for seat, _ in claim.hands]
        hands = [hand.value for _, hand in claim.hands]
        outcome, number, told, detail = self._call(
            "SELECT outcome, claim_no, told, detail FROM"
            " pozo.claim(%s, %s, %s, %s, %s, %s, %s, %s::integer[], %s::text[])",
            (
                claim.claim,
                self.table_id,
                claim.link,
                claim.rules,
                claim.round,
                claim.seq,
                claim.made,
                seats,
                hands,
            ),
        )
        if outcome == "served":
            return Answer(whole(number), msgspec.json.decode(str(told), type=_Told))
        raise self._claim_error(claim, outcome, detail)

    def level(self, link: str) -> LinkLevel:
        """A link's level as it is now. Raises `FloorError` for a link that is none."""
        rows = self._rows("SELECT * FROM pozo.level(%s)", (link,))
        if not rows:
            raise FloorError(f"{self._where} has no link {link}; `pozo floor status` lists them")
        rules, current, reserve, overflow, claims, last, table, amount = rows[0]
        return LinkLevel(
            str(rules),
            whole(current),
            whole(reserve),
            whole(overflow),
            whole(claims),
            None if last is None else str(last),
            None if table is None else str(table),
            None if amount is None else whole(amount),
        )

    def rules_of(self, link: str) -> str:
        """The rules in force of a link that this table is admitted to, as JSON; empty for any other."""
        (rules,) = self._call("SELECT pozo.link_rules_of(%s, %s)", (self.table_id, link))
        return "" if rules is None else str(rules)

    def tick(self, link: str, every_ms: int) -> bool:
        """Fold the link if nobody did within `every_ms`; whether its pot moved. Listeners are told then."""
        (moved,) = self._call("SELECT pozo.tick(%s, %s)", (link, every_ms))
        return moved is True

    def listen(self) -> None:
        """Hear from now on what moves links; to do so twice is free."""
        with translated(self._where):
            self.connection.execute(f"LISTEN {CHANNEL}".encode())

    def heard(self, timeout_s: float) -> tuple[Moved, ...]:
        """What was said since the last call, waited for up to `timeout_s` seconds where nothing was."""
        with translated(self._where):
            said = tuple(self.connection.notifies(timeout=timeout_s, stop_after=1))
        return tuple(moved for each in said for moved in _moved(each.payload))

    def _claim_error(self, claim: Claim, outcome: object, detail: object) -> FloorError:
        match outcome:
            case "report_first":
                return ReportFirstError(f"{self._where}: {detail}")
            case "mismatch":
                return MismatchError(f"{self._where}: {detail}")
            case "busy":
                return BusyError(f"{self._where}: {detail}; the claim {claim.claim} is asked again")
            case "doubted":
                return DoubtedError(f"{self._where}: {detail}; `pozo floor check` names them")
            case "not_yours":
                return self._not_yours(str(detail))
            case _:
                return ClaimRefusedError(f"{self._where} refused claim {claim.claim}: {detail} ({outcome})")

    def _demand(self, outcome: object, wanted: str, detail: object) -> None:
        if outcome == "not_yours":
            raise self._not_yours(str(detail))
        if outcome != wanted:
            raise FloorVersionError(f"{self._where} answered {outcome!r}, which this program does not know")

    def _not_yours(self, detail: str) -> NotYoursError:
        told = detail or f"this login does not speak for table {self.table_id}"
        return NotYoursError(f"{self._where}: {told}; the attempt is an alarm there")

    def _call(self, query: str, values: tuple[object, ...]) -> tuple[object, ...]:
        (row,) = self._rows(query, values)
        return row

    def _rows(self, query: str, values: tuple[object, ...]) -> list[tuple[object, ...]]:
        with translated(self._where):
            return self.connection.execute(query.encode(), values).fetchall()


def _moved(payload: str) -> Iterator[Moved]:
    """The word in a payload, or nothing if it is none."""
    try:
        yield msgspec.json.decode(payload, type=Moved)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return


def _where(connection: psycopg.Connection[tuple[object, ...]]) -> str:
    info = connection.info
    return f"floor {info.dbname} at {info.host or 'the local socket'}"
