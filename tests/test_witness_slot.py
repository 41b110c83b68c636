"""A slot's bytes: whatever happens to them is noticed, or changes nothing that is read."""

import hashlib
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.journal.record import Row
from controller.signing.key import PrivateKey
from controller.witness import Damaged, Witness
from controller.witness.errors import SlotError, TooLargeError
from controller.witness.slot import BLOCK_BYTES, SLOT_BYTES, decode_slot, encode
from tests.helpers_signing import FORGER, PUBLIC, SEED, public_of, signature_of
from tests.helpers_table import TABLE, WALL_NS
from tests.helpers_witness import a_slot, long_row, rows_of, slot_file

KEY = PrivateKey.from_seed(SEED)


@pytest.fixture(scope="module")
def row(tmp_path_factory: pytest.TempPathFactory) -> Row:
    """GAME OVER of the third round."""
    return rows_of(tmp_path_factory.mktemp("rows"))[-1]


def test_a_slot_gives_back_the_row_it_was_made_of(row: Row) -> None:
    slot = a_slot(row, serial=7)
    assert (slot.table, slot.serial, slot.row) == (TABLE, 7, row)
    assert slot.head == (13, row[-1])
    assert slot.record.state.pot.levels[0].current == 10_006_000


def test_a_person_can_read_it_and_check_its_sum_with_any_tool(row: Row) -> None:
    line, _, rest = slot_file(row).partition(b"\n")
    document = json.loads(line)
    assert list(document) == ["format", "table", "serial", "key", "record", "signature", "sum"]
    assert document["record"]["event"]["kind"] == "game_over_pressed"
    assert document["record"]["state"] == json.loads(row[8])
    body = line[: line.index(b',"sum"')]
    assert document["sum"] == hashlib.sha256(body).hexdigest()
    signed = hashlib.sha256(line[: line.index(b',"signature"')]).hexdigest()
    assert document["signature"] == signature_of(SEED, "pozo slot 1", TABLE, 1, signed)
    assert document["key"] == PUBLIC
    assert set(rest) == {ord(" ")}


def test_a_write_touches_no_more_blocks_than_its_document_needs(row: Row) -> None:
    assert len(encode(TABLE, 1, row, KEY)) == BLOCK_BYTES
    assert len(encode(TABLE, 1, long_row(150), KEY)) == 2 * BLOCK_BYTES


def test_a_shorter_document_over_a_longer_one_is_read_alone(row: Row) -> None:
    short = encode(TABLE, 9, row, KEY)
    long = slot_file(long_row(150), 8)
    assert decode_slot(short + long[len(short) :]).row == row


def test_a_table_that_took_in_all_transfers_it_can_still_fits() -> None:
    assert len(a_slot(long_row(1_000)).record.state.received) == 1_000


def test_a_record_that_does_not_fit_is_refused_and_says_so() -> None:
    with pytest.raises(
        TooLargeError, match=r"record 9 takes .* a slot of the witness holds 131072: call the maker"
    ):
        encode(TABLE, 1, long_row(4_000), KEY)


@given(data=st.data())
def test_any_changed_bytes_are_noticed_or_change_nothing(row: Row, data: st.DataObject) -> None:
    good = slot_file(row, 3)
    bad = bytearray(good)
    places = st.integers(0, BLOCK_BYTES - 1) | st.integers(0, SLOT_BYTES - 1)
    for place in data.draw(st.lists(places, min_size=1, max_size=20)):
        bad[place] = data.draw(st.integers(0, 255))
    try:
        slot = decode_slot(bytes(bad))
    except SlotError:
        return
    assert (slot.table, slot.serial, slot.row) == (TABLE, 3, row)


def test_every_single_changed_bit_of_the_document_is_noticed(row: Row) -> None:
    good = slot_file(row)
    length = good.index(b"\n")
    document = len(good[:length].rstrip(b" "))
    for place in range(document):
        bad = bytearray(good)
        bad[place] ^= 1 << (place % 8)
        with pytest.raises(SlotError):
            decode_slot(bytes(bad))


@given(st.binary(max_size=4_000))
def test_bytes_of_any_kind_are_no_slot(junk: bytes) -> None:
    for data in (junk, junk.ljust(SLOT_BYTES), junk.ljust(SLOT_BYTES, b"\n"), junk.ljust(SLOT_BYTES, b"\0")):
        with pytest.raises(SlotError):
            decode_slot(data)


def forged(body: bytes) -> bytes:
    """A document with a right sum, whatever it says."""
    line = body[:-1] + b',"sum":"' + hashlib.sha256(body[:-1]).hexdigest().encode() + b'"}'
    return (line + b"\n").ljust(SLOT_BYTES)


def body_of(row: Row, old: bytes = b"", new: bytes = b"", seed: bytes | None = None) -> bytes:
    """A slot's document with something in it exchanged, without its sum; unsigned, so that all of it is judged."""
    line = slot_file(row, seed=seed).partition(b"\n")[0]
    body = line[: line.index(b',"sum"')] + b"}"
    assert old in body
    return body.replace(old, new, 1)


def test_a_forged_body_that_is_right_reads_as_before(row: Row) -> None:
    assert decode_slot(forged(body_of(row))).row == row


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        (b"witness 2", b"witness 1", "its format is 'pozo witness 1', this program knows 'pozo witness 2'"),
        (b'"signature":""', b'"signature" :""', "its signature does not stand where it belongs"),
        (b'"signature":""', f'"signature":"{"0" * 128}"'.encode(), "its signature is not that of the key"),
        (b'"key":""', f'"key":"{PUBLIC}"'.encode(), "its signature is not that of the key"),
        (b'"serial":1', b'"serial":0', "its numbers do not begin with 1"),
        (b'"serial":1', b'"serial":1.5', "no document of a witness"),
        (b'"serial":1', b'"serial":"1"', "no document of a witness"),
        (b'"serial":1', b'"more":2,"serial":1', "no document of a witness"),
        (b'"seq":13', b'"seq":0', "its numbers do not begin with 1"),
        (b'"seq":13', b'"seq":9223372036854775808', "are none of ours"),
        (b'"serial":1', b'"serial":99999999999999999999', "are none of ours|no document of a witness"),
        (b'"game_over_pressed"', b'"no_such_kind"', "its record cannot be read"),
        (b'"at_ns":30', b'"at_ns":31', "its record cannot be read"),
        (b'"current":10006000', b'"current":10006001', "-1000000 millionths of a minor unit are missing"),
        (b'"current":10006000', b'"current":1e999', "its record cannot be read"),
        (b'"seats":[', b'"seats":[[[[[', "no document of a witness"),
        (TABLE.encode(), b"mesa-\xff", "no document of a witness"),
    ],
)
def test_a_document_with_a_right_sum_is_still_judged(row: Row, old: bytes, new: bytes, why: str) -> None:
    with pytest.raises(SlotError, match=why):
        decode_slot(forged(body_of(row, old, new)))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b'"current":10006000,"house_funding":10000000', b'"current":10006001,"house_funding":10000001'),
        (b'"serial":1', b'"serial":4611686018427387903'),
        (TABLE.encode(), b"mesa-9"),
        (PUBLIC.encode(), public_of(FORGER).encode()),
        (b'"signature":"', b'"signature":"0'),
        (b'"wall_trusted":1', b'"wall_trusted":0'),
    ],
)
def test_nothing_under_a_signature_is_changed_unseen(row: Row, old: bytes, new: bytes) -> None:
    with pytest.raises(SlotError, match="its signature is not that of the key it names"):
        decode_slot(forged(body_of(row, old, new, SEED)))


def test_a_slot_says_under_which_key_its_signature_is_good(row: Row) -> None:
    assert a_slot(row).key == PUBLIC
    assert a_slot(row, seed=FORGER).key == public_of(FORGER)
    assert a_slot(row, seed=None).key == ""


ESCAPE = "\x1b[2J\x1b[HAll is well"
LONG = "x" * 101


@pytest.mark.parametrize("name", [ESCAPE, "a\nb", "a\u202eb", LONG], ids=["escape", "line", "turned", "long"])
def test_no_slot_brings_characters_to_a_terminal_that_repaint_it(row: Row, name: str) -> None:
    with pytest.raises(SlotError, match="none that a table has"):
        decode_slot(slot_file(row, table=name))
    with pytest.raises(SlotError, match="none that a table has"):
        decode_slot(slot_file((*row[:-1], name)))
    level = row[8].replace('"main"', json.dumps(name))
    assert level != row[8]
    with pytest.raises(SlotError, match="none that a table has"):
        decode_slot(slot_file((*row[:8], level, row[9])))


def test_what_is_wrong_with_a_slot_is_told_without_its_control_characters(row: Row, tmp_path: Path) -> None:
    odd = row[8].replace('"phase":"open"', f'"phase":{json.dumps(ESCAPE)}')
    assert odd != row[8]
    (tmp_path / "slot-a").write_bytes(slot_file((*row[:8], odd, row[9])))
    first, _ = Witness(tmp_path, TABLE).look()
    assert isinstance(first, Damaged)
    assert first.why.isprintable()


def test_deep_nesting_is_no_slot() -> None:
    row = (1, 1, 1, WALL_NS, 1, "stopped", "[" * 20_000 + "]" * 20_000, "[]", "{}", "d")
    with pytest.raises(SlotError):
        decode_slot(slot_file(row))
