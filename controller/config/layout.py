"""Where things stand in a TOML text: the lines of its keys, keys given twice, characters that only look right.

`tomllib` gives values without lines and stops at the first error with little said; this reads the same text
only to say where. It never decides what a value is.
"""

import re
import unicodedata
from collections.abc import Iterator
from enum import Enum

import msgspec

Key = tuple[str, ...]

_HEADER = re.compile(r"\s*(\[\[?)([^\]\n]+)\]")
_ASSIGNMENT = re.compile(r"""\s*+((?:"[^"\n]*"|'[^'\n]*'|[^=#"'\n])++)=""")
"""Possessive (`++`): a long line without `=` must not be tried from each of its blanks."""
_CODE = re.compile(r"""[^"'#]+""")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]")
_NAME = re.compile(r""""([^"]*)"|'([^']*)'|([^\s."']+)""")

_ASCII_FOR = {
    "\u2018": "'", "\u2019": "'", "\u201a": "'", "\u201c": '"', "\u201d": '"', "\u201e": '"', "\u00ab": '"',
    "\u00bb": '"', "\u2032": "'", "\u2033": '"', "\u00b4": "'", "\u2010": "-", "\u2011": "-", "\u2012": "-",
    "\u2013": "-", "\u2014": "-", "\u2212": "-", "\u2024": ".", "\u00b7": ".", "\u2026": "...", "\u00b5": "u",
    "\u03bc": "u",
}  # fmt: skip
"""What a person meant by what an editor made of it."""

_HIDDEN = frozenset(("Cc", "Cf", "Co", "Cs", "Cn", "Zs", "Zl", "Zp"))
"""Unicode categories nobody can see in a value."""

_REORDERS = frozenset("\ufeff\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
"""Marks refused even in comments: they hide or reorder what is read."""


class Part(Enum):
    """What a character of the text belongs to."""

    CODE = "code"
    TEXT = "text"
    COMMENT = "comment"


class Odd(msgspec.Struct, frozen=True):
    """A character that must not stand where it does."""

    line: int
    column: int
    what: str


class Layout(msgspec.Struct, frozen=True):
    """The lines (from 1) at which every key or table of a text is given; more than one is a mistake."""

    lines: dict[Key, tuple[int, ...]]

    def line(self, key: Key) -> int | None:
        """The line of `key`, else of the nearest table around it."""
        while key:
            if key in self.lines:
                return self.lines[key][0]
            key = key[:-1]
        return None

    def doubles(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Each key given more than once, dotted, with all its lines."""
        for key, lines in self.lines.items():
            if len(lines) > 1:
                yield ".".join(key), lines


def parts(text: str) -> list[Part]:
    """Classify each character of `text`; quotes belong to their text, a line end to the code."""
    found: list[Part] = []
    at = 0
    while at < len(text):
        kind, end = _token(text, at)
        found.extend([kind] * (end - at))
        at = end
    return found


def open_quote(text: str) -> int | None:
    """The line of the first quote that nothing closes."""
    at = 0
    while at < len(text):
        kind, end = _token(text, at)
        if kind is Part.TEXT and (end - at < 2 or text[end - 1] != text[at]):
            return text.count("\n", 0, at) + 1
        at = end
    return None


def _token(text: str, at: int) -> tuple[Part, int]:
    if text[at] == "#":
        return Part.COMMENT, _until(text, at, "\n", len(text))
    if code := _CODE.match(text, at):
        return Part.CODE, code.end()
    quote = text[at]
    if text.startswith(quote * 3, at):
        end = text.find(quote * 3, at + 3)
        return Part.TEXT, len(text) if end < 0 else end + 3
    line_end = _until(text, at, "\n", len(text))
    return Part.TEXT, _closing(text, at, line_end)


def _closing(text: str, at: int, line_end: int) -> int:
    quote, here = text[at], at + 1
    while here < line_end and text[here] != quote:
        here += 2 if quote == '"' and text[here] == "\\" else 1
    return min(here + 1, line_end)


def _until(text: str, at: int, what: str, otherwise: int) -> int:
    end = text.find(what, at)
    return otherwise if end < 0 else end


def odd_characters(text: str) -> Iterator[Odd]:
    """Characters that are not what they look like: outside quotes all but ASCII, inside all that is invisible."""
    if text.isascii():
        return
    kinds = parts(text)
    for found in _NOT_ASCII.finditer(text):
        at, letter = found.start(), found[0]
        if _is_odd(letter, kinds[at]):
            yield Odd(text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at), describe(letter))


def _is_odd(letter: str, part: Part) -> bool:
    match part:
        case Part.CODE:
            return True
        case Part.TEXT:
            return unicodedata.category(letter) in _HIDDEN
        case Part.COMMENT:
            return letter in _REORDERS


def describe(letter: str) -> str:
    """Name a character and the ASCII one to write in its place."""
    name = unicodedata.name(letter, "no name")
    seen = "invisible character" if unicodedata.category(letter) in _HIDDEN else "character"
    meant = _ASCII_FOR.get(letter) or unicodedata.normalize("NFKC", letter)
    if not meant.isascii():
        return f"{seen} U+{ord(letter):04X} ({name}): remove it, or put the text into plain quotes"
    return f"{seen} U+{ord(letter):04X} ({name}): write {'a plain space' if meant == ' ' else meant} instead"


def layout(text: str) -> Layout:
    """Find the line of every key and table header of `text`; a broken text gives what can be found."""
    found: dict[Key, list[int]] = {}
    table: Key = ()
    for number, line in _statements(text):
        header = _HEADER.match(line)
        if header:
            table = _names(header[2])
            if header[1] == "[":
                found.setdefault(table, []).append(number)
            else:  # each [[entry]] is a table of its own
                found.setdefault(table, [number])
                table = (*table, str(number))
        elif assignment := _ASSIGNMENT.match(line):
            found.setdefault((*table, *_names(assignment[1])), []).append(number)
    return Layout({key: tuple(lines) for key, lines in found.items()})


def _names(dotted: str) -> Key:
    return tuple(double or single or bare for double, single, bare in _NAME.findall(dotted))


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """Each line that begins a statement: not one inside brackets or a text of several lines."""
    kinds, depth, start = parts(text), 0, 0
    for number, line in enumerate(text.split("\n"), 1):
        span = range(start, start + len(line))
        begins = depth == 0 and (start == 0 or kinds[start - 1] is Part.CODE)
        if begins:
            yield number, line
        code = "".join(text[at] for at in span if kinds[at] is Part.CODE)
        is_header = begins and code.lstrip().startswith("[")
        if not is_header:
            depth = max(0, depth + sum(code.count(c) for c in "[{") - sum(code.count(c) for c in "]}"))
        start += len(line) + 1
