"""A table's files to spoil: copies of the shipped ones in a folder, each change named by what it replaces."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from controller.config import ConfigError, load

CONFIG = Path(__file__).parents[1] / "config"
TABLE = (CONFIG / "table.toml").read_bytes().decode().replace("\r\n", "\n")
BOARD = (CONFIG / "boards" / "rpi-7seat.toml").read_text(encoding="utf-8")
PROFILE = (CONFIG / "games" / "uy-montevideo-caribbean.toml").read_text(encoding="utf-8")

SCREEN = BOARD[BOARD.index("[screen]") : BOARD.index("[sign]")]
SIGN = BOARD[BOARD.index("[sign]") : BOARD.index("# [keypad]")]
"""The reference board's sections of these devices, to be replaced or taken out."""

Change = tuple[str, str]


def changed(text: str, *changes: Change) -> str:
    """`text` with each change made; what a change replaces must stand there exactly once."""
    for old, new in changes:
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times"
        text = text.replace(old, new)
    return text


def table(folder: Path, *changes: Change) -> Path:
    """The shipped table file with changes."""
    return written(folder / "mesa.toml", changed(TABLE, *changes))


def with_board(folder: Path, *changes: Change) -> Path:
    """A table on the reference board with changes to the board."""
    written(folder / "board.toml", changed(BOARD, *changes))
    return table(folder, ('"rpi-7seat" ', '"./board.toml" '))


def with_profile(folder: Path, *changes: Change, table_changes: tuple[Change, ...] = ()) -> Path:
    """A table that plays the Montevideo profile with changes to the profile."""
    written(folder / "game.toml", changed(PROFILE, *changes))
    return table(folder, ('"uy-montevideo-caribbean"', '"./game.toml"'), *table_changes)


def written(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def refusal(path: Path | str, overrides: Mapping[str, str] | None = None) -> str:
    """The message with which a configuration is refused."""
    with pytest.raises(ConfigError) as refused:
        load(str(path), overrides or {})
    message = str(refused.value)
    assert message.isascii(), "a console, a log and the croupier's screen must be able to show it"
    return message


def line_of(text: str, part: str) -> int:
    """The line in which `part` stands, counted here and not by the program."""
    return text[: text.index(part)].count("\n") + 1
