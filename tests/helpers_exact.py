"""What an act changes, and that it changes nothing else: the table after it and all that is told, compared whole."""

from collections.abc import Mapping

from msgspec.structs import replace

from controller.core import events as ev
from controller.core.events import Refusal
from controller.core.game import Game
from controller.core.invariants import check
from controller.core.state import Table
from controller.core.table import step
from tests.helpers_game import GAME

NOTED = ev.Noted()


def shown(table: Table, reason: Refusal = Refusal.NO_WAGER, /, **values: object) -> Table:
    """The table with an older refusal still on its screen, and other values beside it."""
    return replace(table, refusal=reason, **values)


def with_seats(table: Table, seats: Mapping[int, Mapping[str, object]]) -> Table:
    """The table with other values at some seats, by number from 1."""
    changed = (replace(seat, **seats.get(number, {})) for number, seat in enumerate(table.seats, 1))
    return replace(table, seats=tuple(changed))


def each(*numbers: int, **values: object) -> dict[int, dict[str, object]]:
    """The same values for several seats."""
    return dict.fromkeys(numbers, values)


def becomes(
    before: Table, event: ev.AnyEvent, after: Table, *told: ev.AnyResult, game: Game = GAME, law: bool = True
) -> None:
    """Assert that the event makes exactly this of the table, and tells exactly this."""
    found, results = step(game, before, event)
    assert results == told
    assert found == after
    if law:
        check(game, before, found, results)


def refuses(
    before: Table, event: ev.AnyEvent, reason: Refusal, *, game: Game = GAME, detail: str = ""
) -> None:
    """Assert that the event is refused for this reason, which is all that changes."""
    becomes(before, event, replace(before, refusal=reason), ev.Refused(reason, detail), game=game, law=False)
