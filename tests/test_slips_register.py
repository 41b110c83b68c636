"""The register of papers: what is marked, what is due, and what a power cut between two steps leaves behind."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from controller.core import events as ev
from controller.core.game import Hand
from controller.single import AlreadyRunningError, SingleInstance
from controller.slips.deliver import Press
from controller.slips.follow import Follower
from controller.slips.outlet import OutletError
from controller.slips.register import ATTEMPTS_MAX, Act, Paper, Register, RegisterError, opened, path_of
from controller.slips.source import SlipError
from tests.helpers_slips import TWO_AWARDS, Killed, Tray, clock, house, killed, played, torn
from tests.helpers_world import act, chip, key, powered, press, running, stored

NO_AWARDS = "power on\nexpect bets 0"


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    """Two awards; the register begins before them, as on a table whose printer was there from the first day."""
    empty = played(tmp_path, NO_AWARDS, "journal.db")
    full = played(tmp_path, TWO_AWARDS, "full.db")
    begun_before(empty, full)
    return full


def begun_before(empty: Path, full: Path) -> None:
    """Begin a register on an empty journal, and give it to the full one: both begin with the same record."""
    with opened(empty, clock().wall_ns):
        pass
    path_of(empty).rename(path_of(full))


def follower(journal: Path, tray: Tray, said: list[str] | None = None) -> Follower:
    return Follower(journal, tray, house(), clock(), (said if said is not None else []).append)


def marks(paper: str) -> list[str]:
    return [line.strip(" *") for line in paper.splitlines() if line.strip().startswith("***")]


def test_each_award_is_printed_once_and_in_order(journal: Path) -> None:
    tray = Tray()
    follower(journal, tray).turn()
    follower(journal, tray).turn()
    assert ["N.º 1" in tray.papers[0], "N.º 2" in tray.papers[1], len(tray.papers)] == [True, True, 2]
    assert [marks(paper) for paper in tray.papers] == [[], ["YA PAGADO"]]


def test_without_a_new_award_the_register_is_left_to_others(journal: Path) -> None:
    follow = follower(journal, Tray())
    follow.turn()
    with SingleInstance(path_of(journal)):
        follow.turn()
        with pytest.raises(AlreadyRunningError):
            follower(journal, Tray()).turn()


def test_killed_after_the_paper_and_before_its_note_the_next_one_says_so(journal: Path) -> None:
    tray = Tray()
    tray.after = killed
    with pytest.raises(Killed):
        follower(journal, tray).turn()
    tray.after = lambda: None
    follower(journal, tray).turn()
    assert [marks(paper) for paper in tray.papers] == [[], ["REIMPRESIÓN", "COPIA 1"], ["YA PAGADO"]]


def test_killed_before_the_first_byte_nothing_is_lost_and_the_mark_is_there(journal: Path) -> None:
    tray = Tray()
    tray.before = killed
    with pytest.raises(Killed):
        follower(journal, tray).turn()
    tray.before = lambda: None
    follower(journal, tray).turn()
    assert [marks(paper) for paper in tray.papers] == [["REIMPRESIÓN", "COPIA 1"], ["YA PAGADO"]]


def test_without_paper_nothing_is_noted_and_the_original_comes_later(journal: Path) -> None:
    tray = Tray()
    tray.paper = False
    with pytest.raises(OutletError, match="out of paper"):
        follower(journal, tray).turn()
    with opened(journal, clock().wall_ns) as register:
        assert register.history(1) == ()
    tray.paper = True
    follower(journal, tray).turn()
    assert marks(tray.papers[0]) == []


def test_what_fails_half_way_too_often_waits_for_a_person(journal: Path) -> None:
    tray, said = Tray(), list[str]()
    tray.before = torn
    follow = follower(journal, tray, said)
    for _ in range(ATTEMPTS_MAX):
        with pytest.raises(OutletError):
            follow.turn()
    assert said == ["slip 1: 3 papers failed half-way; it is left to `pozo slip 1 --copy --printer …`"]
    tray.before = lambda: None
    follow.turn()
    assert ["N.º 2" in paper for paper in tray.papers] == [True]
    with opened(journal, clock().wall_ns) as register:
        assert register.given_up() == (1,)
        assert [done.act for done in register.history(1)] == [Act.STARTED, Act.FAILED] * ATTEMPTS_MAX


def test_copies_are_counted_and_an_end_nobody_saw_marks_every_later_one(journal: Path) -> None:
    tray = Tray()
    with opened(journal, clock().wall_ns) as register:
        papers = printed(journal, register, tray, 1, 1)
        tray.after = torn
        with pytest.raises(OutletError):
            printed(journal, register, tray, 1)
        tray.after = lambda: None
        papers += printed(journal, register, tray, 1)
    assert [(paper.copy, paper.reprint) for paper in papers] == [(0, False), (1, False), (3, True)]


def printed(journal: Path, register: Register, tray: Tray, *numbers: int) -> list[Paper]:
    made = Press(journal, register, tray, house(), clock())
    return [made.award(number) for number in numbers]


def test_a_void_paper_is_marked_and_kept_and_the_next_one_replaces_it(journal: Path) -> None:
    tray = Tray()
    with opened(journal, clock().wall_ns) as register:
        made = Press(journal, register, tray, house(), clock())
        made.award(1)
        made.void(1, "papel roto")
        with pytest.raises(RegisterError, match="void already"):
            made.void(1, "otra vez")
        made.award(1)
        made.award(1)
        assert [done.act for done in register.history(1)].count(Act.VOIDED) == 1
    assert [marks(paper) for paper in tray.papers] == [[], ["ANULADO"], ["COPIA 1"], ["COPIA 2"]]
    assert "Anulado: papel roto" in tray.papers[1]
    assert ["Reemplaza" in paper for paper in tray.papers] == [False, False, True, False]


def test_a_void_needs_a_paper_and_a_reason(journal: Path) -> None:
    with opened(journal, clock().wall_ns) as register:
        made = Press(journal, register, Tray(), house(), clock())
        with pytest.raises(RegisterError, match="never printed"):
            made.void(1, "papel roto")
        made.award(1)
        with pytest.raises(RegisterError, match="needs its reason"):
            made.void(1, "  ")
        with pytest.raises(SlipError):
            made.void(9, "papel roto")


def test_a_new_register_prints_what_is_owed_and_marks_it(tmp_path: Path) -> None:
    """Nobody knows what was printed before; the paid award is left alone, a later one would be an original."""
    journal = played(tmp_path, TWO_AWARDS)
    tray = Tray()
    follower(journal, tray).turn()
    assert [("N.º 1" in paper, marks(paper)) for paper in tray.papers] == [(True, ["REIMPRESIÓN"])]


def test_a_register_of_another_journal_is_refused(tmp_path: Path, journal: Path) -> None:
    other = played(tmp_path, "set wager.amount 20.00\n" + NO_AWARDS, "other.db")
    path_of(journal).rename(path_of(other))
    with pytest.raises(RegisterError, match="belongs to another journal"), opened(other, clock().wall_ns):
        pass


@pytest.mark.parametrize(
    "damage",
    [
        "UPDATE papers SET detail = 'x' WHERE act = 'started'",
        "UPDATE papers SET copy = 1 WHERE act = 'finished'",
        "DELETE FROM papers WHERE act = 'started'",
        "UPDATE papers SET wall_ns = wall_ns + 1 WHERE id = 1",
    ],
)
def test_an_altered_register_is_refused(journal: Path, damage: str) -> None:
    with opened(journal, clock().wall_ns) as register:
        printed(journal, register, Tray(), 1)
    with closing(sqlite3.connect(path_of(journal))) as connection, connection:
        connection.execute(damage)
    with pytest.raises(RegisterError, match="was altered"), opened(journal, clock().wall_ns):
        pass


def test_a_file_that_is_no_register_is_refused_with_what_to_do(journal: Path) -> None:
    path_of(journal).write_bytes(b"no database at all" * 100)
    with pytest.raises(RegisterError, match="a damaged one is put aside"), opened(journal, clock().wall_ns):
        pass


def test_a_register_put_back_gives_no_unmarked_paper_of_an_award_that_was_paid(journal: Path) -> None:
    """Award 2 was paid, award 1 is owed: what is printed a second time says of the paid one that it was."""
    before = path_of(journal).read_bytes()
    tray = Tray()
    follower(journal, tray).turn()
    path_of(journal).write_bytes(before)
    follower(journal, tray).turn()
    assert [marks(paper) for paper in tray.papers[2:]] == [[], ["YA PAGADO"]]


def test_a_printer_without_paper_holds_no_round() -> None:
    """The table approves, pays and goes on; the slip comes when there is paper, and is the original."""
    with powered() as world:
        tray = Tray()
        follow = follower(world.medium.journal, tray)
        follow.turn()
        tray.paper = False
        for _ in range(2):
            chip(world, 1)
            press(world, ev.Button.COIN_IN)
            act(world, ev.AwardClaimed(0, 1, Hand.FLUSH))
            key(world, ev.Key.SUPERVISOR, on=True)
            act(world, ev.AwardsApproved(0))
            key(world, ev.Key.SUPERVISOR, on=False)
            with pytest.raises(OutletError):
                follow.turn()
            press(world, ev.Button.GAME_OVER)
        assert running(world).table.round == 3
        assert len(stored(world, ev.AwardsApproved)) == 2
        tray.paper = True
        follow.turn()
        assert [marks(paper) for paper in tray.papers] == [[], []]
