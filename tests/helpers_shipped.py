"""The shipped simulated table, spoiled for one game at a time."""

import re
from pathlib import Path

from tests.helpers_config import CONFIG, written

SIMULATED = (CONFIG / "simulated.toml").read_text(encoding="utf-8")


def playing(game: str, folder: Path, *gone: tuple[str, str]) -> Path:
    """The simulated table playing `game`, without these lines: the table they are in and how they begin."""
    text = SIMULATED.replace('game = "uy-montevideo-caribbean"', f'game = "{game}"')
    for part, begin in gone:
        of_the_table = begin in {"require_sign", "require_host"}
        text = _without(text, f"[{part}]" if of_the_table else _header(game, part), begin)
    return written(folder / "mesa.toml", text)


def _header(game: str, part: str) -> str:
    return f"[for.{game}.{part}]" if part else f"[for.{game}]"


def _without(text: str, header: str, begin: str) -> str:
    start = text.index(header)
    found = re.compile(rf"^{re.escape(begin)}[ .=].*\n", re.MULTILINE).search(text, start)
    assert found, f"{header} has no line that begins with {begin}"
    assert "\n[" not in text[start : found.start()], f"{begin} stands in another table than {header}"
    return text[: found.start()] + text[found.end() :]
