"""Replaces a file whole, so that a cut leaves the old one or the new one. It knows what no file is about."""

import os
from pathlib import Path

from controller.journal.marker import sync_directory


def put_whole(path: Path, data: bytes) -> None:
    """Put a file with this content in its place, durable on return, in a directory that is there. Raises `OSError`."""
    draft = path.with_name(f"{path.name}.new")
    with draft.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    draft.rename(path)
    sync_directory(path.parent)
