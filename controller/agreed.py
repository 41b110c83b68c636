"""Whether a table's files say what both key holders agreed to: the rules it plays by, its board, and its terms.

An edited file is told value by value. Rules, board and terms in force stand in the state as digests, so that a start
that finds no difference reads no more than the last record.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

import msgspec

from controller.administer import differences, flat_differences, rules_in_force
from controller.config import (
    Settings,
    board_digest,
    board_written,
    game_digest,
    terms_digest,
    terms_written,
)
from controller.core import events as ev
from controller.core.state import Table
from controller.journal.errors import damaged
from controller.journal.read import newest_first

_TELLING = ("parameters_changed", "journal_recovered", "commissioned")
_Telling = ev.ParametersChanged | ev.JournalRecovered | ev.Commissioned


def agreed(settings: Settings, table: Table) -> bool:
    """Whether rules, board and terms of the files are those of the table's last record."""
    return (table.game, table.board, table.house) == (
        game_digest(settings.game),
        board_digest(settings),
        terms_digest(settings),
    )


def changes_of(settings: Settings, table: Table) -> tuple[ev.Change, ...]:
    """What the files say otherwise than was agreed to, old and new value: of the rules, of the board, of the terms.

    Empty where they agree. A board or terms that the journal does not tell are named whole. Raises the journal's
    errors.
    """
    found = differences(rules_in_force(settings.journal), settings.game)
    if table.board != board_digest(settings):
        board = _read(board_written(settings))
        found += flat_differences({"board": board_in_force(settings.journal)}, {"board": board})
    if table.house != terms_digest(settings):
        found += flat_differences(terms_in_force(settings.journal), _read(terms_written(settings)))
    return found


def board_in_force(journal: Path) -> Mapping[str, object]:
    """The board the table plays on, as the newest record that names one has it; empty where none does."""
    return _newest(journal, "board", lambda event: event.wiring)


def terms_in_force(journal: Path) -> Mapping[str, object]:
    """What was agreed to beside rules and board, as the newest record that names it has it; empty where none does."""
    return _newest(journal, "terms", lambda event: event.terms)


def _newest(journal: Path, what: str, named: Callable[[_Telling], str]) -> Mapping[str, object]:
    for record in newest_first(journal, _TELLING):
        event = record.event
        if isinstance(event, _Telling) and not record.refused and named(event):
            try:
                return _read(named(event))
            except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
                raise damaged(journal, f"the {what} in force cannot be read: {error}") from error
    return {}


def _read(text: str) -> Mapping[str, object]:
    return msgspec.json.decode(text, type=dict[str, object])
