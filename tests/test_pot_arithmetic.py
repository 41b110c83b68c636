"""Pots, awards and amounts at their edges: several levels, limits met exactly, carries; worked out by hand."""

import pytest
from msgspec.structs import replace

from controller.core import events as ev
from controller.core.awards import excluded, readings, serve, takes_all
from controller.core.cards import CardError
from controller.core.game import Fixed, Fund, Hand, LevelRules, Order, OverflowUse, Prize, Share
from controller.core.money import AmountError, Currency, parse
from controller.core.pot import commissioned, imbalance, relevel, reset, take
from controller.core.settlement import Opening, Outcome, Settled, Stake, StakeError, opens, settle
from controller.core.state import Award, Claim, Level, Pot
from tests.helpers_cards import h
from tests.helpers_game import GAME, MAIN, PRIZES, with_level, with_policies
from tests.test_settlement import ACE_KING, ANTE, BET, MONTEVIDEO, PLUS

RF, SF, FL = Hand.ROYAL_FLUSH, Hand.STRAIGHT_FLUSH, Hand.FLUSH
MINI = LevelRules("mini", 10_000, 5_000, 100_000, 50_000, 20_000, OverflowUse.NEXT_RESET)
MAXI = LevelRules("maxi", 30_000, 9_000, 100_000, 0, 90_000, OverflowUse.HOUSE)
THREE = replace(GAME, levels=(MINI, MAIN, MAXI))
BONUS = Prize(FL, None, Fixed(4_500), Fund.HOUSE, "art. 9")


@pytest.mark.parametrize("text", ["100.ab", "10.0x", "1.é0", "1.²0", "7.", "7", ".50", "7.5", "7.500"])
def test_a_fraction_that_is_no_number_is_no_amount(text: str) -> None:
    with pytest.raises(AmountError):
        parse(text, Currency.UYU)


@pytest.mark.parametrize("text", ["00", "01", "00000"])
def test_an_amount_begins_with_no_zero_but_zero_itself(text: str) -> None:
    assert parse("0", Currency.CLP) == 0
    with pytest.raises(AmountError, match="begins with a zero"):
        parse(text, Currency.CLP)


def test_the_largest_amount_there_is_and_the_next() -> None:
    assert parse("100000000000000", Currency.CLP) == 10**14
    for text in ("100000000000001", "999999999999999", "9" * 40):
        with pytest.raises(AmountError, match="larger than any amount"):
            parse(text, Currency.CLP)


def test_what_rises_at_a_limit_is_told_without_what_overflows() -> None:
    """A wager of 10.00 at 50 %: 5.00 come, 3.00 fit, 2.00 go to the overflow."""
    game = with_level(limit=10_000_300)
    pot, (told,) = take(game, commissioned(game), 1)
    assert told == ev.PotRaised("main", 300, 10_000_300, 200, 0)
    assert (pot.levels[0].current, pot.levels[0].overflow_meter) == (10_000_300, 200)


def test_a_pot_exactly_at_its_limit_has_no_overflow() -> None:
    game = with_level(limit=10_000_500)
    pot, (told,) = take(game, commissioned(game), 1)
    assert told == ev.PotRaised("main", 500, 10_000_500, 0, 0)
    assert pot.levels[0].overflow_meter == 0


def test_a_pot_above_a_lowered_limit_keeps_what_it_has() -> None:
    game = with_level(limit=5_000_000)
    pot, (told,) = take(game, commissioned(GAME), 1)
    assert told == ev.PotRaised("main", 0, 10_000_000, 500, 0)
    assert pot.levels[0].overflow_meter == 500


def test_levels_that_are_not_those_of_the_game_are_refused() -> None:
    with pytest.raises(ValueError, match="zip"):
        take(THREE, commissioned(GAME), 1)


def test_three_levels_take_each_its_part_and_the_house_the_rest() -> None:
    """7 wagers of 10.00: 10 % and 5 % reserve, 50 %, 10 %: the house keeps 25 % of 70.00."""
    pot, told = take(THREE, commissioned(THREE), 7)
    assert [level.current for level in pot.levels] == [10_700, 10_003_500, 30_700]
    assert [level.reserve_pool for level in pot.levels] == [350, 0, 0]
    assert [(each.level, each.by) for each in told] == [("mini", 700), ("main", 3_500), ("maxi", 700)]
    assert (pot.in_meter, pot.in_count, pot.house_share) == (7_000, 7, 1_750 * 1_000_000)
    assert imbalance(pot) == 0


def test_an_imbalance_counts_the_carries_of_all_levels_on_the_pots_side() -> None:
    """1,000 came in: 400 and 599 are there, and of the last unit 0.25 and 0.70 wait; 0.05 are missing."""
    pot = Pot(
        (
            Level("mini", 300, carry=200_000, reserve_pool=100, reserve_carry=50_000),
            Level("main", 599, carry=700_000),
        ),
        in_meter=1_000,
    )
    assert imbalance(pot) == 50_000


def test_a_reset_uses_overflow_and_reserve_up_and_no_more() -> None:
    """Wanted 50.00: 30.00 of overflow, 12.00 of reserve, 8.00 of the house."""
    level = Level("mini", 0, overflow_meter=3_000, reserve_pool=1_200, house_funding=70)
    after, told = reset(MINI, level)
    assert (told.from_overflow, told.from_reserve, told.from_house) == (3_000, 1_200, 800)
    assert after == Level("mini", 5_000, house_funding=870)
    plenty = Level("mini", 0, overflow_meter=3_000, reserve_pool=9_000)
    after, told = reset(MINI, plenty)
    assert (told.from_overflow, told.from_reserve, told.from_house) == (3_000, 2_000, 0)
    assert after == Level("mini", 5_000, reserve_pool=7_000)


def test_what_a_reset_has_above_the_limit_goes_to_the_overflow() -> None:
    """17,000 were left by the split and 5,000 come: 20,000 is the limit; 2,000 of the overflow are used, 2,000 come."""
    level = Level("mini", 17_000, overflow_meter=2_000)
    after, told = reset(MINI, level)
    assert (told.current, told.left) == (20_000, 17_000)
    assert (told.from_overflow, told.from_reserve, told.from_house) == (2_000, 0, 3_000)
    assert after == Level("mini", 20_000, overflow_meter=2_000, house_funding=3_000)


def test_under_new_rules_each_level_keeps_its_money_by_its_name() -> None:
    old = Pot((Level("main", 77), Level("mini", 55)), in_meter=9)
    assert relevel(THREE, old) == Pot(
        (Level("mini", 55), Level("main", 77), Level("maxi", 30_000, house_funding=30_000)), in_meter=9
    )


# Awards


def at_levels() -> Pot:
    """mini 200.00, main 100,000.00, maxi 300.00."""
    names = {"mini": 20_000, "main": 10_000_000, "maxi": 30_000}
    return Pot(tuple(Level(name, current, house_funding=current) for name, current in names.items()))


@pytest.mark.parametrize(("name", "changed"), [("mini", 0), ("main", 1), ("maxi", 2)])
def test_an_award_changes_its_own_level_only(name: str, changed: int) -> None:
    prize = Prize(FL, name, Fixed(1_500), Fund.POT, "house")
    game = replace(THREE, prizes=(prize,))
    served = serve(game, at_levels(), (Claim(4, FL),), 9, 12)
    before = at_levels().levels
    assert [level for at, level in enumerate(served.pot.levels) if at != changed] == [
        level for at, level in enumerate(before) if at != changed
    ]
    was = before[changed].current
    assert served.told == (
        ev.AwardApproved(13, 4, FL, name, 1_500, was, was - 1_500, 0, Fund.POT, 1_500, 0, 0, "house"),
    )
    assert served.awards == (Award(13, 9, 4, FL, name, 1_500, Fund.POT),)


def test_a_full_award_restarts_its_own_level_only() -> None:
    game = replace(THREE, prizes=(Prize(RF, "main", Share(1_000_000), Fund.POT, "art. 17"),))
    served = serve(game, at_levels(), (Claim(4, RF),), 1, 0)
    assert [level.current for level in served.pot.levels] == [20_000, 1_000_000, 30_000]


def test_a_full_award_paid_by_the_house_restarts_nothing() -> None:
    game = replace(THREE, prizes=(Prize(RF, "main", Share(1_000_000), Fund.HOUSE, "house"),))
    served = serve(game, at_levels(), (Claim(4, RF),), 1, 0)
    assert len(served.told) == 1
    assert served.pot.levels[1].current == 10_000_000


def test_equal_royals_are_numbered_one_after_the_other_and_say_in_how_many_parts() -> None:
    served = serve(GAME, commissioned(GAME), (Claim(6, RF), Claim(2, RF), Claim(3, RF)), 5, 40)
    awards = [told for told in served.told if isinstance(told, ev.AwardApproved)]
    assert [(it.number, it.seat, it.parts, it.share_ppm, it.capped) for it in awards] == [
        (41, 2, 3, 1_000_000, False),
        (42, 3, 3, 1_000_000, False),
        (43, 6, 3, 1_000_000, False),
    ]
    assert [(it.pot_before, it.pot_after) for it in awards] == [
        (10_000_000, 6_666_667),
        (10_000_000, 3_333_334),
        (10_000_000, 1),
    ]


def test_a_bonus_has_no_pot_before_or_after_it() -> None:
    game = replace(GAME, prizes=(BONUS,))
    served = serve(game, commissioned(game), (Claim(2, FL), Claim(1, FL)), 3, 7)
    assert served.told == (
        ev.AwardApproved(8, 1, FL, None, 4_500, 0, 0, 0, Fund.HOUSE, 0, 0, 4_500, "art. 9"),
        ev.AwardApproved(9, 2, FL, None, 4_500, 0, 0, 0, Fund.HOUSE, 0, 0, 4_500, "art. 9"),
    )
    assert (served.pot.bonus_hits, served.pot.bonus_wins) == (2, 9_000)


def test_a_share_without_a_level_cannot_be_served() -> None:
    game = replace(GAME, prizes=(replace(BONUS, pays=Share(100_000)),))
    with pytest.raises(AssertionError, match="no level to share"):
        serve(game, commissioned(game), (Claim(1, FL),), 1, 0)


@pytest.mark.parametrize(
    ("cap", "amount", "capped"),
    [(1_000_000, 1_000_000, False), (999_999, 999_999, True), (None, 1_000_000, False)],
)
def test_a_cap_that_is_met_exactly_cuts_nothing(cap: int | None, amount: int, *, capped: bool) -> None:
    """10 % of 100,000.00 are 10,000.00."""
    game = replace(GAME, prizes=(Prize(SF, "main", Share(100_000, cap), Fund.POT, "seed 004"),))
    (told,) = serve(game, commissioned(game), (Claim(1, SF),), 1, 0).told
    assert isinstance(told, ev.AwardApproved)
    assert (told.amount, told.capped) == (amount, capped)


def test_a_share_is_rounded_to_the_payable_unit_and_to_nothing_else() -> None:
    game = replace(GAME, levels=(replace(MAIN, base_amount=9),))
    assert [award.amount for award in serve(game, commissioned(game), (Claim(1, RF),), 1, 0).awards] == [9]


def test_both_readings_of_mano_are_worked_out_from_the_same_pot() -> None:
    """Pot 100,000.00; SF (2) before RF (5): by the hand 10,000.00 and 90,000.00, by the round the royal all of it."""
    claims = (Claim(2, SF), Claim(5, RF))
    by_hand, by_round = readings(GAME, commissioned(GAME), claims) or (None, None)
    assert by_hand is not None
    assert by_round is not None
    assert [(it.number, it.round, it.seat, it.amount) for it in by_hand.awards] == [
        (1, 0, 2, 1_000_000),
        (2, 0, 5, 9_000_000),
    ]
    assert [(it.number, it.round, it.seat, it.amount) for it in by_round.awards] == [(1, 0, 5, 10_000_000)]


def test_an_earlier_royal_of_the_round_makes_no_second_reading() -> None:
    assert readings(GAME, commissioned(GAME), (Claim(2, SF), Claim(5, FL))) is None
    assert excluded(GAME, (Claim(2, SF),), royal_before=True) == ()


def test_only_a_hand_with_a_prize_can_take_all() -> None:
    assert takes_all(GAME, RF)
    assert not takes_all(GAME, SF)
    assert not takes_all(GAME, Hand.PAIR)
    assert not takes_all(replace(GAME, prizes=PRIZES[1:]), RF)


def test_by_seat_the_hands_rank_is_nothing_and_by_rank_the_seat_comes_second() -> None:
    claims = (Claim(3, SF), Claim(1, FL), Claim(2, SF))
    by_seat = serve(GAME, commissioned(GAME), claims, 1, 0)
    assert [award.seat for award in by_seat.awards] == [1, 2, 3]
    by_rank = serve(with_policies(order=Order.RANK), commissioned(GAME), claims, 1, 0)
    assert [award.seat for award in by_rank.awards] == [2, 3, 1]


# Ante and bet


def test_a_hand_of_ace_and_king_and_others_opens() -> None:
    assert opens(Opening.ACE_KING, h(ACE_KING), ace_low_straight=False)


def test_a_folded_hand_costs_no_purchase_and_a_bought_card_is_paid_however_it_ends() -> None:
    assert settle(PLUS, h(ACE_KING), None, Stake(ANTE, 0, bought=False, progressive=False)) == Settled(
        Outcome.FOLDED, -ANTE, 0, 0
    )
    bought = Stake(ANTE, BET, bought=True, progressive=False)
    assert settle(PLUS, h(ACE_KING), h("2c 2d 3h 4s 6c"), bought).purchase == -ANTE


@pytest.mark.parametrize("ante", [0, -1])
def test_an_ante_is_one_unit_at_least(ante: int) -> None:
    with pytest.raises(StakeError, match="without it there is no hand"):
        settle(MONTEVIDEO, h(ACE_KING), None, Stake(ante, 0, bought=False, progressive=False))
    least = Stake(1, 0, bought=False, progressive=False)
    assert settle(MONTEVIDEO, h(ACE_KING), None, least).ante == -1


def test_of_several_cards_in_both_hands_the_lowest_is_named() -> None:
    with pytest.raises(CardError, match=r"^3c "):
        settle(
            MONTEVIDEO, h(ACE_KING), h("9h Kd 3c 5s Ac"), Stake(ANTE, BET, bought=False, progressive=False)
        )
