"""Where journal and witness may be."""

from pathlib import Path

import pytest

from controller.config import load
from tests.helpers_cli import own_table
from tests.helpers_config import TABLE, refusal, table

JOURNAL = '"/var/lib/pozo/journal.db" '
WITNESS = '"/var/lib/pozo-witness" '


def test_every_table_names_its_witness(tmp_path: Path) -> None:
    message = refusal(table(tmp_path, (f"[witness]\npath = {WITNESS}", f"[witnes]\npath = {WITNESS}")))
    assert 'Did you mean "witness"?' in message
    assert load(str(table(tmp_path))).witness == Path("/var/lib/pozo-witness")
    assert "[witness]" in TABLE


@pytest.mark.parametrize("path", ["/var/lib/pozo", "/var/lib/pozo/", "/var/lib/../lib/pozo"])
def test_the_journals_own_directory_is_no_second_place(tmp_path: Path, path: str) -> None:
    message = refusal(table(tmp_path, (WITNESS, f'"{path}" ')))
    assert "witness.path" in message
    assert "is the journal's own directory: name another one, on a second medium or partition" in message


@pytest.mark.parametrize("path", ["pozo-witness", "./witness", ""])
def test_a_relative_witness_is_refused(tmp_path: Path, path: str) -> None:
    assert "an absolute path" in refusal(table(tmp_path, (WITNESS, f'"{path}" ')))


def places(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    (tmp_path / "second").mkdir()
    return table(tmp_path, (JOURNAL, f'"{tmp_path}/data/journal.db" '), (WITNESS, f'"{tmp_path}/second" '))


def test_one_file_system_for_both_is_warned_of(tmp_path: Path) -> None:
    (warning,) = load(str(places(tmp_path))).warnings
    assert "witness.path: lies on the same file system as the journal" in warning
    assert "mount a second partition or medium there" in warning


@pytest.mark.skipif(
    not Path("/dev/shm").exists() or Path("/dev/shm").stat().st_dev == Path("/tmp").stat().st_dev,
    reason="this machine has no second file system at hand",
)
def test_two_file_systems_need_no_warning(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    changes = ((JOURNAL, f'"{tmp_path}/data/journal.db" '), (WITNESS, '"/dev/shm" '))
    assert load(str(table(tmp_path, *changes))).warnings == ()


def test_nothing_is_said_of_directories_that_are_not_there_nor_at_a_simulated_table(tmp_path: Path) -> None:
    assert load(str(table(tmp_path))).warnings == ()
    (tmp_path / "mesa.witness").mkdir()
    assert load(str(own_table(tmp_path))).warnings == ()
