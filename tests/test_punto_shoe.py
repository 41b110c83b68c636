"""The shoe of Punto y Banca (seed 001 nums. 1, 4, 9, 41–43): cards left, the red card, the last round."""

import pytest
from hypothesis import given
from hypothesis import strategies as some

from controller.core.punto import shoe as shoes
from controller.core.punto.rules import RedCard
from controller.core.punto.shoe import Enough, Shoe, enough


def test_num_1_six_decks_are_312_cards_and_eight_are_416() -> None:
    assert [(shoe.least, shoe.most) for shoe in (shoes.make(6, 7), shoes.make(8, 20))] == [
        (312, 312),
        (416, 416),
    ]


@pytest.mark.parametrize("behind", [0, 6, 312])
def test_num_4_fewer_than_seven_cards_behind_the_red_one_are_refused(behind: int) -> None:
    with pytest.raises(ValueError, match="7 to 311 are allowed"):
        shoes.make(6, behind)


def test_entered_hands_keep_the_count_exact_and_others_widen_it() -> None:
    """312 - 5 entered - (4 to 6) not entered - 1 burned: 300 to 302."""
    shoe = shoes.burned(shoes.dealt(shoes.dealt(shoes.make(6, 7), 5), None))
    assert (shoe.least, shoe.most) == (300, 302)
    assert shoes.spoiled(shoe).most == 302
    assert shoes.spoiled(shoe).least == 294


def test_nums_4_and_42_seven_cards_are_needed() -> None:
    assert enough(Shoe(7, 7, 7)) is Enough.YES
    assert enough(Shoe(6, 6, 7)) is Enough.NO
    assert enough(Shoe(6, 8, 7)) is Enough.COUNT
    assert enough(shoes.counted(Shoe(6, 8, 7), 7)) is Enough.YES


@pytest.mark.parametrize("cards", [-1, 9])
def test_a_count_the_shoe_cannot_hold_is_refused(cards: int) -> None:
    with pytest.raises(ValueError, match="at most 8"):
        shoes.counted(Shoe(6, 8, 7), cards)


def test_num_41_the_red_card_before_a_deal_makes_the_open_round_the_last() -> None:
    shoe = shoes.red_shown(Shoe(5, 40, 9), RedCard.NEXT_ROUND, dealing=False)
    assert shoe == Shoe(9, 9, 9, red=True, last=True)
    assert shoes.round_over(shoe) == Shoe(9, 9, 9, red=True, over=True)


def test_the_red_card_in_the_middle_of_a_round_counts_by_policy() -> None:
    this = shoes.red_shown(Shoe(5, 40, 9), RedCard.THIS_ROUND, dealing=True)
    following = shoes.red_shown(Shoe(5, 40, 9), RedCard.NEXT_ROUND, dealing=True)
    assert this.last
    assert not following.last
    assert shoes.round_over(following).last
    assert not shoes.round_over(following).over
    assert shoes.round_over(shoes.round_over(following)).over
    assert shoes.round_over(this).over


def test_a_round_without_a_red_card_changes_nothing() -> None:
    shoe = shoes.make(8, 12)
    assert shoes.round_over(shoe) == shoe


@given(some.lists(some.integers(4, 6)), some.lists(some.booleans()), some.integers(7, 311))
def test_the_truth_is_always_within_the_bounds(used: list[int], entered: list[bool], behind: int) -> None:
    shoe, true = shoes.make(6, behind), 312
    for cards, known in zip(used, entered, strict=False):
        true = max(true - cards, 0)
        shoe = shoes.dealt(shoe, cards if known else None)
        assert shoe.least <= true <= shoe.most


@given(some.integers(4, 6), some.integers(0, 6), some.integers(7, 50), some.booleans())
def test_the_bounds_hold_when_the_red_card_comes_in_the_middle_of_a_deal(
    used: int, before_red: int, behind: int, known: bool
) -> None:
    """`before_red` of the deal's cards lay before the red card: behind - (used - before_red) are left."""
    before_red = min(before_red, used)
    shoe = shoes.red_shown(Shoe(behind, behind + 30, behind), RedCard.THIS_ROUND, dealing=True)
    shoe = shoes.dealt(shoe, used if known else None)
    assert shoe.least <= behind - (used - before_red) <= shoe.most
