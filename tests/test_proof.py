"""`pozo journal proof`: an amount explained movement by movement, worked out by hand."""

from pathlib import Path

import pytest

from controller.drill.parse import parse
from controller.drill.play import Drill
from controller.proof import ProofError, proof
from tests.helpers_cli import pozo_run

SCRIPT = """
set wager.amount 10.00
set pot.main.base_amount 100000.00
set pot.main.reset_amount 10000.00
set pot.main.increment_rate_ppm 500000
set pot.main.reserve_rate_ppm 0
power on
chip 1 2 3
press coin_in
press game_over
chip 2 5
press coin_in
claim 2 straight_flush
claim 5 royal_flush
key supervisor on
approve
press game_over
chip 6
press coin_in
claim 6 straight_flush
approve
expect award 6 1000.50
"""


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """The journal of the script above."""
    kept = tmp_path / "kept.db"
    Drill(keep=kept).play(parse(SCRIPT))
    return kept


def moves(journal: Path, number: int) -> list[tuple[str, int, int]]:
    return [(each.kind, each.by, each.current) for each in proof(journal, number).movements]


def test_every_movement_since_the_beginning_of_the_level_is_there(journal: Path) -> None:
    """100,000.00 + 15.00 + 10.00; the straight flush takes 10 % of 100,025.00, the royal the rest."""
    begun = [("begins", 10_000_000, 10_000_000), ("wagers", 1_500, 10_001_500), ("wagers", 1_000, 10_002_500)]
    assert moves(journal, 1) == [*begun, ("award 1", -1_000_250, 9_002_250)]
    assert moves(journal, 2) == [*begun, ("award 1", -1_000_250, 9_002_250), ("award 2", -9_002_250, 0)]


def test_after_a_royal_the_history_begins_with_the_reset(journal: Path) -> None:
    """10,000.00 reset + 5.00 of one wager; 10 % of 10,005.00 is 1,000.50."""
    assert moves(journal, 3) == [
        ("reset", 1_000_000, 1_000_000),
        ("wagers", 500, 1_000_500),
        ("award 3", -100_050, 900_450),
    ]
    assert proof(journal, 3).unexplained == 0


def test_the_command_prints_it_with_the_arithmetic(journal: Path) -> None:
    done = pozo_run("journal", "proof", "3", journal)
    assert done.exit_code == 0
    assert "award 3: seat 6, straight_flush, level main (art. 17)" in done.output
    assert "100000 ppm of 10005.00 = 1000.50" in done.output
    assert "paid from pot 1000.50, reserve 0.00, house 0.00 (fund pot); pot after it 9004.50" in done.output


def test_an_unknown_award_is_said_to_be_unknown(journal: Path) -> None:
    with pytest.raises(ProofError, match="has no award 9"):
        proof(journal, 9)
    assert pozo_run("journal", "proof", "9", journal).exit_code == 1
