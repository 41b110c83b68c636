"""A table's journals at the floor, one behind the other, and which of their records are believed.

A number of the floor's is the journal's own plus the base of the history that the record belongs to.
"""

from collections.abc import Iterator
from typing import NamedTuple

from controller.floor.office import Office
from controller.floor.whole import whole
from controller.journal.record import Row


class History(NamedTuple):
    """A journal: its first record that no earlier one has, by its own number, and what to add for the floor's."""

    from_seq: int
    base: int

    @property
    def first(self) -> int:
        """The floor's number of its first own record."""
        return self.from_seq + self.base


class Stretch(NamedTuple):
    """Records of a journal that are stored together, `first` to `last` by the floor's numbers."""

    first: int
    last: int
    base: int


class Doubt(NamedTuple):
    """Records that are not believed: `seq` to `upto` by the floor's numbers, None while nobody settled it."""

    seq: int
    upto: int | None
    flaw: str
    detail: str

    def covers(self, seq: int) -> bool:
        """Whether a record is among them."""
        return self.seq <= seq and (self.upto is None or seq <= self.upto)


def histories(office: Office, table_id: str) -> tuple[History, ...]:
    """All journals of a table, oldest first; none for a table that is none."""
    rows = office.rows(
        "SELECT from_seq, base FROM pozo.histories WHERE table_id = %s ORDER BY history", table_id
    )
    return tuple(History(whole(from_seq), whole(base)) for from_seq, base in rows)


def doubts(office: Office, table_id: str) -> tuple[Doubt, ...]:
    """All records of a table that are not believed, in order."""
    rows = office.rows(
        "SELECT seq, upto, flaw, detail FROM pozo.doubts WHERE table_id = %s ORDER BY seq", table_id
    )
    return tuple(
        Doubt(whole(seq), None if upto is None else whole(upto), str(flaw), str(detail))
        for seq, upto, flaw, detail in rows
    )


def journal_now(office: Office, table_id: str) -> tuple[Stretch, ...]:
    """Where the records of the table's journal as it is now are stored, in their order."""
    (head,) = office.rows("SELECT seq FROM pozo.heads WHERE table_id = %s", table_id) or [(0,)]
    last = whole(head[0])
    upto: int | None = None
    found: list[Stretch] = []
    for each in reversed(histories(office, table_id)):
        end = last if upto is None else min(last, upto + each.base)
        if upto is None or each.from_seq <= upto:
            found.append(Stretch(each.first, end, each.base))
            upto = each.from_seq - 1
    return tuple(each for each in reversed(found) if each.first <= each.last)


def head_of(office: Office, table_id: str) -> int:
    """The newest record of the table's journal as it is now, by the journal's own number; 0 where none is here."""
    rows = office.rows("SELECT seq - base FROM pozo.heads WHERE table_id = %s", table_id)
    return whole(rows[0][0]) if rows else 0


def rows_after(office: Office, table_id: str, after: int, page: int = 1000) -> Iterator[Row]:
    """The rows of the table's journal as it is now behind its record `after`, under the journal's own numbers."""
    for stretch in journal_now(office, table_id):
        at = max(stretch.first - 1, after + stretch.base)
        while at < stretch.last:
            rows = office.rows(
                "SELECT seq - %s, boot, at_ns, wall_ns, wall_trusted, kind, event, results, state, digest"
                " FROM pozo.records WHERE table_id = %s AND seq > %s AND seq <= %s ORDER BY seq LIMIT %s",
                *(stretch.base, table_id, at, stretch.last, page),
            )
            if not rows:
                return
            yield from (_row(row) for row in rows)
            at = whole(rows[-1][0]) + stretch.base


def _row(row: tuple[object, ...]) -> Row:
    seq, boot, at_ns, wall_ns, trusted, kind, event, results, state, digest = row
    return (
        whole(seq),
        whole(boot),
        whole(at_ns),
        whole(wall_ns),
        whole(trusted),
        str(kind),
        str(event),
        str(results),
        str(state),
        str(digest),
    )
