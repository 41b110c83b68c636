"""Ante and bet by the texts: every expected amount is worked out by hand beside its hands. Ante 10.00, bet 20.00."""

import pytest
from msgspec.structs import replace

from controller.config import load
from controller.core.cards import CardError
from controller.core.game import Hand
from controller.core.settlement import (
    BaseRules,
    Opening,
    Outcome,
    PayTable,
    Settled,
    Stake,
    StakeError,
    Tie,
    opens,
    settle,
)
from tests.helpers_cards import h

ANTE, BET = 1_000, 2_000
GONE_ON = Stake(ANTE, BET, bought=False, progressive=False)
WITH_LAMP = Stake(ANTE, BET, bought=False, progressive=True)
ACE_KING = "Ac Kd 9h 5s 3c"
ACE_QUEEN = "Ac Qd 9h 5s 3c"


def shipped(game: str) -> BaseRules:
    """The base game of a shipped profile: its own pay table, opening and ace rule."""
    settings = load("simulated", {"game": game})
    assert settings.base is not None
    rules = settings.base.rules(settings.game)
    assert rules is not None
    return rules


MONTEVIDEO = replace(shipped("uy-montevideo-caribbean"), ante_by_table=False)
CHILE = shipped("cl-caribbean")
PLUS = shipped("cl-caribbean-plus")
DRAW_PAYS = PayTable({Hand.PAIR: 1, Hand.TWO_PAIR: 2, Hand.FLUSH: 6}, "the house")
DRAW = replace(shipped("cl-draw"), pays=DRAW_PAYS)


def settled(rules: BaseRules, bank: str, player: str, stake: Stake = GONE_ON) -> Settled:
    return settle(rules, h(bank), h(player), stake)


@pytest.mark.parametrize(
    ("bank", "plays"),
    [
        (ACE_KING, True),
        (ACE_QUEEN, False),
        ("Kc Qd Jh 9s 8c", False),
        ("2c 2d 3h 4s 5c", True),  # a pair of twos is better than ace and king
        ("2c 3d 4h 5s 6c", True),
        ("Ac 2d 3h 4s 5c", False),  # no straight here, and no king
    ],
)
def test_montevideos_bank_plays_with_ace_and_king_or_better(bank: str, plays: bool) -> None:
    """Seed 000 art. 8, 13 and 15."""
    assert opens(Opening.ACE_KING, h(bank), ace_low_straight=False) is plays


def test_where_the_ace_may_begin_a_straight_the_wheel_opens() -> None:
    assert opens(Opening.ACE_KING, h("Ac 2d 3h 4s 5c"), ace_low_straight=True)


@pytest.mark.parametrize(
    ("bank", "plays"),
    [
        ("8c 8d 2h 3s 4c", True),
        ("7c 7d Ah Ks Qc", False),
        ("Ac Kd Qh Js 9c", False),
        ("2c 2d 3h 3s 4c", True),  # two pair is better than a pair of eights
        ("2c 2d 2h 3s 4c", True),
        ("2c 3d 4h 5s 6c", True),
    ],
)
def test_draws_bank_opens_with_a_pair_of_eights_or_better(bank: str, plays: bool) -> None:
    """Seed 002: "un par de OCHOS o mayor"."""
    assert opens(Opening.PAIR_OF_EIGHTS, h(bank), ace_low_straight=True) is plays


def test_who_folds_loses_the_ante_whatever_the_bank_has() -> None:
    """Seed 000 art. 10; the cards are taken away unseen."""
    folded = Stake(ANTE, 0, bought=False, progressive=False)
    assert settle(MONTEVIDEO, h(ACE_QUEEN), None, folded) == Settled(Outcome.FOLDED, -1_000, 0, 0)


def test_a_bank_that_does_not_play_pays_the_ante_and_gives_the_bet_back() -> None:
    """Seed 000 art. 13 B: also to a hand that would have lost."""
    found = settled(MONTEVIDEO, ACE_QUEEN, "2c 4d 6h 8s 9c", WITH_LAMP)
    assert found == Settled(Outcome.BANK_DOES_NOT_OPEN, 1_000, 0, 0)
    assert found.total == 1_000


@pytest.mark.parametrize(
    ("changes", "ante", "bet"),
    [
        ({"unopened_pays_ante": False}, 0, 0),  # both are given back
        ({"unopened_returns_bet": False}, 1_000, -2_000),
        ({"unopened_pays_ante": False, "unopened_returns_bet": False}, 0, -2_000),
    ],
)
def test_where_the_text_is_silent_the_house_says_what_a_bank_that_does_not_open_does(
    changes: dict[str, bool], ante: int, bet: int
) -> None:
    """Seed 003 has no such article; the keys are the house's."""
    found = settled(replace(shipped("pe-caribbean"), **changes), ACE_QUEEN, "2c 4d 6h 8s 9c")
    assert found == Settled(Outcome.BANK_DOES_NOT_OPEN, ante, bet, 0)


def test_a_tie_is_a_push_or_the_banks_as_the_house_says_where_the_text_is_silent() -> None:
    """Seed 000 art. 16 fixes the push; seed 004 has nothing. Ace, king, nine, five and three on both sides."""
    same = "As Kh 9c 5d 3s"
    assert settled(CHILE, ACE_KING, same) == Settled(Outcome.PUSH, 0, 0, 0)
    banks = replace(CHILE, tie=Tie.BANK)
    assert settled(banks, ACE_KING, same) == Settled(Outcome.BANK_WINS, -1_000, -2_000, 0)
    better = "As Kh 9c 5d 4s"
    assert settled(banks, ACE_KING, better) == Settled(Outcome.PLAYER_WINS, 1_000, 2_000, 0)


@pytest.mark.parametrize(
    ("hand", "won"),
    [
        ("Ah Ks Td 5c 2d", 2_000),  # ace and king with a ten against a nine, 1:1
        ("2c 2d 7h 8s 9c", 2_000),  # a pair, 1:1
        ("2c 2d 7h 7s 9c", 4_000),  # two pair, 2:1
        ("2c 2d 2h 7s 9c", 6_000),  # three of a kind, 3:1
        ("2c 3d 4h 5c 6d", 8_000),  # straight, 4:1
        ("2d 3d 4d 5d 7d", 10_000),  # flush, 5:1
        ("2c 2d 2h 7s 7c", 14_000),  # full house, 7:1
        ("2c 2d 2h 2s 7c", 40_000),  # four of a kind, 20:1
        ("2d 3d 4d 5d 6d", 100_000),  # straight flush, 50:1
        ("Ts Js Qs Ks As", 200_000),  # royal flush, 100:1
    ],
)
def test_a_winners_bet_is_paid_by_the_table_and_the_ante_even(hand: str, won: int) -> None:
    """Seed 000 art. 14 and 18; the same multiples in seed 004."""
    for rules in (MONTEVIDEO, CHILE):
        assert settled(rules, ACE_KING, hand) == Settled(Outcome.PLAYER_WINS, 1_000, won, 0)


def test_read_to_the_letter_art_18_pays_the_ante_by_the_table_too() -> None:
    found = settled(replace(MONTEVIDEO, ante_by_table=True), ACE_KING, "2c 2d 2h 7s 7c")
    assert found == Settled(Outcome.PLAYER_WINS, 7_000, 14_000, 0)


def test_the_next_highest_card_decides_and_a_full_tie_is_a_dead_hand() -> None:
    """Seed 000 art. 16: A-K-9-5-3 beats A-K-9-5-2; the same ranks in other suits leave all bets where they are."""
    assert settled(MONTEVIDEO, ACE_KING, "Ah Ks 9c 5d 2c") == Settled(Outcome.BANK_WINS, -1_000, -2_000, 0)
    assert settled(MONTEVIDEO, ACE_KING, "Ah Ks 9c 5d 3d") == Settled(Outcome.PUSH, 0, 0, 0)


def test_ace_to_five_wins_in_chile_and_loses_in_montevideo() -> None:
    """A-2-3-4-5: in Montevideo an ace without a king, against ace and king; elsewhere a straight, 4:1."""
    wheel = "Ad 2c 3h 4s 5c"
    assert settled(MONTEVIDEO, ACE_KING, wheel) == Settled(Outcome.BANK_WINS, -1_000, -2_000, 0)
    assert settled(CHILE, ACE_KING, wheel) == Settled(Outcome.PLAYER_WINS, 1_000, 8_000, 0)


def test_a_suited_ace_to_five_is_paid_as_a_flush_in_montevideo() -> None:
    """5:1 there, 50:1 where it is a straight flush."""
    wheel = "Ad 2d 3d 4d 5d"
    assert settled(MONTEVIDEO, "Ac Kc 9h 5s 3c", wheel).bet == 10_000
    assert settled(CHILE, "Ac Kc 9h 5s 3c", wheel).bet == 100_000


@pytest.mark.parametrize(
    ("returned", "stake", "bet"),
    [(True, GONE_ON, 0), (True, WITH_LAMP, 0), (False, GONE_ON, 0), (False, WITH_LAMP, -2_000)],
)
def test_chiles_bet_comes_back_by_the_policy_for_a_valid_progressive(
    returned: bool, stake: Stake, bet: int
) -> None:
    rules = replace(CHILE, bet_returned_with_progressive=returned)
    found = settled(rules, ACE_QUEEN, "2c 2d 7h 8s 9c", stake)
    assert found == Settled(Outcome.BANK_DOES_NOT_OPEN, 1_000, bet, 0)


@pytest.mark.parametrize(
    ("bank", "player", "total"),
    [
        (ACE_KING, "2c 2d 7h 8s 9c", 2_000),  # 10 + 20 won, 10 paid for the card
        (ACE_QUEEN, "2c 2d 7h 8s 9c", 0),  # ante won, card paid
        (ACE_KING, "2c 4d 6h 8s 9c", -4_000),  # all three lost
        (ACE_KING, "Ah Ks 9c 5d 3d", -1_000),  # a push costs the card
    ],
)
def test_a_bought_card_costs_the_ante_once_more_in_every_case(bank: str, player: str, total: int) -> None:
    """Seed 004, Opción de Compra (Plus)."""
    found = settled(PLUS, bank, player, Stake(ANTE, BET, bought=True, progressive=False))
    assert (found.purchase, found.total) == (-1_000, total)


@pytest.mark.parametrize(
    ("most", "ante", "bet"), [(201_000, 1_000, 200_000), (50_000, 1_000, 49_000), (500, 500, 0)]
)
def test_the_house_may_limit_what_a_hand_wins(most: int, ante: int, bet: int) -> None:
    """Seed 004: a royal flush would win 10.00 and 2,000.00."""
    rules = replace(CHILE, most_per_hand=most)
    assert settled(rules, ACE_KING, "Ts Js Qs Ks As") == Settled(Outcome.PLAYER_WINS, ante, bet, 0)


def test_draw_pays_by_the_houses_table() -> None:
    """Seed 002 has none: two pair 2:1 here, and a hand the table leaves out is refused."""
    eights = "8c 8d 2h 3s 4c"
    assert settled(DRAW, eights, "9c 9d 5h 5s 6c") == Settled(Outcome.PLAYER_WINS, 1_000, 4_000, 0)
    assert settled(DRAW, "7c 7d Ah Ks Qc", "2c 4d 6h 8s 9c") == Settled(
        Outcome.BANK_DOES_NOT_OPEN, 1_000, 0, 0
    )
    with pytest.raises(StakeError, match=r"the pay table \(the house\) has no line for straight; add it"):
        settled(DRAW, eights, "9c Td Jh Qs Kc")


@pytest.mark.parametrize(
    ("stake", "why"),
    [
        (Stake(0, 0, bought=False, progressive=False), "an ante of 0 is none"),
        (Stake(ANTE, 1_999, bought=False, progressive=False), "it is twice the ante, 2000, or 0 for a fold"),
        (Stake(ANTE, 1_000, bought=False, progressive=False), "a bet of 1000 does not go"),
        (Stake(ANTE, BET, bought=True, progressive=False), "no card can be bought in this game"),
    ],
)
def test_a_stake_the_rules_do_not_know_is_refused(stake: Stake, why: str) -> None:
    with pytest.raises(StakeError, match=why):
        settled(MONTEVIDEO, ACE_KING, "2c 2d 7h 8s 9c", stake)


@pytest.mark.parametrize(
    ("stake", "why"),
    [
        (Stake(ANTE, BET, bought=True, progressive=True), "loses the progressive wager"),
        (Stake(ANTE, 0, bought=True, progressive=False), "a card is bought after the bet"),
    ],
)
def test_plus_refuses_what_cannot_be(stake: Stake, why: str) -> None:
    with pytest.raises(StakeError, match=why):
        settled(PLUS, ACE_KING, "2c 2d 7h 8s 9c", stake)


def test_a_bet_needs_cards_and_a_card_is_in_one_hand() -> None:
    with pytest.raises(StakeError, match="a bet without cards"):
        settle(MONTEVIDEO, h(ACE_KING), None, GONE_ON)
    with pytest.raises(CardError, match="Ac is in the bank's hand and in the player's"):
        settled(MONTEVIDEO, ACE_KING, "Ac 2d 7h 8s 9c")


def test_both_texts_pay_every_category() -> None:
    for rules in (MONTEVIDEO, CHILE, PLUS):
        assert set(rules.pays.to_one) == set(Hand)
