"""Whether what a paper is made of stands: chained, up to the newest head that the device signed, and ruled behind it.

A slip is paid by, a report is filed and a proof is believed without anybody running `verify`. So each asks here first:
digests alone can be worked out again by whoever can write the journal.
"""

import sqlite3
from pathlib import Path

from controller.journal import Finding, Flaw, Record
from controller.journal.chain import GENESIS, digest
from controller.journal.errors import damaged
from controller.journal.read import row_at, rows_from
from controller.journal.verify import Walk, nobody
from controller.signing.device import key_in_force, own_keys
from controller.signing.signatures import Signatures
from controller.signing.tail import tail_flaw


def prove_from(connection: sqlite3.Connection, path: Path, first: Record, since: int) -> None:
    """Prove all records from `since` to the end; `first` is record 1. Raises `DamagedError` with the first that is not.

    What it costs grows with the records behind `since`: their digests are worked out, they are not decoded. Only the
    newest signature is asked, under the key beside the journal: on a copy, which has none, ask `prove_whole` or
    `pozo journal verify --key`.
    """
    _refuse(path, _broken(connection, since) or _end_flaw(connection, path, first))


def prove_whole(connection: sqlite3.Connection, path: Path, first: Record) -> None:
    """As `prove_from` record 1, and with it every signature and every change of the key on the way."""
    signatures = Signatures()
    bad = Walk((), signatures).through(rows_from(connection, 1)) or signatures.end_flaw()
    _refuse(path, bad or _end_flaw(connection, path, first))


def _broken(connection: sqlite3.Connection, since: int) -> Finding | None:
    """The first record whose content and predecessor do not give its digest."""
    row = row_at(connection, since - 1)
    seq, previous = since, GENESIS if row is None else row[-1]
    for row in rows_from(connection, since):
        if row[0] != seq:
            return Finding(seq, Flaw.MISSING, f"it is not there, record {row[0]} follows")
        if digest(previous, row[:-1]) != row[-1]:
            return Finding(seq, Flaw.DIGEST, "its content does not give its digest: it was changed")
        seq, previous = row[0] + 1, row[-1]
    return None


def _end_flaw(connection: sqlite3.Connection, path: Path, first: Record) -> Finding | None:
    return tail_flaw(connection, path, first, None, nobody) or _foreign(path)


def _foreign(path: Path) -> Finding | None:
    """Where the device's own key is at hand, the journal must be under it. A copy elsewhere has none beside it."""
    own, named = own_keys(path), key_in_force(path)
    if not own or not named or named in own:
        return None
    return Finding(1, Flaw.KEY, f"it is signed with the key {named}, and the key beside it is another")


def _refuse(path: Path, bad: Finding | None) -> None:
    if bad is not None:
        raise damaged(path, f"record {bad.seq} is not proven: {bad.detail}; nothing is put on paper from it")
