"""Run commands as a user types them, on a simulated table of one's own."""

from pathlib import Path

from click.testing import CliRunner, Result

from controller.cli import pozo
from controller.config import load


def own_table(folder: Path, changes: dict[str, str] | None = None, name: str = "mesa") -> Path:
    """A copy of the simulated table's file with its journal and witness in `folder`; texts in it replaced by others."""
    text = load("simulated").source.read_text(encoding="utf-8")
    places = {
        "~/.local/state/pozo/simulated.db": str(folder / f"{name}.db"),
        "~/.local/state/pozo/simulated.witness": str(folder / f"{name}.witness"),
    }
    for old, new in (places | (changes or {})).items():
        assert old in text, f"{old!r} is not in the simulated table's file"
        text = text.replace(old, new, 1)
    file = folder / f"{name}.toml"
    file.write_text(text, encoding="utf-8")
    return file


def pozo_run(*arguments: object, typed: str = "") -> Result:
    """`pozo …` in this process; `typed` is what is answered to its questions."""
    return CliRunner().invoke(pozo, [str(argument) for argument in arguments], input=typed)
