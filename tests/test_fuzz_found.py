"""What fuzzing has found, each with the input that did it."""

import sqlite3
import time
from pathlib import Path

import pytest
from msgspec.structs import replace
from starlette.requests import Request

from controller.administer import rules_in_force
from controller.config import ConfigError, load
from controller.console.door import _short
from controller.console.table_app import ConsolePages
from controller.console.view import View
from controller.drill.line import DrillError
from controller.drill.parse import parse
from controller.journal import DamagedError, Entry, Journal, marker
from controller.journal.marker import path_of
from controller.signing.key import KeyProblemError, PrivateKey, read_private, write_private
from controller.sim.mirror import Mirror
from controller.slips.register import RegisterError, opened
from controller.slips.source import currency_of
from controller.users import Store, UsersDamagedError
from tests.helpers_console import TWO_AWARDS, client, played
from tests.helpers_table import TABLE, WALL_NS, commissioning, filled

LONG_NUMBER = "9" * 5000
"""Python reads a number of up to 4,300 digits; a longer one raises `ValueError` where one only looked for digits."""
CPU_S = 3.0
"""What it took was 7 s of processor time, now 0.02 s: it grew with the square of the line's length."""


def test_a_long_line_without_an_assignment_takes_no_long_time(tmp_path: Path) -> None:
    file = tmp_path / "mesa.toml"
    file.write_text("x" + " " * 60_000, encoding="utf-8")
    began = time.process_time()
    with pytest.raises(ConfigError):
        load(str(file))
    assert time.process_time() - began < CPU_S


@pytest.mark.parametrize(
    "line",
    [f"chip {LONG_NUMBER}", f"wait {LONG_NUMBER}ms", f"repeat {LONG_NUMBER}\nend", "wait ²ms"],
)
def test_a_number_of_thousands_of_digits_is_refused_in_a_drill(line: str) -> None:
    with pytest.raises(DrillError, match="line 1") as refused:
        parse(line)
    assert len(str(refused.value)) < 2 * len(line) + 400


def test_a_list_of_users_nested_thousands_deep_is_a_damaged_list(tmp_path: Path) -> None:
    store = Store(tmp_path / "pozo.db")
    store.path.write_bytes(b'{"format":1,"users":[' + b'{"a":' * 5_000)
    with pytest.raises(UsersDamagedError, match="it is no list of users"):
        store.sealed()


def test_a_request_for_an_award_of_thousands_of_digits_is_not_found(tmp_path: Path) -> None:
    settings = played(tmp_path, TWO_AWARDS)
    view = View()
    browser = client(ConsolePages(settings, view, Mirror(settings, lambda: 0, view.set), None).app())
    assert browser.get(f"/awards/{LONG_NUMBER}").status_code == 404
    assert browser.get("/awards/%C2%B2").status_code == 404
    assert browser.get("/awards/1").status_code == 200


@pytest.mark.parametrize("length", ["²", LONG_NUMBER, "-1", "", "2049", "1e3"])
def test_a_body_whose_length_is_no_plain_number_is_not_read(length: str) -> None:
    headers = [(b"content-length", length.encode("latin-1"))]
    assert not _short(Request({"type": "http", "headers": headers}))


@pytest.mark.parametrize("text", [b'{"a":' * 3000 + b"1" + b"}" * 3000, b'"\xff"', b"\0", b" " * 100_000])
def test_a_spoilt_marker_still_says_that_a_history_is_expected(tmp_path: Path, text: bytes) -> None:
    journal = tmp_path / "pozo.db"
    path_of(journal).write_bytes(text)
    assert marker.expected(journal) == "?"


@pytest.mark.parametrize("rules", ["", "\0", "[" * 5000, '{"currency":"QQQ"}'])
def test_a_journal_whose_rules_cannot_be_read_is_called_damaged(tmp_path: Path, rules: str) -> None:
    begun = commissioning()
    event = replace(begun.event, rules=rules)
    path = tmp_path / "pozo.db"
    Journal.create(path, TABLE, Entry(event, begun.results, begun.state), WALL_NS, wall_trusted=True).close()
    with pytest.raises(DamagedError, match="rules in force"):
        currency_of(path)
    if not rules.startswith("{"):
        with pytest.raises(DamagedError, match="rules in force"):
            rules_in_force(path)


@pytest.mark.parametrize(
    "spoil",
    [
        "DELETE FROM papers",
        "UPDATE papers SET act = 'eaten'",
        "DROP TABLE papers; CREATE TABLE other(a)",
    ],
)
def test_a_spoilt_register_of_papers_says_what_to_do(tmp_path: Path, spoil: str) -> None:
    journal = filled(tmp_path, 1)
    with opened(journal, lambda: 1):
        pass
    connection = sqlite3.connect(tmp_path / "pozo.db.slips")
    connection.executescript(spoil)
    connection.close()
    with pytest.raises(RegisterError, match=r"aside|altered"), opened(journal, lambda: 1):
        pass


@pytest.mark.parametrize("spoilt", [0, 1, 10, 24, 25])
def test_a_key_file_that_lost_its_beginning_is_not_quoted(tmp_path: Path, spoilt: int) -> None:
    """`it begins '…'` once quoted 24 characters, of the key itself where the words before it were gone."""
    seed = bytes(range(32))
    path = tmp_path / "pozo.db.key"
    write_private(path, PrivateKey.from_seed(seed))
    path.write_text("x" + path.read_text(encoding="ascii")[spoilt:], encoding="ascii")
    with pytest.raises(KeyProblemError) as refused:
        read_private(path)
    assert seed.hex()[:6] not in str(refused.value)


def test_a_register_whose_first_page_is_no_text_says_what_to_do(tmp_path: Path) -> None:
    journal = filled(tmp_path, 1)
    with opened(journal, lambda: 1):
        pass
    path = tmp_path / "pozo.db.slips"
    path.write_bytes(path.read_bytes().replace(b"CREATE TABLE papers", b"CREATE \xff\xfe\xffLE papers"))
    with pytest.raises(RegisterError, match=r"cannot be used"), opened(journal, lambda: 1):
        pass
