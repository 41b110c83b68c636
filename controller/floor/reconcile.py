"""A table's journal against the floor, to the unit: every record's digest, and every figure the floor derived.

The journal's side is summed up here from typed records, by the core's types; the floor's by its SQL. Nothing is shared.
"""

from collections import Counter
from pathlib import Path
from typing import NamedTuple

import msgspec

from controller.core import events as ev
from controller.floor.histories import head_of, journal_now, rows_after
from controller.floor.office import Office
from controller.floor.whole import whole
from controller.journal import Record, records
from controller.journal.read import PAGE_ROWS, page
from controller.signing.audit import prove


class Line(NamedTuple):
    """One figure, twice."""

    name: str
    journal: int
    floor: int


class Reconciled(msgspec.Struct, frozen=True):
    """What came of it. `compared` records are on both sides; `unreported` are in the journal only, which is no fault.

    `flaw`: why the two are not one history, empty if they are; then no figure is compared.
    """

    table_id: str
    compared: int
    unreported: int
    flaw: str
    lines: tuple[Line, ...]

    @property
    def agrees(self) -> bool:
        """Whether all is equal to the unit."""
        return not self.flaw and all(line.journal == line.floor for line in self.lines)


def reconcile(office: Office, journal: Path, table_id: str) -> Reconciled:
    """Compare; table and link may run meanwhile.

    Raises `JournalError` for a journal that cannot be read, `FloorError` for a floor that cannot.
    """
    with office.snapshot():
        return _compared(office, journal, table_id)


def _compared(office: Office, journal: Path, table_id: str) -> Reconciled:
    head = head_of(office, table_id)
    proof = prove(journal, keys=office.keys(table_id))
    if proof.bad is not None:
        return Reconciled(
            table_id, 0, 0, f"the journal is bad at record {proof.bad.seq}: {proof.bad.detail}", ()
        )
    flaw = _parted(office, journal, table_id, head, proof.head.seq)
    if flaw:
        return Reconciled(table_id, 0, 0, flaw, ())
    joined = _joined(office, table_id)
    ours, to_links = Counter[str](), Counter[_Joined]()
    for record in records(journal):
        if record.seq > head:
            break
        _add(ours, record)
        staked = sum(each.amount for each in record.results if isinstance(each, ev.RoundLocked))
        to_links.update({each: staked for each in joined if each.after < record.seq <= each.upto})
    theirs = _floor(office, table_id)
    names = sorted({*ours, *theirs})
    lines = tuple(Line(name, ours[name], theirs[name]) for name in names)
    linked = (Line(each.name, to_links[each], each.staked) for each in joined)
    return Reconciled(table_id, head, proof.head.seq - head, "", (*lines, *linked))


def _parted(office: Office, journal: Path, table_id: str, head: int, last: int) -> str:
    if last < head:
        return f"the journal ends at record {last}, the floor has {head}: the journal is older than what was reported"
    theirs = rows_after(office, table_id, 0)
    for start in range(0, head, PAGE_ROWS):
        for row in page(journal, start):
            if row[0] <= head and row != next(theirs, None):
                return f"record {row[0]} is another one at the floor, or missing"
    return ""


def _add(ours: Counter[str], record: Record) -> None:
    for result in record.results:
        _result(ours, result)
    match record.event:
        case ev.AwardPaid() if any(isinstance(result, ev.AwardSettled) for result in record.results):
            ours["awards paid"] += 1
        case ev.Commissioned():
            ours["parameters"] += 1
        case ev.JournalRecovered() if record.seq == 1:
            ours["parameters"] += 1
        case ev.ParametersChanged() if any(
            isinstance(each, ev.ParametersAccepted) for each in record.results
        ):
            ours["parameters"] += 1
        case _:
            return


def _result(ours: Counter[str], result: ev.AnyResult) -> None:
    match result:
        case ev.RoundLocked(seats=seats, amount=amount, late=late):
            ours.update({"rounds": 1, "wagers": len(seats), "wagered": amount, "late locks": late})
        case ev.RoundEnded():
            ours["rounds ended"] += 1
        case ev.WagerVoided(refund=refund):
            ours.update({"voided": 1, "refunds": refund})
        case ev.WagerForfeited():
            ours["forfeited"] += 1
        case ev.ChipLate():
            ours["late"] += 1
        case ev.ChipExcess():
            ours["excess"] += 1
        case ev.AwardApproved():
            ours.update({"awards": 1, "awarded": result.amount, "awarded from pots": result.from_pot})
            ours.update(
                {"awarded from reserves": result.from_reserve, "awarded by the house": result.from_house}
            )
        case ev.AwardSettled(amount=amount):
            ours["paid"] += amount
        case ev.PotReset(current=current, left=left, from_house=from_house):
            ours.update({"resets": current - left, "resets by the house": from_house})
        case ev.CorrectionMade(before=before, after=after):
            ours["corrections"] += after - before
        case ev.TransferMade(by=by):
            ours["transfers"] += by
        case ev.FaultRaised():
            ours["faults raised"] += 1
        case ev.FaultCleared():
            ours["faults cleared"] += 1
        case _:
            return


_FLOOR = """
WITH k AS (SELECT * FROM unnest(%(first)s::bigint[], %(last)s::bigint[]) AS k(first, last)),
rounds AS (SELECT r.* FROM pozo.rounds AS r JOIN k ON r.seq BETWEEN k.first AND k.last WHERE r.table_id = %(id)s),
seats AS (SELECT r.* FROM pozo.seats AS r JOIN k ON r.seq BETWEEN k.first AND k.last WHERE r.table_id = %(id)s),
awards AS (SELECT r.* FROM pozo.awards AS r JOIN k ON r.seq BETWEEN k.first AND k.last WHERE r.table_id = %(id)s),
paid AS (SELECT r.* FROM pozo.awards AS r JOIN k ON r.paid_seq BETWEEN k.first AND k.last WHERE r.table_id = %(id)s),
movements AS (
  SELECT r.* FROM pozo.movements AS r JOIN k ON r.seq BETWEEN k.first AND k.last WHERE r.table_id = %(id)s),
faults AS (SELECT r.* FROM pozo.faults AS r JOIN k ON r.seq BETWEEN k.first AND k.last WHERE r.table_id = %(id)s)
SELECT 'rounds', count(*) FROM rounds
UNION ALL SELECT 'wagers', coalesce(sum(cardinality(seats)), 0) FROM rounds
UNION ALL SELECT 'wagered', coalesce(sum(staked), 0) FROM rounds
UNION ALL SELECT 'late locks', count(*) FROM rounds WHERE late
UNION ALL SELECT 'rounds ended', count(*) FROM pozo.rounds AS r JOIN k ON r.ended_seq BETWEEN k.first AND k.last
  WHERE r.table_id = %(id)s
UNION ALL SELECT what, count(*) FROM seats WHERE what <> 'accepted' GROUP BY what
UNION ALL SELECT 'refunds', coalesce(sum(amount), 0) FROM seats WHERE what = 'voided'
UNION ALL SELECT 'awards', count(*) FROM awards
UNION ALL SELECT 'awarded', coalesce(sum(amount), 0) FROM awards
UNION ALL SELECT 'awarded from pots', coalesce(sum(from_pot), 0) FROM awards
UNION ALL SELECT 'awarded from reserves', coalesce(sum(from_reserve), 0) FROM awards
UNION ALL SELECT 'awarded by the house', coalesce(sum(from_house), 0) FROM awards
UNION ALL SELECT 'awards paid', count(*) FROM paid
UNION ALL SELECT 'paid', coalesce(sum(amount), 0) FROM paid
UNION ALL SELECT what || 's', coalesce(sum(by), 0) FROM movements GROUP BY what
UNION ALL SELECT 'resets by the house', coalesce(sum(from_house), 0) FROM movements
UNION ALL SELECT 'faults raised', count(*) FROM faults WHERE raised
UNION ALL SELECT 'faults cleared', count(*) FROM faults WHERE NOT raised
UNION ALL SELECT 'parameters', count(*) FROM pozo.parameters AS r JOIN k ON r.seq BETWEEN k.first AND k.last
  WHERE r.table_id = %(id)s
"""


def _floor(office: Office, table_id: str) -> Counter[str]:
    now = journal_now(office, table_id)
    values: dict[str, object] = {
        "id": table_id,
        "first": [each.first for each in now],
        "last": [each.last for each in now],
    }
    rows = office.named(_FLOOR, values)
    return Counter({str(name): whole(value) for name, value in rows})


class _Joined(NamedTuple):
    """Records of the journal, `after` not among them, while the table was a member of a link, and its rows' stakes."""

    link: str
    after: int
    upto: int
    staked: int

    @property
    def name(self) -> str:
        return f"to link {self.link}, records {self.after + 1} to {self.upto}"


def _joined(office: Office, table_id: str) -> tuple[_Joined, ...]:
    found: list[_Joined] = []
    for stretch in journal_now(office, table_id):
        members = office.rows(
            "SELECT m.link, greatest(m.from_seq, %s - 1) AS after, least(m.until_seq, %s) AS upto"
            " FROM pozo.members AS m WHERE m.table_id = %s AND m.from_seq < %s AND coalesce(m.until_seq, %s) >= %s"
            " ORDER BY 1, 2",
            *(stretch.first, stretch.last, table_id, stretch.last, stretch.last, stretch.first),
        )
        for link, after, upto in members:
            ((staked,),) = office.rows(
                "SELECT coalesce(sum(c.staked), 0) FROM pozo.contributions AS c WHERE c.link = %s AND c.table_id = %s"
                " AND c.seq > %s AND c.seq <= %s",
                *(link, table_id, after, upto),
            )
            first, last = whole(after) - stretch.base, whole(upto) - stretch.base
            found.append(_Joined(str(link), first, last, whole(staked)))
    return tuple(found)
