"""Errands: the table keeps what is being done with the stick, for its screen and for whoever does it."""

from typing import assert_never

from msgspec.structs import replace

from controller.core import events as ev
from controller.core.game import Game
from controller.core.state import Doing, Table
from controller.core.table.gate import Outcome, gate, refuse

_NOTED: tuple[ev.AnyResult, ...] = (ev.Noted(),)


def errand(game: Game, table: Table, event: ev.UpdateAsked | ev.BackupAsked | ev.ErrandEnded) -> Outcome:
    """One is asked for, or over."""
    if isinstance(event, ev.ErrandEnded):
        return _ended(table, event)
    return _asked(game, table, event)


def _asked(game: Game, table: Table, event: ev.UpdateAsked | ev.BackupAsked) -> Outcome:
    """One at a time; what became of one before is forgotten."""
    refusal = gate(game, table, event)
    if refusal is not None:
        return refuse(table, refusal)
    if table.doing is not None and table.doing.became is None:
        return refuse(table, ev.Refusal.ERRAND_UNDER_WAY)
    return replace(table, doing=Doing(_which(event), event.at_ns), refusal=None), _NOTED


def _ended(table: Table, event: ev.ErrandEnded) -> Outcome:
    """It is over, if it is the one that was asked for last: an older one is only noted."""
    doing = table.doing
    if doing is None or (doing.errand, doing.asked_ns) != (event.errand, event.asked_ns):
        return table, _NOTED
    return replace(table, doing=replace(doing, became=event.became)), _NOTED


def _which(event: ev.UpdateAsked | ev.BackupAsked) -> ev.Errand:
    """Which errand an act asks for."""
    match event:
        case ev.UpdateAsked():
            return ev.Errand.UPDATE
        case ev.BackupAsked():
            return ev.Errand.BACKUP
        case _:
            assert_never(event)
