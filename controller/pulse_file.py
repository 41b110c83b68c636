"""The last pulses of every line in a small file beside the journal, for a console in another process.

It is a technician's help and no evidence: it is written a few seconds late, never flushed, and lost with the power.
"""

import logging
from collections.abc import Mapping
from pathlib import Path

import msgspec

from controller.inputs.pulses import Pulse

LOG = logging.getLogger(__name__)
EVERY_NS = 5_000_000_000
"""How often a running table writes it, and only after a pulse."""
BYTES_MOST = 1 << 20
"""What is read of it; a table of twenty lines writes some twenty kilobytes."""

Kept = Mapping[str, tuple[Pulse, ...]]


def path_of(journal: Path) -> Path:
    """Where the pulses of a journal's table are."""
    return journal.with_name(f"{journal.name}.pulses")


def read(journal: Path) -> Kept:
    """The pulses a program last wrote, newest first, line by line; none where there are none or they are spoilt."""
    try:
        with path_of(journal).open("rb") as file:
            return msgspec.json.decode(file.read(BYTES_MOST), type=dict[str, tuple[Pulse, ...]])
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.DecodeError, UnicodeError, RecursionError) as error:
        LOG.warning("%s cannot be read: %s", path_of(journal), error)
        return {}


class PulseFile:
    """Writes the pulses of one table now and then. What fails is said in the log and tried again later."""

    def __init__(self, journal: Path) -> None:
        self._path = path_of(journal)
        self._written: Kept = {}
        self.due_ns = 0

    def keep(self, pulses: Kept, now_ns: int) -> None:
        """Write the pulses if there are others than last time; `due_ns` says when to come again."""
        self.due_ns = now_ns + EVERY_NS
        if pulses == self._written:
            return
        draft = self._path.with_name(self._path.name + ".new")
        try:
            draft.write_bytes(msgspec.json.encode(pulses))
            draft.replace(self._path)
        except OSError as error:
            LOG.warning("%s cannot be written: %s", self._path, error)
            return
        self._written = pulses
