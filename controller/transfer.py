"""A transfer between two tables as a file: made from the sender's journal, signed, taken in once by the receiver.

    signature = Ed25519( JSON array [ "pozo transfer 2", transfer, from_table, to_table, level, amount, currency, seq,
                                      digest ] )

by the sending table's device key. The receiver checks it with the public half that was filed for that table: the one in
the file is only there to say which it is. Losing the file loses nothing, for it can be made again from the journal.
"""

import os
from pathlib import Path
from typing import Annotated

import msgspec
from msgspec.structs import replace

from controller.config.kinds import Level, TableId
from controller.core import events as ev
from controller.core.money import Currency
from controller.core.table.parameters import TRANSFER_DIGITS_MAX
from controller.journal import JournalError, Record, records
from controller.journal.aside import with_those_aside
from controller.journal.read import reader
from controller.signing.covered import covered
from controller.signing.device import own_keys
from controller.signing.key import PrivateKey, genuine

FORMAT = "pozo transfer 2"
BYTES_MOST = 4096
"""What is read of a transfer file; one has nine hundred bytes."""


class TransferError(ValueError):
    """A transfer file or number that cannot be used; the text says why and what to do."""


class Transfer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a transfer file says: who sends how much to whom, the journal record that proves it, and who signed."""

    format: str
    transfer: Annotated[str, msgspec.Meta(pattern=f"^[A-Za-z0-9-]{{1,{TRANSFER_DIGITS_MAX}}}$")]
    from_table: TableId
    to_table: TableId
    level: Level
    amount: int
    currency: Currency
    seq: int
    digest: str
    key: str
    signature: str

    def message(self) -> bytes:
        """What the signature covers: all of it but the key."""
        parts = (self.transfer, self.from_table, self.to_table, self.level, self.amount)
        return msgspec.json.encode((FORMAT, *parts, self.currency, self.seq, self.digest))


class Sent(msgspec.Struct, frozen=True):
    """A transfer that left this table: where it was found, and its record, which this table's key signed."""

    source: Path
    record: Record

    def signed(self, table_id: str, currency: Currency, key: PrivateKey) -> Transfer:
        """What goes into its file."""
        return _signed(self.record, table_id, currency, key)


def sent(journal: Path, table_id: str, transfer: str) -> Sent:
    """The record of a transfer in the journal, or in one set aside, under a signature of this table's own key.

    Anybody who can write a file can write a record of a transfer that nobody sent: it is not taken.
    Raises `TransferError`.
    """
    told: list[str] = []
    keys = own_keys(journal)
    for path in with_those_aside(journal):
        try:
            found = _sent(path, transfer)
            if found is None:
                continue
            with reader(path) as connection:
                if covered(connection, table_id, found.seq, keys):
                    return Sent(path, found)
            told.append(f"record {found.seq} of {path.name} says so, and this table's key did not sign it")
        except JournalError as error:
            told.append(f"{path.name} cannot be read ({error})")
    also = f"; {'; '.join(told)}" if told else ""
    raise TransferError(
        f"{journal} and the journals set aside beside it know no transfer {transfer!r} that left this table{also}. If "
        "a lost journal knew it, two persons correct the pot with both keys, with the paper of the transfer in hand"
    )


def _sent(path: Path, transfer: str) -> Record | None:
    for record in records(path):
        event = record.event
        asked = isinstance(event, ev.TransferSent) and event.transfer == transfer
        if asked and isinstance(record.results[0], ev.TransferMade):
            return record
    return None


def _signed(record: Record, table_id: str, currency: Currency, key: PrivateKey) -> Transfer:
    event = record.event
    if not isinstance(event, ev.TransferSent):
        raise TypeError(f"record {record.seq} sends nothing")
    unsigned = Transfer(
        FORMAT,
        event.transfer,
        table_id,
        event.to_table,
        event.level,
        event.amount,
        currency,
        record.seq,
        record.digest,
        key.public,
        "",
    )
    return replace(unsigned, signature=key.sign(unsigned.message()))


def write(transfer: Transfer, file: Path) -> None:
    """Write a transfer file, durable on return; an existing file is never overwritten. Raises `OSError`."""
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o644)
    with os.fdopen(descriptor, "wb") as out:
        out.write(msgspec.json.format(msgspec.json.encode(transfer), indent=2) + b"\n")
        out.flush()
        os.fsync(out.fileno())


def read(file: Path, table_id: str, currency: Currency, sender_key: str) -> Transfer:
    """Read a transfer file meant for this table and signed with `sender_key`. Raises `TransferError`, `OSError`."""
    try:
        with file.open("rb") as opened:
            data = opened.read(BYTES_MOST)
        _check_format(msgspec.json.decode(data, type=_Format).format, file)
        found = msgspec.json.decode(data, type=Transfer)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise TransferError(
            f"{file} is no transfer file: {error}; make it again at the sending table"
        ) from error
    if found.to_table != table_id:
        raise TransferError(f"{file} is for table {found.to_table!r}; this is table {table_id!r}")
    if found.currency is not currency:
        raise TransferError(f"{file} is in {found.currency}; this table plays in {currency}")
    if found.key != sender_key or not genuine(sender_key, found.message(), found.signature):
        why = "was changed" if found.key == sender_key else f"names the key {found.key}"
        raise TransferError(
            f"{file} is not signed by the sender's key {sender_key}: it {why}. Compare with the key filed for table "
            f"{found.from_table} (`pozo journal key` there), and have the file made again there: `pozo transfer again`"
        )
    return found


class _Format(msgspec.Struct, frozen=True):
    format: str


def _check_format(found: str, file: Path) -> None:
    if found != FORMAT:
        raise TransferError(
            f"{file} is of format {found!r}; this program reads {FORMAT!r}: have it made again"
        )
