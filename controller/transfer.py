"""A transfer between two tables as a file: made from the sender's journal, taken in once by the receiver.

The file only carries what the sender's journal says; losing it loses nothing, for it can be made again from there.
"""

import os
from pathlib import Path

import msgspec

from controller.core import events as ev
from controller.core.money import Currency
from controller.journal import records

FORMAT = "pozo transfer 1"
BYTES_MOST = 4096
"""What is read of a transfer file; one has five hundred bytes."""


class TransferError(ValueError):
    """A transfer file or number that cannot be used; the text says why and what to do."""


class Transfer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a transfer file says: who sends how much to whom, and the journal record that proves it."""

    format: str
    transfer: str
    from_table: str
    to_table: str
    level: str
    amount: int
    currency: Currency
    seq: int
    digest: str


def from_journal(journal: Path, table_id: str, transfer: str, currency: Currency) -> Transfer:
    """What the journal says of a transfer that was sent. Raises `TransferError` if it never was."""
    for record in records(journal):
        event = record.event
        if not isinstance(event, ev.TransferSent) or event.transfer != transfer:
            continue
        if isinstance(record.results[0], ev.TransferMade):
            return Transfer(
                FORMAT,
                transfer,
                table_id,
                event.to_table,
                event.level,
                event.amount,
                currency,
                record.seq,
                record.digest,
            )
    raise TransferError(f"{journal} knows no transfer {transfer!r} that left this table")


def write(transfer: Transfer, file: Path) -> None:
    """Write a transfer file, durable on return; an existing file is never overwritten. Raises `OSError`."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
    with os.fdopen(descriptor, "wb") as out:
        out.write(msgspec.json.format(msgspec.json.encode(transfer), indent=2) + b"\n")
        out.flush()
        os.fsync(out.fileno())


def read(file: Path, table_id: str, currency: Currency) -> Transfer:
    """Read a transfer file meant for this table. Raises `TransferError`, `OSError`."""
    try:
        with file.open("rb") as opened:
            found = msgspec.json.decode(opened.read(BYTES_MOST), type=Transfer)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise TransferError(
            f"{file} is no transfer file: {error}; make it again at the sending table"
        ) from error
    if found.format != FORMAT:
        raise TransferError(f"{file} is of format {found.format!r}; this program reads {FORMAT!r}")
    if found.to_table != table_id:
        raise TransferError(f"{file} is for table {found.to_table!r}; this is table {table_id!r}")
    if found.currency is not currency:
        raise TransferError(f"{file} is in {found.currency}; this table plays in {currency}")
    return found
