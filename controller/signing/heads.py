"""Signed heads: the exact bytes under a signature, and the entry that carries it.

    head signature = Ed25519( JSON array [ "pozo head 1", table, seq, digest ] )
    endorsement    = Ed25519( JSON array [ "pozo key 1", table, old, new ] )
    beginning      = Ed25519( JSON array [ "pozo begun 1", table, wall_ns of record 1 ] )
    witness slot   = Ed25519( JSON array [ "pozo slot 1", table, serial, SHA-256 of what is before `,"signature"` ] )

The arrays are written without blanks, in UTF-8, the number as digits, texts as JSON strings. The first text keeps the
kinds of signature apart, the table's identity keeps tables apart; `digest` covers every record up to `seq`.
"""

from collections.abc import Sequence

import msgspec

from controller.core import events as ev
from controller.journal import Entry, Head, Seal
from controller.signing.key import PrivateKey
from controller.signing.when import sealed

_encode = msgspec.json.Encoder().encode


def head_message(table: str, head: Head) -> bytes:
    """What a head's signature covers."""
    return _encode(("pozo head 1", table, head.seq, head.digest))


def change_message(table: str, old: str, new: str) -> bytes:
    """What the old key signs when it hands over to the new one."""
    return _encode(("pozo key 1", table, old, new))


def begun_message(table: str, wall_ns: int) -> bytes:
    """What the device signs while its commissioning is under way; record 1 has the same wall time."""
    return _encode(("pozo begun 1", table, wall_ns))


def slot_message(table: str, serial: int, digest: str) -> bytes:
    """What a witness slot's signature covers; `digest` is that of its bytes before the signature."""
    return _encode(("pozo slot 1", table, serial, digest))


class Signer:
    """Signs a table's heads with its device's key."""

    def __init__(self, table: str, key: PrivateKey) -> None:
        self._table = table
        self._key = key

    def __call__(self, entries: Sequence[Entry], at_ns: int) -> Seal | None:
        """How to seal this batch, or None if nothing in it asks for a signature."""
        why = sealed(entries)
        if why is None:
            return None
        state = entries[-1].state

        def seal(head: Head) -> Entry:
            signature = self._key.sign(head_message(self._table, head))
            signed = ev.HeadSigned(at_ns, head.seq, head.digest, self._key.public, signature, why)
            return Entry(signed, (ev.Noted(),), state)

        return seal
