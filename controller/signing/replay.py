"""Every record worked out anew: its state and results must be what the rules in force make of the state before it.

It knows the core's rules and the record, and no file. A chain and a law of money hold for any amounts somebody makes
up; this does not. Rules come from the records that name them, never from a configuration.
"""

from collections.abc import Iterator
from itertools import combinations

import msgspec
from msgspec.structs import replace

from controller.config import game_digest
from controller.core import events as ev
from controller.core.game import Game, Role
from controller.core.state import Table
from controller.core.table import Outcome, commission, step
from controller.core.table.gate import bets
from controller.journal import Finding, Flaw, Record


def rules_named(event: ev.AnyEvent) -> Game | None:
    """The rules that an event puts in force; None for one that names none, or none this program can read.

    Whether what it names by digest is what it holds is asked here too: rules under another's digest are none.
    """
    match event:
        case ev.Commissioned() | ev.JournalRecovered() | ev.ParametersChanged():
            try:
                game = msgspec.json.decode(event.rules, type=Game)
            except (msgspec.MsgspecError, UnicodeError, RecursionError):
                return None
            return game if game_digest(game) == event.game else None
        case _:
            return None


class Replay:
    """A `Watch` that keeps the table beside the journal. `recoveries`: records whose amounts two persons vouched for.

    With `game` it begins in the middle: the first record it is shown is taken as it stands, made under these rules.
    """

    def __init__(self, game: Game | None = None) -> None:
        self.recoveries: list[int] = []
        self._game = game
        self._before: Table | None = None

    def __call__(self, record: Record) -> Finding | None:
        """What the record says and the rules do not, or None."""
        detail = self._wrong(record)
        self._before = record.state
        return None if detail is None else Finding(record.seq, Flaw.REPLAY, detail)

    def _wrong(self, record: Record) -> str | None:
        match record.event:
            case ev.Commissioned():
                return self._begun(record, record.event)
            case ev.JournalRecovered() if not _refused(record):
                return self._recovered(record, record.event)
            case ev.ParametersChanged():
                return self._followed(record, rules_named(record.event), puts_in_force=not _refused(record))
            case _:
                return self._followed(record, self._game, puts_in_force=False)

    def _begun(self, record: Record, event: ev.Commissioned) -> str | None:
        game = self._game = rules_named(event)
        if game is None:
            return _NO_RULES
        return _differs(record, commission(game, event))

    def _recovered(self, record: Record, event: ev.JournalRecovered) -> str | None:
        game = self._game = rules_named(event)
        if game is None or record.state.game != event.game:
            return _NO_RULES
        self.recoveries.append(record.seq)
        first, *_ = record.results
        if first != ev.Recovered(record.state.phase, bets(record.state)):
            return "it does not tell the state that it brings back"
        goes_on = event.trusted is ev.Trusted.JOURNAL and self._before is not None
        return (
            "it trusts the journal and has another state than the journal"
            if goes_on and (record.state != self._before)
            else None
        )

    def _followed(self, record: Record, game: Game | None, *, puts_in_force: bool) -> str | None:
        before = self._before
        if before is None:
            return None
        if game is None:
            return _NO_RULES
        if puts_in_force:
            self._game = game
        said = (record.state, record.results)
        if any(step(each, before, record.event) == said for each in _stricter(game)):
            return None
        return _differs(record, step(game, before, record.event))


_NO_RULES = "the rules it was made under are not those its digest names, or none that this program can read"


def _refused(record: Record) -> bool:
    return isinstance(record.results[0], ev.Refused)


def _stricter(game: Game) -> Iterator[Game]:
    """The rules, and the same with more persons asked for: a change of rules is asked of the old and the new ones."""
    more = [role for role in Role if role not in game.pin]
    for count in range(len(more) + 1):
        for added in combinations(more, count):
            yield replace(game, pin=tuple(role for role in Role if role in {*game.pin, *added}))


def _differs(record: Record, right: Outcome) -> str | None:
    state, results = right
    if results != record.results:
        return f"the rules make {_said(results)} of it, and it says {_said(record.results)}"
    parts = [name for name in Table.__struct_fields__ if getattr(state, name) != getattr(record.state, name)]
    return None if not parts else f"its state does not follow from the record before it: {', '.join(parts)}"


def _said(results: tuple[ev.AnyResult, ...]) -> str:
    return ", ".join(dict.fromkeys(ev.snake(type(result).__name__) for result in results))
