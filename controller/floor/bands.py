"""How many wins of a hand there should be: the mean, and a band that chance leaves once in 370 times.

Exact: the binomial distribution summed up from both ends with thirty digits, no normal curve, for wins are rare.
"""

from decimal import Context, Decimal
from fractions import Fraction
from functools import cache
from typing import Final, NamedTuple

from controller.core.game import Game, Hand
from controller.odds.frequencies import of_five

_TAIL: Final = Decimal("0.00135")
"""Chance below the band, and chance above it: together 0.27 %, as three standard deviations of a normal curve leave."""

_EXACT: Final = Context(prec=30, Emin=-999_999_999_999, Emax=999_999_999_999)


class Band(NamedTuple):
    """Wins of `hand` among `wagers`: actual, the mean by the cards, and the band's ends."""

    hand: Hand
    wagers: int
    actual: int
    mean: Fraction
    least: int
    most: int

    @property
    def inside(self) -> bool:
        """Whether there are as many as chance explains."""
        return self.least <= self.actual <= self.most


def bands(game: Game, wagers: int, actual: dict[Hand, int]) -> tuple[Band, ...]:
    """A band for each prize of a game that judges five cards as dealt; none for other games.

    A winner who folds, or whose hand nobody claims, is not counted: fewer wins than the mean may be that.
    """
    if game.dealt != 5:
        return ()
    chance = _chances(game.ace_low_straight)
    found: list[Band] = []
    for prize in game.prizes:
        least, most = interval(wagers, chance[prize.hand])
        mean = wagers * chance[prize.hand]
        found.append(Band(prize.hand, wagers, actual.get(prize.hand, 0), mean, least, most))
    return tuple(found)


def interval(trials: int, chance: Fraction) -> tuple[int, int]:
    """The least and the most successes that chance explains: fewer, or more, have less than 0.135 % each.

    `chance` lies between 0 and 1, both excluded. The work grows with the mean, not with `trials`.
    """
    p = _EXACT.divide(Decimal(chance.numerator), Decimal(chance.denominator))
    odds = _EXACT.divide(p, 1 - p)
    each = _EXACT.power(_EXACT.subtract(Decimal(1), p), trials)
    below, successes, least = each, 0, 0
    while below < _TAIL:
        each = _next(each, trials, successes, odds)
        successes += 1
        below = _EXACT.add(below, each)
        least = successes
    while _EXACT.subtract(Decimal(1), below) > _TAIL and successes < trials:
        each = _next(each, trials, successes, odds)
        successes += 1
        below = _EXACT.add(below, each)
    return least, successes


def _next(each: Decimal, trials: int, successes: int, odds: Decimal) -> Decimal:
    grown = _EXACT.multiply(_EXACT.multiply(each, Decimal(trials - successes)), odds)
    return _EXACT.divide(grown, Decimal(successes + 1))


@cache
def _chances(ace_low_straight: bool) -> dict[Hand, Fraction]:
    return {each.hand: each.probability for each in of_five(ace_low_straight=ace_low_straight)}
