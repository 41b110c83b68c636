"""States that no event of play leads to: a table's very first one, and one that two persons bring back."""

from msgspec.structs import replace

from controller.core import pot as pots
from controller.core.events import Commissioned, CorrectionMade, PhaseChanged, Recovered
from controller.core.game import Game
from controller.core.punto.state import Punto
from controller.core.state import Level, Phase, Seat, Table
from controller.core.table.gate import Outcome, bets


def commission(game: Game, event: Commissioned) -> Outcome:
    """Begin a table's history with both keys; `event.game` is the digest of `game`."""
    return _new(game, event.game), (PhaseChanged(Phase.CLOSED),)


def recovered(table: Table) -> Outcome:
    """Go on with a state that was found in a journal or a witness, exactly as it stands there."""
    return table, (Recovered(table.phase, bets(table)),)


def on_paper(
    game: Game, digest: str, amounts: tuple[int, ...], *, round_number: int, last_award: int
) -> Outcome:
    """Begin again, closed, with the amounts two persons read from paper: minor units, in the order of the levels.

    `digest` is that of `game`.
    What an amount differs from its level's base amount is a correction, so that no unit is unexplained. The rounds
    go on with `round_number`, the award slips after `last_award`. Raises `ValueError` for what cannot be.
    """
    if round_number < 1 or last_award < 0:
        raise ValueError(f"round {round_number}, last award {last_award}: rounds count from 1, awards from 0")
    table = replace(_new(game, digest), round=round_number, awards_made=last_award)
    told: list[CorrectionMade] = []
    levels: list[Level] = []
    for rules, level, amount in zip(game.levels, table.pot.levels, amounts, strict=True):
        if not 0 <= amount <= rules.limit:
            raise ValueError(
                f"level {rules.name}: {amount} minor units; it takes 0 to its limit, {rules.limit}"
            )
        levels.append(pots.correct(level, amount))
        told.append(CorrectionMade(rules.name, level.current, amount))
    after = replace(table, pot=replace(table.pot, levels=tuple(levels)))
    return after, (Recovered(after.phase, 0), *told)


def _new(game: Game, digest: str) -> Table:
    return Table(
        game=digest,
        phase=Phase.CLOSED,
        seats=tuple(Seat() for _ in range(game.seats)),
        pot=pots.commissioned(game),
        punto=None if game.punto is None else Punto(),
    )
