"""A report as data: what a span of time did to each table and each link, from the floor's own rows.

A record belongs to a span by the rule of a table's own shift report (controller.slips.within), so that both agree to
the unit. Money twice: by the meters of the states at both ends of each stretch (`spans`), and by the rows in between;
what differs is told, and so are records that are not believed and therefore left out.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from controller.core.game import Hand
from controller.core.money import Currency
from controller.core.state import Table
from controller.floor.bands import Band, bands
from controller.floor.errors import UnreadableError
from controller.floor.office import Office
from controller.floor.reported import MOST, game_at, hand, state_at
from controller.floor.spans import Part, Span, parts, state_before
from controller.floor.whole import whole
from controller.meters import meters


class TableFigures(msgspec.Struct, frozen=True):
    """A table in a span; records `first` to `last`, amounts in minor units.

    `wagers` are chips accepted. `contributed` is what of `wagered` went into its own pots, their reserves and overflow,
    and `to_links` what of it counted for linked pots. `liability` is what its own levels hold at the end (`pots`,
    `reserves`, the latter with the overflow) and what is `unpaid`. `chips_declared` is None where nobody declared any.
    `differences` names what rows and meters do not agree on, `doubted` why records are left out: none in an honest
    floor. `unproven`: records behind the newest signature that `pozo floor check` has seen.
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
    contributed: int
    to_links: int
    refunds: int
    awards: int
    awarded: int
    house_awards: int
    house_resets: int
    paid: int
    unpaid: int
    pots: int
    reserves: int
    liability: int
    late: int
    excess: int
    faults: int
    chips_declared: int | None
    bands: tuple[Band, ...]
    differences: tuple[str, ...]
    left_out: int
    unproven: int
    doubted: tuple[str, ...]


class Reading(NamedTuple):
    """A sign as it was read, beside what the floor knew then; of a link or of a table's own level."""

    whose: str
    level: str
    currency: Currency
    shown: int
    current: int
    person: str
    at: str


class LinkFigures(msgspec.Struct, frozen=True):
    """A link: what its tables staked and won in the span, and how it stands now; amounts in minor units.

    `contributed`: what of `staked` went into the pot and its reserve, whole units.
    """

    link: str
    currency: Currency
    staked: int
    contributed: int
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
    unbelieved: tuple[str, ...]
    """Tables that are left out, and why: no record of the span is believed, or none makes sense."""
    links: tuple[LinkFigures, ...]
    readings: tuple[Reading, ...]

    @property
    def sound(self) -> bool:
        """Whether nothing in it needs an explanation."""
        return not (
            self.unbelieved
            or any(table.differences or table.doubted for table in self.tables)
            or any(link.imbalance for link in self.links)
        )


def figures(
    office: Office, from_ns: int, to_ns: int, *, table_id: str | None = None, link: str | None = None
) -> Figures:
    """Report on a span; on one table or one link and its tables only, where named. Raises `FloorError`."""
    with office.snapshot():
        house = office.house()
        found = parts(office, from_ns, to_ns, table_id, link)
        tables, unbelieved = _tables(office, found, from_ns)
        readings, unread = _readings(office, from_ns, to_ns, table_id, link)
        return Figures(
            house=house.name,
            timezone=house.timezone,
            from_ns=from_ns,
            to_ns=to_ns,
            tables=tables,
            unbelieved=unbelieved + unread,
            links=tuple(_links(office, found, link, everything=table_id is None)),
            readings=readings,
        )


def _tables(
    office: Office, found: Sequence[Part], from_ns: int
) -> tuple[tuple[TableFigures, ...], tuple[str, ...]]:
    """Each table's figures, and why a table has none: what one of them reported keeps no other from the report."""
    tables: list[TableFigures] = []
    unbelieved: list[str] = []
    for part in found:
        if not part.stretches:
            unbelieved += [f"{part.table_id}: {why}" for why in part.doubted]
            continue
        try:
            tables.append(_table(office, part, from_ns))
        except UnreadableError as error:
            unbelieved.append(f"{part.table_id}: {error}")
        except (ArithmeticError, LookupError, TypeError, ValueError) as error:
            unbelieved.append(f"{part.table_id}: what it reported does not go together ({error!r})")
    return tuple(tables), tuple(unbelieved)


_METERS: Final = ("in_count", "in_meter", "refund_meter", "wins_meter")


def _table(office: Office, part: Part, from_ns: int) -> TableFigures:
    table_id, last = part.table_id, part.stretches[-1].last
    now = meters(state_at(office, table_id, last))
    if max(map(abs, now.values())) >= MOST:
        raise UnreadableError(f"the state in record {last} holds amounts that no table holds")
    game = game_at(office, table_id, last)
    moved, contributed = _moved(office, part)
    found = _added([_summed(office, table_id, each) for each in part.stretches])
    by_rows = dict(zip(_METERS, (found.wagers, found.wagered, found.refunds, found.awarded), strict=True))
    hits = sum((_hits(office, table_id, each) for each in part.stretches), Counter[Hand]())
    reserves = now["reserve_pool"] + now["overflow_meter"]
    return TableFigures(
        table_id=table_id,
        profile=game.profile,
        currency=game.currency,
        first=part.stretches[0].before + 1,
        last=last,
        contributed=contributed,
        unpaid=now["unpaid"],
        pots=now["current"],
        reserves=reserves,
        liability=now["current"] + reserves + now["unpaid"],
        chips_declared=_declared(office, table_id, from_ns),
        bands=bands(game, found.wagers, hits),
        differences=tuple(
            f"{name}: {moved[name]} by the meters, {by_rows[name]} by the rows"
            for name in _METERS
            if moved[name] != by_rows[name]
        ),
        left_out=part.left_out,
        unproven=part.unproven,
        doubted=part.doubted,
        **found._asdict(),
    )


def _moved(office: Office, part: Part) -> tuple[Counter[str], int]:
    """What the meters rose by over all stretches, and what of the wagers went into the table's own levels."""
    moved, contributed = Counter[str](), 0
    for each in part.stretches:
        before, after = (
            state_before(office, part.table_id, each),
            state_at(office, part.table_id, each.last),
        )
        was, now = {} if before is None else meters(before), meters(after)
        moved.update({name: now[name] - was.get(name, 0) for name in _METERS})
        contributed += _contributed(after) - (0 if before is None else _contributed(before))
    return moved, contributed


def _contributed(table: Table) -> int:
    """What wagers have brought to the levels so far, in whole units: all that they held or paid, less all else."""
    return sum(
        level.current
        + level.reserve_pool
        + level.overflow_meter
        + level.wins_meter
        - level.house_prizes
        - level.house_funding
        - level.corrections
        - level.transfers_in
        - level.link_in
        + level.transfers_out
        for level in table.pot.levels
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


def _added(summed: Sequence[Summed]) -> Summed:
    return Summed(*map(sum, zip(*summed, strict=True)))


def _hits(office: Office, table_id: str, span: Span) -> Counter[Hand]:
    rows = office.rows(
        "SELECT hand, count(*) FROM pozo.awards WHERE table_id = %s AND seq > %s AND seq <= %s GROUP BY hand",
        table_id,
        *span,
    )
    return Counter({hand(name): whole(count) for name, count in rows})


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


_OF_LINK: Final = """
SELECT coalesce(sum(c.staked), 0), coalesce(sum(c.staked * (
    (r.rules::jsonb -> 'level' ->> 'increment_rate_ppm')::numeric
    + (r.rules::jsonb -> 'level' ->> 'reserve_rate_ppm')::numeric)), 0), w.claims, w.won
FROM (SELECT count(*) AS claims, coalesce(sum(amount), 0) AS won
  FROM pozo.claims WHERE link = %s AND table_id = %s AND seq > %s AND seq <= %s) AS w
LEFT JOIN pozo.contributions AS c ON c.link = %s AND c.table_id = %s AND c.seq > %s AND c.seq <= %s
LEFT JOIN pozo.link_rules AS r ON r.link = c.link AND r.version = c.version
GROUP BY w.claims, w.won
"""
"""A table's stakes for a link in a stretch, what of them went into it in millionths, and what was won."""


def _links(
    office: Office, found_parts: tuple[Part, ...], link: str | None, *, everything: bool
) -> list[LinkFigures]:
    found: list[LinkFigures] = []
    for each in office.links() if everything else ():
        if link not in {None, each.link}:
            continue
        sums = [
            office.rows(_OF_LINK, *(each.link, part.table_id, *span) * 2)[0]
            for part in found_parts
            for span in part.stretches
        ]
        staked, millionths, claims, won = (
            (sum(map(whole, column)) for column in zip(*sums, strict=True)) if sums else (0, 0, 0, 0)
        )
        found.append(
            LinkFigures(
                link=each.link,
                currency=Currency(each.currency),
                staked=staked,
                contributed=millionths // 1_000_000,
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
) -> tuple[tuple[Reading, ...], tuple[str, ...]]:
    """What was read from signs, and why the readings of a table cannot be shown."""
    rows = office.rows(
        "SELECT link, table_id, level, (SELECT l.currency FROM pozo.levels AS l WHERE l.link = readings.link),"
        " shown, current, person, (at AT TIME ZONE 'UTC')::text"
        " FROM pozo.readings WHERE extract(epoch FROM at) * 1000000000 >= %s"
        " AND extract(epoch FROM at) * 1000000000 < %s AND (%s::text IS NULL OR table_id = %s)"
        " AND (%s::text IS NULL OR link = %s) ORDER BY id",
        *(from_ns, to_ns, table_id, table_id, link, link),
    )
    found: list[Reading] = []
    unread: dict[str, None] = {}
    for of_link, of_table, level, currency, shown, current, person, at in rows:
        whose = str(of_link or of_table)
        try:
            money = game_at(office, whose).currency if of_link is None else Currency(str(currency))
        except UnreadableError as error:
            unread[f"{whose}: its sign's readings are left out: {error}"] = None
            continue
        found.append(Reading(whose, str(level), money, whole(shown), whole(current), str(person), str(at)))
    return tuple(found), tuple(unread)
