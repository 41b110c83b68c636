"""Files beside the one that is meant: what a technician may have edited in its place (field log F154, F161)."""

import re
from pathlib import Path

_LEFTOVERS = (".save", ".bak", ".old", ".orig", ".swp", ".tmp", "~", ".dpkg-old", ".dpkg-dist")
"""Ends that editors and packagers give to the copy they leave behind."""

_MARKS = ("~$", "._", ".#", ".")
"""Beginnings of the lock and attribute files of office programs, macOS, Emacs and vi."""

_LISTED_MAX = 5


def rivals(path: Path) -> tuple[str, ...]:
    """Names beside `path` that may be the file meant: `table.toml.txt`, `TABLE.TOML`, `table (1).toml`."""
    return _matching(path, _rival(path.stem, path.suffix))


def leftovers(path: Path) -> tuple[str, ...]:
    """Names beside `path` that are copies or marks of it and are never read: `table.toml.save`, `~$table.toml`."""
    ends = "|".join(re.escape(end) for end in _LEFTOVERS)
    marks = "|".join(re.escape(mark) for mark in _MARKS)
    name = re.escape(path.name)
    return _matching(
        path, re.compile(rf"{name}(?:{ends})(?:\.?[0-9]+)?|(?:{marks}){name}(?:{ends})?", re.IGNORECASE)
    )


def near_misses(path: Path) -> tuple[str, ...]:
    """Rivals and leftovers together, for the message about a file that is not there."""
    return (*rivals(path), *leftovers(path))


def _rival(stem: str, suffix: str) -> re.Pattern[str]:
    base, end = re.escape(stem), re.escape(suffix)
    copies = r"(?: ?\([0-9]+\)| ?-? ?cop(?:y|ia)(?: ?\(?[0-9]+\)?)?)?"
    return re.compile(
        rf"(?:copia de |copy of )?{base}{copies}(?:{end}|\.txt|{end}\.txt|{end}{end})", re.IGNORECASE
    )


def _matching(path: Path, pattern: re.Pattern[str]) -> tuple[str, ...]:
    try:
        names = sorted(entry.name for entry in path.parent.iterdir() if entry.is_file())
    except OSError:
        return ()  # no such folder, or not for us: the message about the file itself says so
    found = [name for name in names if name != path.name and pattern.fullmatch(name)]
    return tuple(found[:_LISTED_MAX])
