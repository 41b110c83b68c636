"""Field-log rows about cards and their rankings, each under its number."""

import random
from collections import Counter
from itertools import combinations, permutations

import pytest

from controller.core.cards import (
    DECK,
    CardError,
    Five,
    FiveCardRanking,
    Shown,
    category,
    deal,
    hand,
    parse,
    strength,
)
from controller.core.game import Hand
from tests.helpers_cards import h

SUITS = "cdhs"


def named(text: str, ace_low: bool = True) -> Hand:
    return category(h(text), ace_low_straight=ace_low)


def strong(text: str) -> int:
    return strength(h(text), ace_low_straight=True)


@pytest.mark.parametrize("suit", SUITS)
def test_F129_a_steel_wheel_is_a_straight_flush_in_every_order(suit: str) -> None:
    cards = [parse(rank + suit) for rank in "A2345"]
    ranking = FiveCardRanking(ace_low_straight=True)
    for order in permutations(cards):
        assert ranking.category(hand(order)) is Hand.STRAIGHT_FLUSH
        assert category(hand(order), ace_low_straight=True) is Hand.STRAIGHT_FLUSH


@pytest.mark.parametrize("suit", SUITS)
def test_F129_where_the_ace_is_high_only_it_is_a_flush(suit: str) -> None:
    """Seed 000 art. 15: the lowest card of a straight is the two."""
    text = " ".join(rank + suit for rank in "A2345")
    assert named(text, ace_low=False) is Hand.FLUSH
    assert FiveCardRanking(ace_low_straight=False).category(h(text)) is Hand.FLUSH


@pytest.mark.parametrize("suit", SUITS)
def test_F130_the_royal_is_a_category_of_its_own(suit: str) -> None:
    for ace_low in (True, False):
        assert named(" ".join(rank + suit for rank in "TJQKA"), ace_low) is Hand.ROYAL_FLUSH
        assert named(" ".join(rank + suit for rank in "9TJQK"), ace_low) is Hand.STRAIGHT_FLUSH


@pytest.mark.parametrize("text", ["As Ks Qs Js As", "As Ah Ad As Kc"])
def test_F132_a_card_named_twice_is_refused_and_named(text: str) -> None:
    with pytest.raises(CardError, match="As is named twice"):
        h(text)


@pytest.mark.parametrize(("text", "count"), [("As Ks Qs Js", 4), ("As Ks Qs Js Ts 9s", 6)])
def test_F132_any_other_number_of_cards_is_refused(text: str, count: int) -> None:
    with pytest.raises(CardError, match=f"five cards, these are {count}"):
        h(text)


def test_F132_a_card_of_another_seat_is_refused_and_both_seats_named() -> None:
    shown = deal((), 2, h("As Ks Qs Js Ts"))
    with pytest.raises(CardError, match=r"Qs cannot be at seat 5: seat 2 shows it"):
        deal(shown, 5, h("Qs Qh Qd 2c 3c"))


def test_F133_every_canonical_spelling_is_read_and_written_back() -> None:
    assert [str(parse(str(card))) for card in DECK] == [str(card) for card in DECK]
    assert len(set(DECK)) == 52


@pytest.mark.parametrize(
    ("text", "card"), [("10c", "Tc"), ("Tc", "Tc"), ("tC", "Tc"), ("10D", "Td"), ("aS", "As")]
)
def test_F133_known_spellings_give_the_same_card(text: str, card: str) -> None:
    assert parse(text) == card


@pytest.mark.parametrize(
    "text",
    [
        "1c",
        "0c",
        "11h",
        "",
        "c",
        "T",
        "T♣",
        "Th ",
        " Th",
        "T h",
        "2\uff13",
        "\uff12c",
        "Asx",
        "10",
        "010c",
        "Ass",
    ],
)
def test_F133_all_other_spellings_are_refused(text: str) -> None:
    with pytest.raises(CardError, match="is no card"):
        parse(text)


@pytest.mark.parametrize("text", ["AP", "Ap", "10T", "Tt"])
def test_F133_letters_of_spanish_suits_are_refused_with_the_reason(text: str) -> None:
    with pytest.raises(CardError, match="Spanish letters are refused, because T is also the ten"):
        parse(text)


def test_F134_six_or_seven_cards_are_refused() -> None:
    for text in ("9c Th Jh Qh Kh 2h 3h", "9c Th Jh Qh Kh 2h"):
        with pytest.raises(CardError, match="a hand is five cards"):
            h(text)


@pytest.mark.parametrize(
    ("ace_low", "straight_flushes", "flushes", "straights", "nothing"),
    [(True, 36, 5_108, 10_200, 1_302_540), (False, 32, 5_112, 9_180, 1_303_560)],
)
def test_F135_all_hands_are_counted(
    ace_low: bool, straight_flushes: int, flushes: int, straights: int, nothing: int
) -> None:
    """Nothing with the ace high only: the 1,020 unsuited wheels are no straights any more."""
    ranking = FiveCardRanking(ace_low_straight=ace_low)
    found = Counter(map(ranking.category, map(Five, combinations(DECK, 5))))
    assert found == {
        Hand.ROYAL_FLUSH: 4,
        Hand.STRAIGHT_FLUSH: straight_flushes,
        Hand.FOUR_OF_A_KIND: 624,
        Hand.FULL_HOUSE: 3_744,
        Hand.FLUSH: flushes,
        Hand.STRAIGHT: straights,
        Hand.THREE_OF_A_KIND: 54_912,
        Hand.TWO_PAIR: 123_552,
        Hand.PAIR: 1_098_240,
        Hand.HIGH_CARD: nothing,
    }


def test_F135_a_stronger_hand_is_a_greater_number() -> None:
    assert strong("As Ks Qs Js Ts") > strong("5s 4s 3s 2s As") > strong("7c 5d 4h 3s 2c")


def test_F136_flushes_are_compared_card_by_card_and_suits_never_decide() -> None:
    assert strong("Ks Ts 5s 4s 3s") > strong("Qh Th 7h 5h 4h")
    assert strong("Ac Kc 9c 5c 3c") > strong("Ad Kd 9d 5d 2d")
    assert strong("Ac Kc 9c 5c 3c") == strong("Ad Kd 9d 5d 3d")


def test_F137_suits_and_order_change_nothing() -> None:
    chance = random.Random(137)
    for _ in range(1000):
        cards = chance.sample(DECK, 5)
        first = strength(hand(tuple(cards)), ace_low_straight=True)
        for suits in permutations(SUITS):
            other = dict(zip(SUITS, suits, strict=True))
            chance.shuffle(cards)
            moved = hand(tuple(parse(card[0] + other[card[1]]) for card in cards))
            assert strength(moved, ace_low_straight=True) == first


@pytest.mark.parametrize(
    ("ranks", "suited", "unsuited"),
    [
        ("A2345", Hand.STRAIGHT_FLUSH, Hand.STRAIGHT),
        ("TJQKA", Hand.ROYAL_FLUSH, Hand.STRAIGHT),
        ("QKA23", Hand.FLUSH, Hand.HIGH_CARD),
    ],
)
def test_F138_an_ace_begins_or_ends_a_straight_but_is_never_in_its_middle(
    ranks: str, suited: Hand, unsuited: Hand
) -> None:
    for suit in SUITS:
        assert named(" ".join(rank + suit for rank in ranks)) is suited
        other = SUITS[SUITS.index(suit) - 1]
        assert named(" ".join(rank + (other if rank == "A" else suit) for rank in ranks)) is unsuited


def test_F139_exactly_five_cards_of_this_round_are_judged() -> None:
    """Ten thousand entries, corrections and new rounds at random: what is refused changes nothing."""
    chance = random.Random(139)
    shown: tuple[Shown, ...] = ()
    expected: dict[int, set[str]] = {}
    for _ in range(10_000):
        if chance.random() < 0.1:
            shown, expected = (), {}
        seat = chance.randint(0, 7)
        cards = tuple(chance.sample(DECK, chance.choice([4, 5, 5, 5, 6])))
        taken = set().union(*(theirs for other, theirs in expected.items() if other != seat))
        if len(cards) == 5 and not taken & set(cards):
            shown = deal(shown, seat, hand(cards))
            expected[seat] = set(cards)
        else:
            with pytest.raises(CardError):
                deal(shown, seat, hand(cards))
        assert {each.seat: set(each.cards) for each in shown} == expected
        assert all(len(each.cards) == 5 for each in shown)


@pytest.mark.parametrize(
    ("text", "highest"),
    [
        ("As 2s 3s 4s 5s", Hand.STRAIGHT_FLUSH),
        ("2d 3d 4d 5d 6d", Hand.STRAIGHT_FLUSH),
        ("Kc Kd Kh 2s 2c", Hand.FULL_HOUSE),
        ("Kc Kd Kh Ks 2c", Hand.FOUR_OF_A_KIND),
        ("Kc Kd 2h 2s 3c", Hand.TWO_PAIR),
        ("Ts Js Qs Ks As", Hand.ROYAL_FLUSH),
    ],
)
def test_F140_a_hand_that_is_two_things_is_the_higher_one(text: str, highest: Hand) -> None:
    assert named(text) is highest
