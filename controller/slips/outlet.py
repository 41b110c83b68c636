"""Where a paper goes: what every outlet must do, and the plain one, a text file."""

import os
from pathlib import Path
from typing import Protocol

from controller.slips.document import Document
from controller.slips.plain import plain_text


class OutletError(RuntimeError):
    """The paper could not be put out; the message says what to do."""


class Outlet(Protocol):
    """Something that takes papers."""

    def ready(self) -> None:
        """Raise `OutletError` unless a paper could go out now. Nothing is put out."""

    def put(self, document: Document) -> None:
        """Put the paper out and see that it went. Raises `OutletError`; something of it may be out then."""


class TextFile:
    """A new text file. One that is there is never overwritten."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def ready(self) -> None:
        """Raise `OutletError` where a file is already, or its folder is not."""
        if self._path.exists():
            raise OutletError(f"{self._path} is there already: name a new file")
        if not self._path.parent.is_dir():
            raise OutletError(f"there is no folder {self._path.parent}: make it, or name a file elsewhere")

    def put(self, document: Document) -> None:
        """Write the paper, durably."""
        try:
            with self._path.open("x", encoding="utf-8") as file:
                file.write(plain_text(document))
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            raise OutletError(f"{self._path} could not be written: {error.strerror}") from error
