"""What a spoilt half of the witness still says is shown to whoever recovers a table, as not proven."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from controller.core.game import Fund, Hand
from controller.core.state import Award
from controller.journal import ends_of
from controller.journal.record import decode
from controller.witness.errors import SlotError
from controller.witness.leftover import leftover, said
from controller.witness.slot import SLOT_BYTES, decode_slot
from tests.helpers_cli import pozo_run
from tests.helpers_process import journal_of, opened
from tests.helpers_witness import rows_of, slot_file
from tests.test_recover_cli import lose_journal

OWED = Award(1, 2, 5, Hand.FLUSH, None, 50_000, Fund.HOUSE)


@pytest.fixture(scope="module")
def slot(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A good slot that owes award 1, dated 2026-11-30 03:40 UTC (1,796,010,000 s)."""
    row = rows_of(tmp_path_factory.mktemp("journal"))[-1]
    state = replace(decode(row).state, awards=(OWED,))
    wall_ns = 1_796_010_000 * 1_000_000_000
    return slot_file((*row[:3], wall_ns, *row[4:8], msgspec.json.encode(state).decode(), row[9]))


def spoilt(folder: Path, data: bytes, old: bytes, new: bytes) -> Path:
    """The slot with one place of it changed; a good one it is no more."""
    assert old in data
    made = data.replace(old, new, 1)
    with pytest.raises(SlotError):
        decode_slot(made)
    path = folder / "slot-b"
    path.write_bytes(made)
    return path


def test_with_a_digit_wrong_number_date_pots_and_debts_are_shown(tmp_path: Path, slot: bytes) -> None:
    path = spoilt(tmp_path, slot, b'"boot":1', b'"boot":7')
    found = leftover(path)
    assert found is not None
    assert found.state is not None
    assert found.state.awards == (OWED,)
    words = said(found, 3, str)
    assert words.startswith(f"readable in it, NOT PROVEN: record {found.seq}, of 2026-11-30 03:40Z, round ")
    assert "unpaid awards 1 (50000)" in words
    assert words.endswith("; LATER than record 3, the newest good one")
    assert "LATER" not in said(found, found.seq, str)


def test_with_a_broken_state_the_pots_that_can_be_read_are_shown(tmp_path: Path, slot: bytes) -> None:
    path = spoilt(tmp_path, slot, b'"phase":', b'"phase\x00:')
    found = leftover(path)
    assert found is not None
    assert found.state is None
    (name, amount) = found.levels[0]
    assert f"{name} {amount}" in said(found, 0, str)
    assert said(found, 0, str).endswith("what it owes cannot be read")


def test_of_what_is_no_slot_nothing_is_said(tmp_path: Path) -> None:
    path = tmp_path / "slot-a"
    assert leftover(path) is None
    path.write_bytes(b"\xff" * SLOT_BYTES)
    assert leftover(path) is None
    path.unlink()
    path.symlink_to("/etc/passwd")
    assert leftover(path) is None


@given(where=st.integers(0, 4_000), put=st.binary(min_size=1, max_size=40))
def test_no_damage_ends_it_and_no_name_is_shown_that_commands_a_terminal(
    slot: bytes, tmp_path_factory: pytest.TempPathFactory, where: int, put: bytes
) -> None:
    path = tmp_path_factory.mktemp("spoilt") / "slot-a"
    path.write_bytes(slot[:where] + put + slot[where + len(put) :])
    found = leftover(path)
    if found is not None:
        assert said(found, 1, str).isprintable()


def test_recover_shows_it_beside_the_good_half(tmp_path: Path) -> None:
    """The journal is lost and one half spoilt: if that was the newer one, both persons see what it says."""
    config = opened(tmp_path)
    last = ends_of(journal_of(config)).last
    lose_journal(config)
    halves = sorted(tmp_path.rglob("slot-?"), key=lambda path: decode_slot(path.read_bytes()).head.seq)
    data = halves[1].read_bytes()
    halves[1].write_bytes(data.replace(b'"serial":', b'"serial" '))
    shown = pozo_run("recover", "--config", config).output
    assert f"readable in it, NOT PROVEN: record {last.seq}, " in shown
    assert "no unpaid award; LATER than record " in shown
