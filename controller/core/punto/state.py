"""What a table of Punto y Banca keeps beside its phase and seats. Defaults are left out of the record."""

import msgspec

from controller.core.punto.frozen import LeftBet
from controller.core.punto.ledger import Bank
from controller.core.punto.score import PuntoResult
from controller.core.punto.shoe import Shoe


class Hands(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """The cards of one deal by rank (1 ace … 13 rey).

    `by_dealer`: nobody seated had bet on punto and the dealer stands on 5 (num. 28). In the case of num. 27 he turns
    the cards too, but the option is a player's: that is not `by_dealer`.
    """

    punto: tuple[int, ...]
    banca: tuple[int, ...]
    by_dealer: bool = False


class Punto(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """The part of the state that only this game has. Amounts in minor units; seat 0 means nobody."""

    begun: bool = False
    """A round was locked since the table was opened: the five seated of num. 3 were there."""
    seated: int = 0
    """How many the dealer declared seated."""
    shoe: Shoe | None = None
    bank: Bank | None = None
    house_bank: bool = False
    """The house goes on with a bank its banker left in doubt, until punto wins (num. 10)."""
    turn: int = 0
    """Whose turn it is to deal (num. 6)."""
    suite: bool = False
    """A *suite* was given in this turn."""
    left: tuple[LeftBet, ...] = ()
    hands: Hands | None = None
    result: PuntoResult | None = None
    """What the dealer entered for the round that is locked; an encart never stands."""
    amount: int | None = None
    """What the bank won or lost, where the dealer enters it."""
    void: bool = False
    doubted: bool = False
    """The deal was doubted: who disagrees may withdraw (num. 10)."""
    encarts: int = 0
    """Encarts of the round that is locked."""
    last: PuntoResult | None = None
    """What the round before became."""
    commission_meter: int = 0
    """All commissions the bankers paid at this table; it never falls."""
    discount_meter: int = 0
    """All discounts taken from banca bets that were left (num. 11); it never falls."""
    frozen_waiting: int = 0
    """Frozen bets that wait for the next bank, where the house has it so (num. 44)."""
    frozen_meter: int = 0
    """All frozen bets that no bank got and the house kept; it never falls."""
