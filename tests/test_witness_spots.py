"""Spots of the witness that only odd files and odd plights reach, and the words for each."""

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.core.state import Claim, LinkClaim
from controller.journal.record import Row, decode
from controller.witness import Slot, Witness
from controller.witness.errors import SlotError
from controller.witness.slot import SLOT_BYTES, decode_slot
from controller.witness.store import Absent, Damaged, _printed
from controller.witness.told import standing, told
from controller.witness.verdict import BadJournal, JournalLost, Lack, NoWitness, compare
from tests.helpers_linked import RF
from tests.helpers_table import TABLE, a_table
from tests.helpers_witness import a_slot, rows_of, slot_file
from tests.test_witness_verdict import money


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    return rows_of(tmp_path_factory.mktemp("rows"), rounds=3)


@pytest.mark.parametrize("place", [20, 400, -70, -3])
def test_an_unsigned_slot_is_held_together_by_its_sum_alone(rows: list[Row], place: int) -> None:
    good = slot_file(rows[3], seed=None)
    length = len(good.partition(b"\n")[0].rstrip(b" "))
    bad = bytearray(good)
    bad[place if place > 0 else length + place] ^= 1
    with pytest.raises(SlotError, match="its checksum is wrong"):
        decode_slot(bytes(bad))
    with pytest.raises(SlotError, match="its checksum is wrong"):
        decode_slot(good.replace(b"\n", b" ").ljust(SLOT_BYTES))


def test_the_first_write_is_number_one_also_where_a_slot_was_disowned(
    tmp_path: Path, rows: list[Row]
) -> None:
    witness = Witness(tmp_path, TABLE)
    witness.write(rows[3])
    assert [slot.serial for slot in witness.look() if isinstance(slot, Slot)] == [1, 2]
    for name in ("slot-a", "slot-b"):
        (tmp_path / name).unlink()
    (tmp_path / "slot-b").write_bytes(slot_file(rows[3], 9))
    witness = Witness(tmp_path, TABLE)
    witness.look()
    witness.disown(1)
    witness.write(rows[4])
    assert [slot.serial for slot in witness.look() if isinstance(slot, Slot)] == [1, 2]


def test_every_new_directory_is_made_with_a_durable_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.fsync
    flushed: list[str] = []

    def fsync(descriptor: int) -> None:
        flushed.append(str(Path(f"/proc/self/fd/{descriptor}").readlink()))
        real(descriptor)

    monkeypatch.setattr(os, "fsync", fsync)
    witness = Witness(tmp_path / "a" / "b", TABLE)
    witness.make_place()
    assert (tmp_path / "a" / "b").is_dir()
    assert sorted(flushed) == [str(tmp_path), str(tmp_path / "a")]
    witness.make_place()
    assert len(flushed) == 2


def test_what_moves_a_cursor_is_told_as_a_question_mark() -> None:
    assert _printed("a\x1b[2J\nñ b") == "a?[2J?ñ b"


def test_a_witness_ahead_that_nothing_proves_is_told_as_such(rows: list[Row]) -> None:
    record = decode(rows[8])
    at = "record 9, round 3, open, main 100040.00, wagers taken in so far 40.00"
    assert told(NoWitness("slot-a is not there", record), money) == (
        f"There is no witness of this table: slot-a is not there. The journal is trusted: {at}."
    )
    assert told(NoWitness("slot-a is not proven", record, ahead=True), money) == (
        "No witness here is proven to be this table's: slot-a is not proven; and it is AHEAD of the journal, which may "
        f"be an old card: {at}. Neither is trusted until the key is compared with the filed one."
    )


def test_beside_a_lost_journal_a_damaged_half_may_be_the_newer_one(rows: list[Row]) -> None:
    slot, gone = a_slot(rows[8], 5), BadJournal(Lack.MISSING, "It is gone")
    at = "record 9, round 3, open, main 100040.00, wagers taken in so far 40.00"
    trusted = f"It is gone. The witness is good and is trusted: {at}."
    alone = compare(gone, (slot, Absent()), TABLE, {slot.key})
    assert alone == JournalLost(slot, gone)
    assert told(JournalLost(slot, gone), money) == trusted
    half = compare(gone, (slot, Damaged("torn")), TABLE, {slot.key})
    assert half == JournalLost(slot, gone, "slot-b is damaged: torn")
    assert told(JournalLost(slot, gone, "slot-b is damaged: torn"), money) == (
        f"{trusted} But slot-b is damaged: torn. That half may hold NEWER acts: compare with paper the last slip, "
        "whether its award was paid, and transfers sent since, before this one is trusted."
    )


def test_claims_at_the_floor_are_told_with_where_a_table_stands() -> None:
    claims = tuple(LinkClaim(number, "main", 1, (Claim(2, RF),)) for number in (4, 7))
    line = "round 1, open, main 100000.00, wagers taken in so far 0.00"
    assert standing(a_table(), money) == line
    assert standing(replace(a_table(), link_claims=claims), money) == f"{line}, claims at the floor 4, 7"
