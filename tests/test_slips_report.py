"""Shift reports: every figure worked out by hand from the script; days with 23, 24 and 25 hours."""

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from controller.core import events as ev
from controller.core.faults import FaultCode
from controller.core.state import Pot
from controller.journal import DamagedError, records
from controller.slips import SlipError, Span, gaming_day, shift_report
from controller.slips.day import MomentError, day_of, moment
from controller.slips.flow import Flow
from controller.slips.plain import plain_text
from controller.slips.report_page import report_page
from controller.slips.shift import FaultCount, SeatCount, ShiftReport
from tests.helpers_slips import TWO_AWARDS, house, played
from tests.helpers_world import chip, powered, press, stored

HOUR_NS = 3600 * 10**9
SHIFT_NS = 600 * 10**9
"""A short shift: a set clock that is stepped by more than a quarter of an hour is in doubt."""

BEGIN_NS = 1_767_225_600 * 10**9
"""A drill's world begins at 2026-01-01 00:00 UTC, 21:00 of the last day of 2025 in Montevideo."""

TWO_SHIFTS = """
set pot.main.increment_rate_ppm 500000
set pot.main.reserve_rate_ppm 0
power on
chip 1 2
chip 2
press coin_in
chip 4
fail sign
press game_over
mend sign
clock +600s
chip 3
press coin_in
key supervisor on
void 3 no_ante
key supervisor off
dispute 3
press game_over
chip 5
press coin_in
discrepancy 2
claim 5 four_of_a_kind
key supervisor on
approve
press game_over
expect bets 0
"""
"""First shift: seats 1 and 2 play, one excess, one late, the sign fails and mends. Then: seat 3 is voided, 5 wins."""


@pytest.fixture(scope="module")
def journal(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return played(tmp_path_factory.mktemp("report"), TWO_SHIFTS)


def seats(report: ShiftReport) -> dict[int, SeatCount]:
    return {seat.seat: seat for seat in report.seats}


def test_the_first_shift(journal: Path) -> None:
    """It holds the commissioning: the level begins with its base of 100,000.00 and takes 5.00 of each wager."""
    report = shift_report(journal, Span(BEGIN_NS, BEGIN_NS + SHIFT_NS))
    assert (report.table, report.profile, report.first.seq) == ("SIM-1", "uy-montevideo-caribbean", 1)
    assert (report.rounds, report.wagers, report.wagered, report.refunds) == (1, 2, 2_000, 0)
    (level,) = report.levels
    assert (level.begins, level.raised, level.ends, level.unexplained) == (10_000_000, 1_000, 10_001_000, 0)
    assert report.liability == 10_001_000
    assert report.awards == ()
    assert report.faults == (FaultCount(FaultCode.SIGN_LOST, 1, 1),)
    assert seats(report)[2] == SeatCount(2, dropped=2, accepted=1, excess=1, late=0, voided=0)
    assert seats(report)[4] == SeatCount(4, dropped=1, accepted=0, excess=0, late=1, voided=0)
    assert report.undated is None
    assert (report.stepped, report.steps) == (0, ())


def test_the_second_shift(journal: Path) -> None:
    """Two wagers more; one is refunded by the house, its 5.00 stay in the pot; the house owes 5,000.00."""
    report = shift_report(journal, Span(BEGIN_NS + SHIFT_NS, BEGIN_NS + 2 * SHIFT_NS))
    assert (report.rounds, report.wagers, report.wagered, report.refunds) == (2, 2, 2_000, 1_000)
    assert (report.discrepancies, report.disputes, report.late_locks) == (1, 1, 0)
    (level,) = report.levels
    assert (level.begins, level.raised, level.awards, level.ends) == (10_001_000, 1_000, 0, 10_002_000)
    assert [(each.number, each.seat, each.amount, each.paid) for each in report.awards] == [
        (1, 5, 500_000, False)
    ]
    assert (report.awarded, report.paid, report.unpaid, report.house_awards) == (500_000, 0, 500_000, 500_000)
    assert report.liability == 10_002_000 + 500_000
    assert seats(report)[3] == SeatCount(3, dropped=1, accepted=1, excess=0, late=0, voided=1)
    assert seats(report)[1] == SeatCount(1, dropped=0, accepted=0, excess=0, late=0, voided=0)


def test_reports_that_touch_share_no_record_and_lose_none(journal: Path) -> None:
    first = shift_report(journal, Span(BEGIN_NS, BEGIN_NS + SHIFT_NS))
    second = shift_report(journal, Span(BEGIN_NS + SHIFT_NS, BEGIN_NS + 2 * SHIFT_NS))
    assert first.last.seq + 1 == second.first.seq
    whole = shift_report(journal, Span(0, 2**62))
    assert (whole.first, whole.last) == (first.first, second.last)
    assert whole.wagered == first.wagered + second.wagered


def test_a_royal_and_its_restart_are_explained_to_the_unit(tmp_path: Path) -> None:
    """The restart of 10,000.00 takes 2.50 from the reserve (five wagers of 0.50) and 9,997.50 from the house."""
    report = shift_report(played(tmp_path, TWO_AWARDS), Span(0, 2**62))
    (level,) = report.levels
    assert (level.begins, level.raised, level.awards, level.resets, level.ends) == (
        10_000_000,
        2_500,
        10_002_500,
        1_000_000,
        1_000_000,
    )
    assert (level.reserved, level.reserve_pool, level.unexplained) == (250, 0, 0)
    assert (report.house_awards, report.house_resets) == (0, 999_750)
    assert (report.paid, report.unpaid, report.liability) == (9_002_250, 1_000_250, 2_000_250)


def test_corrections_and_the_page(tmp_path: Path) -> None:
    """A correction in CLOSED from 100,000.00 to 99,000.00 is a movement of its own."""
    journal = played(
        tmp_path,
        "power on closed\nkey supervisor on\nkey technician on\ncorrect main 99000.00 wrong_base\nexpect bets 0",
    )
    report = shift_report(journal, Span(0, 2**62))
    assert (report.levels[0].corrections, report.levels[0].ends) == (-100_000, 9_900_000)
    text = plain_text(report_page(report, house()))
    assert "              PARTE DE TURNO\n" in text
    assert "Correcciones                   -$ 1.000,00\n" in text
    assert "          OBLIGACIONES AL FINAL\n               $ 99.000,00\n" in text
    assert "SIN EXPLICACIÓN" not in text
    assert max(map(len, text.splitlines())) <= 42


def test_an_altered_record_gets_no_report(journal: Path, tmp_path: Path) -> None:
    copy = tmp_path / "altered.db"
    copy.write_bytes(
        journal.read_bytes().replace(b'"by":1000,"current":10001000', b'"by":9000,"current":10001000')
    )
    with pytest.raises(DamagedError, match="the digest of record"):
        shift_report(copy, Span(BEGIN_NS, BEGIN_NS + SHIFT_NS))


def test_what_no_record_explains_is_shown(journal: Path) -> None:
    """The records say 10.00, the state after them says 11.00 more: 1.00 that nobody contributed."""
    flow = Flow(None)
    for record in records(journal):
        flow.add(record)
        if record.kind == "coin_in_pressed":
            break
    (level,) = record.state.pot.levels
    wrong = replace(record.state, pot=Pot((replace(level, current=level.current + 100),)))
    (found,) = flow.levels(wrong)
    assert found.unexplained == 100


def test_a_span_without_records_is_refused(journal: Path) -> None:
    with pytest.raises(SlipError, match="has no record in that time"):
        shift_report(journal, Span(0, BEGIN_NS))
    with pytest.raises(SlipError, match="has no record in that time"):
        shift_report(journal, Span(BEGIN_NS + 3 * SHIFT_NS, BEGIN_NS + 4 * SHIFT_NS))


def test_a_clock_that_steps_back_moves_no_record_into_another_shift(tmp_path: Path) -> None:
    """After the second shift has begun the clock is put back by one: those records stay in the second."""
    journal = played(
        tmp_path,
        "power on\nchip 1\npress coin_in\npress game_over\nclock +600s\nchip 1 2\npress coin_in\npress game_over\n"
        "clock -600s\nchip 1 2 3\npress coin_in\npress game_over\nexpect bets 0",
    )
    first = shift_report(journal, Span(BEGIN_NS, BEGIN_NS + SHIFT_NS))
    second = shift_report(journal, Span(BEGIN_NS + SHIFT_NS, BEGIN_NS + 2 * SHIFT_NS))
    assert (first.wagers, second.wagers) == (1, 5)


@pytest.mark.parametrize("wrong_s", [315_360_000, -1_767_225_600])
def test_dates_of_a_clock_that_was_not_set_move_no_record(wrong_s: int) -> None:
    """One wager in the first shift, one while the clock stands in 2035 or 1970, one after it was set."""
    with powered() as world:
        for trusted, step_s in ((True, 0), (False, wrong_s), (True, 600 - wrong_s)):
            world.clock.trusted = trusted
            world.clock.step_wall(step_s * 10**9)
            chip(world, 1)
            press(world, ev.Button.COIN_IN)
            press(world, ev.Button.GAME_OVER)
        first = shift_report(world.medium.journal, Span(BEGIN_NS, BEGIN_NS + SHIFT_NS))
        second = shift_report(world.medium.journal, Span(BEGIN_NS + SHIFT_NS, BEGIN_NS + 2 * SHIFT_NS))
        unset = [record.seq for record in stored(world) if not record.wall_trusted]
    assert (first.wagers, second.wagers, second.undated) == (2, 1, None)
    assert first.undated is not None
    assert (first.undated.since.seq, first.undated.count) == (unset[0], len(unset))
    assert unset == [*range(unset[0], second.first.seq)]


@pytest.mark.parametrize(
    ("zone", "day", "hours"),
    [
        ("America/Montevideo", date(2026, 3, 1), 24),
        ("America/Santiago", date(2026, 9, 5), 23),
        ("America/Santiago", date(2026, 4, 4), 25),
        ("America/Lima", date(2026, 9, 5), 24),
    ],
)
def test_a_gaming_day_is_as_long_as_the_house_clock_says(zone: str, day: date, hours: int) -> None:
    """Chile puts the clock forward in the night to 6 September 2026 and back in the night to 5 April 2026."""
    span = gaming_day(day, zone, "06:00")
    assert span.to_ns - span.from_ns == hours * HOUR_NS


def test_a_gaming_day_begins_in_the_morning() -> None:
    """06:00 in Montevideo (-03) is 09:00 UTC; 1 January 2026 00:00 UTC still belongs to 31 December."""
    assert gaming_day(date(2026, 1, 1), "America/Montevideo", "06:00").from_ns == BEGIN_NS + 9 * HOUR_NS
    assert day_of(BEGIN_NS, "America/Montevideo", "06:00") == date(2025, 12, 31)
    assert day_of(BEGIN_NS + 9 * HOUR_NS - 1, "America/Montevideo", "06:00") == date(2025, 12, 31)
    assert day_of(BEGIN_NS + 9 * HOUR_NS, "America/Montevideo", "06:00") == date(2026, 1, 1)


@given(st.integers(0, 4_000_000_000 * 10**9), st.sampled_from(["America/Santiago", "America/Montevideo"]))
def test_every_instant_lies_in_exactly_the_gaming_day_it_is_said_to(wall_ns: int, zone: str) -> None:
    span = gaming_day(day_of(wall_ns, zone, "06:00"), zone, "06:00")
    assert span.from_ns <= wall_ns < span.to_ns


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("2025-12-31T21:00", 0),
        ("2026-01-01T00:00Z", 0),
        ("2026-01-01 01:30", 4.5),
        ("2026-01-01T00:00-05:00", 5),
    ],
)
def test_a_moment_is_the_house_clock_s_or_another_that_is_named(text: str, hours: float) -> None:
    assert moment(text, "America/Montevideo") == BEGIN_NS + int(hours * HOUR_NS)


@pytest.mark.parametrize("text", ["yesterday", "31/12/2025 21:00", "2025-13-01T00:00", ""])
def test_what_is_no_moment_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(MomentError, match="2026-01-31T22:00"):
        moment(text, "America/Montevideo")


@pytest.mark.parametrize("year", [1, 1677, 2262, 9999])
def test_a_year_that_no_record_has_is_refused_as_what_it_is(year: int) -> None:
    """What neither the calendar nor SQLite's integers hold ended in a traceback."""
    with pytest.raises(MomentError, match=f"the year {year} has no records: write one from 1678 to 2261"):
        moment(f"{year:04}-12-31T23:59", "America/Montevideo")
    with pytest.raises(MomentError, match=f"the year {year} has no records"):
        gaming_day(date(year, 12, 31), "America/Montevideo", "06:00")
    assert gaming_day(date(2261, 12, 31), "America/Montevideo", "06:00").to_ns < 2**63
