"""Bets that are not withdrawn: they play up to the third winning round, then they are frozen into the bank (num. 44).

It knows bets and results, no bank and no phase.
"""

from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from controller.core.punto.ledger import bet_discount
from controller.core.punto.rules import LeftPlays, PuntoRules
from controller.core.punto.score import PuntoResult

WINS = 3
"""Num. 44: "hasta el tercer pase, ganador inclusive"."""


class LeftBet(msgspec.Struct, frozen=True, gc=False):
    """A bet a player did not take back, in minor units.

    `waiting`: winnings that lie beside it and do not play; they stay the player's when the bet is lost or frozen.
    """

    seat: int
    side: PuntoResult
    amount: int
    waiting: int
    wins: int


class Played(NamedTuple):
    """What a round did with the bets: those that play on, those frozen into the bank, those lost."""

    left: tuple[LeftBet, ...]
    frozen: tuple[LeftBet, ...]
    lost: tuple[LeftBet, ...]
    discount: int
    """Taken from banca bets (num. 11): from what they won, and by policy from what lies beside a lost one."""


def leave(rules: PuntoRules, seat: int, side: PuntoResult, amount: int) -> LeftBet:
    """Note a winning bet that was not withdrawn; by policy the round it won is the first of the three.

    Raises `ValueError` for an encart, on which nobody bets, and for an amount below 1.
    """
    if side is PuntoResult.ENCART or amount < 1:
        raise ValueError(f"no bet of {amount} on {side} can be left")
    return LeftBet(seat, side, amount, 0, 1 if rules.policies.first_win_counts else 0)


def play(rules: PuntoRules, bets: tuple[LeftBet, ...], result: PuntoResult, unit: int) -> Played:
    """One round: an encart changes nothing, a losing bet is lost, the third win freezes stake and winnings."""
    if result is PuntoResult.ENCART:
        return Played(bets, (), (), 0)
    losers = tuple(bet for bet in bets if bet.side is not result)
    owed = [min(_discount(rules, bet, unit, won=False), bet.waiting) for bet in losers]
    winners = tuple(bet for bet in bets if bet.side is result)
    after = tuple(_won(rules, bet, unit) for bet in winners)
    return Played(
        left=tuple(bet for bet in after if bet.wins < WINS),
        frozen=tuple(bet for bet in after if bet.wins >= WINS),
        lost=tuple(replace(bet, waiting=bet.waiting - due) for bet, due in zip(losers, owed, strict=True)),
        discount=sum(_discount(rules, bet, unit, won=True) for bet in winners) + sum(owed),
    )


def _discount(rules: PuntoRules, bet: LeftBet, unit: int, *, won: bool) -> int:
    if bet.side is PuntoResult.PUNTO:
        return 0
    return bet_discount(rules, bet.amount, won=won, unit=unit)


def _won(rules: PuntoRules, bet: LeftBet, unit: int) -> LeftBet:
    gain = bet.amount - _discount(rules, bet, unit, won=True)
    if rules.policies.left_plays is LeftPlays.WITH_WINNINGS:
        return replace(bet, amount=bet.amount + gain, wins=bet.wins + 1)
    return replace(bet, waiting=bet.waiting + gain, wins=bet.wins + 1)
