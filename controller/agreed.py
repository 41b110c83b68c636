"""Whether a table's files say what both key holders agreed to: the rules it plays by, and the board it plays on.

An edited file is told value by value. The rules and the board in force stand in the state as digests, so that a start
that finds no difference reads no more than the last record.
"""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from controller.administer import differences, flat_differences, rules_in_force
from controller.config import Settings, board_digest, board_written, game_digest
from controller.core import events as ev
from controller.core.state import Table
from controller.journal.errors import damaged
from controller.journal.read import newest_first

_TELLING = ("parameters_changed", "journal_recovered", "commissioned")


def agreed(settings: Settings, table: Table) -> bool:
    """Whether rules and board of the files are those of the table's last record."""
    return table.game == game_digest(settings.game) and table.board == board_digest(settings)


def changes_of(settings: Settings, table: Table) -> tuple[ev.Change, ...]:
    """What the files say otherwise than was agreed to, old and new value: of the rules, then of the board.

    Empty where they agree. A board that the journal does not tell is named whole. Raises the journal's errors.
    """
    found = differences(rules_in_force(settings.journal), settings.game)
    if table.board == board_digest(settings):
        return found
    new = msgspec.json.decode(board_written(settings), type=dict[str, object])
    return found + flat_differences({"board": board_in_force(settings.journal)}, {"board": new})


def board_in_force(journal: Path) -> Mapping[str, object]:
    """The board the table plays on, as the newest record that names one has it; empty where none does."""
    for record in newest_first(journal, _TELLING):
        event = record.event
        refused = any(isinstance(result, ev.Refused) for result in record.results)
        if isinstance(event, ev.ParametersChanged | ev.JournalRecovered | ev.Commissioned) and not refused:
            wiring = event.wiring
            if wiring:
                return _decoded(wiring, journal)
    return {}


def _decoded(wiring: str, journal: Path) -> Mapping[str, object]:
    try:
        return msgspec.json.decode(wiring, type=dict[str, object])
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise damaged(journal, f"the board in force cannot be read: {error}") from error
