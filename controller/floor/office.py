"""The owner's and the clerks' side of the floor: tables, links, what people enter, and whether all is as it must be.

Each call is one transaction; what two persons must agree to names both. A table's program never uses this.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from typing import NamedTuple, Self

import msgspec
import psycopg
from psycopg import sql

from controller.floor import schema
from controller.floor.errors import FloorVersionError, OnePersonError, translated
from controller.floor.rules import LinkRules
from controller.floor.whole import whole
from controller.names import two_persons

_DURABLE = {
    "fsync": ("on",),
    "full_page_writes": ("on",),
    "synchronous_commit": ("on", "remote_write", "remote_apply"),
}
"""Server settings without which an answer would not mean that it is stored."""

CONNECTIONS_MAX = 16
"""Of one table's login at once; its program needs one, and a lost line may leave some behind for a minute."""

_LIMITS = {
    "statement_timeout": "10s",
    "lock_timeout": "5s",
    "idle_in_transaction_session_timeout": "5s",
}
"""For whatever comes in with a table's login beside the table's program, which sets narrower ones itself."""


class House(NamedTuple):
    """Whose floor it is, and when its gaming day begins (`HH:MM` in `timezone`)."""

    name: str
    timezone: str
    day_starts_at: str


class TableStatus(msgspec.Struct, frozen=True):
    """A table as the floor knows it; times are ISO texts in UTC, empty before the first."""

    table_id: str
    login: str
    seq: int
    digest: str
    reported_at: str
    hello_at: str
    offset_ms: int | None
    faults: int


class LinkStatus(msgspec.Struct, frozen=True):
    """A link as it is now, minor units; `imbalance` in millionths, 0 always."""

    link: str
    level: str
    currency: str
    version: int
    digest: str
    current: int
    reserve_pool: int
    overflow_meter: int
    claims: int
    tables: int
    imbalance: int


class Alarm(msgspec.Struct, frozen=True):
    """Something that was refused, how often, and when last."""

    kind: str
    table_id: str
    login: str
    seq: int
    times: int
    last_at: str
    detail: str


class Office:
    """A connection of somebody who runs the floor. What it may do is the login's business."""

    def __init__(self, connection: schema.Connection) -> None:
        self.connection = connection

    @classmethod
    def connect(cls, conninfo: str) -> Self:
        """Connect; an empty text takes libpq's own environment. Raises `FloorDownError`."""
        with translated("the floor"):
            return cls(
                psycopg.connect(conninfo, autocommit=True, connect_timeout=5, application_name="pozo floor")
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.connection.close()

    def init(self, house: House) -> tuple[str, ...]:
        """Make the floor, or bring it up to date, and say whose it is; the names of the migrations applied."""
        applied = schema.init(self.connection)
        self.rows(
            "INSERT INTO pozo.house (name, timezone, day_starts_at) VALUES (%s, %s, %s::time) ON CONFLICT (one)"
            " DO UPDATE SET (name, timezone, day_starts_at) ="
            " (excluded.name, excluded.timezone, excluded.day_starts_at) RETURNING 1",
            *house,
        )
        for (login,) in self.rows("SELECT t.login FROM pozo.tables AS t"):
            self._bind(str(login))
        return tuple(f"{each.version:04} {each.name}" for each in applied)

    def house(self) -> House:
        """Whose floor it is. Raises `FloorVersionError` before `init` said so."""
        rows = self.rows("SELECT name, timezone, to_char(day_starts_at, 'HH24:MI') FROM pozo.house")
        if not rows:
            raise FloorVersionError("nobody said whose floor this is: run `pozo floor init`")
        return House(*map(str, rows[0]))

    def add_table(self, table_id: str, login: str) -> None:
        """Make a table known, and its login, which has no password: it is let in by its certificate (pg_hba.conf)."""
        with translated("the floor"), self.connection.transaction():
            if not self.rows("SELECT 1 FROM pg_roles WHERE rolname = %s", login):
                self.connection.execute(sql.SQL("CREATE ROLE {} LOGIN").format(sql.Identifier(login)))
            self.connection.execute(sql.SQL("GRANT pozo_table TO {}").format(sql.Identifier(login)))
            self.rows("SELECT pozo.add_table(%s, %s)", table_id, login)
            self._bind(login)

    def _bind(self, login: str) -> None:
        """Give a login the limits that its sessions begin with; a session can set anew all but the first."""
        if self.rows("SELECT 1 FROM pg_roles WHERE rolname = %s AND rolsuper", login):
            return
        role = sql.Identifier(login)
        with translated("the floor"):
            self.connection.execute(
                sql.SQL("ALTER ROLE {} CONNECTION LIMIT {}").format(role, sql.Literal(CONNECTIONS_MAX))
            )
            for name, value in _LIMITS.items():
                self.connection.execute(
                    sql.SQL("ALTER ROLE {} SET {} = {}").format(
                        role, sql.Identifier(name), sql.Literal(value)
                    )
                )

    def file_key(self, table_id: str, key: str, supervisor: str, technician: str) -> None:
        """File a public half of a table's key, as it is on paper. Raises `OnePersonError`."""
        refuse_one_person(supervisor, technician)
        self.rows("SELECT pozo.file_key(%s, %s, %s, %s)", table_id, key, supervisor, technician)

    def keys(self, table_id: str) -> tuple[str, ...]:
        """The public halves of a table's keys that are filed, or came with its first record."""
        rows = self.rows("SELECT key FROM pozo.keys WHERE table_id = %s ORDER BY at, key", table_id)
        return tuple(str(key) for (key,) in rows)

    def create_link(self, link: str, rules: LinkRules, supervisor: str, technician: str) -> None:
        """Make a linked pot at its base amount. Raises `OnePersonError`."""
        refuse_one_person(supervisor, technician)
        self.rows(
            "SELECT pozo.create_link(%s, %s, %s, %s, %s)",
            link,
            rules.text,
            rules.digest,
            supervisor,
            technician,
        )

    def admit(self, link: str, table_id: str) -> None:
        """Let a table join a link."""
        self.rows("SELECT pozo.admit(%s, %s)", link, table_id)

    def change_link(self, link: str, rules: LinkRules, supervisor: str, technician: str) -> int:
        """Give a link other rules, with all its tables closed; the number of the new version.

        Raises `OnePersonError`.
        """
        refuse_one_person(supervisor, technician)
        query = "SELECT pozo.change_link(%s, %s, %s, %s, %s)"
        return whole(self.rows(query, link, rules.text, rules.digest, supervisor, technician)[0][0])

    def correct_link(self, link: str, amount: int, reason: str, supervisor: str, technician: str) -> int:
        """Set a link's pot to `amount` minor units; what it was. Raises `OnePersonError`."""
        refuse_one_person(supervisor, technician)
        query = "SELECT pozo.correct_link(%s, %s, %s, %s, %s)"
        return whole(self.rows(query, link, amount, reason, supervisor, technician)[0][0])

    def enter_reading(
        self, link: str | None, table_id: str | None, level: str, shown: int, person: str
    ) -> int:
        """Keep what a sign shows now; what it should show. Exactly one of `link` and `table_id` is given."""
        query = "SELECT pozo.enter_reading(%s, %s, %s, %s, %s)"
        return whole(self.rows(query, link, table_id, level, shown, person)[0][0])

    def enter_chips(self, table_id: str, day: date, chips: int, person: str) -> None:
        """Keep how many chips were counted from a table's box for a gaming day."""
        self.rows("SELECT pozo.enter_chips(%s, %s, %s, %s)", table_id, day, chips, person)

    def tables(self) -> tuple[TableStatus, ...]:
        """All tables, by name."""
        rows = self.rows(
            "SELECT t.table_id, t.login, h.seq, h.digest, coalesce((h.reported_at AT TIME ZONE 'UTC')::text, ''),"
            " coalesce((c.at AT TIME ZONE 'UTC')::text, ''), c.offset_ns / 1000000,"
            " (SELECT count(*) FROM pozo.standing_faults AS f WHERE f.table_id = t.table_id)"
            " FROM pozo.tables AS t JOIN pozo.heads AS h ON h.table_id = t.table_id LEFT JOIN LATERAL"
            " (SELECT e.at, e.offset_ns FROM pozo.hellos AS e WHERE e.table_id = t.table_id ORDER BY e.id DESC LIMIT 1)"
            " AS c ON true ORDER BY t.table_id"
        )
        return tuple(
            TableStatus(
                str(table),
                str(login),
                whole(seq),
                str(digest),
                str(reported),
                str(hello),
                None if offset is None else whole(offset),
                whole(faults),
            )
            for table, login, seq, digest, reported, hello, offset, faults in rows
        )

    def links(self) -> tuple[LinkStatus, ...]:
        """All links, by name, as they are now."""
        rows = self.rows(
            "SELECT l.link, l.level, l.currency, l.version, l.digest, l.current, l.reserve_pool, l.overflow_meter,"
            " l.claims, (SELECT count(DISTINCT m.table_id) FROM pozo.members AS m WHERE m.link = l.link), l.imbalance"
            " FROM pozo.levels AS l ORDER BY l.link"
        )
        return tuple(
            LinkStatus(
                str(link),
                str(level),
                str(currency),
                whole(version),
                str(digest),
                *(whole(each) for each in figures),
            )
            for link, level, currency, version, digest, *figures in rows
        )

    def alarms(self) -> tuple[Alarm, ...]:
        """What was refused, newest first: of each login its twenty newest."""
        rows = self.rows(
            "SELECT kind, table_id, login, seq, times, (last_at AT TIME ZONE 'UTC')::text, detail FROM (SELECT a.*,"
            " row_number() OVER (PARTITION BY a.login ORDER BY a.last_at DESC) AS place FROM pozo.alarms AS a) AS a"
            " WHERE place <= 20 ORDER BY last_at DESC LIMIT 1000"
        )
        return tuple(
            Alarm(str(kind), str(table), str(login), whole(seq), whole(times), str(at), str(detail))
            for kind, table, login, seq, times, at, detail in rows
        )

    def pending(self) -> bool:
        """Whether the schema is older than the program."""
        return bool(schema.pending(self.connection))

    def flaws(self) -> tuple[str, ...]:
        """What is not as it must be: schema, server settings, rights, and each pot against the rows it came from."""
        missing = schema.pending(self.connection)
        found = [
            f"migration {each.version:04} {each.name} is missing: run `pozo floor init`" for each in missing
        ]
        for name, value in self.rows(
            "SELECT name, setting FROM pg_settings WHERE name = ANY (%s) ORDER BY name", list(_DURABLE)
        ):
            if value not in _DURABLE[str(name)]:
                found.append(
                    f"{name} is {value}: what is acknowledged may be lost; set it to on in postgresql.conf"
                )
        for role, relation in self.rows(
            "SELECT r.rolname, c.oid::regclass FROM pg_class AS c CROSS JOIN pg_roles AS r"
            " WHERE c.relnamespace = 'pozo'::regnamespace AND c.relkind IN ('r', 'v') AND NOT r.rolsuper"
            " AND pg_has_role(r.oid, 'pozo_table', 'MEMBER') AND has_table_privilege(r.oid, c.oid,"
            " 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE')"
        ):
            found.append(f"login {role} may use {relation} directly: REVOKE that")
        for link in self.links():
            found += [
                f"link {link.link}: {what}: {expected} by the rows, {held} in the level"
                for what, expected, held in self.rows(
                    "SELECT * FROM pozo.audit(%s) WHERE expected IS DISTINCT FROM found", link.link
                )
            ]
        return tuple(found)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """What is read inside is the floor of one moment, whatever tables report meanwhile. Nothing can be written."""
        with translated("the floor"), self.connection.transaction():
            self.connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            yield

    def rows(self, query: str, *values: object) -> list[tuple[object, ...]]:
        """Rows of a query of this room's; its errors are the floor's."""
        with translated("the floor"):
            return self.connection.execute(query.encode(), values or None).fetchall()

    def named(self, query: str, values: dict[str, object]) -> list[tuple[object, ...]]:
        """As `rows`, with the values by name."""
        with translated("the floor"):
            return self.connection.execute(query.encode(), values).fetchall()


def refuse_one_person(supervisor: str, technician: str) -> None:
    """Refuse what names one person twice, or nobody. Raises `OnePersonError`."""
    if not two_persons(supervisor, technician):
        raise OnePersonError(
            f"{supervisor!r} and {technician!r} are not two persons, however they are written: the house's "
            "supervisor and a technician agree, each by his own name. Nothing was changed"
        )
