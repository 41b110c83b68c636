"""Amounts from paper: refused while a copy is good, and bound by what a bad copy still says."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from click import ClickException
from click.testing import CliRunner
from msgspec.structs import replace

from controller.cli.recover_persons import persons
from controller.clock import VirtualClock
from controller.config import load
from controller.core import events as ev
from controller.core.events import Trusted
from controller.core.game import Hand, Role
from controller.drill.world import World
from controller.journal import ends_of
from controller.recovery import Paper, Request, recover
from controller.recovery.known import known
from controller.witness.errors import RecoveryRefusedError
from tests.helpers_cli import own_table, pozo_run
from tests.helpers_process import journal_of
from tests.helpers_witness import PAPER, kept, lose_journal, played, recovered
from tests.helpers_world import act, chip, key, press, table
from tests.test_recovery import forked, older_journal, write_slots

DAMAGED = [b"\xa5" * 100, b"\xa5" * 131_072]
RECEIVED = "0123abcd"
READ = Paper({"main": 9_000_000}, round=42, last_award=7)


@pytest.mark.parametrize("spoil", [lose_journal, older_journal, forked])
def test_paper_is_refused_while_a_copy_is_good(spoil: Callable[[World], None]) -> None:
    with played(1) as world:
        world.power_off()
        spoil(world)
        before = kept(world)
        with pytest.raises(RecoveryRefusedError, match="paper cannot be trusted here; there is: witness"):
            recovered(world, Trusted.PAPER, PAPER)
        assert kept(world) == before


def tear(journal: Path) -> None:
    """The last record's digest is lost: no start goes on from it, and a person can read it all the same."""
    with closing(sqlite3.connect(journal)) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        connection.execute(
            "UPDATE journal SET digest = ? WHERE seq = (SELECT max(seq) FROM journal)", ("0" * 64,)
        )
        connection.commit()


@pytest.fixture
def torn() -> Iterator[World]:
    """A table that took a transfer in and owes award 1; its journal's last record is false, both slots are bad."""
    with played(1) as world:
        key(world, ev.Key.SUPERVISOR, on=True)
        act(world, ev.TableClosed(0))
        key(world, ev.Key.TECHNICIAN, on=True)
        act(world, ev.TransferReceived(0, RECEIVED, "main", 700, "mvd-07"))
        key(world, ev.Key.TECHNICIAN, on=False)
        act(world, ev.LampTestStarted(0))
        act(world, ev.TableOpened(0))
        chip(world, 2)
        press(world, ev.Button.COIN_IN)
        act(world, ev.AwardClaimed(0, 2, Hand.FLUSH))
        act(world, ev.AwardsApproved(0))
        assert table(world).received == (RECEIVED,)
        assert [award.paid for award in table(world).awards] == [False]
        world.power_off()
        tear(world.medium.journal)
        write_slots(world, DAMAGED)
        yield world


def test_what_a_bad_copy_remembers_is_not_forgotten(torn: World) -> None:
    said = known(torn.medium.journal, torn.places.table_id)
    assert said.record is not None
    recovered(torn, Trusted.PAPER, READ)
    first = ends_of(torn.medium.journal).first
    assert first.state.received == (RECEIVED,)
    assert first.state.awards == said.record.state.awards
    assert first.state.awards_made == 7
    assert isinstance(first.event, ev.JournalRecovered)
    assert "digest of its last record" in first.event.copies[0]
    assert first.event.copies[1].startswith(
        f"journal.db, signed up to: record {said.record.seq}, round 2, locked"
    )
    assert first.event.copies[2].startswith("slot-a: damaged: ")


@pytest.mark.parametrize(
    ("paper", "told"),
    [
        (replace(READ, round=1), "--round 1 cannot be: journal.db has 2; enter 2 or more"),
        (replace(READ, last_award=0), "--last-slip 0 cannot be: journal.db has 1; enter 1 or more"),
    ],
)
def test_no_round_or_slip_number_is_given_twice(torn: World, paper: Paper, told: str) -> None:
    before = kept(torn)
    with pytest.raises(RecoveryRefusedError, match=told):
        recovered(torn, Trusted.PAPER, paper)
    assert kept(torn) == before


def test_other_rules_than_the_last_known_are_accepted_one_by_one_or_not_at_all(torn: World) -> None:
    torn.settings = replace(torn.settings, game=replace(torn.settings.game, release_ms=700))
    old = str(torn.settings.game.release_ms)
    with pytest.raises(RecoveryRefusedError, match=r"release_ms: \d+ -> 700"):
        recovered(torn, Trusted.PAPER, READ)
    request = Request(Trusted.PAPER, "Ana", "Luis", "new card", READ, accept_rules=True)
    recover(torn.places, VirtualClock(), request, torn.connect, files=torn.medium.files)
    first = ends_of(torn.medium.journal).first.event
    assert isinstance(first, ev.JournalRecovered)
    assert [(change.key, change.new) for change in first.changes] == [("release_ms", old)]


def test_where_no_copy_can_be_read_nothing_is_taken_for_granted() -> None:
    with played(1) as world:
        world.power_off()
        lose_journal(world)
        write_slots(world, DAMAGED)
        with pytest.raises(RecoveryRefusedError, match="no copy can be read, so these are to be entered too"):
            recovered(world, Trusted.PAPER, READ)


ANA = "2580"


@pytest.mark.parametrize("junk", [False, True], ids=["a torn journal", "nothing to read"])
def test_a_policy_edited_away_asks_for_pins_all_the_same(tmp_path: Path, *, junk: bool) -> None:
    config = own_table(tmp_path, {"pin = []": 'pin = ["supervisor"]'})
    assert pozo_run("commission", "--config", config, "--turn-keys").exit_code == 0
    words = ("Ana", "--role", "supervisor", "--number", "7", "--config", config, "--turn-keys")
    assert pozo_run("users", "add", *words, typed=f"{ANA}\n{ANA}\n").exit_code == 0
    config.write_text(config.read_text().replace('pin = ["supervisor"]', "pin = []"))
    if junk:
        journal_of(config).write_bytes(b"junk" * 1_000)
    settings = load(str(config))
    assert Role.SUPERVISOR not in settings.game.pin
    said = known(settings.journal, settings.table_id)
    assert (said.record is None) is junk
    request = Request(Trusted.PAPER, "Ana", "Luis", "why", READ)
    with CliRunner().isolation(input="0000\n"), pytest.raises(ClickException, match="not the PIN of Ana"):
        persons(settings, None, request, lambda _ns: None, said)
