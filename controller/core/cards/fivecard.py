"""Five-card hands: category and strength (seed 000 art. 14 to 16, seed 003 art. 4 and 12).

Equal categories are decided by the ranks that make them, then by the next highest card; suits never decide.
`category` and `strength` work one hand out; `FiveCardRanking` has all answers ready, for whoever asks often.
"""

from controller.core.cards import patterns
from controller.core.cards.dealt import Five
from controller.core.game import Hand

_ORDER = tuple(reversed(Hand))
"""Categories from the weakest to the strongest; the place is the category's part of a strength."""

_PLACE = {category: place for place, category in enumerate(_ORDER)}

_BY_COUNTS = {
    (4, 1): Hand.FOUR_OF_A_KIND,
    (3, 2): Hand.FULL_HOUSE,
    (3, 1, 1): Hand.THREE_OF_A_KIND,
    (2, 2, 1): Hand.TWO_PAIR,
    (2, 1, 1, 1): Hand.PAIR,
    (1, 1, 1, 1, 1): Hand.HIGH_CARD,
}

_ROYAL = (14, 13, 12, 11, 10)


def strength(five: Five, *, ace_low_straight: bool) -> int:
    """How strong a hand is: of two hands the greater number wins, equal numbers are a tie (seed 000 art. 16)."""
    ranks = tuple(sorted((card.rank.value for card in five), reverse=True))
    is_flush = len({card.suit for card in five}) == 1
    return strength_of_ranks(ranks, is_flush=is_flush, ace_low_straight=ace_low_straight)


def category(five: Five, *, ace_low_straight: bool) -> Hand:
    """The highest category a hand has."""
    return category_of(strength(five, ace_low_straight=ace_low_straight))


def category_of(strength: int) -> Hand:
    """The category of a hand of this strength."""
    return _ORDER[strength // patterns.BASE**5]


def strength_of_ranks(ranks: patterns.Ranks, *, is_flush: bool, ace_low_straight: bool) -> int:
    """The strength of five ranks, highest first, of one suit or of several."""
    run = patterns.straight(ranks, ace_low_straight=ace_low_straight)
    of_kind = _BY_COUNTS[patterns.counts(ranks)]
    found, deciding = of_kind, patterns.grouped(ranks)
    if run == _ROYAL and is_flush:
        found = Hand.ROYAL_FLUSH
    elif run and is_flush:
        found, deciding = Hand.STRAIGHT_FLUSH, run
    elif is_flush:
        found = Hand.FLUSH
    elif run:
        found, deciding = Hand.STRAIGHT, run
    return patterns.number(_PLACE[found], deciding)


class FiveCardRanking:
    """Category and strength of any five cards by two look-ups, after some milliseconds to prepare."""

    __slots__ = ("_category_of_many_suits", "_category_of_one_suit", "_of_many_suits", "_of_one_suit")

    def __init__(self, *, ace_low_straight: bool) -> None:
        self._of_many_suits = _by_weight(most_equal=4, is_flush=False, ace_low_straight=ace_low_straight)
        self._of_one_suit = _by_weight(most_equal=1, is_flush=True, ace_low_straight=ace_low_straight)
        self._category_of_many_suits = {key: category_of(value) for key, value in self._of_many_suits.items()}
        self._category_of_one_suit = {key: category_of(value) for key, value in self._of_one_suit.items()}

    def category(self, five: Five) -> Hand:
        """The highest category a hand has."""
        a, b, c, d, e = five
        weight = a.weight + b.weight + c.weight + d.weight + e.weight
        if a.suit is b.suit and b.suit is c.suit and c.suit is d.suit and d.suit is e.suit:
            return self._category_of_one_suit[weight]
        return self._category_of_many_suits[weight]

    def strength(self, five: Five) -> int:
        """How strong a hand is, as the function of this name says."""
        a, b, c, d, e = five
        weight = a.weight + b.weight + c.weight + d.weight + e.weight
        if a.suit is b.suit and b.suit is c.suit and c.suit is d.suit and d.suit is e.suit:
            return self._of_one_suit[weight]
        return self._of_many_suits[weight]


def _by_weight(*, most_equal: int, is_flush: bool, ace_low_straight: bool) -> dict[int, int]:
    return {
        sum(5 ** (rank - 2) for rank in ranks): strength_of_ranks(
            ranks, is_flush=is_flush, ace_low_straight=ace_low_straight
        )
        for ranks in patterns.combinations(5, most_equal)
    }
