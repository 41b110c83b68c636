"""The floor under a storm of real processes, short: tables, links, backends, a postmaster die, the network parts."""

import pytest

from tests.storm.plan import Plan, Strike
from tests.storm.storm import storm


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_real_tables_and_links_stay_exact_to_the_unit_through_a_storm() -> None:
    """All figures are worked out again from the journals alone; a kind of strike that never came fails too."""
    plan = Plan(
        tables=4, rounds=6, backends=3, links=2, cuts=2, crashes=1, partitions=1, replays=30, span_s=3
    )
    tally = storm(plan, lambda _: None)
    assert tally["claims answered once"] >= 1
    assert tally["replays of reports"] >= 5
    assert tally["replays of claims"] >= 5
    assert all(tally[strike] == count for strike, count in plan.strikes.items())
    assert tally[Strike.PARTITION] == 1
