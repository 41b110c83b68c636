"""Who takes a third card: the table of num. 7, and what is wrong with hands that were dealt otherwise."""

from enum import StrEnum

import msgspec

from controller.core.punto.rules import BankLow, BankNatural, PuntoPolicies
from controller.core.punto.score import PuntoResult, points, value, winner

BANK_DRAWS_ON: dict[int, frozenset[int]] = {
    3: frozenset({0, 1, 2, 3, 4, 5, 6, 7, 9}),
    4: frozenset({2, 3, 4, 5, 6, 7}),
    5: frozenset({4, 5, 6, 7}),
    6: frozenset({6, 7}),
    7: frozenset(),
}
"""Num. 7, "toma carta dando": by the bank's points, the values of the punto's third card on which it draws."""

NATURAL = 8
"""Num. 7: with 8 or 9 the punto closes the hand."""

PUNTO_DRAWS_TO = 4
PUNTO_CHOOSES_ON = 5


class PuntoTurn(StrEnum):
    """What the punto does with its first two cards (num. 7)."""

    DRAWS = "draws"
    CHOOSES = "chooses"
    STANDS = "stands"
    CLOSES = "closes"


class Mistake(StrEnum):
    """What is wrong with the cards on the table. Only a burned card lets the round go on by itself (num. 40)."""

    CARD_COUNT = "card_count"
    PUNTO_MUST_DRAW = "punto_must_draw"
    PUNTO_MUST_STAND = "punto_must_stand"
    PUNTO_CARD_BURNED = "punto_card_burned"
    BANK_MUST_DRAW = "bank_must_draw"
    BANK_MUST_STAND = "bank_must_stand"


class Verdict(msgspec.Struct, frozen=True, gc=False):
    """What the cards say. `result` is None while a mistake stands that the text does not settle."""

    punto: int
    banca: int
    result: PuntoResult | None
    mistake: Mistake | None = None


def punto_turn(two: int) -> PuntoTurn:
    """What a punto of `two` points with its first two cards does (num. 7)."""
    if two >= NATURAL:
        return PuntoTurn.CLOSES
    if two <= PUNTO_DRAWS_TO:
        return PuntoTurn.DRAWS
    return PuntoTurn.CHOOSES if two == PUNTO_CHOOSES_ON else PuntoTurn.STANDS


def bank_draws(policies: PuntoPolicies, two: int, given: int | None) -> bool:
    """Whether a bank of `two` points draws; `given` is the value of the punto's third card, None if it stood.

    Num. 7 where it has a row; a bank of 0–2 and a punto that stands are policies. A bank of 8 or 9 never draws.
    """
    if two >= NATURAL:
        return False
    if given is None:
        return two <= policies.bank_draws_to
    if two in BANK_DRAWS_ON:
        return given in BANK_DRAWS_ON[two]
    return policies.bank_low is BankLow.DRAWS or given in BANK_DRAWS_ON[3]


def judge(
    policies: PuntoPolicies, punto: tuple[int, ...], banca: tuple[int, ...], *, by_dealer: bool
) -> Verdict:
    """Check two hands against num. 7 and count them (num. 8).

    `by_dealer`: nobody seated bet on punto, so the dealer turned its cards and stands on 5 (num. 28). Not so where he
    turns them for the greatest bet of one who left his seat, who has the option on 5 (num. 27). A third card the punto
    got by mistake is burned where the bank is not due to draw; the round goes on without it (num. 40).
    """
    if not (2 <= len(punto) <= 3 and 2 <= len(banca) <= 3):
        return _verdict(punto, banca, Mistake.CARD_COUNT)
    two, bank_two = points(punto[:2]), points(banca[:2])
    closed = two >= NATURAL or (bank_two >= NATURAL and policies.bank_natural is BankNatural.CLOSES)
    due, may = _punto_card(two, closed=closed, by_dealer=by_dealer)
    drew = len(punto) == 3
    if due and not drew:
        return _verdict(punto, banca, Mistake.PUNTO_MUST_DRAW)
    if drew and not may:
        bank_due = not closed and bank_draws(policies, bank_two, None)
        if bank_due or len(banca) == 3:
            return _verdict(punto, banca, Mistake.PUNTO_MUST_STAND)
        return _counted(punto[:2], banca, Mistake.PUNTO_CARD_BURNED)
    given = value(punto[2]) if drew else None
    bank_due = not closed and bank_draws(policies, bank_two, given)
    if bank_due and len(banca) == 2:
        return _verdict(punto, banca, Mistake.BANK_MUST_DRAW)
    if not bank_due and len(banca) == 3:
        return _verdict(punto, banca, Mistake.BANK_MUST_STAND)
    return _counted(punto, banca, None)


def _punto_card(two: int, *, closed: bool, by_dealer: bool) -> tuple[bool, bool]:
    """Whether a third card is due to the punto, and whether it may have one."""
    if closed:
        return False, False
    match punto_turn(two):
        case PuntoTurn.DRAWS:
            return True, True
        case PuntoTurn.CHOOSES:
            return False, not by_dealer
        case PuntoTurn.STANDS | PuntoTurn.CLOSES:
            return False, False


def _verdict(punto: tuple[int, ...], banca: tuple[int, ...], mistake: Mistake) -> Verdict:
    return Verdict(points(punto), points(banca), None, mistake)


def _counted(punto: tuple[int, ...], banca: tuple[int, ...], mistake: Mistake | None) -> Verdict:
    of_punto, of_banca = points(punto), points(banca)
    return Verdict(of_punto, of_banca, winner(of_punto, of_banca), mistake)
