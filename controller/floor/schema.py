"""The floor's schema: forward-only migrations, each applied once, its checksum kept.

A migration that was applied is never edited; a change is a new file. Everything of one `init` is one transaction.
"""

import hashlib
import re
from importlib import resources
from typing import NamedTuple

import psycopg

from controller.floor.errors import FloorVersionError, translated

_NAME = re.compile(r"^(\d{4})_([a-z_]+)\.sql$")
_LOCK = 0x506F7A6F
"""'Pozo' in ASCII: two `init` at once wait for each other under this advisory lock."""

Connection = psycopg.Connection[tuple[object, ...]]


class Migration(NamedTuple):
    """One file: its number, its name, its text and the SHA-256 of it."""

    version: int
    name: str
    text: str
    digest: str


def migrations() -> tuple[Migration, ...]:
    """The migrations of this program, in order; their numbers have no gap."""
    found: list[Migration] = []
    for file in sorted(
        resources.files("controller.floor").joinpath("sql").iterdir(), key=lambda each: each.name
    ):
        named = _NAME.match(file.name)
        if named is None:
            continue
        text = file.read_text(encoding="utf-8")
        found.append(Migration(int(named[1]), named[2], text, hashlib.sha256(text.encode()).hexdigest()))
    if [each.version for each in found] != list(range(1, len(found) + 1)):
        raise AssertionError(f"the migrations are numbered {[each.version for each in found]}")
    return tuple(found)


def init(connection: Connection) -> tuple[Migration, ...]:
    """Make the floor in this database, or bring it up to date; returns what was applied.

    The connection must be a superuser's and in autocommit mode. Raises `FloorVersionError` if an applied migration was
    edited or the floor is newer, `FloorError` for everything else; then nothing is changed.
    """
    with translated("the floor"), connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_LOCK,))
        _demand_utf8(connection)
        connection.execute(_roles().encode())
        connection.execute("SET LOCAL ROLE pozo_owner")
        connection.execute(
            "CREATE TABLE IF NOT EXISTS pozo.migrations (version integer PRIMARY KEY, name text NOT NULL,"
            " digest text NOT NULL, applied_at timestamptz NOT NULL DEFAULT clock_timestamp(),"
            " login name NOT NULL DEFAULT session_user)"
        )
        missing = pending(connection)
        for each in missing:
            connection.execute(each.text.encode())
            connection.execute(
                "INSERT INTO pozo.migrations (version, name, digest) VALUES (%s, %s, %s)",
                (each.version, each.name, each.digest),
            )
        return missing


def pending(connection: Connection) -> tuple[Migration, ...]:
    """What this program has and the floor has not. Raises `FloorVersionError` if they do not go together."""
    with translated("the floor"):
        rows = connection.execute("SELECT version, digest FROM pozo.migrations ORDER BY version").fetchall()
    ours = migrations()
    if len(rows) > len(ours):
        raise FloorVersionError(
            f"the floor's schema is of version {len(rows)}, this program knows {len(ours)}: install the newer program"
        )
    for (version, digest), each in zip(rows, ours, strict=False):
        if (version, digest) != (each.version, each.digest):
            raise FloorVersionError(
                f"migration {version} was applied with digest {digest}, this program has {each.digest}: "
                f"install the program that made this floor"
            )
    return ours[len(rows) :]


def _roles() -> str:
    return resources.files("controller.floor").joinpath("sql", "roles.sql").read_text(encoding="utf-8")


def _demand_utf8(connection: Connection) -> None:
    row = connection.execute("SELECT current_setting('server_encoding')").fetchone()
    if row != ("UTF8",):
        raise FloorVersionError(
            f"this database is encoded in {row and row[0]}: digests need UTF8; `createdb -E UTF8 -T template0 pozo`"
        )
