"""To what kind of board a journal is bound: a simulated one is never put over the history of a real table.

Otherwise whoever may edit a table's file could turn its keys from a terminal.
"""

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

from controller.config import Settings, names_simulated
from controller.core import events as ev
from controller.journal import JournalError
from controller.journal.read import last_row, page, reader
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
    the history, its witness: a simulated board is refused over one with pins, for it has no key switches to turn. It
    reads two records: which board a journal is on stands in each state, so that a start costs the same after years.
    """
    told = [*_told(settings.journal), *(names_simulated(board) for board in boards if board)]
    if is_simulated(settings):
        if not all(told):
            raise _put_over(settings)
    elif any(told):
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


def _told(journal: Path) -> Iterator[bool]:
    """Whether record 1, and the last one's state, are of a simulated board; what cannot be read says nothing."""
    with suppress(JournalError, RowError):
        first = decode(*page(journal, 0, 1)).event
        if isinstance(first, ev.Commissioned | ev.JournalRecovered) and first.simulated is not None:
            yield first.simulated
    with suppress(JournalError, RowError), reader(journal) as connection:
        row = last_row(connection)
        board = "" if row is None else decode(row).state.board
        if board:
            yield names_simulated(board)
