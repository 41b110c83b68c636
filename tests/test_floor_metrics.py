"""The floor's metrics: names as Prometheus wants them, figures as the floor has them, a file whole or not at all."""

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from controller.core.game import Hand
from controller.floor import NotYoursError
from controller.floor.office import Office
from controller.floor.proof import prove_table
from tests.helpers_cli import pozo_run
from tests.helpers_floor import Hall, Player, hall, joined, report_all

TABLE = "mvd-07"


@pytest.fixture
def made() -> Iterator[Hall]:
    """A table that reported a round and a win, another that never did, and a refusal."""
    with hall() as found:
        found.link()
        player = Player(TABLE)
        with joined(found, player) as floor:
            floor.hello("pozo", 0)
            player.lock(1, 2)
            claim = player.won({1: Hand.STRAIGHT_FLUSH})
            report_all(floor, player.rows)
            floor.claim(claim)
        with found.table("mvd-08"), found.as_("mvd-08", TABLE) as thief, pytest.raises(NotYoursError):
            thief.head()
        yield found


def figures(text: str) -> dict[tuple[str, ...], float]:
    """Each sample by its name and its labels' values, as Prometheus' own parser reads them."""
    return {
        (sample.name, *(sample.labels[name] for name in sorted(sample.labels, reverse=True))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def told(made: Hall) -> str:
    done = pozo_run("floor", "metrics", "--floor", made.cluster.conninfo(made.database))
    assert done.exit_code == 0, done.output
    return done.output


def test_the_figures_are_the_floors(made: Hall) -> None:
    """The straight flush took 10 % of 100,010.00; 2 wagers of 10.00 at 50 % had gone in."""
    rows = made.one("SELECT count(*) FROM pozo.records")
    found = figures(told(made))
    assert found["pozo_table_records_total", TABLE] == rows
    assert found["pozo_table_records_total", "mvd-08"] == 0
    assert found["pozo_table_unproven_records", TABLE] == rows
    assert found["pozo_table_reported_timestamp_seconds", "mvd-08"] == 0
    assert (
        found["pozo_floor_read_timestamp_seconds",] >= found["pozo_table_reported_timestamp_seconds", TABLE]
    )
    assert found["pozo_table_clock_offset_seconds", TABLE] < -1e9
    assert found["pozo_link_pot_minor_units", "main", "UYU"] == 10_001_000 - 1_000_100
    assert found["pozo_link_wins_total", "main", "UYU"] == 1
    assert found["pozo_link_imbalance_millionths", "main", "UYU"] == 0
    assert found["pozo_alarms_total", "not_yours"] == 1
    assert found["pozo_table_doubted", TABLE] == 0
    prove_table(Office(made.owner), TABLE)
    assert figures(told(made))["pozo_table_unproven_records", TABLE] == 0


def test_a_table_that_is_not_believed_shows(made: Hall) -> None:
    made.rows("UPDATE pozo.records SET wall_ns = 0 WHERE seq = 3 RETURNING 1")
    prove_table(Office(made.owner), TABLE)
    assert figures(told(made))["pozo_table_doubted", TABLE] == 1


def test_prometheus_own_judge_finds_nothing_to_say(made: Hall) -> None:
    """`promtool check metrics`, where Debian's package prometheus is installed; its rules of names besides."""
    text = told(made)
    for family in text_string_to_metric_families(text):
        assert family.documentation.endswith(".")
        assert family.name.startswith("pozo_")
        assert (family.type == "counter") == all(each.name.endswith("_total") for each in family.samples)
    judge = shutil.which("promtool")
    if judge is not None:
        done = subprocess.run(
            [judge, "check", "metrics"], input=text, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_a_textfile_is_whole_or_the_old_one(made: Hall, tmp_path: Path) -> None:
    file = tmp_path / "pozo.prom"
    where = ("--floor", made.cluster.conninfo(made.database))
    assert pozo_run("floor", "metrics", "--textfile", file, *where).exit_code == 0
    assert figures(file.read_text())["pozo_link_wins_total", "main", "UYU"] == 1
    kept = file.read_bytes()
    away = pozo_run("floor", "metrics", "--textfile", file, "--floor", "host=/nonexistent dbname=pozo")
    assert (away.exit_code, "does not answer" in away.output) == (1, True)
    assert file.read_bytes() == kept
    assert [each.name for each in tmp_path.iterdir()] == ["pozo.prom"]
    nowhere = pozo_run("floor", "metrics", "--textfile", tmp_path / "no" / "pozo.prom", *where)
    assert (nowhere.exit_code, "its directory must exist" in nowhere.output) == (1, True)


def test_a_readers_login_is_enough(made: Hall) -> None:
    made.owner.execute(b"CREATE ROLE watcher LOGIN IN ROLE pozo_reader")
    done = pozo_run("floor", "metrics", "--floor", made.cluster.conninfo(made.database, "watcher"))
    assert done.exit_code == 0, done.output
