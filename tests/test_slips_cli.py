"""`pozo slip` and `pozo report`, as a cashier and an auditor type them."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from controller.journal.chain import short_digest
from controller.single import SingleInstance
from controller.slips.document import Text
from controller.slips.outlet import OutletError, TextFile
from controller.slips.register import path_of
from tests.helpers_cli import own_table, pozo_run
from tests.helpers_signing import rechained, rows_of, with_event, with_state
from tests.helpers_slips import TWO_AWARDS, approval_of, played


@pytest.fixture
def journal(tmp_path: Path) -> Path:
    return played(tmp_path, TWO_AWARDS)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """The same evening as the journal of a configured table."""
    played(tmp_path, TWO_AWARDS, "mesa.db")
    return own_table(tmp_path)


def test_a_slip_on_the_screen_is_a_view_and_is_not_counted(journal: Path) -> None:
    done = pozo_run("slip", "1", journal)
    assert done.exit_code == 0
    assert "*** CONSULTA - SIN VALOR ***" in done.stdout
    assert "Ganado             2026-01-01 00:10:00 UTC" in done.stdout
    assert not path_of(journal).exists()


def test_with_the_configuration_the_house_is_on_it(config: Path) -> None:
    done = pozo_run("slip", "1", "--config", config, "--lang", "en")
    assert "Table                Mesa simulada (SIM-1)" in done.stdout
    assert "2025-12-31 21:10:00 -03" in done.stdout


def test_a_file_is_a_paper_and_a_second_one_must_be_asked_for(journal: Path, tmp_path: Path) -> None:
    """The register is new and the award is not: the first paper says that there may be an earlier one."""
    first = pozo_run("slip", "1", journal, "-o", tmp_path / "a.txt")
    assert (first.exit_code, first.stderr) == (0, "slip 1: original, marked as a reprint\n")
    again = pozo_run("slip", "1", journal, "-o", tmp_path / "b.txt")
    assert again.exit_code == 1
    assert "was printed before (--papers tells when): ask for another with --copy" in again.stderr
    assert not (tmp_path / "b.txt").exists()
    copy = pozo_run("slip", "1", journal, "-o", tmp_path / "b.txt", "--copy")
    assert (copy.exit_code, copy.stderr) == (0, "slip 1: copy 1\n")
    assert "*** COPIA 1 ***" in (tmp_path / "b.txt").read_text(encoding="utf-8")
    listed = pozo_run("slip", "1", journal, "--papers").stdout.splitlines()
    record = f"(record {short_digest(approval_of(journal)[1])})"
    assert [line.split(" ", 2)[2] for line in listed] == [
        f"copy 0 started {record}",
        f"copy 0 finished {record}",
        f"copy 1 started {record}",
        f"copy 1 finished {record}",
    ]


def test_a_first_paper_is_no_copy(journal: Path, tmp_path: Path) -> None:
    done = pozo_run("slip", "1", journal, "-o", tmp_path / "a.txt", "--copy")
    assert done.exit_code == 1
    assert "was not printed yet: print it without --copy" in done.stderr


def test_a_file_that_is_there_is_never_overwritten_nor_counted(journal: Path, tmp_path: Path) -> None:
    there = tmp_path / "there.txt"
    there.write_text("keep me", encoding="utf-8")
    done = pozo_run("slip", "1", journal, "-o", there)
    assert (done.exit_code, there.read_text(encoding="utf-8")) == (1, "keep me")
    assert pozo_run("slip", "1", journal, "--papers").stdout == ""


def test_a_file_that_came_in_between_is_not_overwritten_either(tmp_path: Path) -> None:
    there = tmp_path / "there.txt"
    there.write_text("keep me", encoding="utf-8")
    with pytest.raises(OutletError, match="could not be written: File exists"):
        TextFile(there).put((Text("slip"),))
    assert there.read_text(encoding="utf-8") == "keep me"
    with pytest.raises(OutletError, match="there is no folder"):
        TextFile(tmp_path / "none" / "slip.txt").ready()


def test_void_says_what_is_void_and_what_is_not(journal: Path, tmp_path: Path) -> None:
    pozo_run("slip", "1", journal, "-o", tmp_path / "a.txt")
    done = pozo_run("slip", "1", journal, "--void", "manchado")
    assert done.exit_code == 0
    assert "*** ANULADO ***" in done.stdout
    assert done.stderr == "slip 1: its newest paper is void; the award stands\n"
    assert "copy 0 voided manchado" in pozo_run("slip", "1", journal, "--papers").stdout


def test_nothing_printed_yet(journal: Path) -> None:
    assert pozo_run("slip", "1", journal, "--papers").stdout == "nothing was printed at this table yet\n"


def test_one_program_prints_at_a_time(journal: Path, tmp_path: Path) -> None:
    with SingleInstance(path_of(journal)):
        done = pozo_run("slip", "1", journal, "-o", tmp_path / "a.txt")
    assert done.exit_code == 1
    assert "already running" in done.stderr
    assert not (tmp_path / "a.txt").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "told"),
    [
        (("slip", "9", "JOURNAL"), 1, "has no award 9"),
        (("slip", "0", "JOURNAL"), 2, "0 is not in the range"),
        (("slip", "1"), 2, "name one journal"),
        (("slip", "1", "JOURNAL", "--copy"), 2, "a view on the screen is no copy"),
        (("slip", "1", "JOURNAL", "--copy", "--papers"), 2, "exclude each other"),
        (("slip", "1", "JOURNAL", "--printer", "lp0"), 1, "names no printer"),
        (("slip", "1", "JOURNAL", "--printer", "lp0", "-o", "x"), 2, "name one of --printer and -o"),
        (("slip", "1", "nowhere.db"), 1, "there is no journal at nowhere.db"),
        (("print", "JOURNAL", "--once", "--printer", "serial:/dev/none"), 1, "printer serial:/dev/none"),
        (("report", "shift", "JOURNAL"), 2, "say which time"),
        (("report", "shift", "JOURNAL", "--day", "2026-01-01"), 2, "--day needs --config"),
        (("report", "shift", "JOURNAL", "--from", "1999-01-01"), 2, "say which time"),
        (("report", "shift", "JOURNAL", "--from", "x", "--to", "y"), 2, "'x' is no moment"),
        (("report", "shift", "JOURNAL", "--from", "2026-01-02", "--to", "2026-01-01"), 2, "is not after"),
        (("report", "shift", "JOURNAL", "--from", "1999-01-01", "--to", "1999-01-02"), 1, "has no record"),
    ],
)
def test_wrong_use_is_told_plainly(journal: Path, arguments: tuple[str, ...], code: int, told: str) -> None:
    done = pozo_run(*(journal if each == "JOURNAL" else each for each in arguments))
    assert done.exit_code == code
    assert told in done.stderr


def test_the_gaming_day_of_a_configured_table(config: Path) -> None:
    """The evening of 31 December, 21:00 to 21:13, lies in the day that began at 06:00."""
    done = pozo_run("report", "shift", "--config", config, "--day", "2025-12-31")
    assert done.exit_code == 0
    assert "Desde              2025-12-31 06:00:00 -03" in done.stdout
    assert "Hasta              2026-01-01 06:00:00 -03" in done.stdout
    assert "Apuestas ingresadas                      5" in done.stdout
    assert (
        "N.º 1 asiento 2 ESCALERA COLOR $ 10.002,50\n                                 sin pagar"
        in done.stdout
    )
    assert pozo_run("report", "shift", "--config", config, "--day", "2026-01-01").exit_code == 1
    never = pozo_run("report", "shift", "--config", config, "--day", "9999-12-31")
    assert (never.exit_code, "the year 9999 has no records" in never.output) == (2, True)


def test_a_report_for_programs_and_one_in_a_file(journal: Path, tmp_path: Path) -> None:
    span = ("--from", "2026-01-01T00:00Z", "--to", "2026-01-01T01:00Z")
    found = json.loads(pozo_run("report", "shift", journal, *span, "--json").stdout)
    assert (found["wagers"], found["wagered"], found["awarded"]) == (5, 5000, 10_002_500)
    file = tmp_path / "parte.txt"
    assert pozo_run("report", "shift", journal, *span, "-o", file, "--lang", "en").exit_code == 0
    assert "SHIFT REPORT" in file.read_text(encoding="utf-8")


def test_an_unexplained_pot_sends_nobody_to_a_check_that_says_good(journal: Path) -> None:
    """1.00 more in the last record's pot, in a history without a key, whose digests anybody can make fit."""

    def keyless(event: dict[str, object]) -> None:
        event["device_key"] = ""

    def richer(state: dict[str, Any]) -> None:
        state["pot"]["levels"][0]["current"] += 100

    first, *others, last = [row for row in rows_of(journal) if row[5] != "head_signed"]
    made = rechained([with_event(first, keyless), *others, with_state(last, richer)])
    with closing(sqlite3.connect(journal)) as connection, connection:
        connection.execute("DELETE FROM journal")
        connection.executemany(f"INSERT INTO journal VALUES ({', '.join('?' * len(made[0]))})", made)
    done = pozo_run("report", "shift", journal, "--from", "2026-01-01T00:00", "--to", "2027-01-01T00:00")
    assert done.exit_code == 1, done.output
    assert (
        "a pot moved in a way that no record explains: keep the table closed, compare its pots" in done.stderr
    )
    assert "calls the file good does not explain it" in done.stderr
