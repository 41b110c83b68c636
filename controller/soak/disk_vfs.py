"""SQLite's own file layer with an ear in it: every write, size, flush, new file and removal is told first.

It is a VFS (sqlite.org/vfs.html) laid over the system's inside the very SQLite library that the program uses, so
that locks, shared memory and the version are the table's own; a second library in the same process would drop the
first one's locks. What the ear does not let pass fails as the device would. Connect with `vfs=` and `NAME`.
"""

import _sqlite3
import ctypes
import os
import sqlite3
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Final, NamedTuple, ParamSpec, Protocol

from controller.soak.disk_ops import Create, Flush, FlushNames, Op, Trouble, Truncate, Unlink, Write

NAME: Final = "pozo-disk"

_OPEN_CREATE, _OPEN_MAIN_JOURNAL, _OPEN_WAL = 0x4, 0x800, 0x80000
_METHODS = {1: 12, 2: 16, 3: 18}
"""How many calls a file has, by the version of its interface."""
_CLOSE, _WRITE, _TRUNCATE, _SYNC = 0, 2, 3, 4
_Address = int | None
P = ParamSpec("P")

close_type = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)
write_type = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_int64)
truncate_type = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int64)
sync_type = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_int)
open_type = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int, ctypes.c_void_p
)
delete_type = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int)


class Ear(Protocol):
    """Who is told. `do` says None to let it happen, or what goes wrong instead."""

    def do(self, op: Op) -> Trouble | None:
        """Called before the thing is done."""
        ...

    def knows(self, name: str) -> bool:
        """Whether the file was heard of: a reader may have made it, past this layer."""
        ...


class Found(NamedTuple):
    """An ear, and the name under which it knows a file."""

    ear: Ear
    name: str


Find = Callable[[Path], Found | None]
"""Whose file this is; None: nobody's, it is left alone."""


class _Vfs(ctypes.Structure):
    _fields_ = [
        ("version", ctypes.c_int),
        ("file_bytes", ctypes.c_int),
        ("path_bytes", ctypes.c_int),
        ("next", ctypes.c_void_p),
        ("name", ctypes.c_char_p),
        ("data", ctypes.c_void_p),
        ("open", ctypes.c_void_p),
        ("delete", ctypes.c_void_p),
        ("rest", ctypes.c_void_p * 13),
    ]


class _Methods(ctypes.Structure):
    _fields_ = [("version", ctypes.c_int), ("calls", ctypes.c_void_p * 18)]


class _File(ctypes.Structure):
    _fields_ = [("methods", ctypes.POINTER(_Methods))]


class _Opened(NamedTuple):
    found: Found
    real: _Methods
    new_name: bool
    """Its first flush makes its name safe too: SQLite flushes the directory of a log, whether it made it or not."""


def _guarded(play: Callable[P, int]) -> Callable[P, int]:
    """C cannot pass an exception on: it is kept in `errors`, and SQLite is told that the device failed."""

    @wraps(play)
    def guarded(*args: P.args, **kwargs: P.kwargs) -> int:
        try:
            return play(*args, **kwargs)
        except BaseException as error:  # noqa: BLE001, raised again by who made the call
            errors.append(error)
            return sqlite3.SQLITE_IOERR

    return guarded


errors: list[BaseException] = []
"""What went wrong inside a call from SQLite, until somebody takes it out and raises it."""


class _Layer:
    """The layer of this process: one, made when it is first needed, there to its end."""

    def __init__(self) -> None:
        self.find: Find = lambda _: None
        library = ctypes.CDLL(_sqlite3.__file__)
        library.sqlite3_vfs_find.restype = ctypes.POINTER(_Vfs)
        self._real = library.sqlite3_vfs_find(None)
        self._address = ctypes.addressof(self._real.contents)
        self._vfs = _Vfs.from_buffer_copy(self._real.contents)
        self._real_open = open_type(self._real.contents.open)
        self._real_delete = delete_type(self._real.contents.delete)
        self._opened: dict[int, _Opened] = {}
        self._copies: dict[int, _Methods] = {}
        self._calls = (
            open_type(_guarded(self._open)),
            delete_type(_guarded(self._delete)),
            close_type(_guarded(self._close)),
            write_type(_guarded(self._write)),
            truncate_type(_guarded(self._truncate)),
            sync_type(_guarded(self._sync)),
        )
        opens, deletes, *_ = (ctypes.cast(call, ctypes.c_void_p) for call in self._calls)
        self._vfs.name, self._vfs.open, self._vfs.delete = NAME.encode(), opens, deletes
        if library.sqlite3_vfs_register(ctypes.byref(self._vfs), 0) != sqlite3.SQLITE_OK:
            raise RuntimeError("this Python's SQLite takes no further VFS: the disk cannot be recorded")

    def _open(self, _vfs: int, name: _Address, file: int, flags: int, out_flags: _Address) -> int:
        path = None if name is None else Path(os.fsdecode(ctypes.string_at(name)))
        found = None if path is None else self.find(path)
        if path is None or found is None:
            return int(self._real_open(self._address, name, file, flags, out_flags))
        comes = bool(flags & _OPEN_CREATE) or path.exists()
        if comes and not found.ear.knows(found.name) and found.ear.do(Create(found.name)) is not None:
            return sqlite3.SQLITE_CANTOPEN
        code = int(self._real_open(self._address, name, file, flags, out_flags))
        handle = _File.from_address(file)
        if code == sqlite3.SQLITE_OK:
            real = handle.methods.contents
            self._opened[file] = _Opened(found, real, bool(flags & (_OPEN_MAIN_JOURNAL | _OPEN_WAL)))
            handle.methods = ctypes.pointer(self._copy(real))
        return code

    def _copy(self, real: _Methods) -> _Methods:
        """The same calls with ours among them."""
        address = ctypes.addressof(real)
        if address not in self._copies:
            copy = _Methods(version=real.version)
            for number in range(_METHODS[real.version]):
                copy.calls[number] = real.calls[number]
            for number, call in zip((_CLOSE, _WRITE, _TRUNCATE, _SYNC), self._calls[2:], strict=True):
                copy.calls[number] = ctypes.cast(call, ctypes.c_void_p).value
            self._copies[address] = copy
        return self._copies[address]

    def _close(self, file: int) -> int:
        return int(close_type(self._opened.pop(file).real.calls[_CLOSE])(file))

    def _write(self, file: int, data: int, length: int, offset: int) -> int:
        opened = self._opened[file]
        trouble = opened.found.ear.do(Write(opened.found.name, offset, ctypes.string_at(data, length)))
        if trouble is not None:
            return sqlite3.SQLITE_FULL if trouble is Trouble.FULL else sqlite3.SQLITE_IOERR_WRITE
        return int(write_type(opened.real.calls[_WRITE])(file, data, length, offset))

    def _truncate(self, file: int, size: int) -> int:
        opened = self._opened[file]
        if opened.found.ear.do(Truncate(opened.found.name, size)) is not None:
            return sqlite3.SQLITE_IOERR_TRUNCATE
        return int(truncate_type(opened.real.calls[_TRUNCATE])(file, size))

    def _sync(self, file: int, _flags: int) -> int:
        opened = self._opened[file]
        if opened.found.ear.do(Flush(opened.found.name)) is not None:
            return sqlite3.SQLITE_IOERR_FSYNC
        if opened.new_name:
            if opened.found.ear.do(FlushNames(_directory(opened.found.name))) is not None:
                return sqlite3.SQLITE_IOERR_DIR_FSYNC
            self._opened[file] = opened._replace(new_name=False)
        # What the machine itself flushes is of no matter: the model says what is safe.
        return sqlite3.SQLITE_OK

    def _delete(self, _vfs: int, name: int, sync_names: int) -> int:
        path = Path(os.fsdecode(ctypes.string_at(name)))
        found = self.find(path)
        if found is not None and path.exists():
            if found.ear.do(Unlink(found.name)) is not None:
                return sqlite3.SQLITE_IOERR_DELETE
            if sync_names and found.ear.do(FlushNames(_directory(found.name))) is not None:
                return sqlite3.SQLITE_IOERR_DIR_FSYNC
        return int(self._real_delete(self._address, name, sync_names))


_layers: list[_Layer] = []


def lay(find: Find) -> None:
    """Put the layer there, if it is not yet, and say whose files it tells about."""
    if not _layers:
        _layers.append(_Layer())
    _layers[0].find = find


def _directory(name: str) -> str:
    return str(Path(name).parent)
