"""The backup drill of docs/floor.md: dumped, restored elsewhere, checked, and gone on with."""

import subprocess
from pathlib import Path

from controller.core.game import Hand
from controller.floor import Floor
from tests.helpers_cli import pozo_run
from tests.helpers_floor import Hall, Player, hall, joined, report_all
from tests.helpers_postgres import binaries

TABLE = "mvd-07"


def tool(made: Hall, program: str, *arguments: str) -> None:
    done = subprocess.run(
        [binaries() / program, "-h", made.cluster.directory, "-U", "postgres", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_a_restored_floor_is_whole_and_goes_on_where_the_backup_ended(tmp_path: Path) -> None:
    """A win before the backup; a round after it, which the restored floor asks for again."""
    with hall() as made:
        made.link()
        player = Player(TABLE)
        with joined(made, player) as floor:
            player.lock(1, 2)
            claim = player.won({1: Hand.STRAIGHT_FLUSH})
            player.end()
            report_all(floor, player.rows)
            answer = floor.claim(claim)
            backup = tmp_path / "floor.dump"
            tool(made, "pg_dump", "-Fc", "-f", str(backup), made.database)
            kept = len(player.rows)
            player.play(3)
            report_all(floor, player.rows)
            before = floor.level("main")
        restored = f"{made.database}_restored"
        made.owner.execute(f"CREATE DATABASE {restored} TEMPLATE template0 ENCODING 'UTF8'".encode())
        tool(made, "pg_restore", "--exit-on-error", "-d", restored, str(backup))
        checked = pozo_run("floor", "check", "--floor", made.cluster.conninfo(restored)).output.splitlines()
        assert checked == [
            f"table {TABLE}: {kept} records as its rules make them; it has no key, nothing is signed",
            "fsync is off: what is acknowledged may be lost; set it to on in postgresql.conf",
            "Error: 1 things are not as they must be",
        ], "only that the server of the tests forgets"
        with Floor.connect(made.cluster.conninfo(restored, TABLE), TABLE) as again:
            assert again.head().seq == kept
            report_all(again, player.rows)
            assert again.claim(claim) == answer
            assert again.level("main") == before
