"""Which records a span of time has: each record is in exactly one of spans that touch, whatever the wall clock did.

A record belongs to the span in which the first record dated at or after the span's begin has come and the first dated
at or after its end has not. Records before the first date of a set clock belong to the span that has that date: nobody
knows when they were, and no report may be without them. Where no clock was ever set, the dates there are count.
"""

import sqlite3
from pathlib import Path

from controller.slips.day import Span
from controller.slips.source import SlipError

_INTEGER_MAX = 2**63 - 1
"""SQLite's integers end in the year 2262."""


def within(connection: sqlite3.Connection, path: Path, span: Span, newest: int) -> tuple[int, int]:
    """The first and the last record of a span; `newest` is the journal's last. Raises `SlipError` if it has none."""
    row = connection.execute("SELECT seq FROM journal WHERE wall_trusted = 1 ORDER BY seq LIMIT 1").fetchone()
    dated = None if row is None else int(row[0])
    first = _reached(connection, span.from_ns, dated)
    end = _reached(connection, span.to_ns, dated)
    last = newest if end is None else end - 1
    if first is None or first > last:
        raise SlipError(f"{path} has no record in that time: `pozo journal show` tells the dates it has")
    return first, last


def _reached(connection: sqlite3.Connection, wall_ns: int, dated: int | None) -> int | None:
    """The record with which a moment had come; `dated` is the first one of a set clock, None: there is none."""
    row = connection.execute(
        "SELECT seq FROM journal WHERE wall_ns >= ? AND wall_trusted >= ? ORDER BY seq LIMIT 1",
        (min(wall_ns, _INTEGER_MAX), int(dated is not None)),
    ).fetchone()
    if row is None:
        return None
    return 1 if row[0] == dated else int(row[0])
