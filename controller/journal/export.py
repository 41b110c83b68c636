"""A journal as a file for other programs: CSV or JSON lines, record by record, never all in memory.

It adds nothing and leaves nothing out; the journal itself is only read.
"""

import csv
from collections.abc import Iterable, Iterator
from enum import StrEnum
from io import StringIO

import msgspec

from controller.journal.record import COLUMNS, Row


class Format(StrEnum):
    """How an export is written. Both are UTF-8."""

    CSV = "csv"
    """RFC 4180 with a heading; the three JSON columns are one quoted field each."""
    JSONL = "jsonl"
    """One JSON object a line, under the names of the columns."""


def lines(rows: Iterable[Row], form: Format) -> Iterator[str]:
    """The export's lines, each with its end."""
    if form is Format.CSV:
        return _csv(rows)
    return _jsonl(rows)


def _csv(rows: Iterable[Row]) -> Iterator[str]:
    buffer = StringIO()
    writer = csv.writer(buffer)
    writer.writerow(COLUMNS)
    for row in rows:
        yield _taken(buffer)
        writer.writerow(row)
    yield _taken(buffer)


def _taken(buffer: StringIO) -> str:
    line = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    return line


def _jsonl(rows: Iterable[Row]) -> Iterator[str]:
    encode = msgspec.json.Encoder().encode
    for seq, boot, at_ns, wall_ns, trusted, kind, event, results, state, digest in rows:
        line = {
            "seq": seq,
            "boot": boot,
            "at_ns": at_ns,
            "wall_ns": wall_ns,
            "wall_trusted": bool(trusted),
            "kind": kind,
            "event": msgspec.Raw(event.encode()),
            "results": msgspec.Raw(results.encode()),
            "state": msgspec.Raw(state.encode()),
            "digest": digest,
        }
        yield encode(line).decode() + "\n"
