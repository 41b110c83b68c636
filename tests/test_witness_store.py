"""Two slots in turns: whatever becomes of a write, the newest record that was good before is good still."""

import errno
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from controller.journal.record import Row
from controller.witness import Absent, Damaged, DiskFiles, Slot, Witness, WitnessWriteError
from controller.witness.errors import TooLargeError, WitnessDeniedError, WitnessThereError
from controller.witness.slot import SLOT_BYTES
from controller.witness.store import SLOT_NAMES
from tests.helpers_table import TABLE
from tests.helpers_witness import long_row, rows_of, slot_file


class TornError(Exception):
    """The power goes."""


class TornFiles:
    """Files in memory. Of the next write over a slot only this many bytes arrive; then the power goes."""

    def __init__(self) -> None:
        self.data: dict[str, bytes] = {}
        self.left: int | None = None

    def read(self, path: Path) -> bytes | None:
        return self.data.get(path.name)

    def make(self, path: Path, data: bytes) -> None:
        self.data[path.name] = data

    def overwrite(self, path: Path, data: bytes) -> None:
        arrived = data if self.left is None else data[: self.left]
        self.data[path.name] = arrived + self.data[path.name][len(arrived) :]
        if self.left is not None:
            raise TornError


class FailingFiles(DiskFiles):
    """Each write fails with this error; so much of it is on the medium all the same."""

    error = 0
    written = 100

    def overwrite(self, path: Path, data: bytes) -> None:
        if self.error:
            super().overwrite(path, data[: self.written])
            raise OSError(self.error, os.strerror(self.error))
        super().overwrite(path, data)

    def make(self, path: Path, data: bytes) -> None:
        if self.error:
            raise OSError(self.error, os.strerror(self.error))
        super().make(path, data)

    def read(self, path: Path) -> bytes | None:
        if self.error == errno.EACCES or (self.error == errno.EIO and path.name == "slot-b"):
            raise OSError(self.error, os.strerror(self.error))
        return super().read(path)


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    return rows_of(tmp_path_factory.mktemp("rows"), rounds=5)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    made = tmp_path / "witness"
    made.mkdir()
    return made


def numbers(witness: Witness) -> list[int | None]:
    """The record in each slot, None for a bad one."""
    return [slot.record.seq if isinstance(slot, Slot) else None for slot in witness.look()]


def test_the_first_write_makes_both_slots_and_the_next_ones_take_turns(place: Path, rows: list[Row]) -> None:
    witness = Witness(place, TABLE)
    assert witness.look() == (Absent(), Absent())
    witness.write(rows[0])
    assert numbers(witness) == [1, 1]
    found = []
    for row in rows[1:5]:
        witness.write(row)
        found.append(numbers(witness))
    assert found == [[2, 1], [2, 3], [4, 3], [4, 5]]
    assert [path.stat().st_size for path in sorted(place.iterdir())] == [SLOT_BYTES, SLOT_BYTES]


def test_another_process_goes_on_with_the_older_slot(place: Path, rows: list[Row]) -> None:
    first = Witness(place, TABLE)
    first.look()
    for row in rows[:5]:
        first.write(row)
    again = Witness(place, TABLE)
    assert numbers(again) == [4, 5]
    again.write(rows[5])
    assert numbers(again) == [6, 5]


def test_a_write_torn_at_any_byte_leaves_the_other_slot_and_never_another_record(rows: list[Row]) -> None:
    files, place = TornFiles(), Path("witness")
    writer = Witness(place, TABLE, files)
    writer.look()
    for row in rows[:5]:
        writer.write(row)
    before = dict(files.data)
    assert numbers(writer) == [4, 5]
    whole = 0
    for left in range(4_097):
        files.data = dict(before)
        files.left = left
        victim = Witness(place, TABLE, files)
        victim.look()
        with pytest.raises(TornError):
            victim.write(rows[5])
        found = numbers(Witness(place, TABLE, files))
        assert found[1] == 5
        assert found[0] in {None, 4, 6}
        whole += found[0] == 6
    assert found == [6, 5]
    assert whole > 1, "blanks behind the document may be lost"


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EROFS, errno.EIO, errno.ENODEV])
def test_a_write_that_fails_leaves_the_good_slot_alone_however_often_it_is_tried(
    place: Path, rows: list[Row], error: int
) -> None:
    files = FailingFiles()
    witness = Witness(place, TABLE, files)
    witness.look()
    for row in rows[:5]:
        witness.write(row)
    good = (place / "slot-b").read_bytes()
    files.error = error
    for row in (rows[5], rows[6], rows[7]):
        with pytest.raises(WitnessWriteError, match=f"slot-a could not be written: {os.strerror(error)}"):
            witness.write(row)
        assert (place / "slot-b").read_bytes() == good
    files.error = 0
    witness.write(rows[8])
    assert numbers(witness) == [9, 5]


def test_a_record_that_is_too_large_touches_nothing(place: Path, rows: list[Row]) -> None:
    witness = Witness(place, TABLE)
    witness.look()
    witness.write(rows[0])
    before = [(place / name).read_bytes() for name in SLOT_NAMES]
    with pytest.raises(TooLargeError):
        witness.write(long_row(4_000))
    assert [(place / name).read_bytes() for name in SLOT_NAMES] == before
    witness.write(rows[1])
    assert numbers(witness) == [2, 1]


def test_a_bad_slot_is_written_first_and_whole_whatever_its_number_was(place: Path, rows: list[Row]) -> None:
    (place / "slot-a").write_bytes(slot_file(rows[3], 9))
    (place / "slot-b").write_bytes(b"short")
    witness = Witness(place, TABLE)
    first, second = witness.look()
    assert isinstance(first, Slot)
    assert second == Damaged("it has 5 bytes, not 131072")
    witness.write(rows[4])
    assert numbers(witness) == [4, 5]
    witness.write(rows[5])
    assert numbers(witness) == [6, 5]


def test_a_slot_that_cannot_be_read_counts_as_damaged(place: Path, rows: list[Row]) -> None:
    files = FailingFiles()
    for number, name in enumerate(SLOT_NAMES, start=1):
        (place / name).write_bytes(slot_file(rows[number], number))
    files.error = errno.EIO
    first, second = Witness(place, TABLE, files).look()
    assert isinstance(first, Slot)
    assert second == Damaged("it cannot be read: Input/output error")


def elsewhere(place: Path, data: bytes = b"the journal's only bytes") -> Path:
    """A file of the first medium, which no name in the witness's place may reach."""
    there = place.parent / "journal.db"
    there.write_bytes(data)
    return there


@pytest.mark.parametrize("link", [os.symlink, os.link], ids=["symbolic", "hard"])
def test_no_name_in_the_witness_leads_the_pen_to_another_file(
    place: Path, rows: list[Row], link: Callable[[Path, Path], None]
) -> None:
    there = elsewhere(place)
    link(there, place / "slot-a")
    link(there, place / "slot-b.new")
    witness = Witness(place, TABLE)
    first, second = witness.look()
    assert isinstance(first, Damaged)
    assert isinstance(second, Absent)
    witness.write(rows[0])
    assert numbers(witness) == [1, 1]
    assert there.read_bytes() == b"the journal's only bytes"
    assert not any(path.is_symlink() for path in place.iterdir())


@pytest.mark.parametrize("link", [os.symlink, os.link], ids=["symbolic", "hard"])
def test_a_name_that_turns_into_a_link_in_play_is_a_failed_write(
    place: Path, rows: list[Row], link: Callable[[Path, Path], None]
) -> None:
    there = elsewhere(place, b"x" * SLOT_BYTES)
    witness = Witness(place, TABLE)
    witness.write(rows[0])
    for name in SLOT_NAMES:
        (place / name).unlink()
        link(there, place / name)
    with pytest.raises(WitnessWriteError):
        witness.write(rows[1])
    assert there.read_bytes() == b"x" * SLOT_BYTES
    witness.write(rows[1])
    assert numbers(witness) == [2, None], "the other slot is met at the next write"
    assert there.read_bytes() == b"x" * SLOT_BYTES


def test_a_slot_that_nobody_ends_writing_does_not_hold_up_a_start(place: Path) -> None:
    os.mkfifo(place / "slot-a")
    first, _ = Witness(place, TABLE).look()
    assert first == Damaged("it cannot be read: it is no plain file of its own")


def test_a_witness_of_another_user_is_no_damage_but_something_to_be_mended(place: Path) -> None:
    files = FailingFiles()
    files.error = errno.EACCES
    with pytest.raises(WitnessDeniedError, match="may not read it: give it and"):
        Witness(place, TABLE, files).look()


@pytest.mark.parametrize("data", [b"", b"junk"])
def test_where_a_slot_of_whatever_kind_is_nothing_is_begun(place: Path, data: bytes) -> None:
    (place / "slot-b").write_bytes(data)
    with pytest.raises(WitnessThereError, match=r"slot-b is there already: it has .* `pozo recover`"):
        Witness(place, TABLE).refuse_second()


def test_another_tables_slot_is_named(place: Path, rows: list[Row]) -> None:
    (place / "slot-a").write_bytes(slot_file(rows[2], 1, "mesa-9"))
    with pytest.raises(WitnessThereError, match="it holds record 3 of table mesa-9"):
        Witness(place, TABLE).refuse_second()


def test_a_place_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(WitnessWriteError, match="could not be written"):
        Witness(tmp_path / "file" / "witness", TABLE).make_place()
