"""What of the floor's words becomes an event: what is new. The same said again each second leaves no record.

Pure but for what it remembers: when it last took an amount, and which answers were tried.
"""

from collections.abc import Sequence
from typing import Final

from controller.core import events as ev
from controller.core.faults import FaultCode
from controller.core.game import Game
from controller.core.state import Level, Table
from controller.inbox import FloorHeard, LinksHeard
from controller.link.said import AnswerSaid, LinkSaid

TOLD_EVERY_NS: Final = 5_000_000_000
"""A pot that only grew is taken at most this often: each time is a record, and cards wear. A win is taken at once."""


class FloorEar:
    """Listens for one table that plays `game`."""

    def __init__(self, game: Game) -> None:
        self._game = game
        self._told_ns: dict[str, int] = {}
        self._tried: dict[int, AnswerSaid] = {}

    def compared(
        self, table: Table, heard: FloorHeard, *, agrees: bool | None, last: int
    ) -> list[ev.AnyEvent]:
        """The third witness: told when it has changed whether the journal has what the floor has.

        `agrees`: whether it has, None if it cannot be asked; `last`: its newest record's number.
        """
        if agrees is None or agrees is not _stands(table, FaultCode.FLOOR_DISAGREES):
            return []
        if agrees:
            return [ev.FloorAgreed(heard.at_ns, heard.seq)]
        return [ev.FloorDisagreed(heard.at_ns, heard.seq, heard.digest, last)]

    def linked(self, table: Table, heard: LinksHeard) -> list[ev.AnyEvent]:
        """Linked pots: other amounts, whether the rules agree, and answers to claims that wait."""
        said = {each.link: each for each in heard.links}
        levels = [
            (level, said[rules.link])
            for rules, level in zip(self._game.levels, table.pot.levels, strict=True)
            if rules.link in said
        ]
        events = self._rules(table, levels, heard.at_ns)
        for level, each in levels:
            if not each.why and self._is_due(table, level, each, heard.at_ns):
                self._told_ns[level.name] = heard.at_ns
                events.append(ev.LinkTold(heard.at_ns, level.name, each.amount, each.wins))
        return events + self._answers(table, heard)

    def _rules(self, table: Table, levels: Sequence[tuple[Level, LinkSaid]], at_ns: int) -> list[ev.AnyEvent]:
        stands = _stands(table, FaultCode.LINK_DISAGREES)
        wrong = next(((level, each) for level, each in levels if each.why), None)
        if wrong is not None and not stands:
            return [ev.LinkDisagreed(at_ns, wrong[0].name, wrong[1].why)]
        all_said = len(levels) == sum(rules.link is not None for rules in self._game.levels)
        return [ev.LinkAgreed(at_ns)] if stands and wrong is None and all_said else []

    def _is_due(self, table: Table, level: Level, said: LinkSaid, at_ns: int) -> bool:
        if level.told is None or said.wins != level.told.wins or said.amount < level.told.amount:
            return True
        if said.amount == level.told.amount:
            return False
        last_ns = self._told_ns.get(level.name)
        back = _stands(table, FaultCode.HOST_LOST)  # what is confirmed now is shown as such now
        return back or last_ns is None or at_ns - last_ns >= TOLD_EVERY_NS

    def _answers(self, table: Table, heard: LinksHeard) -> list[ev.AnyEvent]:
        waiting = {claim.number for claim in table.link_claims}
        self._tried = {number: answer for number, answer in self._tried.items() if number in waiting}
        events: list[ev.AnyEvent] = []
        for answer in heard.answers:
            tried = self._tried.get(answer.claim) == answer and _stands(table, FaultCode.CLAIM_REFUSED)
            if answer.claim not in waiting or tried:
                continue
            self._tried[answer.claim] = answer
            if answer.why:
                events.append(ev.ClaimRefused(heard.at_ns, answer.claim, answer.why))
            else:
                events.append(ev.ClaimAnswered(heard.at_ns, answer.claim, answer.order, answer.told))
        return events


def _stands(table: Table, code: FaultCode) -> bool:
    return any(fault.code is code for fault in table.faults)
