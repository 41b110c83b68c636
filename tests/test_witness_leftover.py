"""What a spoilt half of the witness still says is shown to whoever recovers a table, as not proven."""

import time
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
from controller.witness.leftover import Leftover, leftover, said
from controller.witness.slot import BLOCK_BYTES, SLOT_BYTES, decode_slot, encode
from tests.helpers_cli import pozo_run
from tests.helpers_process import journal_of, opened
from tests.helpers_witness import rows_of, slot_file
from tests.test_recover_cli import lose_journal

OWED = Award(1, 2, 5, Hand.FLUSH, None, 50_000, Fund.HOUSE)
DATE_NS = 1_796_010_000 * 1_000_000_000
"""2026-11-30 03:40 UTC."""


@pytest.fixture(scope="module")
def slot(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A good slot that owes award 1: record 13, GAME OVER of round 3, main at 100,060.00."""
    row = rows_of(tmp_path_factory.mktemp("journal"))[-1]
    state = replace(decode(row).state, awards=(OWED,))
    return slot_file((*row[:3], DATE_NS, *row[4:8], msgspec.json.encode(state).decode(), row[9]))


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
    assert found == Leftover(13, DATE_NS, None, (("main", 10_006_000),))
    assert said(found, 0, str) == (
        "readable in it, NOT PROVEN: record 13, of 2026-11-30 03:40Z, main 10006000, what it owes cannot be read"
    )


RECORD = b'"record":{"seq":7,'
DATE = b'"wall_ns":5,'
POTS = b'{"name":"main","current":12,"x":1},{"name":"minor","current":3}'


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (RECORD, Leftover(7, 0, None, ())),
        (POTS, Leftover(0, 0, None, (("main", 12), ("minor", 3)))),
        (DATE + POTS, Leftover(0, 5, None, (("main", 12), ("minor", 3)))),
        (b'"record":{"seq":1' + b"9" * 18 + b",", Leftover(1_999_999_999_999_999_999, 0, None, ())),
        (b'"record":{"seq":1' + b"9" * 19 + b",", None),
        (DATE, None),
        (b'"name":"main"', None),
        (b" " * SLOT_BYTES + RECORD, None),
        (b" " * (SLOT_BYTES - len(RECORD)) + RECORD, Leftover(7, 0, None, ())),
    ],
)
def test_what_helps_nobody_is_not_shown_and_what_helps_is(
    tmp_path: Path, data: bytes, found: Leftover | None
) -> None:
    path = tmp_path / "slot-a"
    path.write_bytes(data)
    assert leftover(path) == found


def test_a_state_is_shown_without_the_number_that_is_gone(tmp_path: Path, slot: bytes) -> None:
    path = spoilt(tmp_path, slot, b'"record":{"seq":13,', b'"record":{"seq":\xff3,')
    found = leftover(path)
    assert found is not None
    assert (found.seq, found.wall_ns, found.levels) == (0, DATE_NS, ())
    assert found.state == decode_slot(slot).record.state
    words = said(found, 1, str)
    assert words.startswith(
        "readable in it, NOT PROVEN: a record whose number is gone, of 2026-11-30 03:40Z, round 4, open, main 10006000"
    )
    assert words.endswith("unpaid awards 1 (50000)")


@pytest.mark.parametrize(
    ("seq", "newest", "later"),
    [(0, 0, False), (7, 0, False), (7, 8, False), (7, 7, False), (7, 6, True), (2, 1, True)],
)
def test_a_later_record_than_any_good_one_is_pointed_at(seq: int, newest: int, later: bool) -> None:
    """Where no copy has a good record there is nothing it could be later than."""
    words = said(Leftover(seq, 0, None, (("main", 5),)), newest, str)
    number = f"record {seq}" if seq else "a record whose number is gone"
    after = f"; LATER than record {newest}, the newest good one" if later else ""
    assert words == f"readable in it, NOT PROVEN: {number}, main 5, what it owes cannot be read{after}"


@pytest.mark.parametrize(("seconds", "shown"), [(1_796_010_059, "03:40Z"), (1_796_010_060, "03:41Z")])
def test_a_date_is_cut_to_its_minute_as_utc_wherever_the_table_stands(
    monkeypatch: pytest.MonkeyPatch, seconds: int, shown: str
) -> None:
    found = Leftover(7, seconds * 1_000_000_000 + 999_999_999, None, ())
    with monkeypatch.context() as elsewhere:
        elsewhere.setenv("TZ", "<-03>3")
        time.tzset()
        words = said(found, 0, str)
    time.tzset()
    assert f"of 2026-11-30 {shown}, " in words


def test_a_pot_whose_name_commands_a_terminal_is_left_out() -> None:
    found = Leftover(7, 0, None, (("ma\x1b[2Jin", 12), ("minor", 3)))
    assert said(found, 0, str).endswith(": record 7, minor 3, what it owes cannot be read")


@pytest.mark.parametrize(
    ("name", "shown"), [("x" * 100, True), ("x" * 101, False), ("a\x1b[2Jb", False), ("\u202e", False)]
)
def test_a_state_is_only_shown_with_names_that_a_table_has(
    tmp_path: Path, slot: bytes, name: str, shown: bool
) -> None:
    written = msgspec.json.encode(name)
    data = slot.replace(b'"name":"main"', b'"name":' + written, 1)
    path = spoilt(tmp_path, data, b'"boot":1', b'"boot":7')
    found = leftover(path)
    assert found is not None
    assert (found.state is not None) is shown


def test_an_unpaid_award_is_told_and_none_as_well(slot: bytes) -> None:
    state = decode_slot(slot).record.state
    for awards, end in (((), "no unpaid award"), ((replace(OWED, paid=True),), "no unpaid award")):
        words = said(Leftover(7, 0, replace(state, awards=awards), ()), 0, str)
        assert words.endswith(f"wagers taken in so far 6000, {end}")
    second = replace(OWED, number=2)
    mixed = replace(state, awards=(replace(OWED, paid=True), second))
    assert said(Leftover(7, 0, mixed, ()), 0, str).endswith(", unpaid awards 2 (50000)")


def test_nothing_of_an_older_and_longer_document_behind_the_newline_is_shown(
    tmp_path: Path, slot: bytes
) -> None:
    """Record 5 had a long event, so that its state, of another amount, lies behind record 13's block."""
    older = rows_of(tmp_path)[4]
    event = older[6].replace("}", f',"why":"{"x" * 5_000}"}}')
    behind = encode("mesa-4", 1, (*older[:6], event, *older[7:]), None).ljust(SLOT_BYTES)
    assert behind.index(b'"state":') > BLOCK_BYTES
    made = slot[:BLOCK_BYTES] + behind[BLOCK_BYTES:]
    assert decode_slot(made) == decode_slot(slot), "a good one is read without it"
    found = leftover(spoilt(tmp_path, made, b'"boot":1', b'"boot":7'))
    assert found == Leftover(13, DATE_NS, decode_slot(slot).record.state, ())
    broken = leftover(spoilt(tmp_path, made, b'"phase":', b'"phase\x00:'))
    assert broken == Leftover(13, DATE_NS, None, (("main", 10_006_000),))
    without = made[: BLOCK_BYTES - 1] + b"\xff" + made[BLOCK_BYTES:]
    assert leftover(spoilt(tmp_path, without, b'"boot":1', b'"boot":7')) == found, (
        "the newline is spoilt as well"
    )


def test_a_newline_that_damage_made_hides_nothing(tmp_path: Path, slot: bytes) -> None:
    found = leftover(spoilt(tmp_path, slot, b'"boot":1', b'"boot":\n'))
    assert found == Leftover(13, DATE_NS, decode_slot(slot).record.state, ())


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
