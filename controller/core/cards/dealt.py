"""Hands that are certainly hands: the right number of cards, none of them twice, none in two hands of a round.

Whoever holds a `Five` or a `Three` need not ask again; the rankings take nothing else.
"""

from typing import NamedTuple, NewType

from controller.core.cards.card import Card, CardError, parse

Five = NewType("Five", tuple[Card, Card, Card, Card, Card])
"""Five different cards, in the order they were shown."""

Three = NewType("Three", tuple[Card, Card, Card])
"""Three different cards."""


class Shown(NamedTuple):
    """A hand on the table and whose it is: a seat from 1, or 0 for the bank."""

    seat: int
    cards: Five | Three


def hand(cards: tuple[Card, ...]) -> Five:
    """Five different cards. Raises `CardError` for any other number (seed 000 art. 9) and for a card named twice."""
    _refuse_twice(cards)
    match cards:
        case (a, b, c, d, e):
            return Five((a, b, c, d, e))
        case _:
            raise CardError(f"a hand is five cards, these are {len(cards)}: {_listed(cards)}")


def three(cards: tuple[Card, ...]) -> Three:
    """Three different cards. Raises `CardError` as `hand` does."""
    _refuse_twice(cards)
    match cards:
        case (a, b, c):
            return Three((a, b, c))
        case _:
            raise CardError(f"a hand of this game is three cards, these are {len(cards)}: {_listed(cards)}")


def read(text: str) -> Five:
    """Five cards written with blanks between them: `As Ks Qs Js Ts`. Raises `CardError`."""
    return hand(tuple(parse(word) for word in text.split()))


def deal(shown: tuple[Shown, ...], seat: int, cards: Five | Three) -> tuple[Shown, ...]:
    """Lay a seat's cards beside those shown in this round; a seat's second entry replaces its first.

    Raises `CardError` if another hand of the round holds one of them already, and names both.
    """
    others = tuple(other for other in shown if other.seat != seat)
    for other in others:
        for card in cards:
            if card in other.cards:
                raise CardError(
                    f"{card} cannot be at {_whose(seat)}: {_whose(other.seat)} shows it in this round "
                    f"({_listed(other.cards)}). Look at both hands and enter the wrong one again"
                )
    return (*others, Shown(seat, cards))


def _refuse_twice(cards: tuple[Card, ...]) -> None:
    for at, card in enumerate(cards):
        if card in cards[:at]:
            raise CardError(
                f"{card} is named twice in {_listed(cards)}; a deck has one. Look at the hand again"
            )


def _listed(cards: tuple[Card, ...]) -> str:
    return " ".join(cards[:10]) or "none"


def _whose(seat: int) -> str:
    return f"seat {seat}" if seat else "the bank"
