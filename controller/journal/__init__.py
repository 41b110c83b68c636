"""The journal: the table's one truth, an append-only, hash-chained SQLite file.

It knows the core's types and how to store them, and nothing of their rules. Write with `Journal`, read with
`reader`, `records` and `recent` while it is being written, prove with `verify`.
"""

from controller.journal.chain import Head
from controller.journal.errors import (
    AlreadyCommissionedError,
    DamagedError,
    DiskFullError,
    FormatError,
    InUseError,
    JournalError,
    JournalIOError,
    JournalMissingError,
    NotCommissionedError,
    PermissionProblemError,
    ReadOnlyError,
    RecordRefusedError,
    WrongTableError,
)
from controller.journal.read import check_table, count, ends_of, page, reader, recent, records
from controller.journal.record import Entry, Record
from controller.journal.schema import RESERVE_BYTES
from controller.journal.store import Connect, Journal, Seal, Sealer, finish, refuse_second
from controller.journal.verify import Finding, Flaw, Verdict, verify

__all__ = [
    "RESERVE_BYTES",
    "AlreadyCommissionedError",
    "Connect",
    "DamagedError",
    "DiskFullError",
    "Entry",
    "Finding",
    "Flaw",
    "FormatError",
    "Head",
    "InUseError",
    "Journal",
    "JournalError",
    "JournalIOError",
    "JournalMissingError",
    "NotCommissionedError",
    "PermissionProblemError",
    "ReadOnlyError",
    "Record",
    "RecordRefusedError",
    "Seal",
    "Sealer",
    "Verdict",
    "WrongTableError",
    "check_table",
    "count",
    "ends_of",
    "finish",
    "page",
    "reader",
    "recent",
    "records",
    "refuse_second",
    "verify",
]
