"""A disk whose power may go at any write or flush, and that then keeps no more than a disk must.

`RecordingDisk` hears all that a program does to the files in a folder, breaks when it is told to, and can keep the
list of it. `LossyMedium` is the drills' medium on such a disk. What may be left is `disk_model`'s business.
"""

import random
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from controller.drill.medium import Medium, MediumConnection
from controller.soak import disk_vfs
from controller.soak.disk_calls import Calls, PowerCut
from controller.soak.disk_model import Atom, Tree, Volume, without_zeros
from controller.soak.disk_ops import (
    Create,
    FailedFlush,
    Flush,
    FlushNames,
    Op,
    Trouble,
    Truncate,
    Write,
    apply,
)
from controller.soak.disk_vfs import Found

MEMORY = Path("/dev/shm")  # noqa: S108, made with a name of its own by tempfile
"""Nothing here needs a real device: where there is memory for files, nobody waits for one."""

SMALL_BYTES = 16 * 1024
"""Files up to this size are written in ways of which nothing is heard, and are looked at each time."""

UNMANAGED = ("-shm", ".lock")
"""Names that end so belong to processes, not to the disk."""


class RecordingDisk:
    """The files under `root`. `close` it at the end; several may be open, on folders that do not hold each other."""

    def __init__(self, root: Path, *, log: list[Op] | None = None, volume: Volume | None = None) -> None:
        self.root = root.absolute()
        self.volume = Volume(read_tree(self.root)) if volume is None else volume
        self.log = log
        """Everything that was done, in order, if it is kept."""
        self.ops = 0
        """How many things were done."""
        self.gone = False
        """Whether the power is gone: nothing is done any more."""
        self.on_flush: Callable[[], None] = lambda: None
        """Called at each flush: a slow device lets time pass here."""
        self._left: int | None = None
        self._trouble: dict[Trouble, range] = {}
        self._by_sqlite: set[str] = set()
        self._looked: dict[str, tuple[int, int, int]] = {}
        _enter(self)

    def close(self) -> None:
        """Hear nothing any more."""
        _leave(self)

    def cut_after(self, ops: int | None) -> None:
        """Let the power go in place of the thing after the next `ops`; None takes that back."""
        self._left = ops

    def fail(self, trouble: Trouble, times: int = 1, *, after: int = 0) -> None:
        """FULL and READ_ONLY refuse writes, IO flushes: `times` of them, once `after` more have gone well."""
        self._trouble[trouble] = range(after, after + times)

    def mend(self) -> None:
        """Do again what is asked; what failed is not made good by that."""
        self._trouble.clear()

    def do(self, op: Op) -> Trouble | None:
        """Let one thing happen, or say what goes wrong instead."""
        if not isinstance(op, Write | Truncate) and self.look():
            return Trouble.POWER
        if isinstance(op, Create) and self.knows(op.name):
            return None  # it was found by looking
        return self._do(op)

    def knows(self, name: str) -> bool:
        """Whether there is a file of this name, as far as was heard."""
        return name in self.volume.names

    def settle(self) -> None:
        """Take everything as it is now for safe, as after switching off in order, or damage done at rest."""
        self.volume = Volume(read_tree(self.root))

    def left_after_cut(self, rng: random.Random) -> Tree:
        """The files that are left if the power goes now, as `rng` decides."""
        self.look()
        atoms = self.volume.atoms()
        return self.volume.tree(atoms, random_choice(atoms, rng))

    def sqlite_has(self, name: str) -> None:
        """SQLite writes this file and those that go with it, and tells everything: there is no need to look."""
        self._by_sqlite.update((name, f"{name}-wal", f"{name}-journal"))

    def _do(self, op: Op) -> Trouble | None:
        if self._left is not None and not self.gone:
            self._left -= 1
            self.gone = self._left < 0
        if self.gone:
            return Trouble.POWER
        trouble = self._refusal(op)
        if trouble is not None and not isinstance(op, Flush):
            return trouble
        if isinstance(op, Flush):
            self.on_flush()
        done = FailedFlush(op.name) if trouble is not None and isinstance(op, Flush) else op
        apply(self.volume, done)
        self.ops += 1
        if self.log is not None:
            self.log.append(done)
        return trouble

    def _refusal(self, op: Op) -> Trouble | None:
        of = (Trouble.IO,) if isinstance(op, Flush | FlushNames) else (Trouble.FULL, Trouble.READ_ONLY)
        for trouble in of:
            due = self._trouble.get(trouble)
            if due is not None and due.stop > 0:
                self._trouble[trouble] = range(due.start - 1, due.stop - 1)
                if due.start <= 0:
                    return trouble
        return None

    def look(self) -> bool:
        """Find what was written past the ear; True if the power went in it.

        A large file that has the time and size it had at the last look is not read again.
        """
        if self.gone:
            return True
        for path in _files(self.root):
            name = str(path.relative_to(self.root))
            known = name in self.volume.names
            if known and name in self._by_sqlite:
                continue
            if not known and self._do(Create(name)) is not None:
                return True
            status = path.stat()
            mark = (status.st_ino, status.st_mtime_ns, status.st_size)
            if status.st_size > SMALL_BYTES and self._looked.get(name) == mark:
                continue
            self._looked[name] = mark
            data = path.read_bytes()
            if data != self.volume.file(name).data:
                if len(data) < len(self.volume.file(name).data) and self._do(Truncate(name, len(data))):
                    return True
                if self._do(Write(name, 0, data)) is not None:
                    return True
        return False


def random_choice(atoms: Sequence[Atom], rng: random.Random) -> list[int]:
    """How each atom comes out: all lost, all kept, or by chance, each file with a chance of its own."""
    kept: dict[int, float] = {}
    choice: list[int] = []
    for atom in atoms:
        chance = kept.setdefault(atom.inode, rng.choice((0.0, 0.1, 0.5, 0.9, 1.0)))
        newest = atom.options - 1
        choice.append(newest if rng.random() < chance else rng.randrange(newest))
    return choice


_DISKS: list[RecordingDisk] = []


def _find(path: Path) -> Found | None:
    for disk in _DISKS:
        if path == disk.root or disk.root in path.parents:
            if path.name.endswith(UNMANAGED):
                return None
            return Found(disk, str(path.relative_to(disk.root)))
    return None


_CALLS = Calls(_find)


def _enter(disk: RecordingDisk) -> None:
    if not _DISKS:
        disk_vfs.lay(_find)
        _CALLS.install()
    _DISKS.append(disk)


def _leave(disk: RecordingDisk) -> None:
    if disk in _DISKS:
        _DISKS.remove(disk)
        if not _DISKS:
            _CALLS.remove()


def _files(root: Path) -> list[Path]:
    return [path for path in sorted(root.rglob("*")) if path.is_file() and not path.name.endswith(UNMANAGED)]


def read_tree(root: Path) -> Tree:
    """All files under `root` that belong to a disk."""
    return {str(path.relative_to(root)): path.read_bytes() for path in _files(root)}


def write_tree(tree: Tree, root: Path) -> None:
    """Put the files there; zeros at a file's end cost no space."""
    for name, data in tree.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            file.write(without_zeros(data))
            file.truncate(len(data))


class LossyConnection(MediumConnection):
    """A writer whose disk may lose its power inside any statement."""

    medium: "LossyMedium"

    def executemany(self, sql: str, rows: Iterable[Any], /) -> sqlite3.Cursor:
        """As the medium's own; raises `PowerCut` if the power went in it."""
        with _alive(self.medium):
            return super().executemany(sql, rows)

    def execute(self, sql: str, rows: Any = (), /) -> sqlite3.Cursor:  # noqa: ANN401, sqlite3's own signature
        """As the medium's own; raises `PowerCut` if the power went in it."""
        with _alive(self.medium):
            return super().execute(sql, rows)


@contextmanager
def _alive(medium: "LossyMedium") -> Iterator[None]:
    try:
        yield
    except sqlite3.Error:
        medium.raise_what_happened()
        raise
    medium.raise_what_happened()


class LossyMedium(Medium):
    """The drills' medium on a disk that keeps after a cut what a disk must, and of the rest what `seed` decides.

    `disk` is the present one: `disk.cut_after(n)` lets the power go at a write or flush (then `PowerCut` is raised
    out of the program, and `cut` follows), `disk.fail` breaks it, `disk.settle()` belongs after damage at rest.
    """

    connection: type[MediumConnection] = LossyConnection

    def __init__(self, seed: int, parent: Path | None = None, *, log: list[Op] | None = None) -> None:
        super().__init__(parent or (MEMORY if MEMORY.is_dir() else None))
        self._rng = random.Random(seed)  # noqa: S311, a seed that can be given again
        self.disk = RecordingDisk(self._folder, log=log)
        self._old: list[tuple[RecordingDisk, Path]] = []

    def connect(self, path: Path) -> sqlite3.Connection:
        """Connect a writer through the recording layer."""
        self.disk.sqlite_has(str(path.absolute().relative_to(self.disk.root)))
        connection = sqlite3.connect(
            f"{path.absolute().as_uri()}?mode=rw&vfs={disk_vfs.NAME}",
            uri=True,
            isolation_level=None,
            factory=self.connection,
        )
        connection.medium = self
        return connection

    def raise_what_happened(self) -> None:
        """Raise `PowerCut` if the power is gone, or what went wrong inside SQLite's call."""
        if disk_vfs.errors:
            raise disk_vfs.errors.pop()
        if self.disk.gone:
            raise PowerCut

    def cut(self) -> None:
        """Go on with what the disk kept; whoever has the old files open reaches no disk any more."""
        tree = self.disk.left_after_cut(self._rng)
        self._go_on_with(tree, Volume(tree))

    def let_go(self) -> None:
        """Go on with all that was written, flushed or not: only a process is gone, what is unsafe stays so."""
        self.disk.look()
        self._go_on_with(self.disk.volume.seen(), self.disk.volume)

    def forget_lost(self) -> None:
        """Remove the folder that was left, and hear nothing more of it."""
        for disk, folder in self._old:
            disk.close()
            shutil.rmtree(folder)
        self._old.clear()

    def close(self) -> None:
        """Remove the folder, and the one left at a cut if nobody has."""
        self.forget_lost()
        self.disk.close()
        super().close()

    def _go_on_with(self, tree: Tree, volume: Volume) -> None:
        self._old.append((self.disk, self._folder))
        self.disk.gone = True
        fresh = self._new_folder()
        for folder in sorted(path for path in self._folder.rglob("*") if path.is_dir()):
            name = str(folder.relative_to(self._folder))
            if name not in self.disk.volume.made or volume is self.disk.volume:
                (fresh / name).mkdir(parents=True, exist_ok=True)
        write_tree(tree, fresh)
        self._folder = fresh
        self.disk = RecordingDisk(fresh, log=self.disk.log, volume=volume)
