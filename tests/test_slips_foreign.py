"""A slip's number on a paper of another record: rows taken out again, or a number handed out anew after a recovery."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from controller.journal.chain import short_digest
from controller.slips.follow import Follower
from controller.slips.register import _chained, opened, path_of
from tests.helpers_cli import pozo_run
from tests.helpers_slips import TWO_AWARDS, Tray, approval_of, clock, house, played

PUT_IN = "power on\nchip 4\npress coin_in\nclaim 4 royal_flush\nkey supervisor on\napprove"
"""The history that award 1 is printed from first: a royal that the true one knows nothing of."""


@pytest.fixture
def printed(tmp_path: Path) -> tuple[Path, str]:
    """The true journal of two awards, beside the register of one that began alike; and the other award's digest."""
    empty = played(tmp_path, "power on\nexpect bets 0", "empty.db")
    forged = played(tmp_path, PUT_IN, "forged.db")
    with opened(empty, clock().wall_ns):
        pass
    path_of(empty).rename(path_of(forged))
    assert turn(forged, Tray())[0].startswith("slip 1: printed")
    true = played(tmp_path, TWO_AWARDS, "true.db")
    path_of(forged).rename(path_of(true))
    return true, approval_of(forged)[1]


def turn(journal: Path, tray: Tray) -> list[str]:
    said: list[str] = []
    Follower(journal, tray, house(), clock(), said.append).turn()
    return said


def test_an_owed_award_gets_its_paper_though_its_number_was_printed_and_both_are_told(
    printed: tuple[Path, str],
) -> None:
    journal, digest = printed
    tray = Tray()
    said = turn(journal, tray)
    assert ["N.º 1" in paper for paper in tray.papers] == [True, False], (
        "award 2 was never printed and comes too"
    )
    paper = " ".join(tray.papers[0].split())
    assert (
        f"Existe otro papel con este número que no corresponde a ningún premio vigente (huella {short_digest(digest)})"
        in paper
    )
    assert "COPIA 1" in paper
    assert "ANOTHER PAPER OF THIS NUMBER" in said[0]
    assert short_digest(digest) in said[0]
    assert said[1] == "slip 2: printed"
    assert turn(journal, tray) == [], "once is enough"


def test_a_copy_asked_for_and_the_list_of_papers_tell_it_too(printed: tuple[Path, str]) -> None:
    journal, digest = printed
    done = pozo_run("slip", 1, journal, "--copy", "-o", journal.with_name("slip.txt"))
    assert "ANOTHER PAPER OF THIS NUMBER" in done.output, done.output
    papers = pozo_run("slip", 1, journal, "--papers").output.splitlines()
    assert [line.partition("(record ")[2] for line in papers] == [
        f"{short_digest(each)})" for each in (digest, digest, *[approval_of(journal)[1]] * 2)
    ]


def test_a_paper_of_its_own_record_is_no_other_one(tmp_path: Path) -> None:
    journal = played(tmp_path, TWO_AWARDS)
    tray = Tray()
    said = turn(journal, tray)
    assert said == ["slip 1: printed, marked as a reprint"]
    assert "otro papel" not in tray.papers[0]
    again = pozo_run("slip", 1, journal, "--copy", "-o", journal.with_name("slip.txt"))
    assert "ANOTHER PAPER" not in again.output


def test_a_register_from_before_says_nothing_of_records_and_is_read(printed: tuple[Path, str]) -> None:
    """Its rows name none: nobody can say that they were of another one."""
    journal, _ = printed
    with closing(sqlite3.connect(path_of(journal))) as connection, connection:
        previous = "0" * 64
        for row in connection.execute("SELECT * FROM papers ORDER BY id").fetchall():
            number, wall_ns, act, slip, copy, detail, _ = row
            detail = "" if act in {"started", "finished"} else detail
            previous = _chained(previous, (wall_ns, act, slip, copy, detail))
            connection.execute(
                "UPDATE papers SET detail = ?, digest = ? WHERE id = ?", (detail, previous, number)
            )
    tray = Tray()
    assert turn(journal, tray) == ["slip 2: printed"]
    assert json.dumps(tray.papers).count("otro papel") == 0
