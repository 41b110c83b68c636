"""Three-card hands, for Poker Tres Cartas.

Seed 002 names the game without an order of its hands. The order here is a convention: the rarer category is the
stronger (48 straight flushes, 52 threes of a kind, 720 straights, 1,096 flushes, 3,744 pairs of 22,100 hands).
"""

from controller.core.cards import patterns
from controller.core.cards.dealt import Three
from controller.core.game import Hand

THREE_CARD_ORDER = (
    Hand.STRAIGHT_FLUSH,
    Hand.THREE_OF_A_KIND,
    Hand.STRAIGHT,
    Hand.FLUSH,
    Hand.PAIR,
    Hand.HIGH_CARD,
)
"""The categories of three cards, strongest first. With the ace high only the order is the same."""

_ORDER = tuple(reversed(THREE_CARD_ORDER))
_PLACE = {category: place for place, category in enumerate(_ORDER)}
_BY_COUNTS = {(3,): Hand.THREE_OF_A_KIND, (2, 1): Hand.PAIR, (1, 1, 1): Hand.HIGH_CARD}


def strength_of_three(cards: Three, *, ace_low_straight: bool) -> int:
    """How strong three cards are: the greater number wins, equal numbers are a tie."""
    ranks = tuple(sorted((card.rank.value for card in cards), reverse=True))
    is_flush = len({card.suit for card in cards}) == 1
    return strength_of_three_ranks(ranks, is_flush=is_flush, ace_low_straight=ace_low_straight)


def category_of_three(cards: Three, *, ace_low_straight: bool) -> Hand:
    """The highest category three cards have."""
    return category_of(strength_of_three(cards, ace_low_straight=ace_low_straight))


def category_of(strength: int) -> Hand:
    """The category of three cards of this strength."""
    return _ORDER[strength // patterns.BASE**3]


def strength_of_three_ranks(ranks: patterns.Ranks, *, is_flush: bool, ace_low_straight: bool) -> int:
    """The strength of three ranks, highest first, of one suit or of several."""
    run = patterns.straight(ranks, ace_low_straight=ace_low_straight)
    found, deciding = _BY_COUNTS[patterns.counts(ranks)], patterns.grouped(ranks)
    if run and is_flush:
        found, deciding = Hand.STRAIGHT_FLUSH, run
    elif run:
        found, deciding = Hand.STRAIGHT, run
    elif is_flush:
        found = Hand.FLUSH
    return patterns.number(_PLACE[found], deciding)
