"""How far an adapter has got: a small file beside the journal, replaced whole, durable on return."""

import os
from pathlib import Path
from typing import Annotated, Final

import msgspec

from controller.journal.chain import Head
from controller.journal.errors import from_os
from controller.journal.marker import sync_directory
from controller.link.outbox import START

BYTES_MAX: Final = 4096


class CursorError(ValueError):
    """The cursor's file is no cursor. The text says what to do."""


class _Kept(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    seq: Annotated[int, msgspec.Meta(ge=0)]
    digest: Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]


def path_of(journal: Path, adapter: str) -> Path:
    """Where the cursor of this adapter is."""
    return journal.with_name(f"{journal.name}.{adapter}.cursor")


class Cursor:
    """The last record that one adapter's receiver has acknowledged."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def read(self) -> Head:
        """Where to go on; `START` without a file. Raises `CursorError` and the journal's errors of the medium."""
        try:
            with self._path.open("rb") as file:
                kept = msgspec.json.decode(file.read(BYTES_MAX), type=_Kept)
        except FileNotFoundError:
            return START
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise CursorError(
                f"{self._path} is damaged ({error}): remove it, and everything is delivered once more from record 1; "
                "receivers know a record by table and number"
            ) from error
        except OSError as error:
            raise from_os(error, self._path) from error
        return Head(kept.seq, kept.digest)

    def write(self, head: Head) -> None:
        """Keep a new place. Raises the journal's errors of the medium; then the old one stays."""
        draft = self._path.with_name(self._path.name + ".new")
        try:
            with draft.open("wb") as file:
                file.write(msgspec.json.encode(_Kept(*head)))
                file.flush()
                os.fsync(file.fileno())
            draft.replace(self._path)
            sync_directory(self._path.parent)
        except OSError as error:
            raise from_os(error, self._path) from error
