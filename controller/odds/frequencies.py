"""How many of all hands there are of each category, and with how many the bank opens.

Hands that differ only in suits that do not matter count together: every choice of ranks is judged once, by the
evaluator that judges claims, and counted as often as suits can make it. Nothing is left out: the counts add up to
all hands, 2,598,960 of five cards and 22,100 of three, which is asserted.
"""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise
from math import comb, prod

import msgspec

from controller.core.cards import (
    DECK,
    THREE_CARD_ORDER,
    Card,
    Suit,
    category,
    category_of_three,
    hand,
    patterns,
    three,
)
from controller.core.game import Hand
from controller.core.settlement import Opening, opens

FIVE_CARD_HANDS = comb(len(DECK), 5)
"""2,598,960."""

_SUITS = tuple(Suit)
_BY_RANK_AND_SUIT = {(card.rank.value, card.suit): card for card in DECK}


class Frequency(msgspec.Struct, frozen=True):
    """`ways` of all `hands` are of this category."""

    hand: Hand
    ways: int
    hands: int

    @property
    def probability(self) -> Fraction:
        """The chance that a hand dealt from a full deck is one of them."""
        return Fraction(self.ways, self.hands)


def of_five(*, ace_low_straight: bool) -> tuple[Frequency, ...]:
    """The categories of five cards, strongest first."""
    found: Counter[Hand] = Counter()
    for cards, ways in _classes(5):
        found[category(hand(cards), ace_low_straight=ace_low_straight)] += ways
    return _all(found, tuple(Hand), 5)


def of_three(*, ace_low_straight: bool) -> tuple[Frequency, ...]:
    """The categories of three cards, strongest first."""
    found: Counter[Hand] = Counter()
    for cards, ways in _classes(3):
        found[category_of_three(three(cards), ace_low_straight=ace_low_straight)] += ways
    return _all(found, THREE_CARD_ORDER, 3)


def opening(needed: Opening, *, ace_low_straight: bool) -> Fraction:
    """The chance that five cards dealt to the bank let it open."""
    ways = sum(
        ways for cards, ways in _classes(5) if opens(needed, hand(cards), ace_low_straight=ace_low_straight)
    )
    return Fraction(ways, FIVE_CARD_HANDS)


def _all(found: Counter[Hand], order: tuple[Hand, ...], cards: int) -> tuple[Frequency, ...]:
    hands = comb(len(DECK), cards)
    if found.total() != hands:
        raise AssertionError(f"{found.total()} hands of {cards} cards were counted, there are {hands}")
    return tuple(Frequency(name, found[name], hands) for name in order)


def _classes(cards: int) -> Iterator[tuple[tuple[Card, ...], int]]:
    """One hand of each kind that suits cannot tell apart, and how many hands are of its kind."""
    for ranks in patterns.combinations(cards, len(_SUITS)):
        of_each = prod(comb(len(_SUITS), ranks.count(rank)) for rank in set(ranks))
        if len(set(ranks)) == cards:
            yield tuple(_BY_RANK_AND_SUIT[rank, Suit.CLUBS] for rank in ranks), len(_SUITS)
            of_each -= len(_SUITS)
        yield _of_several_suits(ranks), of_each


def _of_several_suits(ranks: patterns.Ranks) -> tuple[Card, ...]:
    """Neighbours of one rank get the next suit each; the last card is never of the first one's suit."""
    suits = [0]
    for one, other in pairwise(ranks):
        suits.append(suits[-1] + 1 if one == other else 0)
    if not any(suits):
        suits[-1] = 1
    return tuple(_BY_RANK_AND_SUIT[rank, _SUITS[suit]] for rank, suit in zip(ranks, suits, strict=True))
