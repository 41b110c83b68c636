"""What the floor believes of a table: nothing that cannot be true, and nothing that its filed key did not sign."""

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest
from click.testing import Result
from msgspec.structs import replace

from controller.core import events as ev
from controller.core.game import Hand
from controller.floor import DoubtedError, ForkedError, UnsoundError
from controller.floor.figures import Figures, figures
from controller.floor.office import House, Office
from controller.floor.proof import prove_table
from controller.journal.record import Row
from tests.helpers_cli import pozo_run
from tests.helpers_floor import WALL_NS, Hall, Player, alarm_kinds, hall, joined, report_all
from tests.helpers_signing import FORGER, PUBLIC, played, public_of, rechained, rows_of

TABLE, SIGNED = "mvd-07", "SIM-1"
FOR_EVER = 2**62
TWO_ROUNDS = """
power on
chip 1 3
press coin_in
press game_over
chip 2
press coin_in
press game_over
power off
"""


@pytest.fixture
def made() -> Iterator[Hall]:
    with hall() as found:
        Office(found.owner).init(House("Casino", "UTC", "08:00"))
        yield found


@pytest.fixture
def rows(tmp_path: Path) -> list[Row]:
    """A real table's journal with signed heads: two rounds, three wagers."""
    return rows_of(played(tmp_path, TWO_ROUNDS))


def check(made: Hall, *options: str) -> Result:
    return pozo_run("floor", "check", *options, "--floor", made.cluster.conninfo(made.database))


def report(made: Hall) -> Figures:
    return figures(Office(made.owner), 0, FOR_EVER)


def heads(rows: list[Row]) -> list[int]:
    """Numbers of the signed heads."""
    return [row[0] for row in rows if row[5] == "head_signed"]


def changed(rows: list[Row], seq: int, column: int, text: str) -> list[Row]:
    """The rows with one column of one record changed, and chained anew without another signature."""
    row = rows[seq - 1]
    other: Row = (*row[:column], text, *row[column + 1 :])  # type: ignore[assignment]  # ten columns again
    return rechained([*rows[: seq - 1], other, *rows[seq:]])


def first(rows: list[Row], kind: str) -> int:
    return next(row[0] for row in rows if row[5] == kind)


def test_an_honest_table_is_proven_up_to_its_newest_signature_and_no_further(
    made: Hall, rows: list[Row]
) -> None:
    """Up to the head signed at the first GAME OVER and one record more, then all."""
    one = heads(rows)[-2]
    with made.table(SIGNED) as floor:
        report_all(floor, rows[: one + 1])
        assert made.rows("SELECT key, how FROM pozo.keys") == [(PUBLIC, "reported")]
        assert report(made).tables[0].unproven == one + 1
        done = check(made)
        assert (
            f"table {SIGNED}: {one + 1} records as its rules make them, signed up to {one - 1}" in done.output
        )
        assert report(made).tables[0].unproven == 1
        report_all(floor, rows)
        check(made)
    found = report(made)
    assert found.sound
    (table,) = found.tables
    assert (table.rounds, table.wagers, table.left_out, table.unproven) == (2, 3, 0, 0)


def test_records_forged_with_a_stolen_login_are_named_and_no_report_counts_them(
    made: Hall, rows: list[Row]
) -> None:
    """The thief has the table's login and not its key: he signs the second round with his own."""
    at = heads(rows)[0]
    thief = rechained(rows, FORGER, kept=at)
    with made.table(SIGNED) as floor:
        report_all(floor, thief)
        assert report(made).tables[0].wagers == 3
        done = check(made)
        assert done.exit_code == 1
        bad = heads(rows)[1]
        assert f"table {SIGNED}: record {bad} is not believed (signature)" in done.output
        found = report(made)
        assert not found.sound
        assert found.tables[0].last == bad - 1
        assert found.tables[0].left_out == len(rows) - bad + 1
        assert found.tables[0].doubted[0].startswith(f"records from {bad} on (signature): it names the key")
        with pytest.raises(ForkedError):
            floor.report(rows)


def test_signatures_cannot_be_left_out(made: Hall, rows: list[Row]) -> None:
    """The beginning is signed; without the head that is stored with a GAME OVER nothing from there on is believed."""
    bare = rechained([row for row in rows if row[5] != "head_signed" or row[0] == heads(rows)[0]])
    over = first(bare, "game_over_pressed")
    with made.table(SIGNED) as floor:
        report_all(floor, bare)
    assert f"record {over} is not believed (signature): the signed head is missing" in check(made).output
    assert report(made).tables[0].last == over - 1


def test_a_state_that_no_rule_makes_is_not_believed(made: Hall, rows: list[Row]) -> None:
    """The pot behind the newest signature raised by hand: the money balances, and nothing did it."""
    last = rows[-2]
    state = json.loads(last[8])
    state["pot"]["levels"][0]["current"] += 500
    state["pot"]["levels"][0]["house_funding"] += 500
    with made.table(SIGNED) as floor:
        report_all(floor, changed(rows[:-1], last[0], 8, json.dumps(state, separators=(",", ":"))))
    assert f"record {last[0]} is not believed (replay): its state does not follow" in check(made).output


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        ({"amount": 2_001}, "2001 staked at seats [1, 2]: these are not that many wagers of 1000"),
        ({"seats": [1, 1]}, "2000 staked at seats [1, 1]"),
        ({"seats": [1, 99]}, "2000 staked at seats [1, 99]"),
        ({"seats": [1, 2, 3]}, "2000 staked at seats [1, 2, 3]"),
    ],
)
def test_stakes_that_are_no_wagers_are_refused_on_arrival(
    made: Hall, edit: dict[str, object], why: str
) -> None:
    player = Player(TABLE)
    player.lock(1, 2)
    told = json.loads(player.rows[-1][7])
    locked = next(each for each in told if each["kind"] == "round_locked")
    locked |= edit
    false = changed(player.rows, len(player.rows), 7, json.dumps(told, separators=(",", ":")))
    with made.table(TABLE) as floor:
        with pytest.raises(UnsoundError) as caught:
            floor.report(false)
        assert why in str(caught.value)
        assert floor.head().seq == 0
        assert alarm_kinds(made) == [("unsound", 1)]
        floor.report(false[:-1])
        with pytest.raises(UnsoundError):
            floor.report(false)
        report_all(floor, player.rows)
    assert report(made).tables[0].wagered == 2_000


def test_other_rules_count_from_the_record_that_brings_them(made: Hall) -> None:
    """10.00 a wager, then 20.00, in one report and in two."""
    player = Player(TABLE)
    player.play(1)
    closed = (ev.KeyTurned(98, ev.Key.SUPERVISOR, on=True), ev.KeyTurned(99, ev.Key.TECHNICIAN, on=True))
    player.do(*closed, ev.TableClosed(100))
    dearer = replace(player.game, wager=2_000)
    text = msgspec.json.encode(dearer).decode()
    player.game = dearer
    player.do(
        ev.ParametersChanged(
            101, sha256(text.encode()).hexdigest(), text, (ev.Change("wager", "10", "20"),), "Ana", "Luis"
        )
    )
    player.do(ev.KeyTurned(102, ev.Key.TECHNICIAN, on=False), ev.LampTestStarted(103), ev.TableOpened(104))
    player.play(1, 2)
    with made.table(TABLE) as floor:
        for size in (5, len(player.rows)):
            floor.report(player.rows[:size])
    assert made.rows("SELECT staked FROM pozo.rounds ORDER BY seq") == [(1_000,), (4_000,)]


@pytest.mark.parametrize(
    ("edit", "why"),
    [
        ({"table": "mvd-99"}, "record 1 is of table mvd-99"),
        ({"game": "0" * 64}, "its rules are not those that its digest names"),
        ({"device_key": "ab" * 32}, f"record 1 names the key {'ab' * 32}, which is not filed"),
    ],
)
def test_a_false_beginning_is_refused_on_arrival(
    made: Hall, rows: list[Row], edit: dict[str, str], why: str
) -> None:
    event = json.loads(rows[0][6]) | edit
    false = changed(rows, 1, 6, json.dumps(event, separators=(",", ":")))
    with made.table(SIGNED) as floor:
        filed = pozo_run(
            *("floor", "table", "key", SIGNED, PUBLIC, "--supervisor", "Ana", "--technician", "Luis"),
            *("--floor", made.cluster.conninfo(made.database)),
        )
        assert filed.exit_code == 0, filed.output
        with pytest.raises(UnsoundError, match=why):
            floor.report(false[:3])
        with pytest.raises(UnsoundError, match="record 1 is started; a journal begins with"):
            floor.report(rechained(rows[2:5]))
        report_all(floor, rows)
    assert prove_table(Office(made.owner), SIGNED).bad is None


def test_a_proof_goes_on_where_the_last_one_ended(made: Hall, rows: list[Row]) -> None:
    """A stored record is altered after it was proven: the next check does not look there again, `--whole` does."""
    at = heads(rows)[1]
    with made.table(SIGNED) as floor:
        report_all(floor, rows[:at])
        check(made)
        made.rows("UPDATE pozo.records SET wall_ns = wall_ns + 1 WHERE seq = 2 RETURNING 1")
        report_all(floor, rows)
    assert f"signed up to {heads(rows)[-1] - 1}" in check(made).output
    assert "record 2 is not believed (digest)" in check(made, "--whole").output
    made.rows("UPDATE pozo.records SET wall_ns = wall_ns - 1 WHERE seq = 2 RETURNING 1")
    assert "record 2" not in check(made, "--whole").output
    assert made.rows("SELECT * FROM pozo.doubts") == []
    assert made.one("SELECT count(*) FROM pozo.acts WHERE what = 'doubt_ended'") == 1


def test_a_proof_begins_anew_where_the_proven_record_is_gone(made: Hall, rows: list[Row]) -> None:
    """A floor restored from a backup: what was proven is not there any more."""
    with made.table(SIGNED) as floor:
        report_all(floor, rows)
    check(made)
    made.rows("UPDATE pozo.proofs SET digest = 'x' RETURNING 1")
    assert f"signed up to {heads(rows)[-1] - 1}" in check(made).output


def test_a_key_that_nothing_vouches_for_is_believed_once_two_persons_filed_it(
    made: Hall, rows: list[Row]
) -> None:
    """The whole journal under another key than the one filed; then that key is filed too."""
    other = public_of(FORGER)
    event = json.loads(rows[0][6]) | {"device_key": other}
    text = json.dumps(event, separators=(",", ":"))
    theirs = rechained([(*rows[0][:6], text, *rows[0][7:]), *rows[1:]], FORGER)
    with made.table(SIGNED) as floor:
        report_all(floor, theirs)
    made.rows("UPDATE pozo.keys SET key = %s RETURNING 1", PUBLIC)
    assert f"record 1 is not believed (key): record 1 names the key {other}" in check(made).output
    assert report(made).tables == ()
    assert report(made).unbelieved[0].startswith(f"{SIGNED}: records from 1 on (key)")
    Office(made.owner).file_key(SIGNED, other, "Ana", "Luis")
    assert "not believed" not in check(made).output
    assert report(made).tables[0].wagers == 3


def test_a_table_that_is_not_believed_wins_no_linked_pot_until_that_is_settled(made: Hall) -> None:
    made.link()
    player = Player(TABLE)
    with joined(made, player) as floor:
        player.lock(1)
        claim = player.won({1: Hand.STRAIGHT_FLUSH})
        report_all(floor, player.rows)
        made.rows("UPDATE pozo.records SET wall_ns = wall_ns + 1 WHERE seq = 3 RETURNING 1")
        assert "record 3 is not believed" in check(made).output
        with pytest.raises(DoubtedError, match="two persons must settle that first"):
            floor.claim(claim)
        assert alarm_kinds(made) == []
        made.rows("UPDATE pozo.records SET wall_ns = wall_ns - 1 WHERE seq = 3 RETURNING 1")
        check(made, "--whole")
        assert floor.claim(claim).number == 1


def test_a_table_without_a_key_is_said_to_sign_nothing(made: Hall) -> None:
    player = Player(TABLE)
    player.play(1)
    with made.table(TABLE) as floor:
        report_all(floor, player.rows)
    last = len(player.rows)
    assert f"table {TABLE}: {last} records as its rules make them; it has no key" in check(made).output
    assert figures(Office(made.owner), WALL_NS, FOR_EVER).tables[0].unproven == 0
