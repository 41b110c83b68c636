"""The simulated medium: a real folder with a real SQLite file, that can be full, read-only, or lose its power.

A power cut copies what the files hold, without asking the program that had them open; commits that had not
returned are not in it. Sectors lost or torn below that are the recording VFS's work (a later issue).
"""

import errno
import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from controller.drill.statements import Part
from controller.witness import DiskFiles, Files
from controller.witness.store import SLOT_NAMES

ERRORS = {
    Part.DISK_FULL: (sqlite3.SQLITE_FULL, "SQLITE_FULL", "database or disk is full"),
    Part.JOURNAL: (sqlite3.SQLITE_READONLY, "SQLITE_READONLY", "attempt to write a readonly database"),
}


WRITES = ("BEGIN", "INSERT", "PRAGMA journal_mode", "PRAGMA user_version=", "PRAGMA wal_checkpoint")
"""How a writer's statements begin that put something on the medium."""


class MediumConnection(sqlite3.Connection):
    """SQLite's own connection, on a medium that may refuse to take a record."""

    medium: "Medium"

    def executemany(self, sql: str, rows: Iterable[Any], /) -> sqlite3.Cursor:
        """Refuse as the medium does, else as SQLite's own."""
        self.medium.refuse_if_broken()
        return super().executemany(sql, rows)

    def execute(self, sql: str, rows: Any = (), /) -> sqlite3.Cursor:  # noqa: ANN401, sqlite3's own signature
        """Refuse what would write as the medium does, else as SQLite's own."""
        if sql.startswith(WRITES):
            self.medium.refuse_if_broken()
        return super().execute(sql, rows)


class MediumFiles(DiskFiles):
    """The files of a second copy, on a medium of its own that may refuse to take a record."""

    def __init__(self) -> None:
        self.broken = False

    def make(self, path: Path, data: bytes) -> None:
        """Refuse as the medium does, else as the machine's own."""
        self._refuse_if_broken()
        super().make(path, data)

    def overwrite(self, path: Path, data: bytes) -> None:
        """Refuse as the medium does, else as the machine's own."""
        self._refuse_if_broken()
        super().overwrite(path, data)

    def _refuse_if_broken(self) -> None:
        if self.broken:
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))


class Medium:
    """A folder for one table's journal and witness. Use `close` at the end; the folder goes with it.

    It is made in `parent`, or where the machine keeps temporary files.
    `connection` is the class of the writer's connection: a test gives one that loses its power in between.
    """

    connection: type[MediumConnection] = MediumConnection

    def __init__(self, parent: Path | None = None) -> None:
        self._parent = parent
        self._folder = self._new_folder()
        self._broken: Part | None = None
        self._files = MediumFiles()
        self.kept: dict[str, dict[str, bytes]] = {}
        """What a drill has put by: copy to file to bytes."""

    @property
    def journal(self) -> Path:
        """Where the journal is."""
        return self._folder / "journal.db"

    @property
    def witness(self) -> Path:
        """The directory of the second copy."""
        return self._folder / "witness"

    @property
    def files(self) -> Files:
        """How the second copy's files are written on it."""
        return self._files

    @property
    def empty(self) -> bool:
        """Whether no table was ever commissioned on it."""
        return not self.journal.exists()

    @property
    def blank(self) -> bool:
        """Whether no table ever left a trace on it: neither a journal nor a witness."""
        return self.empty and not any((self.witness / name).exists() for name in SLOT_NAMES)

    def connect(self, path: Path) -> sqlite3.Connection:
        """Connect a writer, as `controller.journal.schema.connect` does."""
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=rw", uri=True, isolation_level=None, factory=self.connection
        )
        connection.medium = self
        return connection

    @property
    def broken(self) -> Part | None:
        """How it is broken now, or None."""
        return self._broken

    def fail(self, part: Part) -> None:
        """Take nothing more from now on."""
        self._broken = part

    def mend(self) -> None:
        """Take records again."""
        self._broken = None

    def fail_witness(self, *, broken: bool) -> None:
        """Take nothing more for the second copy from now on, or take it again."""
        self._files.broken = broken

    def refuse_if_broken(self) -> None:
        """Raise what SQLite raises on such a medium."""
        if self._broken is not None:
            code, name, text = ERRORS[self._broken]
            error = sqlite3.OperationalError(text)
            error.sqlite_errorcode, error.sqlite_errorname = code, name
            raise error

    def cut(self) -> None:
        """Go on with a copy of what the files hold now; whoever has the old ones open writes into the void."""
        copy = self._new_folder()
        shutil.copytree(
            self._folder, copy, ignore=shutil.ignore_patterns("*-shm", "*.lock"), dirs_exist_ok=True
        )
        self._lost, self._folder = self._folder, copy

    def let_go(self) -> None:
        """Go on as `cut` does, with everything that was written, flushed or not: only a process is gone."""
        Medium.cut(self)

    def forget_lost(self) -> None:
        """Remove the folder that the power cut took away."""
        shutil.rmtree(self._lost)

    def close(self) -> None:
        """Remove the folder."""
        shutil.rmtree(self._folder)

    def _new_folder(self) -> Path:
        return Path(tempfile.mkdtemp(prefix="pozo-medium-", dir=self._parent))
