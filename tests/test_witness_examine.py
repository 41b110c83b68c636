"""What a look at both copies finds, in the words of whoever must act: each kind of journal, each number and path."""

import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.administer import administer, parameters_changed
from controller.clock import VirtualClock
from controller.drill.play import settings_of
from controller.drill.world import World
from controller.journal import NotCommissionedError, ends_of, verify
from controller.journal.read import recent
from controller.journal.verify import check
from controller.witness import Witness
from controller.witness.examine import Examined, _decided, examine
from controller.witness.verdict import (
    Agreed,
    AllDamaged,
    BadJournal,
    JournalLost,
    Lack,
    NothingTrusted,
    NoWitness,
    Superseded,
)
from tests.helpers_game import with_level
from tests.helpers_signing import FORGER, PUBLIC, public_of, rechained, rows_of
from tests.helpers_table import WALL_NS, chip, new_journal
from tests.helpers_witness import lose_journal, played, recovered, slots
from tests.test_journal_spots import recovery
from tests.test_witness_forged import forge
from tests.test_witness_table import keep_only_first, lose_every_trace_of_the_journal, lose_witness, spoil

NAMES = ("slot-a", "slot-b")
LAST = 14
"""Of one round: 11 GAME OVER, 12 signed, 13 stopped, 14 signed."""


@pytest.fixture
def world() -> Iterator[World]:
    """A table that has played one round and was switched off in order."""
    with played(1) as made:
        made.power_off()
        assert ends_of(made.medium.journal).last.seq == LAST
        yield made


def nobody() -> None:
    """Nobody waits."""


def look(world: World, table: str = "SIM-1", working: Callable[[], None] = nobody) -> Examined:
    return examine(world.medium.journal, table, Witness(world.medium.witness, table), working)


def edit(world: World, sql: str, *values: object) -> None:
    with closing(sqlite3.connect(world.medium.journal, isolation_level=None)) as connection:
        connection.execute(sql, values)


def change(world: World, seq: int) -> None:
    """One record says something else, under its old digest."""
    edit(world, "UPDATE journal SET wall_ns = wall_ns + 1 WHERE seq = ?", seq)


def test_two_whole_copies_agree_and_the_key_in_force_is_the_tables(world: World) -> None:
    found = look(world)
    assert found.verdict == Agreed()
    assert found.keys == {PUBLIC}
    assert found.unproven == ()


def test_a_journal_whose_end_is_spoilt_is_named_with_its_path(world: World) -> None:
    change(world, LAST)
    found = look(world)
    assert isinstance(found.verdict, JournalLost)
    assert isinstance(found.journal, BadJournal)
    assert (found.journal.lack, found.journal.table) == (Lack.DAMAGED, "")
    path = world.medium.journal
    assert found.journal.why.startswith(
        f"{path} is damaged: the digest of its last record ({LAST}) is wrong. "
    )
    assert f"`pozo journal verify {path}`" in found.journal.why


def test_a_journal_of_another_table_is_named_with_its_path_and_both_tables(world: World) -> None:
    found = look(world, "mesa-9").journal
    assert isinstance(found, BadJournal)
    assert (found.lack, found.table) == (Lack.FOREIGN, "SIM-1")
    assert found.why.startswith(
        f"{world.medium.journal} is the journal of table 'SIM-1', this is table 'mesa-9': "
    )


def test_a_journal_that_is_gone_is_told_from_one_that_never_was(world: World) -> None:
    path = world.medium.journal
    lose_journal(world)
    gone = look(world).journal
    assert isinstance(gone, BadJournal)
    assert gone.lack is Lack.MISSING
    assert str(path) in gone.why
    assert "is gone" in gone.why
    lose_every_trace_of_the_journal(world)
    assert look(world).journal == BadJournal(Lack.MISSING, f"There is no journal at {path}")
    lose_witness(world)
    with pytest.raises(NotCommissionedError):
        look(world)


def test_a_record_behind_the_signed_one_that_is_spoilt_is_named_by_its_number(world: World) -> None:
    change(world, LAST - 1)
    assert look(world).journal == BadJournal(
        Lack.DAMAGED,
        f"{world.medium.journal} is damaged at record 13: its content does not give its digest: it was changed",
    )


def test_a_history_under_another_key_is_not_proven_and_not_called_damaged(world: World) -> None:
    path = world.medium.journal
    made = rechained(rows_of(path), FORGER, kept=LAST - 1)
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("DELETE FROM journal")
        connection.executemany(f"INSERT INTO journal VALUES ({', '.join('?' * 10)})", made)
    assert verify(path).bad is None, "the chain itself is whole"
    assert look(world).journal == BadJournal(
        Lack.UNPROVEN,
        f"{path} is not proven from record 14 on (signature: it names the key {public_of(FORGER)}, but {PUBLIC} is in "
        "force): it is not played on. Keep it, and prove it on another machine: `pozo journal verify`",
    )


def test_where_no_slot_is_good_a_flaw_far_back_is_told_with_both_slots(world: World) -> None:
    spoil(world, "slot-a", data=b"short")
    spoil(world, "slot-b")
    assert look(world).verdict == AllDamaged(
        "slot-a is damaged: it has 5 bytes, not 131072, slot-b is damaged: its checksum is wrong"
    )
    change(world, 8)
    bad = BadJournal(
        Lack.DAMAGED,
        f"{world.medium.journal} is damaged at record 8: its content does not give its digest: it was changed",
    )
    found = look(world)
    assert found.journal == bad
    assert found.verdict == NothingTrusted(
        bad, "slot-a is damaged: it has 5 bytes, not 131072, slot-b is damaged: its checksum is wrong"
    )


@pytest.mark.parametrize(("spoilt", "steps"), [(False, 2), (True, 2 + LAST)])
def test_whoever_waits_is_told_that_it_gets_on(
    world: World, monkeypatch: pytest.MonkeyPatch, spoilt: bool, steps: int
) -> None:
    """Records 13 and 14 lie from the signed one on; beside a spoilt witness all are read as well."""
    monkeypatch.setattr(sys.modules[check.__module__], "STEP_RECORDS", 1)
    if spoilt:
        spoil(world, *NAMES)
    told: list[int] = []
    look(world, working=lambda: told.append(1))
    assert len(told) == steps


def test_an_unproven_witness_that_a_recovery_left_behind_is_written_anew_wherever_it_comes_from(
    world: World,
) -> None:
    """The recovery was cut short before it did so, or somebody put the files back: the record still says so."""
    forge(world, *NAMES)
    made_up = slots(world)
    recovered(world)
    for name, data in zip(NAMES, made_up, strict=True):
        (world.medium.witness / name).write_bytes(data)
    found = look(world)
    assert found.verdict == Superseded((0, 1), ends_of(world.medium.journal).last.seq)


def test_what_older_recoveries_left_behind_is_looked_for_only_where_a_slot_objects(world: World) -> None:
    """The search reads the whole history; a start that agrees must not take the longer the longer a table plays."""
    lose_journal(world)
    left = slots(world)
    recovered(world)
    world.power_on(open_table=True)
    world.power_off()
    found = look(world)
    assert found.verdict == Agreed()
    assert getattr(found.journal, "superseded", None) == frozenset()
    (world.medium.witness / "slot-a").write_bytes(left[0])
    again = look(world)
    assert isinstance(again.verdict, Superseded)
    assert again.verdict.slots == (0,)
    assert len(getattr(again.journal, "superseded", ())) == 2


def test_a_commissioning_without_a_marker_and_a_witness_is_not_called_unfinished(world: World) -> None:
    keep_only_first(world)
    lose_witness(world)
    world.medium.journal.with_name("journal.db.id").unlink()
    assert isinstance(look(world).verdict, NoWitness)


def test_what_was_done_last_is_the_last_record_unless_that_only_signs(tmp_path: Path, world: World) -> None:
    with closing(new_journal(tmp_path)) as journal:
        journal.append((recovery(5), chip(1)), WALL_NS, wall_trusted=True)
    for path, seq in ((journal.path, 3), (world.medium.journal, LAST - 1)):
        with closing(sqlite3.connect(path)) as connection:
            assert _decided(connection, ends_of(path).last, path).seq == seq


@pytest.fixture
def closed() -> Iterator[World]:
    """A table that was never opened."""
    with closing(World(settings_of("simulated", {}))) as made:
        made.power_on(open_table=False)
        made.power_off()
        yield made


def test_rules_that_are_at_hand_are_not_looked_for_in_the_history(closed: World) -> None:
    """The record that put them in force lies before the newest signature, and cannot be read any more."""
    edited = with_level(closed.places.game, limit=900_000_000)
    places = replace(closed.places, game=edited)
    act = parameters_changed(places, VirtualClock(), (), supervisor="Ana", technician="Luis")
    administer(places, VirtualClock(), act, both_keys=True, files=closed.medium.files)
    assert [record.kind for record in recent(places.journal, 2)] == ["stopped", "head_signed"]
    assert look(closed).verdict == Agreed()
    edit(closed, "UPDATE journal SET event = '{}' WHERE kind = 'parameters_changed'")
    witness = Witness(closed.medium.witness, "SIM-1")
    assert examine(places.journal, "SIM-1", witness, nobody, edited).verdict == Agreed()
    for known in (None, closed.places.game):
        found = examine(places.journal, "SIM-1", witness, nobody, known)
        assert isinstance(found.journal, BadJournal), "others than those in force are no help"
        assert found.journal.lack is Lack.DAMAGED
