"""README and the pages beside the manuals: what they call exists, and their links lead somewhere."""

from itertools import product
from pathlib import Path

import pytest

from controller.cli import COMMANDS
from press.manuals import ENGLISH
from press.pages import SITE, render
from tests.helpers_manuals import commands, wrong

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
PAGES = [README, *sorted((ROOT / "docs").glob("*.md"))]


def each(command: str) -> list[str]:
    """A line that names several commands at once, `pozo journal show|export`, as one line each."""
    parts = [word.replace("\\|", "|").split("|") for word in command.split(" ")]
    return [" ".join(words) for words in product(*parts)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.stem))
def test_a_page_names_only_commands_and_options_that_there_are(page: Path) -> None:
    named = commands(page)
    assert not [fault for line in named for one in each(line) if one != "pozo …" and (fault := wrong(one))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.stem))
def test_every_link_of_a_page_leads_to_a_file_and_its_heading(page: Path) -> None:
    assert render(page, ENGLISH, SITE).title


def test_the_readme_names_every_command() -> None:
    named = {one.split(" ")[1] for line in commands(README) for one in each(line) if " " in one}
    assert set(COMMANDS) <= named
