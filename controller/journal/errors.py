"""What can go wrong with a journal: one class per condition, each text for the person who must act.

Knows SQLite's and the system's error numbers and translates them here, at the edge; nobody above sees one.
"""

import errno
import os
import pwd
import sqlite3
from pathlib import Path


class JournalError(Exception):
    """The journal room's errors. The text says what happened, where, and what to do next."""


class NotCommissionedError(JournalError, LookupError):
    """There is no journal, and none was ever made here."""


class AlreadyCommissionedError(JournalError, ValueError):
    """A journal, or the marker of one, is there already: a second first record is never made."""


class JournalMissingError(JournalError, LookupError):
    """A journal was here, and its file is gone or empty. It is never replaced by a fresh one."""


class WrongTableError(JournalError, ValueError):
    """The journal belongs to another table: `found`."""

    def __init__(self, told: str, found: str) -> None:
        self.found = found
        super().__init__(told)


class DamagedError(JournalError, ValueError):
    """The file is not a journal, or its records do not hold together. Nothing has been written to it."""


class FormatError(JournalError, ValueError):
    """The journal is of a format this program does not know."""


class InUseError(JournalError, RuntimeError):
    """Another process writes this journal, or holds its lock for too long."""


class RecordRefusedError(JournalError, ValueError):
    """SQLite refused these records and these only; the next ones may be stored."""


class ReadOnlyError(JournalError, OSError):
    """The medium cannot be written to."""


class DiskFullError(JournalError, OSError):
    """The medium is full. Nothing of the batch was stored; once space is free it can be tried again."""


class JournalIOError(JournalError, OSError):
    """The medium failed. What a failed flush left on it is unknown: the process must stop, never try again."""


class PermissionProblemError(JournalError, PermissionError):
    """The user the program runs as may not do this with the file."""


RETRIABLE = (DiskFullError, InUseError, RecordRefusedError)
"""After these a writer goes on. After any other it stores nothing more and must be closed and opened anew."""

_LOCKED = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL})
_DENIED = frozenset({sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH, sqlite3.SQLITE_CANTOPEN})
_REFUSED = frozenset({sqlite3.SQLITE_CONSTRAINT, sqlite3.SQLITE_TOOBIG, sqlite3.SQLITE_MISMATCH})
_NOT_TEXT = "decode to UTF-8"
"""How the Python module says, by itself and without a code, that a text column holds something else."""
_DAMAGED = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})


def primary_code(error: sqlite3.Error) -> int | None:
    """SQLite's primary result code, or None for an error that the Python module raised by itself."""
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else int(code) & 0xFF


def from_sqlite(error: sqlite3.Error, path: Path) -> JournalError:
    """The journal error that says what `error` means for the journal at `path`."""
    code = primary_code(error)
    what = f"{error} ({getattr(error, 'sqlite_errorname', 'no code')})"
    # Making the -shm file as large as it must be is the first thing that fails on a completely full medium.
    if code == sqlite3.SQLITE_FULL or getattr(error, "sqlite_errorcode", 0) == sqlite3.SQLITE_IOERR_SHMSIZE:
        return DiskFullError(f"no space left for {path}: nothing was stored; free space on that medium")
    if code == sqlite3.SQLITE_READONLY:
        return ReadOnlyError(_read_only(path))
    if code in _LOCKED:
        return InUseError(f"another program holds {path} locked: nothing was stored; close that program")
    if code in _DENIED:
        return denied(path)
    if code in _DAMAGED:
        return damaged(path, what)
    if code in _REFUSED:
        return RecordRefusedError(f"{path} refused these records, none of them was stored: {what}")
    if code is None and _NOT_TEXT in str(error):
        return damaged(path, "it holds bytes that are no text")
    if code is None:
        return JournalError(f"{path} could not be used: {what}")
    return JournalIOError(
        f"{path} could not be written or read: {what}; stop, check the medium and its cable, run "
        f"`pozo journal verify {path}` before the table plays again"
    )


def from_os(error: OSError, path: Path) -> JournalError:
    """The journal error that says what a failed system call on `path` means."""
    if error.errno in {errno.EACCES, errno.EPERM}:
        return denied(path)
    if error.errno == errno.EROFS:
        return ReadOnlyError(_read_only(path))
    if error.errno in {errno.ENOSPC, errno.EDQUOT}:
        return DiskFullError(f"no space left for {path}: free space on that medium")
    return JournalIOError(f"{path}: {error.strerror}; check the path and the medium")


def damaged(path: Path, what: str) -> DamagedError:
    """The error of a journal that does not hold together, with the steps that lose nothing."""
    return DamagedError(
        f"{path} is damaged: {what}. The file was left as it is: copy it and its -wal away, run "
        f"`pozo journal verify {path}` and call the technician; do not delete it"
    )


def denied(path: Path) -> PermissionProblemError:
    """The error of a file, or of its directory, that this user may not use."""
    return PermissionProblemError(
        f"user {_user()} may not read and write {path} (or its -wal, its -shm or the directory {path.parent}): "
        f"give them to that user"
    )


def _read_only(path: Path) -> str:
    return (
        f"{path} cannot be written: its medium is read-only; check the card, it remounts so when it wears out"
    )


def _user() -> str:
    try:
        return pwd.getpwuid(os.geteuid()).pw_name
    except KeyError:
        return f"number {os.geteuid()}"
