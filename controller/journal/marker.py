"""The marker `<journal>.id`: a small file beside a journal that says one is expected here.

Without it a lost journal would look like a new table, and the pot would start again from its base amount. It is
also what a writer locks, so that there is never a second one: SQLite's own locks are left alone.
"""

import fcntl
import os
from pathlib import Path

import msgspec

from controller.journal.errors import InUseError, from_os

BYTES_MOST = 4096
"""What is read of a marker; one has a hundred bytes."""


class Marker(msgspec.Struct, frozen=True):
    """Which table's journal is expected, and the wall time (Unix, ns) at which it was made."""

    table: str
    created_ns: int


def path_of(journal: Path) -> Path:
    """Where the marker of a journal is."""
    return journal.with_name(journal.name + ".id")


def expected(journal: Path) -> str | None:
    """The table whose journal is expected here; None without a marker, `"?"` if it cannot be read any more."""
    try:
        with path_of(journal).open("rb") as file:
            return msgspec.json.decode(file.read(BYTES_MOST), type=Marker).table
    except FileNotFoundError:
        return None
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return "?"
    except OSError as error:
        raise from_os(error, path_of(journal)) from error


def write(journal: Path, table: str, created_ns: int) -> None:
    """Make the marker durable: the file first, then its name in the directory."""
    try:
        descriptor = os.open(path_of(journal), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o640)
        with os.fdopen(descriptor, "wb") as file:
            file.write(msgspec.json.encode(Marker(table, created_ns)) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        sync_directory(journal.parent)
    except OSError as error:
        raise from_os(error, path_of(journal)) from error


def lock(journal: Path) -> int:
    """Take the writer's lock and return its descriptor: closing it, or dying, gives the lock back."""
    descriptor = os.open(path_of(journal), os.O_RDONLY | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(descriptor)
        raise InUseError(
            f"another pozo process is writing {journal}: stop it first (`systemctl status pozo`)"
        ) from error
    return descriptor


def sync_directory(directory: Path) -> None:
    """Make the names in a directory durable."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
