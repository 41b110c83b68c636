"""What a game of Punto y Banca is played by: numbers set by the house, and every choice the text leaves open, named.

All of it is required: nothing here has a default. The numbers in brackets are those of the text (seed 001).
"""

from enum import StrEnum

import msgspec

DECK = 52
DECKS_ALLOWED = (6, 8)
"""Num. 1: six or eight decks; which, the Dirección says (num. 2)."""

SEATED_LEAST = 5
"""Num. 3: play begins with at least five people seated."""

CARDS_LEAST = 7
"""Nums. 4 and 42: with fewer cards in the shoe a round is not valid."""


class BankLow(StrEnum):
    """How a bank of 0–2 draws when the punto drew: num. 7 has no row for it."""

    DRAWS = "draws"
    AS_THREE = "as_three"


class BankNatural(StrEnum):
    """What a bank of 8 or 9 does to the punto's card: num. 7 says "cierra el juego" of the punto only."""

    CLOSES = "closes"
    STANDS = "stands"


class Discount(StrEnum):
    """Which banca bets lose 10 %: num. 11 does not say "winning"."""

    WINNINGS = "winnings"
    EVERY_BET = "every_bet"


class CommissionBase(StrEnum):
    """What the commission of every second round is taken on: num. 13 names no sum, num. 14 "lo ganado en el mismo"."""

    PAYING_ROUND = "paying_round"
    SINCE_LAST = "since_last"


class FirstDiscount(StrEnum):
    """Which withdrawal in the first round costs 10 %: num. 16 says "el 50%", num. 15 "hasta el 50%"."""

    HALF_ONLY = "half_only"
    ANY = "any"


class EncartSuite(StrEnum):
    """Whose *suite* after encarts costs 5 % of the round before them: num. 35 speaks of one who has asked for half."""

    AFTER_HALF = "after_half"
    ALWAYS = "always"


class Remainder(StrEnum):
    """Who keeps what a commission leaves below `payable_unit`: the text says nothing."""

    PLAYER = "player"
    HOUSE = "house"


class BankWins(StrEnum):
    """How much a round moves the bank: its whole stake, or what the dealer enters. The text says nothing."""

    STAKE = "stake"
    ENTERED = "entered"


class RedCard(StrEnum):
    """Which round is the last when the red card comes up in the middle of one: num. 41 does not say."""

    THIS_ROUND = "this_round"
    NEXT_ROUND = "next_round"


class LeftPlays(StrEnum):
    """What a bet that is not withdrawn plays with in the next round: num. 44 does not say."""

    WITH_WINNINGS = "with_winnings"
    STAKE_ONLY = "stake_only"


class FrozenInto(StrEnum):
    """Where a frozen bet goes when no bank goes on: num. 44 has it enter "la Banca", and after punto there is none."""

    ENDING_BANK = "ending_bank"
    """The bank that fell in the same round, so that its banker is given it; the house where no bank fell."""
    NEXT_BANK = "next_bank"
    """It waits until a bank is taken."""
    HOUSE = "house"


class LastBank(StrEnum):
    """Whether the banker's stake is one of "las apuestas" that may be withdrawn in the last round (num. 41)."""

    STAYS = "stays"
    MAY_LEAVE = "may_leave"
    """Before the deal, whole and without commission."""


class HouseSuite(StrEnum):
    """How long the house goes on with a doubted *suite*: num. 6 ends it with the shoe, num. 10 with punto."""

    UNTIL_SHOE_ENDS = "until_shoe_ends"
    UNTIL_PUNTO = "until_punto"


class SeatedBy(StrEnum):
    """How the table knows who is seated (num. 3): every seat that is not closed, or what the dealer declares."""

    OPEN_SEATS = "open_seats"
    DECLARED = "declared"


class PuntoPolicies(msgspec.Struct, frozen=True):
    """The choices the text leaves open. `bank_draws_to`: the bank draws on 0 … this when the punto stands (2–7)."""

    bank_low: BankLow
    bank_natural: BankNatural
    bank_draws_to: int
    discount: Discount
    commission_base: CommissionBase
    first_discount: FirstDiscount
    first_discount_stacks: bool
    """Whether num. 16 is taken although num. 14 already took 10 % of the same first round."""
    encart_suite: EncartSuite
    remainder: Remainder
    bank_wins: BankWins
    red_card: RedCard
    left_plays: LeftPlays
    first_win_counts: bool
    """Whether the round after which a bet was not withdrawn is the first of the three (num. 44)."""
    frozen_into: FrozenInto
    last_bank: LastBank
    house_suite: HouseSuite
    withdraw_before_win: bool
    """Whether the one withdrawal of num. 15 may be made before the bank has won: the text asks for no win."""
    seated_by: SeatedBy
    require_shoe: bool
    """No round is locked until the shoe was entered; without it nobody knows of the seven cards (nums. 4 and 42)."""
    require_banker: bool
    """No round is locked while nobody, nor the house, holds the bank."""


class PuntoRules(msgspec.Struct, frozen=True):
    """What the Dirección sets (nums. 2 and 5), and the policies. Amounts in minor units.

    `bank_step`: what bids and raises go up by ("pujas y fracciones").
    """

    decks: int
    bank_min: int
    bank_max: int
    bank_step: int
    policies: PuntoPolicies
