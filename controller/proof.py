"""Proof of an award: how the amount came about, movement by movement since its level last began.

Computed from the journal alone: each record's pot before and after, explained by what the record says. A movement
that nothing explains is shown as such; it is what an auditor looks for.
"""

from pathlib import Path
from typing import NamedTuple

from controller.core import events as ev
from controller.core.state import Table
from controller.earlier import before_recovery
from controller.journal import Record, records
from controller.journal.read import ends, reader, row_at
from controller.signing.standing import prove_whole


class Movement(NamedTuple):
    """One change of a level: the record, what it was, by how many minor units, and the level after it."""

    seq: int
    wall_ns: int
    kind: str
    by: int
    current: int


class Proof(NamedTuple):
    """An award and every movement of its level from its beginning to the award's own record; none for a bonus."""

    award: ev.AwardApproved
    record: int
    movements: tuple[Movement, ...]
    unexplained: int
    """Minor units of change that no record explains: 0 in an honest journal."""
    of_link: bool = False
    """The pot is shared: its movements are at the floor, which keeps with each claim up to which records they go."""


class ProofError(LookupError):
    """There is no such award in this journal."""


def proof(journal: Path, number: int) -> Proof:
    """Prove award `number`. Raises `ProofError`, and the journal's errors."""
    with reader(journal) as connection:
        prove_whole(connection, journal, ends(connection, journal).first)
    level, seq, bonus = _found(journal, number)
    if level is None:
        return Proof(bonus, seq, (), 0)
    if _of_link(journal, seq):
        return Proof(bonus, seq, (), 0, of_link=True)
    movements: list[Movement] = []
    before: Table | None = None
    for record in records(journal):
        fresh = _movements(record, before, level)
        award = _award(record, number)
        if award is not None:
            # Awards served before it in the same record belong to its history; those after it do not.
            own = next(index for index, each in enumerate(fresh) if each.kind == f"award {number}")
            movements += fresh[: own + 1]
            return Proof(award, record.seq, tuple(movements), _unexplained(movements))
        for movement in fresh:
            if movement.kind == "reset":
                movements.clear()
                movement = movement._replace(by=movement.current)  # noqa: PLW2901, history begins with what is there
            movements.append(movement)
        before = record.state
    raise ProofError(before_recovery(journal, number) or f"{journal} has no award {number}")


def _found(journal: Path, number: int) -> tuple[str | None, int, ev.AwardApproved]:
    for record in records(journal):
        award = _award(record, number)
        if award is not None:
            return award.level, record.seq, award
    raise ProofError(before_recovery(journal, number) or f"{journal} has no award {number}")


def _of_link(journal: Path, seq: int) -> bool:
    with reader(journal) as connection:
        row = row_at(connection, seq)
    return row is not None and row[5] == "claim_answered"


def _award(record: Record, number: int) -> ev.AwardApproved | None:
    for result in record.results:
        if isinstance(result, ev.AwardApproved) and result.number == number:
            return result
    return None


def _movements(record: Record, before: Table | None, level: str) -> list[Movement]:
    current = 0 if before is None else _current(before, level)
    found: list[Movement] = []
    for kind, by in _explained(record, before, level):
        current += by
        found.append(Movement(record.seq, record.wall_ns, kind, by, current))
    rest = _current(record.state, level) - current
    if rest:
        found.append(Movement(record.seq, record.wall_ns, "UNEXPLAINED", rest, current + rest))
    return found


def _explained(record: Record, before: Table | None, level: str) -> list[tuple[str, int]]:
    if before is None or not any(each.name == level for each in before.pot.levels):
        return [("begins", _current(record.state, level))]
    found: list[tuple[str, int]] = []
    for result in record.results:
        match result:
            case ev.PotRaised(level=name, by=by) if name == level and by:
                found.append(("wagers", by))
            case ev.AwardApproved(level=name) if name == level:
                found.append((f"award {result.number}", -result.from_pot))
            case ev.PotReset(level=name) if name == level:
                found.append(("reset", result.current - result.left))
            case ev.CorrectionMade(level=name) if name == level:
                found.append(("correction", result.after - result.before))
            case ev.TransferMade(level=name, by=by) if name == level:
                found.append(("transfer", by))
            case _:
                continue
    return found


def _current(table: Table, level: str) -> int:
    return next((each.current for each in table.pot.levels if each.name == level), 0)


def _unexplained(movements: list[Movement]) -> int:
    return sum(abs(movement.by) for movement in movements if movement.kind == "UNEXPLAINED")
