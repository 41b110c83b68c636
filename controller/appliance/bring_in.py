"""Brings a table's files from the boot partition, which any computer can edit, to where the table keeps its own.

The boot partition is FAT and is only read: a rename there is not atomic (F160). What is copied is checked first, and is
byte for byte what was checked; the table's own file comes last, so that a cut leaves the old one in force, or the new.
"""

import hashlib
from pathlib import Path

from controller.config import ConfigError, Settings, load
from controller.config.nearby import near_misses
from controller.config.shipped import folder as shipped_folder
from controller.journal import marker
from controller.whole import put_whole


def bring_in(source: Path, target: Path) -> ConfigError | None:
    """Put what `source` (a folder) holds in force at `target` (the table's file), durable on return.

    None: `target` is as the folder says, or there is nothing to bring. An error is given back where the folder's files
    cannot be used and an older `target` stays in force. Raises `ConfigError` where there is neither.
    """
    name = source / target.name
    if target.exists() and not _may_be_there(name):
        return None
    try:
        _bring(load(str(name)), source, target)
    except ConfigError as error:
        if target.exists():
            return error
        raise
    return None


def _may_be_there(name: Path) -> bool:
    """Whether the folder has the file, or one that may be meant by it, or cannot tell: reading it then says why."""
    try:
        return name.exists() or bool(near_misses(name))
    except OSError:
        return True


def _bring(settings: Settings, source: Path, target: Path) -> None:
    expected = marker.expected(settings.journal)
    if expected not in {None, "?", settings.table_id}:
        what = (
            f"but the journal {settings.journal} is of table {expected}: this file belongs into another table"
        )
        raise ConfigError((f'{settings.source}: table.id = "{settings.table_id}": {what}',))
    # The table's own file is the first of them: it goes last.
    for used in reversed(settings.files):
        if used.path.is_relative_to(shipped_folder()):
            continue
        if not used.path.is_relative_to(source) or ".." in used.path.relative_to(source).parts:
            raise ConfigError((f"{used.path}: lies outside of {source}: put it beside {target.name}",))
        _copy(used.path, target.parent / used.path.relative_to(source), used.digest)


def _copy(source: Path, target: Path, digest: str) -> None:
    """Make `target` the file whose digest was checked; one that is it already is not touched."""
    try:
        if target.is_file() and _digest(target.read_bytes()) == digest:
            return
        data = source.read_bytes()
        if _digest(data) != digest:
            raise ConfigError((f"{source}: changed while it was read: it is read again by itself",))
        target.parent.mkdir(parents=True, exist_ok=True)
        put_whole(target, data)
    except OSError as error:
        why = error.strerror or str(error)
        raise ConfigError(
            (f"{target}: cannot be written ({why}): look at the medium and its free space",)
        ) from error


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
