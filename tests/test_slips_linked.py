"""Papers of linked pots: a slip waits for the floor's amount, names who approved the claim, and a report adds up."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from controller.drill.parse import parse
from controller.drill.play import Drill
from controller.journal import verify
from controller.proof import proof
from controller.slips import Span, shift_report
from controller.slips.award import award_slip
from controller.slips.follow import Follower
from controller.slips.plain import plain_text
from controller.slips.report_page import report_page
from controller.slips.source import NoAwardError
from tests.helpers_slips import Tray, clock, house, played

BEGIN = """
set link.floor service=pozo
set link.socket /run/pozo/link.sock
set link.offline continue
set pot.main.link sala
power on
wait 2s
"""
WON = (
    BEGIN
    + """
chip 2 5
press coin_in
link holds
claim 2 straight_flush
cards 2 9s Ts 8s 7s 6s
key supervisor on
approve
key supervisor off
press game_over
chip 2
press coin_in
press game_over
link answers
wait 2s
elsewhere wins royal_flush
wait 2s
"""
)
"""Two wagers of 10.00, one more later: 100,015.00 at the floor, and a tenth of it is 10,001.50."""

LATER = (
    BEGIN
    + """
chip 1 2
press coin_in
link holds
key supervisor on
claim 1 straight_flush
approve
claim 2 flush
approve
press game_over
key supervisor off
"""
)

GIVEN_UP = """
link lost
key supervisor on
close
key technician on
give_up_claim 1 settled on paper
key technician off
key supervisor off
"""
YEAR = Span(0, 2**62)


def test_the_slip_of_a_claim_has_the_floors_pot_and_the_round_in_which_it_was_won(tmp_path: Path) -> None:
    slip = award_slip(played(tmp_path, WON), 1)
    assert (slip.award.amount, slip.award.pot_before, slip.award.pot_after) == (
        1_000_150,
        10_001_500,
        9_001_350,
    )
    assert (slip.round, len(slip.cards), slip.by_key) == (1, 5, True)
    assert slip.won.wall_ns < slip.prepared.wall_ns


@contextmanager
def playing(script: str) -> Iterator[tuple[Drill, Path]]:
    """A drill that stands after this script, and its journal."""
    drill = Drill()
    try:
        go_on(drill, script)
        yield drill, drill.world.medium.journal
    finally:
        drill.close()


def go_on(drill: Drill, script: str) -> None:
    for statement in parse(script):
        drill.one(statement)


def test_a_slip_is_printed_once_the_floor_has_answered() -> None:
    tray, said = Tray(), list[str]()
    with playing(LATER) as (drill, journal):
        follower = Follower(journal, tray, house(), clock(), said.append)
        follower.turn()
        assert ["N.º 2" in paper for paper in tray.papers] == [True], (
            "the flush is the house's, and is not held up"
        )
        with pytest.raises(NoAwardError, match="award 1 waits for the floor"):
            award_slip(journal, 1)
        go_on(drill, "link answers\nwait 2s")
        follower.turn()
        follower.turn()
        assert ["N.º 1" in paper for paper in tray.papers] == [False, True]


def test_the_number_of_a_claim_that_was_given_up_is_void_and_holds_up_no_other() -> None:
    tray, said = Tray(), list[str]()
    with playing(LATER) as (drill, journal):
        follower = Follower(journal, tray, house(), clock(), said.append)
        follower.turn()
        go_on(drill, GIVEN_UP)
        follower.turn()
        follower.turn()
        assert ["N.º 2" in paper for paper in tray.papers] == [True]
        (void,) = [line for line in said if line.startswith("slip 1")]
        assert "award 1 is void: two persons gave its claim up in record" in void
        assert verify(journal).bad is None


def test_a_report_says_what_went_to_the_link_and_came_from_it(tmp_path: Path) -> None:
    """Three wagers give 55 % of 30.00; 10,001.50 came back; the other table's royal left 10,000.00 to show."""
    report = shift_report(played(tmp_path, WON), YEAR)
    (level,) = report.levels
    assert (level.contributed, level.from_link, level.confirmed) == (1_650, 1_000_150, 1_000_000)
    assert (level.begins, level.ends, level.unexplained) == (0, 0, 0)
    assert (report.awarded, report.liability, report.unpaid) == (1_000_150, 1_000_150, 1_000_150)
    paper = plain_text(report_page(report, house()))
    assert "Al pozo compartido" in paper
    assert "Confirmado por el central" in paper


def test_the_proof_of_a_shared_pot_is_the_floors(tmp_path: Path) -> None:
    found = proof(played(tmp_path, WON), 1)
    assert (found.of_link, found.movements, found.award.amount) == (True, (), 1_000_150)
