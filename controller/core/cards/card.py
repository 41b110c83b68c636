"""The 52 cards of the deck (seed 000 art. 1), and how they are written: rank and suit, `As`, `Td`, `7h`, `2c`.

The letters are the same on every table, whatever its language: in Spanish a T could be a ten or a trébol, a C a
corazón or a club, so letters of Spanish suits are refused rather than guessed.
"""

from enum import IntEnum, StrEnum

RANK_LETTERS = "23456789TJQKA"
"""From the lowest rank to the highest."""


class CardError(ValueError):
    """Something that is no card, no hand, or no possible deal; the message is for whoever typed it."""


class Rank(IntEnum):
    """Values of cards. The ace is the highest; that it may also begin a straight is a rule of some games."""

    TWO = 2
    THREE = 3
    FOUR = 4
    FIVE = 5
    SIX = 6
    SEVEN = 7
    EIGHT = 8
    NINE = 9
    TEN = 10
    JACK = 11
    QUEEN = 12
    KING = 13
    ACE = 14


class Suit(StrEnum):
    """The four suits: trébol, diamante, corazón, pique. None beats another."""

    CLUBS = "c"
    DIAMONDS = "d"
    HEARTS = "h"
    SPADES = "s"


class Card(StrEnum):
    """One card; its value is its one canonical spelling.

    `weight` is 5 to the power of its rank, so that the sum of up to five cards tells which ranks they have.
    """

    rank: Rank
    suit: Suit
    weight: int

    def __init__(self, spelling: str) -> None:
        above_two = RANK_LETTERS.index(spelling[0])
        self.rank = Rank(Rank.TWO + above_two)
        self.suit = Suit(spelling[1])
        self.weight = 5**above_two

    TWO_OF_CLUBS = "2c"
    TWO_OF_DIAMONDS = "2d"
    TWO_OF_HEARTS = "2h"
    TWO_OF_SPADES = "2s"
    THREE_OF_CLUBS = "3c"
    THREE_OF_DIAMONDS = "3d"
    THREE_OF_HEARTS = "3h"
    THREE_OF_SPADES = "3s"
    FOUR_OF_CLUBS = "4c"
    FOUR_OF_DIAMONDS = "4d"
    FOUR_OF_HEARTS = "4h"
    FOUR_OF_SPADES = "4s"
    FIVE_OF_CLUBS = "5c"
    FIVE_OF_DIAMONDS = "5d"
    FIVE_OF_HEARTS = "5h"
    FIVE_OF_SPADES = "5s"
    SIX_OF_CLUBS = "6c"
    SIX_OF_DIAMONDS = "6d"
    SIX_OF_HEARTS = "6h"
    SIX_OF_SPADES = "6s"
    SEVEN_OF_CLUBS = "7c"
    SEVEN_OF_DIAMONDS = "7d"
    SEVEN_OF_HEARTS = "7h"
    SEVEN_OF_SPADES = "7s"
    EIGHT_OF_CLUBS = "8c"
    EIGHT_OF_DIAMONDS = "8d"
    EIGHT_OF_HEARTS = "8h"
    EIGHT_OF_SPADES = "8s"
    NINE_OF_CLUBS = "9c"
    NINE_OF_DIAMONDS = "9d"
    NINE_OF_HEARTS = "9h"
    NINE_OF_SPADES = "9s"
    TEN_OF_CLUBS = "Tc"
    TEN_OF_DIAMONDS = "Td"
    TEN_OF_HEARTS = "Th"
    TEN_OF_SPADES = "Ts"
    JACK_OF_CLUBS = "Jc"
    JACK_OF_DIAMONDS = "Jd"
    JACK_OF_HEARTS = "Jh"
    JACK_OF_SPADES = "Js"
    QUEEN_OF_CLUBS = "Qc"
    QUEEN_OF_DIAMONDS = "Qd"
    QUEEN_OF_HEARTS = "Qh"
    QUEEN_OF_SPADES = "Qs"
    KING_OF_CLUBS = "Kc"
    KING_OF_DIAMONDS = "Kd"
    KING_OF_HEARTS = "Kh"
    KING_OF_SPADES = "Ks"
    ACE_OF_CLUBS = "Ac"
    ACE_OF_DIAMONDS = "Ad"
    ACE_OF_HEARTS = "Ah"
    ACE_OF_SPADES = "As"


DECK = tuple(Card)
"""All 52, twos first; the suits in alphabetical order of their letters."""

_CARDS = {str(card): card for card in Card}
_SPANISH_SUITS = frozenset("pt")


def parse(text: str) -> Card:
    """Read one card: a rank (2 to 9, T or 10, J, Q, K, A) and a suit (c, d, h, s), in either case.

    Raises `CardError` for everything else, blanks and symbols included: an unknown mark is never read as some
    other card.
    """
    rank, suit = text[:-1].upper(), text[-1:].lower()
    card = _CARDS.get(("T" if rank == "10" else rank) + suit)
    if card is None:
        raise CardError(f"{text[:20]!r} is no card: {_what_to_write(suit)}")
    return card


def _what_to_write(suit: str) -> str:
    if suit in _SPANISH_SUITS:
        return (
            "suits are c (trébol), d (diamante), h (corazón), s (pique); Spanish letters are refused, because T "
            "is also the ten and C also clubs"
        )
    return "write rank and suit without a space, like As or 10d: 2-9 T J Q K A, and c d h s"
