"""The shrinker: what it leaves still fails, nothing in it can be left out, and it never makes a failure of its own."""

from collections.abc import Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from controller.soak.shrink import TRIES_MOST, as_drill, replay, same, shrink
from controller.soak.table import Failure
from tests.broken import BUILDS, built

NAMES = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=60)


@settings(max_examples=200, deadline=None)
@given(NAMES, st.sets(st.sampled_from("abcdefgh"), min_size=1, max_size=3))
def test_only_what_is_needed_is_left(lines: list[str], needed: set[str]) -> None:
    def fails(tried: Sequence[str]) -> bool:
        return needed <= set(tried)

    body = [*lines, *sorted(needed)]
    assert sorted(shrink([], body, fails)) == sorted(needed)


def test_the_order_and_the_header_stay() -> None:
    def fails(tried: Sequence[str]) -> bool:
        places = {line: place for place, line in enumerate(tried)}
        return {"on", "claim", "pay"} <= set(places) and places["claim"] < places["pay"]

    body = [*"xyz" * 40, "claim", *"uvw" * 40, "pay", *"rst" * 9]
    assert shrink(["on"], body, fails) == ["claim", "pay"]


def test_what_does_not_fail_again_is_kept_whole() -> None:
    body = [str(number) for number in range(50)]
    assert shrink([], body, lambda _: False) == body


def test_it_stops_after_so_many_tries() -> None:
    tries: list[int] = []

    def fails(tried: Sequence[str]) -> bool:
        tries.append(len(tried))
        return len(tried) >= 5_000

    body = [str(number) for number in range(6_000)]
    assert len(shrink([], body, fails)) >= 5_000
    assert len(tries) <= TRIES_MOST


def test_a_drill_tells_its_seed_its_checker_and_what_was_found() -> None:
    text = as_drill(7, Failure("money", "record 9: 3 are missing"), ["audit", "power on"])
    assert text == "# pozo soak, seed 7: money\n# record 9: 3 are missing\naudit\npower on\n"


LOCKED = ("audit", "power on", "chip 2", "press coin_in")


def test_a_replay_of_lines_in_order_finds_nothing() -> None:
    assert replay(LOCKED) is None


def test_a_replay_finds_with_the_same_checker() -> None:
    broken = next(each for each in BUILDS if each.name == "carry dropped")
    lines = ("set pot.main.increment_rate_ppm 333333", *LOCKED)
    with built(broken):
        found = replay(lines)
        assert found is not None
        assert found.checker == "money"
        assert same("money")(lines)
        assert not same("lamp")(lines)


def test_lines_that_cannot_be_played_are_no_finding_of_a_checker() -> None:
    found = replay(("audit", "power cut"))
    assert found is not None
    assert found.checker == "drill"
