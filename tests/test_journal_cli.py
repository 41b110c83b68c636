"""`pozo journal` and `pozo meters`, as a person and as a program use them, while the table writes."""

import csv
import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller.cli.journal import journal
from controller.cli.meters import meters
from controller.journal import Journal
from tests.helpers_table import WALL_NS, a_round, new_journal


@pytest.fixture
def live(tmp_path: Path) -> Iterator[Journal]:
    """A journal that its writer still has open."""
    with closing(new_journal(tmp_path)) as writer:
        writer.append(a_round(1), WALL_NS + 1_250_000_000, wall_trusted=True)
        writer.append(a_round(2), WALL_NS, wall_trusted=False)
        yield writer


UNCOVERED = "what no signature covers may be made up, and what one covers is as its program decided"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(journal, [str(argument) for argument in arguments])


def test_verify_says_good_and_gives_the_head(live: Journal) -> None:
    result = run("verify", live.path, "--no-replay")
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "good: 9 records, give --head to prove its end too",
        f"head 9:{live.head.digest}",
        "it names no key: its heads are not signed",
        f"not worked out anew (--no-replay): {UNCOVERED}",
    ]


def test_verify_names_the_way_to_read_what_an_older_program_decided(live: Journal) -> None:
    """The journal here is made by hand: no rules made it."""
    result = run("verify", live.path)
    assert result.exit_code == 1
    assert result.stdout.startswith("NOT GOOD at record 1 (replay): ")
    assert "--no-replay asks for all the rest" in result.stdout


def test_verify_with_the_head_it_gave(live: Journal) -> None:
    assert run("verify", live.path, "--no-replay", "--head", live.head).exit_code == 0
    result = run("verify", live.path, "--no-replay", "--head", f"10:{live.head.digest}", "--json")
    assert result.exit_code == 1
    answer = json.loads(result.stdout)
    assert (answer["good"], answer["records"], answer["bad"]["flaw"]) == (False, 9, "truncated")


def test_verify_by_a_key_that_cannot_be_read_is_wrong_use(live: Journal) -> None:
    result = run("verify", live.path, "--key", live.path.parent)
    assert result.exit_code == 2
    assert "Is a directory" in result.stderr


def test_verify_names_the_first_bad_record(live: Journal) -> None:
    live.close()
    image = live.path.read_bytes()
    live.path.write_bytes(image.replace(b'"at_ns":20000000002', b'"at_ns":20000000009'))
    result = run("verify", live.path, "--no-replay")
    assert result.exit_code == 1
    assert result.stdout.startswith("NOT GOOD at record 8 (digest): ")
    assert "call the technician" in result.stdout


@pytest.mark.parametrize("head", ["9", "9:abc", "0:" + "0" * 64, "-1:" + "0" * 64, "x:" + "0" * 64])
def test_a_head_that_is_none_is_wrong_use(live: Journal, head: str) -> None:
    result = run("verify", live.path, f"--head={head}")
    assert result.exit_code == 2
    assert "write SEQ:DIGEST" in result.stderr


def test_a_journal_must_be_named_once(tmp_path: Path) -> None:
    for arguments in ([], [tmp_path / "pozo.db", "--config", "simulated"]):
        result = run("verify", *arguments)
        assert result.exit_code == 2
        assert "--config NAME" in result.stderr


def test_a_journal_that_is_not_there(tmp_path: Path) -> None:
    result = run("show", tmp_path / "pozo.db")
    assert result.exit_code == 1
    assert "run `pozo commission`" in result.stderr


def test_show_is_readable(live: Journal) -> None:
    result = run("show", live.path, "--last", 6)
    assert result.exit_code == 0
    assert result.stdout.splitlines() == [
        "#4  2026-01-01 00:00:01.250Z  coin_in_pressed  →  round_locked round=1 seats=[1,2] amount=2000 late=false",
        "#5  2026-01-01 00:00:01.250Z  game_over_pressed  →  round_ended round=1",
        "#6  ~2026-01-01 00:00:00.000Z  chip_dropped seat=1  →  wager_placed seat=1",
        "#7  ~2026-01-01 00:00:00.000Z  chip_dropped seat=2  →  wager_placed seat=2",
        "#8  ~2026-01-01 00:00:00.000Z  coin_in_pressed  →  round_locked round=2 seats=[1,2] amount=2000 late=false",
        "#9  ~2026-01-01 00:00:00.000Z  game_over_pressed  →  round_ended round=2",
    ]


def test_show_by_the_kind_of_a_result(live: Journal) -> None:
    result = run("show", live.path, "--kind", "round_locked", "--json")
    assert [json.loads(line)["seq"] for line in result.stdout.splitlines()] == [4, 8]


def test_show_of_an_unknown_kind_names_the_likely_one(live: Journal) -> None:
    result = run("show", live.path, "--kind", "chip_droped")
    assert result.exit_code == 2
    assert "did you mean chip_dropped" in result.stderr


def test_export_as_json_lines_says_all_of_it(live: Journal, tmp_path: Path) -> None:
    assert run("export", live.path, "--format", "jsonl", "-o", tmp_path / "out.jsonl").exit_code == 0
    lines = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert [line["seq"] for line in lines] == list(range(1, 10))
    assert lines[8]["digest"] == live.head.digest
    assert lines[5]["event"] == {"kind": "chip_dropped", "at_ns": 20_000_000_000, "seat": 1}
    assert lines[5]["wall_trusted"] is False
    assert lines[8]["state"]["pot"]["levels"][0]["current"] == 10_004_000


def test_export_as_csv_says_all_of_it(live: Journal) -> None:
    result = run("export", live.path, "--format", "csv")
    assert result.exit_code == 0
    table = list(csv.DictReader(result.stdout.splitlines()))
    assert [row["seq"] for row in table] == [str(number) for number in range(1, 10)]
    assert json.loads(table[3]["results"])[0]["amount"] == 2000
    assert table[8]["wall_trusted"] == "0"


def test_export_never_overwrites(live: Journal, tmp_path: Path) -> None:
    (tmp_path / "out.csv").write_text("last year's")
    result = run("export", live.path, "--format", "csv", "-o", tmp_path / "out.csv")
    assert result.exit_code == 2
    assert "is there already" in result.stderr
    assert (tmp_path / "out.csv").read_text() == "last year's"


def test_half_an_export_does_not_stay(live: Journal, tmp_path: Path) -> None:
    live.close()
    image = bytearray(live.path.read_bytes())
    image[-2048 * 2 : -2048] = bytes(2048)
    live.path.write_bytes(image)
    result = run("export", live.path, "--format", "csv", "-o", tmp_path / "out.csv")
    assert result.exit_code == 1
    assert "is damaged" in result.stderr
    assert not (tmp_path / "out.csv").exists()


def test_an_export_into_a_full_medium_by_the_shell_is_said_to_be_no_whole_copy(live: Journal) -> None:
    """It ended in a traceback, which nobody reads as that."""
    words = [sys.executable, "-m", "controller", "journal", "export", str(live.path), "--format", "csv"]
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(words, stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (
        1,
        "Error: standard output could not be written: No space left on device. What it took is no whole copy\n",
    )


def test_meters_in_the_currency_of_the_rules(live: Journal) -> None:
    result = CliRunner().invoke(meters, [str(live.path)])
    assert result.exit_code == 0
    found = dict(line.split() for line in result.stdout.splitlines()[1:])
    assert result.stdout.splitlines()[0] == "after record 9; money in UYU"
    assert (found["current"], found["in_meter"], found["in_count"]) == ("100040.00", "40.00", "0")


def test_meters_for_programs_are_minor_units(live: Journal) -> None:
    result = CliRunner().invoke(meters, [str(live.path), "--json"])
    assert json.loads(result.stdout)["main.current"] == 10_004_000
