"""Linked pots end to end but for processes: core, journal, pump and a real floor; two tables share one pot."""

import random
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from controller.core import events as ev
from controller.core.events import AwardApproved
from controller.core.faults import FaultCode
from controller.core.game import Hand
from controller.core.state import Told
from controller.floor import link_rules
from controller.link.pots import NOT_YET
from controller.link.said import LinkSaid
from tests.helpers_floor import Hall, hall
from tests.helpers_game import key, with_level
from tests.helpers_link_pots import LinkedTable, linked_table
from tests.helpers_linked import LINK, LINKED, RF, SF


@pytest.fixture
def floor() -> Iterator[Hall]:
    with hall() as made:
        made.link(LINKED, name=LINK)
        yield made


def amounts(table: LinkedTable) -> list[int]:
    return [each.amount for each in table.results(ev.AwardApproved) if isinstance(each, AwardApproved)]


def test_a_table_hears_its_pot_once_its_records_are_there_and_its_wagers_raise_it(
    tmp_path: Path, floor: Hall
) -> None:
    with linked_table(tmp_path, floor) as table:
        assert not table.wire.beats
        table.pass_seconds(3)
        assert table.told == Told(10_000_000, 0)
        table.play(1, 2, 3)
        table.pass_seconds(8)
        assert table.told == Told(10_001_500, 0)
        assert table.said == (LinkSaid(LINK, 10_001_500, 0),)
        table.wire.exact()
        assert floor.sound(LINK)
        (out,) = [level.link_out for level in table.player.table.pot.levels]
        assert out == floor.one("SELECT contributed FROM pozo.levels WHERE link = %s", LINK)


def test_before_the_floor_was_asked_about_the_pot_the_table_is_told_why_it_waits(
    tmp_path: Path, floor: Hall
) -> None:
    with linked_table(tmp_path, floor) as table:
        for _ in range(120):
            table.play(1)
        table.wire.turn()
        assert table.wire.beats[-1].why == NOT_YET
        assert table.wire.beats[-1].head is not None
        table.pass_seconds(3)
        assert not table.wire.beats[-1].why


def test_a_win_is_served_once_and_two_winners_are_one_claim(tmp_path: Path, floor: Hall) -> None:
    """Two royals, an SF between: base 100,000.00 and 15.00; 50,007.50 each; 10 % of the reset 10,000.00."""
    with linked_table(tmp_path, floor) as table:
        table.pass_seconds(2)
        table.win({2: RF, 4: SF, 6: RF})
        table.pass_seconds(3)
        assert amounts(table) == [5_000_750, 5_000_750, 100_000]
        assert table.told == Told(900_000, 1)
        assert table.player.table.link_claims == ()
        (row,) = floor.rows("SELECT claim_id, seats, made FROM pozo.claims")
        (held,) = [each for each in table.player.rows if each[5] == "awards_approved"]
        assert row == (f"mvd-07/1/{held[-1][:16]}", [2, 4, 6], 0)
        table.pass_seconds(5)
        assert len(table.results(ev.ClaimServed)) == 1
        table.wire.exact()
        assert floor.sound(LINK)


def test_a_win_at_one_table_is_told_to_the_other_at_once(tmp_path: Path, floor: Hall) -> None:
    with (
        linked_table(tmp_path / "a", floor, "a-1") as one,
        linked_table(tmp_path / "b", floor, "b-2") as other,
    ):
        for table in (one, other):
            table.pass_seconds(2)
        one.win({3: RF})
        one.pass_seconds(2)
        assert amounts(one) == [10_000_500]
        other.pass_seconds(1)
        assert other.told == Told(1_000_000, 1)
        other.win({5: SF})
        other.pass_seconds(2)
        assert amounts(other) == [100_050]
        one.pass_seconds(1)
        assert one.told == Told(900_450, 2)
        assert floor.sound(LINK)


def test_what_differs_between_table_and_link_is_said_by_its_values(tmp_path: Path, floor: Hall) -> None:
    other = with_level(LINKED, limit=90_000_000)
    with linked_table(tmp_path, floor, game=other) as table:
        table.pass_seconds(3)
        why = "level.limit: 100000000 at the link, 90000000 at the table"
        assert table.said == (LinkSaid(LINK, why=why),)
        assert [fault.code for fault in table.player.table.faults] == [
            FaultCode.LINK_UNKNOWN,
            FaultCode.LINK_DISAGREES,
        ]
        table.pass_seconds(30)
        assert len(table.results(ev.FaultRaised)) == 2
        assert 2 <= floor.one("SELECT max(times) FROM pozo.alarms WHERE kind = 'mismatch'") <= 5  # type: ignore[operator]


def test_a_table_that_is_not_admitted_is_told_what_to_do(tmp_path: Path, floor: Hall) -> None:
    with linked_table(tmp_path, floor, admitted=False) as table:
        table.pass_seconds(3)
        (said,) = table.said
        assert "`pozo floor link admit` does it" in said.why
        floor.one("SELECT pozo.admit(%s, 'mvd-07')", LINK)
        table.pass_seconds(15)
        assert table.told == Told(10_000_000, 0)
        assert FaultCode.LINK_DISAGREES not in {fault.code for fault in table.player.table.faults}


def test_a_link_whose_rules_change_is_noticed_while_the_line_stands(tmp_path: Path, floor: Hall) -> None:
    with linked_table(tmp_path, floor) as table:
        table.pass_seconds(2)
        table.player.do(ev.KeyTurned(1, ev.Key.SUPERVISOR, on=True), ev.TableClosed(2))
        table.wire.catch_up()
        table.pass_seconds(2)
        rules = link_rules(with_level(LINKED, reset_amount=2_000_000), "main")
        floor.one("SELECT pozo.change_link(%s, %s, %s, 'Ana', 'Luis')", LINK, rules.text, rules.digest)
        table.pass_seconds(2)
        assert table.said[0].why == "level.reset_amount: 2000000 at the link, 1000000 at the table"


def test_a_links_rules_do_not_change_while_a_claim_waits(tmp_path: Path, floor: Hall) -> None:
    with linked_table(tmp_path, floor) as table:
        table.pass_seconds(2)
        table.win({1: SF})
        table.player.do(ev.KeyTurned(1, ev.Key.SUPERVISOR, on=True), ev.TableClosed(2))
        table.wire.catch_up()
        rows = table.wire.player.rows
        floor_of = floor.as_("mvd-07", "mvd-07")
        head = floor_of.head()
        floor_of.report(rows[head.seq :])
        floor_of.close()
        assert floor.one("SELECT pozo.tables_in_play(%s)", LINK) == ["mvd-07"]
        table.pass_seconds(3)
        assert floor.one("SELECT pozo.tables_in_play(%s)", LINK) == []


def test_a_claim_is_served_before_the_wagers_that_came_after_it(tmp_path: Path, floor: Hall) -> None:
    """Offline: a win with 1 wager, then 200 rounds of 7. The tenth is of 100,005.00, not of what came later."""
    with linked_table(tmp_path, floor) as table:
        table.pass_seconds(2)
        table.win({1: SF})
        for _ in range(200):
            table.play(1, 2, 3, 4, 5, 6, 7)
        table.pass_seconds(5)
        assert amounts(table) == [1_000_050]
        assert table.told == Told(9_000_450 + 200 * 7 * 500, 1)
        assert floor.sound(LINK)


def test_a_link_that_dies_after_the_claim_was_served_asks_again_and_hears_the_same(
    tmp_path: Path, floor: Hall
) -> None:
    with linked_table(tmp_path, floor) as table:
        table.pass_seconds(2)
        table.win({1: RF})
        while floor.one("SELECT count(*) FROM pozo.claims") == 0:
            table.wire.turn()
        table.wire.again()
        table.play(2)
        table.pass_seconds(4)
        assert amounts(table) == [10_000_500]
        assert floor.one("SELECT count(*) FROM pozo.claims") == 1
        assert floor.sound(LINK)


def test_a_claim_that_the_floor_refuses_is_told_and_asked_again_now_and_then(
    tmp_path: Path, floor: Hall
) -> None:
    with linked_table(tmp_path, floor) as table:
        table.pass_seconds(2)
        table.win({1: SF})
        (held,) = [each for each in table.player.rows if each[5] == "awards_approved"]
        floor.rows(
            "INSERT INTO pozo.claims (claim_id, link, claim_no, table_id, round, seq, made, seats, hands, version,"
            " told, amount, cut, level_after, locked) VALUES (%s, %s, 99, 'mvd-07', 1, 1, 0, '{3}', '{flush}', 1,"
            " '[]', 0, '{}', '{}', 1) RETURNING 1",
            f"mvd-07/1/{held[-1][:16]}",
            LINK,
        )
        table.pass_seconds(31)
        assert FaultCode.CLAIM_REFUSED in {fault.code for fault in table.player.table.faults}
        assert len([row for row in table.player.rows if row[5] == "claim_refused"]) == 1
        assert floor.one("SELECT times FROM pozo.alarms WHERE kind = 'conflict'") == 4


def test_forty_moments_of_two_tables_with_backends_killed_and_links_begun_anew(
    tmp_path: Path, floor: Hall
) -> None:
    chance = random.Random(6)
    with ExitStack() as stack:
        tables = [stack.enter_context(linked_table(tmp_path / name, floor, name)) for name in ("a-1", "b-2")]
        for table in tables:
            table.pass_seconds(2)
        for _ in range(40):
            table = chance.choice(tables)
            match chance.randrange(6):
                case 0 | 1:
                    table.play(*chance.sample(range(1, 8), chance.randint(0, 7)))
                case 2:
                    seats = chance.sample(range(1, 8), chance.randint(1, 3))
                    table.win({seat: chance.choice((RF, SF, Hand.FLUSH)) for seat in seats})
                case 3:
                    floor.rows(
                        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity"
                        " WHERE application_name LIKE 'pozo %%' AND datname = current_database()"
                    )
                case 4:
                    table.wire.again()
                case _:
                    table.wire.turn(chance.randint(1, 3))
            if chance.randrange(2):
                table.wire.turn()
                table.hear()
        for table in tables * 2:
            table.pass_seconds(70)
        for table in tables:
            table.wire.exact()
            claimed = [
                each.claim for each in table.results(ev.LinkClaimed) if isinstance(each, ev.LinkClaimed)
            ]
            served = [
                each.claim for each in table.results(ev.ClaimServed) if isinstance(each, ev.ClaimServed)
            ]
            assert claimed == served
        assert floor.sound(LINK)
        out = sum(table.player.table.pot.levels[0].link_out for table in tables)
        assert out == floor.one("SELECT contributed FROM pozo.levels WHERE link = %s", LINK)
        won = sum(table.player.table.pot.levels[0].link_in for table in tables)
        assert won == floor.one("SELECT wins_meter FROM pozo.levels WHERE link = %s", LINK)
        assert len({table.told for table in tables}) == 1
        assert won > 0


def test_the_arithmetics_version_is_part_of_what_tables_must_agree_on() -> None:
    rules = link_rules(LINKED, "main")
    assert replace(rules, arithmetic=2).digest != rules.digest
    assert rules.level.link is None, "the same pot under any name"


def test_wagers_count_on_after_both_keys_agreed_to_another_board(tmp_path: Path, floor: Hall) -> None:
    """The floor ends a membership with each such record: the link must join by the new one, without a new start."""
    with linked_table(tmp_path, floor) as table:
        table.pass_seconds(2)
        player = table.player
        rules = msgspec.json.encode(player.game).decode()
        other = ev.ParametersChanged(60, player.table.game, rules, (), "Ana", "Luis", board="another")
        player.do(key(on=True), ev.TableClosed(50), key(on=True, which=ev.Key.TECHNICIAN), other)
        player.do(ev.LampTestStarted(70), ev.TableOpened(71), key(on=False, which=ev.Key.TECHNICIAN))
        player.do(key(on=False))
        table.play(1, 2, 3)
        table.pass_seconds(10)
        assert table.told == Told(10_001_500, 0)
        table.wire.pump.close()
        table.pass_seconds(10)
        assert FaultCode.LINK_DISAGREES not in {fault.code for fault in player.table.faults}
        assert floor.rows("SELECT kind FROM pozo.alarms") == []
        table.wire.exact()
        assert floor.sound(LINK)
