"""Records without a date that counts are in a report: exactly one of those that touch, and it names them."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.core import events as ev
from controller.core.game import Hand
from controller.drill.play import settings_of
from controller.drill.world import World
from controller.journal.schema import INSERT_SQL, TABLE_SQL
from controller.recovery import Request, recover
from controller.slips import SlipError, Span, shift_report
from controller.slips.plain import plain_text
from controller.slips.report_page import report_page
from controller.slips.shift import STEPS_MAX, ClockStep, ShiftReport
from controller.slips.within import within
from tests.helpers_signing import PUBLIC
from tests.helpers_slips import house
from tests.helpers_witness import BASE, PAPER, PER_WAGER
from tests.helpers_world import SECOND, act, chip, key, now, press, stored

BEGIN_NS = 1_767_225_600 * SECOND
DAY_NS = 86_400 * SECOND
EVER = Span(0, 2**62)


def one_round(world: World, *seats: int) -> None:
    chip(world, *seats)
    press(world, ev.Button.COIN_IN)
    press(world, ev.Button.GAME_OVER)


@contextmanager
def not_set() -> Iterator[World]:
    """A table that is commissioned and opened while nobody has set its clock."""
    with closing(World(settings_of("simulated", {}))) as world:
        world.clock.trusted = False
        world.power_on(open_table=True)
        yield world


def set_clock(world: World) -> None:
    world.clock.trusted = True
    world.pass_time(SECOND)


def printed(report: ShiftReport) -> str:
    return " ".join(plain_text(report_page(report, house())).split())


def test_what_was_played_before_the_clock_was_set_is_in_the_first_report() -> None:
    """Two wagers and an award before the cable was plugged in, three wagers after: the report of that day has all."""
    with not_set() as world:
        one_round(world, 1)
        chip(world, 2)
        press(world, ev.Button.COIN_IN)
        act(world, ev.AwardClaimed(now(world), 2, Hand.FLUSH))
        key(world, ev.Key.SUPERVISOR, on=True)
        act(world, ev.AwardsApproved(now(world)))
        key(world, ev.Key.SUPERVISOR, on=False)
        press(world, ev.Button.GAME_OVER)
        before = len(stored(world))
        set_clock(world)
        one_round(world, 1, 2, 3)
        journal, after = world.medium.journal, len(stored(world))
        day, ever = shift_report(journal, Span(BEGIN_NS, BEGIN_NS + DAY_NS)), shift_report(journal, EVER)
        with pytest.raises(SlipError, match="has no record in that time"):
            shift_report(journal, Span(BEGIN_NS - DAY_NS, BEGIN_NS))
    assert (day.first.seq, day.last.seq) == (ever.first.seq, ever.last.seq) == (1, after)
    assert (day.wagers, day.awarded, [award.number for award in day.awards]) == (5, 50_000, [1])
    assert (day.levels[0].begins, day.levels[0].ends) == (BASE, BASE + 5 * PER_WAGER)
    assert day.undated is not None
    assert (day.undated.count, day.undated.since.seq) == (before, 1)
    assert (
        f"Sin fecha que cuente (reloj sin poner en hora, o en duda): {before} registros, desde el 1 ~"
        in printed(day)
    )


def test_a_journal_begun_anew_from_paper_without_a_clock_has_its_correction_in_the_first_report() -> None:
    """12,345,678 on paper against a base of 10,000,000: the report says so, and nothing is unexplained."""
    with not_set() as world:
        world.power_off()
        for path in (world.medium.journal, *world.medium.witness.iterdir()):
            path.write_bytes(b"spoilt" * 20)
        request = Request(ev.Trusted.PAPER, "Ana", "Luis", "a new card", PAPER, filed=PUBLIC)
        recover(world.places, world.clock, request, world.connect, files=world.medium.files)
        world.power_on(open_table=False)
        set_clock(world)
        report = shift_report(world.medium.journal, Span(BEGIN_NS, BEGIN_NS + DAY_NS))
    (level,) = report.levels
    assert (report.first.seq, level.begins, level.corrections, level.ends) == (1, BASE, 2_345_678, 12_345_678)
    assert level.unexplained == 0


Rows = list[tuple[int, bool]]
ROWS = st.lists(st.tuples(st.integers(0, 12), st.booleans()), min_size=1, max_size=12)
CUTS = st.lists(st.integers(0, 14), min_size=1, max_size=5)


@given(ROWS, CUTS)
def test_each_record_is_in_exactly_one_of_spans_that_touch(rows: Rows, cuts: list[int]) -> None:
    """Whatever the clock said and whenever it was trusted; spans from the beginning of time to its end."""
    edges = [0, *sorted(set(cuts) - {0}), 2**62]
    found: list[int] = []
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(TABLE_SQL)
        for seq, (wall, trusted) in enumerate(rows, start=1):
            row = (seq, 1, seq, wall, int(trusted), "x", "{}", "[]", "{}", "d")
            connection.execute(INSERT_SQL, row)
        for begin, end in pairwise(edges):
            try:
                first, last = within(connection, Path("x.db"), Span(begin, end), len(rows))
            except SlipError:
                continue
            found += range(first, last + 1)
    assert found == list(range(1, len(rows) + 1))


def test_a_report_names_the_steps_of_the_clock_it_contains() -> None:
    """Ten minutes forward and back again is no doubt, but it is on paper; more than twenty are counted."""
    with closing(World(settings_of("simulated", {}))) as world:
        world.power_on(open_table=True)
        for by_s in (600, -600):
            world.clock.step_wall(by_s * SECOND)
            world.pass_time(SECOND)
        seqs = [record.seq for record in stored(world, ev.ClockStepped)]
        two = shift_report(world.medium.journal, EVER)
        for turn in range(STEPS_MAX):
            world.clock.step_wall((3 if turn % 2 else -3) * SECOND)
            world.pass_time(SECOND)
        many = shift_report(world.medium.journal, EVER)
    assert two.steps == (ClockStep(seqs[0], 600 * SECOND), ClockStep(seqs[1], -600 * SECOND))
    assert f"Reloj movido, registro {seqs[0]} +0:10:00 Reloj movido, registro {seqs[1]} -0:10:00" in printed(
        two
    )
    assert "más del reloj" not in printed(two)
    assert (many.stepped, len(many.steps)) == (22, 20)
    assert "y 2 saltos más del reloj" in printed(many)
