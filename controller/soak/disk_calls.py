"""The system calls by which a program writes beside SQLite, with the same ear in them.

They are the `os` module's functions, told before they are done and refused as the device refuses. What goes past
them (a file object's own writes) the disk finds by looking, at the next call that may make something safe.
"""

import errno
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from controller.soak.disk_ops import (
    Create,
    Flush,
    FlushNames,
    MakeDirectory,
    Op,
    Rename,
    Trouble,
    Truncate,
    Unlink,
    Write,
)
from controller.soak.disk_vfs import Ear, Find, Found


class PowerCut(BaseException):
    """The power is gone at this instant: no handler of the program can take it for an error."""


_ERRNO: Final = {
    Trouble.FULL: errno.ENOSPC,
    Trouble.READ_ONLY: errno.EROFS,
    Trouble.IO: errno.EIO,
}
_Path = str | os.PathLike[str]
_Bytes = bytes | bytearray | memoryview


def _path_of(descriptor: int) -> Path:
    return Path(f"/proc/self/fd/{descriptor}").readlink()


def _tell(ear: Ear, op: Op) -> None:
    trouble = ear.do(op)
    if trouble is Trouble.POWER:
        raise PowerCut(type(op).__name__)
    if trouble is not None:
        raise OSError(_ERRNO[trouble], os.strerror(_ERRNO[trouble]))


class Calls:
    """The functions that stand in the `os` module between `install` and `remove`."""

    def __init__(self, find: Find) -> None:
        self._find = find
        self._real: dict[str, Callable[..., Any]] = {}

    def install(self) -> None:
        """Stand in for the system's calls."""
        for name in (
            *("open", "write", "pwrite", "fsync", "fdatasync", "ftruncate"),
            *("rename", "replace", "unlink", "remove", "mkdir"),
        ):
            self._real[name] = getattr(os, name)
            setattr(os, name, getattr(self, f"_{name}"))

    def remove(self) -> None:
        """Put the system's calls back."""
        for name, real in self._real.items():
            setattr(os, name, real)
        self._real.clear()

    def _of(self, descriptor: int) -> Found | None:
        try:
            return self._find(_path_of(descriptor))
        except OSError:
            return None  # no such descriptor: the call itself will say so

    def _open(self, path: _Path, flags: int, mode: int = 0o777, *, dir_fd: int | None = None) -> int:
        found = self._find(Path(path).absolute()) if dir_fd is None else None
        if found is not None:
            there = os.path.lexists(path)
            if flags & os.O_CREAT and not there:
                _tell(found.ear, Create(found.name))
            elif flags & os.O_TRUNC and there:
                _tell(found.ear, Truncate(found.name, 0))
        opened: int = self._real["open"](path, flags, mode, dir_fd=dir_fd)
        return opened

    def _write(self, descriptor: int, data: _Bytes) -> int:
        found = self._of(descriptor)
        if found is not None:
            _tell(found.ear, Write(found.name, os.lseek(descriptor, 0, os.SEEK_CUR), bytes(data)))
        wrote: int = self._real["write"](descriptor, data)
        return wrote

    def _pwrite(self, descriptor: int, data: _Bytes, offset: int) -> int:
        found = self._of(descriptor)
        if found is not None:
            _tell(found.ear, Write(found.name, offset, bytes(data)))
        wrote: int = self._real["pwrite"](descriptor, data, offset)
        return wrote

    def _ftruncate(self, descriptor: int, size: int) -> None:
        found = self._of(descriptor)
        if found is not None:
            _tell(found.ear, Truncate(found.name, size))
        self._real["ftruncate"](descriptor, size)

    def _fsync(self, descriptor: int) -> None:
        # What the machine itself flushes is of no matter: the model says what is safe.
        found = self._of(descriptor)
        if found is None:
            self._real["fsync"](descriptor)
        elif _path_of(descriptor).is_dir():
            _tell(found.ear, FlushNames(found.name))
        else:
            _tell(found.ear, Flush(found.name))

    _fdatasync = _fsync

    def _rename(self, old: _Path, new: _Path, **others: int | None) -> None:
        source, target = self._find(Path(old).absolute()), self._find(Path(new).absolute())
        if source is not None and target is not None:
            _tell(source.ear, Rename(source.name, target.name))
        self._real["rename"](old, new, **others)

    _replace = _rename

    def _mkdir(self, path: _Path, mode: int = 0o777, *, dir_fd: int | None = None) -> None:
        found = self._find(Path(path).absolute()) if dir_fd is None else None
        # One that is there, or has no place to be in, is the system's to refuse.
        if found is not None and not os.path.lexists(path) and Path(path).parent.is_dir():
            _tell(found.ear, MakeDirectory(found.name))
        self._real["mkdir"](path, mode, dir_fd=dir_fd)

    def _unlink(self, path: _Path, *, dir_fd: int | None = None) -> None:
        found = self._find(Path(path).absolute()) if dir_fd is None else None
        if found is not None and os.path.lexists(path):
            _tell(found.ear, Unlink(found.name))
        self._real["unlink"](path, dir_fd=dir_fd)

    _remove = _unlink
