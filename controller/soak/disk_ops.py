"""What a program does to a disk, one thing at a time: as much as a power cut may fall between.

Names are relative to the disk's root; a directory is named likewise, "." for the root itself.
"""

from enum import Enum
from typing import assert_never

import msgspec

from controller.soak.disk_model import Volume


class Trouble(Enum):
    """Why a disk does not do what it was asked to."""

    POWER = "power"
    """It has none any more."""
    FULL = "full"
    READ_ONLY = "read_only"
    IO = "io"
    """The device failed; after a failed flush the system believes the data written all the same."""


class Write(msgspec.Struct, frozen=True):
    """Bytes at an offset."""

    name: str
    offset: int
    data: bytes


class Truncate(msgspec.Struct, frozen=True):
    """A new size: cut, or grown by zeros."""

    name: str
    size: int


class Flush(msgspec.Struct, frozen=True):
    """`fsync` or `fdatasync` of a file."""

    name: str


class FailedFlush(msgspec.Struct, frozen=True):
    """The same, when the device failed in it."""

    name: str


class FlushNames(msgspec.Struct, frozen=True):
    """`fsync` of a directory."""

    directory: str


class Create(msgspec.Struct, frozen=True):
    """A new, empty file."""

    name: str


class MakeDirectory(msgspec.Struct, frozen=True):
    """A new directory."""

    name: str


class Rename(msgspec.Struct, frozen=True):
    """A file gets another name, and whoever had that one loses it."""

    old: str
    new: str


class Unlink(msgspec.Struct, frozen=True):
    """A name goes."""

    name: str


Op = Write | Truncate | Flush | FailedFlush | FlushNames | Create | MakeDirectory | Rename | Unlink


def apply(volume: Volume, op: Op) -> None:
    """Let `op` happen to the model. Raises `KeyError` for a name that is not there."""
    match op:
        case Write(name, offset, data):
            volume.file(name).write(offset, data)
        case Truncate(name, size):
            volume.file(name).truncate(size)
        case Flush(name):
            volume.file(name).flush()
        case FailedFlush(name):
            volume.file(name).fail_to_flush()
        case FlushNames(directory):
            volume.flush_names(directory)
        case Create(name):
            volume.create(name)
        case MakeDirectory(name):
            volume.make_directory(name)
        case Rename(old, new):
            volume.rename(old, new)
        case Unlink(name):
            volume.unlink(name)
        case _:
            assert_never(op)
