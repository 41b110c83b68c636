"""The floor of a drilled table: its linked pots in memory, other tables' wagers and wins, and a line that may be lost.

It reads the table's journal as `pozo link` does, in order and each record once, and decides by the core's arithmetic,
to which the floor's own is proven equal. The table hears it where it would hear its link.
"""

from collections.abc import Callable, Sequence
from typing import Final

from msgspec.structs import replace

from controller.core import awards
from controller.core import events as ev
from controller.core import pot as pots
from controller.core.game import Game, Hand
from controller.core.state import Claim, Level, LinkClaim, Pot
from controller.hostline import SILENT_NS, Heard
from controller.inbox import LinksHeard
from controller.journal import Record
from controller.link.said import AnswerSaid, LinkSaid
from hal.interface import Device, DeviceFailed, DeviceMended

EVERY_NS: Final = 1_000_000_000
OTHER_RULES: Final = "limit: 90000.00 there, 10000000.00 here"


class Hub:
    """The links of a table that plays `game`. `records` gives the journal's records after a number.

    `connected`, `answering`, `refusing` and `other_rules` are a drill's to set.
    """

    def __init__(self, game: Game, records: Callable[[int], Sequence[Record]]) -> None:
        self._game = replace(game, levels=tuple(replace(each, link=None) for each in game.levels))
        self._links = {each.name: each.link for each in game.levels if each.link is not None}
        self._records = records
        self.pot: Pot = pots.commissioned(self._game)
        self.wins = dict.fromkeys(self._links, 0)
        self.answers: dict[int, AnswerSaid] = {}
        self.connected = self.answering = True
        self.refusing = self.other_rules = False
        self._head = 0
        self._waiting: tuple[LinkClaim, ...] = ()
        self._due_ns = self._good_ns = 0
        self._lost = False

    @property
    def told(self) -> str:
        """A word for the status line."""
        return "floor heard" if self.connected else "no floor"

    def open(self, now_ns: int) -> None:
        """The host counts as lost until it is heard, as on a real table."""
        self._good_ns = now_ns - SILENT_NS
        self._due_ns, self._lost = now_ns, False

    def close(self) -> None:
        """Nothing is open."""

    def look(self, now_ns: int) -> list[Heard]:
        """What the table hears now: once a second all that the floor says, or that it is silent."""
        if now_ns < self._due_ns:
            return []
        self._due_ns = now_ns + EVERY_NS
        heard: list[Heard] = []
        if self.connected:
            self._good_ns = now_ns
            self._read()
            self._answer()
            heard.append(LinksHeard(tuple(map(self._said, self._links)), self._to_say(), now_ns))
        silent = now_ns - self._good_ns >= SILENT_NS
        if silent is not self._lost:
            self._lost = silent
            lost = DeviceFailed(Device.HOST, "no word from `pozo link`", now_ns)
            heard.append(lost if silent else DeviceMended(Device.HOST, now_ns))
        return heard

    def staked_elsewhere(self, wagers: int) -> None:
        """Another table takes in wagers that count for every link."""
        self.pot = self._shared(pots.take(self._game, self.pot, wagers)[0])

    def won_elsewhere(self, hand: Hand) -> None:
        """Another table wins."""
        prize = self._game.prize(hand)
        if prize is None or prize.level not in self._links:
            raise ValueError(f"{hand} wins nothing of a linked pot")
        self._serve(prize.level, (Claim(1, hand),), 0, 0)

    def level(self, name: str) -> Level:
        """A linked level as it stands here."""
        return next(level for level in self.pot.levels if level.name == name)

    def _read(self) -> None:
        for record in self._records(self._head):
            self._head = record.seq
            self._waiting = record.state.link_claims
            for result in record.results:
                if isinstance(result, ev.RoundLocked):
                    self.staked_elsewhere(len(result.seats))

    def _answer(self) -> None:
        for claim in self._waiting if self.answering else ():
            known = self.answers.get(claim.number)
            if self.refusing:
                self.answers[claim.number] = AnswerSaid(claim.number, why="no valid wager")
            elif known is None or known.why:
                told = self._serve(claim.level, claim.claims, claim.round, claim.number - 1)
                self.answers[claim.number] = AnswerSaid(claim.number, self.wins[claim.level], told)

    def _serve(
        self, level: str, claims: tuple[Claim, ...], round_: int, made: int
    ) -> tuple[ev.AwardApproved | ev.PotReset, ...]:
        served = awards.serve(self._game, self.pot, claims, round_, made)
        self.pot = served.pot
        self.wins[level] += 1
        return served.told

    def _shared(self, pot: Pot) -> Pot:
        """The pot with what is the table's own left as it was."""
        before = {level.name: level for level in self.pot.levels}
        levels = (level if level.name in self._links else before[level.name] for level in pot.levels)
        return replace(pot, levels=tuple(levels))

    def _said(self, level: str) -> LinkSaid:
        link = self._links[level]
        if self.other_rules:
            return LinkSaid(link, why=OTHER_RULES)
        return LinkSaid(link, self.level(level).current, self.wins[level])

    def _to_say(self) -> tuple[AnswerSaid, ...]:
        waiting = {claim.number for claim in self._waiting}
        return tuple(answer for number, answer in self.answers.items() if number in waiting)
