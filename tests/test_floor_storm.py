"""Thirty tables at once while backends and the postmaster die: exact to the unit, every claim answered once."""

import pytest

from tests.helpers_floor_storm import Plan, storm


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_F123_thirty_tables_stay_exact_through_killed_backends_and_a_killed_postmaster() -> None:
    """The core works every pot, award and reset out again from the tables' own rows; the floor agrees with each."""
    made = storm(Plan(tables=30, rounds=12, kills=60, crashes=1))
    assert made.crashed == 1
    assert made.killed >= 30
    assert made.lost >= 30
    assert made.replays >= 100
    assert len(made.served) >= 40
