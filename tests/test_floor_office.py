"""The floor as those who run it see it: the commands, on a real PostgreSQL; schema, rights and what is entered."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from click.testing import Result

from controller.floor import Floor, FloorDownError, FloorVersionError, NotYoursError, schema
from controller.floor.office import House, Office
from controller.floor.proof import prove_table
from controller.floor.schema import Migration
from tests.helpers_cli import own_table, pozo_run
from tests.helpers_floor import Hall, Player, hall, joined
from tests.helpers_game import GAME
from tests.helpers_postgres import Cluster, own_cluster, shared_cluster
from tests.helpers_signing import PUBLIC, played, rows_of

HOUSE = ("--house", "Casino", "--timezone", "America/Montevideo", "--day-starts-at", "08:00")
TABLE = "mvd-07"


@pytest.fixture
def made() -> Iterator[Hall]:
    with hall() as found:
        yield found


def run(made: Hall, *arguments: object, login: str = "postgres") -> Result:
    command, *rest = arguments
    return pozo_run("floor", command, *rest, "--floor", made.cluster.conninfo(made.database, login))


def empty_database(cluster: Cluster, name: str) -> str:
    with cluster.connect() as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    return cluster.conninfo(name)


def test_three_commands_make_a_floor_with_a_table_and_a_link(tmp_path: Path) -> None:
    """init, table add, link create and admit; then the table's login reports."""
    cluster = shared_cluster()
    where = empty_database(cluster, "by_hand")
    config = own_table(tmp_path)
    for arguments in (
        ("init", *HOUSE),
        ("table", "add", "mesa-1"),
        (
            "link",
            "create",
            "sala",
            "--config",
            config,
            "--level",
            "main",
            "--supervisor",
            "Ana",
            "--technician",
            "Luis",
        ),
        ("link", "admit", "sala", "mesa-1"),
        ("check",),
    ):
        done = pozo_run("floor", *arguments, "--floor", where)
        if arguments == ("check",):
            assert "fsync is off" in done.output
            assert done.exit_code == 1
        else:
            assert done.exit_code == 0, done.output
    again = pozo_run("floor", "init", *HOUSE, "--floor", where)
    assert again.output == "the floor is up to date\n"
    status = pozo_run("floor", "status", "--json", "--floor", where)
    shown = msgspec.json.decode(status.output)
    assert [table["table_id"] for table in shown["tables"]] == ["mesa-1"]
    assert [(link["link"], link["current"], link["tables"]) for link in shown["links"]] == [
        ("sala", 10_000_000, 0)
    ]
    assert shown["alarms"] == 0


def test_a_server_that_forgets_is_told_and_a_good_one_is_good() -> None:
    with own_cluster() as cluster:
        where = empty_database(cluster, "strict")
        assert pozo_run("floor", "init", *HOUSE, "--floor", where).exit_code == 0
        done = pozo_run("floor", "check", "--floor", where)
        assert (done.exit_code, done.output) == (
            0,
            "good: schema, settings, rights, every pot to the unit, every record\n",
        )
        forgetting = f"{where} options='-c synchronous_commit=off'"
        assert "synchronous_commit is off" in pozo_run("floor", "check", "--floor", forgetting).output


def test_a_floor_that_is_not_there_says_what_to_do() -> None:
    done = pozo_run("floor", "status", "--floor", "host=/nonexistent dbname=pozo")
    assert done.exit_code == 1
    assert "does not answer" in done.output
    nothing = pozo_run("floor", "status", "--floor", shared_cluster().conninfo("postgres"))
    assert "run `pozo floor check`: its schema is missing" in nothing.output


def test_an_edited_migration_and_a_newer_floor_are_refused(
    made: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = schema.migrations()
    assert schema.pending(made.owner) == ()
    edited = (*ours[:-1], Migration(ours[-1].version, ours[-1].name, "SELECT 2", "0" * 64))
    monkeypatch.setattr(schema, "migrations", lambda: edited)
    with pytest.raises(FloorVersionError, match=f"migration {len(ours)} was applied with digest"):
        schema.init(made.owner)
    monkeypatch.setattr(schema, "migrations", lambda: ours[:-1])
    with pytest.raises(FloorVersionError, match="install the newer program"):
        schema.init(made.owner)


def test_a_migration_that_fails_leaves_the_floor_as_it_was(
    made: Hall, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours = schema.migrations()
    bad = "CREATE TABLE pozo.half (a int); SELECT 1 / 0"
    monkeypatch.setattr(schema, "migrations", lambda: (*ours, Migration(len(ours) + 1, "bad", bad, "d")))
    with pytest.raises(Exception, match="division by zero"):
        schema.init(made.owner)
    assert made.one("SELECT to_regclass('pozo.half')") is None
    assert made.one("SELECT max(version) FROM pozo.migrations") == len(ours)


def test_a_right_given_by_hand_to_a_table_is_found(made: Hall) -> None:
    made.table(TABLE).close()
    office = Office(made.owner)
    before = office.flaws()
    made.owner.execute(b'GRANT UPDATE ON pozo.links TO "mvd-07"')
    found = office.flaws()
    made.owner.execute(b'REVOKE UPDATE ON pozo.links FROM "mvd-07"')
    assert set(found) - set(before) == {"login mvd-07 may use pozo.links directly: REVOKE that"}


def test_money_moved_behind_the_functions_is_found(made: Hall) -> None:
    made.link()
    made.rows("UPDATE pozo.links SET current = current - 5 RETURNING 1")
    done = run(made, "check")
    assert done.exit_code == 1
    assert "link main: the law of money, millionths: 0 by the rows, 5000000 in the level" in done.output


def test_corrections_and_other_rules_go_through_the_commands(made: Hall, tmp_path: Path) -> None:
    config = own_table(tmp_path, {"10000000.00": "50000000.00"})
    both = ("--supervisor", "Ana", "--technician", "Luis")
    run(made, "link", "create", "sala", "--config", own_table(tmp_path, name="old"), "--level", "main", *both)
    done = run(made, "link", "change", "sala", "--config", config, "--level", "main", *both)
    assert done.output == "link sala plays by version 2 of its rules\n"
    done = run(made, "link", "correct", "sala", "99999.99", "--reason", "recount", *both)
    assert done.output == "link sala: 100000.00 -> 99999.99 UYU\n"
    alone = ("--supervisor", "Ana", "--technician", "ana ")
    done = run(made, "link", "correct", "sala", "1.00", "--reason", "recount", *alone)
    assert (done.exit_code, "not two persons" in done.output) == (1, True)
    for amount in ("1", "1,00", "1_0.00"):
        done = run(made, "link", "correct", "sala", amount, "--reason", "x", *both)
        assert "write it like" in done.output
    assert (
        "it has: main"
        in run(made, "link", "create", "x", "--config", config, "--level", "mini", *both).output
    )


def test_a_sign_reading_is_kept_beside_what_the_floor_knows(made: Hall) -> None:
    made.link()
    player = Player(TABLE)
    player.play(1, 2)
    joined(made, player).close()
    good = run(made, "reading", "100010.00", "--link", "main", "--person", "Eva")
    assert (good.exit_code, good.output) == (0, "read 100010.00, the floor knows 100010.00 UYU\n")
    bad = run(made, "reading", "100000.00", "--table", TABLE, "--level", "main", "--person", "Eva")
    assert bad.exit_code == 1
    assert "read 100000.00, the floor knows 100010.00 UYU" in bad.output
    assert made.rows("SELECT link, table_id, shown, current, person FROM pozo.readings ORDER BY id") == [
        ("main", None, 10_001_000, 10_001_000, "Eva"),
        (None, TABLE, 10_000_000, 10_001_000, "Eva"),
    ]
    assert run(made, "reading", "1.00", "--person", "Eva").exit_code == 2


def test_a_clerk_enters_and_reads_and_changes_nothing_else(made: Hall) -> None:
    """A login of the group pozo_clerk, and one of pozo_reader."""
    for login, role in (("clerk", "pozo_clerk"), ("reader", "pozo_reader")):
        made.owner.execute(f"CREATE ROLE {login} LOGIN IN ROLE {role}".encode())
    made.link()
    joined(made, Player(TABLE)).close()
    chips = ("chips", TABLE, 12, "--day", "2026-11-29", "--person", "Eva")
    assert run(made, *chips, login="clerk").exit_code == 0
    assert (
        run(made, "reading", "100000.00", "--link", "main", "--person", "Eva", login="clerk").exit_code == 0
    )
    refused = run(made, *chips, login="reader")
    assert (refused.exit_code, "use a login that may" in refused.output) == (1, True)
    assert run(made, "status", login="reader").exit_code == 0
    for login in ("clerk", "reader"):
        assert run(made, "link", "admit", "main", TABLE, login=login).exit_code == 1
    assert made.rows("SELECT table_id, chips, login FROM pozo.chip_counts") == [(TABLE, 12, "clerk")]


def test_status_shows_clocks_faults_and_alarms(made: Hall) -> None:
    made.link(GAME)
    with joined(made, Player(TABLE)) as floor:
        floor.hello("pozo 0.2", 0)
        with made.as_(TABLE, "other") as other, pytest.raises(NotYoursError, match="speak for table"):
            other.head()
    shown = run(made, "status").output.splitlines()
    assert shown[0].startswith(f"table {TABLE}: record 5, reported 20")
    assert "clock -" in shown[0]
    assert shown[1].startswith("link main: 100000.00 UYU, 0 wins, 1 tables, rules 1")
    assert shown[2].startswith(f"ALARM not_yours, table other, login {TABLE}, 1 times")


def test_the_house_is_asked_for(made: Hall) -> None:
    with Office.connect(made.cluster.conninfo(made.database)) as office:
        with pytest.raises(FloorVersionError, match="pozo floor init"):
            office.house()
        office.init(House("Casino", "America/Lima", "06:30"))
        assert office.house() == House("Casino", "America/Lima", "06:30")


def test_a_connection_that_died_is_a_floor_that_is_down(made: Hall) -> None:
    floor = made.table(TABLE)
    made.one("SELECT pg_terminate_backend(%s)", floor.connection.info.backend_pid)
    with pytest.raises(FloorDownError):
        floor.head()
    floor.close()


def test_without_the_extra_the_command_says_how_to_get_it() -> None:
    """In an interpreter of its own in which psycopg cannot be found."""
    program = (
        "import importlib.util as u; real = u.find_spec;"
        "u.find_spec = lambda name, *rest: None if name == 'psycopg' else real(name, *rest);"
        "from controller.cli import pozo; pozo()"
    )
    for arguments, code, words in (
        (["floor", "status"], 1, "pip install 'pozo[floor]'"),
        (["--help"], 0, "floor"),
    ):
        done = subprocess.run(
            [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=False
        )
        assert (done.returncode, words in done.stdout + done.stderr) == (code, True)


def test_a_floor_of_an_older_program_goes_on_with_what_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Records of before the update get their table's key and history; the table just goes on."""
    cluster = shared_cluster()
    where = empty_database(cluster, "older")
    everything = schema.migrations()
    rows = rows_of(played(tmp_path))
    with Office.connect(where) as office:
        monkeypatch.setattr(schema, "migrations", lambda: everything[:7])
        office.init(House("Casino", "UTC", "08:00"))
        office.add_table("SIM-1", "SIM-1")
        with Floor.connect(cluster.conninfo("older", "SIM-1"), "SIM-1") as floor:
            floor.report(rows[:9])
        monkeypatch.setattr(schema, "migrations", lambda: everything)
        office.init(House("Casino", "UTC", "08:00"))
        with Floor.connect(cluster.conninfo("older", "SIM-1"), "SIM-1") as floor:
            floor.report(rows)
            assert floor.head().seq == len(rows)
        assert office.keys("SIM-1") == (PUBLIC,)
        proven = prove_table(office, "SIM-1")
        assert (proven.bad, proven.last) == (None, len(rows))
