"""Odds: counts and published figures to the unit, and the long run against a pot played out branch by branch."""

import json
import random
import time
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from click.testing import CliRunner, Result
from msgspec.structs import replace

from controller.cli.odds import odds
from controller.config import Kind, names
from controller.core.game import Fixed, Fund, Game, Hand, LevelRules, Prize, Share
from controller.core.settlement import Opening
from controller.odds import frequencies
from controller.odds.answer import Base, answer, base
from controller.odds.longrun import long_run
from controller.odds.plot import Chart, Mark, draw
from controller.odds.returns import OddsError, break_even, chances, mean_return, variance
from controller.odds.written import decimal, rounded, square_root
from tests.helpers_game import GAME, MAIN, with_level

F = Fraction
ALL = 2_598_960
LOW = chances(frequencies.of_five(ace_low_straight=True))
ROYAL = Prize(Hand.ROYAL_FLUSH, "main", Share(1_000_000), Fund.POT, "")
TENTH = Prize(Hand.STRAIGHT_FLUSH, "main", Share(100_000), Fund.POT, "")


def cards(game: Game) -> Base:
    return base(game, Opening.ACE_KING, before_changes=False)


def with_prizes(*fixed: int, fund: Fund = Fund.HOUSE, wager: int = 1) -> Game:
    """Royal 100 %, straight flush 10 %, and so many wagers for four of a kind, full house and flush."""
    hands = (Hand.FOUR_OF_A_KIND, Hand.FULL_HOUSE, Hand.FLUSH)
    prizes = (
        Prize(hand, "main", Fixed(times * wager), fund, "") for hand, times in zip(hands, fixed, strict=True)
    )
    return replace(GAME, wager=wager, prizes=(ROYAL, TENTH, *prizes))


@pytest.mark.parametrize(
    ("ace_low", "counts"),
    [
        (True, (4, 36, 624, 3_744, 5_108, 10_200, 54_912, 123_552, 1_098_240, 167_280 + 1_135_260)),
        (False, (4, 32, 624, 3_744, 5_112, 9_180, 54_912, 123_552, 1_098_240, 167_280 + 1_136_280)),
    ],
)
def test_the_counts_of_both_ace_rules(ace_low: bool, counts: tuple[int, ...]) -> None:
    """The house's rules, section 9; ace-king without a pair and anything else are both high cards."""
    found = frequencies.of_five(ace_low_straight=ace_low)
    assert tuple(line.ways for line in found) == counts
    assert {line.hands for line in found} == {ALL}
    assert tuple(line.hand for line in found) == tuple(Hand)


@pytest.mark.parametrize(("ace_low", "anything_else"), [(True, 1_135_260), (False, 1_136_280)])
def test_the_bank_opens_with_all_but_anything_else(ace_low: bool, anything_else: int) -> None:
    assert frequencies.opening(Opening.ACE_KING, ace_low_straight=ace_low) == 1 - F(anything_else, ALL)


def test_draws_bank_opens_with_seven_of_thirteen_pairs_and_all_that_is_better() -> None:
    """8 to A are 7 of 13 pairs: 591,360. Better: 123,552 + 54,912 + 10,200 + 5,108 + 3,744 + 624 + 40 = 198,180."""
    found = frequencies.opening(Opening.PAIR_OF_EIGHTS, ace_low_straight=True)
    assert found == F(591_360 + 198_180, ALL)


def test_three_cards_are_counted_too() -> None:
    ways = [line.ways for line in frequencies.of_three(ace_low_straight=True)]
    assert ways == [48, 52, 720, 1_096, 3_744, 16_440]


@pytest.mark.parametrize(("fixed", "published"), [((100, 75, 50), 263_205), ((150, 100, 50), 246_784)])
def test_the_published_break_even_pots(fixed: tuple[int, int, int], published: int) -> None:
    """(2,598,960 - 624 a - 3,744 b - 5,108 c) / (4 + 36 / 10); the publications cut the fraction off."""
    game = with_prizes(*fixed)
    pot = break_even(game, LOW, {"main": F(0)}, "main")
    assert pot is not None
    assert int(pot) == published
    assert mean_return(game, LOW, {"main": pot}) == 1
    a, b, c = fixed
    assert pot == F(10 * (ALL - 624 * a - 3_744 * b - 5_108 * c), 76)


def test_a_capped_share_breaks_even_later() -> None:
    """Wager 1, cap 5,000: from 50,000 on the straight flush adds 36 × 5,000 only; the rest is 4 × the pot."""
    capped = replace(TENTH, pays=Share(100_000, cap=5_000))
    game = replace(with_prizes(500, 100, 50), prizes=(ROYAL, capped, *with_prizes(500, 100, 50).prizes[2:]))
    expected = F(ALL - 624 * 500 - 3_744 * 100 - 5_108 * 50 - 36 * 5_000, 4)
    assert break_even(game, LOW, {"main": F(0)}, "main") == expected


def test_a_break_even_pot_may_be_none_or_nothing() -> None:
    """Without shares no pot helps; four of a kind at 10,000 wagers returns 2.4 alone."""
    fixed_only = replace(GAME, prizes=with_prizes(500, 100, 50).prizes[2:])
    assert break_even(fixed_only, LOW, {"main": F(0)}, "main") is None
    assert break_even(with_prizes(10_000, 100, 50), LOW, {"main": F(0)}, "main") == 0


def test_the_return_at_a_pot_is_a_sum_over_the_prizes() -> None:
    """Wager 10.00, pot 100,000.00: (4 × 100,000 + 36 × 10,000 + 624 × 5,000 + 3,744 × 1,000 + 5,108 × 500) / 10."""
    game = with_prizes(500, 100, 50, wager=1_000)
    returned = 40_000 + 36_000 + 312_000 + 374_400 + 255_400
    squares = 4 * 10_000**2 + 36 * 1_000**2 + 624 * 500**2 + 3_744 * 100**2 + 5_108 * 50**2
    pots = {"main": F(10_000_000)}
    assert mean_return(game, LOW, pots) == F(returned, ALL)
    assert variance(game, LOW, pots) == F(squares, ALL) - F(returned, ALL) ** 2


def test_the_house_that_gives_seventy_percent_loses() -> None:
    """The rules' section 4: 70 % + 4 × 10,000 / 2,598,960 + 941,800 / 2,598,960 = 107.8 %; 106.2 % without resets."""
    game = with_level(with_prizes(500, 100, 50), increment_rate_ppm=700_000, reset_amount=10_000)
    run = long_run(game, LOW)
    assert run.returns == F(7, 10) + F(40_000, ALL) + F(941_800, ALL)
    assert run.returns_without_resets == F(7, 10) + F(941_800, ALL)
    assert decimal(run.returns * 100, 1) == "107.8"
    assert decimal(run.returns_without_resets * 100, 1) == "106.2"
    assert run.hold == 1 - run.returns < 0
    warning = answer(game, cards(replace(game, ace_low_straight=True)), {"main": F(0)}).warnings[0]
    assert warning.startswith("THE HOUSE CANNOT EARN: of each wager 70.0000 % goes to the pots")


@pytest.mark.parametrize(
    ("reserve", "growth"), [(0, F(0)), (300_000, F(0)), (400_000, F(4, 10) - F(941_800 + 40_000, ALL))]
)
def test_a_reserve_pays_what_it_takes_in_and_no_more(reserve: int, growth: F) -> None:
    """Prizes of 941,800 / 2,598,960 = 36.2 % and resets of 1.5 % from the reserve: 30 % is short, 40 % grows."""
    game = with_prizes(500, 100, 50, fund=Fund.RESERVE)
    game = with_level(game, increment_rate_ppm=500_000, reserve_rate_ppm=reserve, reset_amount=10_000)
    run = long_run(game, LOW)
    assert run.returns == F(1, 2) + F(941_800 + 40_000, ALL)
    assert run.reserve_growth == growth
    assert run.from_house == max(F(0), F(941_800 + 40_000, ALL) - F(reserve, 1_000_000))
    assert run.hold == F(1, 2) - F(reserve, 1_000_000) - run.from_house


def played_out(game: Game, chance: dict[Hand, F], hands: int) -> tuple[F, F, F, F]:
    """Play every course of the next hands from a fresh pot, each with its chance, until the royal comes.

    Returns the mean pot a hand finds, the mean of its square, the mean paid from the pot, and what chance is left
    of courses longer than `hands`, which are not counted: all four over one turn from royal to royal.
    """
    level, royal = game.levels[0], chance[Hand.ROYAL_FLUSH]
    contribution = F(game.wager * level.increment_rate_ppm, 1_000_000)
    pots = {F(level.reset_amount): F(1)}
    found = square = paid = F(0)
    for _ in range(hands):
        after: dict[F, F] = {}
        for before, likely in pots.items():
            pot = before + contribution
            found, square = found + likely * pot, square + likely * pot**2
            paid += likely * royal * pot
            rest = likely * (1 - royal)
            for prize in game.prizes[1:]:
                amount = owed(prize, pot)
                paid += likely * chance[prize.hand] * amount
                after[pot - amount] = after.get(pot - amount, F(0)) + likely * chance[prize.hand]
                rest -= likely * chance[prize.hand]
            after[pot] = after.get(pot, F(0)) + rest
        pots = after
    left = sum(pots.values(), F(0))
    return found * royal, square * royal, paid * royal, left


def owed(prize: Prize, pot: F) -> F:
    """What the pot pays, in the test's own words."""
    if isinstance(prize.pays, Fixed):
        return F(prize.pays.amount)
    whole = pot * prize.pays.share_ppm / 1_000_000
    return min(whole, F(prize.pays.cap)) if prize.pays.cap is not None else whole


OFTEN = {
    **dict.fromkeys(Hand, F(0)),
    Hand.ROYAL_FLUSH: F(7, 8),
    Hand.STRAIGHT_FLUSH: F(1, 16),
    Hand.FLUSH: F(1, 32),
}
"""Chances that let a pot turn over in a few hands, so that a test can play all courses out."""

FIXED_FROM_POT = Prize(Hand.FLUSH, "main", Fixed(7), Fund.POT, "")


@pytest.mark.parametrize(
    "prizes", [(ROYAL, TENTH), (ROYAL, TENTH, FIXED_FROM_POT)], ids=["shares", "with fixed"]
)
def test_mean_pot_and_variance_are_those_of_a_pot_played_out(prizes: tuple[Prize, ...]) -> None:
    game = replace(with_level(increment_rate_ppm=600_000, reset_amount=1_000), wager=100, prizes=prizes)
    mean, square, paid, left = played_out(game, OFTEN, 8)
    run = long_run(game, OFTEN)
    near = F(2_000) * left + F(1, 10**6)
    level = run.levels[0]
    assert level.mean_pot is not None
    assert level.mean_square_pot is not None
    assert level.mean_pot_most == level.mean_pot
    assert abs(level.mean_pot - mean) < near
    assert abs(level.mean_square_pot - square) < 2_000 * near
    assert abs(run.returns * 100 - paid) < near
    assert run.returns * 100 == 60 + F(7, 8) * 1_000


def test_a_cap_changes_the_mean_pot_but_not_the_long_run() -> None:
    """What a cap leaves in the pot the next royal wins."""
    capped = replace(TENTH, pays=Share(500_000, cap=520))
    game = replace(
        with_level(increment_rate_ppm=600_000, reset_amount=1_000), wager=100, prizes=(ROYAL, capped)
    )
    mean, _, paid, left = played_out(game, OFTEN, 8)
    run = long_run(game, OFTEN)
    near = F(2_000) * left + F(1, 10**6)
    level = run.levels[0]
    assert abs(run.returns * 100 - paid) < near
    assert level.mean_pot is not None
    assert level.mean_pot_most is not None
    assert level.mean_square_pot is None
    assert run.variance is None
    assert level.mean_pot - near <= mean <= level.mean_pot_most + near


def test_the_bounds_of_a_capped_mean_pot_are_near_and_hold_for_a_played_pot() -> None:
    """A million hands from a fixed seed: contribution 1, restart at 10, half the pot but 30 at most every 100 hands.

    Some 2,000 turns of an exponential kind leave the played mean within 10 % (4 standard deviations).
    """
    chance = {**dict.fromkeys(Hand, F(0)), Hand.ROYAL_FLUSH: F(1, 500), Hand.STRAIGHT_FLUSH: F(1, 100)}
    capped = replace(TENTH, pays=Share(500_000, cap=30))
    game = replace(with_level(increment_rate_ppm=10_000, reset_amount=10), wager=100, prizes=(ROYAL, capped))
    level = long_run(game, chance).levels[0]
    assert level.mean_pot is not None
    assert level.mean_pot_most is not None
    assert level.mean_pot_most - level.mean_pot < level.mean_pot / 50
    dice, pot, total = random.Random(7), 10.0, 0.0
    for _ in range(1_000_000):
        pot += 1
        total += pot
        drawn = dice.random()
        if drawn < 0.002:
            pot = 10
        elif drawn < 0.012:
            pot -= min(pot / 2, 30)
    played = total / 1_000_000
    assert level.mean_pot * F(9, 10) < played < level.mean_pot_most * F(11, 10)


def test_a_capped_share_beside_fixed_prizes_from_the_pot_leaves_a_lower_bound() -> None:
    capped = replace(TENTH, pays=Share(500_000, cap=520))
    game = replace(GAME, prizes=(ROYAL, capped, replace(FIXED_FROM_POT, pays=Fixed(1))))
    level = long_run(game, LOW).levels[0]
    assert level.mean_pot is not None
    assert level.mean_pot_most is None


def test_two_levels_are_two_pots() -> None:
    """Main 40 % won by royals, minor 10 % won by straight flushes: 0.4 + 0.1 + resets, each mean of its own."""
    minor = LevelRules("minor", 50, 20, 100_000, 0, 10**9, MAIN.overflow_use)
    prizes = (ROYAL, Prize(Hand.STRAIGHT_FLUSH, "minor", Share(1_000_000), Fund.POT, ""))
    game = replace(with_level(increment_rate_ppm=400_000, reset_amount=1_000), wager=100, prizes=prizes)
    game = replace(game, levels=(*game.levels, minor))
    run = long_run(game, LOW)
    assert run.returns == F(1, 2) + (F(4 * 1_000, ALL) + F(36 * 20, ALL)) / 100
    assert [level.mean_pot for level in run.levels] == [40 * F(ALL, 4) + 1_000, 10 * F(ALL, 36) + 20]


def test_a_bonus_without_a_pot_is_paid_by_the_house() -> None:
    """Seed 003's Bono: a flush pays 100 wagers, 5,108 × 100 / 2,598,960, and the house keeps the rest."""
    game = replace(
        GAME, wager=10, levels=(), prizes=(Prize(Hand.FLUSH, None, Fixed(1_000), Fund.HOUSE, "the house"),)
    )
    found = answer(game, cards(replace(game, ace_low_straight=True)), {})
    assert found.long_run.returns == found.return_at_pots == F(510_800, ALL)
    assert found.long_run.hold == 1 - F(510_800, ALL)
    assert found.long_run.variance == found.variance_at_pots
    assert found.break_even_pot is None


def test_a_pot_nobody_takes_from_grows_and_is_told() -> None:
    game = replace(GAME, prizes=with_prizes(500, 100, 50, wager=1_000).prizes[2:])
    run = long_run(game, LOW)
    assert run.pot_growth == F(1, 2)
    assert run.returns == F(941_800, ALL)
    assert run.levels[0].mean_pot is None
    assert "grows to its limit" in answer(game, cards(game), {"main": F(0)}).warnings[0]


def test_a_pot_that_its_prizes_keep_empty_has_no_answer() -> None:
    """Fixed prizes of 36.2 % from a pot that takes in 20 %."""
    game = with_level(with_prizes(500, 100, 50, fund=Fund.POT), increment_rate_ppm=200_000, reset_amount=0)
    with pytest.raises(OddsError, match="level main: its fixed prizes cost more"):
        long_run(game, LOW)


@pytest.mark.parametrize(
    ("fund", "level", "why"), [(Fund.HOUSE, "main", "paid by the house"), (Fund.POT, None, "no level")]
)
def test_a_share_needs_its_pot(fund: Fund, level: str | None, why: str) -> None:
    game = replace(GAME, prizes=(replace(ROYAL, fund=fund, level=level),))
    with pytest.raises(OddsError, match=why):
        answer(game, cards(game), {"main": F(0)})


def test_a_limit_that_may_be_met_is_told_with_its_bound() -> None:
    """Reset 10,000.00, 5.00 a wager, limit 3,258,700.00 = 649,740 hands: (1 - 1/649,740)^649,740 is 1/e = 36.79 %."""
    game = with_level(with_level(limit=325_870_000), increment_rate_ppm=500_000)
    found = answer(game, cards(game), {"main": F(0)})
    assert found.long_run.levels[0].hands_to_limit == 649_740
    assert "limit of 3258700.00 before it is won (chance at most 36.79 %)" in found.warnings[-1]
    assert "by at most 18.39 points" in found.warnings[-1]


def test_fractions_are_written_with_the_digits_they_have() -> None:
    assert decimal(F(2_000_360 * 10, 76), 2) == "263,205.26"
    assert decimal(F(-1, 8), 2) == "-0.13"
    assert decimal(F(1, 200), 2) == "0.01"
    assert (rounded(F(5, 2)), rounded(F(-5, 2)), rounded(F(7, 5))) == (3, -3, 1)
    assert square_root(F(2), 4) == "1.4142"
    assert square_root(F(3), 4) == "1.7321"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(odds, list(arguments))


def test_the_command_answers_within_two_seconds() -> None:
    began = time.process_time()
    done = run("uy-montevideo-caribbean")
    assert time.process_time() - began < 2
    assert done.exit_code == 0, done.output
    assert "straight_flush              32    0.000012312617       81,217.50" in done.output
    assert "the bank opens with ace king or better: 1,462,680 of 2,598,960 hands, 56.2794 %" in done.output


@pytest.mark.parametrize("game", names(Kind.GAME))
def test_every_shipped_game_has_an_answer_within_two_seconds(game: str) -> None:
    began = time.process_time()
    done = run(game)
    assert time.process_time() - began < 2
    assert done.exit_code == 0, done.output
    assert ("the house holds" in done.output) != ("no prize" in done.output)


@pytest.mark.parametrize(
    ("game", "why"),
    [
        ("cl-omaha", "a circle game: players play among themselves"),
        ("cl-caribbean", "no progressive wager: no prize"),
        ("uy-montevideo-punto-banca", "no poker hands and no progressive wager"),
    ],
)
def test_a_game_without_a_prize_says_why_and_plots_nothing(game: str, why: str) -> None:
    assert why in run(game).output
    assert why in json.loads(run(game, "--json").output)["why"]
    refused = run(game, "--plot", "nowhere.svg")
    assert refused.exit_code == 2
    assert "there is nothing to plot" in refused.output


def test_three_cards_are_shown_where_three_are_dealt() -> None:
    """22,100 / 48 is 460.42."""
    done = run("cl-three-card")
    assert "22,100 hands" in done.output
    assert "straight_flush              48    0.002171945701          460.42" in done.output


def test_the_command_takes_a_pot_and_gives_exact_json() -> None:
    """Pot 200,000.00 at a wager of 10.00: (4 × 20,000 + 32 × 2,000 + 312,000 + 374,400 + 255,600) / 2,598,960."""
    done = run("uy-montevideo-caribbean", "--pot", "200000.00", "--json")
    found = json.loads(done.output)
    returned = F(80_000 + 64_000 + 312_000 + 374_400 + 255_600, ALL)
    assert found["return_at_pots"]["exact"] == str(returned)
    assert found["pots"]["main"]["exact"] == "20000000"
    assert run("uy-montevideo-caribbean", "--pot", "main=200000.00", "--json").output == done.output


@pytest.mark.parametrize(
    ("arguments", "code", "why"),
    [
        (("uy-montevideo-caribean",), 1, "uy-montevideo-caribbean"),
        (("uy-montevideo-caribbean", "--pot", "1,5"), 2, "is not an amount of UYU"),
        (("uy-montevideo-caribbean", "--pot", "minor=1.00"), 2, "'minor' is no level of this game (main)"),
        (("uy-montevideo-caribbean", "--config", "nowhere"), 1, "nowhere"),
    ],
)
def test_the_command_says_what_is_wrong(arguments: tuple[str, ...], code: int, why: str) -> None:
    done = run(*arguments)
    assert done.exit_code == code
    assert why in done.output


def test_the_plot_has_a_title_axes_and_marks(tmp_path: Path) -> None:
    picture = tmp_path / "return.svg"
    done = run("uy-montevideo-caribbean", "--plot", str(picture))
    assert done.exit_code == 0, done.output
    words = [text.text for text in ET.parse(picture).iter() if text.tag.endswith("text")]
    assert "Return against pot: uy-montevideo-caribbean" in words
    assert {"pot of level main, UYU", "return of one wager", "pot: 100,000.00"} <= set(words)
    refused = run("uy-montevideo-caribbean", "--plot", str(tmp_path / "no" / "folder.svg"))
    assert (refused.exit_code, "the plot was not written" in refused.output) == (1, True)


def test_the_line_bends_where_a_cap_begins() -> None:
    """Drawn from 0 to 1.2 × 100: x from 80 to 730; the return rises to 1 at 50 and stays: y from 390 to 60 is 1.1."""
    chart = Chart("t", "x", "y", (Mark(F(100), "here"),), (F(50),))
    document = draw(chart, lambda pot: min(pot, F(50)) / 50)
    assert '<polyline points="80,390 351,90 730,90"' in document
    assert '<circle cx="622" cy="90"' in document
