"""The files of a witness, as little of a file system as it needs: read, make whole, write over.

Tests and the simulated medium put another one in its place, that is full, read-only, or loses its power half-way.
Whoever can write the second medium must not reach the first through it: a name that leads elsewhere (a symbolic or a
hard link), or is no plain file, is neither read nor written.
"""

import errno
import os
import stat
from pathlib import Path
from typing import Protocol

from controller.journal.marker import sync_directory


class Files(Protocol):
    """What a witness does with files. Every method raises `OSError`."""

    def read(self, path: Path) -> bytes | None:
        """All bytes of a file, None if it is not there."""

    def make(self, path: Path, data: bytes) -> None:
        """Make a file with `data`, or put it in the place of one: whole or not at all, durable on return."""

    def overwrite(self, path: Path, data: bytes) -> None:
        """Write over the beginning of a file that is there; durable on return, its size as before."""


class DiskFiles:
    """Files on the machine's own media."""

    def read(self, path: Path) -> bytes | None:
        """As `Files.read`."""
        try:
            descriptor = _open_plain(path, os.O_RDONLY)
        except FileNotFoundError:
            return None
        with os.fdopen(descriptor, "rb") as file:
            return file.read()

    def make(self, path: Path, data: bytes) -> None:
        """As `Files.make`: under another name first, and only then under its own."""
        draft = path.with_name(path.name + ".new")
        draft.unlink(missing_ok=True)
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o640)
        try:
            _write(descriptor, data)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        draft.replace(path)
        sync_directory(path.parent)

    def overwrite(self, path: Path, data: bytes) -> None:
        """As `Files.overwrite`."""
        descriptor = _open_plain(path, os.O_WRONLY)
        try:
            _write(descriptor, data)
            os.fdatasync(descriptor)
        finally:
            os.close(descriptor)


def _open_plain(path: Path, flags: int) -> int:
    """Open a file that is this name's alone. Raises `OSError`, without waiting for anybody at the other end."""
    descriptor = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    found = os.fstat(descriptor)
    if stat.S_ISREG(found.st_mode) and found.st_nlink == 1:
        return descriptor
    os.close(descriptor)
    raise OSError(errno.EINVAL, "it is no plain file of its own", str(path))


def _write(descriptor: int, data: bytes) -> None:
    done = 0
    while done < len(data):
        done += os.pwrite(descriptor, data[done:], done)
