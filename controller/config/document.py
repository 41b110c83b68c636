"""One TOML file as it was read: its values, its digest, and where each value stands."""

import hashlib
import re
import tomllib
from datetime import datetime
from pathlib import Path

import msgspec

from controller.config import nearby
from controller.config.layout import Layout, layout, odd_characters, open_quote
from controller.config.problems import ConfigError, Report
from controller.config.text import decode, read

_PLACE = re.compile(r"\s*\(at (?:line (\d+), column \d+|end of document)\)$")
_COMMA_NUMBER = re.compile(r"=\s*[0-9]+,[0-9]")
_LEADING_ZERO = re.compile(r"=\s*0[0-9]")
_BARE_WORD = re.compile(r"=\s*[A-Za-z]")
_ODD_MAX = 10
"""Odd characters reported at once; a file full of them has one cause."""


class FileUsed(msgspec.Struct, frozen=True):
    """A file that is in force: its path, the SHA-256 of its bytes (as `sha256sum` prints it), when it was changed."""

    path: Path
    digest: str
    changed: datetime


class Document(msgspec.Struct, frozen=True):
    """A file's values and their places."""

    used: FileUsed
    values: dict[str, object]
    layout: Layout

    @property
    def path(self) -> Path:
        """Where the file is."""
        return self.used.path

    def has(self, key: str) -> bool:
        """Whether the file itself has this dotted key or a table of that name."""
        path = tuple(key.split("."))
        return any(known[: len(path)] == path for known in self.layout.lines)

    def where(self, key: str) -> str:
        """`FILE, line N` of a dotted key, or of the table it should be in."""
        line = self.layout.line(tuple(key.split(".")))
        return f"{self.path}" if line is None else f"{self.path}, line {line}"


def open_document(path: Path, report: Report) -> Document:
    """Read and parse `path`.

    Raises `ConfigError` for a file that is missing, has a rival beside it, or is no TOML; puts notices and keys
    given twice into `report`.
    """
    data, changed = read(path)
    _look_around(path, report)
    text, notices = decode(data, path)
    for notice in notices:
        report.warn(notice)
    _refuse_odd(text, path)
    places = layout(text)
    _refuse_doubles(places, path)
    used = FileUsed(path, hashlib.sha256(data).hexdigest(), changed)
    return Document(used, _parse(text, path), places)


def _look_around(path: Path, report: Report) -> None:
    if rivals := nearby.rivals(path):
        both = ", ".join(rivals)
        what = f"{both} lies beside it and could be the one meant: keep only {path.name} in this folder"
        raise ConfigError((f"{path}: {what}",))
    for name in nearby.leftovers(path):
        report.warn(f"{path.parent / name} was left behind by another program; it is not read")


def _refuse_odd(text: str, path: Path) -> None:
    found = tuple(f"{path}, line {odd.line}, column {odd.column}: {odd.what}" for odd in odd_characters(text))
    if found:
        rest = len(found) - _ODD_MAX
        more = (f"{path}: and {rest} more such characters",) if rest > 0 else ()
        raise ConfigError((*found[:_ODD_MAX], *more))


def _refuse_doubles(places: Layout, path: Path) -> None:
    found = tuple(
        f"{path}: {key} is given {len(lines)} times, in lines {', '.join(map(str, lines))}: keep one"
        for key, lines in places.doubles()
    )
    if found:
        raise ConfigError(found)


def _parse(text: str, path: Path) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise ConfigError((_syntax(str(error), text, path),)) from None


def _syntax(message: str, text: str, path: Path) -> str:
    place = _PLACE.search(message)
    what = _PLACE.sub("", message)
    number = int(place[1]) if place and place[1] else open_quote(text)
    if number is None:
        return f"{path}: this is not TOML: {what}; look for a bracket that nothing closes"
    line = text.split("\n")[number - 1].strip()
    return f"{path}, line {number}: this is not TOML: {what}: {line[:60]!a}{_hint(line)}"


def _hint(line: str) -> str:
    if _COMMA_NUMBER.search(line):
        return '. No decimal commas: an amount is written "0.25", a rate in whole parts per million (250000)'
    if _LEADING_ZERO.search(line):
        return '. A number does not begin with 0; an amount is written in quotes, like "10000.00"'
    if _BARE_WORD.search(line):
        return ". Text is written in quotes, yes and no as true and false"
    return ""
