"""The file `<journal>-shm`, in which SQLite keeps its locks: its owner's alone, and how others read without it.

Who can open that file, for reading only, can lock out the writer. So the group that may read the journal cannot: it
reads journal and log without a lock, and what a checkpoint moved meanwhile is not believed. Nothing here ever closes
a file that SQLite has open: POSIX locks go with the first descriptor that is closed.
"""

import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Final

MODE: Final = 0o600

_UNUSED: Final = bytes(3)
"""Not empty, or SQLite gives the file the journal's own mode; as long as SQLite leaves one that nobody uses."""

_FORMATS: Final = slice(18, 20)
_LOGGED: Final = b"\2\2"
"""What an SQLite file says there that is written through a log (sqlite.org/fileformat2.html, section 1.3.3)."""

_WAL_HEADER_BYTES: Final = 32

Moved = tuple[bytes, int, int]
"""What every checkpoint changes: the log's header, and time and size of the journal."""


def path_of(journal: Path) -> Path:
    """Where the locks of a journal are."""
    return journal.with_name(journal.name + "-shm")


def will_be(journal: Path) -> bool:
    """Whether SQLite will make that file for a journal without a log beside it; not for a copy that keeps none.

    Only asked without a log: while SQLite holds a lock on such a journal there is one, so that closing it loses none.
    """
    with suppress(OSError), journal.open("rb") as file:
        return file.read(_FORMATS.stop)[_FORMATS] == _LOGGED
    return False


def keep_private(journal: Path) -> None:
    """Have the file there with its owner's mode before SQLite makes it with the journal's.

    What the system refuses here it refuses SQLite too, which says so; another owner's file is left as it is.
    """
    path = path_of(journal)
    with suppress(OSError):
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, MODE)
        except FileExistsError:
            found = path.lstat().st_mode
            if stat.S_ISREG(found) and stat.S_IMODE(found) != MODE:
                path.chmod(MODE)
            return
        with os.fdopen(descriptor, "wb") as file:
            file.write(_UNUSED)


def is_anothers(journal: Path) -> bool:
    """Whether somebody else's program has the journal open, so that this user reads without locks."""
    path = path_of(journal)
    return path.exists() and not os.access(path, os.R_OK, effective_ids=True)


def moved(journal: Path) -> Moved:
    """What tells, compared with itself, that a checkpoint came in between. Raises `OSError`."""
    found = journal.stat()
    with journal.with_name(journal.name + "-wal").open("rb") as wal:
        return wal.read(_WAL_HEADER_BYTES), found.st_mtime_ns, found.st_size
