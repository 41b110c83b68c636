"""What one table's login may take from the others: no level's lock, and no room for their alarms."""

import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest

from controller.core.events import AwardApproved
from controller.core.game import Hand
from controller.floor import Answer, BusyError, Claim, ClaimRefusedError, Floor, NotYoursError
from controller.floor.office import House, Office
from tests.helpers_cli import pozo_run
from tests.helpers_floor import Hall, Player, alarm_kinds, amounts, hall, joined, report_all
from tests.helpers_link_pots import linked_table
from tests.helpers_linked import LINK, LINKED, SF

HONEST, HOSTILE = "mvd-07", "mvd-08"
PATIENCE_S = 60.0


@pytest.fixture
def made() -> Iterator[Hall]:
    with hall() as found:
        Office(found.owner).init(House("Casino", "UTC", "08:00"))
        found.link()
        yield found


def won(made: Hall) -> tuple[Floor, Claim]:
    """An honest table and its win, reported, and the hostile one."""
    player = Player(HONEST)
    floor = joined(made, player)
    player.lock(1)
    claim = player.won({1: Hand.STRAIGHT_FLUSH})
    report_all(floor, player.rows)
    joined(made, Player(HOSTILE)).close()
    return floor, claim


def at(made: Hall) -> psycopg.Connection[tuple[object, ...]]:
    """The hostile table's login, in a session that sets its own time-outs, in a transaction that it does not end."""
    connection = psycopg.connect(made.cluster.conninfo(made.database, HOSTILE))
    for name in ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout"):
        connection.execute(f"SET {name} = 0".encode())
    connection.commit()
    return connection


def in_the_way(made: Hall, seconds: float) -> None:
    """How long a call may take, for this floor."""
    made.owner.execute(
        "CREATE OR REPLACE FUNCTION pozo.longest_call() RETURNS interval LANGUAGE sql IMMUTABLE"
        f" RETURN interval '{seconds} seconds'".encode()
    )


def answered(floor: Floor, claim: Claim) -> list[int]:
    """What the claim won, asked again while the link is in use, as the link does."""
    end = time.monotonic() + PATIENCE_S
    while True:
        try:
            return amounts(floor.claim(claim))
        except BusyError:
            assert time.monotonic() < end


def test_a_session_that_keeps_a_links_lock_is_ended_by_whoever_waits_for_it(made: Hall) -> None:
    floor, claim = won(made)
    in_the_way(made, 0.01)
    # A tick takes no lock of a link that was folded this moment.
    made.owner.execute("UPDATE pozo.links SET folded_at = '2026-01-01'")
    with floor, closing(at(made)) as hostile:
        hostile.execute("SELECT pozo.tick('main', 0)")
        assert answered(floor, claim) == [1_000_050]
        with pytest.raises(psycopg.OperationalError, match="terminating connection"):
            hostile.execute("SELECT 1")
    assert alarm_kinds(made) == [("held", 1)]
    assert made.sound()


def test_a_claim_that_finds_its_link_in_use_is_told_so_and_nothing_is_decided(made: Hall) -> None:
    """Somebody of the office keeps the lock: he is no table, and nobody ends his session."""
    floor, claim = won(made)
    with floor, made.cluster.connect(made.database) as office, office.transaction():
        office.execute("SELECT 1 FROM pozo.links FOR UPDATE")
        with pytest.raises(BusyError, match="link main is in use; the claim mvd-07/1 is asked again"):
            floor.claim(claim)
        assert made.one("SELECT count(*) FROM pozo.claims") == 0
    assert alarm_kinds(made) == []


def test_who_cannot_win_does_not_reach_for_the_lock(made: Hall) -> None:
    floor, claim = won(made)
    with floor, closing(at(made)) as hostile:
        hostile.execute(
            "SELECT * FROM pozo.claim('x', %s, 'main', %s, 1, 1, 0, '{7}', '{royal_flush}')",
            (HOSTILE, claim.rules),
        )
        hostile.execute("SELECT * FROM pozo.join_link(%s, 'main', %s, 1)", (HOSTILE, claim.rules))
        assert amounts(floor.claim(claim)) == [1_000_050]


def test_a_tables_login_begins_with_limits_and_has_few_connections(made: Hall) -> None:
    with made.table(HONEST), psycopg.connect(made.cluster.conninfo(made.database, HONEST)) as session:
        shown = {
            name: session.execute(f"SHOW {name}".encode()).fetchone()
            for name in ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout")
        }
    assert shown == {
        "statement_timeout": ("10s",),
        "lock_timeout": ("5s",),
        "idle_in_transaction_session_timeout": ("5s",),
    }
    assert made.rows("SELECT rolconnlimit FROM pg_roles WHERE rolname = %s", HONEST) == [(16,)]


def test_a_floor_from_before_binds_its_logins_at_the_next_init(made: Hall) -> None:
    with made.table(HONEST):
        made.owner.execute(f'ALTER ROLE "{HONEST}" CONNECTION LIMIT -1'.encode())
        Office(made.owner).init(House("Casino", "UTC", "08:00"))
    assert made.rows("SELECT rolconnlimit FROM pg_roles WHERE rolname = %s", HONEST) == [(16,)]


def test_a_flood_of_refusals_fills_no_disk_and_hides_no_other_alarm(made: Hall) -> None:
    """200 of one login are kept, then a flood is; the other's one stands in the status beside the newest twenty."""
    floor, claim = won(made)
    with floor, pytest.raises(ClaimRefusedError):
        floor.claim(Claim(claim.claim, "none", claim.rules, 1, claim.seq, 0, claim.hands))
    with closing(at(made)) as hostile:
        invented(hostile)
    assert made.one("SELECT count(*) FROM pozo.alarms WHERE login = %s", HOSTILE) == 201
    assert made.rows("SELECT table_id, times FROM pozo.alarms WHERE kind = 'flood'") == [(HOSTILE, 300)]
    done = pozo_run("floor", "status", "--floor", made.cluster.conninfo(made.database))
    assert f"ALARM no_link, table {HONEST}" in done.output
    assert done.output.count("ALARM not_yours") == 19
    assert f"ALARM flood, table {HOSTILE}, login {HOSTILE}, 300 times" in done.output


def invented(hostile: psycopg.Connection[tuple[object, ...]]) -> None:
    """Calls for 500 tables that there are not."""
    for number in range(500):
        hostile.execute("SELECT pozo.head(%s)", (f"invented {number}",))
    hostile.commit()


def test_the_same_refusal_counts_up_after_a_flood_too(made: Hall) -> None:
    floor, _ = won(made)
    with floor, made.as_(HOSTILE, HONEST) as thief:
        with pytest.raises(NotYoursError):
            thief.head()
        with closing(at(made)) as hostile:
            invented(hostile)
        with pytest.raises(NotYoursError):
            thief.head()
    assert made.rows("SELECT times FROM pozo.alarms WHERE table_id = %s", HONEST) == [(2,)]


def test_a_link_in_use_is_asked_again_after_pauses_and_nothing_later_goes_before_the_claim(
    tmp_path: Path,
) -> None:
    """Asked after 0, 1, 3, 7, 15 and 23 s; 10 % of 100,005.00, not of the 20 rounds of seven that came after."""
    with hall() as floor:
        floor.link(LINKED, name=LINK)
        floor.owner.execute(
            "CREATE OR REPLACE FUNCTION pozo.longest_wait() RETURNS text LANGUAGE sql IMMUTABLE RETURN '10ms'"
        )
        with linked_table(tmp_path, floor) as table, floor.cluster.connect(floor.database) as office:
            table.pass_seconds(2)
            asked = Counter[str]()
            with office.transaction():
                office.execute("SELECT 1 FROM pozo.links FOR UPDATE")
                table.win({1: SF})
                for _ in range(20):
                    table.play(1, 2, 3, 4, 5, 6, 7)
                with watched(asked):
                    table.pass_seconds(30)
                assert asked == {"claim": 6}
                assert not table.wire.pump.trouble
                assert floor.one("SELECT count(*) FROM pozo.rounds") == 1
            table.pass_seconds(10)
            assert [
                each.amount for each in table.results(AwardApproved) if isinstance(each, AwardApproved)
            ] == [1_000_050]
            table.pass_seconds(2)
            table.wire.exact()
            assert floor.sound(LINK)


@contextmanager
def watched(asked: Counter[str]) -> Iterator[None]:
    """Count the claims that go to the floor."""
    claim = Floor.claim

    def counted(floor: Floor, asked_for: Claim) -> Answer:
        asked["claim"] += 1
        return claim(floor, asked_for)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Floor, "claim", counted)
        yield
