"""What one wager returns while the pots stand where they stand.

All is per wager, amounts in minor units, as exact fractions. A share of a pot is not rounded down to the payable
unit here: the table's own rounding costs a winner less than one such unit.
"""

from collections.abc import Callable, Iterable, Mapping
from fractions import Fraction
from itertools import pairwise
from typing import assert_never

from controller.core.game import Fixed, Game, Hand, Prize, Share
from controller.core.money import PPM
from controller.odds.frequencies import Frequency

Pots = Mapping[str, Fraction]
"""What each level stands at, in minor units."""

Chances = Mapping[Hand, Fraction]


class OddsError(ValueError):
    """A question that has no exact answer; the message says why, and what to ask instead."""


def chances(frequencies: tuple[Frequency, ...]) -> dict[Hand, Fraction]:
    """The probability of each category."""
    return {frequency.hand: frequency.probability for frequency in frequencies}


def pays(prize: Prize, pots: Pots) -> Fraction:
    """What a hand's only winner is paid from pots like these, in minor units."""
    match prize.pays:
        case Fixed(amount=amount):
            return Fraction(amount)
        case Share(share_ppm=ppm, cap=cap):
            share = pots[_level(prize)] * ppm / PPM
            return share if cap is None else min(share, Fraction(cap))
        case _:
            assert_never(prize.pays)


def _level(prize: Prize) -> str:
    if prize.level is None:
        raise OddsError(f"{prize.hand} is a share of no level: name its level, or give it a fixed amount")
    return prize.level


def mean_return(game: Game, chance: Chances, pots: Pots) -> Fraction:
    """The mean payment to a wager, as a part of the wager: 1 is as much as it costs."""
    return sum((chance[prize.hand] * pays(prize, pots) for prize in game.prizes), Fraction()) / game.wager


def variance(game: Game, chance: Chances, pots: Pots) -> Fraction:
    """The variance of the payment to one wager, in squared wagers."""
    squares = sum((chance[prize.hand] * pays(prize, pots) ** 2 for prize in game.prizes), Fraction())
    return squares / game.wager**2 - mean_return(game, chance, pots) ** 2


def break_even(game: Game, chance: Chances, pots: Pots, level: str) -> Fraction | None:
    """The pot of `level` at which a wager returns itself, the other levels as in `pots`, in minor units.

    The return rises with the pot along straight pieces that end where a cap is reached, so the piece that crosses
    1 gives it exactly. 0 if even an empty pot returns as much, None if no pot does.
    """

    def at(pot: Fraction) -> Fraction:
        return mean_return(game, chance, {**pots, level: pot})

    return reaches(at, caps_reached(game.prizes, level), Fraction(1))


def reaches(
    at: Callable[[Fraction], Fraction], bends: Iterable[Fraction], target: Fraction
) -> Fraction | None:
    """The least pot with `at(pot) >= target`, for an `at` that rises along straight pieces from bend to bend."""
    ends = sorted({Fraction(), *bends})
    for low, high in pairwise([*ends, ends[-1] + 1]):
        from_, to = at(low), at(high)
        if from_ >= target:
            return low
        if to > from_ and (to >= target or low == ends[-1]):
            return low + (target - from_) / (to - from_) * (high - low)
    return None


def caps_reached(prizes: Iterable[Prize], level: str) -> list[Fraction]:
    """The pots of `level` from which on a share is cut to its cap."""
    return [
        Fraction(prize.pays.cap) * PPM / prize.pays.share_ppm
        for prize in prizes
        if prize.level == level
        and isinstance(prize.pays, Share)
        and prize.pays.cap is not None
        and prize.pays.share_ppm
    ]
