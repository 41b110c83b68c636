"""The journal's SQLite file: its table, its settings, and how a writer's connection is made.

`synchronous=FULL` in WAL mode is one flush per commit, and after it the commit survives a power cut. Checkpoints
never run by themselves: they cost more flushes, so the loop asks for them when the table is quiet.
"""

import sqlite3
from pathlib import Path
from typing import Final

from controller.journal import shm

APPLICATION_ID: Final = 0x506F7A6F
"""'Pozo' in ASCII: how `file` and this program tell a journal from any other SQLite file."""

VERSION: Final = 1
"""Format of the file, in `user_version`."""

PAGE_BYTES: Final = 2048
"""Two records of a busy table fit in: as few bytes per event as with 1,024 and less work, a fifth fewer bytes than
with 4,096 (benchmarks/commit.py)."""

RESERVE_BYTES: Final = 1 << 20
"""The WAL file never shrinks below this while the journal is open. Overwriting needs no space and no change of the
file's size: a commit stays one flush, and on a full medium the payout in progress can still be recorded."""

BUSY_S: Final = 5.0
"""How long a commit waits for another program's lock."""

TABLE_SQL: Final = """CREATE TABLE journal(
  seq INTEGER PRIMARY KEY,
  boot INTEGER NOT NULL,
  at_ns INTEGER NOT NULL,
  wall_ns INTEGER NOT NULL,
  wall_trusted INTEGER NOT NULL,
  kind TEXT NOT NULL,
  event TEXT NOT NULL,
  results TEXT NOT NULL,
  state TEXT NOT NULL,
  digest TEXT NOT NULL
) STRICT"""

INSERT_SQL: Final = "INSERT INTO journal VALUES(?,?,?,?,?,?,?,?,?,?)"


def connect(path: Path) -> sqlite3.Connection:
    """Connect a writer to an existing file. Transactions are begun and ended by hand."""
    if path.exists():
        shm.keep_private(path)
    return sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw",
        uri=True,
        timeout=BUSY_S,
        isolation_level=None,
        check_same_thread=False,  # opened by the main thread, used by the loop's
    )


def configure(connection: sqlite3.Connection) -> None:
    """Set what a writer's connection needs; each setting is one of this session, not of the file, but WAL."""
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("PRAGMA wal_autocheckpoint=0")
    connection.execute(f"PRAGMA journal_size_limit={RESERVE_BYTES}")
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute("PRAGMA trusted_schema=OFF")


def lay_out(connection: sqlite3.Connection) -> None:
    """Make the table in an empty file."""
    connection.execute(f"PRAGMA page_size={PAGE_BYTES}")
    configure(connection)
    connection.execute("BEGIN IMMEDIATE")
    connection.execute(f"PRAGMA application_id={APPLICATION_ID}")
    connection.execute(f"PRAGMA user_version={VERSION}")
    connection.execute(TABLE_SQL)
    connection.execute("COMMIT")


def flaw(connection: sqlite3.Connection) -> str | None:
    """What makes this file no journal of ours, or None."""
    if _pragma(connection, "application_id") != APPLICATION_ID:
        return "it is an SQLite file of another program (application_id)"
    if connection.execute("SELECT type, name, sql FROM sqlite_schema").fetchall() != [
        ("table", "journal", TABLE_SQL)
    ]:
        return "its table was altered: other columns, types, indexes or triggers than this program makes"
    return None


def version(connection: sqlite3.Connection) -> int:
    """The format the file says it has."""
    return _pragma(connection, "user_version")


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    value: int = connection.execute(f"PRAGMA {name}").fetchone()[0]
    return value
