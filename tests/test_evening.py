"""An evening of real hands: hit counts inside exact bounds, money conserved; and the bounds themselves."""

from fractions import Fraction
from math import comb

import pytest

from controller.config import load
from controller.core.game import Hand
from controller.evening import OUTSIDE, Bounds, binomial_bounds, evening
from controller.odds.frequencies import of_five
from controller.odds.returns import chances
from tests.helpers_cli import pozo_run


@pytest.mark.slow
@pytest.mark.parametrize(
    "profile", ["uy-montevideo-caribbean", "cl-caribbean-progressive", "cl-draw-progressive"]
)
def test_a_hundred_thousand_rounds_are_an_honest_evening(profile: str) -> None:
    game = load("simulated", {"game": profile}).game
    found = evening(game, chances(of_five(ace_low_straight=game.ace_low_straight)), 100_000, seed=2026)
    assert found.imbalance == 0
    assert found.hands == 100_000 * game.seats
    assert [hand for hand, bounds in found.bounds.items() if not bounds.kept] == []
    table = found.table
    assert table.pot.in_count == found.hands
    assert table.pot.in_meter == found.hands * game.wager
    assert sum(level.hits_meter for level in table.pot.levels) == sum(
        bounds.hits for bounds in found.bounds.values()
    )


@pytest.mark.parametrize(
    ("trials", "chance"), [(10, Fraction(1, 2)), (200, Fraction(1, 50)), (500, Fraction(1, 4165))]
)
def test_the_bounds_are_those_of_the_exact_distribution(trials: int, chance: Fraction) -> None:
    """Summed here with whole fractions: at most half of 0.1 % lies below and above."""

    def weight(hits: int) -> Fraction:
        return comb(trials, hits) * chance**hits * (1 - chance) ** (trials - hits)

    least, most = binomial_bounds(trials, chance)
    half = Fraction(OUTSIDE) / 2
    assert sum(weight(hits) for hits in range(least)) <= half
    assert sum(weight(hits) for hits in range(least + 1)) > half
    assert sum(weight(hits) for hits in range(most + 1, trials + 1)) < half
    assert sum(weight(hits) for hits in range(most, trials + 1)) >= half


def test_an_evening_that_is_not_honest_is_seen() -> None:
    """Flushes claimed to be ten times as frequent as they are: the count falls outside."""
    game = load("simulated").game
    wrong = chances(of_five(ace_low_straight=False)) | {Hand.FLUSH: Fraction(51_120, 2_598_960)}
    found = evening(game, wrong, 1_000, seed=1)
    assert not found.bounds[Hand.FLUSH].kept
    assert Bounds(hits=5, least=1, most=4).kept is False


def test_the_command_says_what_it_played_and_refuses_games_without_prizes() -> None:
    played = pozo_run("evening", "uy-montevideo-caribbean", "--rounds", "200", "--seed", "3")
    assert played.exit_code == 0
    assert "200 rounds, 1400 hands, seed 3" in played.output
    circle = pozo_run("evening", "cl-omaha", "--rounds", "10")
    assert circle.exit_code == 1
    assert "no prize" in circle.output
