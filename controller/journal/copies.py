"""Reading an exported copy back: rows with the very text the journal stored, from CSV or JSON lines.

The reader of what `export` writes. Whether a row is a true record is for `verify` to say. Files are read line by line:
a copy may be longer than the memory of the machine.
"""

import csv
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final

import msgspec

from controller.journal.errors import FormatError, from_os
from controller.journal.export import Format, json_line
from controller.journal.record import COLUMNS, LineError, Row

FIELD_CHARACTERS_MAX: Final = 1 << 24
"""The longest field, and the longest line of JSON: hundreds of times a full record; what is longer is no row."""

_SQLITE = b"SQLite format 3\0"
_HEADING = (",".join(COLUMNS) + "\r\n").encode()
_NUMBER = re.compile(r"0|-?[1-9][0-9]{0,18}")
_INT64 = range(-(2**63), 2**63)
_Int64 = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    """One JSON line; the last columns keep their very text."""

    seq: _Int64
    boot: _Int64
    at_ns: _Int64
    wall_ns: _Int64
    wall_trusted: bool
    kind: str
    event: msgspec.Raw
    results: msgspec.Raw
    state: msgspec.Raw
    digest: str


_decode = msgspec.json.Decoder(_Line).decode
_text = msgspec.json.Decoder(str).decode


def format_of(path: Path) -> Format | None:
    """What an exported copy is written in; None for a journal itself.

    Raises `FormatError` for a file that is neither, and the error of a file that cannot be read.
    """
    try:
        with path.open("rb") as file:
            begin = file.read(len(_HEADING))
    except OSError as error:
        raise from_os(error, path) from error
    if begin.startswith(_SQLITE):
        return None
    if begin == _HEADING:
        return Format.CSV
    if begin.startswith(b'{"seq":'):
        return Format.JSONL
    raise FormatError(
        f"{path} is neither a journal nor a copy of one: give the journal, or a file as `pozo journal export` "
        "wrote it, not opened and saved by another program"
    )


def copied_rows(path: Path, form: Format) -> Iterator[Row | LineError]:
    """The rows of a copy, in its order; a line that is no row stands in its place as the error it is.

    Raises the medium's errors.
    """
    try:
        yield from _csv_rows(path) if form is Format.CSV else _json_rows(path)
    except OSError as error:
        raise from_os(error, path) from error


def _csv_rows(path: Path) -> Iterator[Row | LineError]:
    csv.field_size_limit(FIELD_CHARACTERS_MAX)
    # Bytes that are no UTF-8 are let through here and found in their row: one bad line must not hide the others.
    with path.open(encoding="utf-8", errors="surrogateescape", newline="") as file:
        reader = csv.reader(file, strict=True)
        next(reader)
        while True:
            try:
                fields = next(reader, None)
                if fields is None:
                    return
                yield _row(fields, reader.line_num)
            except csv.Error as error:
                yield LineError(f"line {reader.line_num} is no line of CSV: {error}")
            except LineError as error:
                yield error


def _row(fields: list[str], line: int) -> Row:
    if len(fields) != len(COLUMNS):
        raise LineError(f"line {line} has {len(fields)} fields, not {len(COLUMNS)}")
    try:
        "".join(fields).encode()
    except UnicodeEncodeError as error:
        raise LineError(f"line {line} holds bytes that are no UTF-8") from error
    seq, boot, at_ns, wall_ns, trusted = (
        _number(text, column, line) for text, column in zip(fields[:5], COLUMNS[:5], strict=True)
    )
    kind, event, results, state, digest = fields[5:]
    return (seq, boot, at_ns, wall_ns, trusted, kind, event, results, state, digest)


def _number(text: str, column: str, line: int) -> int:
    if not _NUMBER.fullmatch(text) or int(text) not in _INT64:
        raise LineError(f"line {line}: {column} is {text[:40]!r}, not a whole number of 64 bits")
    return int(text)


def _json_rows(path: Path) -> Iterator[Row | LineError]:
    with path.open("rb") as file:
        number = 0
        while line := file.readline(FIELD_CHARACTERS_MAX):
            number += 1
            try:
                yield _line(line, number)
            except LineError as error:
                yield error


def _line(line: bytes, number: int) -> Row:
    if not line.endswith(b"\n"):
        raise LineError(
            f"line {number} has no end: the copy is cut off there, or the line is longer than any record"
        )
    try:
        found = _decode(line)
        event, results, state = (_column(bytes(raw)) for raw in (found.event, found.results, found.state))
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise LineError(f"line {number} is no JSON object of a record: {error}") from error
    trusted = int(found.wall_trusted)
    row = (
        found.seq,
        found.boot,
        found.at_ns,
        found.wall_ns,
        trusted,
        found.kind,
        event,
        results,
        state,
        found.digest,
    )
    # Another program could read something else out of a line that only nearly is one of ours: a name given twice, say.
    if json_line(row) != line:
        raise LineError(f"line {number} is not as `pozo journal export` writes it")
    return row


def _column(raw: bytes) -> str:
    """A column's very text: itself, or inside a JSON string where `export` could not write it as it stands."""
    return _text(raw) if raw.startswith(b'"') else raw.decode()
