"""Ante and bet of the games against the bank: what a player gets or loses when the bank has shown its hand.

Pure arithmetic in minor units. It knows cards and the articles, and nothing of the progressive but whether the
player has a valid wager in it; pots are `controller.core.pot`'s. Pay tables are data.
"""

from enum import StrEnum

import msgspec

from controller.core.cards import Card, CardError, Five, Rank, category, strength
from controller.core.game import Hand


class Opening(StrEnum):
    """What the bank needs at least to play."""

    ACE_KING = "ace_king"
    """An ace and a king, or any better category (seed 000 art. 8 and 13, seed 004)."""
    PAIR_OF_EIGHTS = "pair_of_eights"
    """A pair of eights or better (seed 002, "un par de OCHOS o mayor")."""


class Tie(StrEnum):
    """What becomes of ante and bet when both hands are worth the same."""

    PUSH = "push"
    """Nobody wins, the bets stay the player's (seed 000 art. 16)."""
    BANK = "bank"
    """The bank wins."""


class StakeError(ValueError):
    """A stake or a pay table the rules do not know; the message is for the person who entered it."""


class PayTable(msgspec.Struct, frozen=True):
    """What a winning bet is paid `to_one`, by category, and the text that says so."""

    to_one: dict[Hand, int]
    source: str

    def times(self, hand: Hand) -> int:
        """How many times the bet a winning hand is paid. Raises `StakeError` for a hand the table leaves out."""
        found = self.to_one.get(hand)
        if found is None:
            raise StakeError(f"the pay table ({self.source}) has no line for {hand}; add it")
        return found


class BaseRules(msgspec.Struct, frozen=True):
    """The base game of a table. Nothing has a default: what a text leaves open must be said.

    `bet_returned_with_progressive`: seed 004 returns the bet of a bank that does not open "except where there is
    a valid progressive"; true reads that as returned to everybody, false as lost with a valid progressive wager.
    `ante_by_table`: seed 000 art. 18 pays ante and bet "by the pay table"; false reads that as seed 004 says it,
    the ante 1:1. `unopened_pays_ante`, `unopened_returns_bet`: what a bank that does not open does with the stakes of
    those who went on; without them the ante is given back, the bet lost. `most_per_hand` is the house's limit of what
    ante and bet of one hand win, in minor units.
    """

    ace_low_straight: bool
    bank_opens: Opening
    pays: PayTable
    card_can_be_bought: bool
    bet_returned_with_progressive: bool
    ante_by_table: bool
    unopened_pays_ante: bool
    unopened_returns_bet: bool
    tie: Tie
    most_per_hand: int | None


class Stake(msgspec.Struct, frozen=True):
    """What a player has on the table, in minor units.

    `bet` 0 says that the player folded. `bought`: the player bought a card. `progressive`: the lamp is lit.
    """

    ante: int
    bet: int
    bought: bool
    progressive: bool


class Outcome(StrEnum):
    """How a hand ended."""

    FOLDED = "folded"
    BANK_DOES_NOT_OPEN = "bank_does_not_open"
    PLAYER_WINS = "player_wins"
    BANK_WINS = "bank_wins"
    PUSH = "push"


class Settled(msgspec.Struct, frozen=True):
    """What each part of a stake wins (+), loses (-) or neither (0: it is given back), in minor units.

    `purchase` is the price of a bought card, which is the house's in every case.
    """

    outcome: Outcome
    ante: int
    bet: int
    purchase: int

    @property
    def total(self) -> int:
        """What the player is up (+) or down (-) after this hand."""
        return self.ante + self.bet + self.purchase


def opens(opening: Opening, bank: Five, *, ace_low_straight: bool) -> bool:
    """Whether the bank plays with this hand (seed 000 art. 8 and 13, seed 004, seed 002)."""
    found = category(bank, ace_low_straight=ace_low_straight)
    ranks = [card.rank for card in bank]
    match opening:
        case Opening.ACE_KING:
            return found is not Hand.HIGH_CARD or {Rank.ACE, Rank.KING} <= set(ranks)
        case Opening.PAIR_OF_EIGHTS:
            paired = max((rank for rank in ranks if ranks.count(rank) == 2), default=Rank.TWO)
            return found is not Hand.HIGH_CARD and (found is not Hand.PAIR or paired >= Rank.EIGHT)


def settle(rules: BaseRules, bank: Five, player: Five | None, stake: Stake) -> Settled:
    """Settle one hand (seed 000 art. 10, 13, 14, 16, 18; seed 004 "Resolución"; seed 002 for Draw).

    `player` may be None for a fold, whose cards are taken away unseen.

    Raises `StakeError` for a stake the rules do not know, `CardError` if both hands hold the same card.
    """
    price = _price(rules, stake)
    if stake.bet == 0:
        return Settled(Outcome.FOLDED, -stake.ante, 0, -price)
    if player is None:
        raise StakeError("a bet without cards: enter the five cards of the player who went on")
    shared = set(bank) & set(player)
    if shared:
        raise CardError(f"{_first(shared)} is in the bank's hand and in the player's; a deck has one")
    if not opens(rules.bank_opens, bank, ace_low_straight=rules.ace_low_straight):
        return _unopened(rules, stake, price)
    mine = strength(player, ace_low_straight=rules.ace_low_straight)
    banks = strength(bank, ace_low_straight=rules.ace_low_straight)
    if mine == banks and rules.tie is Tie.PUSH:
        return Settled(Outcome.PUSH, 0, 0, -price)
    if mine <= banks:
        return Settled(Outcome.BANK_WINS, -stake.ante, -stake.bet, -price)
    return _won(
        rules, rules.pays.times(category(player, ace_low_straight=rules.ace_low_straight)), stake, price
    )


def _unopened(rules: BaseRules, stake: Stake, price: int) -> Settled:
    """The texts that speak of it pay the ante 1:1 (seed 000 art. 13 B, seed 002 for Draw, seed 004)."""
    with_progressive = rules.bet_returned_with_progressive or not stake.progressive
    kept = rules.unopened_returns_bet and with_progressive
    ante = stake.ante if rules.unopened_pays_ante else 0
    return Settled(Outcome.BANK_DOES_NOT_OPEN, ante, 0 if kept else -stake.bet, -price)


def _won(rules: BaseRules, to_one: int, stake: Stake, price: int) -> Settled:
    """The ante is paid first, so that a limit of the house cuts the bet's win."""
    ante = stake.ante * (to_one if rules.ante_by_table else 1)
    bet = stake.bet * to_one
    if rules.most_per_hand is not None:
        ante = min(ante, rules.most_per_hand)
        bet = min(bet, rules.most_per_hand - ante)
    return Settled(Outcome.PLAYER_WINS, ante, bet, -price)


def _price(rules: BaseRules, stake: Stake) -> int:
    """What the bought card cost: as much as the ante (seed 004, "Opción de Compra")."""
    if stake.ante <= 0:
        raise StakeError(f"an ante of {stake.ante} is none: without it there is no hand (seed 000 art. 4)")
    if stake.bet not in {0, 2 * stake.ante}:
        raise StakeError(
            f"a bet of {stake.bet} does not go with an ante of {stake.ante}: it is twice the ante, "
            f"{2 * stake.ante}, or 0 for a fold (seed 000 art. 10, seed 004, seed 002)"
        )
    if stake.bought and not rules.card_can_be_bought:
        raise StakeError("no card can be bought in this game (seed 000 art. 8); take the purchase out")
    if stake.bought and stake.bet == 0:
        raise StakeError("a card is bought after the bet (seed 004): enter the bet, or take the purchase out")
    if stake.bought and stake.progressive:
        raise StakeError("who buys a card loses the progressive wager (seed 004): its lamp must be off")
    return stake.ante if stake.bought else 0


def _first(cards: set[Card]) -> Card:
    return min(cards, key=lambda card: (card.rank, card.suit))
