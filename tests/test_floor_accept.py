"""A journal that began anew, or went on from an older record: refused until two persons accept it; nothing is lost."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path

import msgspec
import pytest
from click.testing import Result
from msgspec.structs import replace

from controller.core import events as ev
from controller.core.events.witness import JournalRecovered, Trusted
from controller.core.game import Hand
from controller.core.state import Table
from controller.core.table import recovered
from controller.floor import ForkedError, UnsoundError
from controller.floor.accept import Persons, accept
from controller.floor.figures import TableFigures, figures
from controller.floor.office import House, Office
from controller.floor.proof import prove_table
from controller.floor.reconcile import reconcile
from controller.journal import ends_of
from controller.journal.read import page
from controller.journal.record import Row
from controller.signing.device import key_in_force
from tests.helpers_cli import own_table, pozo_run
from tests.helpers_floor import Hall, Player, alarm_kinds, amounts, hall, joined, report_all
from tests.helpers_game import key
from tests.helpers_link import store, wired

TABLE = "mvd-07"
BOTH = Persons("Ana", "Luis", "card broken")


@pytest.fixture
def made() -> Iterator[Hall]:
    with hall() as found:
        Office(found.owner).init(House("Casino", "UTC", "08:00"))
        yield found


class Again(Player):
    """A table brought back by two persons: its new journal begins, behind `begun`, with a state that a copy had."""

    def __init__(self, state: Table, game_of: Player, begun: Sequence[Row] = (), **changes: object) -> None:
        self.table_id = game_of.table_id
        self.game = game_of.game
        self.rows = list(begun)
        self.results = []
        self.table, results = recovered(state)
        rules = msgspec.json.encode(self.game).decode()
        event = JournalRecovered(
            at_ns=0,
            table=self.table_id,
            game=sha256(rules.encode()).hexdigest(),
            rules=rules,
            trusted=Trusted.WITNESS,
            found="the journal is gone",
            journal=None,
            witness=(),
            aside=(),
            supervisor="Ana",
            technician="Luis",
            reason="card broken",
        )
        self._store(replace(event, **changes), results)


def evening(rounds: int = 2) -> Player:
    """Rounds of two wagers."""
    player = Player(TABLE)
    for _ in range(rounds):
        player.play(1, 2)
    return player


def table_of(made: Hall) -> TableFigures:
    (table,) = figures(Office(made.owner), 0, 2**62).tables
    return table


def accept_command(made: Hall, journal: Path, *options: str) -> Result:
    persons = ("--supervisor", "Ana", "--technician", "Luis", "--reason", "card broken")
    where = ("--floor", made.cluster.conninfo(made.database))
    return pozo_run("floor", "accept", TABLE, "--journal", str(journal), *persons, *options, *where)


def test_a_journal_that_began_anew_is_refused_until_two_persons_accept_it(made: Hall, tmp_path: Path) -> None:
    """2 + 3 rounds of two wagers: the table's link stops with words, then sends all, and every report counts both."""
    old = evening(2)
    with wired(tmp_path, made, old) as wire:
        wire.until_idle()
        new = Again(old.table, old)
        for _ in range(3):
            new.play(1, 2)
        wire.journal.unlink()
        store(wire.journal, new.rows)
        wire.player = new
        assert "the floor has record" in wire.until_trouble()
        assert made.one("SELECT count(*) FROM pozo.records") == len(old.rows)
        done = accept_command(made, wire.journal)
        assert done.exit_code == 0, done.output
        assert (
            f"journal number 2 behind record 0; {len(old.rows)} records of the one before are kept"
            in done.output
        )
        wire.until_idle()
        wire.exact()
        assert made.one("SELECT count(*) FROM pozo.records") == len(old.rows) + len(new.rows)
    table = table_of(made)
    assert (table.rounds, table.wagers, table.wagered, table.differences) == (5, 10, 10_000, ())
    assert (table.contributed, table.liability) == (5_000, 10_005_000)
    assert made.rows("SELECT detail ->> 'supervisor' FROM pozo.acts WHERE what = 'accept_history'") == [
        ("Ana",)
    ]
    assert prove_table(Office(made.owner), TABLE).bad is None


def test_each_journal_of_a_table_reconciles_by_itself(made: Hall, tmp_path: Path) -> None:
    """The floor compares the journal it takes now; the older one is another history."""
    old = evening()
    new = Again(old.table, old)
    new.play(3)
    files = {
        name: store(tmp_path / name, rows) for name, rows in (("old.db", old.rows), ("new.db", new.rows))
    }
    office = Office(made.owner)
    with made.table(TABLE) as floor:
        report_all(floor, old.rows)
        accept(office, TABLE, files["new.db"], BOTH)
        assert floor.head() == (0, "0" * 64)
        report_all(floor, new.rows)
        with pytest.raises(ForkedError):
            floor.report(old.rows)
    found = reconcile(office, files["new.db"], TABLE)
    assert found.agrees, found
    assert {line.name: line.floor for line in found.lines}["rounds"] == 1
    assert "another one at the floor" in reconcile(office, files["old.db"], TABLE).flaw


def test_money_that_a_recovery_forgot_is_in_no_report_as_a_difference(made: Hall, tmp_path: Path) -> None:
    """The copy was a round older than the floor: 2 + 2 wagers happened, though the new journal's meters begin at 2."""
    old = evening(1)
    state = old.table
    old.play(3, 4)
    new = Again(state, old)
    with made.table(TABLE) as floor:
        report_all(floor, old.rows)
        accept(Office(made.owner), TABLE, store(tmp_path / "new.db", new.rows), BOTH)
        new.play(5)
        report_all(floor, new.rows)
    table = table_of(made)
    assert (table.wagers, table.differences, table.liability) == (5, (), 10_001_500)


@pytest.mark.parametrize(
    ("supervisor", "technician", "reason", "why"),
    [
        ("Ana", " ANA", "x", "not two persons"),
        ("Ana", "", "x", "not two persons"),
        ("Ana", "Luis", " ", "a reason is needed"),
    ],
)
def test_one_person_accepts_nothing(
    made: Hall, tmp_path: Path, *, supervisor: str, technician: str, reason: str, why: str
) -> None:
    old = evening()
    journal = store(tmp_path / "new.db", Again(old.table, old).rows)
    with made.table(TABLE) as floor:
        report_all(floor, old.rows)
    where = ("--floor", made.cluster.conninfo(made.database))
    persons = ("--supervisor", supervisor, "--technician", technician, "--reason", reason)
    done = pozo_run("floor", "accept", TABLE, "--journal", str(journal), *persons, *where)
    assert (done.exit_code, why in done.output) == (1, True), done.output
    assert made.one("SELECT count(*) FROM pozo.histories") == 1


def refused(made: Hall, journal: Path, why: str) -> None:
    done = accept_command(made, journal)
    assert (done.exit_code, why in done.output) == (1, True), done.output
    assert made.one("SELECT count(*) FROM pozo.histories WHERE history > 1") == 0


def test_what_cannot_take_the_old_journals_place_is_refused_with_words(made: Hall, tmp_path: Path) -> None:
    old = evening()
    with made.table(TABLE) as floor:
        report_all(floor, old.rows)
    refused(made, store(tmp_path / "same.db", old.rows), "all of it is here: the journal is older")
    refused(made, store(tmp_path / "older.db", old.rows[:9]), "ends at record 9")
    fresh = Player(TABLE)
    fresh.play(7)
    fresh.play(6)
    refused(made, store(tmp_path / "fresh.db", fresh.rows), "is no recovery")
    other = Again(old.table, Player("mvd-99"))
    refused(made, store(tmp_path / "other.db", other.rows), "is the journal of table 'mvd-99'")
    old.play(3)
    refused(made, store(tmp_path / "longer.db", old.rows), "there is nothing to accept")
    spoilt = [*old.rows[:3], (*old.rows[3][:-1], "0" * 64), *old.rows[4:]]
    refused(made, store(tmp_path / "spoilt.db", spoilt), "is not proven: record 4 (digest)")


def test_only_the_journal_that_was_shown_comes_in(made: Hall, tmp_path: Path) -> None:
    """Between the persons' word and the table's next report nobody slips in a journal of his own."""
    old = evening()
    new, thiefs = Again(old.table, old), Again(old.table, old, reason="mine")
    with made.table(TABLE) as floor:
        report_all(floor, old.rows)
        accept(Office(made.owner), TABLE, store(tmp_path / "new.db", new.rows), BOTH)
        with pytest.raises(UnsoundError, match="two persons accepted a journal that goes on with"):
            floor.report(thiefs.rows)
        assert alarm_kinds(made) == [("unsound", 1)]
        report_all(floor, new.rows)


def test_a_lost_card_comes_back_with_the_commands_once_its_new_key_is_filed(
    made: Hall, tmp_path: Path
) -> None:
    """`pozo recover` after journal and key were lost: a new journal and a new key; the floor refuses both."""
    file = own_table(tmp_path)
    assert pozo_run("commission", "--config", file, "--turn-keys").exit_code == 0
    journal, table = tmp_path / "mesa.db", "SIM-1"
    where = ("--floor", made.cluster.conninfo(made.database))
    persons = ("--supervisor", "Ana", "--technician", "Luis")
    with made.table(table) as floor:
        report_all(floor, page(journal, 0))
        before, filed_key = floor.head().seq, key_in_force(journal)
        for tail in ("", "-wal", "-shm", ".id", ".key"):
            journal.with_name(journal.name + tail).unlink(missing_ok=True)
        done = pozo_run(
            "recover",
            "--config",
            file,
            *persons,
            "--reason",
            "card lost",
            "--turn-keys",
            "--filed-key",
            filed_key,
        )
        assert done.exit_code == 0, done.output
        with pytest.raises(ForkedError):
            floor.report(page(journal, 0))
        accepting = (
            "floor",
            "accept",
            table,
            "--journal",
            journal,
            *persons,
            "--reason",
            "card lost",
            *where,
        )
        assert "file it first as it is on paper" in pozo_run(*accepting).output
        filed = pozo_run("floor", "table", "key", table, key_in_force(journal), *persons, *where)
        assert filed.exit_code == 0, filed.output
        done = pozo_run(*accepting)
        assert f"{before} records of the one before are kept" in done.output, done.output
        report_all(floor, page(journal, 0))
    checked = pozo_run("floor", "check", *where)
    assert (
        f"table {table}: {ends_of(journal).last.seq} records as its rules make them, signed up to"
        in checked.output
    )
    assert made.rows("SELECT how FROM pozo.keys ORDER BY at") == [("reported",), ("filed",)]


def forged_tail(made: Hall) -> tuple[Player, list[int]]:
    """An honest round at the floor, and behind it two rounds of seven wagers that a thief made up with the login."""
    made.link()
    honest = evening(1)
    thief = evening(1)
    with joined(made, honest) as floor:
        thief.play(1, 2, 3, 4, 5, 6, 7)
        thief.play(1, 2, 3, 4, 5, 6, 7)
        report_all(floor, thief.rows)
    honest.play(3)
    honest.lock(4)
    return honest, [len(evening(1).rows), len(thief.rows)]


def test_records_forged_at_the_floor_are_set_aside_and_the_table_goes_on(made: Hall, tmp_path: Path) -> None:
    """2 honest wagers, 14 forged, 1 + 1 honest: reports count 4; the link keeps what it was told, to be corrected."""
    honest, (common, last) = forged_tail(made)
    claim = honest.won({4: Hand.STRAIGHT_FLUSH})
    honest.end()
    journal = store(tmp_path / "true.db", honest.rows)
    with made.as_(TABLE, TABLE) as floor:
        with pytest.raises(ForkedError):
            floor.report(honest.rows)
        refused(
            made,
            journal,
            f"record {common + 1} of {journal} is no recovery, and the floor has {last - common} other",
        )
        done = accept_command(made, journal, "--set-aside")
        assert done.exit_code == 0, done.output
        assert (
            f"behind record {common}; {last - common} records of the one before are set aside" in done.output
        )
        assert "link main holds its part of 14000 minor units staked in them" in done.output
        assert floor.head() == (common, honest.rows[common - 1][-1])
        report_all(floor, honest.rows)
        report_all(floor, honest.rows[common - 2 :])
        table = table_of(made)
        assert (table.rounds, table.wagers, table.left_out, table.differences) == (3, 4, last - common, ())
        assert not figures(Office(made.owner), 0, 2**62).sound
        assert prove_table(Office(made.owner), TABLE).bad is None
        assert made.rows("SELECT staked FROM pozo.members") == [(2_000 + 14_000 + 2_000,)]
        assert amounts(floor.claim(claim)) == [1_000_900]
        assert floor.claim(claim) == floor.claim(claim)
        assert made.sound()
    found = reconcile(Office(made.owner), journal, TABLE)
    assert found.agrees, found


def test_a_wager_accepted_before_a_recovery_wins_after_it_and_once(made: Hall, tmp_path: Path) -> None:
    """Round 2 is locked in the old journal; the hand is shown after the recovery. 3 wagers of 10.00."""
    made.link()
    old = evening(1)
    with joined(made, old) as floor:
        old.lock(3)
        report_all(floor, old.rows)
        new = Again(old.table, old)
        accept(Office(made.owner), TABLE, store(tmp_path / "new.db", new.rows), BOTH)
        claim = new.won({3: Hand.STRAIGHT_FLUSH})
        report_all(floor, new.rows)
        floor.join("main", claim.rules, 1)
        assert amounts(floor.claim(claim)) == [1_000_150]
        new.end()
        new.play(1)
        report_all(floor, new.rows)
        assert floor.claim(claim) == floor.claim(claim)
        assert made.rows("SELECT from_seq, until_seq, staked FROM pozo.members ORDER BY from_seq") == [
            (1, len(old.rows), 3_000),
            (len(old.rows) + 1, None, 1_000),
        ]
        assert made.rows("SELECT round, ended_seq IS NULL FROM pozo.rounds ORDER BY seq") == [
            (1, False),
            (2, False),
            (3, False),
        ]
        assert made.sound()


def test_an_award_number_given_again_after_a_recovery_is_another_award(made: Hall, tmp_path: Path) -> None:
    """The copy did not know award 1 yet; the new journal gives number 1 to another, and pays it."""
    old = evening(1)
    state = old.table
    old.lock(1)
    old.won({1: Hand.FLUSH})
    new = Again(state, old)
    with made.table(TABLE) as floor:
        report_all(floor, old.rows)
        accept(Office(made.owner), TABLE, store(tmp_path / "new.db", new.rows), BOTH)
        new.lock(2)
        new.won({2: Hand.FLUSH})
        new.do(ev.AwardPaid(50, 1, ev.Payment.CASH, signed=True), key(on=False))
        report_all(floor, new.rows)
    assert made.rows("SELECT number, seat, paid_seq IS NOT NULL FROM pozo.awards ORDER BY seq") == [
        (1, 1, False),
        (1, 2, True),
    ]


def test_a_table_first_met_after_its_recovery_begins_there(made: Hall) -> None:
    """The floor is new and the table is old: its meters of before are no difference."""
    old = evening(4)
    new = Again(old.table, old)
    new.play(1)
    with made.table(TABLE) as floor:
        report_all(floor, new.rows)
    table = table_of(made)
    assert (table.wagers, table.differences, table.contributed) == (1, (), 500)
