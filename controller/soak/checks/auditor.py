"""All checkers of one table: told of rows, outputs and edges as they happen, and of every start.

It is a watcher (`controller.drill.watch`) and knows the table from outside only.
"""

import sqlite3
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Protocol

from controller.soak.checks.account import Account
from controller.soak.checks.chain import Chain
from controller.soak.checks.lines import Lines
from controller.soak.checks.shown import Shown, slots_may_open
from controller.soak.checks.words import Checker, Findings, Json, Rec, record_of

Row = Sequence[Any]
_SELECT = (
    "SELECT seq, boot, at_ns, wall_ns, wall_trusted, kind, event, results, state, digest FROM journal "
    "WHERE seq > ? ORDER BY seq"
)


class View(Protocol):
    """What can be seen of a table from outside."""

    @property
    def now_ns(self) -> int:
        """The monotonic clock."""

    @property
    def outputs(self) -> Mapping[str, bool]:
        """Every output: name to on."""

    @property
    def sign_text(self) -> str | None:
        """What the sign shows; None if it is lost, stalled, or was a second ago."""

    @property
    def chosen(self) -> int:
        """The seat the dealer's menu points at; 0: none."""

    @property
    def at_work(self) -> bool:
        """Whether the program runs: under power, not frozen, not ended."""


class Auditor:
    """The checkers of one table. `found` is what is wrong, oldest first."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._findings = Findings()
        self.account = Account(self._findings)
        self._chain = Chain()
        self._lines = Lines(self._findings)
        self._shown = Shown(self._findings)
        self._offered: list[Rec] = []
        self._state: Json | None = None
        self._failing = False
        self._unwitnessed: list[Json] = []
        """The money and rounds of the last state that the second copy has seen, and of all after it."""
        self.pairs: Counter[tuple[str, str]] = Counter()
        """(phase, event) as often as it was stored."""
        self.results: Counter[str] = Counter()

    @property
    def found(self) -> list[str]:
        """Each finding begins with its checker's name."""
        return self._findings.told

    @property
    def state(self) -> Json | None:
        """The newest state that is on the medium."""
        return self._state

    def offered(self, rows: Sequence[Row]) -> None:
        """The safe direction does not wait: what locks the slots finds them locked before it is stored."""
        self._offered = [record_of(row) for row in rows]
        if self._state is None or not self._view.outputs["slots"]:
            return
        for record in self._offered:
            if not slots_may_open(self.account.rules, record.state):
                what = f"record {record.seq} ({record.kind}): open until it was stored"
                self._findings.tell(Checker.SLOTS, what)

    def witnessed(self) -> None:
        """See `Watcher.witnessed`: what is stored now cannot be taken back unseen any more."""
        self._unwitnessed = [_money(self._state)]

    def failed(self) -> None:
        """See `Watcher.failed`."""
        self._failing = True

    def stored(self, rows: Sequence[Row]) -> None:
        """See `Watcher.stored`."""
        self._failing = False
        offered, self._offered = self._offered, []
        if [record.row for record in offered] != list(rows):
            self._findings.tell(Checker.CHAIN, "other rows were stored than were offered")
        for record in offered:
            self._take(record)

    def _take(self, record: Rec) -> None:
        phase = "none" if self._state is None else self._state["phase"]
        self.pairs[phase, record.kind] += 1
        self.results.update(result["kind"] for result in record.results)
        self._chain.take(record.row, self._findings)
        self._lines.check(record)
        self.account.take(record)
        self._state = record.state
        if [_money(record.state)] != self._unwitnessed[-1:]:
            self._unwitnessed.append(_money(record.state))

    def flush_failed(self) -> None:
        """See `Watcher.flush_failed`."""
        self._findings.tell(Checker.FLUSH, "something is written after a flush has failed")

    def waking(self, journal: Path) -> None:
        """What is on the medium is what was told to be, or one whole batch more that was under way."""
        self._wake(journal)
        self._lines.restarted()

    def _wake(self, journal: Path) -> None:
        offered, self._offered, self._failing = self._offered, [], False
        if not journal.exists():
            told = self._chain.seq
            self._findings.unless(told <= 1, Checker.RECOVERY, f"{told} records are gone with their file")
            self._begin_anew()
            return
        try:
            rows = list(rows_of(journal, max(self._chain.seq - 1, 0)))
        except sqlite3.Error as error:
            self._findings.tell(Checker.RECOVERY, f"the journal cannot be read any more: {error}")
            return
        if self._chain.seq:
            last = rows.pop(0) if rows else None
            good = last is not None and last[-1] == self._chain.digest
            self._findings.unless(good, Checker.RECOVERY, f"record {self._chain.seq} is not there any more")
        digests = [row[-1] for row in rows]
        if rows and digests != [record.row[-1] for record in offered]:
            self._findings.tell(
                Checker.RECOVERY, f"records {rows[0][0]} to {rows[-1][0]} were never all offered"
            )
        for row in rows:
            self._take(record_of(row))

    def _begin_anew(self) -> None:
        self.account = Account(self._findings)
        self._chain = Chain()
        self._state = None
        self._unwitnessed = []

    def stranded(self, why: str) -> None:
        """See `Watcher.stranded`: nothing that a soak does to files that stay so may strand a table."""
        self._findings.tell(Checker.RECOVERY, f"out of service: {why}")

    def rotten(self, state: Mapping[str, Any]) -> None:
        """See `Watcher.rotten`: no other money, and no other round, may come out of damaged files.

        Power lost between the journal and its second copy leaves that one batch behind; only then may what the second
        copy has not seen be missing too.
        """
        if _money(state) not in self._unwitnessed:
            self._findings.tell(Checker.RECOVERY, "damaged files came up with other money or another round")

    def edited(self, what: str) -> None:
        """See `Watcher.edited`."""
        self._findings.tell(Checker.KEYS, what)

    def switching(self, line: str, *, on: bool, at_ns: int) -> None:
        """See `Watcher.switching`."""
        if on:
            self._shown.switching(self.account.rules, self._state, line, at_ns, self._view.chosen)

    def looked(self, at_ns: int) -> None:
        """See `Watcher.looked`."""
        if self._state is not None:
            self._shown.looked(self.account.rules, self._state, self._view.outputs, at_ns)

    def edge(self, line: str, *, active: bool, at_ns: int, told: bool) -> None:
        """See `Watcher.edge`."""
        self._lines.edge(line, active=active, at_ns=at_ns, told=told)

    def look(self) -> None:
        """Between two statements: lamps, slots and sign tell what is stored."""
        view, state = self._view, self._state
        if state is None or not view.at_work:
            return
        rules, failing = self.account.rules, self._failing
        self._shown.settled(rules, state, view.outputs, chosen=view.chosen, failing=failing)
        text = view.sign_text
        if text is not None:
            self._shown.on_sign(rules, state, text, failing=failing)

    def replay(self, journal: Path) -> int:
        """Go through the whole file with a fresh account; how many records it has."""
        account, chain = Account(self._findings), Chain()
        for row in rows_of(journal, 0):
            chain.take(row, self._findings)
            account.take(record_of(row))
        same = (chain.seq, chain.digest) == (self._chain.seq, self._chain.digest)
        self._findings.unless(
            same, Checker.REPLAY, f"the file ends at {chain.seq}, told was {self._chain.seq}"
        )
        return chain.seq


def _money(state: Mapping[str, Any] | None) -> Json:
    """What of a state must never be another one than was stored."""
    names = ("pot", "awards", "round", "awards_made", "link_claims")
    return {name: value for name, value in (state or {}).items() if name in names}


def rows_of(journal: Path, after: int) -> Iterator[Row]:
    """The rows after a number, read by SQLite alone; nobody may have the file open for writing."""
    with closing(sqlite3.connect(f"{journal.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        yield from connection.execute(_SELECT, (after,))
