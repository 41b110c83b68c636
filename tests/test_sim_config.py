"""`pozo sim --config FILE`: the simulated table of a file, whose folder is its medium; anything else is refused."""

from contextlib import ExitStack
from pathlib import Path

import pytest

from controller.cli.sim import _of_file
from controller.config import load
from tests.helpers_cli import own_table, pozo_run


def in_one_folder(folder: Path) -> Path:
    changes = {
        str(folder / "mesa.db"): str(folder / "mesa" / "journal.db"),
        str(folder / "mesa.witness"): str(folder / "mesa" / "witness"),
    }
    config = own_table(folder)
    text = config.read_text(encoding="utf-8")
    for old, new in changes.items():
        text = text.replace(old, new)
    config.write_text(text, encoding="utf-8")
    return config


def test_the_folder_that_the_file_names_is_the_medium(tmp_path: Path) -> None:

    settings = load(str(in_one_folder(tmp_path)))
    with ExitStack() as stack:
        medium = _of_file(settings, stack)
        assert (medium.journal, medium.witness) == (settings.journal, settings.witness)
        second = pozo_run("sim", "--config", settings.source)
        assert (second.exit_code, "already running" in second.output) == (1, True)


@pytest.mark.parametrize("more", [("--game", "pe-caribbean"), ("--lang", "en"), ("--journal", "x")])
def test_what_the_file_says_is_not_said_again(tmp_path: Path, more: tuple[str, str]) -> None:
    done = pozo_run("sim", "--config", in_one_folder(tmp_path), *more)
    assert (done.exit_code, "leave the other options out" in done.output) == (2, True)


def test_a_table_with_hardware_and_a_journal_anywhere_are_refused(tmp_path: Path) -> None:
    done = pozo_run("sim", "--config", "table")
    assert (done.exit_code, "`pozo run` plays it" in done.output) == (2, True)
    done = pozo_run("sim", "--config", own_table(tmp_path))
    assert (done.exit_code, "set journal.path to FOLDER/journal.db" in done.output) == (2, True)
