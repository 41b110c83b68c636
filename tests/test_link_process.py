"""`pozo link` beside `pozo run`, as two real processes and a real PostgreSQL."""

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from controller.config import load
from controller.floor.office import Office
from controller.floor.reconcile import reconcile
from controller.journal import ends_of
from tests.helpers_cli import own_table, pozo_run
from tests.helpers_floor import Hall, hall
from tests.helpers_ledger import rows
from tests.helpers_process import (
    PATIENCE_S,
    RATES,
    ROOT,
    Bench,
    Running,
    chip,
    journal_of,
    opened,
    opened_for_bets,
    press,
)


@contextmanager
def sending(config: Path, *more: str) -> Iterator[subprocess.Popen[str]]:
    """A `pozo link` process that has begun."""
    command = [sys.executable, "-m", "controller", "link", "--config", str(config), *more]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            assert "records go to the" in process.stdout.readline()
            yield process
        finally:
            process.kill()


def linked(folder: Path, floor: Hall) -> Path:
    """A table, opened for bets, whose file names this floor; it plays on without it."""
    config = own_table(folder, RATES, "mesa")
    table = load(str(config)).table_id
    Office(floor.owner).add_table(table, table)
    conninfo = floor.cluster.conninfo(floor.database, table)
    section = f'[link]\nfloor = "{conninfo}"\nsocket = "{folder}/link.sock"\noffline = "continue"\n'
    config.write_text(config.read_text(encoding="utf-8") + section, encoding="utf-8")
    done = pozo_run("commission", "--turn-keys", "--config", config)
    assert done.exit_code == 0, done.output
    return opened_for_bets(config)


def test_two_processes_a_floor_and_the_link_killed_in_between(tmp_path: Path) -> None:
    bench = Bench()
    with hall() as floor:
        config = linked(tmp_path, floor)
        journal = journal_of(config)

        def arrived() -> bool:
            return floor.one("SELECT max(seq) FROM pozo.heads") == ends_of(journal).last.seq

        with Running(config, bench) as running:
            running.ready()
            with sending(config) as link:
                bench.until(arrived, "all records at the floor")
                chip(bench, 1, 3)
                press(bench, "coin_in")
                link.kill()
            press(bench, "game_over")
            with sending(config) as link:
                floor.rows(
                    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
                    " WHERE application_name LIKE 'pozo %%' AND datname = current_database()"
                )
                bench.until(arrived, "all records at the floor again")
                chip(bench, 2)
                press(bench, "coin_in")
                press(bench, "game_over")
                bench.until(arrived, "the next round at the floor")
                running.process.send_signal(signal.SIGTERM)
                assert running.ended()[0] == 0
                bench.until(arrived, "the table's last word at the floor")
                link.send_signal(signal.SIGTERM)
                out, _ = link.communicate(timeout=PATIENCE_S)
                assert (link.returncode, "ended by SIGTERM" in out) == (0, True)
        found = reconcile(Office(floor.owner), journal, load(str(config)).table_id)
        assert found.agrees, found
        assert found.unreported == 0
        kinds = [row.event["kind"] for row in rows(journal)]
        assert kinds.count("device_lost") >= 1, "the host is lost until it is heard"
        assert kinds.count("device_found") >= 1
        assert not {"journal_held", "floor_disagreed", "host_garbled", "loop_stalled"} & set(kinds)
    bench.close()


def test_a_folder_is_filled_while_no_table_runs_and_one_link_is_enough(tmp_path: Path) -> None:
    config = opened(tmp_path)
    out = tmp_path / "out"
    out.mkdir()
    config.write_text(config.read_text(encoding="utf-8") + f'[folder]\npath = "{out}"\n', encoding="utf-8")
    last = ends_of(journal_of(config)).last.seq
    with sending(config, "--to", "folder") as link:
        second = pozo_run("link", "--config", config, "--to", "folder")
        assert second.exit_code == 1
        assert "already running" in second.output
        link.send_signal(signal.SIGTERM)
        link.communicate(timeout=PATIENCE_S)
        assert link.returncode == 0
    (file,) = out.iterdir()
    assert file.name.endswith(f"-0000000001-{last:010d}.csv")
    cursor = json.loads(journal_of(config).with_name("mesa.db.folder.cursor").read_text(encoding="utf-8"))
    assert cursor["seq"] == last


@pytest.mark.parametrize(
    ("to", "section"), [("floor", "link"), ("webhook", "webhook"), ("folder", "folder"), ("mqtt", "mqtt")]
)
def test_a_goal_that_the_file_does_not_name_is_refused(tmp_path: Path, to: str, section: str) -> None:
    config = own_table(tmp_path)
    done = pozo_run("link", "--config", config, "--to", to)
    assert done.exit_code == 1
    assert f"{config} has no [{section}]: add it" in done.output
