"""A link at the floor beside its wins: who joins it, how it is folded and told, its rules, its corrections."""

from collections.abc import Iterator
from hashlib import sha256

import msgspec
import psycopg
import pytest
from msgspec.structs import replace

from controller.core import events as ev
from controller.core.game import Hand
from controller.floor import Floor, FloorError, MismatchError, NotYoursError, ReportFirstError, link_rules
from controller.floor.client import CHANNEL
from tests.helpers_floor import Hall, Player, alarm_kinds, amounts, hall, joined, report_all
from tests.helpers_game import GAME, key, with_level

RF, SF = Hand.ROYAL_FLUSH, Hand.STRAIGHT_FLUSH
ONE = "mvd-07"


@pytest.fixture
def linked() -> Iterator[Hall]:
    """A floor with a link `main`, 100,000.00 in it; a table gives 50 %, of 10.00 a wager."""
    with hall() as made:
        made.link()
        yield made


def test_a_table_joins_by_the_rules_of_the_link_or_not_at_all(linked: Hall) -> None:
    player = Player(ONE, with_level(increment_rate_ppm=400_000))
    with linked.table(ONE) as floor:
        with pytest.raises(NotYoursError, match="not admitted to a link main"):
            floor.join("main", link_rules(GAME, "main").digest, 1)
        linked.one("SELECT pozo.admit('main', %s)", ONE)
        with pytest.raises(ReportFirstError, match="record 1 must be reported"):
            floor.join("main", link_rules(GAME, "main").digest, 1)
        report_all(floor, player.rows)
        with pytest.raises(MismatchError, match="may not play until they agree"):
            floor.join("main", link_rules(player.game, "main").digest, 1)
        with pytest.raises(MismatchError, match="are in record 1, not in 3"):
            floor.join("main", link_rules(GAME, "main").digest, 3)
        player.play(1)
        report_all(floor, player.rows)
        assert floor.level("main").current == 10_000_000
        assert [kind for kind, _ in alarm_kinds(linked)] == ["mismatch", "not_admitted", "stale"]


def test_stakes_reported_before_the_joining_count_from_the_record_that_holds_the_rules(linked: Hall) -> None:
    """2 wagers reported first, then the table joins, twice: 100,010.00."""
    player = Player(ONE)
    player.play(1, 2)
    with joined(linked, player) as floor:
        floor.join("main", link_rules(GAME, "main").digest, 1)
        assert floor.level("main").current == 10_001_000
        assert linked.sound()


def test_stakes_after_other_rules_count_once_the_table_has_joined_again(linked: Hall) -> None:
    """2 wagers by the old rules, 3 after a change that is not the link's, in the same report."""
    player = Player(ONE)
    with joined(linked, player) as floor:
        player.play(1, 2)
        player.do(key(on=True), key(True, ev.Key.TECHNICIAN), ev.TableClosed(100))
        player.game = replace(GAME, release_ms=700)
        rules = msgspec.json.encode(player.game).decode()
        changes = (ev.Change("release_ms", "500", "700"),)
        changed = ev.ParametersChanged(101, sha256(rules.encode()).hexdigest(), rules, changes, "Ana", "Luis")
        player.do(changed)
        at = len(player.rows)
        player.do(key(False, ev.Key.TECHNICIAN), ev.LampTestStarted(102), ev.TableOpened(103), key(on=False))
        player.play(1, 2, 3)
        report_all(floor, player.rows)
        assert floor.level("main").current == 10_001_000
        with pytest.raises(MismatchError, match=f"are in record {at}, not in 1"):
            floor.join("main", link_rules(GAME, "main").digest, 1)
        floor.join("main", link_rules(player.game, "main").digest, at)
        assert floor.level("main").current == 10_002_500
        assert linked.rows("SELECT from_seq, until_seq, staked FROM pozo.members ORDER BY from_seq") == [
            (1, at, 2_000),
            (at, None, 3_000),
        ]
        assert linked.rows("SELECT changes, supervisor FROM pozo.parameters WHERE seq > 1") == [
            ([{"key": "release_ms", "old": "500", "new": "700"}], "Ana")
        ]
        assert linked.sound()


def test_a_win_and_a_fold_tell_every_listener(linked: Hall) -> None:
    one = Player(ONE)
    with joined(linked, one) as floor, linked.cluster.connect(linked.database, ONE) as ear:
        ear.execute(b"LISTEN " + CHANNEL.encode())
        one.lock(1)
        claim = one.won({1: RF})
        report_all(floor, one.rows)
        wait_for_fold(floor)
        floor.claim(claim)
        heard = [notice.payload for notice in ear.notifies(timeout=20, stop_after=2)]
        assert '"current": 10000500' in heard[0]
        assert '"claim": null' in heard[0]
        assert f'"claim": "{claim.claim}"' in heard[1]
        assert '"current": 1000000' in heard[1]


def wait_for_fold(floor: Floor) -> None:
    """Tick until the level's last fold is long enough ago for another; bounded by the calls, not by a clock."""
    for _ in range(100_000):
        if floor.tick("main", 100):
            return
    raise AssertionError("nobody folds")


def test_a_fold_waits_for_nobody_and_nothing_is_told_where_nothing_moved(linked: Hall) -> None:
    one = Player(ONE)
    one.play(1)
    with joined(linked, one) as floor, linked.cluster.connect(linked.database) as other:
        with other.transaction():
            other.execute("SELECT 1 FROM pozo.links FOR UPDATE")
            linked.rows("SELECT pg_sleep(0.11)")
            assert not floor.tick("main", 100)
        wait_for_fold(floor)
        assert not floor.tick("main", 10_000)
        assert linked.one("SELECT current FROM pozo.links") == 10_000_500


def test_rules_change_only_with_all_tables_closed_and_each_joins_again(linked: Hall) -> None:
    """The pot stays, and what a table staked by the old rules counts by these, whenever it arrives."""
    player = Player(ONE)
    new = link_rules(with_level(increment_rate_ppm=250_000), "main")
    with joined(linked, player) as floor:
        player.play(1)
        report_all(floor, player.rows)
        with pytest.raises(psycopg.errors.ObjectInUse, match="not closed"):
            change(linked, new.text, new.digest)
        player.do(key(on=True), ev.TableClosed(100))
        report_all(floor, player.rows)
        assert change(linked, new.text, new.digest) == 2
        assert floor.level("main").current == 10_000_500
        with pytest.raises(MismatchError):
            floor.join("main", link_rules(GAME, "main").digest, 1)
        assert linked.sound()
        low = link_rules(with_level(limit=10_000_400, base_amount=1), "main")
        with pytest.raises(psycopg.errors.CheckViolation, match="below the pot"):
            change(linked, low.text, low.digest)


def change(made: Hall, text: str, digest: str) -> object:
    return made.one("SELECT pozo.change_link('main', %s, %s, 'Ana', 'Luis')", text, digest)


def test_F122_a_pot_falls_by_an_award_or_by_two_persons_with_a_reason(linked: Hall) -> None:
    query = "SELECT pozo.correct_link('main', %s, %s, %s, %s)"
    for values in (
        (1, "", "Ana", "Luis"),
        (1, "count", "Ana", "Ana"),
        (1, "count", "", "Luis"),
        (-1, "x", "A", "B"),
    ):
        with pytest.raises(psycopg.errors.CheckViolation):
            linked.one(query, *values)
    assert linked.one("SELECT current FROM pozo.levels") == 10_000_000
    assert linked.one(query, 9_000_000, "meter misread", "Ana", "Luis") == 10_000_000
    assert linked.one("SELECT current FROM pozo.levels") == 9_000_000
    assert linked.rows("SELECT before, after, reason FROM pozo.corrections") == [
        (10_000_000, 9_000_000, "meter misread")
    ]
    assert linked.sound()


def test_money_made_behind_the_functions_back_is_seen_and_stops_the_link(linked: Hall) -> None:
    one = Player(ONE)
    with joined(linked, one) as floor:
        one.lock(1)
        claim = one.won({1: SF})
        report_all(floor, one.rows)
        linked.rows("UPDATE pozo.links SET current = current + 1 RETURNING 1")
        assert linked.one("SELECT pozo.imbalance('main')") == -1_000_000
        with pytest.raises(FloorError, match="-1000000 millionths of a minor unit are missing"):
            floor.claim(claim)
        linked.rows("UPDATE pozo.links SET current = current - 1 RETURNING 1")
        assert amounts(floor.claim(claim)) == [1_000_050]
        linked.rows("UPDATE pozo.contributions SET staked = staked + 1 RETURNING 1")
        differing = linked.rows("SELECT what FROM pozo.audit('main') WHERE expected <> found")
        assert differing == [
            ("stakes under rules 1, row by row",),
            ("contributions that are not their round's stakes",),
        ]
