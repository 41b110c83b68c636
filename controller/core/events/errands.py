"""Errands: what a person at the table asks the machine to do with the stick, and what became of it.

The table only asks and is told; whoever does it looks at the table's last record before he begins.
"""

from enum import StrEnum

from controller.core.events.base import Event


class Errand(StrEnum):
    """What can be asked for."""

    UPDATE = "update"
    BACKUP = "backup"


class Became(StrEnum):
    """What became of it. `NOBODY`: this machine has nobody who does it, or he did not begin."""

    DONE = "done"
    NO_STICK = "no_stick"
    NO_FILE = "no_file"
    REFUSED = "refused"
    FAILED = "failed"
    NOBODY = "nobody"


class UpdateAsked(Event, frozen=True):
    """The technician asks for the update on the stick; the board starts anew if it is taken."""


class BackupAsked(Event, frozen=True):
    """Both keys ask for a backup onto the stick."""


class ErrandEnded(Event, frozen=True):
    """An errand that was asked for at `asked_ns` is over. `note`: in the machine's own words, for the record."""

    errand: Errand
    asked_ns: int
    became: Became
    note: str = ""
