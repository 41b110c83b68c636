"""Linked pots at the floor: joining, winning once, the order of wins, and everything that is refused."""

import threading
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from controller.core import events as ev
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
)
from tests.helpers_floor import Hall, Player, alarm_kinds, amounts, hall, joined, report_all
from tests.helpers_game import key

RF, SF, FL = Hand.ROYAL_FLUSH, Hand.STRAIGHT_FLUSH, Hand.FLUSH
ONE, TWO = "mvd-07", "mvd-08"


@pytest.fixture
def linked() -> Iterator[Hall]:
    """A floor with a link `main`, 100,000.00 in it; a table gives 50 %, of 10.00 a wager."""
    with hall() as made:
        made.link()
        yield made


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
            " pozo.serve_claim(k, 1, %s, %s, 1, 1, 0, ARRAY[1], ARRAY['straight_flush'], 1, 1) AS s",
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
