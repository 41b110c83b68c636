"""What must hold for any edges at all, whatever order, size and delay they come in."""

from collections import deque
from collections.abc import Iterator, Sequence

from hypothesis import given, settings
from hypothesis import strategies as st

from controller.core import events as ev
from controller.inputs import REFERENCE, Inputs
from hal.interface import Edge
from tests.helpers_inputs import LINES, START_NS, Change, Driver, ns
from tests.helpers_oracle import Oracle

MS = 1_000_000
SETTLE_NS = 10 * MS
HELD_LATE = (ev.ChipDropped, ev.CommonModeSeen, ev.NoiseSeen)
"""These may leave with a stamp older than what has left before: held lows, and counts."""

# Lengths around every limit, to the nanosecond, and some between them.
LIMITS = [1, MS // 2, 2 * MS, 5 * MS, 10 * MS, 20 * MS, 40 * MS, 100 * MS, 1000 * MS, 5000 * MS]
lengths = st.one_of(
    st.builds(lambda at, by: max(1, at + by), st.sampled_from(LIMITS), st.integers(-1, 1)),
    st.integers(1, 30 * MS),
    st.integers(28 * MS, 32 * MS),
)


STEPS = [0, 1, MS, MS + 1, 2 * MS - 1, 2 * MS, 2 * MS + 1, 3 * MS, 4 * MS]
"""Distances between lines, around the common-mode span."""


@st.composite
def bursts(draw: st.DrawFn, shortest: int = 1) -> list[Change]:
    """Several lines, buttons perhaps among them, that fall and rise at nearly the same times; then once more."""
    changes: list[Change] = []
    length = draw(st.sampled_from([8, 9, 10, 20, 30, 99, 998]))
    names = [*LINES[:7], *draw(st.sampled_from([[], ["coin_in"], ["game_over"]]))]
    for line in draw(st.lists(st.sampled_from(names), min_size=3, max_size=8, unique=True)):
        at_ns = START_NS + MS
        for _ in range(draw(st.integers(1, 2))):
            at_ns += draw(st.sampled_from(STEPS))
            changes.append(Change(at_ns, line, True))
            at_ns += length * MS + draw(st.sampled_from(STEPS))
            changes.append(Change(at_ns, line, False))
            at_ns += draw(st.sampled_from([shortest, MS + shortest, 9 * MS, 10 * MS, 11 * MS]))
    return changes


@st.composite
def loose(draw: st.DrawFn, most: int = 8, shortest: int = 1) -> list[Change]:
    """Alternating levels on some lines, many of them beginning close together."""
    changes: list[Change] = []
    for line in draw(st.lists(st.sampled_from(LINES), min_size=1, max_size=7, unique=True)):
        at_ns = START_NS + draw(st.integers(1, 6 * MS))
        active = True
        for length in draw(
            st.lists(lengths.map(lambda length: max(length, shortest)), min_size=1, max_size=most)
        ):
            changes.append(Change(at_ns, line, active))
            at_ns += length
            active = not active
        if not active:
            changes.append(Change(at_ns, line, False))
    return changes


def waves(shortest: int = 1) -> st.SearchStrategy[list[Change]]:
    """Any edges."""
    return st.one_of(loose(shortest=shortest), bursts(shortest=shortest))


def lows(changes: Sequence[Change], line: str) -> Iterator[tuple[int, int]]:
    """Fall and length of every low of a line; one that has not ended is endless."""
    mine = sorted(c for c in changes if c.line == line)
    for begin, end in zip(mine[::2], [*mine[1::2], None], strict=False):
        yield begin.at_ns, (end.at_ns - begin.at_ns) if end else 10**18


@settings(max_examples=120, deadline=None)
@given(waves())
def test_a_chip_is_always_a_low_that_held_and_each_low_counts_once(changes: list[Change]) -> None:
    events = Driver().run(changes, 30_000)
    for seat in range(1, 8):
        settled = {fall for fall, length in lows(changes, f"seat_{seat}") if length >= SETTLE_NS}
        counted = [e.at_ns for e in events if isinstance(e, ev.ChipDropped) and e.seat == seat]
        assert len(counted) == len(set(counted))
        assert set(counted) <= settled


@settings(max_examples=120, deadline=None)
@given(waves())
def test_stamps_of_events_never_go_back_but_for_held_lows(changes: list[Change]) -> None:
    events = Driver().run(changes, 30_000)
    ordered = [e.at_ns for e in events if not isinstance(e, HELD_LATE)]
    assert ordered == sorted(ordered)
    latest = 0
    for event in events:
        if isinstance(event, ev.ChipDropped) and event.at_ns < latest:
            falls = [c for c in changes if c.active and abs(c.at_ns - event.at_ns) <= 2 * MS]
            assert len({c.line for c in falls if c.line.startswith("seat_")}) >= 3
        if not isinstance(event, ev.NoiseSeen):
            latest = max(latest, event.at_ns)


@settings(max_examples=120, deadline=None)
@given(waves(), st.lists(st.integers(0, 3000 * MS), max_size=6))
def test_a_frozen_loop_decides_the_same_as_a_prompt_one(changes: list[Change], freezes: list[int]) -> None:
    prompt = Driver().run(changes, 70_000)
    frozen = Driver()
    begin = START_NS
    for length in freezes:
        frozen.freezes.append((begin, begin + length))
        begin += length + MS
    assert frozen.run(changes, 70_000) == prompt


@settings(max_examples=120, deadline=None)
@given(waves(), st.data())
def test_one_feed_of_everything_in_any_order_decides_the_same(
    changes: list[Change], data: st.DataObject
) -> None:
    prompt = Driver().run(changes, 70_000)
    waiting: dict[str, deque[Edge]] = {line: deque() for line in LINES}
    for change in sorted(changes):
        waiting[change.line].append(Edge(change.line, change.active, change.at_ns))
    turns = data.draw(st.permutations([change.line for change in changes]))
    mixed = [waiting[line].popleft() for line in turns]
    levels = dict.fromkeys(LINES, False) | {c.line: c.active for c in sorted(changes)}
    inputs = Inputs(REFERENCE, 7, dict.fromkeys(LINES, False), START_NS)
    assert inputs.feed(mixed, ns(70_000), levels) == prompt


@settings(max_examples=120, deadline=None)
@given(waves())
def test_chips_are_those_of_a_second_opinion(changes: list[Change]) -> None:
    events = Driver().run(changes, 70_000)
    oracle = Oracle(changes)
    assert sorted((e.at_ns, e.seat) for e in events if isinstance(e, ev.ChipDropped)) == oracle.chips()
    told = {seat for e in events if isinstance(e, ev.CommonModeSeen) for seat in e.seats}
    assert {low[0] for low in oracle.noise()} <= told


@settings(max_examples=120, deadline=None)
@given(waves(shortest=5 * MS), st.data())
def test_edges_that_arrive_late_change_nothing(changes: list[Change], data: st.DataObject) -> None:
    delays = data.draw(st.lists(st.integers(0, 2 * MS), min_size=len(changes), max_size=len(changes)))
    late = [c._replace(delay_ns=delay) for c, delay in zip(changes, delays, strict=True)]
    events = Driver().run(late, 70_000)
    assert sorted(map(repr, events)) == sorted(map(repr, Driver().run(changes, 70_000)))
    ordered = [e.at_ns for e in events if not isinstance(e, HELD_LATE)]
    assert ordered == sorted(ordered)
