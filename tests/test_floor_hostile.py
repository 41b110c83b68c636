"""One table's login reports what makes no sense: it is named, and keeps nothing of any other table from anybody."""

import csv
import json
from collections.abc import Iterator
from hashlib import sha256

import pytest
from msgspec.structs import replace

from controller.floor import Floor, NotYoursError
from controller.floor.figures import Figures, figures
from controller.floor.office import House, Office
from controller.floor.page import csv_lines, html_page
from controller.journal.chain import digest
from controller.journal.record import Row
from tests.helpers_cli import pozo_run
from tests.helpers_floor import SECOND_NS, WALL_NS, Hall, Player, hall, joined, report_all

HONEST, HOSTILE = "mvd-07", "mvd-08"


@pytest.fixture
def made() -> Iterator[Hall]:
    """Two tables of the link `main`, a round at each."""
    with hall() as found:
        Office(found.owner).init(House("Casino", "UTC", "08:00"))
        found.link()
        for table in (HONEST, HOSTILE):
            player = Player(table)
            with joined(found, player) as floor:
                player.play(1, 2)
                report_all(floor, player.rows)
        yield found


def hostile() -> Player:
    player = Player(HOSTILE)
    player.play(1, 2)
    return player


def row(after: Row, kind: str, event: str, results: str, state: str) -> Row:
    """A row that hangs together with the one before it, whatever it says."""
    body = (after[0] + 1, 1, 5, WALL_NS + (after[0] + 1) * SECOND_NS, 1, kind, event, results, state)
    return (*body, digest(after[-1], body))


def rules(text: str, after: Row) -> Row:
    event = json.dumps({"game": sha256(text.encode()).hexdigest(), "rules": text, "changes": []})
    return row(after, "parameters_changed", event, '[{"kind":"parameters_accepted"}]', after[8])


def award(hand: str, after: Row) -> Row:
    told = {"kind": "award_approved", "number": 1, "seat": 1, "hand": hand, "amount": 5, "pot_before": 9}
    told |= {"pot_after": 4, "share_ppm": 0, "fund": "pot", "from_pot": 5, "from_reserve": 0, "from_house": 0}
    told |= {"source": "", "parts": 1, "capped": False}
    owed = {"number": 1, "round": 1, "seat": 1, "hand": "flush", "level": None, "amount": 5, "fund": "pot"}
    state = {**json.loads(after[8]), "awards": [owed]}
    return row(after, "awards_approved", "{}", json.dumps([told], separators=(",", ":")), json.dumps(state))


def with_current(amount: int, after: Row) -> Row:
    state = json.loads(after[8])
    state["pot"]["levels"][0]["current"] = amount
    return row(after, "noted", "{}", "[]", json.dumps(state))


def report(made: Hall, floor: Floor, first: Row, kind: str) -> None:
    """Report, after `first`, what hangs together with it and is of this kind."""
    match kind:
        case "rules that are none":
            found = rules("{}", first)
        case "rules without an end":
            found = rules("[" * 5000 + "]" * 5000, first)
        case "a state that is none":
            found = row(first, "noted", "{}", "[]", "{}")
        case "a state that is no JSON":
            found = row(first, "noted", "{}", "[]", "no json")
        case "a state without an end":
            found = row(first, "noted", "{}", "[]", "[" * 50000 + "]" * 50000)
        case "a hand that is none":
            found = award("five_of_a_kind", first)
        case _:
            found = with_current(10**40, first)
    floor.report([found])
    assert made.one("SELECT seq FROM pozo.heads WHERE table_id = %s", HOSTILE) == first[0] + 1


KINDS = {
    "rules that are none": "rules in force",
    "rules without an end": "rules in force",
    "a state that is none": "the state in record",
    "a state that is no JSON": "the state in record",
    "a state without an end": "the state in record",
    "a hand that is none": "'five_of_a_kind' is no hand",
    "amounts of nowhere": "amounts that no table holds",
}


def told(office: Office) -> Figures:
    return figures(office, WALL_NS, WALL_NS + 1000 * SECOND_NS)


@pytest.mark.parametrize("kind", KINDS)
def test_what_one_table_made_up_keeps_no_other_from_the_report(made: Hall, kind: str) -> None:
    office = Office(made.owner)
    before = told(office)
    assert [each.table_id for each in before.tables] == [HONEST, HOSTILE]
    with made.as_(HOSTILE, HOSTILE) as floor:
        report(made, floor, hostile().rows[-1], kind)
    found = told(office)
    assert found.tables == before.tables[:1]
    assert found.links == before.links
    (why,) = found.unbelieved
    assert why.startswith(f"{HOSTILE}: ")
    assert KINDS[kind] in why
    assert not found.sound


@pytest.mark.parametrize("kind", KINDS)
def test_what_one_table_made_up_keeps_no_other_from_the_check(made: Hall, kind: str) -> None:
    with made.as_(HOSTILE, HOSTILE) as floor:
        report(made, floor, hostile().rows[-1], kind)
        report_next(floor)
    done = pozo_run("floor", "check", "--floor", made.cluster.conninfo(made.database))
    assert done.exit_code == 1
    assert f"table {HONEST}: " in done.output
    assert f"table {HOSTILE}: record " in done.output
    assert "is not believed" in done.output


def report_next(floor: Floor) -> None:
    """One more record, of a round as it always was, so that the made up one has to be followed."""
    head = floor.head()
    after = (head.seq, 1, 5, WALL_NS, 1, "noted", "{}", "[]", hostile().rows[-1][8], head.digest)
    floor.report([row(after, "noted", "{}", "[]", after[8])])


def test_signs_of_a_table_whose_rules_are_none_are_named_and_those_of_others_told(made: Hall) -> None:
    office = Office(made.owner)
    for table in (HONEST, HOSTILE):
        office.enter_reading(None, table, "main", 10_001_000, "Eva")
    with made.as_(HOSTILE, HOSTILE) as floor:
        report(made, floor, hostile().rows[-1], "rules that are none")
    found = readings_now(made)
    assert [each.whose for each in found.readings] == [HONEST]
    (why,) = found.unbelieved
    assert why.startswith(f"{HOSTILE}: its sign's readings are left out: what it reported as rules in force")


ESCAPES = "\x1b[2K\x1b[8m\r\x9b2J\u202e"


def silent(output: str) -> bool:
    """Whether no letter of what is printed does anything to a terminal."""
    return all(each.isprintable() or each == "\n" for each in output)


def test_what_a_login_says_in_a_refused_call_does_nothing_to_the_offices_terminal(made: Hall) -> None:
    with made.as_(HOSTILE, f"{ESCAPES}hidden") as floor, pytest.raises(NotYoursError):
        floor.head()
    done = pozo_run("floor", "status", "--floor", made.cluster.conninfo(made.database))
    assert done.exit_code == 0, done.output
    assert f"ALARM not_yours, table ?[2K?[8m??2J?hidden, login {HOSTILE}" in done.output
    assert silent(done.output)


def test_what_a_record_says_does_nothing_to_the_terminal_of_a_check_or_a_report(made: Hall) -> None:
    after = hostile().rows[-1]
    with made.as_(HOSTILE, HOSTILE) as floor:
        floor.report([row(after, f"noted{ESCAPES}", "{}", "[]", "{}")])
    made.rows(
        "INSERT INTO pozo.doubts (table_id, seq, flaw, detail) VALUES (%s, 1, 'replay', %s) RETURNING 1",
        HOSTILE,
        f"{ESCAPES}=1+1",
    )
    where = made.cluster.conninfo(made.database)
    for command in ("report", "check"):
        day = ("--day", "2026-11-29") if command == "report" else ()
        done = pozo_run("floor", command, *day, "--floor", where)
        assert done.exit_code == 1
        assert HOSTILE in done.output
        assert silent(done.output.replace("\r\n", "\n")), done.output
        assert command == "check" or "?[2K?[8m??2J?=1+1" in done.output


def test_metrics_name_a_table_without_commanding_a_terminal(made: Hall) -> None:
    Office(made.owner).add_table(f"mvd-09{ESCAPES}", "mvd-09")
    done = pozo_run("floor", "metrics", "--floor", made.cluster.conninfo(made.database))
    assert done.exit_code == 0, done.output
    assert 'pozo_table_records_total{table="mvd-09?[2K?[8m??2J?"}' in done.output
    assert silent(done.output)


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=1+1", "'=1+1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        (" -1+1", "' -1+1"),
        ("+5", "'+5"),
        ("-5.00", "-5.00"),
        ("-5", "-5"),
        ("\t=1", "?=1"),
        ("Casino", "Casino"),
    ],
)
def test_no_cell_of_a_report_is_a_formula(made: Hall, text: str, cell: str) -> None:
    office = Office(made.owner)
    office.enter_reading("main", None, "main", 10_000_000, "Eva")
    (reading,) = readings_now(made).readings
    found = replace(told(office), house=text, readings=(reading._replace(level=text),))
    rows = list(csv.reader(csv_lines(found).splitlines()))
    assert rows[1] == ["report", cell, "from", rows[1][3]]
    assert rows[-1][:3] == ["reading", "main", cell]


def test_a_page_turns_no_letters_around(made: Hall) -> None:
    found = replace(told(Office(made.owner)), house=f"<b>{ESCAPES}")
    page = html_page(found, "es")
    assert "&lt;b&gt;?[2K?[8m??2J?" in page
    assert silent(page)


def readings_now(made: Hall) -> Figures:
    now_ns = int(str(made.one("SELECT (extract(epoch FROM clock_timestamp()) * 1000000000)::bigint")))
    return figures(Office(made.owner), now_ns - 100 * SECOND_NS, now_ns + 100 * SECOND_NS)
