"""How a table's records arrive at the floor: in order, once, checked; and who may say what."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.core import events as ev
from controller.core.faults import FaultCode
from controller.core.game import Hand, Role
from controller.floor import (
    BrokenChainError,
    Floor,
    FloorVersionError,
    ForkedError,
    GapError,
    NotYoursError,
)
from controller.floor.client import REPORT_MAX
from controller.floor.errors import FloorError
from controller.journal import Head
from controller.journal.chain import GENESIS, digest
from controller.journal.record import Row
from tests.helpers_floor import Hall, Player, hall, joined, report_all
from tests.helpers_game import key

TABLE = "mvd-07"


@pytest.fixture
def floor_hall() -> Iterator[Hall]:
    with hall() as made:
        yield made


@pytest.fixture
def floor(floor_hall: Hall) -> Iterator[Floor]:
    with floor_hall.table(TABLE) as made:
        yield made


def stored(made: Hall) -> list[tuple[object, ...]]:
    return made.rows(
        "SELECT seq, boot, at_ns, wall_ns, wall_trusted, kind, event, results, state, digest"
        " FROM pozo.records WHERE table_id = %s ORDER BY seq",
        TABLE,
    )


def alarms(made: Hall) -> list[tuple[object, ...]]:
    return made.rows("SELECT kind, table_id, login, seq, times FROM pozo.alarms ORDER BY kind, seq")


def evening() -> Player:
    """Two rounds; in the first a flush at seat 2, paid."""
    player = Player(TABLE)
    player.lock(1, 2, 3)
    player.won({2: Hand.FLUSH})
    player.do(ev.AwardPaid(50, 1, ev.Payment.CASH, signed=True))
    player.end()
    player.play(5)
    return player


def forged(row: Row, kind: str) -> Row:
    """A row that says something else, with a digest that fits it."""
    body = (*row[:5], kind, *row[6:9])
    return (*body, digest(GENESIS, body))


def test_rows_arrive_exactly_as_they_are(floor_hall: Hall, floor: Floor) -> None:
    rows = evening().rows
    assert floor.head() == Head(0, GENESIS)
    assert floor.report(rows[:7]) == Head(7, rows[6][-1])
    assert floor.report(rows[7:]) == floor.head() == Head(len(rows), rows[-1][-1])
    assert stored(floor_hall) == rows
    assert alarms(floor_hall) == []


def test_what_arrives_twice_is_free(floor_hall: Hall, floor: Floor) -> None:
    rows = evening().rows
    floor.report(rows[:9])
    assert floor.report(rows[2:9]) == Head(9, rows[8][-1])
    assert floor.report(rows) == floor.report(rows) == Head(len(rows), rows[-1][-1])
    assert floor.report([]) == Head(len(rows), rows[-1][-1])
    assert stored(floor_hall) == rows
    assert floor_hall.one("SELECT count(*) FROM pozo.rounds") == 2
    assert floor_hall.one("SELECT count(*) FROM pozo.awards") == 1


def test_a_gap_is_refused_and_the_expected_number_told(floor_hall: Hall, floor: Floor) -> None:
    rows = evening().rows
    floor.report(rows[:4])
    for batch in (rows[5:], [*rows[:5], *rows[6:]], [rows[5], rows[4]]):
        with pytest.raises(GapError, match="send the records from 5 on") as caught:
            floor.report(batch)
        assert caught.value.expected == 5
    assert stored(floor_hall) == rows[:4]
    assert alarms(floor_hall) == []


def test_another_record_under_a_stored_number_is_an_alarm(floor_hall: Hall, floor: Floor) -> None:
    rows = evening().rows
    floor.report(rows)
    for _ in range(2):
        with pytest.raises(ForkedError, match="record 1 is stored with digest"):
            floor.report([forged(rows[0], "stopped")])
    assert stored(floor_hall) == rows
    assert alarms(floor_hall) == [("forked", TABLE, TABLE, 1, 2)]


@pytest.mark.parametrize("column", range(1, 10))
def test_a_changed_column_breaks_the_chain(floor_hall: Hall, floor: Floor, column: int) -> None:
    rows = evening().rows
    value = rows[6][column]
    other = (
        (1 - value if column == 4 else value + 1) if isinstance(value, int) else value.replace("e", "f") + " "
    )
    changed = (*rows[6][:column], other, *rows[6][column + 1 :])
    with pytest.raises(BrokenChainError, match="record 7 does not give its digest"):
        floor.report([*rows[:6], changed])  # type: ignore[list-item]  # the very mistake
    assert stored(floor_hall) == []
    assert alarms(floor_hall) == [("broken", TABLE, TABLE, 7, 1)]


def test_a_chain_that_does_not_begin_where_the_floor_ends_is_broken(floor_hall: Hall, floor: Floor) -> None:
    """Two journals that part after their first record: what follows the other's is not what was said here."""
    one, other = Player(TABLE), Player(TABLE)
    one.play(1)
    other.play(2)
    floor.report(one.rows[:6])
    with pytest.raises(BrokenChainError):
        floor.report(other.rows[6:])
    assert floor.head() == Head(6, one.rows[5][-1])
    assert [alarm[0] for alarm in alarms(floor_hall)] == ["broken"]


@settings(max_examples=200, deadline=None)
@given(
    texts=st.lists(
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0")), min_size=4, max_size=4
    ),
    numbers=st.lists(st.integers(-(2**63), 2**63 - 1), min_size=4, max_size=4),
)
def test_the_floor_digests_as_the_journal_does(texts: list[str], numbers: list[int]) -> None:
    body = (*numbers, 1, *texts)
    with hall_of_all().transaction():
        found = hall_of_all().execute(
            "SELECT pozo.digest_of(%s, %s, %s, %s, %s, 1::smallint, %s, %s, %s, %s)",
            (GENESIS, *numbers, *texts),
        )
        assert found.fetchone() == (digest(GENESIS, body),)  # type: ignore[arg-type]  # nine columns


_all: list[psycopg.Connection[tuple[object, ...]]] = []


def hall_of_all() -> psycopg.Connection[tuple[object, ...]]:
    """One database for all examples of a property."""
    if not _all:
        with hall() as made:
            _all.append(made.cluster.connect(made.database))
    return _all[0]


def test_a_text_with_the_character_nul_arrives_too(floor_hall: Hall, floor: Floor) -> None:
    player = Player(TABLE)
    player.lock(1)
    player.do(key(on=True), ev.AwardClaimed(30, 1, Hand.FLUSH), ev.AwardRejected(31, 1, "no \0 \\u0000"))
    player.do(ev.DealerChanged(32, "a\0b"))
    floor.report(player.rows)
    assert stored(floor_hall) == player.rows


def test_a_batch_has_a_limit(floor: Floor) -> None:
    player = Player(TABLE)
    while len(player.rows) <= REPORT_MAX:
        player.do(ev.DealerChanged(32, "Eva"))
    with pytest.raises(FloorError, match="1,000 are allowed: send smaller batches"):
        floor.report(player.rows)
    report_all(floor, player.rows)
    assert floor.head().seq == REPORT_MAX + 1


def test_F128_the_floor_knows_the_pot_of_a_table_that_lost_its_card(floor_hall: Hall, floor: Floor) -> None:
    """10 wagers of 10.00 at 50 %: the third witness says 100,050.00, and a fresh journal is not the one it knows."""
    player = Player(TABLE)
    player.play(1, 2, 3, 4, 5)
    player.play(1, 2, 3, 4, 5)
    floor.report(player.rows)
    assert floor_hall.rows("SELECT level, current FROM pozo.table_levels") == [("main", 10_005_000)]
    fresh = Player(TABLE)
    fresh.do(key(on=True))
    fresh.play(7)
    assert floor.head().seq == len(player.rows)
    with pytest.raises(ForkedError):
        floor.report(fresh.rows)


def test_rounds_awards_and_accesses_say_what_the_journal_says(floor_hall: Hall, floor: Floor) -> None:
    """Worked out from `evening`: 3 wagers, a flush of 500.00 from the house, paid in cash; then 1 wager."""
    player = evening()
    floor.report(player.rows)
    assert floor_hall.rows("SELECT round, seats, staked, late, ended_seq FROM pozo.rounds ORDER BY seq") == [
        (1, [1, 2, 3], 3_000, False, seq_of(player, ev.GameOverPressed, 0)),
        (2, [5], 1_000, False, seq_of(player, ev.GameOverPressed, 1)),
    ]
    assert floor_hall.rows(
        "SELECT number, round, seat, hand, level, amount, from_house, seq, paid_seq, paid_how, signed FROM pozo.awards"
    ) == [
        (
            1,
            1,
            2,
            "flush",
            "main",
            50_000,
            50_000,
            seq_of(player, ev.AwardsApproved, 0),
            seq_of(player, ev.AwardPaid, 0),
            "cash",
            True,
        )
    ]
    assert floor_hall.rows("SELECT kind FROM pozo.accesses ORDER BY seq LIMIT 2") == [
        ("key_turned",),
        ("table_opened",),
    ]
    assert floor_hall.rows("SELECT seq, game, changes FROM pozo.parameters") == [(1, player.table.game, [])]
    rules = str(floor_hall.one("SELECT rules FROM pozo.parameters"))
    assert sha256(rules.encode()).hexdigest() == player.table.game


def test_who_entered_a_pin_and_who_failed_is_in_the_access_log(floor_hall: Hall, floor: Floor) -> None:
    """A right PIN, a wrong one, one that was not looked at; the rules of a recovery are not repeated there."""
    player = Player(TABLE)
    player.do(
        ev.PinRefused(5, Role.SUPERVISOR, 7),
        ev.PersonIdentified(6, ev.Key.SUPERVISOR, "Ana", 7),
        ev.PinNotTried(7, Role.SUPERVISOR, 0, ev.Refusal.SUPERVISOR_KEY),
    )
    floor.report(player.rows)
    assert floor_hall.rows("SELECT kind FROM pozo.accesses ORDER BY seq OFFSET 3") == [
        ("pin_refused",),
        ("person_identified",),
        ("pin_not_tried",),
    ]
    assert (
        floor_hall.one("SELECT event ->> 'person' FROM pozo.accesses WHERE kind = 'person_identified'")
        == "Ana"
    )


def seq_of(player: Player, kind: type[ev.Event], index: int) -> int:
    name = ev.snake(kind.__name__)
    return [row[0] for row in player.rows if row[5] == name][index]


def test_a_late_claim_is_an_award_of_the_round_just_ended(floor_hall: Hall, floor: Floor) -> None:
    player = Player(TABLE)
    player.play(3)
    player.do(key(on=True), ev.AwardClaimed(95, 3, Hand.FLUSH), ev.AwardsApproved(96))
    floor.report(player.rows)
    assert floor_hall.rows("SELECT round, seat FROM pozo.awards") == [(1, 3)]


def test_voids_forfeits_late_and_excess_chips_and_faults_are_kept(floor_hall: Hall, floor: Floor) -> None:
    """Seat 2 twice (excess), seat 4 late, seat 1 voided (10.00 back), seat 3 folded; the sign lost and found."""
    player = Player(TABLE)
    player.do(ev.ChipDropped(10, 1), ev.ChipDropped(11, 2), ev.ChipDropped(12, 2), ev.ChipDropped(13, 3))
    player.do(ev.CoinInPressed(20), ev.ChipDropped(25, 4), key(on=True))
    player.do(ev.SeatVoided(26, 1, ev.Reason.NO_ANTE), ev.HandFolded(27, 3))
    player.do(ev.DeviceLost(28, FaultCode.SCREEN_LOST, "pulled"), ev.DeviceFound(29, FaultCode.SCREEN_LOST))
    floor.report(player.rows)
    assert floor_hall.rows("SELECT what, seat, amount FROM pozo.seats ORDER BY seq, ord, seat") == [
        ("excess", 2, 0),
        ("accepted", 1, 1_000),
        ("accepted", 2, 1_000),
        ("accepted", 3, 1_000),
        ("late", 4, 0),
        ("voided", 1, 1_000),
        ("forfeited", 3, 0),
    ]
    assert floor_hall.rows("SELECT code, raised FROM pozo.faults ORDER BY seq") == [
        ("screen_lost", True),
        ("screen_lost", False),
    ]
    assert floor_hall.rows("SELECT * FROM pozo.standing_faults") == []


def test_the_greeting_records_the_offset_of_the_clock(floor_hall: Hall, floor: Floor) -> None:
    """A clock said to be at the epoch is as far behind as the floor's own clock is after it."""
    before = int(str(floor_hall.one("SELECT (extract(epoch FROM clock_timestamp()) * 1000000000)::bigint")))
    greeting = floor.hello("pozo 0.2", 0)
    assert greeting.head == Head(0, GENESIS)
    assert before <= -greeting.offset_ns <= before + 60 * 10**9
    assert floor_hall.rows("SELECT program, wall_ns, offset_ns FROM pozo.hellos") == [
        ("pozo 0.2", 0, greeting.offset_ns)
    ]


def test_another_protocol_is_refused(floor: Floor, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("controller.floor.client.PROTOCOL", 2)
    with pytest.raises(FloorVersionError, match="speaks protocol 1, the program 2"):
        floor.hello("pozo 9", 0)


def test_no_login_speaks_for_another_table(floor_hall: Hall) -> None:
    floor_hall.table(TABLE).close()
    floor_hall.table("mvd-08").close()
    with floor_hall.as_("mvd-08", TABLE) as thief:
        for call in (
            lambda: thief.report(Player(TABLE).rows),
            thief.head,
            lambda: thief.hello("x", 0),
            lambda: thief.join("main", "x", 1),
        ):
            with pytest.raises(NotYoursError, match="mvd-0"):
                call()
    assert stored(floor_hall) == []
    assert alarms(floor_hall) == [("not_yours", TABLE, "mvd-08", 0, 4)]


def test_a_table_may_call_its_functions_and_nothing_else(floor_hall: Hall, floor: Floor) -> None:
    """Every table, view and inner function of the schema, tried with a table's login."""
    relations = floor_hall.rows(
        "SELECT relname FROM pg_class WHERE relnamespace = 'pozo'::regnamespace AND relkind IN ('r', 'v')"
    )
    assert len(relations) > 20
    for (name,) in relations:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            floor.connection.execute(f"SELECT 1 FROM pozo.{name}".encode())
    allowed = floor_hall.rows(
        "SELECT relname FROM pg_class WHERE relnamespace = 'pozo'::regnamespace AND relkind IN ('r', 'v', 'S') AND"
        " has_table_privilege(%s, oid, 'SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')",
        TABLE,
    )
    assert allowed == []
    callable_ = floor_hall.rows(
        "SELECT proname FROM pg_proc WHERE pronamespace = 'pozo'::regnamespace"
        " AND has_function_privilege(%s, oid, 'EXECUTE') ORDER BY proname",
        TABLE,
    )
    assert [name for (name,) in callable_] == [
        "claim",
        "head",
        "hello",
        "join_link",
        "level",
        "link_rules_of",
        "report",
        "tick",
    ]


def test_what_runs_with_the_owners_rights_looks_nothing_up_elsewhere(floor_hall: Hall) -> None:
    """Every function is bound when made or says its search_path, and none belongs to a superuser."""
    loose = floor_hall.rows(
        "SELECT proname FROM pg_proc WHERE pronamespace = 'pozo'::regnamespace AND (prosqlbody IS NULL OR prosecdef)"
        " AND NOT coalesce(proconfig, '{}') @> ARRAY['search_path=pg_catalog, pg_temp']"
    )
    assert loose == []
    owners = floor_hall.rows(
        "SELECT DISTINCT rolname, rolsuper, rolcanlogin FROM pg_proc JOIN pg_roles AS r ON r.oid = proowner"
        " WHERE pronamespace = 'pozo'::regnamespace"
    )
    assert owners == [("pozo_owner", False, False)]


def test_a_session_cannot_be_content_with_less_than_durable(floor: Floor) -> None:
    """What `synchronous_commit` is when a report commits, though the session had asked for less."""
    floor.connection.execute("SET synchronous_commit = off")
    with floor.connection.transaction():
        floor.report(Player(TABLE).rows)
        assert floor.connection.execute("SHOW synchronous_commit").fetchone() == ("on",)
    assert floor.connection.execute("SHOW synchronous_commit").fetchone() == ("off",)


def test_two_sessions_of_one_table_at_once_store_and_count_everything_once(floor_hall: Hall) -> None:
    """A link that hung and its successor: four connections say the same 60 rounds, a few records at a time."""
    floor_hall.link()
    player = Player(TABLE)
    joined(floor_hall, player).close()
    for _ in range(60):
        player.play(1, 2)

    def say() -> None:
        with floor_hall.as_(TABLE, TABLE) as floor:
            while (at := floor.head().seq) < len(player.rows):
                floor.report(player.rows[at : at + 5])

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(say) for _ in range(4)]:
            done.result()
    assert stored(floor_hall) == player.rows
    assert floor_hall.rows("SELECT staked, rounds FROM pozo.members") == [(120_000, 60)]
    assert floor_hall.one("SELECT count(*) FROM pozo.rounds WHERE ended_seq IS NOT NULL") == 60
    assert alarms(floor_hall) == []
    assert floor_hall.sound()


def test_stakes_count_once_however_often_they_are_reported(floor_hall: Hall) -> None:
    floor_hall.link()
    player = evening()
    with joined(floor_hall, player) as floor:
        floor.report(player.rows)
        player.play(1, 2)
        for _ in range(3):
            floor.report(player.rows)
        assert floor_hall.rows("SELECT staked, rounds FROM pozo.members") == [(6_000, 3)]
        assert floor.level("main").current == 10_000_000 + 3_000
        assert floor_hall.sound()
