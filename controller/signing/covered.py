"""Whether one record stands under a signature of given keys, in a file that may be false or damaged elsewhere.

The records from it to the head that is signed must give each other's digests; what stands outside is not asked.
"""

import sqlite3
from collections.abc import Collection

from controller.core import events as ev
from controller.journal import Head
from controller.journal.chain import GENESIS, digest
from controller.journal.read import decodable, row_at, rows_from
from controller.signing.heads import head_message
from controller.signing.key import genuine


def covered(connection: sqlite3.Connection, table: str, seq: int, keys: Collection[str]) -> bool:
    """Whether one of `keys` signed a head of `table` from record `seq` on, with an unbroken chain up to it.

    It costs a digest for each record on the way. Raises `sqlite3.Error` where the file cannot be read.
    """
    before = row_at(connection, seq - 1)
    head = Head(seq - 1, GENESIS if before is None else before[-1])
    for row in rows_from(connection, seq):
        if row[0] != head.seq + 1:
            return False
        for record in decodable(row):
            event = record.event
            if head.seq >= seq and isinstance(event, ev.HeadSigned) and _signs(event, table, head, keys):
                return True
        if digest(head.digest, row[:-1]) != row[-1]:
            return False
        head = Head(row[0], row[-1])
    return False


def _signs(event: ev.HeadSigned, table: str, head: Head, keys: Collection[str]) -> bool:
    return (
        (event.seq, event.digest) == (head.seq, head.digest)
        and event.key in keys
        and genuine(event.key, head_message(table, head), event.signature)
    )
