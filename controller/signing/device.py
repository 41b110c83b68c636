"""The key a table signs with: which one its journal trusts, the file it is in, and how it is changed.

    <journal>.key        the key in force
    <journal>.key.new    the next one, made durable before the record that puts it in force; afterwards it takes the
                         other's place. Between the two steps a start finds it here

The private half is nowhere else. The journal holds every public half since its first record.
"""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from controller.core import events as ev
from controller.journal import Entry, JournalError, Record, Seal, ends_of
from controller.journal.errors import from_os
from controller.journal.marker import sync_directory
from controller.journal.read import newest_first
from controller.signing.heads import Signer, change_message
from controller.signing.key import KeyProblemError, PrivateKey, read_private, write_private

NO_KEY: Final = ""
"""What a journal of a program that did not sign yet names as its key."""


NAMING: Final = ("head_signed", "device_key_changed", "journal_recovered")
"""Kinds of records that name the key in force."""


class KeyRefusedError(KeyProblemError):
    """The table refused another key; nothing was stored."""

    def __init__(self, reason: ev.Refusal) -> None:
        self.reason = reason
        super().__init__(
            f"the table refused the new key ({reason}): nothing was stored, the old key stays in force"
        )


def path_of(journal: Path) -> Path:
    """Where the private half of a journal's key is."""
    return journal.with_name(journal.name + ".key")


def make(journal: Path, key: PrivateKey | None = None) -> PrivateKey:
    """Make a table's key, durable on return; what an interrupted commissioning left behind is replaced.

    `key`: the one to use, else a new one. For the moment before record 1 only: the caller knows that no journal is
    or was there. Raises `JournalError`.
    """
    made = PrivateKey.new() if key is None else key
    write_private(path_of(journal), made)
    return made


def key_in_force(journal: Path) -> str:
    """The public half that the journal trusts now, `NO_KEY` if it never had one. Raises the journal's errors.

    It is looked for from the end: every round's end and every stop name it, so the cost is that of a round's records.
    """
    for record in newest_first(journal, NAMING):
        named = named_key(record)
        if named:
            return named
    return first_key(ends_of(journal).first)


def first_key(first: Record) -> str:
    """The public half that record 1 names."""
    match first.event:
        case ev.Commissioned(device_key=key) | ev.JournalRecovered(device_key=key):
            return key
        case _:
            return NO_KEY


def named_key(record: Record) -> str:
    """The key that a record names: none if the record was refused, or goes on with the key there is."""
    match record.event:
        case ev.HeadSigned(key=key) | ev.JournalRecovered(device_key=key):
            return key
        case ev.DeviceKeyChanged(new=key) if not isinstance(record.results[0], ev.Refused):
            return key
        case _:
            return NO_KEY


def signer_of(journal: Path, table: str) -> Signer:
    """What signs for this table. Raises `KeyProblemError` where its key is not there, and the journal's errors."""
    return Signer(table, key_of(journal))


def key_of(journal: Path) -> PrivateKey:
    """The key in force, to sign with. Raises `KeyProblemError` where it is not there, and the journal's errors."""
    trusted = key_in_force(journal)
    key = held(journal, trusted)
    if key is None:
        raise KeyProblemError(_missing(journal, trusted))
    return key


def held(journal: Path, trusted: str) -> PrivateKey | None:
    """The private half of `trusted`, None if neither of the two files has it; a file that is no key counts as none."""
    for path in key_files(journal):
        key = _readable(path)
        if key is not None and key.public == trusted:
            return key
    return None


def own_keys(journal: Path) -> frozenset[str]:
    """The public halves of the private ones that are beside this journal: both while the key is being changed.

    A file that cannot be read proves nothing, and gives none.
    """
    return frozenset(filter(None, map(public_in, key_files(journal))))


def key_files(journal: Path) -> tuple[Path, Path]:
    """Where the private halves are: of the key in force, and of the one that is to come."""
    return path_of(journal), _next(journal)


def public_in(path: Path) -> str | None:
    """The public half of the private one in a file; None where there is none that can be read."""
    with suppress(JournalError):
        key = read_private(path)
        return None if key is None else key.public
    return None


def _readable(path: Path) -> PrivateKey | None:
    try:
        return read_private(path)
    except KeyProblemError:
        return None  # it cannot sign; who needs it says what is missing


def _missing(journal: Path, trusted: str) -> str:
    file = path_of(journal)
    if trusted == NO_KEY:
        what = "has no key yet: a program made it that did not sign"
    elif not file.exists():
        what = f"trusts the key {trusted}, and its private half, {file}, is gone: put it back from where it was kept"
    else:
        what = f"trusts the key {trusted}, and {file} holds another one or none: put the right file back"
    return (
        f"{journal} {what}. The journal and its amounts stay as they are and are trusted. If the key is lost, two "
        "persons give the table a new one with both keys: `pozo journal rekey`; what the old one signed stays proven"
    )


class Change:
    """A change of the device's key under way. `prepare` it, store `event`, then `finish` it.

    A power cut in between leaves the key that the journal trusts in one of the two files.
    """

    def __init__(self, journal: Path, table: str) -> None:
        self._journal = journal
        self._table = table
        self.old = key_in_force(journal)
        self._old_key = held(journal, self.old)
        self.key = PrivateKey.new()

    def seal(self, entries: Sequence[Entry], at_ns: int) -> Seal | None:
        """Seal the batch that holds the change, with the new key. Raises `KeyRefusedError`."""
        for entry in entries:
            if isinstance(entry.event, ev.DeviceKeyChanged) and isinstance(entry.results[0], ev.Refused):
                raise KeyRefusedError(entry.results[0].reason)
        return Signer(self._table, self.key)(entries, at_ns)

    def event(self, at_ns: int, *, supervisor: str, technician: str, reason: str) -> ev.DeviceKeyChanged:
        """The change as an event, signed by the old key where it is at hand."""
        message = change_message(self._table, self.old, self.key.public)
        endorsed = "" if self._old_key is None else self._old_key.sign(message)
        return ev.DeviceKeyChanged(at_ns, self.old, self.key.public, endorsed, supervisor, technician, reason)

    def prepare(self) -> None:
        """Make the new key durable beside the old one; a foreign key file is put aside first. Raises `JournalError`."""
        current, coming = path_of(self._journal), _next(self._journal)
        if public_in(current) != self.old:
            if current.exists():
                _move(current, _free(current))
            if public_in(coming) == self.old:
                _move(coming, current)
        write_private(coming, self.key)

    def finish(self) -> None:
        """Give the new key the old one's place. Raises `JournalError`."""
        _move(_next(self._journal), path_of(self._journal))


def _next(journal: Path) -> Path:
    return journal.with_name(journal.name + ".key.new")


def _free(path: Path) -> Path:
    """A name beside `path` that nothing has: what is put aside is never overwritten."""
    number = 1
    while (aside := path.with_name(f"{path.name}.aside-{number}")).exists():
        number += 1
    return aside


def _move(source: Path, target: Path) -> None:
    try:
        source.rename(target)
        sync_directory(target.parent)
    except OSError as error:
        raise from_os(error, target) from error
