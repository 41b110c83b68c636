"""Cards: what is one, what is a hand, and that the ranking agrees with an evaluator written for this test."""

import random
from collections import Counter
from itertools import combinations, combinations_with_replacement, pairwise

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.core.cards import (
    DECK,
    Card,
    CardError,
    Five,
    FiveCardRanking,
    Rank,
    Shown,
    Suit,
    category,
    category_of_three,
    deal,
    hand,
    parse,
    strength,
    strength_of_three,
    three,
)
from controller.core.cards.patterns import combinations as rank_choices
from controller.core.game import Hand
from tests.helpers_cards import NAMES, h, judge

ACE_RULES = pytest.mark.parametrize("ace_low", [True, False])
FIVES = st.lists(st.sampled_from(DECK), min_size=5, max_size=5, unique=True).map(
    lambda cards: hand(tuple(cards))
)


def test_the_deck_is_13_ranks_of_4_suits() -> None:
    assert len(DECK) == len({(card.rank, card.suit) for card in DECK}) == 52
    assert {card.rank for card in DECK} == set(Rank)
    assert {card.suit for card in DECK} == set(Suit)


def test_a_card_says_its_rank_and_suit() -> None:
    ten = parse("Td")
    assert (ten.rank, ten.suit, str(ten)) == (10, Suit.DIAMONDS, "Td")
    assert ten is Card.TEN_OF_DIAMONDS


def test_a_card_is_its_spelling_in_a_record() -> None:
    assert msgspec.json.encode(h("As Kd Qh Jc Ts")) == b'["As","Kd","Qh","Jc","Ts"]'
    assert msgspec.json.decode(b'["As"]', type=list[Card]) == [Card.ACE_OF_SPADES]
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(b'["1s"]', type=list[Card])


def test_a_hand_names_the_card_that_is_there_twice() -> None:
    with pytest.raises(CardError, match=r"^As is named twice in As Ks Qs Js As"):
        h("As Ks Qs Js As")


@pytest.mark.parametrize("count", [0, 1, 4, 6, 7])
def test_a_hand_is_five_cards(count: int) -> None:
    with pytest.raises(CardError, match=f"a hand is five cards, these are {count}"):
        hand(DECK[:count])


@pytest.mark.parametrize("count", [2, 4])
def test_a_hand_of_three_is_three_cards(count: int) -> None:
    with pytest.raises(CardError, match=f"is three cards, these are {count}"):
        three(DECK[:count])
    with pytest.raises(CardError, match="2c is named twice"):
        three((DECK[0], DECK[1], DECK[0]))


def test_an_error_shows_no_more_of_a_text_or_of_a_hand_than_fits_on_a_screen() -> None:
    with pytest.raises(CardError, match=r"^'x{20}' is no card"):
        parse("x" * 21)
    with pytest.raises(CardError, match=r"these are 11: 2c 2d 2h 2s 3c 3d 3h 3s 4c 4d$"):
        hand(DECK[:11])
    with pytest.raises(CardError, match=r"these are 0: none$"):
        three(())


def test_there_are_as_many_choices_of_ranks_as_combinatorics_says() -> None:
    """13 ranks; 5 of them with repetition are C(17, 5) = 6188, of which 13 would be five equal; C(13, 5) = 1287."""
    assert rank_choices(1, 1) == [(rank,) for rank in range(2, 15)]
    assert len(rank_choices(5, 4)) == len(set(rank_choices(5, 4))) == 6175
    assert len(rank_choices(5, 1)) == 1287


def test_a_corrected_hand_replaces_the_seats_first_one() -> None:
    shown = deal((), 3, h("As Ks Qs Js Ts"))
    assert deal(shown, 3, h("As Ks Qs Js 9s")) == (Shown(3, h("As Ks Qs Js 9s")),)


def test_the_bank_is_named_as_such() -> None:
    shown = deal((), 0, h("As Ks Qs Js Ts"))
    with pytest.raises(CardError, match=r"As cannot be at seat 3: the bank shows it in this round"):
        deal(shown, 3, h("As 2c 3d 4h 6s"))


@ACE_RULES
def test_every_hand_is_ranked_as_by_the_tests_own_evaluator(ace_low: bool) -> None:
    """All kinds of hands, in order: neighbours and ties agree, and so does every pair."""
    ranking = FiveCardRanking(ace_low_straight=ace_low)
    kinds = list(kinds_of_hands())
    assert len(kinds) == 7462
    judged = sorted((strength(five, ace_low_straight=ace_low), judge(five, ace_low), five) for five in kinds)
    for mine, (class_, _), five in judged:
        assert ranking.strength(five) == mine
        assert ranking.category(five) is category(five, ace_low_straight=ace_low) is NAMES[class_]
    for (mine, theirs, _), (next_mine, next_theirs, _) in pairwise(judged):
        assert (mine < next_mine) == (theirs < next_theirs)
        assert (mine == next_mine) == (theirs == next_theirs)


def kinds_of_hands() -> list[Five]:
    """One hand of each of the 6,175 choices of ranks in several suits and of the 1,287 of one suit."""
    letters = "23456789TJQKA"
    found = []
    for ranks in combinations_with_replacement(letters, 5):
        if max(Counter(ranks).values()) > 4:
            continue
        suits = [ranks[:at].count(rank) for at, rank in enumerate(ranks)]
        if len(set(ranks)) == 5:
            found.append(h(" ".join(rank + "h" for rank in ranks)))
            suits[2] = 3
        found.append(h(" ".join(rank + "cdhs"[suit] for rank, suit in zip(ranks, suits, strict=True))))
    return found


@given(FIVES, FIVES, st.booleans())
def test_any_two_hands_compare_as_by_the_tests_own_evaluator(one: Five, other: Five, ace_low: bool) -> None:
    mine = strength(one, ace_low_straight=ace_low), strength(other, ace_low_straight=ace_low)
    theirs = judge(one, ace_low), judge(other, ace_low)
    assert (mine[0] < mine[1]) == (theirs[0] < theirs[1])
    assert (mine[0] == mine[1]) == (theirs[0] == theirs[1])


@pytest.mark.parametrize(
    ("ace_low", "straight_flushes", "straights", "flushes", "high"),
    [(True, 48, 720, 1096, 16440), (False, 44, 660, 1100, 16500)],
)
def test_three_cards_are_ranked_by_how_rare_they_are(
    ace_low: bool, straight_flushes: int, straights: int, flushes: int, high: int
) -> None:
    """12 runs of three (11 without the low ace) in 4 suits; C(13,3) × 4 - runs flushes; 4³ - 4 suits a run."""
    found = Counter(
        category_of_three(three(cards), ace_low_straight=ace_low) for cards in combinations(DECK, 3)
    )
    assert found == {
        Hand.STRAIGHT_FLUSH: straight_flushes,
        Hand.THREE_OF_A_KIND: 52,
        Hand.STRAIGHT: straights,
        Hand.FLUSH: flushes,
        Hand.PAIR: 3744,
        Hand.HIGH_CARD: high,
    }


def test_three_cards_in_order() -> None:
    hands = ["2c 3c 4c", "2c 2d 2h", "Qc Kd Ad", "Ac Kc 9c", "Ac Ad Kh", "Kc Kd Ah", "Ac Kd Jh"]
    strengths = [
        strength_of_three(three(tuple(parse(word) for word in text.split())), ace_low_straight=True)
        for text in hands
    ]
    assert strengths == sorted(strengths, reverse=True)
    assert len(set(strengths)) == len(strengths)


@ACE_RULES
def test_the_lowest_three_card_straight_is_the_wheel_where_there_is_one(ace_low: bool) -> None:
    wheel = three((parse("Ac"), parse("2d"), parse("3h")))
    two = three((parse("2c"), parse("3d"), parse("4h")))
    low, high = (strength_of_three(cards, ace_low_straight=ace_low) for cards in (wheel, two))
    assert low < high
    found = category_of_three(wheel, ace_low_straight=ace_low)
    assert found is (Hand.STRAIGHT if ace_low else Hand.HIGH_CARD)


def test_peru_art_12_decides_equal_categories() -> None:
    """Seed 003 art. 12 a-f, and art. 4 f: A-2-3-4-5 is the lowest straight."""
    in_order = [
        "Kc Kd Kh Ks 2c", "Qc Qd Qh Qs Ac",  # a: the higher póker
        "Kc Kd Kh 2s 2c", "Qc Qd Qh As Ac",  # b: the higher three of a full house
        "Ac 7c 5c 3c 2c", "Kd Qd Jd Td 8d",  # c: the highest card of a color
        "2c 3d 4h 5s 6c", "Ac 2d 3h 4s 5c",  # d: the highest card of a straight
        "3c 3d 3h 4s 5c", "2c 2d 2h As Kc",  # e: the higher trío
        "Kc Kd 3h 3s 2c", "Qc Qd Jh Js Ac",  # f: the higher pair,
        "Qc Qd Th Ts 3c", "Qh Qs Tc Td 2h",  #    then the other, then the last card
    ]  # fmt: skip
    strengths = [strength(h(text), ace_low_straight=True) for text in in_order]
    assert strengths == sorted(strengths, reverse=True)
    assert len(set(strengths)) == len(strengths)


@ACE_RULES
def test_a_hundred_thousand_random_hands_have_their_category(ace_low: bool) -> None:
    ranking, chance = FiveCardRanking(ace_low_straight=ace_low), random.Random(5)
    for _ in range(100_000):
        five = hand(tuple(chance.sample(DECK, 5)))
        assert ranking.category(five) is NAMES[judge(five, ace_low)[0]]
