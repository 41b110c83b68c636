"""To what kind of board a journal is bound: a simulated one is never put over the history of a real table.

Otherwise whoever may edit a table's file could turn its keys from a terminal.
"""

from collections.abc import Iterable
from pathlib import Path

from controller.config import Settings, names_simulated
from controller.core import events as ev
from controller.journal import JournalError
from controller.journal.read import newest_first, page
from controller.journal.record import RowError, decode
from hal.interface import Factory


class OtherBoardError(RuntimeError):
    """The file names a simulated board over a real table's history, or a real one over a simulated table's."""


def is_simulated(settings: Settings) -> bool:
    """Whether the table's board has no hardware."""
    return settings.wiring.factory is Factory.SIMULATED


def refuse_other_board(settings: Settings, boards: Iterable[str] = ()) -> None:
    """Refuse a board of the other kind than the history was made on. Raises `OtherBoardError`; nothing is written.

    A journal that cannot be read binds nothing here. `boards` are the digests of the boards in what else is left of
    the history, its witness: a simulated board is refused over one with pins, for it has no key switches to turn.
    """
    if is_simulated(settings):
        if _says(settings.journal, simulated=False) or any(
            board and not names_simulated(board) for board in boards
        ):
            raise _put_over(settings)
    elif _says(settings.journal, simulated=True) or any(names_simulated(board) for board in boards):
        raise OtherBoardError(
            f"{settings.journal} or its witness was begun or brought back on a simulated board, which has no key "
            f"switches: nobody turned a key for that, whoever it names, so table {settings.table_id} does not play on "
            "it. Nothing was changed. Keep it as it is for whoever asks who did this, put the table's own journal and "
            "witness back and, where they do not agree, bring it back on its own board: `pozo recover`"
        )


def _put_over(settings: Settings) -> OtherBoardError:
    return OtherBoardError(
        f"{settings.source} names a simulated board, and {settings.journal} or its witness is the history of table "
        f"{settings.table_id} on another one: a simulated board has no key switches, so it may not write there. "
        "Nothing was changed. Name the table's own board in [board]; to try something out, give the simulated table "
        "a journal and a witness of its own."
    )


def _says(journal: Path, *, simulated: bool) -> bool:
    """Whether record 1 or a recovery says so; what cannot be read says nothing."""
    return any(
        event.simulated is simulated
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
