"""Cards: the 52, hands that are certainly hands, and what beats what. Pure; it knows no seat's wager and no money.

`card` names the 52 and reads them, `dealt` refuses what is not a hand, `fivecard` and `threecard` rank.
"""

from controller.core.cards.card import DECK, Card, CardError, Rank, Suit, parse
from controller.core.cards.dealt import Five, Shown, Three, deal, hand, read, three
from controller.core.cards.fivecard import FiveCardRanking, category, strength
from controller.core.cards.threecard import THREE_CARD_ORDER, category_of_three, strength_of_three

__all__ = [
    "DECK",
    "THREE_CARD_ORDER",
    "Card",
    "CardError",
    "Five",
    "FiveCardRanking",
    "Rank",
    "Shown",
    "Suit",
    "Three",
    "category",
    "category_of_three",
    "deal",
    "hand",
    "parse",
    "read",
    "strength",
    "strength_of_three",
    "three",
]
