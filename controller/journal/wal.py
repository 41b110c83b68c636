"""The write-ahead log as a file: how much of it is in use, and the space set aside in it.

It knows SQLite's WAL format (sqlite.org/fileformat2.html, section 4) as far as counting frames goes, and reads
beside SQLite. The file may be opened and closed freely: SQLite's locks are on the two other files.
"""

import os
import struct
from pathlib import Path

from controller.journal.schema import RESERVE_BYTES

_HEADER_BYTES = 32
_FRAME_HEADER_BYTES = 24
_PAGE_AND_SALT = struct.Struct(">8xI4x8s8x")
"""In the file's header: the page size, and the salt that the frames in use carry."""
_SALT = slice(8, 16)
"""In a frame's header."""


class Wal:
    """The WAL file of an open journal. Counting goes on from where the last count ended."""

    def __init__(self, journal: Path) -> None:
        self.journal = journal
        self.path = journal.with_name(journal.name + "-wal")
        self._file = os.open(self.path, os.O_RDWR | os.O_CLOEXEC)
        self._header = b""
        self._frames = 0

    def used_bytes(self) -> int:
        """Bytes up to the last frame that was written since the file was begun anew."""
        header = os.pread(self._file, _HEADER_BYTES, 0)
        if len(header) < _HEADER_BYTES:
            return 0
        if header != self._header:
            self._header, self._frames = header, 0
        page_bytes: int
        page_bytes, salt = _PAGE_AND_SALT.unpack(header)
        frame_bytes = _FRAME_HEADER_BYTES + page_bytes
        while self._salt_at(_HEADER_BYTES + self._frames * frame_bytes) == salt:
            self._frames += 1
        return _HEADER_BYTES + self._frames * frame_bytes

    def reserve(self) -> None:
        """Fill the file up with zeros, which SQLite reads as its end. Raises `OSError`."""
        size = os.fstat(self._file).st_size
        if size < RESERVE_BYTES:
            os.pwrite(self._file, bytes(RESERVE_BYTES - size), size)
            os.fsync(self._file)

    def write_again(self) -> None:
        """Write what is in use once more, as it reads, and flush it. Raises `OSError`.

        After a flush that failed the system takes the data in its memory for written, to the next process too, and
        a later flush says nothing (PostgreSQL's "fsyncgate" of 2018): only what is written anew is really flushed.
        """
        used = self.used_bytes()
        for begin in range(0, used, RESERVE_BYTES):
            length = min(RESERVE_BYTES, used - begin)
            os.pwrite(self._file, os.pread(self._file, length, begin), begin)
        if used:
            os.fsync(self._file)

    @property
    def reserved(self) -> bool:
        """Whether the file has its full size."""
        return os.fstat(self._file).st_size >= RESERVE_BYTES

    def close(self) -> None:
        """Give the file back."""
        os.close(self._file)

    def _salt_at(self, frame: int) -> bytes:
        return os.pread(self._file, _FRAME_HEADER_BYTES, frame)[_SALT]
