"""A date that nothing explains counts for no report until a technician has looked at the clock."""

from contextlib import closing
from pathlib import Path

import pytest

from controller.administer import administer
from controller.clock import VirtualClock
from controller.config import load
from controller.core import events as ev
from controller.core.faults import Fault, FaultCode
from controller.dates import DAY_NS, Dates
from controller.drill.play import settings_of
from controller.drill.statements import Part
from controller.drill.world import World
from controller.journal import ends_of, records
from controller.journal.read import last_date
from controller.slips.day import Span
from controller.slips.plain import plain_text
from controller.slips.report_page import report_page
from controller.slips.shift import FaultCount, shift_report
from tests.helpers_cli import own_table, pozo_run
from tests.helpers_slips import house
from tests.helpers_world import SECOND, act, chip, key, now, powered, press, stored, table

BEGIN_NS = 1_767_225_600 * SECOND
"""Where a virtual wall clock begins: 2026-01-01, midnight UTC."""

DOUBTED = Fault(FaultCode.CLOCK_DOUBTED)


def one_round(world: World, *seats: int) -> None:
    chip(world, *seats)
    press(world, ev.Button.COIN_IN)
    press(world, ev.Button.GAME_OVER)


def cleared(world: World) -> None:
    """The technician looks at the clock."""
    key(world, ev.Key.TECHNICIAN, on=True)
    assert act(world, ev.FaultClearAsked(now(world), FaultCode.CLOCK_DOUBTED)) == (
        ev.FaultCleared(FaultCode.CLOCK_DOUBTED, 0),
    )
    key(world, ev.Key.TECHNICIAN, on=False)


def test_a_date_a_year_ahead_takes_no_round_out_of_todays_report() -> None:
    """One wager before the jump, two while the clock lies; it is put right and looked at; three on the next day."""
    with powered() as world:
        one_round(world, 1)
        world.clock.step_wall(365 * DAY_NS)
        one_round(world, 1, 2)
        assert table(world).faults == (DOUBTED,)
        world.clock.step_wall(-365 * DAY_NS)
        world.pass_time(SECOND)
        assert not stored(world)[-1].wall_trusted, "right again, and nobody has looked"
        cleared(world)
        world.clock.step_wall(DAY_NS)
        one_round(world, 1, 2, 3)
        journal = world.medium.journal
        today = shift_report(journal, Span(BEGIN_NS, BEGIN_NS + DAY_NS))
        tomorrow = shift_report(journal, Span(BEGIN_NS + DAY_NS, BEGIN_NS + 2 * DAY_NS))
    assert (today.wagers, today.dated) == (3, False)
    assert (tomorrow.wagers, tomorrow.dated) == (3, True)
    assert today.faults == (FaultCount(FaultCode.CLOCK_DOUBTED, 1, 1),)
    lines = plain_text(report_page(today, house())).splitlines()
    assert [line.split() for line in lines if "clock_doubted" in line] == [["clock_doubted", "1/1"]]


@pytest.mark.parametrize(
    ("days", "doubted"), [(6, False), (7, False), (8, True), (365, True), (-1, False), (-2, True)]
)
def test_a_start_believes_what_a_table_may_have_been_off(days: int, doubted: bool) -> None:
    with closing(World(settings_of("simulated", {}))) as world:
        world.power_on(open_table=False)
        world.power_off()
        world.clock.step_wall(days * DAY_NS)
        world.power_on(open_table=False)
        (started, *_) = stored(world, ev.Started)[1:]
        assert started.wall_trusted is not doubted, "the very first record of the start"
        assert (DOUBTED in table(world).faults) is doubted


def test_only_the_technician_says_that_a_date_is_true_and_then_it_counts() -> None:
    with powered() as world:
        world.clock.step_wall(30 * DAY_NS)
        world.pass_time(SECOND)
        asked = ev.FaultClearAsked(now(world), FaultCode.CLOCK_DOUBTED)
        assert act(world, asked) == (ev.Refused(ev.Refusal.TECHNICIAN_KEY),)
        cleared(world)
        world.power_off()
        world.power_on(open_table=False)
        assert table(world).faults == ()
        assert stored(world)[-1].wall_trusted


def test_a_clock_that_is_being_set_and_one_that_was_never_set_are_not_doubted() -> None:
    with powered() as world:
        world.power_off()
        world.clock.trusted = False
        world.clock.step_wall(-20_000 * DAY_NS)
        world.power_on(open_table=False)
        one_round(world, 1)
        world.clock.step_wall(20_003 * DAY_NS)
        world.clock.trusted = True
        one_round(world, 1)
        assert table(world).faults == ()


def test_an_unset_clock_hides_no_jump_from_the_date_before_it() -> None:
    with powered() as world:
        world.power_off()
        world.clock.trusted = False
        world.clock.step_wall(365 * DAY_NS)
        world.power_on(open_table=False)
        assert table(world).faults == ()
        world.clock.trusted = True
        world.pass_time(SECOND)
        assert table(world).faults == (DOUBTED,)


def test_small_steps_add_up() -> None:
    clock = VirtualClock()
    dates = Dates(clock, clock.wall_ns())
    assert dates.look(1) == ()
    hour_ns = 3600 * SECOND
    for _ in range(24):
        clock.step_wall(hour_ns)
        assert dates.look(1) == (ev.ClockStepped(1, hour_ns),)
    clock.step_wall(hour_ns)
    assert dates.look(1) == (ev.ClockStepped(1, 25 * hour_ns, unexplained=True),)
    assert dates.look(2) == (), "told once; from here on it is held against the date that is doubted"


def test_a_jump_while_nothing_can_be_stored_is_told_afterwards() -> None:
    with powered() as world:
        world.medium.fail(Part.DISK_FULL)
        chip(world, 1)
        world.clock.step_wall(365 * DAY_NS)
        world.pass_time(SECOND)
        world.clock.step_wall(3 * SECOND)
        world.pass_time(SECOND)
        world.medium.mend()
        world.pass_time(2 * SECOND)
        assert DOUBTED in table(world).faults
        assert not stored(world)[-1].wall_trusted


def test_a_session_at_the_terminal_on_a_false_date_says_so(tmp_path: Path) -> None:
    file = own_table(tmp_path)
    assert pozo_run("commission", "--config", file, "--turn-keys").exit_code == 0
    settings = load(str(file))
    noted = ev.SelfTested(1, "Luis", "simulated", ())
    administer(settings, VirtualClock(), noted, both_keys=False)
    today = last_date(settings.journal)
    later = VirtualClock(wall_ns=BEGIN_NS + 400 * DAY_NS)
    administer(settings, later, noted, both_keys=False)
    last = ends_of(settings.journal).last
    assert (last.wall_trusted, last.state.faults) == (False, (DOUBTED,))
    assert last_date(settings.journal) == today
    told = [record.event for record in records(settings.journal) if isinstance(record.event, ev.ClockStepped)]
    assert [event.unexplained for event in told] == [True]
