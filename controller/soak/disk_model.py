"""What a disk may hold when its power goes: pure data, no file is touched here.

The model is harsher than most disks and no harsher than what POSIX and a block device promise:

- a sector of 512 bytes is whole: it holds what was flushed last, or any content it was given since, in any order;
- the file's size is the flushed one, or any it has had since, whatever its sectors say;
- what a size brought in without its data reads as zeros, or as what lay there before (garbage);
- a name that was made, moved or removed without a flush of its directory may be so or not; a move is never half;
- a flush that failed makes nothing safe, and neither does a later one that succeeds, until the data is written again.
"""

from collections.abc import Iterator, Sequence
from pathlib import PurePosixPath
from typing import NamedTuple

SECTOR = 512
GARBAGE = b"\xe5" * SECTOR
"""What a sector holds that belongs to a file and was never written: here the fill of an unused disk."""

CHUNK = bytes(1 << 16)
Tree = dict[str, bytes]
"""The files of a disk by their names, relative to its root."""


def without_zeros(data: bytes) -> bytes:
    """`data` without the zeros at its end: most of a log's space is set aside and never used."""
    end = len(data)
    while end >= len(CHUNK) and data[end - len(CHUNK) : end] == CHUNK:
        end -= len(CHUNK)
    return data[:end].rstrip(b"\0")


DIRECTORY = -1
"""What the name of a directory stands for."""


class Name(NamedTuple):
    """A name that came to stand for `inode` (None: that went), in place of `old` if it was a move."""

    name: str
    inode: int | None
    old: str | None = None


class Atom(NamedTuple):
    """One thing that may be this or that after a power cut; the last of its options is what the program saw."""

    inode: int
    sector: int
    options: int


SIZE, FILL, NAME = -1, -2, -3
"""What an atom is about when it is no sector: a file's size, its garbage, a name (whose number is in `inode`)."""


class File:
    """One file: `data` as the program sees it, and what else its sectors may hold after a power cut."""

    def __init__(self, data: bytes = b"") -> None:
        self.data = bytearray(data)
        self.flushed = len(data)
        """The size that is safe."""
        self.sizes: list[int] = []
        """Sizes it had since, oldest first, without the present one."""
        self.older: dict[int, list[bytes]] = {}
        """Contents that a sector had since it was flushed, oldest first, without the present one."""
        self._image: bytes | None = bytes(data)
        self.lost: dict[int, list[bytes]] = {}
        """The same of sectors that a failed flush left behind: the system believes them written."""

    def write(self, offset: int, data: bytes) -> None:
        """Put `data` at `offset`; a gap before it reads as zeros."""
        end = offset + len(data)
        if not data:
            return
        self._image = None
        for sector in range(offset // SECTOR, (end - 1) // SECTOR + 1):
            self._keep(sector)
        if end > len(self.data):
            self._resize(end)
        self.data[offset:end] = data

    def truncate(self, size: int) -> None:
        """Cut the file, or let it grow by zeros."""
        self._image = None
        for sector in range(size // SECTOR, (len(self.data) + SECTOR - 1) // SECTOR):
            self._keep(sector)
        if size != len(self.data):
            self._resize(size)

    @property
    def image(self) -> bytes:
        """All of it as the program sees it; the same object until it is written to."""
        if self._image is None:
            self._image = bytes(self.data)
        return self._image

    def flush(self) -> None:
        """All of it is safe now, but for what a failed flush left behind; what is cut off is of no file any more."""
        self.flushed = len(self.data)
        self.sizes.clear()
        self.older.clear()
        self.lost = {
            sector: contents for sector, contents in self.lost.items() if sector * SECTOR < self.flushed
        }

    def fail_to_flush(self) -> None:
        """Nothing is safe, and the system forgets that it is not."""
        for sector, contents in self.older.items():
            self.lost[sector] = self.lost.get(sector, []) + contents
        self.older.clear()

    def unsafe(self) -> Iterator[tuple[int, list[bytes]]]:
        """The sectors that may be another way after a power cut, and their other contents."""
        for pending in (self.lost, self.older):
            for sector, contents in pending.items():
                present = self.sector(sector)
                others = [content for content in dict.fromkeys(contents) if content != present]
                if others:
                    yield sector, others

    def sector(self, number: int) -> bytes:
        """A sector's content as the program sees it; what is beyond the end reads as zeros."""
        return bytes(self.data[number * SECTOR : (number + 1) * SECTOR]).ljust(SECTOR, b"\0")

    def _keep(self, sector: int) -> None:
        if sector in self.lost:
            self.older[sector] = self.lost.pop(sector) + self.older.get(sector, [])
        self.older.setdefault(sector, []).append(self.sector(sector))

    def _resize(self, size: int) -> None:
        self.sizes.append(len(self.data))
        if size < len(self.data):
            del self.data[size:]
        else:
            self.data.extend(bytes(size - len(self.data)))


class Volume:
    """All files of a disk. `atoms` says what is uncertain; `tree` gives the files for one way it may have come out."""

    def __init__(self, tree: Tree | None = None) -> None:
        self.files: dict[int, File] = {}
        self.names: dict[str, int] = {}
        self._safe: dict[str, int] = {}
        self._pending: list[Name] = []
        self.made: set[str] = set()
        """Directories that are new; all others are taken for safe."""
        self._next = 1
        for name, data in (tree or {}).items():
            self.files[self._next] = File(data)
            self.names[name] = self._safe[name] = self._next
            self._next += 1

    def file(self, name: str) -> File:
        """The file of this name. Raises `KeyError`."""
        return self.files[self.names[name]]

    def create(self, name: str) -> None:
        """A new empty file."""
        self.files[self._next] = File()
        self._bind(Name(name, self._next))
        self._next += 1

    def make_directory(self, name: str) -> None:
        """A new directory."""
        self.made.add(name)
        self._bind(Name(name, DIRECTORY))

    def rename(self, old: str, new: str) -> None:
        """Move a name over another one, or to a free one."""
        self._bind(Name(new, self.names[old], old))

    def unlink(self, name: str) -> None:
        """Remove a name."""
        self._bind(Name(name, None))

    def flush_names(self, directory: str) -> None:
        """The names in `directory` (relative to the root, "." for the root itself) are safe now."""
        for done in self._pending:
            if self._in(done, directory):
                _apply(done, self._safe)
        self._pending = [each for each in self._pending if not self._in(each, directory)]
        kept = {*self.names.values(), *self._safe.values(), *(each.inode for each in self._pending)}
        self.files = {inode: file for inode, file in self.files.items() if inode in kept}

    def atoms(self) -> list[Atom]:
        """Everything that a power cut now may leave this way or that."""
        found = [Atom(number, NAME, 2) for number in range(len(self._pending))]
        for inode, file in self.files.items():
            if file.sizes:
                found += [Atom(inode, SIZE, len(file.sizes) + 1), Atom(inode, FILL, 2)]
            found += [Atom(inode, sector, len(others) + 1) for sector, others in file.unsafe()]
        return found

    def tree(self, atoms: Sequence[Atom], choice: Sequence[int]) -> Tree:
        """The files when each atom came out as chosen: its option's number, `options - 1` for the newest."""
        chosen = {(atom.inode, atom.sector): (took, atom) for atom, took in zip(atoms, choice, strict=True)}
        names = dict(self._safe)
        for number, name in enumerate(self._pending):
            if chosen[number, NAME][0]:
                _apply(name, names)
        return {
            name: self._content(inode, chosen)
            for name, inode in names.items()
            if inode != DIRECTORY and self._reached(name, names)
        }

    def seen(self) -> Tree:
        """The files as the program sees them."""
        return {name: self.files[inode].image for name, inode in self.names.items() if inode != DIRECTORY}

    def _reached(self, name: str, names: dict[str, int]) -> bool:
        """Whether every new directory on the way to a file is there."""
        return all(str(way) in names for way in PurePosixPath(name).parents if str(way) in self.made)

    def _content(self, inode: int, chosen: dict[tuple[int, int], tuple[int, Atom]]) -> bytes:
        file = self.files[inode]
        changes = [
            (sector, others[chosen[inode, sector][0]])
            for sector, others in file.unsafe()
            if chosen[inode, sector][0] < len(others)
        ]
        if not file.sizes and not changes:
            return file.image
        size = [*file.sizes, len(file.data)][chosen[inode, SIZE][0] if file.sizes else 0]
        filled = bool(file.sizes) and chosen[inode, FILL][0] == 0
        data = file.data.ljust(size, b"\0")
        for sector, content in changes:
            unwritten = filled and sector * SECTOR >= file.flushed
            data[sector * SECTOR : (sector + 1) * SECTOR] = GARBAGE if unwritten else content
        if filled:
            _spoil_unwritten(file, data)
        del data[size:]
        return bytes(data)

    def _bind(self, done: Name) -> None:
        _apply(done, self.names)
        self._pending.append(done)

    def _in(self, done: Name, directory: str) -> bool:
        return str(PurePosixPath(done.name).parent) == directory


def _spoil_unwritten(file: File, data: bytearray) -> None:
    """Zeros that were written over nothing are no different from nothing, unless that is garbage."""
    for sector, contents in file.older.items():
        if sector * SECTOR >= file.flushed and not any(contents[0]) and not any(file.sector(sector)):
            data[sector * SECTOR : (sector + 1) * SECTOR] = GARBAGE


def _apply(done: Name, names: dict[str, int]) -> None:
    if done.old is not None:
        names.pop(done.old, None)
    if done.inode is None:
        names.pop(done.name, None)
    else:
        names[done.name] = done.inode
