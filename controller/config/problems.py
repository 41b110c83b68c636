"""What is wrong with a table's files, collected, so that a technician mends all of it in one visit.

Messages are ASCII but for the paths in them: a console, a log and the croupier's screen must be able to show them.
"""

import unicodedata
from collections.abc import Iterable
from difflib import get_close_matches
from typing import NoReturn

SHOWN_MAX = 60
"""Characters of a bad value that are shown; more would hide the message."""


class ConfigError(ValueError):
    """A table's files cannot be used. `problems` has one text for each thing to mend; nothing was started."""

    def __init__(self, problems: tuple[str, ...]) -> None:
        self.problems = problems
        head = (
            "The configuration cannot be used:"
            if len(problems) == 1
            else (f"The configuration cannot be used, {len(problems)} things are wrong:")
        )
        super().__init__("\n  - ".join((head, *problems)))


class Report:
    """Collects problems and warnings of all files of one table."""

    def __init__(self) -> None:
        self._problems: list[str] = []
        self._warnings: list[str] = []

    @property
    def warnings(self) -> tuple[str, ...]:
        """What does not stop the start but somebody should know."""
        return tuple(self._warnings)

    def refuse(self, text: str) -> None:
        """Add a problem."""
        self._problems.append(text)

    def warn(self, text: str) -> None:
        """Add a warning."""
        self._warnings.append(text)

    def settle(self) -> None:
        """Raise `ConfigError` if there has been any problem; what follows may rely on what was checked."""
        if self._problems:
            self.fail()

    def fail(self) -> NoReturn:
        """Raise `ConfigError` with the problems so far."""
        raise ConfigError(tuple(self._problems))


def shown(value: object) -> str:
    """Write a value as it stood in the file, in ASCII and not too long."""
    match value:
        case bool():
            return str(value).lower()
        case str():
            text = '"' + value.encode("unicode_escape").decode("ascii") + '"'
        case dict():
            return "a table [...]"
        case _:
            text = ascii(value)
    return text if len(text) <= SHOWN_MAX else text[:SHOWN_MAX] + "..."


def folded(text: str) -> str:
    """A text without its accents, for a message."""
    plain = "".join(
        letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter)
    )
    return plain.encode("ascii", "backslashreplace").decode("ascii")


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """` Did you mean "x"?` for the known name nearest to `name`, else what there is to choose from."""
    choices = sorted(known)
    near = get_close_matches(name.lower(), choices, n=1, cutoff=0.6)
    if near:
        return f' Did you mean "{near[0]}"?'
    return f" Known here: {', '.join(choices)}." if choices else ""
