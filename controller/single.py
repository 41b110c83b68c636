"""One copy of the program a table: a lock file beside the journal, held as long as the process lives."""

import errno
import fcntl
import os
from pathlib import Path
from types import TracebackType
from typing import Self

from controller.journal import NotCommissionedError
from controller.journal.errors import from_os
from controller.journal.marker import close_to_others

PID_BYTES = 12
"""The holder's number is written over the old one in this width, so that a full medium has nothing to add."""


class AlreadyRunningError(RuntimeError):
    """Another process holds this table; nothing was touched."""


class SingleInstance:
    """Holds `<journal>.lock`. The kernel releases it however the process ends; children do not inherit it."""

    def __init__(self, journal: Path) -> None:
        self._path = journal.with_name(journal.name + ".lock")
        self._descriptor: int | None = None

    def __enter__(self) -> Self:
        """Take the lock. Raises `AlreadyRunningError`, and the journal's error for what the medium refuses."""
        descriptor = self._opened()
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            signed = os.pread(descriptor, PID_BYTES, 0).decode("ascii", "replace").strip()
            os.close(descriptor)
            raise AlreadyRunningError(_who_holds(signed, self._path)) from error
        close_to_others(descriptor)
        _sign(descriptor)
        self._descriptor = descriptor
        return self

    def _opened(self) -> int:
        """The lock file, made if need be. On a read-only medium the old one will do: it can be locked, not signed."""
        try:
            return os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except FileNotFoundError as error:
            raise NotCommissionedError(
                f"there is no directory {self._path.parent}, so no table was ever made there: run `pozo commission`"
            ) from error
        except OSError as error:
            if error.errno != errno.EROFS or not self._path.exists():
                raise from_os(error, self._path) from error
        return os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _who_holds(signed: str, path: Path) -> str:
    """Who holds the lock, as far as the file tells: whoever signed it may have ended long ago."""
    if signed.isascii() and signed.isdigit() and Path("/proc", signed).exists():
        return f"already running (pid {signed}): it holds {path}. Stop it first; nothing was touched."
    return (
        f"another program holds {path}, and it is not the table that held it last: `sudo fuser -v {path}` names it. "
        "Stop it first; nothing was touched."
    )


def _sign(descriptor: int) -> None:
    """Say who holds the lock, where the medium takes it; the lock holds without."""
    try:
        os.pwrite(descriptor, f"{os.getpid():<{PID_BYTES - 1}}\n".encode(), 0)
    except OSError as error:
        if error.errno not in {errno.ENOSPC, errno.EDQUOT, errno.EBADF}:
            raise
