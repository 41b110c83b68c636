"""Bounds of what capped shares take from a pot on the mean: the one figure that has no closed form.

The pot between two royals is laid on a grid, from nothing to where royals have almost surely taken it. Between two
awards it only rises, by one contribution a hand, so that all the hands that carry it over one cell are taken
together: rounded down to the cell's lower end throughout for the lower bound, up to its upper end for the upper one.
Both are bounds and not estimates: more money in the pot never makes later shares smaller (a share takes less than
the whole), a block of hands carries the pot at least over its cell for the lower bound and at most for the upper, and
every division is rounded to the safe side. The true figure lies between them.
"""

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

import msgspec

from controller.core.money import PPM

_CELLS = 1_600
"""At most; a cell is never less than one contribution."""

_ROYALS = 12
"""The grid ends after so many mean intervals of royals: a pot goes on beyond with a chance of e to the power of -12."""

_SWEEPS = 100
_ONE = 2**64
"""Fixed point: a weight of 1."""

_UNIT = 2**20
"""Fixed point: one minor unit."""


class CappedShare(msgspec.Struct, frozen=True):
    """A share of the pot, `cap` minor units at most, won by a hand with this probability."""

    probability: Fraction
    share_ppm: int
    cap: int


class Pot(msgspec.Struct, frozen=True):
    """A pot that a hand takes whole with probability `takes_all`. Amounts in minor units, both above 0."""

    takes_all: Fraction
    contribution: Fraction
    reset: int


def mean_paid(pot: Pot, shares: tuple[CappedShare, ...]) -> tuple[Fraction, Fraction]:
    """Least and most that all capped shares together take from the pot a hand, on the mean, in minor units."""
    least, most = (_until_the_royal(pot, shares, up=up) for up in (False, True))
    return pot.takes_all * least, pot.takes_all * most


def _until_the_royal(pot: Pot, shares: tuple[CappedShare, ...], *, up: bool) -> Fraction:
    """What the shares take between two royals: value iteration over the grid, which stays on its side throughout."""
    whole = pot.reset + _ROYALS * pot.contribution / pot.takes_all
    cells = min(_CELLS, max(1, int(whole / pot.contribution)))
    cell = whole / cells
    awards = sum((share.probability for share in shares), pot.takes_all)
    hands = _scaled(cell / pot.contribution, 1, up=not up)
    carries = _scaled(_no_award(awards, hands, up=up), _ONE, up=up)
    ends = 1 - _no_award(awards, hands, up=not up)
    steps = [_steps(share, cells, cell, up=up) for share in shares]
    weights = [_scaled(ends * share.probability / awards, _ONE, up=up) for share in shares]
    most = _scaled(sum(share.probability * share.cap for share in shares) / pot.takes_all, _UNIT, up=True)
    values = [most if up else 0] * (cells + 1)
    for _ in range(_SWEEPS):
        above = most if up else values[cells]
        for at in range(cells, -1, -1):
            total = carries * above
            for weight, (pays, lands) in zip(weights, steps, strict=True):
                total += weight * (pays[at] + values[lands[at]])
            above = values[at] = _divided(total, up=up)
    at_reset = pot.reset / cell
    return Fraction(values[-int(-at_reset // 1) if up else int(at_reset)], _UNIT)


def _no_award(awards: Fraction, hands: int, *, up: bool) -> Fraction:
    """The chance that no award comes in so many hands, to 40 digits."""
    digits = Context(prec=40, rounding=ROUND_CEILING if up else ROUND_FLOOR)
    stays = digits.divide(Decimal((1 - awards).numerator), Decimal((1 - awards).denominator))
    near = digits.power(stays, hands)
    return Fraction(digits.next_plus(near) if up else digits.next_minus(near))


def _steps(share: CappedShare, cells: int, cell: Fraction, *, up: bool) -> tuple[list[int], list[int]]:
    """For each cell what the share pays, in fixed point, and the cell in which the pot is then."""
    pays: list[int] = []
    lands: list[int] = []
    for at in range(cells + 1):
        pot = cell * (at + 1 if up else at)
        paid = min(pot * share.share_ppm / PPM, Fraction(share.cap))
        left = (pot - paid) / cell
        pays.append(_scaled(paid, _UNIT, up=up))
        lands.append(min(_scaled(left, 1, up=up), cells))
    return pays, lands


def _scaled(value: Fraction, one: int, *, up: bool) -> int:
    return -int(-value * one // 1) if up else int(value * one // 1)


def _divided(total: int, *, up: bool) -> int:
    return -(-total // _ONE) if up else total // _ONE
