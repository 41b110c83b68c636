"""One copy of the program a table."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

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
        assert text == f"{os.getpid()}\n"


def test_two_tables_do_not_disturb_each_other(tmp_path: Path) -> None:
    with SingleInstance(tmp_path / "mesa-1.db"), SingleInstance(tmp_path / "mesa-2.db"):
        assert len(list(tmp_path.glob("*.lock"))) == 2


def test_F017_a_child_that_outlives_the_program_does_not_hold_its_table(tmp_path: Path) -> None:
    journal = tmp_path / "journal.db"
    with SingleInstance(journal):
        child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, close_fds=False)
    try:
        with SingleInstance(journal):
            assert child.poll() is None
    finally:
        child.communicate(b"\n")


def test_a_shorter_number_leaves_nothing_of_a_longer_one(tmp_path: Path) -> None:
    lock = tmp_path / "journal.db.lock"
    lock.write_text("123456789012345\n", encoding="ascii")
    with SingleInstance(tmp_path / "journal.db"):
        assert lock.read_text(encoding="ascii") == f"{os.getpid()}\n"
