"""Linked pots at the floor: joining, winning once, the order of wins, and everything that is refused."""

import threading
from collections.abc import Iterator

import psycopg
import pytest
from msgspec.structs import replace

from controller.core import events as ev
from controller.core.events import AwardApproved
from controller.core.game import Hand
from controller.floor import (
    Answer,
    Claim,
    ClaimRefusedError,
    Floor,
    FloorDownError,
    FloorError,
    MismatchError,
    NotYoursError,
    ReportFirstError,
    link_rules,
)
from controller.floor.client import CHANNEL
from tests.helpers_floor import Hall, Player, hall, joined, report_all
from tests.helpers_game import GAME, key, with_level

RF, SF, FL = Hand.ROYAL_FLUSH, Hand.STRAIGHT_FLUSH, Hand.FLUSH
ONE, TWO = "mvd-07", "mvd-08"


@pytest.fixture
def linked() -> Iterator[Hall]:
    """A floor with a link `main`, 100,000.00 in it; a table gives 50 %, of 10.00 a wager."""
    with hall() as made:
        made.link()
        yield made


def amounts(answer: Answer) -> list[int]:
    return [each.amount for each in answer.told if isinstance(each, AwardApproved)]


def alarm_kinds(made: Hall) -> list[tuple[object, ...]]:
    return made.rows("SELECT kind, times FROM pozo.alarms ORDER BY kind, seq")


def test_a_win_at_one_table_takes_what_both_staked_and_the_other_plays_on(linked: Hall) -> None:
    """3 + 2 + 1 wagers: 100,030.00 is won; the next wager finds 10,000.00 and makes it 10,005.00."""
    one, two = Player(ONE), Player(TWO)
    with joined(linked, one) as first, joined(linked, two) as second:
        one.play(1, 2, 3)
        two.play(4, 5)
        one.lock(7)
        claim = one.won({7: RF})
        report_all(first, one.rows)
        report_all(second, two.rows)
        answer = first.claim(claim)
        assert (answer.number, amounts(answer)) == (1, [10_003_000])
        two.play(4)
        report_all(second, two.rows)
        level = second.level("main")
        assert (level.current, level.claims) == (1_000_500, 1)
        assert (level.last_claim, level.last_table, level.last_amount) == (claim.claim, ONE, 10_003_000)
        assert linked.sound()


def test_the_same_claim_is_answered_the_same_for_ever(linked: Hall) -> None:
    """Also after later stakes, wins and another connection."""
    one, two = Player(ONE), Player(TWO)
    with joined(linked, one) as first, joined(linked, two) as second:
        one.lock(1, 2)
        claim = one.won({1: RF, 2: RF})
        report_all(first, one.rows)
        answer = first.claim(claim)
        assert amounts(answer) == [5_000_500, 5_000_500]
        two.lock(3)
        other = two.won({3: SF})
        report_all(second, two.rows)
        assert amounts(second.claim(other)) == [100_050]
        with linked.as_(ONE, ONE) as again:
            assert first.claim(claim) == again.claim(claim) == answer
        assert linked.one("SELECT count(*) FROM pozo.claims") == 2
        assert linked.sound()


def test_a_claim_id_never_serves_two_things(linked: Hall) -> None:
    one = Player(ONE)
    with joined(linked, one) as floor:
        one.lock(1, 2)
        claim = one.won({1: SF})
        report_all(floor, one.rows)
        answer = floor.claim(claim)
        for other in (
            replace(claim, hands=((2, SF),)),
            replace(claim, made=5),
            replace(claim, seq=claim.seq - 1),
        ):
            with pytest.raises(ClaimRefusedError, match="was served for round 1"):
                floor.claim(other)
        assert floor.claim(claim) == answer
        assert alarm_kinds(linked) == [("conflict", 1), ("conflict", 2)]


def test_a_seat_wins_once_a_round_under_whatever_id(linked: Hall) -> None:
    one = Player(ONE)
    with joined(linked, one) as floor:
        one.lock(1, 2)
        claim = one.won({1: SF})
        report_all(floor, one.rows)
        floor.claim(claim)
        with pytest.raises(ClaimRefusedError, match="seat 1 has won link main in round 1"):
            floor.claim(replace(claim, claim="another", hands=((2, SF), (1, SF))))
        assert amounts(floor.claim(replace(claim, claim="later", made=1, hands=((2, SF),)))) == [900_090]


def test_only_who_wagered_wins(linked: Hall) -> None:
    """Seat 3 never wagered, seat 1 was voided, seat 2 folded; seat 4 did and none of it."""
    one = Player(ONE)
    with joined(linked, one) as floor:
        one.lock(1, 2, 4)
        one.do(key(on=True), ev.SeatVoided(26, 1, ev.Reason.NO_ANTE), ev.HandFolded(27, 2))
        claim = one.won({4: SF})
        report_all(floor, one.rows)
        for seat in (1, 2, 3):
            with pytest.raises(ClaimRefusedError, match=f"seat {seat} has no valid wager in round 1"):
                floor.claim(replace(claim, hands=((4, SF), (seat, SF))))
        for hands in ((), ((4, SF), (4, RF))):
            with pytest.raises(ClaimRefusedError, match="do not go together"):
                floor.claim(replace(claim, hands=hands))
        assert amounts(floor.claim(claim)) == [1_000_150]


def test_the_chip_voided_for_the_next_round_takes_no_win_away(linked: Hall) -> None:
    """Claimed after GAME OVER; meanwhile the seat's chip for the next round was given back."""
    one = Player(ONE)
    with joined(linked, one) as floor:
        one.play(4)
        one.do(ev.ChipDropped(91, 4), ev.SeatVoided(92, 4, ev.Reason.NO_ANTE))
        claim = replace(one.won({4: SF}), round=1)
        report_all(floor, one.rows)
        assert amounts(floor.claim(claim)) == [1_000_050]


def test_a_win_claimed_late_is_not_lost_by_what_the_seat_did_since(linked: Hall) -> None:
    """The link was down: the seat's next round, in which it folded, is reported before the win is asked for."""
    one = Player(ONE)
    with joined(linked, one) as floor:
        one.lock(4)
        claim = one.won({4: SF})
        one.end()
        one.lock(4)
        one.do(ev.HandFolded(60, 4))
        one.end()
        report_all(floor, one.rows)
        assert amounts(floor.claim(claim)) == [1_000_100]


def test_a_claim_waits_for_the_records_it_rests_on(linked: Hall) -> None:
    one = Player(ONE)
    with joined(linked, one) as floor:
        one.lock(1)
        claim = one.won({1: SF})
        for upto in (5, claim.seq - 1):
            report_all(floor, one.rows[:upto])
            with pytest.raises(ReportFirstError, match="must be reported before its claim"):
                floor.claim(claim)
        report_all(floor, one.rows)
        assert amounts(floor.claim(claim)) == [1_000_050]
        assert alarm_kinds(linked) == []


@pytest.mark.parametrize(
    ("wrong", "error", "match"),
    [
        ({"link": "other"}, ClaimRefusedError, "there is no link other"),
        ({"rules": "0" * 64}, MismatchError, "was played by rules"),
        ({"hands": ((1, Hand.PAIR),)}, ClaimRefusedError, "has no prize for one of"),
    ],
)
def test_what_is_never_served(
    linked: Hall, wrong: dict[str, object], error: type[FloorError], match: str
) -> None:
    one = Player(ONE)
    with joined(linked, one) as floor:
        one.lock(1)
        claim = one.won({1: SF})
        report_all(floor, one.rows)
        with pytest.raises(error, match=match):
            floor.claim(replace(claim, **wrong))
        assert len(alarm_kinds(linked)) == 1
        assert floor.level("main").claims == 0


def test_another_tables_login_wins_nothing(linked: Hall) -> None:
    one = Player(ONE)
    with joined(linked, one) as floor, joined(linked, Player(TWO)):
        one.lock(1)
        claim = one.won({1: RF})
        report_all(floor, one.rows)
        with linked.as_(TWO, ONE) as thief, pytest.raises(NotYoursError):
            thief.claim(claim)
        assert linked.rows("SELECT kind, table_id, login FROM pozo.alarms") == [("not_yours", ONE, TWO)]


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
        changed = ev.ParametersChanged(
            101, "new", "{}", (ev.Change("release_ms", "500", "700"),), "Ana", "Luis"
        )
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


def test_wins_at_the_same_moment_are_served_one_after_the_other(linked: Hall) -> None:
    """Ten tables claim a straight flush at once: 10 % of what the one before left, in the order of the numbers."""
    players = [Player(f"mvd-{number:02}") for number in range(20, 30)]
    floors = [joined(linked, player) for player in players]
    claims = []
    for player, floor in zip(players, floors, strict=True):
        player.lock(1)
        claims.append(player.won({1: SF}))
        report_all(floor, player.rows)
    answers: list[Answer] = []
    start = threading.Barrier(len(floors))

    def ask(floor: Floor, claim: Claim) -> None:
        start.wait()
        answers.append(floor.claim(claim))

    threads = [threading.Thread(target=ask, args=pair) for pair in zip(floors, claims, strict=True)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    pot, expected = 10_005_000, []
    for _ in players:
        expected.append(pot // 10)
        pot -= pot // 10
    answers.sort()
    assert [answer.number for answer in answers] == list(range(1, 11))
    assert [amounts(answer)[0] for answer in answers] == expected
    assert linked.sound()
    for floor in floors:
        floor.close()


def test_F115_what_falls_after_a_win_goes_to_the_new_pot_only(linked: Hall) -> None:
    """The won amount stays as it was told, whatever is staked before it is asked for again."""
    one, two = Player(ONE), Player(TWO)
    with joined(linked, one) as first, joined(linked, two) as second:
        one.lock(1)
        claim = one.won({1: RF})
        report_all(first, one.rows)
        answer = first.claim(claim)
        two.play(1, 2, 3)
        report_all(second, two.rows)
        assert first.claim(claim) == answer
        assert amounts(answer) == [10_000_500]
        assert first.level("main").current == 1_000_000 + 1_500
        assert linked.rows("SELECT cut FROM pozo.claims") == [({ONE: 7},)]


def test_F114_a_win_told_while_the_floor_was_gone_arrives_exactly_once(linked: Hall) -> None:
    """The connection dies after the commit, before the answer: the table asks again and is told the same."""
    one = Player(ONE)
    with joined(linked, one) as floor:
        one.lock(1)
        claim = one.won({1: RF})
        report_all(floor, one.rows)
        with linked.as_(ONE, ONE) as dying:
            first = dying.claim(claim)
            linked.one("SELECT pg_terminate_backend(%s)", dying.connection.info.backend_pid)
            with pytest.raises(FloorDownError, match="ask again"):
                dying.claim(claim)
        assert floor.claim(claim) == first
        assert linked.one("SELECT count(*) FROM pozo.claims") == 1


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


def test_a_claim_reads_as_many_rows_after_many_stakes_as_after_few(linked: Hall) -> None:
    """What it costs is the number of tables: of 3,000 rounds since the last win it reads none."""
    one, two = Player(ONE), Player(TWO)
    with joined(linked, one) as floor, joined(linked, two) as other:
        report_all(other, two.rows)
        few = rows_read_by_a_win(linked, "few")
        for _ in range(3_000):
            one.play(1)
        report_all(floor, one.rows)
        assert linked.one("SELECT count(*) FROM pozo.contributions") == 3_000
        many = rows_read_by_a_win(linked, "many")
        assert few["contributions"] == many["contributions"] == 0
        assert few["members"] <= many["members"] <= few["members"] + 2


def rows_read_by_a_win(made: Hall, claim: str) -> dict[object, int]:
    """Serve a win and take it back; PostgreSQL's own counters say what was read in between."""
    with made.owner.transaction(force_rollback=True):
        before = rows_read(made)
        made.rows(
            "SELECT s.* FROM pozo.links AS k CROSS JOIN LATERAL"
            " pozo.serve_claim(k, 1, %s, %s, 1, 1, 0, ARRAY[1], ARRAY['straight_flush']) AS s",
            claim,
            ONE,
        )
        return {name: rows - before[name] for name, rows in rows_read(made).items()}


def rows_read(made: Hall) -> dict[object, int]:
    """Rows this session has read and not yet told the statistics of."""
    read = made.rows(
        "SELECT relname, seq_tup_read + coalesce(idx_tup_fetch, 0) FROM pg_stat_xact_user_tables"
        " WHERE relname IN ('contributions', 'members')"
    )
    return {name: int(str(rows)) for name, rows in read}
