"""Tables that play for a link: real core, real journal, real pump, real floor; the time in the test's hand."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from controller.core import events as ev
from controller.core.game import Game, Hand
from controller.core.state import Told
from controller.floorear import FloorEar
from controller.inbox import LinksHeard
from controller.link.said import LinkSaid
from tests.helpers_floor import Hall, Player
from tests.helpers_game import chips, key
from tests.helpers_link import Wire, wired
from tests.helpers_linked import LINK, LINKED


class LinkedTable:
    """A player that hears what its wire says to it."""

    def __init__(self, wire: Wire) -> None:
        self.wire = wire
        self.player = wire.player
        self.ear = FloorEar(self.player.game)

    def hear(self) -> None:
        """Take in the newest beat, as the loop does, and store what came of it."""
        if not self.wire.beats:
            return
        beat = self.wire.beats[-1]
        if beat.why or not (beat.links or beat.answers):
            return
        heard = LinksHeard(beat.links, beat.answers, self.wire.clock.monotonic_ns())
        for event in self.ear.linked(self.player.table, heard):
            self.player.do(event)
        self.wire.catch_up()

    def pass_seconds(self, count: int) -> None:
        """Turn the pump and hear it, for so many of its seconds."""
        until = self.wire.clock.monotonic_ns() + count * 1_000_000_000
        while self.wire.clock.monotonic_ns() < until:
            self.wire.turn()
            self.hear()

    def play(self, *seats: int) -> None:
        """A round without a win, journaled."""
        self.player.do(*chips(*seats), ev.CoinInPressed(20), ev.GameOverPressed(90))
        self.wire.catch_up()

    def win(self, hands: dict[int, Hand]) -> None:
        """A round in which these seats win and nobody else plays, journaled."""
        self.player.do(*chips(*hands), ev.CoinInPressed(20), key(on=True))
        self.player.do(*(ev.AwardClaimed(30, seat, hand) for seat, hand in hands.items()))
        self.player.do(ev.AwardsApproved(40), key(on=False), ev.GameOverPressed(90))
        self.wire.catch_up()

    @property
    def told(self) -> Told | None:
        """What the table knows of the pot."""
        return self.player.table.pot.levels[0].told

    @property
    def said(self) -> tuple[LinkSaid, ...]:
        """What the newest beat said of links."""
        return self.wire.beats[-1].links

    def results(self, kind: type[ev.Result]) -> list[ev.AnyResult]:
        """All results of a kind so far."""
        return [each for each in self.player.results if isinstance(each, kind)]


@contextmanager
def linked_table(
    folder: Path, floor: Hall, table_id: str = "mvd-07", game: Game = LINKED, *, admitted: bool = True
) -> Iterator[LinkedTable]:
    """A table of link `sala`, which must be there."""
    with wired(folder, floor, Player(table_id, game)) as wire:
        if admitted:
            floor.one("SELECT pozo.admit(%s, %s)", LINK, table_id)
        yield LinkedTable(wire)
