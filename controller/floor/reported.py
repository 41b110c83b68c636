"""What tables reported, read as what it claims to be: a table's login can report texts that are nothing of the kind.

Whoever reads for many tables catches `UnreadableError` for each, so that one of them cannot keep the others' from him.
"""

from typing import Final, TypeVar

import msgspec

from controller.core.game import Game, Hand
from controller.core.state import Table
from controller.floor.errors import UnreadableError
from controller.floor.office import Office

MOST: Final = 10**30
"""The floor's own amounts stay below (`pozo.whole`); a state that holds more is made up."""

_Claimed = TypeVar("_Claimed", Game, Table)


def state_at(office: Office, table_id: str, seq: int) -> Table:
    """The table after a record, by the floor's number. Raises `UnreadableError`."""
    rows = office.rows("SELECT state FROM pozo.records WHERE table_id = %s AND seq = %s", table_id, seq)
    return read(rows[0][0] if rows else None, Table, f"the state in record {seq}")


def game_at(office: Office, table_id: str, seq: int | None = None) -> Game:
    """The rules in force at a record, by the floor's number; at the newest of all unless said.

    Raises `UnreadableError`, also where no record up to there named any.
    """
    rows = office.rows(
        "SELECT rules FROM pozo.parameters WHERE table_id = %s AND seq <= coalesce(%s, seq) ORDER BY seq DESC LIMIT 1",
        table_id,
        seq,
    )
    where = "its newest record" if seq is None else f"record {seq}"
    return read(rows[0][0] if rows else None, Game, f"what it reported as rules in force at {where}")


def hand(name: object) -> Hand:
    """A hand by the name that a record gives it. Raises `UnreadableError`."""
    try:
        return Hand(str(name))
    except ValueError as error:
        raise UnreadableError(f"{name!r} is no hand") from error


def read(text: object, kind: type[_Claimed], what: str) -> _Claimed:
    """A reported text as what it claims to be. Raises `UnreadableError`; `what` names it for the reader."""
    if text is None:
        raise UnreadableError(f"{what}: there is none")
    try:
        return msgspec.json.decode(str(text), type=kind)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise UnreadableError(f"{what} cannot be read by this program ({error})") from error
