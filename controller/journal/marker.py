"""The marker `<journal>.id`: a small file beside a journal that says one is expected here.

Without it a lost journal would look like a new table, and the pot would start again from its base amount. It is
also what a writer locks, so that there is never a second one: SQLite's own locks are left alone. Only its owner can
open it: whoever could read it could lock it.
"""

import errno
import fcntl
import os
from pathlib import Path

import msgspec

from controller.journal.errors import InUseError, from_os

BYTES_MOST = 4096
"""What is read of a marker; one has a hundred bytes."""


class Marker(msgspec.Struct, frozen=True, omit_defaults=True):
    """Which table's journal is expected, and the wall time (Unix, ns) at which it was made.

    `unfinished`: the device's signature (hex) that the commissioning is still under way, empty once it is done. Only
    with it may a journal of one record do without a second copy, and be made once more where there is none.
    """

    table: str
    created_ns: int
    unfinished: str = ""


SPOILT = Marker("?", 0)
"""What a marker says that cannot be read any more: something was here."""


def path_of(journal: Path) -> Path:
    """Where the marker of a journal is."""
    return journal.with_name(journal.name + ".id")


def expected(journal: Path) -> str | None:
    """The table whose journal is expected here; None without a marker, `"?"` if it cannot be read any more."""
    found = read(journal)
    return None if found is None else found.table


def read(journal: Path) -> Marker | None:
    """The marker of a journal, None where there is none, `SPOILT` if it cannot be read. Raises `JournalError`."""
    try:
        with path_of(journal).open("rb") as file:
            return msgspec.json.decode(file.read(BYTES_MOST), type=Marker)
    except FileNotFoundError:
        return None
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return SPOILT
    except OSError as error:
        raise from_os(error, path_of(journal)) from error


def write(journal: Path, table: str, created_ns: int, unfinished: str = "") -> None:
    """Make the marker, whole or not at all, durable on return. For moments at which nobody holds its lock."""
    draft = path_of(journal).with_name(path_of(journal).name + ".new")
    try:
        descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "wb") as file:
            file.write(msgspec.json.encode(Marker(table, created_ns, unfinished)) + b"\n")
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path_of(journal))
        sync_directory(journal.parent)
    except OSError as error:
        raise from_os(error, path_of(journal)) from error


def lock(journal: Path) -> int:
    """Take the writer's lock and return its descriptor: closing it, or dying, gives the lock back."""
    descriptor = os.open(path_of(journal), os.O_RDONLY | os.O_CLOEXEC)
    try:
        close_to_others(descriptor)
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        os.close(descriptor)
        raise InUseError(
            f"another pozo process is writing {journal}: stop it first (`systemctl status pozo`)"
        ) from error
    return descriptor


def close_to_others(descriptor: int) -> None:
    """Take from a file made by an earlier program what the group may do with it, where medium and owner let us."""
    try:
        os.fchmod(descriptor, 0o600)
    except OSError as error:
        if error.errno not in {errno.EROFS, errno.EPERM}:
            raise


def sync_directory(directory: Path) -> None:
    """Make the names in a directory durable."""
    descriptor = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
