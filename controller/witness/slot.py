"""A slot of the witness as bytes: one record of the journal with all its columns, signed, and a checksum.

    {"format":"pozo witness 2","table":…,"serial":…,"key":"…","record":{…},"signature":"…","sum":"…"}   blanks   newline

`sum` is the SHA-256, in hexadecimal, of all bytes before `,"sum"`: it tells what a medium has spoilt. `signature` is
the device's, under the public half `key`, as `controller/signing/heads.py` has it: it tells who wrote the slot. Both
are empty where a program without a key wrote it. What is behind the newline is left from longer documents before and
means nothing: so a write touches no more blocks than the document needs, and the file never changes its size. It
knows the journal's record and keys, and no file.
"""

from hashlib import sha256
from typing import Final

import msgspec

from controller.core.pot import imbalance
from controller.journal import Head, Record
from controller.journal.record import Row, RowError, decode
from controller.signing.heads import slot_message
from controller.signing.key import PrivateKey, genuine
from controller.witness.errors import SlotError, TooLargeError

FORMAT: Final = "pozo witness 2"

UNSIGNED: Final = ""
"""Key and signature of a slot that nobody signed."""

SLOT_BYTES: Final = 128 * 1024
"""Size of a slot's file. A record of play takes 3 KB; the longest there can be, other rules for a table that has
taken in 1,000 transfers, some 90 KB."""

BLOCK_BYTES: Final = 4096
"""A document is filled up to a multiple of this: a page of the machine's memory."""

NUMBER_MOST: Final = 2**62
"""No table writes so often; SQLite's own numbers end at twice that."""

NAME_MOST: Final = 100
"""Characters of a name or a digest in a slot: they are shown to the two persons of a recovery as they are."""

_SUM = b',"sum":"'
_TAIL_BYTES = len(_SUM) + 64 + len(b'"}')


class _Columns(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A record's columns; the three JSON columns as they are, so that a person can read them."""

    seq: int
    boot: int
    at_ns: int
    wall_ns: int
    wall_trusted: int
    kind: str
    event: msgspec.Raw
    results: msgspec.Raw
    state: msgspec.Raw
    digest: str


class _Document(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    format: str
    table: str
    serial: int
    record: _Columns
    key: str = UNSIGNED
    signature: str = UNSIGNED


class _Signed(msgspec.Struct, frozen=True):
    """What the signature covers."""

    format: str
    table: str
    serial: int
    key: str
    record: _Columns


class Slot(msgspec.Struct, frozen=True):
    """What a good slot holds: whose it is, the number of its write, the record, and the row that stores it.

    `key`: the public half under which its signature is good, `UNSIGNED` if it has none. Whose key that is, is asked
    by whoever trusts the slot.
    """

    table: str
    serial: int
    record: Record
    row: Row
    key: str = UNSIGNED

    @property
    def head(self) -> Head:
        """Number and digest of the record."""
        return Head(self.record.seq, self.record.digest)


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(_Document).decode


def encode(table: str, serial: int, row: Row, key: PrivateKey | None) -> bytes:
    """A slot's document, signed with `key`, filled up to whole blocks. Raises `TooLargeError`."""
    seq, boot, at_ns, wall_ns, trusted, kind, event, results, state, digest = row
    columns = _Columns(
        seq, boot, at_ns, wall_ns, trusted, kind, _raw(event), _raw(results), _raw(state), digest
    )
    public = UNSIGNED if key is None else key.public
    body = _encode(_Signed(FORMAT, table, serial, public, columns))[:-1]
    sums = sha256(body)
    signature = UNSIGNED if key is None else key.sign(slot_message(table, serial, sums.hexdigest()))
    tail = _signature(signature)
    sums.update(tail)
    document = body + tail + _SUM + sums.hexdigest().encode() + b'"}'
    size = -(-(len(document) + 1) // BLOCK_BYTES) * BLOCK_BYTES
    if size > SLOT_BYTES:
        raise TooLargeError(
            f"record {row[0]} takes {len(document)} bytes, a slot of the witness holds {SLOT_BYTES}: call the maker"
        )
    return document.ljust(size - 1) + b"\n"


def decode_slot(data: bytes) -> Slot:
    """Read a slot's file. Raises `SlotError`, whatever the bytes are; only what was written whole is ever read."""
    document, signed = _checked(data)
    _check_signature(document, signed)
    columns = document.record
    try:
        row = _row(columns)
        record = decode(row)
    except (RowError, UnicodeDecodeError) as error:
        raise SlotError(f"its record cannot be read: {error}") from error
    shown = (document.table, columns.digest, *(level.name for level in record.state.pot.levels))
    if not all(text.isprintable() and len(text) <= NAME_MOST for text in shown):
        raise SlotError(
            "a name in it is none that a table has: it holds characters that are not printed, or too many"
        )
    missing = imbalance(record.state.pot)
    if missing:
        raise SlotError(f"{missing} millionths of a minor unit are missing from its pot")
    return Slot(document.table, document.serial, record, row, document.key)


def _raw(text: str) -> msgspec.Raw:
    return msgspec.Raw(text.encode())


def _row(columns: _Columns) -> Row:
    """The row as the journal stores it. Raises `UnicodeDecodeError`."""
    return (
        columns.seq,
        columns.boot,
        columns.at_ns,
        columns.wall_ns,
        columns.wall_trusted,
        columns.kind,
        bytes(columns.event).decode(),
        bytes(columns.results).decode(),
        bytes(columns.state).decode(),
        columns.digest,
    )


def _signature(digits: str) -> bytes:
    return b',"signature":"' + digits.encode() + b'"'


def _check_signature(document: _Document, signed: bytes) -> None:
    if (document.key, document.signature) == (UNSIGNED, UNSIGNED):
        return
    message = slot_message(document.table, document.serial, sha256(signed).hexdigest())
    if not genuine(document.key, message, document.signature):
        raise SlotError("its signature is not that of the key it names")


def _checked(data: bytes) -> tuple[_Document, bytes]:
    """The document of a file whose sum is right, and the bytes that are signed in it. Raises `SlotError`."""
    if len(data) != SLOT_BYTES:
        raise SlotError(f"it has {len(data)} bytes, not {SLOT_BYTES}")
    line, newline, _ = data.partition(b"\n")
    text = line.rstrip(b" ")
    body, tail = text[:-_TAIL_BYTES], text[-_TAIL_BYTES:]
    if not newline or tail != _SUM + sha256(body).hexdigest().encode() + b'"}':
        raise SlotError("its checksum is wrong")
    try:
        document = _decode(body + b"}")
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise SlotError(f"it is no document of a witness: {error}") from error
    if document.format != FORMAT:
        raise SlotError(f"its format is {document.format!r}, this program knows {FORMAT!r}")
    if not (0 < document.serial < NUMBER_MOST and 0 < document.record.seq < NUMBER_MOST):
        raise SlotError("its numbers do not begin with 1, or are none of ours")
    signature = _signature(document.signature)
    if not body.endswith(signature):
        raise SlotError("its signature does not stand where it belongs")
    return document, body.removesuffix(signature)
