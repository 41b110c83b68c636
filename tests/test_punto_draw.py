"""Points and the third card of Punto y Banca (seed 001 nums. 1, 7, 8, 28, 40), worked by hand from the text."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as some

from controller.core.punto.draw import Mistake, PuntoTurn, Verdict, bank_draws, judge, punto_turn
from controller.core.punto.rules import BankLow, BankNatural
from controller.core.punto.score import PuntoResult, points, value, winner
from tests.helpers_punto import PUNTO_POLICIES, with_punto

PUNTO, BANCA, ENCART = PuntoResult.PUNTO, PuntoResult.BANCA, PuntoResult.ENCART
HANDS = some.lists(some.integers(1, 13), min_size=2, max_size=3).map(tuple)

# Num. 7, read row by row; the column is what the punto's third card gives, 0 to 9. + takes a card, - does not.
TABLE = {
    3: "++++++++-+",
    4: "--++++++--",
    5: "----++++--",
    6: "------++--",
    7: "----------",
}


@pytest.mark.parametrize("bank", TABLE)
@pytest.mark.parametrize("given_card", range(10))
def test_num_7_the_bank_draws_by_the_puntos_third_card(bank: int, given_card: int) -> None:
    assert bank_draws(PUNTO_POLICIES, bank, given_card) is (TABLE[bank][given_card] == "+")


def test_a_bank_of_0_to_2_draws_always_or_like_a_3_by_policy() -> None:
    as_three = with_punto(bank_low=BankLow.AS_THREE).policies
    for bank in (0, 1, 2):
        assert all(bank_draws(PUNTO_POLICIES, bank, card) for card in range(10))
        assert [card for card in range(10) if not bank_draws(as_three, bank, card)] == [8]


def test_when_the_punto_stands_the_bank_draws_up_to_the_policys_points() -> None:
    to_five = [bank for bank in range(10) if bank_draws(PUNTO_POLICIES, bank, None)]
    to_four = [bank for bank in range(10) if bank_draws(with_punto(bank_draws_to=4).policies, bank, None)]
    assert (to_five, to_four) == ([0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4])


def test_num_7_what_the_punto_does() -> None:
    draws, stands = [PuntoTurn.DRAWS] * 5, [PuntoTurn.STANDS] * 2
    expected = [*draws, PuntoTurn.CHOOSES, *stands, PuntoTurn.CLOSES, PuntoTurn.CLOSES]
    assert [punto_turn(two) for two in range(10)] == expected


def test_nums_1_and_8_units_only_and_ten_valet_dama_rey_are_nothing() -> None:
    assert [value(rank) for rank in range(1, 14)] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0, 0, 0]
    assert points((7, 8)) == 5
    assert points((9, 9, 9)) == 7
    assert points((13, 10, 1)) == 1


@pytest.mark.parametrize("rank", [0, 14, -1])
def test_what_is_no_card_has_no_value(rank: int) -> None:
    with pytest.raises(ValueError, match="is no card"):
        value(rank)


def test_num_8_nearest_to_nine_wins_and_equal_is_encart() -> None:
    assert (winner(9, 8), winner(0, 1), winner(4, 4)) == (PUNTO, BANCA, ENCART)


# Punto's cards, the bank's, whether the dealer turned the punto's; what the cards say.
HANDS_DEALT: list[tuple[tuple[int, ...], tuple[int, ...], bool, Verdict]] = [
    ((4, 5), (13, 7), False, Verdict(9, 7, PUNTO)),
    ((13, 7), (4, 4), False, Verdict(7, 8, BANCA)),
    ((2, 2, 8), (3, 13), False, Verdict(2, 3, BANCA)),  # bank of 3, giving an 8: none
    ((2, 2, 7), (3, 13, 9), False, Verdict(1, 2, BANCA)),  # bank of 3, giving a 7: takes one
    ((2, 3), (2, 3, 1), False, Verdict(5, 6, BANCA)),  # punto stands on 5, bank of 5 draws
    ((2, 3, 4), (6, 13), False, Verdict(9, 6, PUNTO)),  # punto draws on 5, bank of 6 giving 4: none
    ((3, 3), (2, 4), False, Verdict(6, 6, ENCART)),
    ((2, 2), (13, 7), False, Verdict(4, 7, None, Mistake.PUNTO_MUST_DRAW)),
    ((2, 3, 1), (13, 7), True, Verdict(5, 7, BANCA, Mistake.PUNTO_CARD_BURNED)),  # num. 28, then num. 40
    ((3, 4, 2), (13, 6), False, Verdict(7, 6, PUNTO, Mistake.PUNTO_CARD_BURNED)),  # num. 40: counts 7, not 9
    ((3, 4, 2), (13, 5), False, Verdict(9, 5, None, Mistake.PUNTO_MUST_STAND)),  # the bank was due to draw
    ((3, 4, 2), (13, 6, 1), False, Verdict(9, 7, None, Mistake.PUNTO_MUST_STAND)),
    ((4, 4, 1), (13, 2), False, Verdict(8, 2, PUNTO, Mistake.PUNTO_CARD_BURNED)),  # 8 closes the hand
    ((4, 4), (13, 2, 5), False, Verdict(8, 7, None, Mistake.BANK_MUST_STAND)),
    ((13, 4, 6), (13, 6), False, Verdict(0, 6, None, Mistake.BANK_MUST_DRAW)),
    ((13, 4, 5), (13, 6, 2), False, Verdict(9, 8, None, Mistake.BANK_MUST_STAND)),
    ((13, 4), (13, 8), False, Verdict(4, 8, BANCA)),  # the bank's 8 closes, by policy
    ((13,), (13, 8), False, Verdict(0, 8, None, Mistake.CARD_COUNT)),
    ((13, 1, 1), (13, 2, 2, 2), False, Verdict(2, 6, None, Mistake.CARD_COUNT)),
]  # fmt: skip


@pytest.mark.parametrize(("punto", "banca", "by_dealer", "expected"), HANDS_DEALT)
def test_hands_are_judged_as_the_text_says(
    punto: tuple[int, ...], banca: tuple[int, ...], by_dealer: bool, expected: Verdict
) -> None:
    assert judge(PUNTO_POLICIES, punto, banca, by_dealer=by_dealer) == expected


def test_a_banks_eight_may_leave_the_punto_its_card_by_policy() -> None:
    """Punto K 4 draws a 5 against a bank of 8 that stands: 9 against 8."""
    stands = with_punto(bank_natural=BankNatural.STANDS).policies
    assert judge(stands, (13, 4, 5), (13, 8), by_dealer=False) == Verdict(9, 8, PUNTO)
    assert judge(stands, (13, 4), (13, 8), by_dealer=False).mistake is Mistake.PUNTO_MUST_DRAW


@given(HANDS, HANDS, some.booleans())
def test_a_mistake_leaves_no_result_unless_the_card_is_burned(
    punto: tuple[int, ...], banca: tuple[int, ...], by_dealer: bool
) -> None:
    verdict = judge(PUNTO_POLICIES, punto, banca, by_dealer=by_dealer)
    settled = verdict.mistake in {None, Mistake.PUNTO_CARD_BURNED}
    assert (verdict.result is not None) is settled
    if verdict.result is not None:
        assert verdict.result is winner(verdict.punto, verdict.banca)


def test_the_drawing_rules_give_the_published_counts_of_eight_decks() -> None:
    """Ordered deals of six cards from 416, the punto drawing on 5, as known for baccarat with eight decks."""
    left = [128] + [32] * 9
    won = dict.fromkeys(PuntoResult, 0)
    for cards in product(range(10), repeat=4):
        ways, rest = 1, left.copy()
        for card in cards:
            ways *= rest[card]
            rest[card] -= 1
        _play_out(cards, ways, rest, won)
    assert won == {
        BANCA: 2_292_252_566_437_888,
        PUNTO: 2_230_518_282_592_256,
        ENCART: 475_627_426_473_216,
    }


def _play_out(cards: tuple[int, ...], ways: int, rest: list[int], won: dict[PuntoResult, int]) -> None:
    """Add a four-card start with all its fifth and sixth cards (412 × 411 of them) to the counts."""
    punto, banca = (cards[0] + cards[2]) % 10, (cards[1] + cards[3]) % 10
    if punto >= 8 or banca >= 8:
        won[winner(punto, banca)] += ways * 412 * 411
        return
    if punto >= 6:
        _bank_card(punto, banca, None, (ways * 411, rest), won)
        return
    for third in range(10):
        after = rest.copy()
        after[third] -= 1
        _bank_card((punto + third) % 10, banca, third, (ways * rest[third], after), won)


def _bank_card(
    punto: int, banca: int, third: int | None, start: tuple[int, list[int]], won: dict[PuntoResult, int]
) -> None:
    ways, rest = start
    if not bank_draws(PUNTO_POLICIES, banca, third):
        won[winner(punto, banca)] += ways * sum(rest)
        return
    for card in range(10):
        won[winner(punto, (banca + card) % 10)] += ways * rest[card]
