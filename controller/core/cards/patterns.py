"""What five-card and three-card rankings share: groups of equal ranks, straights, and strength as one number."""

from controller.core.cards.card import Rank

BASE = 15
"""Ranks are digits below it: 2 to 14, and 1 for an ace that begins a straight."""

Ranks = tuple[int, ...]
"""Ranks of a hand from the highest to the lowest."""


def grouped(ranks: Ranks) -> Ranks:
    """The ranks in the order in which they decide: those that occur most first, then the higher."""
    return tuple(sorted(ranks, key=lambda rank: (ranks.count(rank), rank), reverse=True))


def counts(ranks: Ranks) -> Ranks:
    """How often each rank occurs, the most first: (3, 2) is a full house."""
    return tuple(sorted((ranks.count(rank) for rank in set(ranks)), reverse=True))


def straight(ranks: Ranks, *, ace_low_straight: bool) -> Ranks | None:
    """The ranks as a straight from its highest card down, or None.

    Seed 000 art. 15: the lowest card of a straight is the two. Where `ace_low_straight` holds (seed 003 art. 4 f)
    an ace may begin one too, and is then its lowest card.
    """
    whole = set(ranks)
    if len(whole) == len(ranks) and ranks[0] - ranks[-1] == len(ranks) - 1:
        return ranks
    begins = tuple(range(len(ranks), 0, -1))
    if ace_low_straight and whole == {Rank.ACE, *begins[:-1]}:
        return begins
    return None


def number(category: int, ranks: Ranks) -> int:
    """One number to compare hands by: the category first, then the ranks in the order in which they decide."""
    for rank in ranks:
        category = category * BASE + rank
    return category


def combinations(cards: int, most_equal: int) -> list[Ranks]:
    """Every choice of ranks that `cards` cards can have, each from the highest to the lowest, in rising order."""
    found: list[Ranks] = [()]
    for _ in range(cards):
        found = [
            (rank, *ranks)
            for ranks in found
            for rank in range(ranks[0] if ranks else Rank.TWO, Rank.ACE + 1)
            if ranks.count(rank) < most_equal
        ]
    return sorted(found)
