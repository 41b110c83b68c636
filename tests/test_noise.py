"""Hours of noise place nothing, lose nothing and fill nothing. The day of it is a command: `python -m tests.noise`."""

from tests.helpers_inputs import LINES
from tests.noise import KEPT_KB, blow


def test_F045_an_hour_of_noise_with_rounds_among_it_makes_no_wager_and_loses_no_press() -> None:
    told = blow(60, seed=11)
    assert told.sent["dips"] > 1_000
    assert told.sent["wagers"] > 10
    assert told.records["coin_in_pressed"] == told.records["game_over_pressed"] == 6
    # One record a line and minute, and of dips six a minute for lines told before, one more for each line that was not.
    assert told.records["noise_seen"] <= 60 * len(LINES)
    assert told.records["common_mode_seen"] <= 60 * (6 + 7)
    assert told.grown_kb < KEPT_KB


def test_every_spike_of_a_seat_is_counted() -> None:
    told = blow(20, seed=12, dips=False)
    assert told.noise == sum(told.sent[f"seat_{seat}"] for seat in range(1, 8)) > 3_000
