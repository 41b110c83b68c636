"""Where a table's files are: those that come with the program, and those a path names.

A bare name (`simulated`) is a shipped file, wherever the program is installed. A path (anything with a `/`, or
ending in `.toml`) is that file and no other; nothing is searched for.
"""

import re
from enum import Enum
from pathlib import Path

from controller.config.problems import ConfigError, did_you_mean, shown

_BARE = re.compile(r"[a-z0-9][a-z0-9-]{0,63}")


class Kind(Enum):
    """The three kinds of files, by their folder."""

    TABLE = "."
    GAME = "games"
    BOARD = "boards"


def folder() -> Path:
    """The shipped files: beside the package in an installed program, in `config` of a checkout."""
    package = Path(__file__).resolve().parents[1]
    installed = package / "shipped"
    return installed if installed.is_dir() else package.parent / "config"


def names(kind: Kind) -> tuple[str, ...]:
    """The bare names of the shipped files of a kind."""
    return tuple(sorted(path.stem for path in (folder() / kind.value).glob("*.toml")))


def find(kind: Kind, name: str, beside: Path) -> Path:
    """The file that `name` means; a relative path counts from `beside`. Raises `ConfigError` for an unknown name."""
    if "/" in name or name.lower().endswith(".toml"):
        return _path(name, beside)
    path = folder() / kind.value / f"{name}.toml"
    if _BARE.fullmatch(name) and path.is_file():
        return path
    hint = "Write the path of a file with its .toml, or a shipped name."
    raise ConfigError(
        (f"there is no shipped {kind.name.lower()} file {shown(name)}. {hint}{_choice(kind, name)}",)
    )


def _choice(kind: Kind, name: str) -> str:
    return did_you_mean(name, names(kind))


def _path(name: str, beside: Path) -> Path:
    if not name.isprintable():
        raise ConfigError((f"{shown(name)} is no path of a file: it holds characters nobody can see",))
    try:
        return beside / Path(name).expanduser()
    except RuntimeError as error:
        raise ConfigError((f"{shown(name)}: {error}; write the path in full",)) from None
