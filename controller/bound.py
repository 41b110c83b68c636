"""To what kind of board a journal is bound: a simulated one is never put over the history of a real table.

Otherwise whoever may edit a table's file could turn its keys from a terminal.
"""

from pathlib import Path

from controller.config import Settings
from controller.core import events as ev
from controller.journal import JournalError
from controller.journal.read import newest_first, page
from controller.journal.record import RowError, decode
from hal.interface import Factory


class OtherBoardError(RuntimeError):
    """The file names a simulated board, and the journal is that of a real table."""


def is_simulated(settings: Settings) -> bool:
    """Whether the table's board has no hardware."""
    return settings.wiring.factory is Factory.SIMULATED


def refuse_simulated(settings: Settings) -> None:
    """Refuse a simulated board over the journal of a real one. Raises `OtherBoardError`; nothing is written.

    A journal that cannot be read binds nothing here: whoever then writes to it says what is wrong with it.
    """
    if not is_simulated(settings) or not _of_a_real_board(settings.journal):
        return
    raise OtherBoardError(
        f"{settings.source} names a simulated board, and {settings.journal} is the journal of table "
        f"{settings.table_id} on a real one: a simulated board has no key switches, so it may not write there. "
        "Nothing was changed. Name the table's own board in [board]; to try something out, give the simulated table "
        "a journal and a witness of its own."
    )


def _of_a_real_board(journal: Path) -> bool:
    """Whether record 1 or a recovery says so; what cannot be read says nothing."""
    return any(
        event.simulated is False
        for read in (_first, _recoveries)
        for event in read(journal)
        if isinstance(event, ev.Commissioned | ev.JournalRecovered)
    )


def _first(journal: Path) -> list[ev.AnyEvent]:
    try:
        return [decode(row).event for row in page(journal, 0, 1)]
    except (JournalError, RowError):
        return []


def _recoveries(journal: Path) -> list[ev.AnyEvent]:
    try:
        return [record.event for record in newest_first(journal, ("journal_recovered",))]
    except JournalError:
        return []
