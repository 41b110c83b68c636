"""A report as data: what a span of time did to each table and each link, from the floor's own rows.

A record belongs to a span by the rule of a table's own shift report (controller.slips.within), so that both agree to
the unit. Money twice: by the meters of the states at both ends, and by the rows in between; what differs is told.
"""

from collections import Counter
from typing import NamedTuple

import msgspec

from controller.core.game import Game, Hand
from controller.core.money import Currency
from controller.core.state import Table
from controller.floor.bands import Band, bands
from controller.floor.office import Office
from controller.floor.whole import whole
from controller.meters import meters


class TableFigures(msgspec.Struct, frozen=True):
    """A table in a span; records `first` to `last`, amounts in minor units.

    `wagers` are chips accepted. `to_links` is what of `wagered` counted for linked pots. `liability` is what its own
    levels hold at the end, and what is unpaid. `chips_declared` is None where nobody declared any. `differences` names
    what rows and meters do not agree on: none in an honest floor.
    """

    table_id: str
    profile: str
    currency: Currency
    first: int
    last: int
    rounds: int
    late_locks: int
    discrepancies: int
    wagers: int
    wagered: int
    to_links: int
    refunds: int
    awards: int
    awarded: int
    house_awards: int
    house_resets: int
    paid: int
    unpaid: int
    liability: int
    late: int
    excess: int
    faults: int
    chips_declared: int | None
    bands: tuple[Band, ...]
    differences: tuple[str, ...]


class Reading(NamedTuple):
    """A sign as it was read, beside what the floor knew then; of a link or of a table's own level."""

    whose: str
    level: str
    shown: int
    current: int
    person: str
    at: str


class LinkFigures(msgspec.Struct, frozen=True):
    """A link: what its tables staked and won in the span, and how it stands now; amounts in minor units."""

    link: str
    currency: Currency
    staked: int
    claims: int
    won: int
    current: int
    reserve_pool: int
    overflow_meter: int
    imbalance: int

    @property
    def liability(self) -> int:
        """What the pot, its reserve and its overflow hold."""
        return self.current + self.reserve_pool + self.overflow_meter


class Figures(msgspec.Struct, frozen=True):
    """A report. `from_ns` and `to_ns` are Unix time; the span ends before `to_ns`."""

    house: str
    timezone: str
    from_ns: int
    to_ns: int
    tables: tuple[TableFigures, ...]
    links: tuple[LinkFigures, ...]
    readings: tuple[Reading, ...]

    @property
    def sound(self) -> bool:
        """Whether nothing in it needs an explanation."""
        return not any(table.differences for table in self.tables) and not any(
            link.imbalance for link in self.links
        )


class Span(NamedTuple):
    """A table's records of a span of time: the last one before it, its own last one, and its accepted wagers."""

    before: int
    last: int


def figures(
    office: Office, from_ns: int, to_ns: int, *, table_id: str | None = None, link: str | None = None
) -> Figures:
    """Report on a span; on one table or one link and its tables only, where named. Raises `FloorError`."""
    with office.connection.transaction():
        office.connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        house = office.house()
        spans = _spans(office, from_ns, to_ns, table_id, link)
        return Figures(
            house=house.name,
            timezone=house.timezone,
            from_ns=from_ns,
            to_ns=to_ns,
            tables=tuple(_table(office, each, span, from_ns) for each, span in spans.items()),
            links=tuple(_links(office, spans, link, everything=table_id is None)),
            readings=_readings(office, from_ns, to_ns, table_id, link),
        )


def _spans(
    office: Office, from_ns: int, to_ns: int, table_id: str | None, link: str | None
) -> dict[str, Span]:
    """Each table that has records in the span."""
    rows = office.rows(
        "SELECT h.table_id, f.seq - 1, coalesce(e.seq - 1, h.seq) FROM pozo.heads AS h"
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
    return {str(table): Span(whole(before), whole(last)) for table, before, last in rows}


def _table(office: Office, table_id: str, span: Span, from_ns: int) -> TableFigures:
    after = _state(office, table_id, span.last)
    now = meters(after)
    was = meters(_state(office, table_id, span.before)) if span.before else {}
    game = _game(office, table_id, span.last)
    found = _summed(office, table_id, span)
    by_meters = {
        name: now[name] - was.get(name, 0) for name in ("in_count", "in_meter", "refund_meter", "wins_meter")
    }
    by_rows = dict(zip(by_meters, (found.wagers, found.wagered, found.refunds, found.awarded), strict=True))
    return TableFigures(
        table_id=table_id,
        profile=game.profile,
        currency=game.currency,
        first=span.before + 1,
        last=span.last,
        unpaid=now["unpaid"],
        liability=now["current"] + now["reserve_pool"] + now["overflow_meter"] + now["unpaid"],
        chips_declared=_declared(office, table_id, from_ns),
        bands=bands(game, found.wagers, _hits(office, table_id, span)),
        differences=tuple(
            f"{name}: {by_meters[name]} by the meters, {by_rows[name]} by the rows"
            for name in by_meters
            if by_meters[name] != by_rows[name]
        ),
        **found._asdict(),
    )


class Summed(NamedTuple):
    """Sums over the rows of a table's span."""

    rounds: int
    late_locks: int
    discrepancies: int
    wagers: int
    wagered: int
    to_links: int
    refunds: int
    awards: int
    awarded: int
    house_awards: int
    house_resets: int
    paid: int
    late: int
    excess: int
    faults: int


def _summed(office: Office, table_id: str, span: Span) -> Summed:
    (row,) = office.rows(
        "WITH b AS (SELECT %s::text AS id, %s::bigint AS before, %s::bigint AS last) SELECT"
        " r.rounds, r.late_locks, r.discrepancies, r.wagers, r.wagered, c.staked, s.refunds, a.awards, a.awarded,"
        " a.house, m.house, p.paid, s.late, s.excess, f.faults FROM b"
        " CROSS JOIN LATERAL (SELECT count(*) AS rounds, count(*) FILTER (WHERE late) AS late_locks,"
        " count(*) FILTER (WHERE discrepancy IS NOT NULL AND ended_seq <= b.last) AS discrepancies,"
        " coalesce(sum(cardinality(seats)), 0) AS wagers, coalesce(sum(staked), 0) AS wagered"
        " FROM pozo.rounds WHERE table_id = b.id AND seq > b.before AND seq <= b.last) AS r"
        " CROSS JOIN LATERAL (SELECT coalesce(sum(staked), 0) AS staked"
        " FROM pozo.contributions WHERE table_id = b.id AND seq > b.before AND seq <= b.last) AS c"
        " CROSS JOIN LATERAL (SELECT coalesce(sum(amount) FILTER (WHERE what = 'voided'), 0) AS refunds,"
        " count(*) FILTER (WHERE what = 'late') AS late, count(*) FILTER (WHERE what = 'excess') AS excess"
        " FROM pozo.seats WHERE table_id = b.id AND seq > b.before AND seq <= b.last) AS s"
        " CROSS JOIN LATERAL (SELECT count(*) AS awards, coalesce(sum(amount), 0) AS awarded,"
        " coalesce(sum(from_house), 0) AS house"
        " FROM pozo.awards WHERE table_id = b.id AND seq > b.before AND seq <= b.last) AS a"
        " CROSS JOIN LATERAL (SELECT coalesce(sum(from_house), 0) AS house"
        " FROM pozo.movements WHERE table_id = b.id AND seq > b.before AND seq <= b.last) AS m"
        " CROSS JOIN LATERAL (SELECT coalesce(sum(amount), 0) AS paid"
        " FROM pozo.awards WHERE table_id = b.id AND paid_seq > b.before AND paid_seq <= b.last) AS p"
        " CROSS JOIN LATERAL (SELECT count(*) FILTER (WHERE raised) AS faults"
        " FROM pozo.faults WHERE table_id = b.id AND seq > b.before AND seq <= b.last) AS f",
        table_id,
        span.before,
        span.last,
    )
    return Summed(*map(whole, row))


def _state(office: Office, table_id: str, seq: int) -> Table:
    ((text,),) = office.rows("SELECT state FROM pozo.records WHERE table_id = %s AND seq = %s", table_id, seq)
    return msgspec.json.decode(str(text), type=Table)


def _game(office: Office, table_id: str, seq: int) -> Game:
    ((rules,),) = office.rows(
        "SELECT rules FROM pozo.parameters WHERE table_id = %s AND seq <= %s ORDER BY seq DESC LIMIT 1",
        table_id,
        seq,
    )
    return msgspec.json.decode(str(rules), type=Game)


def _hits(office: Office, table_id: str, span: Span) -> Counter[Hand]:
    rows = office.rows(
        "SELECT hand, count(*) FROM pozo.awards WHERE table_id = %s AND seq > %s AND seq <= %s GROUP BY hand",
        table_id,
        *span,
    )
    return Counter({Hand(str(hand)): whole(count) for hand, count in rows})


def _declared(office: Office, table_id: str, from_ns: int) -> int | None:
    """The newest count for the gaming day in which the span begins."""
    rows = office.rows(
        "SELECT c.chips FROM pozo.chip_counts AS c CROSS JOIN pozo.house AS h WHERE c.table_id = %s AND c.day ="
        " (to_timestamp(%s::numeric / 1000000000) AT TIME ZONE h.timezone - h.day_starts_at::interval)::date"
        " ORDER BY c.id DESC LIMIT 1",
        table_id,
        from_ns,
    )
    return whole(rows[0][0]) if rows else None


def _links(
    office: Office, spans: dict[str, Span], link: str | None, *, everything: bool
) -> list[LinkFigures]:
    found: list[LinkFigures] = []
    for each in office.links() if everything else ():
        if link not in {None, each.link}:
            continue
        staked = claims = won = 0
        for table_id, span in spans.items():
            ((sum_staked, sum_claims, sum_won),) = office.rows(
                "SELECT (SELECT coalesce(sum(c.staked), 0) FROM pozo.contributions AS c WHERE c.link = %s"
                " AND c.table_id = %s AND c.seq > %s AND c.seq <= %s), count(*), coalesce(sum(w.amount), 0)"
                " FROM pozo.claims AS w WHERE w.link = %s AND w.table_id = %s AND w.seq > %s AND w.seq <= %s",
                *(each.link, table_id, *span) * 2,
            )
            staked, claims, won = staked + whole(sum_staked), claims + whole(sum_claims), won + whole(sum_won)
        found.append(
            LinkFigures(
                link=each.link,
                currency=Currency(each.currency),
                staked=staked,
                claims=claims,
                won=won,
                current=each.current,
                reserve_pool=each.reserve_pool,
                overflow_meter=each.overflow_meter,
                imbalance=each.imbalance,
            )
        )
    return found


def _readings(
    office: Office, from_ns: int, to_ns: int, table_id: str | None, link: str | None
) -> tuple[Reading, ...]:
    rows = office.rows(
        "SELECT coalesce(link, table_id), level, shown, current, person, (at AT TIME ZONE 'UTC')::text"
        " FROM pozo.readings WHERE extract(epoch FROM at) * 1000000000 >= %s"
        " AND extract(epoch FROM at) * 1000000000 < %s AND (%s::text IS NULL OR table_id = %s)"
        " AND (%s::text IS NULL OR link = %s) ORDER BY id",
        *(from_ns, to_ns, table_id, table_id, link, link),
    )
    return tuple(
        Reading(str(whose), str(level), whole(shown), whole(current), str(person), str(at))
        for whose, level, shown, current, person, at in rows
    )
