"""One copy of the program a table."""

import errno
import fcntl
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from controller.journal import NotCommissionedError, ReadOnlyError
from controller.single import AlreadyRunningError, SingleInstance


def test_F016_a_second_copy_is_refused_with_the_number_of_the_first(tmp_path: Path) -> None:
    journal = tmp_path / "journal.db"
    with (
        SingleInstance(journal),
        pytest.raises(
            AlreadyRunningError, match=rf"already running \(pid {os.getpid()}\).*nothing was touched"
        ),
        SingleInstance(journal),
    ):
        pytest.fail("two copies of one table")
    assert list(tmp_path.iterdir()) == [tmp_path / "journal.db.lock"], "the journal itself is not touched"


def test_the_next_copy_may_start_when_the_first_has_ended(tmp_path: Path) -> None:
    for _ in range(3):
        with SingleInstance(tmp_path / "journal.db"):
            text = (tmp_path / "journal.db.lock").read_text(encoding="ascii")
        assert text.split() == [str(os.getpid())]


def test_two_tables_do_not_disturb_each_other(tmp_path: Path) -> None:
    with SingleInstance(tmp_path / "mesa-1.db"), SingleInstance(tmp_path / "mesa-2.db"):
        assert len(list(tmp_path.glob("*.lock"))) == 2


def test_F017_a_child_that_outlives_the_program_does_not_hold_its_table(tmp_path: Path) -> None:
    journal = tmp_path / "journal.db"
    with SingleInstance(journal):
        child = subprocess.Popen(
            [sys.executable, "-c", "input(1)"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, close_fds=False
        )
        assert child.stdout is not None
        assert child.stdout.read(1) == b"1"
    try:
        with SingleInstance(journal):
            assert child.poll() is None
    finally:
        child.communicate(b"\n")


def test_a_shorter_number_leaves_nothing_of_a_longer_one(tmp_path: Path) -> None:
    lock = tmp_path / "journal.db.lock"
    lock.write_text("99999999999\n", encoding="ascii")
    with SingleInstance(tmp_path / "journal.db"):
        assert lock.read_text(encoding="ascii").split() == [str(os.getpid())]


def test_a_table_that_was_never_made_is_told_what_to_do(tmp_path: Path) -> None:
    with (
        pytest.raises(NotCommissionedError, match=r"no directory .*run `pozo commission`"),
        SingleInstance(tmp_path / "nowhere" / "journal.db"),
    ):
        pytest.fail("it started without a place for its journal")


def test_on_a_read_only_medium_the_old_lock_file_still_locks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The kernel refuses to open anything for writing there; `flock` needs no writing."""
    journal = tmp_path / "journal.db"
    with SingleInstance(journal):
        pass
    really_open = os.open

    def read_only_open(path: Path, flags: int, mode: int = 0o777) -> int:
        if flags & (os.O_RDWR | os.O_WRONLY | os.O_CREAT):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), path)
        return really_open(path, flags, mode)

    monkeypatch.setattr(os, "open", read_only_open)
    with (
        SingleInstance(journal),
        pytest.raises(AlreadyRunningError, match="already running"),
        SingleInstance(journal),
    ):
        pytest.fail("two copies of one table")
    (tmp_path / "journal.db.lock").unlink()
    with pytest.raises(ReadOnlyError, match="read-only"), SingleInstance(journal):
        pytest.fail("a copy without a lock")


def test_a_full_medium_does_not_keep_the_table_from_its_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_descriptor: int, _data: bytes, _at: int) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "pwrite", full)
    journal = tmp_path / "journal.db"
    with (
        SingleInstance(journal),
        pytest.raises(AlreadyRunningError, match=r"another program holds .*fuser -v"),
        SingleInstance(journal),
    ):
        pytest.fail("two copies of one table")


@pytest.mark.parametrize("signed", ["", "4194305", "-1", "..", "1 2"])
def test_a_lock_taken_by_somebody_else_is_not_laid_to_a_process_that_is_gone(
    tmp_path: Path, signed: str
) -> None:
    """4194305 is above the largest number that Linux gives a process."""
    lock = tmp_path / "journal.db.lock"
    lock.write_text(signed, encoding="ascii")
    with lock.open("rb") as other:
        fcntl.flock(other, fcntl.LOCK_EX)
        with pytest.raises(AlreadyRunningError, match=r"not the table that held it last.*fuser") as refused:
            SingleInstance(tmp_path / "journal.db").__enter__()
    assert "pid" not in str(refused.value)


def test_only_the_tables_user_can_hold_the_lock(tmp_path: Path) -> None:
    lock = tmp_path / "journal.db.lock"
    lock.touch(0o644)
    with SingleInstance(tmp_path / "journal.db"):
        assert stat.S_IMODE(lock.stat().st_mode) == 0o600
