"""Puts a bundle into the slot that does not run, and reads back what then stands there.

The slot is not started by anything but a trial, so a cut in the middle leaves the table as it was.
"""

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path

from controller.updating.bundle import CHUNK, Bundle, Part, Update, UpdateError
from controller.updating.slots import Card, Slot


def refuse_small(update: Update, card: Card, slot: Slot) -> None:
    """Raise `UpdateError` for a slot that an update does not fit into."""
    for device, part in ((card.boot_device(slot), update.boot), (card.root_device(slot), update.root)):
        room = _size(device)
        if room < part.bytes:
            raise UpdateError(
                f"{device} holds {room} bytes and the update needs {part.bytes}: it needs a new card"
            )


def write(bundle: Bundle, card: Card, slot: Slot) -> None:
    """Write both parts into a slot they fit into, durable and compared on return. Raises `UpdateError`, `OSError`."""
    update = bundle.update
    boot, root = card.boot_device(slot), card.root_device(slot)
    for device, part in ((boot, update.boot), (root, update.root)):
        _put(device, bundle.part(part))
        _compare(device, part)
    _name_slot(boot, update.slot_at, slot)


def _size(device: Path) -> int:
    with device.open("rb") as file:
        return file.seek(0, os.SEEK_END)


def _put(device: Path, chunks: Iterable[bytes]) -> None:
    with device.open("r+b", buffering=0) as file:
        for chunk in chunks:
            view = memoryview(chunk)
            while view:
                view = view[file.write(view) :]
        os.fsync(file.fileno())
        # What is compared next comes from the card, not from memory.
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _compare(device: Path, part: Part) -> None:
    digest, left = hashlib.sha256(), part.bytes
    with device.open("rb", buffering=0) as file:
        while left and (chunk := file.read(min(CHUNK, left))):
            digest.update(chunk)
            left -= len(chunk)
    if left or digest.hexdigest() != part.sha256:
        raise UpdateError(f"{device} does not hold what was written to it: the card is worn, change it")


def _name_slot(boot: Path, at: int, slot: Slot) -> None:
    """Tell the slot's command line which slot it is in."""
    with boot.open("r+b", buffering=0) as file:
        file.seek(at)
        found = file.read(1)
        if found != b"a":
            raise UpdateError(
                f"{boot} has {found!r} where its command line must name slot a: get another bundle"
            )
        file.seek(at)
        file.write(slot.value.encode("ascii"))
        os.fsync(file.fileno())
