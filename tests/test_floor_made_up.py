"""Texts that a login made up, on arrival, in an update and in what the office asks of all tables."""

import json
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from controller.core import events as ev
from controller.floor import Floor, FloorError, UnsoundError, link_rules, schema
from controller.floor.office import House, Office
from controller.journal.record import Row
from tests.helpers_floor import Hall, Player, hall, joined
from tests.helpers_game import GAME, key
from tests.helpers_postgres import shared_cluster
from tests.test_floor_accept import Again
from tests.test_floor_hostile import HONEST, HOSTILE, hostile, row, rules
from tests.test_floor_office import empty_database

HOUSE = House("Casino", "UTC", "08:00")


@pytest.fixture
def made() -> Iterator[Hall]:
    with hall() as found:
        Office(found.owner).init(HOUSE)
        found.link()
        for table in (HONEST, HOSTILE):
            joined(found, Player(table)).close()
        yield found


def locked(results: str, after: Row) -> Row:
    return row(after, "coin_in_pressed", "{}", results, after[8])


def stake(**told: object) -> str:
    known = {"kind": "round_locked", "round": 1, "seats": [1], "amount": 1000, "late": False, **told}
    return json.dumps([known], separators=(",", ":"))


MADE_UP = {
    "rules that are no JSON": lambda after: rules("no json", after),
    "rules without an end": lambda after: rules("[" * 100_000, after),
    "an amount that is none": lambda after: locked(stake(amount="much"), after),
    "an amount without an end": lambda after: locked(stake(amount="1e99999999"), after),
    "a seat that is none": lambda after: locked(stake(seats=["one"]), after),
    "seats that are none": lambda after: locked(stake(seats=1), after),
    "results that are no JSON": lambda after: locked('"round_locked"]', after),
}


@pytest.mark.parametrize("kind", MADE_UP)
def test_what_is_not_what_it_claims_to_be_is_refused_and_an_alarm(made: Hall, kind: str) -> None:
    after = Player(HOSTILE).rows[-1]
    with made.as_(HOSTILE, HOSTILE) as floor:
        with pytest.raises(UnsoundError, match=f"record {after[0] + 1}: "):
            floor.report([MADE_UP[kind](after)])
        assert floor.head().seq == after[0]
    assert made.rows("SELECT kind, table_id, seq FROM pozo.alarms") == [("unsound", HOSTILE, after[0] + 1)]


@pytest.mark.parametrize("state", ["no json", "[]", '{"pot":{"levels":[{"name":"main","current":"x"}]}}'])
def test_a_state_that_is_none_names_its_table_where_the_office_asks_all(made: Hall, state: str) -> None:
    """A change of rules waits for tables in play; nobody knows of this one that it is closed."""
    closed = Player(HONEST)
    with made.as_(HONEST, HONEST) as floor:
        closed.do(key(on=True), ev.TableClosed(2))
        floor.report(closed.rows)
    after = Player(HOSTILE).rows[-1]
    with made.as_(HOSTILE, HOSTILE) as floor:
        floor.report([row(after, "noted", "{}", "[]", state)])
    office = Office(made.owner)
    with pytest.raises(FloorError, match=rf"{HOSTILE}") as told:
        office.change_link("main", link_rules(replace(GAME, wager=2_000), "main"), "Ana", "Luis")
    assert HONEST not in str(told.value)
    levels = made.rows("SELECT table_id, level, current FROM pozo.table_levels ORDER BY table_id")
    assert levels[0] == (HONEST, "main", 10_000_000)
    assert levels[1:] in ([], [(HOSTILE, "main", None)])


def test_a_floor_from_before_learns_what_it_lacks_and_names_what_was_made_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of before histories: a table that began with a recovery, a clock step, a table whose rules are none."""
    cluster = shared_cluster()
    where = empty_database(cluster, "older_made_up")
    everything = schema.migrations()
    back = Again(Player(HONEST).table, Player(HONEST))
    back.do(ev.ClockStepped(5, 3_600_000_000_000))
    with Office.connect(where) as office:
        monkeypatch.setattr(schema, "migrations", lambda: everything[:7])
        office.init(HOUSE)
        for table, rows in ((HONEST, back.rows), (HOSTILE, hostile().rows)):
            office.add_table(table, table)
            with Floor.connect(cluster.conninfo("older_made_up", table), table) as floor:
                floor.report(rows)
                if table == HOSTILE:
                    floor.report([rules("no json", rows[-1])])
        monkeypatch.setattr(schema, "migrations", lambda: everything)
        office.init(HOUSE)
        assert office.rows("SELECT seq, game FROM pozo.parameters WHERE table_id = %s", HONEST) == [
            (1, back.table.game)
        ]
        kinds = office.rows("SELECT kind FROM pozo.accesses WHERE table_id = %s ORDER BY seq", HONEST)
        assert kinds == [("journal_recovered",), ("clock_stepped",)]
        (alarm,) = office.alarms()
        assert (alarm.kind, alarm.table_id, alarm.seq) == ("unsound", HOSTILE, len(hostile().rows) + 1)
        with Floor.connect(cluster.conninfo("older_made_up", HONEST), HONEST) as floor:
            office.create_link("main", link_rules(GAME, "main"), "Ana", "Luis")
            office.admit("main", HONEST)
            floor.join("main", link_rules(GAME, "main").digest, 1)
