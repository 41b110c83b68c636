"""A whole table with its second copy: what is in it when, what becomes of a failed write, and every kind of start."""

import json
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import get_args

import pytest

from controller.core import events as ev
from controller.core.faults import FaultCode
from controller.core.state import Phase
from controller.drill.play import settings_of
from controller.drill.statements import Part
from controller.drill.world import World
from controller.journal import Entry, ends_of
from controller.outputs import Lamp
from controller.witness import Slot, Witness, significant
from controller.witness.significant import EVENTS, RESULTS
from controller.witness.slot import SLOT_BYTES, decode_slot
from controller.witness.verdict import Plight
from tests.helpers_signing import SEED, signature_of
from tests.helpers_table import a_table
from tests.helpers_witness import (
    BASE,
    PER_WAGER,
    a_round_of,
    journal_files,
    kept,
    lose_journal,
    played,
    pot,
    put_back,
    slot_file,
    slots,
)
from tests.helpers_world import SECOND, act, chip, intact, lamp, press, stored, table

ROUTINE = {
    ev.WagerPlaced,
    ev.ChipExcess,
    ev.ChipLate,
    ev.ChipIgnored,
    ev.ChipTested,
    ev.ButtonTested,
    ev.PotRaised,
    ev.PotReset,
    ev.DiscrepancyLeftOpen,
    ev.ClaimExcluded,
    ev.CardsAgree,
    ev.CardsJudged,
    ev.FaultRaised,
    ev.FaultCleared,
    ev.Recovered,
    ev.TurnPassed,
    ev.LastRound,
    ev.ShoeOver,
    ev.Noted,
    ev.Refused,
}
"""Results that wait for the next significant record, or never come without one."""


def newest(world: World) -> Slot:
    """The newest record in the witness, as another process reads it."""
    found = Witness(world.medium.witness, world.settings.table_id).look()
    return max((slot for slot in found if isinstance(slot, Slot)), key=lambda slot: slot.serial)


def off(world: World) -> None:
    world.power_off()


def cut(world: World) -> None:
    world.power_cut()


def on(world: World) -> None:
    world.power_on(open_table=True)


def test_every_result_there_is_was_judged_significant_or_routine() -> None:
    assert set(get_args(ev.AnyResult)) == RESULTS | ROUTINE
    assert not RESULTS & ROUTINE
    assert set(get_args(ev.AnyEvent)) > EVENTS


def test_one_significant_record_makes_a_batch_significant() -> None:
    routine = Entry(ev.ChipDropped(1, 1), (ev.WagerPlaced(1),), a_table(1))
    locked = Entry(ev.CoinInPressed(2), (ev.RoundLocked(1, (1,), 1_000),), a_table(1))
    refused = Entry(ev.CoinInPressed(2), (ev.Refused(ev.Refusal.WRONG_PHASE),), a_table(1))
    assert significant([routine, locked, routine])
    assert not significant([routine, refused])
    assert significant([Entry(ev.Stopped(1, "x"), (ev.Noted(),), a_table())])


def test_the_witness_has_the_journals_newest_significant_record_with_its_whole_state() -> None:
    with played(0) as world:
        chip(world, 1, 3)
        before = newest(world)
        press(world, ev.Button.COIN_IN)
        locked = newest(world)
        assert before.record.state.phase is Phase.OPEN
        assert before.head.seq < locked.head.seq
        last = stored(world, ev.CoinInPressed)[-1]
        assert (locked.record.seq, locked.record.digest, locked.record.state) == (
            last.seq,
            last.digest,
            last.state,
        )
        assert locked.record.state.pot.levels[0].current == BASE + 2 * PER_WAGER
        press(world, ev.Button.GAME_OVER)
        assert newest(world).record.state.round == 2
        serial = newest(world).serial
        chip(world, 5)
        assert newest(world).serial == serial, "a chip alone is no second write"


def test_the_witness_is_written_after_the_lamps_not_before() -> None:
    with played(0) as world:
        chip(world, 1)
        seen: list[bool] = []
        write = world.medium.files.overwrite

        def watched(path: Path, data: bytes) -> None:
            seen.append(lamp(world, 1) is Lamp.ACCEPTED)
            write(path, data)

        world.medium.files.overwrite = watched  # type: ignore[method-assign]
        press(world, ev.Button.COIN_IN)
        assert seen
        assert all(seen)


def test_a_lost_witness_ends_nothing_that_has_begun_and_begins_nothing_new() -> None:
    with played(0) as world:
        chip(world, 1, 2)
        world.break_part(Part.WITNESS, broken=True)
        press(world, ev.Button.COIN_IN)
        assert table(world).phase is Phase.LOCKED
        assert [fault.code for fault in table(world).faults] == [FaultCode.WITNESS_LOST]
        assert not world.hal.outputs["slots"]
        assert lamp(world, 1) is Lamp.ACCEPTED
        assert any("NO SE GUARDA LA SEGUNDA COPIA" in line for line in world.hal.screen)
        press(world, ev.Button.GAME_OVER)
        assert table(world).phase is Phase.OPEN
        assert not world.hal.outputs["slots"]
        chip(world, 4)
        assert table(world).seats[3].late == 1
        assert act(world, ev.FaultClearAsked(0, FaultCode.WITNESS_LOST)) == (
            ev.Refused(ev.Refusal.FAULT_PERSISTS),
        )
        assert len(stored(world, ev.WitnessLost)) == 1, "told once, however often it is tried"


def test_a_witness_that_can_be_written_again_clears_its_fault_within_a_second() -> None:
    with played(1) as world:
        world.break_part(Part.WITNESS, broken=True)
        a_round_of(world, 1)
        chip(world, 6)
        world.break_part(Part.WITNESS, broken=False)
        world.pass_time(SECOND + SECOND // 10)
        assert table(world).faults == ()
        assert world.hal.outputs["slots"]
        assert len(stored(world, ev.WitnessFound)) == 1
        found = newest(world).record
        assert found.state.round == 3
        assert found.state.seats[5].late == 1, "what came after the first failure is in it too"
        a_round_of(world, 2)
        assert newest(world).record.state.round == 4


def test_a_witness_that_fails_at_the_last_moment_is_told_in_the_journals_last_record() -> None:
    with played(1) as world:
        world.break_part(Part.WITNESS, broken=True)
        off(world)
        assert ends_of(world.medium.journal).last.kind == "witness_lost"
        world.break_part(Part.WITNESS, broken=False)
        on(world)
        assert table(world).faults == ()


def test_a_start_with_a_witness_that_cannot_be_written_plays_nothing_until_it_can() -> None:
    with played(1) as world:
        cut(world)
        world.break_part(Part.WITNESS, broken=True)
        on(world)
        assert [fault.code for fault in table(world).faults] == [FaultCode.WITNESS_LOST]
        assert not world.hal.outputs["slots"]
        world.break_part(Part.WITNESS, broken=False)
        world.pass_time(2 * SECOND)
        assert world.hal.outputs["slots"]


@pytest.mark.parametrize("part", [Part.DISK_FULL, Part.JOURNAL])
def test_a_witness_lost_while_nothing_can_be_journaled_is_told_once_it_can(part: Part) -> None:
    with played(1) as world:
        cut(world)
        world.break_part(Part.WITNESS, broken=True)
        on(world)
        world.break_part(part, broken=True)
        chip(world, 1)
        world.break_part(Part.WITNESS, broken=False)
        world.pass_time(2 * SECOND)
        world.break_part(part, broken=False)
        world.pass_time(2 * SECOND)
        codes = [fault.code for fault in table(world).faults]
        assert codes == [FaultCode.STORAGE_FAILED]
        a_witness = newest(world).record
        assert (a_witness.state.round, a_witness.state.phase) == (2, Phase.OPEN)


@pytest.mark.parametrize("end", [off, cut])
def test_a_witness_one_batch_behind_is_agreement(end: Callable[[World], None]) -> None:
    """Power lost between the journal's commit and the witness's write."""
    with played(1) as world:
        behind = slots(world)
        a_round_of(world)
        end(world)
        for name, data in zip(("slot-a", "slot-b"), behind, strict=True):
            (world.medium.witness / name).write_bytes(data)
        on(world)
        assert table(world).round == 3
        assert pot(world) == BASE + 4 * PER_WAGER
        assert table(world).faults == ()
        assert newest(world).record.kind == "started"
        assert not stored(world, ev.WitnessRebuilt)


def spoil(world: World, *names: str, data: bytes = b"\xa5" * SLOT_BYTES) -> None:
    for name in names:
        (world.medium.witness / name).write_bytes(data)


@pytest.mark.parametrize("name", ["slot-a", "slot-b"])
@pytest.mark.parametrize("data", [b"\xa5" * SLOT_BYTES, b"", None], ids=["random", "empty", "gone"])
def test_F093_one_bad_copy_is_rewritten_from_the_good_one_and_play_goes_on(
    name: str, data: bytes | None
) -> None:
    with played(2) as world:
        cut(world)
        if data is None:
            (world.medium.witness / name).unlink()
        else:
            spoil(world, name, data=data)
        on(world)
        assert pot(world) == BASE + 4 * PER_WAGER
        assert table(world).faults == ()
        (rebuilt,) = stored(world, ev.WitnessRebuilt)
        assert isinstance(rebuilt.event, ev.WitnessRebuilt)
        assert rebuilt.event.why.startswith(f"{name} is ")
        assert not rebuilt.event.whole
        a_round_of(world)
        off(world)
        on(world)
        assert len(stored(world, ev.WitnessRebuilt)) == 1, "it is good again"


def test_F093_both_bad_beside_a_good_journal_is_told_until_a_technician_has_looked() -> None:
    with played(2) as world:
        cut(world)
        spoil(world, "slot-a", "slot-b")
        on(world)
        assert pot(world) == BASE + 4 * PER_WAGER, "never an average, never 0"
        assert [fault.code for fault in table(world).faults] == [FaultCode.WITNESS_REBUILT]
        a_round_of(world)
        assert table(world).round == 4, "a warning lets play go on"
        clear = ev.FaultClearAsked(0, FaultCode.WITNESS_REBUILT)
        assert act(world, clear) == (ev.Refused(ev.Refusal.TECHNICIAN_KEY),)
        world.drive("technician", active=True)
        world.pass_time(SECOND // 10)
        assert act(world, clear) == (ev.FaultCleared(FaultCode.WITNESS_REBUILT, 0),)


def test_F093_both_copies_and_the_journal_bad_is_out_of_service_and_changes_nothing() -> None:
    with played(2) as world:
        cut(world)
        spoil(world, "slot-a", "slot-b")
        overwrite_journal(world, b"\xa5" * 8_192)
        before = kept(world)
        on(world)
        assert world.stranded is not None
        assert world.stranded.plight is Plight.NOTHING_TRUSTED
        world.pass_time(60 * SECOND)
        off(world)
        assert kept(world) == before


def test_F093_the_selector_alone_is_lost() -> None:
    """The serial number says which slot is newer; with it goes the checksum, and the other slot speaks."""
    with played(2) as world:
        cut(world)
        newer = max(("slot-a", "slot-b"), key=lambda name: serial_of(world.medium.witness / name))
        data = (world.medium.witness / newer).read_bytes()
        serial = f'"serial":{serial_of(world.medium.witness / newer)}'.encode()
        spoil(world, newer, data=data.replace(serial, b'"serial":1', 1).ljust(SLOT_BYTES)[:SLOT_BYTES])
        on(world)
        assert pot(world) == BASE + 4 * PER_WAGER
        (rebuilt,) = stored(world, ev.WitnessRebuilt)
        assert isinstance(rebuilt.event, ev.WitnessRebuilt)
        assert "its checksum is wrong" in rebuilt.event.why


def serial_of(path: Path) -> int:
    return int(path.read_bytes().split(b'"serial":', 1)[1].split(b",", 1)[0])


def test_nothing_of_a_damaged_history_is_believed_because_the_witness_is_gone() -> None:
    """Both slots damaged: the whole chain is checked, and a record in the middle is bad."""
    with played(3) as world:
        off(world)
        spoil(world, "slot-a", "slot-b")
        path = world.medium.journal
        data = path.read_bytes()
        third = data.index(b'"kind":"wager_placed","seat":2')
        path.write_bytes(data[:third] + data[third:].replace(b'"seat":2', b'"seat":3', 1))
        on(world)
        assert world.stranded is not None
        assert world.stranded.plight is Plight.NOTHING_TRUSTED


def lose_witness(world: World) -> None:
    for path in world.medium.witness.iterdir():
        path.unlink()


def lose_every_trace_of_the_journal(world: World) -> None:
    lose_journal(world)
    world.medium.journal.with_name("journal.db.id").unlink()


def overwrite_journal(world: World, data: bytes) -> None:
    lose_journal(world)
    world.medium.journal.write_bytes(data)


STRANDED: dict[str, tuple[Callable[[World], None], Plight]] = {
    "witness gone": (lose_witness, Plight.NO_WITNESS),
    "journal gone": (lose_journal, Plight.JOURNAL_LOST),
    "journal and marker gone": (lose_every_trace_of_the_journal, Plight.JOURNAL_LOST),
    "journal empty": (lambda world: overwrite_journal(world, b""), Plight.JOURNAL_LOST),
    "journal random": (lambda world: overwrite_journal(world, b"\xa5" * 9_999), Plight.JOURNAL_LOST),
}


@pytest.mark.parametrize("case", STRANDED)
def test_F128_what_a_table_has_lost_is_shown_with_what_is_trusted_and_no_file_is_touched(case: str) -> None:
    spoiled, plight = STRANDED[case]
    with played(2) as world:
        off(world)
        spoiled(world)
        before = kept(world)
        on(world)
        assert world.loop is None
        assert world.stranded is not None
        assert world.stranded.plight is plight
        assert not any(world.hal.outputs.values()), "slots locked, lamps and bell dark"
        assert world.hal.screen[0] == "FUERA DE SERVICIO"
        assert world.hal.signs == "FUERA DE SERVICIO"
        assert "POZO PRINCIPAL $ 100.020,00" in world.hal.screen
        chip(world, 1, 2, 3)
        press(world, ev.Button.COIN_IN)
        world.pass_time(300 * SECOND)
        assert not any(world.hal.outputs.values())
        off(world)
        assert kept(world) == before


def test_F128_a_journal_older_than_its_witness_is_not_played_on() -> None:
    """A copy of the card from the day before is put in: the pot would be 10.00 too low, silently."""
    with played(1) as world:
        off(world)
        yesterday = journal_files(world)
        on(world)
        a_round_of(world)
        off(world)
        put_back(world, yesterday)
        before = kept(world)
        on(world)
        assert world.stranded is not None
        assert world.stranded.plight is Plight.JOURNAL_BEHIND
        assert "POZO PRINCIPAL $ 100.020,00" in world.hal.screen
        assert any("VALE: LA SEGUNDA COPIA" in line for line in world.hal.screen)
        off(world)
        assert kept(world) == before


def test_two_histories_of_one_table_are_not_played_on() -> None:
    """Journal and witness of one evening beside the witness of another that began alike."""
    with played(1) as world:
        off(world)
        start, slots_then = journal_files(world), slots(world)
        on(world)
        a_round_of(world, 1)
        off(world)
        ours = slots(world)
        put_back(world, start)
        for name, data in zip(("slot-a", "slot-b"), slots_then, strict=True):
            (world.medium.witness / name).write_bytes(data)
        on(world)
        for _ in range(3):
            a_round_of(world, 1, 2, 3)
        off(world)
        for name, data in zip(("slot-a", "slot-b"), ours, strict=True):
            (world.medium.witness / name).write_bytes(data)
        on(world)
        assert world.stranded is not None
        assert world.stranded.plight is Plight.FORKED
        assert not any("VALE:" in line for line in world.hal.screen), "neither is trusted alone"


def test_a_commissioning_cut_before_its_witness_is_finished_at_the_next_start() -> None:
    with closing(World(settings_of("simulated", {}))) as world:
        world.power_on(open_table=False)
        off(world)
        first = ends_of(world.medium.journal).first
        keep_only_first(world)
        unfinished(world, first.wall_ns)
        for path in world.medium.witness.iterdir():
            path.unlink()
        world.medium.witness.rmdir()
        on(world)
        assert world.stranded is None
        assert ends_of(world.medium.journal).first == first
        assert newest(world).record.kind == "started"
        assert not stored(world, ev.WitnessRebuilt)
        assert intact(world)


@pytest.mark.parametrize("name", ["slot-a", "slot-b"])
def test_one_foreign_slot_beside_a_good_one_does_not_strand_a_table(name: str) -> None:
    with played(1) as world:
        off(world)
        path = world.medium.witness / name
        path.write_bytes(slot_file(decode_slot(path.read_bytes()).row, serial=10_000, table="SIM-9"))
        on(world)
        assert world.stranded is None
        assert len(stored(world, ev.WitnessRebuilt)) == 1
        off(world)
        assert all(decode_slot(data).table == "SIM-1" for data in slots(world))


def unfinished(world: World, wall_ns: int) -> None:
    """The marker as it is while the commissioning goes on, by the formula in controller/signing/heads.py."""
    signature = signature_of(SEED, "pozo begun 1", "SIM-1", wall_ns)
    marker = {"table": "SIM-1", "created_ns": wall_ns, "unfinished": signature}
    world.medium.journal.with_name("journal.db.id").write_text(json.dumps(marker))


@pytest.mark.parametrize("claimed", [False, True], ids=["marker as it was", "marker made up"])
def test_a_history_taken_back_to_its_commissioning_does_not_begin_anew(claimed: bool) -> None:
    with played(1) as world:
        off(world)
        keep_only_first(world)
        if claimed:
            marker = {"table": "SIM-1", "created_ns": 0, "unfinished": "ab" * 64}
            world.medium.journal.with_name("journal.db.id").write_text(json.dumps(marker))
        for path in world.medium.witness.iterdir():
            path.unlink()
        on(world)
        assert world.stranded is not None
        assert world.stranded.plight is Plight.NO_WITNESS


def test_a_marker_that_somebody_kept_since_the_commissioning_makes_no_new_table_of_a_played_one() -> None:
    with played(1) as world:
        off(world)
        unfinished(world, ends_of(world.medium.journal).first.wall_ns)
        for path in world.medium.witness.iterdir():
            path.unlink()
        on(world)
        assert world.stranded is not None
        assert world.stranded.plight is Plight.NO_WITNESS


def test_a_commissioning_that_was_done_cannot_be_called_unfinished_again() -> None:
    with closing(World(settings_of("simulated", {}))) as world:
        world.power_on(open_table=False)
        off(world)
        assert "unfinished" not in world.medium.journal.with_name("journal.db.id").read_text()


def keep_only_first(world: World) -> None:
    """The journal as it was before anything was played: record 1 and its signature."""
    import sqlite3

    with closing(sqlite3.connect(world.medium.journal, isolation_level=None)) as connection:
        connection.execute("DELETE FROM journal WHERE seq > 2")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def test_a_new_table_is_not_begun_where_a_witness_is() -> None:
    """A new card at a table with a history: the journal is gone with its marker, the second medium is there."""
    with played(1) as world:
        off(world)
        lose_every_trace_of_the_journal(world)
        assert world.medium.empty
        assert not world.medium.blank
        on(world)
        assert world.stranded is not None


def test_the_screen_of_a_table_out_of_service_comes_back_with_its_device() -> None:
    with played(1) as world:
        off(world)
        lose_journal(world)
        on(world)
        world.break_part(Part.SIGN, broken=True)
        world.break_part(Part.SIGN, broken=False)
        world.break_part(Part.SCREEN, broken=True)
        world.break_part(Part.SCREEN, broken=False)
        world.pass_time(SECOND)
        assert world.hal.signs == "FUERA DE SERVICIO"
        assert world.hal.screen[0] == "FUERA DE SERVICIO"
