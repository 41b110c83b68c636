"""A table's very first state: closed, empty, each level at its base amount."""

from controller.core import pot as pots
from controller.core.events import Commissioned, PhaseChanged
from controller.core.game import Game
from controller.core.punto.state import Punto
from controller.core.state import Phase, Seat, Table
from controller.core.table.gate import Outcome


def commission(game: Game, event: Commissioned) -> Outcome:
    """Begin a table's history with both keys; `event.game` is the digest of `game`."""
    table = Table(
        game=event.game,
        phase=Phase.CLOSED,
        seats=tuple(Seat() for _ in range(game.seats)),
        pot=pots.commissioned(game),
        punto=None if game.punto is None else Punto(),
    )
    return table, (PhaseChanged(Phase.CLOSED),)
