"""Records as CSV files in a directory, for whoever collects them: each file whole, or not there.

`TABLE-FIRST-LAST.csv`, numbers of ten digits, so that names sort as the records do. The columns are those of `pozo
journal export`. A collector removes what it has taken.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from controller.journal.export import Format, lines
from controller.journal.marker import sync_directory
from controller.journal.record import Row
from controller.link.courier import AdapterError

FILES_MAX: Final = 1000
"""With so many files that nobody collects nothing more is put there: the medium may be the journal's too."""


class Folder:
    """Puts the records of table `table_id` into `path`."""

    name = "folder"

    def __init__(self, table_id: str, path: Path) -> None:
        self._table_id = table_id
        self._path = path

    def deliver(self, rows: Sequence[Row]) -> int:
        """Put the rows into a file, durable on return. Raises `AdapterError`."""
        first, last = rows[0][0], rows[-1][0]
        file = self._path / f"{self._table_id}-{first:010d}-{last:010d}.csv"
        try:
            if sum(1 for _ in self._path.glob("*.csv")) >= FILES_MAX:
                raise AdapterError(
                    f"{self._path} holds {FILES_MAX} files that nobody collects: see to the collector; records wait"
                )
            _put(file, "".join(lines(rows, Format.CSV)).encode())
        except OSError as error:
            raise AdapterError(
                f"{file} cannot be written ({error.strerror}): the directory must exist, be this user's, and have room"
            ) from error
        return last


def _put(path: Path, data: bytes) -> None:
    draft = path.with_name(f".{path.name}.new")
    draft.unlink(
        missing_ok=True
    )  # the directory is others' too: a link laid there must not lead the pen elsewhere
    with draft.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
    sync_directory(path.parent)
