"""Which records of a table a report on a span of time is made of: in stretches that each follow one another.

A record belongs to a span by the rule of a table's own shift report (controller.slips.within). Between two stretches
stand records that are not believed, or a journal begins anew after a recovery, whose first record says what it goes on
from.
"""

from itertools import pairwise
from typing import NamedTuple

import msgspec

from controller.core.state import Table
from controller.floor.histories import Doubt, History, doubts, histories
from controller.floor.office import Office
from controller.floor.reported import read, state_at
from controller.floor.whole import whole


class Span(NamedTuple):
    """A stretch of a table's records by the floor's numbers: the last one before it, and its own last one."""

    before: int
    last: int


class Part(msgspec.Struct, frozen=True):
    """What a table's report is made of. `left_out`: how many records of the span are not believed.

    `unproven`: how many behind the newest signature that was checked. `doubted`: why records are left out.
    """

    table_id: str
    stretches: tuple[Span, ...]
    left_out: int
    unproven: int
    doubted: tuple[str, ...]


def parts(
    office: Office, from_ns: int, to_ns: int, table_id: str | None, link: str | None
) -> tuple[Part, ...]:
    """Each table that has records in the span, by name."""
    rows = office.rows(
        "SELECT h.table_id, f.seq - 1, coalesce(e.seq - 1, h.seq),"
        " coalesce((SELECT p.seq FROM pozo.proofs AS p WHERE p.table_id = h.table_id), 0) FROM pozo.heads AS h"
        " CROSS JOIN LATERAL (SELECT min(r.seq) AS seq FROM pozo.records AS r WHERE r.table_id = h.table_id AND"
        " r.wall_trusted = 1) AS t"
        " CROSS JOIN LATERAL (SELECT CASE WHEN min(r.seq) = t.seq THEN 1 ELSE min(r.seq) END AS seq"
        " FROM pozo.records AS r WHERE r.table_id = h.table_id"
        " AND r.wall_ns >= %s AND r.wall_trusted >= (t.seq IS NOT NULL)::integer) AS f"
        " CROSS JOIN LATERAL (SELECT CASE WHEN min(r.seq) = t.seq THEN 1 ELSE min(r.seq) END AS seq"
        " FROM pozo.records AS r WHERE r.table_id = h.table_id"
        " AND r.wall_ns >= %s AND r.wall_trusted >= (t.seq IS NOT NULL)::integer) AS e"
        " WHERE f.seq <= coalesce(e.seq - 1, h.seq) AND h.table_id = coalesce(%s, h.table_id) AND (%s::text IS NULL"
        " OR EXISTS (SELECT FROM pozo.members AS m WHERE m.link = %s AND m.table_id = h.table_id)) ORDER BY h.table_id",
        from_ns,
        to_ns,
        table_id,
        link,
        link,
    )
    return tuple(
        _part(office, str(table), Span(whole(before), whole(last)), whole(proven))
        for table, before, last, proven in rows
    )


def _part(office: Office, table_id: str, span: Span, proven: int) -> Part:
    known = tuple(
        each
        for each in doubts(office, table_id)
        if each.seq <= span.last and (each.upto is None or each.upto > span.before)
    )
    stretches = cut(span, histories(office, table_id), known)
    covered = proven + 1 if proven else 0  # the record behind the signed one is the signature itself
    believed = sum(each.last - each.before for each in stretches)
    return Part(
        table_id=table_id,
        stretches=stretches,
        left_out=span.last - span.before - believed,
        unproven=sum(max(each.last - max(each.before, covered), 0) for each in stretches),
        doubted=tuple(f"records from {each.seq} on ({each.flaw}): {each.detail}" for each in known),
    )


def cut(span: Span, journals: tuple[History, ...], left_out: tuple[Doubt, ...]) -> tuple[Span, ...]:
    """The stretches of a span: cut where a journal begins, without the records that are not believed."""
    edges = {each.first - 1 for each in journals[1:]}
    edges |= {each.seq - 1 for each in left_out} | {each.upto for each in left_out if each.upto is not None}
    inside = sorted({span.before, span.last, *(each for each in edges if span.before < each < span.last)})
    return tuple(
        Span(before, last)
        for before, last in pairwise(inside)
        if not any(each.covers(last) for each in left_out)
    )


def state_before(office: Office, table_id: str, stretch: Span) -> Table | None:
    """The table as a stretch finds it, None before its first record of all.

    A journal that began anew goes on from the state that its first record brings back; one that parted from an older
    one, from the record that both have.
    """
    first, journals = stretch.before + 1, histories(office, table_id)
    # One that was accepted and never reported from begins where the next one does.
    journal = next((each for each in reversed(journals) if each.first == first), None)
    if journal is not None and journal.from_seq > 1:
        older = [each for each in journals if each.base < journal.base and each.from_seq < journal.from_seq]
        return state_at(office, table_id, journal.from_seq - 1 + older[-1].base)
    if journal is not None and (brought_back := _recovered(office, table_id, first)) is not None:
        return brought_back
    return state_at(office, table_id, stretch.before) if stretch.before else None


def _recovered(office: Office, table_id: str, seq: int) -> Table | None:
    """The state that record `seq` brings back; None if it is no recovery."""
    rows = office.rows(
        "SELECT state FROM pozo.records WHERE table_id = %s AND seq = %s AND kind = 'journal_recovered'",
        table_id,
        seq,
    )
    return read(rows[0][0], Table, f"the state that record {seq} brings back") if rows else None
