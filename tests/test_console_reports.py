"""A console's reports against amounts worked out by hand, its downloads against the journal, its live page."""

import csv
import io
import re
from pathlib import Path

import msgspec
import pytest
from starlette.testclient import TestClient

from controller.console.cells import jackpot_cell, table_cell
from controller.console.follow import Follower
from controller.console.markup import bars, table, text
from controller.console.running import runs
from controller.console.table_app import ConsolePages, exported
from controller.console.view import View
from controller.journal import ends_of, records
from controller.journal.export import Format, lines
from controller.journal.read import reader, rows
from controller.sim.mirror import Mirror
from controller.single import SingleInstance
from controller.words import Words
from tests.helpers_console import TWO_AWARDS, client, played

SPACE = "\N{NO-BREAK SPACE}"


def browser_on(folder: Path, script: str = TWO_AWARDS) -> TestClient:
    settings = played(folder, script)
    view = View()
    return client(ConsolePages(settings, view, Mirror(settings, lambda: 0, view.set), None).app())


def cells_of(page: str) -> list[list[str]]:
    """The tables' rows as text."""
    found = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", page)]
    return [[re.sub(r"<[^>]*>", "", cell) for cell in row] for row in found if row]


def test_the_access_page_says_who_was_there_newest_first(tmp_path: Path) -> None:
    script = (
        "set access.pin supervisor\nuser 7 Ana supervisor 2580\npower on closed\nkey supervisor on\n"
        "pad 7 ENTER 1 1 1 2 ENTER\nwait 2s\npad 7 ENTER 2 5 8 0 ENTER\nexpect phase closed"
    )
    told = [row[-1] for row in cells_of(browser_on(tmp_path, script).get("/access?lang=en").text)]
    assert told[1:4] == [
        "Supervisor&#x27;s key: Ana (7) entered the PIN",
        "Wrong PIN, supervisor, number 7; Not done: wrong pin",
        "Supervisor&#x27;s key: turned",
    ]


def test_meters_are_those_of_the_last_record(tmp_path: Path) -> None:
    """Two wagers of 10.00; 10,001.00 and 90,009.00 won; the pot begins again with 10,000.00."""
    found = {row[0]: row[2] for row in cells_of(browser_on(tmp_path).get("/meters").text) if len(row) == 3}
    assert found["current"] == f"${SPACE}10.000,00"
    assert found["in_meter"] == f"${SPACE}20,00"
    assert found["in_count"] == "2"
    assert found["wins_meter"] == f"${SPACE}100.010,00"
    assert found["unpaid"] == f"${SPACE}90.009,00"


def test_awards_are_listed_newest_first_with_what_is_unpaid(tmp_path: Path) -> None:
    found = cells_of(browser_on(tmp_path).get("/awards").text)
    assert [(row[0], *row[2:6]) for row in found] == [
        ("2", "5", "escalera real", "sin pagar", f"${SPACE}90.009,00"),
        ("1", "2", "escalera color", "pagado", f"${SPACE}10.001,00"),
    ]


def test_an_award_is_proved_movement_by_movement(tmp_path: Path) -> None:
    page = browser_on(tmp_path).get("/awards/1?lang=en").text
    assert "Every change of the pot has its record." in page
    assert f"10 % of ${SPACE}100.010,00 (art. 17)." in page
    assert [row[2:] for row in cells_of(page)] == [
        [f"-${SPACE}10.001,00", f"${SPACE}90.009,00"],
        [f"${SPACE}10,00", f"${SPACE}100.010,00"],
        [f"${SPACE}100.000,00", f"${SPACE}100.000,00"],
    ]


def test_an_award_nobody_won_is_not_found(tmp_path: Path) -> None:
    assert browser_on(tmp_path).get("/awards/9").status_code == 404


def test_a_table_without_awards_says_so(tmp_path: Path) -> None:
    browser = browser_on(tmp_path, "power on\nexpect phase open\n")
    assert "Todavía no hubo premios." in browser.get("/awards").text
    assert "Ninguna falla ahora." in browser.get("/faults").text


def test_rounds_hold_their_own_records(tmp_path: Path) -> None:
    page = browser_on(tmp_path, TWO_AWARDS + "chip 1\npress coin_in\npress game_over\n").get("/rounds").text
    folds = re.findall(r"<details.*?</details>", page)
    summaries = [re.sub(r"<[^>]*>", "", each.split("</summary>")[0]) for each in folds]
    assert [(each.split(" · ")[0], each.split(" · ")[2]) for each in summaries] == [
        ("Pase 3", "apuestas: 0"),
        ("Pase 2", "apuestas: 1"),
        ("Pase 1", "apuestas: 2"),
    ]
    assert "Terminó el pase 1" in folds[2]
    assert "Ficha en el asiento 1" in folds[1]


def test_faults_that_stand_are_told_first(tmp_path: Path) -> None:
    script = "power on\nwave seat_3 L 1500ms L\nfail host\nmend host\nexpect fault seat_jammed\n"
    page = browser_on(tmp_path, script).get("/faults").text
    assert 'class="alarm">Falla en el asiento 3: sensor tapado' in page
    assert "responde otra vez" in page


def test_inputs_show_the_time_between_chips(tmp_path: Path) -> None:
    script = "power on\nchip 4\nwait 300ms\nchip 4\nexpect bets 1\n"
    page = browser_on(tmp_path, script).get("/inputs").text
    row = next(row for row in cells_of(page) if row[0] == "4" and len(row) == 7)
    # A chip's statement takes 40 ms and 60 ms of rest, then 300 ms pass.
    assert row[3] == "400 ms"
    assert row[6] == "1"
    assert "settle_ms=10" in page


@pytest.mark.parametrize("form", list(Format))
def test_a_download_is_the_journal_itself(tmp_path: Path, form: Format) -> None:
    browser = browser_on(tmp_path)
    answer = browser.get(f"/journal.{form}")
    assert f'filename="SIM-1.{form}"' in answer.headers["content-disposition"]
    with reader(tmp_path / "journal.db") as connection:
        assert answer.text.replace("\r\n", "\n") == "".join(lines(rows(connection), form)).replace(
            "\r\n", "\n"
        )
    if form is Format.CSV:
        kinds = [row["kind"] for row in csv.DictReader(io.StringIO(answer.text))]
        assert kinds == [record.kind for record in records(tmp_path / "journal.db")]


def test_a_download_is_whole_however_it_is_read(tmp_path: Path) -> None:
    journal = played(tmp_path, TWO_AWARDS).journal
    whole = "".join(exported(journal, Format.JSONL))
    assert whole.count("\n") == len(list(records(journal))) > 10
    assert "".join(exported(journal, Format.JSONL, rows=3)) == whole


def test_a_damaged_journal_is_said_and_nothing_else_falls(tmp_path: Path) -> None:
    browser = browser_on(tmp_path)
    journal = tmp_path / "journal.db"
    journal.write_bytes(journal.read_bytes()[:3000])
    answer = browser.get("/meters")
    assert answer.status_code == 503
    assert "El registro no se puede leer" in answer.text
    assert browser.get("/downloads").status_code == 200


def test_the_live_page_has_seats_to_look_at_and_none_to_press(tmp_path: Path) -> None:
    page = browser_on(tmp_path).get("/").text
    assert page.count('class="seat"') == 7
    assert 'role="button"' not in page
    assert "data-hold" not in page


def test_a_follower_shows_the_last_record_and_reads_on(tmp_path: Path) -> None:
    settings = played(tmp_path, TWO_AWARDS)
    view = View()
    last: list[int] = []
    follower = Follower(settings, lambda: settings.journal, view, lambda record: last.append(record.seq))
    follower.look()
    follower.look()
    stored = list(records(settings.journal))
    assert last == [len(stored)]
    # A signature vouches for the record before it and says nothing of the table: people do not see it.
    assert view.since(0).records == tuple(each for each in stored if each.kind != "head_signed")
    assert len(view.since(0).records) < len(stored)
    assert view.get("table") == table_cell(stored[-1].state)
    assert view.get("unreadable") is None


@pytest.mark.parametrize("later", ["", TWO_AWARDS, 3 * "chip 1\npress coin_in\npress game_over\n"])
def test_a_follower_sees_that_a_journal_began_anew(tmp_path: Path, later: str) -> None:
    """After a recovery: records count from 1 again, and the television went on to promise the pot from before it."""
    (tmp_path / "other").mkdir()
    settings = played(tmp_path, TWO_AWARDS)
    other = played(
        tmp_path / "other", f"power on\nexpect pot main 100000.00\n{later.replace('power on', '')}"
    )
    view = View()
    follower = Follower(settings, lambda: settings.journal, view)
    follower.look()
    for tail in ("", "-wal", "-shm"):
        settings.journal.with_name(f"journal.db{tail}").unlink(missing_ok=True)
    other.journal.rename(settings.journal)
    follower.look()
    assert view.get("table") == table_cell(ends_of(settings.journal).last.state)
    assert view.get("unreadable") is None


def test_a_follower_says_that_there_is_no_journal(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    settings = played(tmp_path, TWO_AWARDS)
    view = View()
    follower = Follower(settings, lambda: tmp_path / "gone.db", view)
    follower.look()
    follower.look()
    assert "pozo commission" in str(view.get("unreadable"))
    assert len(caplog.records) == 1


def test_the_television_gets_the_pot_and_the_winners(tmp_path: Path) -> None:
    settings = played(tmp_path, TWO_AWARDS)
    words = Words(settings.language, settings.locale, settings.game.currency, settings.name)
    cell = jackpot_cell(settings, words, ends_of(settings.journal).last.state)
    assert (cell.amount, cell.text) == (1_000_000, "")
    assert [(winner.seat, winner.amount) for winner in cell.winners] == [
        (2, "$ 10.001,00"),
        (5, "$ 90.009,00"),
    ]
    assert msgspec.json.decode(msgspec.json.encode(cell.form)) == {
        "sign": "$ ",
        "thousands": ".",
        "point": ",",
        "decimals": 2,
    }


def test_the_television_promises_nothing_where_nothing_is_to_win(tmp_path: Path) -> None:
    settings = played(tmp_path, "power on\nfail sign\nexpect fault sign_lost\n")
    words = Words(settings.language, settings.locale, settings.game.currency, settings.name)
    cell = jackpot_cell(settings, words, ends_of(settings.journal).last.state)
    assert (cell.amount, cell.text) == (None, "FUERA DE SERVICIO")


def test_a_running_table_is_seen_by_its_lock_without_touching_it(tmp_path: Path) -> None:
    journal = tmp_path / "journal.db"
    assert not runs(journal)
    with SingleInstance(journal):
        assert runs(journal)
    assert not runs(journal)


def test_text_is_escaped_wherever_it_stands() -> None:
    made = table("<caption>", ["<head>"], [[text("<b>&")]])
    assert "<b>" not in made
    assert "&lt;b&gt;&amp;" in made
    assert "&lt;head&gt;" in made


def test_bars_are_as_high_as_their_values() -> None:
    heights = re.findall(r'height="(\d+)"', bars([1, 50, 100], "x"))
    assert heights == ["1", "12", "24"]
