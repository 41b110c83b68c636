"""Who may only read the journal, as the console does: he reads it while it is written, and cannot stop the writer."""

import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, nullcontext
from pathlib import Path

import pytest

from controller.core.events import CoinInPressed, Noted
from controller.journal import DamagedError, Entry, Journal, JournalError, JournalIOError, ends_of
from controller.journal.errors import InUseError
from controller.journal.read import reader
from controller.journal.shm import keep_private, path_of
from tests.helpers_table import WALL_NS, a_table, filled, new_journal
from tests.test_journal_errors import as_nobody

NOBODY = 65_534

AS_ANOTHER = f"""
import os, sys
from pathlib import Path
from controller.journal import ends_of
from controller.journal.read import reader
import controller.core.events
if os.geteuid() == 0:
    os.setgroups([]); os.setgid({NOBODY}); os.setuid({NOBODY})
journal = Path(sys.argv[1])
"""


@pytest.fixture
def journal() -> Iterator[Journal]:
    """A journal under the writer's hands, in a place that its group may read."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        place.chmod(0o750)
        made = new_journal(place)
        if os.geteuid() == 0:
            for path in (place, *place.iterdir()):
                os.chown(path, 0, NOBODY)
        else:
            path_of(made.path).chmod(0)  # to its owner as 0600 is to others
        yield made
        made.close()


def another(journal: Journal, does: str) -> str:
    """What a program of another user of the group prints."""
    ran = subprocess.run(
        [sys.executable, "-c", AS_ANOTHER + does, journal.path], capture_output=True, text=True, check=False
    )
    return ran.stdout.strip() or ran.stderr


def store(journal: Journal, times: int = 1) -> None:
    for _ in range(times):
        journal.append([Entry(CoinInPressed(5), (Noted(),), a_table())], WALL_NS, wall_trusted=True)


READS = "print(ends_of(journal).last.seq)"


def test_the_group_reads_the_newest_record_beside_the_writer(journal: Journal) -> None:
    for _ in range(3):
        store(journal, 40)
        assert another(journal, READS) == str(journal.head.seq)
        journal.checkpoint()
        assert another(journal, READS) == str(journal.head.seq)


@pytest.mark.parametrize("tail", ["-shm", ".id"])
def test_the_group_holds_no_lock_that_the_writer_needs(journal: Journal, tail: str) -> None:
    """A shared lock on byte 120 of -shm is one on SQLite's WAL_WRITE_LOCK: no COIN IN would be stored."""
    if os.geteuid() != 0:
        journal.path.with_name(journal.path.name + tail).chmod(0)
    opens = f"os.open(f'{{journal}}{tail}', os.O_RDONLY)"
    assert "PermissionError" in another(journal, opens)
    store(journal)
    assert ends_of(journal.path).last.seq == journal.head.seq


def test_what_a_checkpoint_moved_under_a_reader_without_locks_is_not_believed(journal: Journal) -> None:
    store(journal, 40)
    begins = """
with reader(journal) as connection:
    print(connection.execute("SELECT max(seq) FROM journal").fetchone()[0], flush=True)
    input()
"""
    with subprocess.Popen(
        [sys.executable, "-c", AS_ANOTHER + begins, journal.path],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline().strip() == str(journal.head.seq)
        journal.checkpoint()
        _, said = child.communicate("\n")
    assert "InUseError" in said
    assert "nothing is wrong, read it again" in said


def test_a_file_of_locks_made_by_an_earlier_program_is_closed_to_the_group(tmp_path: Path) -> None:
    path = tmp_path / "pozo.db"
    path_of(path).write_bytes(b"abc")
    path_of(path).chmod(0o640)
    keep_private(path)
    assert (path_of(path).read_bytes(), path_of(path).stat().st_mode & 0o777) == (b"abc", 0o600)
    elsewhere = tmp_path / "else"
    elsewhere.touch(0o640)
    path_of(path).unlink()
    path_of(path).symlink_to(elsewhere)
    keep_private(path)
    assert elsewhere.stat().st_mode & 0o777 == 0o640


@pytest.fixture
def left() -> Iterator[Path]:
    """What a writer that is not this process has open, its locks closed to this user: nobody here holds SQLite's."""
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        place.chmod(0o755)
        (place / "writer").mkdir()
        with closing(new_journal(place / "writer")) as writer:
            store(writer, 3)
            for tail in ("", "-wal", "-shm"):
                copy = place / f"pozo.db{tail}"
                copy.write_bytes(writer.path.with_name(f"pozo.db{tail}").read_bytes())
                copy.chmod(0 if tail == "-shm" else 0o644)
        yield place / "pozo.db"


def moved_on(journal: Path) -> None:
    """As after a checkpoint: the journal has been written to."""
    found = journal.stat()
    os.utime(journal, ns=(found.st_atime_ns, found.st_mtime_ns + 1))


def nothing(_: sqlite3.Connection) -> None:
    """Read no further."""


def no_text(_: sqlite3.Connection) -> None:
    b"\xff".decode()


def no_table(connection: sqlite3.Connection) -> None:
    connection.execute("SELECT 1 FROM felt")


def no_record(_: sqlite3.Connection) -> None:
    raise DamagedError("record 2")


@pytest.mark.parametrize(
    ("end", "error", "said"),
    [
        (nothing, None, ""),
        (no_text, DamagedError, "^{left} is damaged: it holds bytes that are no text"),
        (no_table, JournalError, "no such table: felt"),
        (no_record, DamagedError, "^record 2$"),
    ],
)
def test_a_read_without_locks_ends_as_it_does_while_the_table_stands_still(
    left: Path, end: Callable[[sqlite3.Connection], None], error: type[JournalError] | None, said: str
) -> None:
    told = nullcontext() if error is None else pytest.raises(error, match=said.format(left=left))
    with as_nobody(), told, reader(left) as connection:
        assert connection.execute("SELECT max(seq) FROM journal").fetchone() == (4,)
        end(connection)


@pytest.mark.parametrize("end", [nothing, no_text, no_table, no_record])
def test_a_read_without_locks_is_not_believed_once_the_table_moved_on_however_it_ended(
    left: Path, end: Callable[[sqlite3.Connection], None]
) -> None:
    owner = os.geteuid()

    def read() -> None:
        with reader(left) as connection:
            connection.execute("SELECT max(seq) FROM journal").fetchone()
            reads = os.geteuid()
            os.seteuid(owner)
            moved_on(left)
            os.seteuid(reads)
            end(connection)

    said = f"^the table moved {left} on while it was read: nothing is wrong, read it again$"
    with as_nobody(), pytest.raises(InUseError, match=said):
        read()


def test_a_log_that_cannot_be_looked_at_is_told_with_its_journal(left: Path) -> None:
    left.with_name("pozo.db-wal").unlink()
    with (
        as_nobody(),
        pytest.raises(JournalIOError, match=f"^{left}: No such file or directory; check the path"),
        reader(left),
    ):
        pass


def test_a_reader_leaves_no_file_of_locks_that_the_group_could_open(left: Path) -> None:
    """SQLite would make it with the journal's own mode, 0644 here."""
    left.with_name("pozo.db-shm").unlink()
    assert ends_of(left).last.seq == 4
    assert path_of(left).stat().st_mode & 0o777 == 0o600


def test_a_reader_of_a_copy_without_a_log_leaves_nothing_beside_it(tmp_path: Path) -> None:
    """As a backup holds one: SQLite keeps no locks in a file of its own there."""
    copy = tmp_path / "copy.db"
    with closing(sqlite3.connect(filled(tmp_path, 1))) as connection:
        connection.execute("VACUUM INTO ?", (str(copy),))
    assert ends_of(copy).last.seq == 5
    assert sorted(path.name for path in tmp_path.glob("copy*")) == ["copy.db"]


def test_a_reader_of_a_closed_journal_leaves_no_file_of_locks_that_the_group_could_open(
    tmp_path: Path,
) -> None:
    """As the writer's own look at it, a moment before he opens it: who opened the file then could lock him out."""
    path = filled(tmp_path, 1)
    path.chmod(0o640)
    assert ends_of(path).last.seq == 5
    assert path_of(path).stat().st_mode & 0o777 == 0o600
