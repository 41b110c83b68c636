"""Says on a small screen why a table is not played: what is wrong, where, and what to do. Nothing is read or written.

The full text, in English, is in the log and in `pozo check`; here stand line, key and what to do, in the table's own
language.
"""

import gettext
import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from pathlib import PurePath
from typing import Final

import msgspec

from controller.agreed import changes_of
from controller.appliance.texts import Mend, Say, Why
from controller.assemble import ParametersChangedError
from controller.bound import OtherBoardError
from controller.config import ConfigError, Settings
from controller.journal import JournalError, WrongTableError, ends_of
from controller.signing.key import KeyProblemError
from controller.signing.manifest import ManifestError
from controller.single import AlreadyRunningError
from controller.words import CATALOGUES
from hal.interface import HalError

SHOWN_MOST: Final = 3
"""Problems shown one by one: a technician mends the first ones first."""

VALUE_MOST: Final = 24
"""Characters of a value that are shown."""

_PLACE = re.compile(
    r"(?P<file>.+?)(?:, line (?P<line>\d+))?(?:, column (?P<column>\d+))?: (?P<rest>.*)", re.DOTALL
)
_KEY = re.compile(r"(?P<key>[a-z][a-z0-9_.-]*)(?: = (?P<value>.*?))?: (?P<what>.*)", re.DOTALL)

_MENDS: Final[Mapping[str, Mend]] = {
    r"found (?P<found>.+), expected ": Mend.NAME,
    r"(?P<found>.+) lies beside it": Mend.TWO_FILES,
    r"there is no such file": Mend.NO_FILE,
    r"is UTF-16|is not UTF-8": Mend.ENCODING,
    r"CR alone": Mend.LINE_ENDS,
    r"U\+[0-9A-F]{4}|invisible character": Mend.CHARACTER,
    r"this is not TOML": Mend.SYNTAX,
    r"is empty": Mend.EMPTY,
    r"is given \d+ times": Mend.TWICE,
    r"there is no such key": Mend.UNKNOWN,
    r"is missing": Mend.MISSING,
    r"lies outside of": Mend.OUTSIDE,
    r"cannot be read|cannot be written|may not be read|is larger than|is a directory|no regular file": Mend.UNREADABLE,
    r"belongs into another table": Mend.OTHER_TABLE,
}
"""What a problem's own words mean for the technician, the first that fits; else it is the value."""


class Phrases:
    """The catalogue `appliance` of one language."""

    def __init__(self, language: str) -> None:
        self._catalogue = gettext.translation("appliance", CATALOGUES, [language])

    def tell(self, text: StrEnum, **values: object) -> str:
        """A sentence with its values as they are given."""
        return self._catalogue.gettext(text).format(**values)


class Problem(msgspec.Struct, frozen=True):
    """One problem of a file as its text tells it; `None` and empty where it names no such thing."""

    file: str
    line: str | None
    column: str | None
    key: str
    value: str
    mend: Mend
    found: str


def parsed(problem: str) -> Problem:
    """Take a problem's text apart. A text without a place is one of no file."""
    place = _PLACE.fullmatch(problem)
    if place is None:
        return Problem("", None, None, "", "", Mend.VALUE, "")
    named = _KEY.fullmatch(place["rest"])
    key, value = ("", "") if named is None else (named["key"], named["value"] or "")
    for pattern, mend in _MENDS.items():
        match = re.search(pattern, place["rest"])
        if match is not None:
            found = match.groupdict().get("found", "")
            return Problem(
                PurePath(place["file"]).name, place["line"], place["column"], key, value, mend, found
            )
    return Problem(PurePath(place["file"]).name, place["line"], place["column"], key, value, Mend.VALUE, "")


def why(error: BaseException, settings: Settings | None = None) -> Why:
    """What kind of trouble an error is. `settings` tell the release's key from the table's own."""
    release = None if settings is None or settings.software is None else settings.software.key
    match error:
        case ConfigError():
            return Why.CONFIG
        case ManifestError():
            return Why.PROGRAM
        case ParametersChangedError():
            return Why.CHANGED
        case AlreadyRunningError():
            return Why.RUNNING
        case OtherBoardError():
            return Why.SIMULATED
        case WrongTableError():
            return Why.OTHER_TABLE
        case KeyProblemError() if release is not None and str(release) in str(error):
            return Why.PROGRAM
        case KeyProblemError():
            return Why.SIGNING_KEY
        case JournalError():
            return Why.JOURNAL
        case HalError():
            return Why.BOARD
        case OSError():
            return Why.MEDIUM
        case _:
            return Why.FAILED


def lines(error: BaseException, phrases: Phrases, settings: Settings | None) -> tuple[str, ...]:
    """What the croupier's screen says of a table that is not played; the first line is the headline."""
    told = [phrases.tell(Say.OUT), phrases.tell(why(error, settings))]
    match error:
        case ConfigError(problems=problems):
            told += problem_lines(problems, phrases)
        case ParametersChangedError() if settings is not None:
            told += _changes(settings, phrases)
    return (*told, phrases.tell(Say.CALL), phrases.tell(Say.AGAIN))


def kept_lines(error: ConfigError, phrases: Phrases) -> tuple[str, ...]:
    """What it says of a new file that was not taken, before the table goes on with the old one."""
    return (
        phrases.tell(Say.KEPT),
        *problem_lines(error.problems, phrases),
        phrases.tell(Say.GOES_ON),
    )


def problem_lines(problems: tuple[str, ...], phrases: Phrases) -> Iterator[str]:
    """The first problems of files, each with its place, its key and what to do."""
    for text in problems[:SHOWN_MOST]:
        problem = parsed(text)
        if problem.line is not None:
            yield phrases.tell(Say.FILE_LINE, file=problem.file, line=problem.line)
        elif problem.file:
            yield phrases.tell(Say.FILE, file=problem.file)
        if problem.value:
            yield phrases.tell(Say.KEY_VALUE, key=problem.key, value=_short(problem.value))
        elif problem.key:
            yield phrases.tell(Say.KEY, key=problem.key)
        yield phrases.tell(problem.mend, found=problem.found, column=problem.column)
    if len(problems) > SHOWN_MOST:
        yield phrases.tell(Say.MORE, count=len(problems) - SHOWN_MOST)


def _changes(settings: Settings, phrases: Phrases) -> Iterator[str]:
    changes = changes_of(settings, ends_of(settings.journal).last.state)
    if any(change.key == "board.machine" for change in changes):
        yield phrases.tell(Say.OTHER_MACHINE)
    for change in changes[:SHOWN_MOST]:
        yield phrases.tell(Say.CHANGE, key=change.key, old=_short(change.old), new=_short(change.new))
    if len(changes) > SHOWN_MOST:
        yield phrases.tell(Say.MORE, count=len(changes) - SHOWN_MOST)
    yield phrases.tell(Say.ACCEPT)


def _short(text: str) -> str:
    return text if len(text) <= VALUE_MOST else f"{text[:VALUE_MOST]}..."
