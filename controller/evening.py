"""A simulated evening: real hands for every seat, every round through the table's own state machine.

It proves two things at once: hands come as often as counting says they must, and money is conserved to the unit over
a hundred thousand rounds. One seed gives one evening; nothing reads a clock.
"""

import random
from collections import Counter
from collections.abc import Mapping
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import NamedTuple

from controller.core import events as ev
from controller.core import pot as pots
from controller.core.cards import DECK, Card, category, category_of_three, hand, three
from controller.core.game import Game, Hand
from controller.core.invariants import check
from controller.core.state import Table
from controller.core.table import commission, step

ROUND_NS = 60_000_000_000
THREE = 3
OUTSIDE = Decimal("0.001")
"""A hit count outside the bounds happens to an honest evening this often."""


class Bounds(NamedTuple):
    """A hit count, and the least and most an honest evening has with 99.9 %."""

    hits: int
    least: int
    most: int

    @property
    def kept(self) -> bool:
        """Whether the count is inside."""
        return self.least <= self.hits <= self.most


class Evening(NamedTuple):
    """What became of an evening; amounts in minor units."""

    hands: int
    bounds: Mapping[Hand, Bounds]
    table: Table
    imbalance: int


class Player:
    """Plays rounds on one table by events alone."""

    def __init__(self, game: Game, seed: int) -> None:
        if not game.prizes or not game.dealt:
            raise ValueError(
                f"{game.profile} has no prize that a hand could win: there is nothing to simulate"
            )
        self._game = game
        self._random = random.Random(seed)  # noqa: S311, a repeatable evening, not a secret
        self._now_ns = 0
        self.hits: Counter[Hand] = Counter()
        self.table, _ = commission(game, ev.Commissioned(0, "evening", "evening", "{}"))
        self._do(ev.KeyTurned(0, ev.Key.SUPERVISOR, on=True))
        self._do(ev.LampTestStarted(0))
        self._do(ev.TableOpened(0))

    def _do(self, event: ev.AnyEvent) -> tuple[ev.AnyResult, ...]:
        before = self.table
        self.table, results = step(self._game, before, event)
        check(self._game, before, self.table, results)
        return results

    def play_round(self) -> None:
        """Chips at all seats, COIN IN, hands, claims of all that win, approval, payment, GAME OVER."""
        self._now_ns += ROUND_NS
        now = self._now_ns
        seats = range(1, self._game.seats + 1)
        for seat in seats:
            self._do(ev.ChipDropped(now, seat))
        self._do(ev.CoinInPressed(now + 1))
        dealt = self._random.sample(DECK, self._game.seats * self._game.dealt)
        for seat in seats:
            self._show(seat, tuple(dealt[(seat - 1) * self._game.dealt : seat * self._game.dealt]))
        if self.table.claims:
            approved = self._do(ev.AwardsApproved(now + 2))
            for result in approved:
                if isinstance(result, ev.AwardApproved):
                    self._do(ev.AwardPaid(now + 3, result.number, ev.Payment.CHIPS, signed=True))
        self._do(ev.ReleaseEnded(now + 4))
        self._do(ev.GameOverPressed(now + 5))

    def _show(self, seat: int, cards: tuple[Card, ...]) -> None:
        low = self._game.ace_low_straight
        if self._game.dealt == THREE:
            found = category_of_three(three(cards), ace_low_straight=low)
        else:
            found = category(hand(cards), ace_low_straight=low)
        if self._game.prize(found) is not None:
            self.hits[found] += 1
            self._do(ev.AwardClaimed(self._now_ns + 2, seat, found))
            self._do(ev.CardsShown(self._now_ns + 2, seat, cards))


def evening(game: Game, chances: Mapping[Hand, Fraction], rounds: int, seed: int) -> Evening:
    """Play `rounds` rounds; `chances` are the exact probabilities of the hands. Raises `ValueError` without prizes.

    Raises `InvariantError` if any step breaks the law.
    """
    player = Player(game, seed)
    for _ in range(rounds):
        player.play_round()
    hands = rounds * game.seats
    bounds = {
        prize.hand: Bounds(player.hits[prize.hand], *binomial_bounds(hands, chances[prize.hand]))
        for prize in game.prizes
    }
    return Evening(hands, bounds, player.table, pots.imbalance(player.table.pot))


def binomial_bounds(trials: int, chance: Fraction) -> tuple[int, int]:
    """The least and most hits of `trials`, so that no more than half of `OUTSIDE` lies beyond each.

    The terms are summed one after the other with 60 digits, so the bounds are those of the exact distribution.
    """
    with localcontext(prec=60):
        one = Decimal(chance.numerator) / Decimal(chance.denominator)
        odds = one / (1 - one)
        term = (1 - one) ** trials
        total, hits, least = term, 0, -1
        while total <= 1 - OUTSIDE / 2:
            if least < 0 and total > OUTSIDE / 2:
                least = hits
            term = term * (trials - hits) / (hits + 1) * odds
            hits += 1
            total += term
        return max(least, 0) if least >= 0 else hits, hits
