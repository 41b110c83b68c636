"""Spots of the witness that only odd files and odd plights reach, and the words for each."""

import errno
import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.core.events import Trusted
from controller.core.state import Claim, LinkClaim
from controller.journal.record import Row, decode
from controller.signing.key import PrivateKey, short_key
from controller.witness import DiskFiles, Slot, Witness, WitnessWriteError
from controller.witness.errors import SlotError
from controller.witness.slot import SLOT_BYTES, decode_slot
from controller.witness.store import Absent, Damaged, _printed
from controller.witness.told import standing, told
from controller.witness.verdict import AllDamaged, BadJournal, JournalLost, Lack, NoWitness, compare, proposed
from tests.helpers_linked import RF
from tests.helpers_signing import FORGER, SEED, public_of
from tests.helpers_table import TABLE, a_table
from tests.helpers_witness import a_slot, rows_of, slot_file
from tests.test_witness_slot import body_of, forged
from tests.test_witness_verdict import HEAD, good, money, strange


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


def test_the_largest_number_of_a_slot_is_half_of_sqlites(rows: list[Row]) -> None:
    assert a_slot(rows[3], 2**62 - 1).serial == 4_611_686_018_427_387_903
    with pytest.raises(SlotError, match="none of ours"):
        a_slot(rows[3], 2**62)


def test_a_document_that_leaves_its_signature_out_is_none_and_one_without_a_key_is_unsigned(
    rows: list[Row],
) -> None:
    with pytest.raises(SlotError, match="does not stand where it belongs"):
        decode_slot(forged(body_of(rows[3], b',"signature":""')))
    assert decode_slot(forged(body_of(rows[3], b'"key":"",'))) == a_slot(rows[3], seed=None)


def test_a_witness_that_is_all_a_strangers_is_told_with_whose_it_is_and_whether_it_is_ahead(
    rows: list[Row],
) -> None:
    last = decode(rows[HEAD - 1])
    thief = f"it is signed with the key {short_key(public_of(FORGER))}, which is not known here to be this table's"
    for row, ahead in (
        (rows[HEAD], True),
        (strange(rows[HEAD - 1]), False),
        (strange(rows[HEAD - 2]), False),
    ):
        verdict = compare(good(rows), (a_slot(row, 5, seed=FORGER), Absent()), TABLE)
        told_so = f"slot-a is not proven: {thief}, slot-b is not there"
        assert verdict == NoWitness(told_so, last, ahead=ahead)
        assert isinstance(verdict, NoWitness)
        assert proposed(verdict) == (None if ahead else (Trusted.JOURNAL, last))
    both = (a_slot(rows[HEAD], 5, "mesa-9"), a_slot(strange(rows[2]), 4, seed=None))
    assert compare(good(rows), both, TABLE) == NoWitness(
        "slot-a is of table mesa-9, slot-b is not proven: nobody signed it", last
    )


def test_a_witness_that_is_not_there_or_spoilt_is_told_slot_by_slot(rows: list[Row]) -> None:
    last = decode(rows[HEAD - 1])
    assert compare(good(rows), (Absent(), Absent()), TABLE) == NoWitness(
        "slot-a is not there, slot-b is not there", last
    )
    assert compare(good(rows), (Absent(), Damaged("torn")), TABLE) == AllDamaged(
        "slot-a is not there, slot-b is damaged: torn"
    )


def test_slots_written_with_the_key_in_force_are_not_written_anew_for_it(
    tmp_path: Path, rows: list[Row]
) -> None:
    key = PrivateKey.from_seed(SEED)
    witness = Witness(tmp_path, TABLE)
    witness.sign_with(key)
    witness.write(rows[3])
    witness.sign_with(key)
    assert witness.whole
    witness.sign_with(None)
    witness.write(rows[4])
    witness.sign_with(key)
    assert not witness.whole, "one is unsigned now"


def test_a_place_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    place = tmp_path / "file" / "witness"
    with pytest.raises(WitnessWriteError) as failed:
        Witness(place, TABLE).make_place()
    assert str(failed.value).startswith(f"{place} could not be written: Not a directory; ")


def test_what_is_no_file_of_its_own_is_named(tmp_path: Path) -> None:
    path = tmp_path / "slot-a"
    os.mkfifo(path)
    with pytest.raises(OSError, match="it is no plain file of its own") as refused:
        DiskFiles().read(path)
    assert (refused.value.errno, refused.value.filename) == (errno.EINVAL, str(path))


def test_a_link_that_is_laid_where_the_draft_goes_at_the_last_moment_is_not_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = tmp_path / "journal.db"
    journal.write_bytes(b"the journal's only bytes")
    real = Path.unlink

    def then_laid(path: Path, *, missing_ok: bool = False) -> None:
        real(path, missing_ok=missing_ok)
        path.symlink_to(journal)

    monkeypatch.setattr(Path, "unlink", then_laid)
    with pytest.raises(FileExistsError):
        DiskFiles().make(tmp_path / "slot-a", b"made up")
    assert journal.read_bytes() == b"the journal's only bytes"
