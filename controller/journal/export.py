"""A journal as a file for other programs: CSV or JSON lines, record by record, never all in memory.

It adds nothing and leaves nothing out, so that `copies` can rebuild every row; the journal itself is only read.
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
    """One JSON object a line, under the names of the columns.

    The three JSON columns stand in it as they are. A text that is no JSON of one line, which no program of ours stores,
    stands in it as a JSON string.
    """


_encode = msgspec.json.Encoder().encode
_skim = msgspec.json.Decoder(msgspec.Raw).decode


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
    for row in rows:
        yield json_line(row).decode()


def json_line(row: Row) -> bytes:
    """A row as a line of JSON, with its end."""
    seq, boot, at_ns, wall_ns, trusted, kind, event, results, state, digest = row
    line = {
        "seq": seq,
        "boot": boot,
        "at_ns": at_ns,
        "wall_ns": wall_ns,
        "wall_trusted": bool(trusted),
        "kind": kind,
        "event": _embedded(event),
        "results": _embedded(results),
        "state": _embedded(state),
        "digest": digest,
    }
    return _encode(line) + b"\n"


def _embedded(text: str) -> msgspec.Raw:
    """A column's text within a line: itself if it is JSON of one line, without blanks around it."""
    raw = text.encode()
    try:
        plain = text.startswith(("{", "[")) and "\n" not in text and bytes(_skim(raw)) == raw
    except (msgspec.DecodeError, RecursionError):
        plain = False
    return msgspec.Raw(raw if plain else _encode(text))
