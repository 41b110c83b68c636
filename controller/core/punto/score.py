"""Points of Punto y Banca: units only, who wins, and the tie that is dealt again (nums. 1 and 8)."""

from enum import StrEnum

RANKS = range(1, 14)
"""Ace 1, two to ten as they are, valet 11, dama 12, rey 13."""


class PuntoResult(StrEnum):
    """What a round became."""

    PUNTO = "punto"
    BANCA = "banca"
    ENCART = "encart"


def value(rank: int) -> int:
    """A card's points: 1 … 9; the ten and the figures are 0 (num. 1). Raises `ValueError` for what is no card."""
    if rank not in RANKS:
        raise ValueError(f"{rank} is no card; a card is 1 (ace) to 13 (rey)")
    return rank if rank < 10 else 0


def points(cards: tuple[int, ...]) -> int:
    """The points of a hand, units only (num. 8)."""
    return sum(value(rank) for rank in cards) % 10


def winner(punto: int, banca: int) -> PuntoResult:
    """Who is nearer to 9; equal points are *encart*: the round is dealt again (num. 8)."""
    if punto == banca:
        return PuntoResult.ENCART
    return PuntoResult.PUNTO if punto > banca else PuntoResult.BANCA
