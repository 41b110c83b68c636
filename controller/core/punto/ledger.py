"""The banker's ledger: stake, winnings, commissions, withdrawal, raise, *suite* (nums. 11–16, 20, 35, 38).

All amounts are minor units. Every function returns the bank after it and what moved; what comes in is always what
stays, is paid out, is lost or is commission. An encart is no round here: num. 8 deals the same round again.
"""

from enum import StrEnum
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from controller.core.punto.rules import (
    CommissionBase,
    Discount,
    EncartSuite,
    FirstDiscount,
    PuntoRules,
    Remainder,
)

COMMISSION_PERCENT = 10
"""Nums. 11, 13, 14 and 16."""

SUITE_PERCENT = 5
"""Nums. 20 and 35."""


class Bank(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A banker's *talla*. `rounds` are those he won since he took the bank."""

    seat: int
    initial: int
    stake: int
    suite: bool = False
    """He took the bank over as a *suite*: the turn to deal stays with its origin (num. 6)."""
    rounds: int = 0
    last_won: int = 0
    """Won in the last decided round."""
    last_discounted: bool = False
    """A commission was taken on it."""
    unpaid_base: int = 0
    """Won since a commission was last taken."""
    withdrawn: bool = False
    asked_half: bool = False
    """What he withdrew was half of the bank (num. 35)."""
    encarts: int = 0
    """Encarts since the last decided round."""
    commission: int = 0
    """All commissions of this *talla*."""
    turn_before: int = 0
    """Whose turn it was when he took the bank, should it have to be put right."""
    free: bool = False
    """Dealt as *asiento libre* in the place of the seat whose turn it is (nums. 6, 18, 26)."""
    inherited: int = 0
    """Frozen bets that waited for this bank: not the banker's as long as no round was decided."""


class BankProblem(StrEnum):
    """Why a bank does not do what was asked."""

    STAKE = "stake"
    """Below the minimum, above the maximum, or no whole step (num. 5); or what would stay is below the minimum."""
    ALREADY_WITHDRAWN = "already_withdrawn"
    NO_ROUND_WON = "no_round_won"
    TOO_MUCH = "too_much"
    """More than half (num. 15), or the initial stake would not stay in the bank in the first round (num. 16)."""
    TOO_LITTLE = "too_little"
    """Nothing, or less than the commission that is taken from it."""
    NOT_STAKED = "not_staked"
    """More won or lost than the bank holds."""


class BankError(ValueError):
    """A rule of the ledger forbids it; `problem` says which."""

    def __init__(self, problem: BankProblem) -> None:
        self.problem = problem
        super().__init__(problem)


class Moved(NamedTuple):
    """What an act did: the bank (None: it ended), commission taken, paid out to the banker, and the article."""

    bank: Bank | None
    commission: int = 0
    paid_out: int = 0
    source: str = ""


def commission(amount: int, percent: int, unit: int, remainder: Remainder) -> int:
    """`percent` of `amount` in whole `unit`s; what is left below one goes to the player or to the house by policy."""
    whole, rest = divmod(amount * percent, 100 * unit)
    return (whole + (1 if rest and remainder is Remainder.HOUSE else 0)) * unit


def bet_discount(rules: PuntoRules, stake: int, *, won: bool, unit: int) -> int:
    """The discount on a player's banca bet (num. 11); a punto bet has none (num. 12).

    By policy it is taken from what a winning bet wins (its own stake again), or from every bet's stake.
    """
    if rules.policies.discount is Discount.WINNINGS and not won:
        return 0
    return commission(stake, COMMISSION_PERCENT, unit, rules.policies.remainder)


def take(rules: PuntoRules, seat: int, stake: int, *, suite: bool) -> Bank:
    """Take the bank at the limits in force (num. 5). Raises `BankError`."""
    if not rules.bank_min <= stake <= rules.bank_max or (stake - rules.bank_min) % rules.bank_step:
        raise BankError(BankProblem.STAKE)
    return Bank(seat=seat, initial=stake, stake=stake, suite=suite)


def own(bank: Bank) -> int:
    """What is the banker's of his bank: all, but for frozen bets that were there before he was."""
    return bank.stake - bank.inherited


def begun(bank: Bank) -> bool:
    """Whether a round of this *talla* was dealt; before that it is put right or given back as if never taken."""
    return bool(bank.rounds or bank.encarts)


def pays_now(rules: PuntoRules, bank: Bank, number: int) -> bool:
    """Whether round `number` of a *talla* (from 1) pays: every second from the second (num. 13).

    A *talla* begun above half the maximum pays from the first (num. 14).
    """
    return number % 2 == (1 if bank.initial * 2 > rules.bank_max else 0)


def won(rules: PuntoRules, bank: Bank, amount: int, unit: int) -> Moved:
    """The bank won `amount`; in a paying round 10 % of it are commission. Raises `BankError` above the stake."""
    if not 0 <= amount <= bank.stake:
        raise BankError(BankProblem.NOT_STAKED)
    pays = pays_now(rules, bank, bank.rounds + 1)
    since = bank.unpaid_base + amount
    base = amount if rules.policies.commission_base is CommissionBase.PAYING_ROUND else since
    taken = commission(base, COMMISSION_PERCENT, unit, rules.policies.remainder) if pays else 0
    after = replace(
        bank,
        stake=bank.stake + amount - taken,
        rounds=bank.rounds + 1,
        last_won=amount,
        last_discounted=pays,
        unpaid_base=0 if pays else since,
        encarts=0,
        inherited=0,
        commission=bank.commission + taken,
    )
    source = "num. 14" if bank.initial * 2 > rules.bank_max else "num. 13"
    return Moved(after, taken, 0, source if pays else "")


def lost(bank: Bank, amount: int) -> Moved:
    """Punto won `amount` from the bank: the *talla* ends, what is left goes back to the banker. Raises `BankError`."""
    if not 0 <= amount <= bank.stake:
        raise BankError(BankProblem.NOT_STAKED)
    return Moved(None, 0, bank.stake - amount, "num. 6")


def encart(bank: Bank) -> Bank:
    """The round is dealt again; no round is counted (num. 8)."""
    return replace(bank, encarts=bank.encarts + 1)


def withdraw(rules: PuntoRules, bank: Bank, amount: int, unit: int) -> Moved:
    """The banker withdraws up to half, once (num. 15).

    In the first round at least the initial stake stays, and 10 % of what was won are taken from what he gets
    (num. 16). Before it, where the house allows that at all, nothing was won and the least of a bank stays (num. 5).
    Raises `BankError`.
    """
    if bank.withdrawn:
        raise BankError(BankProblem.ALREADY_WITHDRAWN)
    if not bank.rounds and not rules.policies.withdraw_before_win:
        raise BankError(BankProblem.NO_ROUND_WON)
    if not bank.rounds and own(bank) - amount < rules.bank_min:
        raise BankError(BankProblem.STAKE)
    first = bank.rounds == 1
    if amount * 2 > own(bank) or (first and bank.stake - amount < bank.initial):
        raise BankError(BankProblem.TOO_MUCH)
    discounted = first and _costs_first_discount(rules, bank, amount, unit)
    remainder = rules.policies.remainder
    taken = commission(bank.last_won, COMMISSION_PERCENT, unit, remainder) if discounted else 0
    if amount < 1 or amount < taken:
        raise BankError(BankProblem.TOO_LITTLE)
    after = replace(
        bank,
        stake=bank.stake - amount,
        withdrawn=True,
        asked_half=_is_half(bank, amount, unit),
        last_discounted=bank.last_discounted or discounted,
        unpaid_base=0 if discounted else bank.unpaid_base,
        commission=bank.commission + taken,
    )
    return Moved(after, taken, amount - taken, "num. 16" if discounted else "num. 15")


def _costs_first_discount(rules: PuntoRules, bank: Bank, amount: int, unit: int) -> bool:
    if bank.last_discounted and not rules.policies.first_discount_stacks:
        return False
    return rules.policies.first_discount is FirstDiscount.ANY or _is_half(bank, amount, unit)


def _is_half(bank: Bank, amount: int, unit: int) -> bool:
    """Half of the bank, or the largest payable part of it below."""
    return amount * 2 <= own(bank) < (amount + unit) * 2


def increase(rules: PuntoRules, bank: Bank, by: int) -> Bank:
    """Raise the stake after at least one round, within the maximum (num. 38). Raises `BankError`."""
    if not bank.rounds:
        raise BankError(BankProblem.NO_ROUND_WON)
    if by < 1 or bank.stake + by > rules.bank_max or by % rules.bank_step:
        raise BankError(BankProblem.STAKE)
    return replace(bank, stake=bank.stake + by)


def suite(rules: PuntoRules, bank: Bank, unit: int) -> Moved:
    """The banker passes the bank on: 5 % of an undiscounted middle round (nums. 20 and 35), then all is his.

    After encarts it is 5 % of the round before them. Raises `BankError` before a round was won: then he gives up.
    """
    if not bank.rounds:
        raise BankError(BankProblem.NO_ROUND_WON)
    policies = rules.policies
    owed = not bank.last_discounted
    if bank.encarts and policies.encart_suite is EncartSuite.AFTER_HALF and not bank.asked_half:
        owed = False
    taken = commission(bank.last_won, SUITE_PERCENT, unit, policies.remainder) if owed else 0
    source = "num. 35" if bank.encarts else "num. 20"
    return Moved(None, taken, bank.stake - taken, source if taken else "")


def give_up(bank: Bank, source: str) -> Moved:
    """The banker leaves where the text charges nothing; `source` is the article that lets him."""
    return Moved(None, 0, bank.stake, source)


def frozen_in(bank: Bank, amount: int) -> Bank:
    """A frozen bet enters the bank (num. 44)."""
    return replace(bank, stake=bank.stake + amount)


def inherit(bank: Bank, amount: int) -> Bank:
    """Frozen bets that waited enter a bank that was just taken (num. 44)."""
    return replace(bank, stake=bank.stake + amount, inherited=amount)


def disinherit(bank: Bank) -> Bank:
    """The bank is given back before a round was decided: what had waited waits again."""
    return replace(bank, stake=bank.stake - bank.inherited, inherited=0)
