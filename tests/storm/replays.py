"""Everything said again by the table's own login: records that the floor has, and claims, answered or not.

What is said again changes nothing, and a claim is answered the same for ever.
"""

import random

from controller.core.events import AwardApproved, LinkClaimed, PotReset
from controller.core.state import Table
from controller.floor import Answer, BusyError, Claim, Floor, FloorDownError, LinkRules, ReportFirstError
from controller.journal import Record, page
from controller.journal.read import newest_first
from controller.link.pots import ID_DIGITS
from tests.storm.house import House
from tests.storm.plan import Tally
from tests.storm.table import StormTable

ROWS_MAX = 60

Told = tuple[AwardApproved | PotReset, ...]


class Replays:
    """Says again what `table` said, and keeps what each of its claims was answered."""

    def __init__(self, house: House, table: StormTable, rules: LinkRules, tally: Tally) -> None:
        self._house = house
        self._table = table
        self._rules = rules
        self._tally = tally
        self._floor: Floor | None = None
        self.answers: dict[int, Answer] = {}

    def again(self, draw: random.Random) -> bool:
        """Say something again; False if the floor was away or its answer was lost."""
        try:
            if self._floor is None:
                self._floor = self._house.floor(self._table.name)
            if draw.random() < 0.5:
                self._rows(self._floor, draw)
            else:
                self._claim(self._floor, self._table.state)
        except FloorDownError:
            self._tally.add("answers to replays lost")
            self.close()
            return False
        return True

    def close(self) -> None:
        """Hang up; safe to call twice."""
        if self._floor is not None:
            self._floor.close()
            self._floor = None

    def _rows(self, floor: Floor, draw: random.Random) -> None:
        head = floor.head()
        if head.seq == 0:
            return
        start = draw.randrange(head.seq)
        rows = [
            row for row in page(self._table.journal, start, draw.randint(1, ROWS_MAX)) if row[0] <= head.seq
        ]
        assert floor.report(rows).seq >= head.seq
        self._tally.add("replays of reports")

    def _claim(self, floor: Floor, state: Table) -> None:
        """The newest claim of the table; that it waits for its answer does not matter."""
        asked = self.newest()
        if asked is None or asked.seq > floor.head().seq:
            return
        try:
            answer = floor.claim(asked)
        except (ReportFirstError, BusyError):
            return
        waited = any(each.number == asked.made + 1 for each in state.link_claims)
        self._tally.add("replays of claims that waited" if waited else "replays of claims")
        assert self.answers.setdefault(asked.made + 1, answer) == answer

    def newest(self) -> Claim | None:
        for record in newest_first(self._table.journal, ("awards_approved",)):
            for result in record.results:
                if isinstance(result, LinkClaimed):
                    return self.claim(record, result)
        return None

    def claim(self, record: Record, told: LinkClaimed) -> Claim:
        """The claim that a record tells of, as the table's link says it."""
        return Claim(
            claim=f"{self._table.name}/{told.claim}/{record.digest[:ID_DIGITS]}",
            link=told.link,
            rules=self._rules.digest,
            round=told.round,
            seq=record.seq,
            made=told.claim - 1,
            hands=tuple(zip(told.seats, told.hands, strict=True)),
        )
