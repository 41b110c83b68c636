"""What somebody writes into the files of a table that is then recovered, rekeyed or asked for a transfer again."""

import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from controller.clock import VirtualClock
from controller.config import load
from controller.core import events as ev
from controller.core.events import Trusted
from controller.core.game import Fund, Hand
from controller.core.state import Award
from controller.dates import DAY_NS
from controller.drill.world import World
from controller.journal import Entry, ends_of, records
from controller.journal.chain import digest
from controller.journal.read import last_date
from controller.journal.record import columns_of, decode
from controller.recovery import Paper, Request, recover
from controller.recovery.known import known
from controller.signing.device import path_of
from controller.witness.errors import RecoveryRefusedError
from controller.witness.store import Absent, Damaged
from controller.witness.told import told
from controller.witness.verdict import (
    BadJournal,
    GoodJournal,
    JournalLost,
    Lack,
    NoWitness,
    compare,
    proposed,
)
from tests.helpers_cli import own_table, pozo_run
from tests.helpers_process import journal_of
from tests.helpers_signing import PUBLIC
from tests.helpers_table import TABLE
from tests.helpers_witness import a_slot, kept, played, recovered, rows_of
from tests.helpers_world import act, chip, key, press, table
from tests.test_recovery import write_slots

DAMAGED = [b"\xa5" * 100, b"\xa5" * 100]
ROYAL = Award(9, 1, 5, Hand.ROYAL_FLUSH, "main", 900_000_000, Fund.POT)
FOUND_ON_PAPER = Paper({"main": 9_000_000}, round=3, last_award=9, received=(), unpaid=())


def plant(journal: Path, award: Award, received: tuple[str, ...] = ()) -> None:
    """Append a record with a right digest, whose state owes `award`: no key is needed for it."""
    with closing(sqlite3.connect(journal)) as connection:
        row = connection.execute("SELECT * FROM journal ORDER BY seq DESC LIMIT 1").fetchone()
        state = replace(ends_of(journal).last.state, awards=(award,), awards_made=9, received=received)
        event = f'{{"kind":"lamp_test_started","at_ns":{row[2]}}}'
        forged = (row[0] + 1, *row[1:5], "lamp_test_started", event, '[{"kind":"noted"}]')
        forged = (*forged, msgspec.json.encode(state).decode())
        connection.execute(
            "INSERT INTO journal VALUES (?,?,?,?,?,?,?,?,?,?)", (*forged, digest(row[-1], forged))
        )
        connection.commit()


def spoil_digest(journal: Path, seq: int) -> None:
    with closing(sqlite3.connect(journal)) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute("UPDATE journal SET digest = ? WHERE seq = ?", ("0" * 64, seq))
        connection.commit()


@pytest.fixture
def owing() -> Iterator[World]:
    """A table that paid award 1 and owes award 2, its slots bad, its last record spoilt."""
    with played(1) as world:
        key(world, ev.Key.SUPERVISOR, on=True)
        for seat in (2, 3):
            chip(world, seat)
            press(world, ev.Button.COIN_IN)
            act(world, ev.AwardClaimed(0, seat, Hand.FLUSH))
            act(world, ev.AwardsApproved(0))
            if seat == 2:
                act(world, ev.AwardPaid(0, 1, ev.Payment.CASH, signed=True))
                press(world, ev.Button.GAME_OVER)
        assert [(award.number, award.paid) for award in table(world).awards if not award.paid] == [(2, False)]
        world.power_off()
        spoil_digest(world.medium.journal, ends_of(world.medium.journal).last.seq)
        write_slots(world, DAMAGED)
        yield world


def test_an_award_that_nobody_won_is_not_taken_over_with_paper() -> None:
    """Finding 30: one unsigned row with an award of 9,000,000.00, and persons who say that nothing is owed."""
    with played(1) as world:
        world.power_off()
        plant(world.medium.journal, ROYAL, ("forged",))
        write_slots(world, DAMAGED)
        said = known(world.medium.journal, world.places.table_id, PUBLIC)
        assert (said.unpaid, said.last_award, said.received) == ((), 0, ())
        assert [each.unpaid for each in said.hearsay] == [(ROYAL,)]
        recovered(world, Trusted.PAPER, FOUND_ON_PAPER)
        first = ends_of(world.medium.journal).first
        assert (first.state.awards, first.state.received) == ((), ())
        assert isinstance(first.event, ev.JournalRecovered)
        assert any(line.startswith("journal.db, hearsay: record ") for line in first.event.copies)


def test_what_nobody_signed_is_not_taken_silently_either() -> None:
    with played(1) as world:
        world.power_off()
        plant(world.medium.journal, ROYAL)
        write_slots(world, DAMAGED)
        before = kept(world)
        with pytest.raises(
            RecoveryRefusedError, match=r"nobody signed is not taken over: journal.db \(record"
        ):
            recovered(world, Trusted.PAPER, replace(FOUND_ON_PAPER, unpaid=None))
        assert kept(world) == before


def test_a_planted_copy_set_aside_holds_no_recovery_up() -> None:
    """Finding 30: 1,001 transfers and round 10^9 in a file that nobody signed."""
    with played(1) as world:
        world.power_off()
        journal = world.medium.journal
        plant(journal, ROYAL, tuple(str(number) for number in range(1_001)))
        journal.rename(journal.with_name(f"{journal.name}.aside-1"))
        write_slots(world, DAMAGED)
        recovered(world, Trusted.PAPER, FOUND_ON_PAPER)
        assert ends_of(journal).first.state.received == ()


def test_a_chain_broken_early_takes_nothing_away_from_what_is_signed_later(owing: World) -> None:
    spoil_digest(owing.medium.journal, 2)
    said = known(owing.medium.journal, owing.places.table_id, PUBLIC)
    assert [award.number for award in said.unpaid] == [2]


def test_another_device_signs_nothing_here(owing: World) -> None:
    said = known(owing.medium.journal, owing.places.table_id, "00" * 10)
    assert (said.record, len(said.hearsay)) == (None, 1)


@pytest.mark.parametrize(
    ("unpaid", "told"),
    [
        ((), "--unpaid none cannot be: journal.db has it signed .* that award 2:.* is owed"),
        ((Award(1, 2, 2, Hand.FLUSH, "main", 50_000, Fund.POT),), "award 1:2:2:flush:main:.* is not owed"),
        ((Award(2, 3, 3, Hand.FOUR_OF_A_KIND, "main", 100, Fund.POT),), "award 2:.*1,00 is 2:3:3:flush"),
    ],
    ids=["a debt forgotten", "a paid one revived", "another amount"],
)
def test_paper_changes_no_signed_award(owing: World, unpaid: tuple[Award, ...], told: str) -> None:
    """Finding 14."""
    before = kept(owing)
    with pytest.raises(RecoveryRefusedError, match=told):
        recovered(owing, Trusted.PAPER, replace(FOUND_ON_PAPER, round=9, unpaid=unpaid))
    assert kept(owing) == before


def test_a_signed_debt_entered_as_it_is_stays_as_it_is(owing: World) -> None:
    said = known(owing.medium.journal, owing.places.table_id, PUBLIC)
    entered = tuple(replace(award, fund=Fund.HOUSE) for award in said.unpaid)
    recovered(owing, Trusted.PAPER, replace(FOUND_ON_PAPER, round=9, unpaid=entered))
    assert ends_of(owing.medium.journal).first.state.awards == said.unpaid


def test_a_wrong_pin_at_a_rekey_with_the_key_lost_leaves_a_good_journal_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Finding 28: no thief is needed for it."""
    config = own_table(tmp_path, {"pin = []": 'pin = ["supervisor"]'})
    assert pozo_run("commission", "--config", config, "--turn-keys").exit_code == 0
    ana = ("Ana", "--role", "supervisor", "--number", "7")
    added = pozo_run("users", "add", *ana, "--config", config, "--turn-keys", typed="2580\n2580\n")
    assert added.exit_code == 0, added.output
    journal = journal_of(config)
    path_of(journal).unlink()
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    last = ends_of(journal).last
    rekey = (
        "journal",
        "rekey",
        "--config",
        config,
        "--technician",
        "Luis",
        "--reason",
        "lost",
        "--turn-keys",
    )
    wrong = pozo_run(*rekey, typed="Ana\n0000\n")
    assert (wrong.exit_code, "not the PIN of Ana" in wrong.output) == (1, True), wrong.output
    assert ends_of(journal).last == last
    right = pozo_run(*rekey, typed="Ana\n2580\n")
    assert right.exit_code == 0, right.output
    assert waits == [5, 10]
    reasons = [each.event.reason for each in records(journal) if isinstance(each.event, ev.DeviceKeyChanged)]
    assert reasons == ["lost (wrong PINs before, supervisor: 1)"]
    assert pozo_run("journal", "verify", journal).exit_code == 0
    again = pozo_run(*rekey, typed="Ana\n2580\n")
    assert again.exit_code == 0, again.output


def plant_transfer(journal: Path) -> None:
    """Append what a table stores that sent 50,000.00 to another, with a right digest and no signature."""
    with closing(sqlite3.connect(journal)) as connection:
        row = connection.execute("SELECT * FROM journal ORDER BY seq DESC LIMIT 1").fetchone()
        event = ev.TransferSent(row[2], "deadbeefcafe", "main", 5_000_000, "SIM-2", "x")
        made = ev.TransferMade("main", -5_000_000, 5_000_000)
        columns = columns_of(Entry(event, (made,), ends_of(journal).last.state))
        forged = (row[0] + 1, *row[1:5], *columns)
        connection.execute(
            "INSERT INTO journal VALUES (?,?,?,?,?,?,?,?,?,?)", (*forged, digest(row[-1], forged))
        )
        connection.commit()


@pytest.mark.parametrize("aside", [False, True], ids=["in the journal", "in a file beside it"])
def test_no_transfer_that_nobody_sent_is_signed_again(tmp_path: Path, *, aside: bool) -> None:
    """Finding 1."""
    config = own_table(tmp_path)
    assert pozo_run("commission", "--config", config, "--turn-keys").exit_code == 0
    journal, paper = journal_of(config), tmp_path / "x.transfer"
    forged = journal.with_name(f"{journal.name}.aside-9") if aside else journal
    if aside:
        forged.write_bytes(journal.read_bytes())
    plant_transfer(forged)
    again = ("transfer", "again", "deadbeefcafe", paper, "--config", config)
    done = pozo_run(*again, "--turn-keys")
    assert done.exit_code == 1
    assert f"of {forged.name} says so, and this table's key did not sign it" in done.output
    assert not paper.exists()


def test_a_transfer_is_written_again_with_both_keys_and_kept_in_the_journal(tmp_path: Path) -> None:
    config = own_table(tmp_path)
    assert pozo_run("commission", "--config", config, "--turn-keys").exit_code == 0
    first, second = tmp_path / "first", tmp_path / "second"
    words = ("--config", config, "--reason", "x", "--turn-keys")
    assert pozo_run("transfer", "send", "main", "1.00", "SIM-2", first, *words).exit_code == 0
    number = msgspec.json.decode(first.read_bytes())["transfer"]
    done = pozo_run("transfer", "again", number, second, "--config", config, "--turn-keys")
    assert done.exit_code == 0, done.output
    whys = [each.event.why for each in records(journal_of(config)) if isinstance(each.event, ev.Stopped)]
    assert whys[-1] == f"transfer {number} written again"


def test_one_letter_of_the_name_in_the_file_is_no_reason_for_paper(tmp_path: Path) -> None:
    """Finding 22: journal and witness are good and agree, under another name."""
    config = own_table(tmp_path)
    assert pozo_run("commission", "--config", config, "--turn-keys").exit_code == 0
    journal = journal_of(config)
    before = journal.read_bytes()
    table_id = load(str(config)).table_id
    config.write_text(config.read_text().replace(f'id = "{table_id}"', 'id = "C-I"'))
    by = ("--supervisor", "Ana", "--technician", "Luis", "--reason", "x", "--turn-keys")
    paper = ("--trust", "paper", "--level", "main=1.00", "--round", "1", "--last-slip", "0")
    none = ("--received", "none", "--unpaid", "none")
    done = pozo_run("recover", "--config", config, *by, *paper, *none)
    assert done.exit_code == 1
    assert f"journal and witness are both of table {table_id}: nothing is to be recovered" in done.output
    assert "Nothing here is trusted" not in done.output
    assert (journal.read_bytes(), list(tmp_path.rglob("*.aside-*"))) == (before, [])


@pytest.mark.parametrize(("days", "dated"), [(0, True), (3, True), (9, False), (-3, False)])
def test_a_recovery_is_dated_as_any_other_record(days: int, *, dated: bool) -> None:
    """Finding 29: a date that nothing explains does not count because two persons recovered under it."""
    with played(1) as world:
        world.power_off()
        last = last_date(world.medium.journal)
        assert last is not None
        for name in ("slot-a", "slot-b"):
            (world.medium.witness / name).unlink()
        clock = VirtualClock(wall_ns=last + days * DAY_NS)
        request = Request(Trusted.JOURNAL, "Ana", "Luis", "x", filed=PUBLIC)
        recover(world.places, clock, request, world.connect, files=world.medium.files)
        record = ends_of(world.medium.journal).last
        assert record.wall_trusted is dated


@pytest.mark.parametrize("ahead", [True, False])
def test_no_journal_is_called_trusted_while_an_unproven_slot_is_ahead_of_it(
    tmp_path: Path, *, ahead: bool
) -> None:
    """Finding 33: a whole old card beside the true witness."""
    rows = rows_of(tmp_path)
    slot = a_slot(rows[-1 if ahead else 1])
    last = decode(rows[1 if ahead else -1])
    other = GoodJournal(last, {slot.head.seq: "another"} if not ahead else {}, "00" * 32)
    verdict = compare(other, (slot, Absent()), TABLE)
    assert isinstance(verdict, NoWitness)
    assert (proposed(verdict) is None) is ahead
    assert ("The journal is trusted" in told(verdict, str)) is not ahead
    assert ("AHEAD of the journal" in told(verdict, str)) is ahead


def test_a_damaged_half_beside_the_trusted_one_is_said_to_be_perhaps_newer(tmp_path: Path) -> None:
    """Finding 21."""
    slot = a_slot(rows_of(tmp_path)[2])
    lost = BadJournal(Lack.MISSING, "There is no journal")
    half = compare(lost, (slot, Damaged("its digest is wrong")), TABLE, {slot.key})
    assert isinstance(half, JournalLost)
    assert "slot-b is damaged: its digest is wrong. That half may hold NEWER acts" in told(half, str)
    alone = compare(lost, (slot, Absent()), TABLE, {slot.key})
    assert isinstance(alone, JournalLost)
    assert "NEWER" not in told(alone, str)
