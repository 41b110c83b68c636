"""The signatures of a journal, asked record by record on the way through it: a `Watch` of `journal.verify`.

A key counts from the record that names it. Where keys are filed outside (`trusted`), record 1 must name one of them,
and a later key must be filed too or be signed by the one before it: somebody who rewrote the journal with a key of his
own could otherwise let it change hands in the middle.

Nor can signatures be left out: what asks for one is stored in one transaction with it, so that a batch without is a
flaw. A batch is known by its time: `append` gives all its records the same.
"""

from collections.abc import Iterable

import msgspec

from controller.core import events as ev
from controller.journal import Finding, Flaw, Head, Record
from controller.signing.heads import change_message, head_message
from controller.signing.key import genuine
from controller.signing.when import reason


class Named(msgspec.Struct, frozen=True):
    """A key, and the record that names it first. `vouched`: it is filed, or the key before it signed it."""

    key: str
    since: int
    vouched: bool


class Signatures:
    """Checks every signature with the key in force. `trusted`: the public halves filed outside, in small letters.

    `proven` is the record under the last good signature, `last` the newest good record, `keys` those named so far.
    """

    def __init__(self, trusted: Iterable[str] = ()) -> None:
        self.table = ""
        self.keys: list[Named] = []
        self.good = 0
        self.proven: Record | None = None
        self.last: Record | None = None
        self._trusted = frozenset(trusted)
        self._owed: Record | None = None

    @property
    def key(self) -> str:
        """The key in force, empty before the first."""
        return self.keys[-1].key if self.keys else ""

    def __call__(self, record: Record) -> Finding | None:
        """What is wrong with the signatures at this record, or None."""
        owed = self._owed
        if owed is not None and (owed.boot, owed.wall_ns) != (record.boot, record.wall_ns):
            return _unsigned(owed)
        detail, flaw = self._asked(record)
        if flaw is not None:
            return Finding(record.seq, flaw, detail)
        self._owe(record)
        self.last = record
        return None

    def end_flaw(self) -> Finding | None:
        """What is wrong with a journal that ends here: a signature is owed."""
        if self._owed is not None:
            return _unsigned(self._owed)
        return None

    def _owe(self, record: Record) -> None:
        if isinstance(record.event, ev.HeadSigned):
            self._owed = None
        elif self.key and reason(record.event, record.results) is not None:
            # Older programs did not sign record 1. Who gives the filed key asks whether the whole is the device's.
            self._owed = record if record.seq > 1 or self._trusted else None

    def _asked(self, record: Record) -> tuple[str, Flaw | None]:
        match record.event:
            case ev.Commissioned(table=table, device_key=key):
                self.table = table
                return self._first(key)
            case ev.JournalRecovered(table=table, device_key=key) if record.seq == 1:
                self.table = table
                return self._first(key)
            case ev.JournalRecovered(table=table, device_key=key):
                if table != self.table:
                    return f"it is of table {table!r}, and this is the journal of {self.table!r}", Flaw.RECORD
                return self._next(record.seq, key, endorsed=False)
            case ev.DeviceKeyChanged() if not isinstance(record.results[0], ev.Refused):
                return self._changed(record.seq, record.event)
            case ev.HeadSigned():
                return self._signed(record.event)
            case _:
                return "", None

    def _first(self, key: str) -> tuple[str, Flaw | None]:
        vouched = key in self._trusted
        if self._trusted and not vouched:
            named = f"the key {key}" if key else "no key"
            return (
                f"record 1 names {named}, which is none of those given: give the one filed then too",
                Flaw.KEY,
            )
        self.keys.append(Named(key, 1, vouched))
        return "", None

    def _changed(self, seq: int, event: ev.DeviceKeyChanged) -> tuple[str, Flaw | None]:
        if event.old != self.key:
            return f"it replaces the key {event.old}, but {self.key or 'none'} was in force", Flaw.KEY
        message = change_message(self.table, event.old, event.new)
        if event.endorsed and not genuine(event.old, message, event.endorsed):
            return "what it says to be the old key's signature under the new one is not", Flaw.SIGNATURE
        return self._next(seq, event.new, endorsed=bool(event.endorsed))

    def _next(self, seq: int, key: str, *, endorsed: bool) -> tuple[str, Flaw | None]:
        if key in {"", self.key}:
            return "", None
        if self._trusted and not endorsed and key not in self._trusted:
            return (
                f"the key changes to {key} without the old one's signature: give it if it is filed",
                Flaw.KEY,
            )
        self.keys.append(Named(key, seq, endorsed or key in self._trusted))
        return "", None

    def _signed(self, event: ev.HeadSigned) -> tuple[str, Flaw | None]:
        before = self.last
        if before is None or (event.seq, event.digest) != (before.seq, before.digest):
            return f"it signs {event.seq}:{event.digest}, which is not the record before it", Flaw.SIGNATURE
        if event.key != self.key:
            return f"it names the key {event.key}, but {self.key or 'none'} is in force", Flaw.SIGNATURE
        if not genuine(event.key, head_message(self.table, Head(event.seq, event.digest)), event.signature):
            return f"the signature is not that of the key {event.key}", Flaw.SIGNATURE
        self.good += 1
        self.proven = before
        return "", None


def _unsigned(owed: Record) -> Finding:
    why = reason(owed.event, owed.results)
    return Finding(owed.seq, Flaw.SIGNATURE, f"the signed head is missing that it is stored with ({why})")
