"""States that no event of play leads to: a table's very first one, and one that two persons bring back."""

from typing import NamedTuple

from msgspec.structs import replace

from controller.core import pot as pots
from controller.core.events import Commissioned, CorrectionMade, PhaseChanged, Recovered
from controller.core.game import Game
from controller.core.punto.state import Punto
from controller.core.state import Award, Level, Phase, Seat, Table
from controller.core.table.claims import UNPAID_MAX
from controller.core.table.gate import Outcome, bets, with_links
from controller.core.table.parameters import TRANSFERS_MAX


class Remembered(NamedTuple):
    """What a table that begins again from paper must not forget: what it owes, took in, whom it knows, board, terms."""

    unpaid: tuple[Award, ...] = ()
    received: tuple[str, ...] = ()
    users: int = 0
    board: str = ""
    house: str = ""


def commission(game: Game, event: Commissioned) -> Outcome:
    """Begin a table's history with both keys; `event.game` is the digest of `game`."""
    table, told = with_links(game, replace(_new(game, event.game), board=event.board, house=event.house))
    return table, (PhaseChanged(Phase.CLOSED), *told)


def recovered(table: Table) -> Outcome:
    """Go on with a state that was found in a journal or a witness, exactly as it stands there."""
    return table, (Recovered(table.phase, bets(table)),)


def on_paper(
    game: Game,
    digest: str,
    amounts: tuple[int, ...],
    *,
    round_number: int,
    last_award: int,
    remembered: Remembered = Remembered(),  # noqa: B008, a tuple of nothing that nobody can change
) -> Outcome:
    """Begin again, closed, with the amounts two persons read from paper: minor units, in the order of the levels.

    `digest` is that of `game`.
    What an amount differs from its level's base amount is a correction, so that no unit is unexplained. The rounds
    go on with `round_number`, the award slips after `last_award`; `remembered` is taken over as it is. Raises
    `ValueError` for what cannot be.
    """
    if round_number < 1 or last_award < 0:
        raise ValueError(f"round {round_number}, last award {last_award}: rounds count from 1, awards from 0")
    table = replace(
        _new(game, digest),
        round=round_number,
        awards_made=last_award,
        awards=_owed(game, remembered.unpaid),
        received=_taken(remembered.received),
        users=remembered.users,
        board=remembered.board,
        house=remembered.house,
    )
    told: list[CorrectionMade] = []
    levels: list[Level] = []
    for rules, level, amount in zip(game.levels, table.pot.levels, amounts, strict=True):
        most = rules.limit if rules.link is None else 0
        if not 0 <= amount <= most:
            where = "its limit" if rules.link is None else "for a linked pot is at the floor"
            raise ValueError(f"level {rules.name}: {amount} minor units; it takes 0 to {most}, {where}")
        levels.append(pots.correct(level, amount))
        told.append(CorrectionMade(rules.name, level.current, amount))
    after, unknown = with_links(game, replace(table, pot=replace(table.pot, levels=tuple(levels))))
    return after, (Recovered(after.phase, 0), *told, *unknown)


def _owed(game: Game, unpaid: tuple[Award, ...]) -> tuple[Award, ...]:
    levels = {None, *(level.name for level in game.levels)}
    for award in unpaid:
        fits = (
            award.level in levels and 1 <= award.seat <= game.seats and award.amount > 0 and award.number > 0
        )
        if not fits or award.paid:
            raise ValueError(f"unpaid award {award.number}: this table has no such seat, level or amount")
    if len(unpaid) > UNPAID_MAX:
        raise ValueError(f"{len(unpaid)} unpaid awards; a table has {UNPAID_MAX} at most")
    return unpaid


def _taken(received: tuple[str, ...]) -> tuple[str, ...]:
    if len(received) > TRANSFERS_MAX:
        raise ValueError(
            f"{len(received)} transfers were taken in; a table takes {TRANSFERS_MAX} in its life"
        )
    return received


def _new(game: Game, digest: str) -> Table:
    return Table(
        game=digest,
        phase=Phase.CLOSED,
        seats=tuple(Seat() for _ in range(game.seats)),
        pot=pots.commissioned(game),
        punto=None if game.punto is None else Punto(),
    )
