"""What a fuzz target is, and a place for the files that parsers want."""

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple


class Target(NamedTuple):
    """A parser to be fed: what to do with bytes, good bytes to begin from, the longest input worth a try."""

    feed: Callable[[bytes], None]
    seeds: tuple[bytes, ...]
    most: int = 4096


_folder: list[tempfile.TemporaryDirectory[str]] = []


def folder() -> Path:
    """A folder of this process, removed at its end."""
    if not _folder:
        _folder.append(tempfile.TemporaryDirectory(prefix="pozo-fuzz-"))
    return Path(_folder[0].name)


def put(name: str, data: bytes) -> Path:
    """A file of these bytes there."""
    path = folder() / name
    path.write_bytes(data)
    path.chmod(0o600)
    return path
