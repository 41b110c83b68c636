"""Two persons bring a table back: each plight, what is trusted, what is refused, what the journal says afterwards."""

from collections.abc import Callable
from contextlib import closing

import pytest
from msgspec.structs import replace

from controller.administer import administer, differences, parameters_changed, rules_in_force
from controller.admit import StrandedError
from controller.clock import VirtualClock
from controller.core import events as ev
from controller.core.events import Trusted
from controller.core.game import Hand
from controller.core.pot import imbalance
from controller.core.state import Phase
from controller.core.table.parameters import REASON_MAX
from controller.drill.world import World
from controller.journal import ends_of, records, verify
from controller.recovery import Paper
from controller.signing.device import key_in_force
from controller.witness.errors import RecoveryRefusedError
from controller.witness.verdict import Plight
from tests.helpers_witness import (
    BASE,
    PAPER,
    PER_WAGER,
    a_round_of,
    journal_files,
    kept,
    lose_journal,
    played,
    pot,
    put_back,
    recovered,
    slots,
)
from tests.helpers_world import act, chip, key, press, stored, table


def write_slots(world: World, data: list[bytes]) -> None:
    world.medium.witness.mkdir(exist_ok=True)
    for name, each in zip(("slot-a", "slot-b"), data, strict=True):
        (world.medium.witness / name).write_bytes(each)


def lose_witness(world: World) -> None:
    for path in world.medium.witness.iterdir():
        path.unlink()


def foreign_witness(world: World) -> None:
    """Another table's second medium was put in; it plays the same game."""
    with closing(World(replace(world.settings, table_id="MESA-9"))) as other:
        other.power_on(open_table=True)
        other.power_off()
        write_slots(world, slots(other))


def older_journal(world: World) -> None:
    """The journal is put back as it was one round ago."""
    then = journal_files(world)
    world.power_on(open_table=True)
    a_round_of(world, 1, 2, 3)
    world.power_off()
    put_back(world, then)


def forked(world: World) -> None:
    """The journal of an evening with one round of three wagers, the witness of one with two rounds of one."""
    journal, witness = journal_files(world), slots(world)
    world.power_on(open_table=True)
    a_round_of(world, 1)
    a_round_of(world, 1)
    world.power_off()
    ours = slots(world)
    put_back(world, journal)
    write_slots(world, witness)
    world.power_on(open_table=True)
    for _ in range(3):
        a_round_of(world, 1, 2, 3)
    world.power_off()
    write_slots(world, ours)


def nothing_good(world: World) -> None:
    lose_journal(world)
    write_slots(world, [b"\xa5" * 100, b"\xa5" * 131_072])


def stranded(world: World) -> Plight:
    """What a start says; the power is off again afterwards."""
    world.power_on(open_table=True)
    assert world.stranded is not None
    found = world.stranded.plight
    world.power_off()
    return found


PLIGHTS: dict[str, tuple[Callable[[World], None], Plight, Trusted | None, int, int, bool]] = {
    "witness gone": (lose_witness, Plight.NO_WITNESS, None, 2, 2, True),
    "witness of another table": (foreign_witness, Plight.NO_WITNESS, None, 2, 2, True),
    "journal older": (older_journal, Plight.JOURNAL_BEHIND, None, 5, 3, True),
    "journal gone": (lose_journal, Plight.JOURNAL_LOST, None, 2, 2, False),
    "forked, the witness": (forked, Plight.FORKED, Trusted.WITNESS, 4, 4, False),
    "forked, the journal": (forked, Plight.FORKED, Trusted.JOURNAL, 11, 5, True),
}
"""What happened, what the start says, the choice, then the wagers in the pot, the open round, and whether the chain
goes on."""


@pytest.mark.parametrize("case", PLIGHTS)
def test_a_table_goes_on_from_what_two_persons_trust(case: str) -> None:
    spoil, plight, choice, wagers, round_number, goes_on = PLIGHTS[case]
    with played(1) as world:
        world.power_off()
        spoil(world)
        assert stranded(world) is plight
        done = recovered(world, choice)
        world.power_on(open_table=True)
        assert world.stranded is None
        assert pot(world) == BASE + wagers * PER_WAGER
        assert (table(world).phase, table(world).round) == (Phase.OPEN, round_number)
        assert table(world).faults == ()
        (record,) = stored(world, ev.JournalRecovered)
        event = record.event
        assert isinstance(event, ev.JournalRecovered)
        assert record.seq == done.seq or record.seq == done.seq - 1, "its signature may follow it"
        assert (record.seq > 1) is goes_on
        assert (event.supervisor, event.technician, event.reason) == ("Ana", "Luis", "a new card")
        assert event.found == plight
        assert event.table == "SIM-1"
        a_round_of(world, 7)
        assert pot(world) == BASE + (wagers + 1) * PER_WAGER
        world.power_off()
        assert verify(world.medium.journal).bad is None
        world.power_on(open_table=True)
        assert world.stranded is None


def test_the_phase_lamps_and_debts_are_those_of_the_trusted_state() -> None:
    """The journal is lost in the middle of a round with an approved award that nobody was paid yet."""
    with played(1) as world:
        chip(world, 2, 5)
        press(world, ev.Button.COIN_IN)
        act(world, ev.AwardClaimed(0, 2, Hand.FLUSH))
        key(world, ev.Key.SUPERVISOR, on=True)
        act(world, ev.AwardsApproved(0))
        before = table(world)
        world.power_cut()
        lose_journal(world)
        assert stranded(world) is Plight.JOURNAL_LOST
        recovered(world)
        world.power_on(open_table=True)
        after = table(world)
        assert (after.phase, after.round, after.awards, after.pot) == (
            before.phase,
            before.round,
            before.awards,
            before.pot,
        )
        assert [seat.wager for seat in after.seats] == [seat.wager for seat in before.seats]
        assert after.recovered
        assert not world.hal.outputs["slots"]


def test_a_new_journal_begins_with_the_rules_and_a_key_that_signs_it() -> None:
    with played(1) as world:
        public = key_in_force(world.medium.journal)
        world.power_off()
        lose_journal(world)
        recovered(world)
        first = ends_of(world.medium.journal).first
        assert isinstance(first.event, ev.JournalRecovered)
        assert first.event.device_key == public
        assert rules_in_force(world.medium.journal)["profile"] == world.settings.game.profile
        assert key_in_force(world.medium.journal) == public
        assert [record.kind for record in records(world.medium.journal)] == [
            "journal_recovered",
            "head_signed",
        ]


def test_a_key_that_is_gone_too_is_made_anew() -> None:
    with played(1) as world:
        public = key_in_force(world.medium.journal)
        world.power_off()
        lose_journal(world)
        world.medium.journal.with_name("journal.db.key").write_bytes(b"junk")
        recovered(world)
        assert key_in_force(world.medium.journal) not in {"", public}
        assert world.medium.journal.with_name("journal.db.key.aside-1").read_bytes() == b"junk"
        world.power_on(open_table=True)
        assert world.stranded is None


def test_what_is_not_trusted_is_kept_under_another_name_byte_for_byte() -> None:
    with played(1) as world:
        world.power_off()
        forked(world)
        folder = world.medium.journal.parent
        before = {path.name: data for path, data in kept(world).items()}
        done = recovered(world, Trusted.WITNESS)
        assert {"slot-a.aside-1", "slot-b.aside-1", "journal.db.aside-1"} <= set(done.aside)
        assert (folder / "journal.db.aside-1").read_bytes() == before["journal.db"]
        for name in ("slot-a", "slot-b"):
            assert (world.medium.witness / f"{name}.aside-1").read_bytes() == before[name]
        assert verify(folder / "journal.db.aside-1").bad is None
        lose_journal(world)
        again = recovered(world)
        assert "slot-a.aside-2" in again.aside
        assert not (folder / "journal.db.aside-2").exists(), "there was none to set aside"


def test_a_damaged_journal_is_set_aside_with_its_log() -> None:
    with played(1) as world:
        world.power_cut()
        path = world.medium.journal
        log = path.with_name("journal.db-wal")
        path.write_bytes(b"\xa5" * 4_096)
        log.write_bytes(b"\x5a" * 4_096)
        assert stranded(world) is Plight.JOURNAL_LOST
        done = recovered(world)
        assert {"journal.db.aside-1", "journal.db.aside-1-wal"} <= set(done.aside)
        assert path.with_name("journal.db.aside-1-wal").read_bytes() == b"\x5a" * 4_096
        assert ends_of(path).first.kind == "journal_recovered"


def test_from_paper_no_unit_is_unexplained_and_no_number_is_given_twice() -> None:
    with played(1) as world:
        world.power_off()
        nothing_good(world)
        assert stranded(world) is Plight.NOTHING_TRUSTED
        recovered(world, Trusted.PAPER, PAPER, reason="report of the 3rd, slips 1 to 7")
        world.power_on(open_table=True)
        after = table(world)
        assert (after.phase, after.round, after.awards_made) == (Phase.CLOSED, 42, 7)
        (level,) = after.pot.levels
        assert (level.current, level.house_funding, level.corrections) == (
            12_345_678,
            BASE,
            12_345_678 - BASE,
        )
        assert imbalance(after.pot) == 0
        (made,) = [each for each in stored(world)[0].results if isinstance(each, ev.CorrectionMade)]
        assert made == ev.CorrectionMade("main", BASE, 12_345_678)
        assert verify(world.medium.journal).bad is None


@pytest.mark.parametrize(
    ("spoil", "choice", "paper", "words"),
    [
        (lose_witness, Trusted.WITNESS, None, "witness cannot be trusted here; there is: journal"),
        (lose_witness, Trusted.PAPER, PAPER, "paper cannot be trusted here"),
        (lose_journal, Trusted.JOURNAL, None, "journal cannot be trusted here; there is: witness"),
        (older_journal, Trusted.JOURNAL, None, "journal cannot be trusted here"),
        (forked, None, None, "compare both with the paper, then say --trust journal or --trust witness"),
        (nothing_good, None, None, "one --level NAME=AMOUNT for each level"),
        (nothing_good, Trusted.WITNESS, None, "witness cannot be trusted here; there is: paper"),
        (nothing_good, None, Paper({}, 1, 0, (), ()), "enter one amount for each level: main"),
        (
            nothing_good,
            None,
            Paper({"main": 1, "mini": 2}, 1, 0, (), ()),
            "enter one amount for each level: main",
        ),
        (
            nothing_good,
            None,
            Paper({"main": -1}, 1, 0, (), ()),
            "-1 minor units; it takes 0 to 1000000000, its limit",
        ),
        (
            nothing_good,
            None,
            Paper({"main": 1_000_000_001}, 1, 0, (), ()),
            "it takes 0 to 1000000000, its limit",
        ),
        (nothing_good, None, Paper({"main": 1}, 0, 0, (), ()), "rounds count from 1"),
        (nothing_good, None, Paper({"main": 1}, 1, -1, (), ()), "awards from 0"),
        (lose_journal, Trusted.WITNESS, PAPER, "amounts are entered with --trust paper, and only with it"),
    ],
)
def test_what_does_not_fit_is_refused_and_changes_nothing(
    spoil: Callable[[World], None], choice: Trusted | None, paper: Paper | None, words: str
) -> None:
    with played(1) as world:
        world.power_off()
        spoil(world)
        before = kept(world)
        with pytest.raises(RecoveryRefusedError, match=words):
            recovered(world, choice, paper)
        assert kept(world) == before


def test_a_table_that_plays_is_not_recovered() -> None:
    with played(1) as world:
        world.power_off()
        before = kept(world)
        with pytest.raises(RecoveryRefusedError, match="there is nothing to recover"):
            recovered(world)
        assert kept(world) == before


@pytest.mark.parametrize("reason", ["", "   ", "x" * (REASON_MAX + 1)])
def test_a_recovery_needs_a_reason(reason: str) -> None:
    with played(1) as world:
        world.power_off()
        lose_journal(world)
        with pytest.raises(RecoveryRefusedError, match="a reason is needed"):
            recovered(world, reason=reason)


def test_other_rules_than_the_trusted_state_was_made_under_are_refused() -> None:
    with played(1) as world:
        world.power_off()
        lose_journal(world)
        before = kept(world)
        world.settings = replace(world.settings, game=replace(world.settings.game, wager=2_000))
        with pytest.raises(
            RecoveryRefusedError, match="put back the configuration and profile that were in force"
        ):
            recovered(world)
        assert kept(world) == before
        with pytest.raises(RecoveryRefusedError, match="paper cannot be trusted here; there is: witness"):
            recovered(world, Trusted.PAPER, PAPER)
        assert kept(world) == before


def test_rules_that_changed_in_the_lost_part_are_in_force_after_the_recovery() -> None:
    """The journal is put back from before a change of rules that the witness knows of."""
    with played(1) as world:
        key(world, ev.Key.SUPERVISOR, on=True)
        act(world, ev.TableClosed(0))
        key(world, ev.Key.SUPERVISOR, on=False)
        world.power_off()
        then = journal_files(world)
        world.settings = replace(world.settings, game=replace(world.settings.game, release_ms=700))
        clock = VirtualClock()
        changes = differences(rules_in_force(world.medium.journal), world.settings.game)
        change = parameters_changed(world.places, clock, changes, supervisor="Ana", technician="Luis")
        administer(world.places, clock, change, both_keys=True, files=world.medium.files)
        put_back(world, then)
        assert stranded(world) is Plight.JOURNAL_BEHIND
        recovered(world)
        assert rules_in_force(world.medium.journal)["release_ms"] == 700
        world.power_on(open_table=True)
        assert world.stranded is None


def test_an_administrators_act_is_refused_where_the_copies_disagree() -> None:
    with played(1) as world:
        world.power_off()
        older_journal(world)
        before = kept(world)
        act_ = ev.PotCorrected(0, "main", 1, "why")
        with pytest.raises(StrandedError, match="The witness is trusted: record"):
            administer(world.places, VirtualClock(), act_, both_keys=True, files=world.medium.files)
        assert kept(world) == before
