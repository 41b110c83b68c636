"""The witness's two slots in their directory: looked at once at a start, then written in turns.

A write goes to a slot that is bad, else to the older one; so the newest good record is never at risk. A slot whose
write failed counts as bad and is written whole again: what a failed flush left in it is never asked. A slot that
another key signed is written anew, whole, at the next write: after a change of the key both are the new one's.
"""

import errno
import os
from pathlib import Path

import msgspec

from controller.journal.marker import sync_directory
from controller.journal.record import Row
from controller.signing.key import PrivateKey
from controller.witness.errors import (
    SlotError,
    WitnessDeniedError,
    WitnessThereError,
    WitnessWriteError,
)
from controller.witness.files import DiskFiles, Files
from controller.witness.slot import SLOT_BYTES, UNSIGNED, Slot, decode_slot, encode

SLOT_NAMES = ("slot-a", "slot-b")
DISK = DiskFiles()


class Absent(msgspec.Struct, frozen=True):
    """There is no such file."""


class Damaged(msgspec.Struct, frozen=True):
    """The file is there and is no slot, or cannot be read."""

    why: str


Seen = Slot | Damaged | Absent
"""What a look at one slot found."""

Slots = tuple[Seen, Seen]


class Witness:
    """The second copy of one table's journal. One process writes it: the one that holds the table's lock.

    What it writes is signed from `sign_with` on.
    """

    def __init__(self, directory: Path, table: str, files: Files = DISK) -> None:
        self.directory = directory
        self._table = table
        self._files = files
        self._key: PrivateKey | None = None
        self._bad = [True, True]
        self._serials = [0, 0]
        self._keys = [UNSIGNED, UNSIGNED]

    def look(self) -> Slots:
        """Read both slots as they are now. Raises `WitnessDeniedError` only."""
        first, second = (self._seen(index) for index in range(len(SLOT_NAMES)))
        return first, second

    def sign_with(self, key: PrivateKey | None) -> None:
        """Sign with this key from now on; None: a session of a table whose key is lost, which signs nothing."""
        self._key = key
        for index, public in enumerate(self._keys):
            if key is not None and public != key.public:
                self._bad[index] = True

    def distrust(self, index: int) -> None:
        """Write slot `index` (0 or 1) anew at the next chance, whatever it holds."""
        self._bad[index] = True

    def disown(self, index: int) -> None:
        """Write slot `index` anew, and count on from nothing it says: who wrote it is not known."""
        self._bad[index], self._serials[index] = True, 0

    @property
    def whole(self) -> bool:
        """Whether both slots are good, as far as they were looked at or written."""
        return not any(self._bad)

    def write(self, row: Row) -> None:
        """Put a record into one slot, and into the other too if that is bad. Durable on return.

        Raises `WitnessWriteError` and `TooLargeError`; then the slot that was good before is good still.
        """
        self._write_one(row)
        if not self.whole:
            self._write_one(row)

    def make_place(self) -> None:
        """Make the directory if it is not there, and its name durable. Raises `WitnessWriteError`."""
        try:
            new = [way for way in (self.directory, *self.directory.parents) if not way.exists()]
            self.directory.mkdir(parents=True, exist_ok=True)
            for way in new:
                sync_directory(way.parent)
        except OSError as error:
            raise _not_written(self.directory, error) from error

    def refuse_second(self) -> None:
        """Raise `WitnessThereError` if there is a slot of whatever kind: a table with a history is never begun anew."""
        for name, seen in zip(SLOT_NAMES, self.look(), strict=True):
            if not isinstance(seen, Absent):
                raise WitnessThereError(
                    f"{self.directory / name} is there already: {_what(seen)}. A table that has a history is "
                    "brought back, not commissioned: `pozo recover`. If the medium is another table's, take it out"
                )

    def _seen(self, index: int) -> Seen:
        path = self.directory / SLOT_NAMES[index]
        try:
            data = self._files.read(path)
        except OSError as error:
            if error.errno in {errno.EACCES, errno.EPERM}:
                raise WitnessDeniedError(
                    f"{path}: user {os.geteuid()} may not read it: give it and {path.parent} to that user"
                ) from error
            return Damaged(f"it cannot be read: {error.strerror}")
        if data is None:
            return Absent()
        try:
            slot = decode_slot(data)
        except SlotError as error:
            return Damaged(_printed(str(error)))
        if slot.table != self._table:
            return slot
        self._bad[index], self._serials[index], self._keys[index] = False, slot.serial, slot.key
        return slot

    def _write_one(self, row: Row) -> None:
        index = self._next()
        serial = max(self._serials) + 1
        data = encode(self._table, serial, row, self._key)
        path = self.directory / SLOT_NAMES[index]
        bad = self._bad[index]
        self._bad[index] = True
        try:
            if bad:
                self._files.make(path, data.ljust(SLOT_BYTES))
            else:
                self._files.overwrite(path, data)
        except OSError as error:
            raise _not_written(path, error) from error
        self._bad[index], self._serials[index] = False, serial
        self._keys[index] = UNSIGNED if self._key is None else self._key.public

    def _next(self) -> int:
        """The slot to write: a bad one first, else the older one."""
        if any(self._bad):
            return self._bad.index(True)
        return self._serials.index(min(self._serials))


def _printed(text: str) -> str:
    """The text without what moves a terminal's cursor: it may quote what somebody put into the file."""
    return "".join(character if character.isprintable() else "?" for character in text)


def _what(seen: Slot | Damaged) -> str:
    match seen:
        case Slot(table=table, record=record):
            return f"it holds record {record.seq} of table {table}"
        case Damaged(why=why):
            return why


def _not_written(path: Path, error: OSError) -> WitnessWriteError:
    return WitnessWriteError(
        f"{path} could not be written: {error.strerror}; look at that medium and its space"
    )
