"""One copy of the program a table: a lock file beside the journal, held as long as the process lives."""

import fcntl
import os
from pathlib import Path
from types import TracebackType
from typing import Self


class AlreadyRunningError(RuntimeError):
    """Another process holds this table; nothing was touched."""


class SingleInstance:
    """Holds `<journal>.lock`. The kernel releases it however the process ends; children do not inherit it."""

    def __init__(self, journal: Path) -> None:
        self._path = journal.with_name(journal.name + ".lock")
        self._descriptor: int | None = None

    def __enter__(self) -> Self:
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            holder = os.read(descriptor, 32).decode("ascii", "replace").strip() or "unknown"
            os.close(descriptor)
            raise AlreadyRunningError(
                f"already running (pid {holder}): it holds {self._path}. Stop it first; nothing was touched."
            ) from error
        os.ftruncate(descriptor, 0)
        os.write(descriptor, f"{os.getpid()}\n".encode())
        self._descriptor = descriptor
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None
