"""Whether a bundle may be put in now: never in play, never without the technician, never backwards."""

from controller.config import Settings
from controller.core.events import Key
from controller.core.state import Phase
from controller.core.table.presence import present
from controller.journal import NotCommissionedError, Record, ends_of, reader, schema
from controller.updating.bundle import Bundle, UpdateError
from controller.updating.trial import Trial


def last_of(settings: Settings) -> Record | None:
    """The journal's last record; None for a table that was never commissioned. Raises the journal's other errors."""
    try:
        return ends_of(settings.journal).last
    except NotCommissionedError:
        return None


def refuse_in_play(settings: Settings, last: Record | None, *, keys: bool = True) -> None:
    """Raise `UpdateError` unless the table is closed or in TEST, and the technician is there (`keys`).

    The technician's key alone makes TEST of a closed table: whoever comes to update it finds it so.
    """
    if last is None:
        return
    table = last.state
    if table.phase not in {Phase.CLOSED, Phase.TEST}:
        raise UpdateError(f"table {settings.table_id} is {table.phase}: close it first")
    if keys and not present(settings.game, table, Key.TECHNICIAN):
        raise UpdateError(
            f"the technician is not at table {settings.table_id}: turn the technician's key"
            f"{' and enter the PIN' if settings.game.pin else ''}"
        )


def refuse_unfit(bundle: Bundle, settings: Settings, built: int, tried: Trial | None) -> None:
    """Raise `UpdateError` for what goes backwards, and for what was tried and did not hold.

    `built`: when the running release's source was made, Unix seconds.
    """
    update = bundle.update
    if update.built <= built:
        raise UpdateError(f"version {update.version} is not newer than what runs")
    if settings.journal.exists():
        with reader(settings.journal) as connection:
            there = schema.version(connection)
        if update.journal < there:
            raise UpdateError(
                f"version {update.version} writes journals of format {update.journal} and this table's has {there}: "
                "an older program cannot go on with it"
            )
    if tried is not None and tried.digest == bundle.digest and not tried.held:
        raise UpdateError(
            f"version {update.version} was tried on this table and did not hold: the old one stays in force; "
            "get another bundle, or give --again"
        )
