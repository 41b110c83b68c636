"""A recovery lost a win that the floor had served: numbers and rounds come again, no win is served twice or never."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from controller.core import events as ev
from controller.core.events.witness import Trusted
from controller.core.faults import FaultCode
from controller.core.state import Table, Told
from controller.floor.accept import Persons, accept
from controller.floor.figures import figures
from controller.floor.office import House, Office
from tests.helpers_floor import Hall, Player, hall, report_all
from tests.helpers_game import chips, key
from tests.helpers_link import store
from tests.helpers_link_pots import LinkedTable, linked_table
from tests.helpers_linked import LINK, LINKED, SF
from tests.test_floor_accept import Again
from tests.test_link_pots import amounts

BOTH = Persons("Ana", "Luis", "card lost")


@pytest.fixture
def floor() -> Iterator[Hall]:
    with hall() as made:
        Office(made.owner).init(House("Casino", "UTC", "08:00"))
        made.link(LINKED, name=LINK)
        yield made


def brought_back(table: LinkedTable, floor: Hall, state: Table) -> None:
    """Two persons go on from `state`: the table's journal begins anew, and the floor is told to take it."""
    new = Again(state, table.player)
    table.wire.journal.unlink()
    store(table.wire.journal, new.rows)
    accept(Office(floor.owner), new.table_id, table.wire.journal, BOTH)
    table.wire.player = table.player = new
    table.wire.again()


def test_a_win_after_a_recovery_that_lost_one_is_another_win_though_all_its_numbers_are_the_same(
    tmp_path: Path, floor: Hall
) -> None:
    """Round 1, seat 3, award 1, twice: 10 % of 100,005.00, then of 90,004.50 and 5.00."""
    with linked_table(tmp_path, floor) as table:
        table.pass_seconds(2)
        before = table.player.table
        table.win({3: SF})
        table.pass_seconds(3)
        assert amounts(table) == [1_000_050]
        brought_back(table, floor, before)
        assert table.player.table.awards_made == 0
        table.pass_seconds(70)  # its link had given the floor up meanwhile
        table.win({3: SF})
        table.pass_seconds(5)
        assert amounts(table) == [900_095]
        assert table.told == Told(8_100_855, 2)
        assert table.player.table.link_claims == ()
        assert FaultCode.CLAIM_REFUSED not in {fault.code for fault in table.player.table.faults}
        rows = floor.rows("SELECT round, seats, made, amount FROM pozo.claims ORDER BY claim_no")
        assert [row[:3] for row in rows] == [(1, [3], 0), (1, [3], 0)]
        assert len(set(floor.rows("SELECT claim_id FROM pozo.claims"))) == 2
        (link,) = figures(Office(floor.owner), 0, 2**62).links
        assert (link.claims, link.won) == (2, 1_900_145)
        table.wire.exact()
        assert floor.sound(LINK)


def test_a_link_that_runs_on_through_a_recovery_joins_with_the_new_journal(
    tmp_path: Path, floor: Hall
) -> None:
    """Nobody starts it anew: 20.00 of the lost journal stay in the pot, 30.00 of the new one come in, half of each."""
    with linked_table(tmp_path, floor) as table:
        table.pass_seconds(2)
        before = table.player.table
        table.play(1, 2)
        table.pass_seconds(8)
        assert table.told == Told(10_001_000, 0)
        new = Again(before, table.player)
        table.wire.journal.unlink()
        store(table.wire.journal, new.rows)
        table.pass_seconds(10)
        assert table.wire.pump.trouble
        accept(Office(floor.owner), new.table_id, table.wire.journal, BOTH)
        table.wire.player = table.player = new
        table.pass_seconds(70)
        table.play(1, 2, 3)
        table.pass_seconds(10)
        assert table.told == Told(10_002_500, 0)
        table.win({3: SF})
        table.pass_seconds(10)
        assert amounts(table) == [1_000_300]
        assert table.player.table.link_claims == ()
        assert floor.sound(LINK)


@pytest.mark.parametrize("lost", ["the answer", "the claim too"])
def test_a_win_whose_answer_a_recovery_lost_is_answered_the_same_and_once(
    tmp_path: Path, floor: Hall, lost: str
) -> None:
    """What the copy knew: the claim that waits, or only the wager, of which the claim is made anew."""
    with linked_table(tmp_path, floor) as table:
        table.pass_seconds(2)
        table.player.do(*chips(3), ev.CoinInPressed(20), key(on=True))
        states = [table.player.table]
        table.player.do(ev.AwardClaimed(30, 3, SF), ev.AwardsApproved(40))
        states.append(table.player.table)
        table.wire.catch_up()
        while floor.one("SELECT count(*) FROM pozo.claims") == 0:
            table.wire.turn()
        brought_back(table, floor, states[lost == "the answer"])
        if lost == "the claim too":
            table.player.do(key(on=True), ev.AwardClaimed(30, 3, SF), ev.AwardsApproved(41))
            table.wire.catch_up()
        table.pass_seconds(10)
        assert amounts(table) == [1_000_050]
        assert table.player.table.link_claims == ()
        assert floor.rows("SELECT claim_no, hits_meter FROM pozo.claims JOIN pozo.links USING (link)") == [
            (1, 1)
        ]
        assert floor.sound(LINK)


def older(other: Player, last: int, reason: str) -> Again:
    """A table that goes on from an older copy of a journal, up to record `last`."""
    state = msgspec.json.decode(other.rows[last - 1][8], type=Table)
    return Again(state, other, other.rows[:last], trusted=Trusted.JOURNAL, reason=reason)


@pytest.mark.parametrize("lasts", [(13, 9), (9, 9), (0, 0), (13, 0)])
def test_of_two_journals_accepted_behind_the_same_record_the_report_takes_the_one_that_came(
    tmp_path: Path, lasts: tuple[int, int]
) -> None:
    """3 rounds of two wagers, copies of after 1 round and after 2; the first recovery is lost before it reports."""
    old = Player("mvd-07")
    for _ in range(3):
        old.play(1, 2)
    assert [old.rows[last - 1][5] for last in (9, 13)] == ["game_over_pressed"] * 2
    with hall() as made:
        office = Office(made.owner)
        office.init(House("Casino", "UTC", "08:00"))
        with made.table("mvd-07") as floor:
            report_all(floor, old.rows)
            for turn, last in enumerate(lasts):
                why = f"card {turn} broken"
                new = older(old, last, why) if last else Again(old.table, old, reason=why)
                new.play(turn + 3)
                accept(office, "mvd-07", store(tmp_path / f"{turn}.db", new.rows), BOTH)
            report_all(floor, new.rows)
        (table,) = figures(office, 0, 2**62).tables
        assert (table.rounds, table.wagers, table.differences, table.left_out) == (4, 7, (), 0)


def test_no_table_uses_up_a_claim_id_of_another(tmp_path: Path, floor: Hall) -> None:
    with linked_table(tmp_path / "a", floor) as one, linked_table(tmp_path / "b", floor, "mvd-08") as two:
        for each in (one, two):
            each.pass_seconds(2)
        two.win({1: SF})
        (held,) = [row for row in two.player.rows if row[5] == "awards_approved"]
        one.win({5: SF})
        one.pass_seconds(3)
        floor.rows(
            "INSERT INTO pozo.claims SELECT %s, link, 99, table_id, 99, seq, made, seats, hands, version, told, amount,"
            " cut, level_after, served_at, base, 0 FROM pozo.claims RETURNING 1",
            f"mvd-08/1/{held[-1][:16]}",
        )
        two.pass_seconds(3)
        assert len(amounts(two)) == 1
