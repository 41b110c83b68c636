"""Lamp patterns as an eye sees them: over four seconds no two look alike, and nothing else is steady."""

from itertools import combinations, groupby, pairwise

from controller.outputs import Lamp, lit

SEATS = 7
STEP_NS = 10_000_000
LOOK_NS = 4_200_000_000
"""Two whole rounds of the slowest pattern (attract, 7 × 300 ms), and two winks of a problem."""

ALIKE = {Lamp.ACCEPTED, Lamp.TEST}
"""Both are steady light: a lamp test has to show every lamp lit, and no wager can be accepted during it."""


def seen(lamp: Lamp, seat: int = 3) -> tuple[bool, ...]:
    return tuple(lit(lamp, seat, SEATS, at_ns) for at_ns in range(0, LOOK_NS, STEP_NS))


def switches(pattern: tuple[bool, ...]) -> int:
    """How often a pattern changes in a look."""
    return sum(before is not after for before, after in pairwise(pattern))


def share(pattern: tuple[bool, ...]) -> int:
    """How much of the time it is lit, in percent."""
    return 100 * sum(pattern) // len(pattern)


def longest(pattern: tuple[bool, ...]) -> int:
    """How many steps it is lit at a stretch, at most."""
    return max((len(list(run)) for on, run in groupby(pattern) if on), default=0)


def test_no_two_patterns_look_alike() -> None:
    """An eye tells a pattern by its share of light, its speed or its longest flash: one of them is twice another's."""
    for one, other in combinations(Lamp, 2):
        if {one, other} == ALIKE:
            continue
        assert any(
            more >= 2 * max(less, 1)
            for measure in (share, switches, longest)
            for less, more in [sorted((measure(seen(one)), measure(seen(other))))]
        ), (one, other)


def test_the_patterns_measured_by_hand() -> None:
    """Per look of 4.2 s: attract 2 × 300 ms; placed a half of each 500 ms, and 200 ms more; winner a half of each
    200 ms; problem 100 ms every 2 s (at 0, 2.0 and 4.0 s); chosen 200 ms of each second, and 100 ms more."""
    assert {lamp: share(seen(lamp)) for lamp in Lamp} == {
        Lamp.OFF: 0,
        Lamp.ACCEPTED: 100,
        Lamp.TEST: 100,
        Lamp.ATTRACT: 14,
        Lamp.PLACED: 52,
        Lamp.WINNER: 50,
        Lamp.PROBLEM: 7,
        Lamp.CHOSEN: 21,
    }
    assert switches(seen(Lamp.PLACED)) == 16
    assert switches(seen(Lamp.WINNER)) == 41


def test_only_a_steady_light_is_lit_for_most_of_the_time() -> None:
    """A lamp is evidence: what no wager has lit may not look like one that is lit (placed and winner blink evenly)."""
    assert {lamp for lamp in Lamp if share(seen(lamp)) > 60} == ALIKE
    assert {lamp for lamp in Lamp if longest(seen(lamp)) > 30} == ALIKE


def test_only_accepted_is_steady() -> None:
    steady = {lamp for lamp in Lamp if switches(seen(lamp)) == 0}
    assert steady == {Lamp.OFF, *ALIKE}


def test_attract_runs_around_the_table_one_lamp_at_a_time() -> None:
    for at_ns in range(0, LOOK_NS, STEP_NS):
        assert sum(lit(Lamp.ATTRACT, seat, SEATS, at_ns) for seat in range(1, SEATS + 1)) == 1
    first = [
        next(seat for seat in range(1, 8) if lit(Lamp.ATTRACT, seat, SEATS, step * 300_000_000))
        for step in range(7)
    ]
    assert first == [1, 2, 3, 4, 5, 6, 7]
