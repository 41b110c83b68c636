"""Errands with the stick: the table asks by one file, and is told by another what became of it.

It asks in `pozo/asked-ERRAND`, which the service manager watches; the answer stands in `pozo-ERRAND/answer.json`, a
place where only whoever does the errand can write (`pozo errand`). Both folders lie in memory: looking at them never
waits for a medium, and what stands there ends with the boot.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final, Protocol

import msgspec

from controller.core.events import BackupAsked, Became, Errand, ErrandEnded, Refused, UpdateAsked
from controller.inbox import Act
from controller.journal import Entry

PLACE: Final = Path("/run")
"""Where the appliance has both folders."""

LOOK_NS: Final = 1_000_000_000
"""How often an answer is looked for."""

BEGIN_NS: Final = 180_000_000_000
"""Nobody has begun by then: there is nobody. A first start on a slow card takes seconds."""

END_NS: Final = 3 * 3_600_000_000_000
"""What has not ended by then is not waited for any more; its unit's own limit is shorter."""

NOTE_MOST: Final = 300
"""Characters of a note that are kept in the journal."""

BYTES_MOST: Final = 4096


class Answer(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is said of the errand that was asked for at `asked_ns`; `became` is None while it is under way."""

    asked_ns: int
    became: Became | None = None
    note: Annotated[str, msgspec.Meta(max_length=NOTE_MOST)] = ""


class Errands(Protocol):
    """Who does errands for a table."""

    def ask(self, errand: Errand, at_ns: int) -> None:
        """Have it done; the record of it is stored."""

    def look(self, now_ns: int) -> list[Act]:
        """What has ended since the last look. Never waits."""


class NoErrands:
    """A machine with nobody for it: whoever asks is told so."""

    def __init__(self) -> None:
        self._asked: list[tuple[Errand, int]] = []

    def ask(self, errand: Errand, at_ns: int) -> None:
        """Remember whom to tell."""
        self._asked.append((errand, at_ns))

    def look(self, now_ns: int) -> list[Act]:
        """Nobody does it."""
        asked, self._asked = self._asked, []
        return [Act(ErrandEnded(now_ns, errand, at_ns, Became.NOBODY)) for errand, at_ns in asked]


class _Waiting(msgspec.Struct):
    asked_ns: int
    begun: bool = False
    failed: str = ""


class Runners:
    """Asks the service manager's units, through files under `place`."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._waiting: dict[Errand, _Waiting] = {}
        self._look_ns = 0

    def ask(self, errand: Errand, at_ns: int) -> None:
        """Write what is watched; that it cannot be written is told with the next look."""
        self._waiting[errand] = waiting = _Waiting(at_ns)
        self._look_ns = 0
        try:
            asked_file(self._place, errand).write_text(f"{at_ns}\n", encoding="ascii")
        except OSError as error:
            waiting.failed = f"{asked_file(self._place, errand)} cannot be written: {error.strerror}"

    def look(self, now_ns: int) -> list[Act]:
        """Read the answers to what was asked."""
        if not self._waiting or now_ns < self._look_ns:
            return []
        self._look_ns = now_ns + LOOK_NS
        told = []
        for errand, waiting in tuple(self._waiting.items()):
            ended = self._ended(errand, waiting, now_ns)
            if ended is not None:
                del self._waiting[errand]
                told.append(Act(ended))
        return told

    def _ended(self, errand: Errand, waiting: _Waiting, now_ns: int) -> ErrandEnded | None:
        def became(what: Became, note: str) -> ErrandEnded:
            return ErrandEnded(now_ns, errand, waiting.asked_ns, what, note)

        if waiting.failed:
            return became(Became.FAILED, waiting.failed)
        try:
            answer = answered(self._place, errand)
        except (OSError, msgspec.MsgspecError, UnicodeError) as error:
            return became(Became.FAILED, f"its answer cannot be read: {error}"[:NOTE_MOST])
        if answer is not None and answer.asked_ns == waiting.asked_ns:
            waiting.begun = True
            if answer.became is not None:
                return became(answer.became, answer.note)
        waited_ns = now_ns - waiting.asked_ns
        if not waiting.begun and waited_ns >= BEGIN_NS:
            return became(Became.NOBODY, "")
        if waited_ns >= END_NS:
            return became(Became.FAILED, "it did not end in time")
        return None


def hand_on(errands: Errands, entries: Sequence[Entry]) -> None:
    """Have done what stored records ask for."""
    for entry in entries:
        doing = entry.state.doing
        asks = isinstance(entry.event, UpdateAsked | BackupAsked)
        if asks and doing is not None and not any(isinstance(result, Refused) for result in entry.results):
            errands.ask(doing.errand, doing.asked_ns)


def asked_file(place: Path, errand: Errand) -> Path:
    """The file that is watched."""
    return place / "pozo" / f"asked-{errand}"


def answer_file(place: Path, errand: Errand) -> Path:
    """The file that is answered in."""
    return place / f"pozo-{errand}" / "answer.json"


def answered(place: Path, errand: Errand) -> Answer | None:
    """What stands there, None while there is nothing. Raises `OSError`, and msgspec's errors for what is no answer."""
    try:
        with answer_file(place, errand).open("rb") as file:
            return msgspec.json.decode(file.read(BYTES_MOST), type=Answer)
    except FileNotFoundError:
        return None
