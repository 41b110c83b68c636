"""The worked examples of rules.md section 5.4, in minor units: pot 100,000.00, reset 10,000.00."""

import pytest
from msgspec.structs import replace

from controller.core import events as ev
from controller.core.game import Fund, Game, Hand, Order, OverflowUse, Prize, RoyalExcludes, RoyalSplit, Share
from controller.core.pot import imbalance
from controller.core.state import Table
from controller.core.table import step
from tests.helpers_game import GAME, PRIZES, key, locked, opened, pending, play, with_level, with_policies

RF, SF, K4, FH, FL = Hand.ROYAL_FLUSH, Hand.STRAIGHT_FLUSH, Hand.FOUR_OF_A_KIND, Hand.FULL_HOUSE, Hand.FLUSH
FLAT = with_level(increment_rate_ppm=0)
"""Nothing grows, so that the pot is exactly 100,000.00 when it is claimed."""


def approve(claims: dict[int, Hand], game: Game = FLAT) -> tuple[Table, dict[int, int], int]:
    """The table after approval, amounts by seat, and the pot."""
    table, results = step(game, pending(claims, game), ev.AwardsApproved(40))
    amounts = {result.seat: result.amount for result in results if isinstance(result, ev.AwardApproved)}
    assert imbalance(table.pot) == 0
    return table, amounts, table.pot.levels[0].current


@pytest.mark.parametrize(
    ("claims", "amounts", "pot"),
    [
        ({2: SF, 5: SF}, {2: 1_000_000, 5: 900_000}, 8_100_000),
        ({2: SF, 5: RF}, {2: 1_000_000, 5: 9_000_000}, 1_000_000),
        ({2: RF, 5: SF}, {2: 10_000_000, 5: 100_000}, 900_000),
        ({2: RF, 5: RF}, {2: 5_000_000, 5: 5_000_000}, 1_000_000),
        ({2: RF, 4: SF, 6: RF}, {2: 5_000_000, 4: 100_000, 6: 5_000_000}, 900_000),
        ({1: K4, 2: FH, 7: FL}, {1: 500_000, 2: 100_000, 7: 50_000}, 10_000_000),
    ],
)
def test_worked_examples_do_not_depend_on_typing_order(
    claims: dict[int, Hand], amounts: dict[int, int], pot: int
) -> None:
    forwards = approve(claims)
    backwards = approve(dict(reversed(claims.items())))
    assert (forwards[1], forwards[2]) == (amounts, pot)
    assert (backwards[1], backwards[2]) == (amounts, pot)


def test_order_by_rank_serves_the_royal_first() -> None:
    _, amounts, pot = approve({2: SF, 5: RF}, with_policies(FLAT, order=Order.RANK))
    assert amounts == {5: 10_000_000, 2: 100_000}
    assert pot == 900_000


def test_a_royal_excludes_the_other_awards_of_its_round_if_the_policy_reads_mano_so() -> None:
    """SF (2) and RF (5): the royal takes 100,000.00, the straight flush nothing; also when claimed later."""
    game = with_policies(FLAT, royal_excludes=RoyalExcludes.ROUND)
    table, amounts, pot = approve({2: SF, 5: RF, 6: RF}, game)
    assert amounts == {5: 5_000_000, 6: 5_000_000}
    assert pot == 1_000_000
    assert not table.claims
    later = play(
        game, locked(2, 5, game=game), [key(True), ev.AwardClaimed(30, 5, RF), ev.AwardsApproved(31)]
    )
    later, results = step(game, play(game, later, [ev.AwardClaimed(32, 2, SF)]), ev.AwardsApproved(33))
    assert results[0] == ev.ClaimExcluded(2)
    assert later.pot.levels[0].current == 1_000_000


def test_first_takes_all_leaves_the_reset_amount_to_the_next_royal() -> None:
    _, amounts, pot = approve({2: RF, 5: RF}, with_policies(FLAT, royal_split=RoyalSplit.FIRST_TAKES_ALL))
    assert amounts == {2: 10_000_000, 5: 1_000_000}
    assert pot == 1_000_000


def test_scj_cap_pays_five_thousand_wagers_at_most() -> None:
    """SCJ: wager 1,000, pot 80,000,000: 10 % would be 8,000,000, pays 5,000,000, pot 75,000,000."""
    capped = Prize(SF, "main", Share(100_000, cap=5_000_000), Fund.POT, "seed 004")
    game = replace(with_level(FLAT, base_amount=80_000_000), prizes=(PRIZES[0], capped))
    _, amounts, pot = approve({3: SF}, game)
    assert amounts == {3: 5_000_000}
    assert pot == 75_000_000


def test_F124_the_odd_cent_of_a_split_stays_in_the_pot() -> None:
    """J = 10,000.01, two royals: 5,000.00 each by the written rule; the cent is left, then the reset."""
    _, amounts, pot = approve({1: RF, 7: RF}, with_level(FLAT, base_amount=1_000_001))
    assert amounts == {1: 500_000, 7: 500_000}
    assert pot == 1 + 1_000_000


def test_F124_three_royals_round_down_to_the_payable_unit() -> None:
    """100,000.00 in pieces of 1.00: three times 33,333.00, 1.00 left, then the reset of 10,000.00."""
    game = replace(FLAT, payable_unit=100)
    _, amounts, pot = approve({1: RF, 3: RF, 7: RF}, game)
    assert amounts == {1: 3_333_300, 3: 3_333_300, 7: 3_333_300}
    assert pot == 100 + 1_000_000


def test_the_reset_comes_from_overflow_then_reserve_then_house() -> None:
    """4 wagers of 10.00 at 50 % and 10 %: pot full at its limit, 20.00 overflow, 4.00 reserve; reset 10,000.00."""
    game = with_level(limit=10_000_000, reserve_rate_ppm=100_000, increment_rate_ppm=500_000)
    table, results = step(game, pending({1: RF, 2: FL, 3: FL, 4: FL}, game), ev.AwardsApproved(40))
    reset = next(result for result in results if isinstance(result, ev.PotReset))
    assert (reset.from_overflow, reset.from_reserve, reset.from_house) == (2_000, 400, 997_600)
    assert imbalance(table.pot) == 0


def test_overflow_for_the_house_is_not_used_for_a_reset() -> None:
    game = with_level(limit=10_000_000, overflow_use=OverflowUse.HOUSE)
    table, results = step(game, pending({1: RF}, game), ev.AwardsApproved(40))
    reset = next(result for result in results if isinstance(result, ev.PotReset))
    assert (reset.from_overflow, reset.from_house) == (0, 1_000_000)
    assert table.pot.levels[0].overflow_meter == 500


@pytest.mark.parametrize(
    ("fund", "level", "expected"),
    [
        (Fund.POT, {"base_amount": 30_000}, (30_000, 0, 20_000)),
        (Fund.RESERVE, {"reserve_rate_ppm": 500_000}, (0, 500, 49_500)),
        (Fund.HOUSE, {}, (0, 0, 50_000)),
    ],
)
def test_what_a_fund_lacks_the_house_pays(
    fund: Fund, level: dict[str, int], expected: tuple[int, int, int]
) -> None:
    """A flush of 500.00. Only lacks are house funding; a prize of the house's own is outside the pot."""
    prize = Prize(FL, "main", PRIZES[4].pays, fund, "art. 17")
    game = replace(with_level(FLAT, **level), prizes=(prize,))
    table, results = step(game, pending({1: FL}, game), ev.AwardsApproved(40))
    award = next(result for result in results if isinstance(result, ev.AwardApproved))
    assert (award.from_pot, award.from_reserve, award.from_house) == expected
    assert table.pot.levels[0].house_funding - game.levels[0].base_amount == (
        0 if fund is Fund.HOUSE else expected[2]
    )
    assert imbalance(table.pot) == 0


def test_a_claim_entered_later_is_served_from_what_is_there_then() -> None:
    game = FLAT
    table = play(game, pending({5: SF, 6: FL}, game), [ev.AwardsApproved(40), ev.AwardWithdrawn(41, 1)])
    assert table.pot.levels[0].current == 9_000_000


def test_paid_once_however_often_it_is_said() -> None:
    game = FLAT
    table = play(game, pending({5: SF}, game), [ev.AwardsApproved(40)])
    said = ev.AwardPaid(50, 1, ev.Payment.CASH, signed=True)
    table, first = step(game, table, said)
    _, second = step(game, table, said)
    assert first == (ev.AwardSettled(1, 5, 1_000_000),)
    assert second == (ev.Refused(ev.Refusal.ALREADY_PAID),)


def test_slip_numbers_have_no_gaps() -> None:
    game = FLAT
    table = play(game, pending({1: FL, 2: FH}, game), [ev.AwardsApproved(40), ev.GameOverPressed(50)])
    table = play(
        game,
        table,
        [
            ev.ChipDropped(60, 4),
            ev.CoinInPressed(70),
            ev.AwardClaimed(80, 4, FL),
            ev.AwardsApproved(90),
        ],
    )
    assert [award.number for award in table.awards] == [1, 2, 3]


def test_without_the_key_an_award_from_the_threshold_on_is_refused() -> None:
    game = with_policies(FLAT, award_key_from=100_000)
    small = play(game, pending({1: FL}, game), [ev.KeyTurned(35, ev.Key.SUPERVISOR, on=False)])
    large = play(game, pending({1: FH}, game), [ev.KeyTurned(35, ev.Key.SUPERVISOR, on=False)])
    assert isinstance(step(game, small, ev.AwardsApproved(40))[1][0], ev.AwardApproved)
    assert step(game, large, ev.AwardsApproved(40))[1] == (ev.Refused(ev.Refusal.SUPERVISOR_KEY),)


def test_only_an_accepted_wager_wins() -> None:
    table = play(GAME, opened(), [ev.ChipDropped(10, 1), ev.CoinInPressed(20)])
    assert step(GAME, table, ev.AwardClaimed(30, 2, FL))[1] == (ev.Refused(ev.Refusal.NO_WAGER),)
