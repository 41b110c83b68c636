"""What a watcher of a drilled table is told: what goes to its medium, its hardware and its lines.

The soak's checkers (`controller.soak.checks`) are one; a drill without `audit` has none. Nothing here is the
program's own word: rows are caught on their way to the medium, outputs and edges at the hardware.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

Row = Sequence[Any]
"""A record as it goes to the medium, ten columns."""


class Watcher(Protocol):
    """Whoever looks on. Nothing here may raise: it is called from within the program."""

    def offered(self, rows: Sequence[Row]) -> None:
        """These rows are about to be written; nothing of them counts yet."""

    def stored(self, rows: Sequence[Row]) -> None:
        """The write of these rows has returned: they are durable, or the medium lied."""

    def witnessed(self) -> None:
        """A slot of the second copy was written, and is durable."""

    def failed(self) -> None:
        """A write was refused: until one succeeds nothing may be taken."""

    def flush_failed(self) -> None:
        """Something is to be written though a flush of this process has failed."""

    def waking(self, journal: Path) -> None:
        """The power comes back on this journal, or a process does; nobody has it open now."""

    def stranded(self, why: str) -> None:
        """The program came up out of service: journal and witness do not agree."""

    def rotten(self, state: Mapping[str, Any]) -> None:
        """The program came up on damaged files, and takes this for its table."""

    def edited(self, what: str) -> None:
        """The program came up with values of a file that nobody has accepted."""

    def switching(self, line: str, *, on: bool, at_ns: int) -> None:
        """An output is about to change."""

    def looked(self, at_ns: int) -> None:
        """The program read its lines: it is alive."""

    def edge(self, line: str, *, active: bool, at_ns: int, told: bool) -> None:
        """A line changed; `told`: the program got the edge."""


class Unwatched:
    """Nobody looks on."""

    def offered(self, rows: Sequence[Row]) -> None:
        """See `Watcher.offered`."""

    def stored(self, rows: Sequence[Row]) -> None:
        """See `Watcher.stored`."""

    def witnessed(self) -> None:
        """See `Watcher.witnessed`."""

    def failed(self) -> None:
        """See `Watcher.failed`."""

    def flush_failed(self) -> None:
        """See `Watcher.flush_failed`."""

    def waking(self, journal: Path) -> None:
        """See `Watcher.waking`."""

    def stranded(self, why: str) -> None:
        """See `Watcher.stranded`."""

    def rotten(self, state: Mapping[str, Any]) -> None:
        """See `Watcher.rotten`."""

    def edited(self, what: str) -> None:
        """See `Watcher.edited`."""

    def switching(self, line: str, *, on: bool, at_ns: int) -> None:
        """See `Watcher.switching`."""

    def looked(self, at_ns: int) -> None:
        """See `Watcher.looked`."""

    def edge(self, line: str, *, active: bool, at_ns: int, told: bool) -> None:
        """See `Watcher.edge`."""
