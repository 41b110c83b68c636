"""The witness at the edge of every limit: sizes, numbers, times, and what is told of it."""

import errno
import os
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from controller.core import events as ev
from controller.core.game import Fund, Hand
from controller.core.state import Award, Level
from controller.journal import Entry
from controller.journal.record import Row, decode
from controller.signing.key import PrivateKey
from controller.witness import Damaged, DiskFiles, Slot, Witness
from controller.witness.copy import RETRY_NS, SecondCopy
from controller.witness.errors import SlotError, TooLargeError, WitnessDeniedError
from controller.witness.slot import BLOCK_BYTES, NUMBER_MOST, SLOT_BYTES, decode_slot, encode
from controller.witness.store import Absent
from controller.witness.told import at, standing
from controller.witness.verdict import heads
from tests.helpers_signing import FORGER, SEED, public_of
from tests.helpers_table import TABLE, a_round, a_table
from tests.helpers_witness import a_slot, long_row, rows_of, slot_file

KEY = PrivateKey.from_seed(SEED)
SECOND = 1_000_000_000


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    return rows_of(tmp_path_factory.mktemp("rows"), rounds=3)


class FullFiles(DiskFiles):
    """A medium that is full while `full` says so; it counts what was tried."""

    full = False
    tried = 0

    def make(self, path: Path, data: bytes) -> None:
        self._try()
        super().make(path, data)

    def overwrite(self, path: Path, data: bytes) -> None:
        self._try()
        super().overwrite(path, data)

    def _try(self) -> None:
        self.tried += 1
        if self.full:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


CHIP, _, COIN_IN, _ = a_round(1)


def test_what_is_owed_is_written_once_with_the_newest_record(tmp_path: Path, rows: list[Row]) -> None:
    files = FullFiles()
    witness = Witness(tmp_path, TABLE, files)
    copy = SecondCopy(witness)
    copy.owe((CHIP,), rows[1])
    assert (copy.settle(0), files.tried) == (None, 0)  # a chip can be looked at in its slot
    copy.owe((CHIP, COIN_IN), rows[2])
    copy.owe((CHIP,), rows[3])
    assert (copy.settle(0), files.tried) == (None, 2)
    assert [slot.record.seq for slot in witness.look() if isinstance(slot, Slot)] == [4, 4]
    assert (copy.settle(1), files.tried) == (None, 2)


def test_a_failed_write_is_told_once_tried_each_second_and_told_when_it_is_done(
    tmp_path: Path, rows: list[Row]
) -> None:
    files = FullFiles()
    files.full = True
    copy = SecondCopy(Witness(tmp_path, TABLE, files))
    copy.owe((COIN_IN,), rows[2])
    now = 7 * SECOND
    assert RETRY_NS == SECOND
    lost = copy.settle(now)
    assert isinstance(lost, ev.WitnessLost)
    assert (lost.at_ns, "slot-a could not be written" in lost.why) == (now, True)
    assert (copy.settle(now + SECOND - 1), files.tried) == (None, 1)
    assert (copy.settle(now + SECOND), files.tried) == (None, 2)
    assert (copy.settle(now + 2 * SECOND - 1), files.tried) == (None, 2)
    files.full = False
    assert copy.settle(now + 2 * SECOND) == ev.WitnessFound(now + 2 * SECOND)
    copy.owe((COIN_IN,), rows[3])
    assert copy.settle(now + 2 * SECOND + 1) is None
    files.full = True
    copy.owe((COIN_IN,), rows[4])
    assert isinstance(copy.settle(now + 2 * SECOND + 2), ev.WitnessLost)


def test_a_record_that_no_slot_holds_is_a_lost_witness(tmp_path: Path) -> None:
    copy = SecondCopy(Witness(tmp_path, TABLE))
    copy.owe((COIN_IN,), long_row(4_000))
    lost = copy.settle(5)
    assert isinstance(lost, ev.WitnessLost)
    assert "call the maker" in lost.why


@pytest.mark.parametrize("most", [BLOCK_BYTES, SLOT_BYTES])
def test_a_document_is_filled_up_to_the_next_block_and_never_beyond_a_slot(
    rows: list[Row], most: int
) -> None:
    """A table's name lengthens it byte by byte; the newline needs one."""
    shortest = len(encode("", 1, rows[-1], KEY).rstrip(b" \n"))
    longest = most - 1 - shortest
    whole = encode("x" * longest, 1, rows[-1], KEY)
    assert (len(whole), whole[-2:]) == (most, b"}\n")
    assert len(encode("x" * (longest - 1), 1, rows[-1], KEY)) == most
    if most == SLOT_BYTES:
        with pytest.raises(TooLargeError, match=f"takes {most} bytes, a slot of the witness holds {most}"):
            encode("x" * (longest + 1), 1, rows[-1], KEY)
    else:
        assert len(encode("x" * (longest + 1), 1, rows[-1], KEY)) == most + BLOCK_BYTES


def test_numbers_and_names_of_a_slot_are_read_up_to_their_limits(rows: list[Row]) -> None:
    last = rows[-1]
    assert a_slot(last, NUMBER_MOST - 1).serial == NUMBER_MOST - 1
    assert a_slot((NUMBER_MOST - 1, *last[1:])).record.seq == NUMBER_MOST - 1
    assert a_slot(last, table="x" * 100).table == "x" * 100
    for data in (slot_file(last, NUMBER_MOST), slot_file((NUMBER_MOST, *last[1:]))):
        with pytest.raises(SlotError, match="none of ours"):
            decode_slot(data)


def test_the_heads_of_two_slots_are_told_newest_first(rows: list[Row]) -> None:
    older, newer = a_slot(rows[3], 8), a_slot(rows[2], 9)
    told = (ev.HeadSeen(3, rows[2][-1]), ev.HeadSeen(4, rows[3][-1]))
    assert heads((older, newer)) == heads((newer, older)) == told
    assert heads((Damaged("torn"), older)) == told[1:]
    assert heads((Absent(), Damaged("torn"))) == ()


def money(amount: int) -> str:
    return f"{amount / 100:.2f}"


def test_where_a_table_stands_is_one_line_with_all_it_owes(rows: list[Row]) -> None:
    table = a_table(rounds=7)
    minor = Level("minor", 50, house_funding=50)
    table = replace(table, pot=replace(table.pot, levels=(*table.pot.levels, minor), in_meter=123))
    awards = tuple(
        Award(number, 1, 2, Hand.FLUSH, "main", number * 100, Fund.HOUSE, paid=number == 2)
        for number in (1, 2, 3)
    )
    line = "round 7, open, main 100000.00, minor 0.50, wagers taken in so far 1.23"
    assert standing(table, money) == line
    owing = replace(table, awards=awards)
    assert standing(owing, money) == f"{line}, unpaid awards 1 (1.00), 3 (3.00)"
    assert standing(replace(table, awards=awards[1:2]), money) == line
    row = (*rows[3][:8], msgspec.json.encode(owing).decode(), rows[3][9])
    assert at(decode(row), money).startswith("record 4, round 7, open, main")


def numbered(witness: Witness) -> list[tuple[int, int]]:
    """Each good slot's serial number and record."""
    return [(slot.serial, slot.record.seq) for slot in witness.look() if isinstance(slot, Slot)]


def test_a_slot_of_another_key_is_written_anew_and_a_disowned_ones_number_forgotten(
    tmp_path: Path, rows: list[Row]
) -> None:
    for number, name in enumerate(("slot-a", "slot-b"), start=8):
        (tmp_path / name).write_bytes(slot_file(rows[number], number))
    witness = Witness(tmp_path, TABLE)
    found = [witness.whole]
    witness.look()
    found.append(witness.whole)
    for key in (KEY, None, PrivateKey.from_seed(FORGER)):
        witness.sign_with(key)
        found.append(witness.whole)
    assert found == [False, True, True, True, False]
    witness.write(rows[10])
    assert numbered(witness) == [(10, 11), (11, 11)]
    assert {slot.key for slot in witness.look() if isinstance(slot, Slot)} == {public_of(FORGER)}
    witness.disown(1)
    witness.write(rows[11])
    assert numbered(witness) == [(10, 11), (11, 12)]


def test_a_distrusted_slot_is_written_next_with_the_number_after_its_own(
    tmp_path: Path, rows: list[Row]
) -> None:
    (tmp_path / "slot-a").write_bytes(slot_file(rows[3], 4))
    (tmp_path / "slot-b").write_bytes(slot_file(rows[4], 9))
    witness = Witness(tmp_path, TABLE)
    witness.look()
    witness.distrust(1)
    witness.write(rows[5])
    assert numbered(witness) == [(4, 4), (10, 6)]


@pytest.mark.parametrize("error", [errno.EACCES, errno.EPERM])
def test_a_medium_that_denies_is_no_damage(tmp_path: Path, error: int) -> None:
    class Denied(DiskFiles):
        def read(self, path: Path) -> bytes | None:
            raise OSError(error, os.strerror(error), str(path))

    with pytest.raises(WitnessDeniedError):
        Witness(tmp_path, TABLE, Denied()).look()


def descriptors() -> int:
    """How many files this process holds open."""
    return len(list(Path("/proc/self/fd").iterdir()))


def test_a_file_is_made_whole_over_an_old_draft_and_readable_by_its_group(tmp_path: Path) -> None:
    path = tmp_path / "slot-a"
    (tmp_path / "slot-a.new").write_bytes(b"x" * 50)
    before = descriptors()
    mask = os.umask(0)
    try:
        DiskFiles().make(path, b"whole")
        DiskFiles().make(tmp_path / "slot-b", b"another")
    finally:
        os.umask(mask)
    assert (path.read_bytes(), sorted(each.name for each in tmp_path.iterdir())) == (
        b"whole",
        ["slot-a", "slot-b"],
    )
    assert (tmp_path / "slot-b").stat().st_mode & 0o777 == 0o640
    DiskFiles().overwrite(path, b"WH")
    assert path.read_bytes() == b"WHole"
    assert descriptors() == before
    assert DiskFiles().read(tmp_path / "nothing") is None


def test_a_write_that_the_medium_takes_in_pieces_is_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda descriptor, data, offset: real(descriptor, data[:3], offset))
    DiskFiles().make(tmp_path / "slot-a", b"ten bytes.")
    assert (tmp_path / "slot-a").read_bytes() == b"ten bytes."


def entry(event: ev.AnyEvent, *results: ev.AnyResult) -> Entry:
    return Entry(event, results, a_table())


def test_a_batch_is_owed_for_any_of_its_records(tmp_path: Path, rows: list[Row]) -> None:
    noted = entry(ev.NoiseSeen(1, "seat_1", 1, 5), ev.Noted())
    owing = (
        entry(ev.Stopped(1, "SIGTERM"), ev.Noted()),
        entry(ev.DisputeRaised(1, 2), ev.Noted()),
        entry(ev.ChipDropped(1, 2), ev.Noted(), ev.WagerVoided(2, 0)),
    )
    for number, each in enumerate(owing):
        files = FullFiles()
        place = tmp_path / str(number)
        place.mkdir()
        copy = SecondCopy(Witness(place, TABLE, files))
        copy.owe((noted,), rows[1])
        copy.settle(1)
        assert files.tried == 0
        copy.owe((noted, each, noted), rows[2])
        copy.settle(2)
        assert files.tried == 2
