"""The model of a disk, by hand: what it may hold after a power cut, and that the recording layer misses nothing."""

import os
import random
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from controller.soak import disk_vfs
from controller.soak.disk import LossyMedium, RecordingDisk, read_tree
from controller.soak.disk_calls import PowerCut
from controller.soak.disk_model import GARBAGE, SECTOR, Tree, Volume, without_zeros
from controller.soak.disk_ops import (
    Create,
    FailedFlush,
    Flush,
    FlushNames,
    MakeDirectory,
    Op,
    Rename,
    Trouble,
    Truncate,
    Unlink,
    Write,
    apply,
)
from controller.soak.disk_states import choices, legal_states

A, B, C = (letter * SECTOR for letter in (b"a", b"b", b"c"))
ZEROS = bytes(SECTOR)


def left(base: Tree, *ops: Op) -> set[tuple[tuple[str, bytes], ...]]:
    """Every state that may be left after these, by trying all."""
    volume = Volume(base)
    for op in ops:
        apply(volume, op)
    atoms = volume.atoms()
    return {
        tuple(sorted(volume.tree(atoms, choice).items()))
        for choice in product(*(range(atom.options) for atom in atoms))
    }


def contents(base: Tree, *ops: Op) -> set[bytes]:
    """The same, where there is the one file `f`."""
    return {dict(state)["f"] for state in left(base, *ops)}


def test_what_was_not_flushed_is_there_or_not() -> None:
    assert contents({"f": A}, Write("f", 0, B)) == {A, B}
    assert contents({"f": A}, Write("f", 0, B), Flush("f")) == {B}


def test_a_sector_holds_any_content_it_was_given_since_the_flush() -> None:
    assert contents({"f": A}, Write("f", 0, B), Write("f", 0, C)) == {A, B, C}


def test_sectors_are_lost_one_by_one_and_never_torn_inside() -> None:
    assert contents({"f": A + A}, Write("f", 0, B + B)) == {A + A, A + B, B + A, B + B}
    half = A[:256] + B[:256]
    assert contents({"f": A}, Write("f", 256, B[:256])) == {A, half}


def test_a_file_grows_by_data_by_zeros_by_garbage_or_not_at_all() -> None:
    assert contents({"f": A}, Write("f", SECTOR, B)) == {A, A + B, A + ZEROS, A + GARBAGE}


def test_a_cut_off_end_may_still_be_there() -> None:
    assert contents({"f": A + B}, Truncate("f", SECTOR)) >= {A, A + B}
    assert contents({"f": A + B}, Truncate("f", SECTOR), Flush("f")) == {A}


def test_zeros_written_over_nothing_may_be_garbage() -> None:
    assert contents({"f": A}, Write("f", SECTOR, ZEROS)) == {A, A + ZEROS, A + GARBAGE}


def test_names_wait_for_their_directory() -> None:
    made = (Create("d/f"), Write("d/f", 0, A), Flush("d/f"))
    assert left({}, *made) == {(), (("d/f", A),)}
    assert left({}, *made, FlushNames(".")) == {(), (("d/f", A),)}
    assert left({}, *made, FlushNames("d")) == {(("d/f", A),)}


def test_a_new_directory_waits_for_the_one_above_it() -> None:
    made = (MakeDirectory("d"), Create("d/f"), Write("d/f", 0, A), Flush("d/f"), FlushNames("d"))
    assert left({}, *made) == {(), (("d/f", A),)}
    assert left({}, *made, FlushNames(".")) == {(("d/f", A),)}


def test_a_move_is_never_half() -> None:
    base = {"new": B, "f": A}
    assert left(base, Rename("new", "f")) == {(("f", A), ("new", B)), (("f", B),)}
    assert left(base, Rename("new", "f"), FlushNames(".")) == {(("f", B),)}


def test_a_removed_file_may_come_back_as_it_was_flushed() -> None:
    assert left({"f": A}, Unlink("f")) == {(), (("f", A),)}
    again = (Unlink("f"), Create("f"), Write("f", 0, B), Flush("f"))
    assert left({"f": A}, *again) == {(), (("f", A),), (("f", B),)}


def test_a_flush_that_succeeds_makes_nothing_good_that_one_before_lost() -> None:
    failed = (Write("f", 0, B), FailedFlush("f"))
    assert contents({"f": A}, *failed, Flush("f")) == {A, B}
    assert contents({"f": A}, *failed, Write("f", 0, C), Flush("f")) == {C}


OPS = st.lists(
    st.one_of(
        st.builds(
            Write,
            st.just("f"),
            st.integers(0, 3 * SECTOR),
            st.binary(min_size=1, max_size=3 * SECTOR),
        ),
        st.builds(Truncate, st.just("f"), st.integers(0, 4 * SECTOR)),
        st.just(Flush("f")),
        st.just(FailedFlush("f")),
    ),
    max_size=12,
)


@given(OPS, st.integers())
def test_after_a_flush_of_all_that_was_written_anew_there_is_one_state_and_it_is_the_programs(
    ops: list[Op], seed: int
) -> None:
    volume = Volume({"f": A})
    expected = bytearray(A)
    for op in ops:
        apply(volume, op)
        match op:
            case Write(offset=offset, data=data):
                expected.extend(bytes(max(0, offset + len(data) - len(expected))))
                expected[offset : offset + len(data)] = data
            case Truncate(size=size):
                expected = bytearray(expected[:size].ljust(size, b"\0"))
            case _:
                pass  # a flush changes nothing that the program sees
    atoms = volume.atoms()
    newest = [atom.options - 1 for atom in atoms]
    assert volume.tree(atoms, newest) == {"f": bytes(expected)}
    for again in (Truncate("f", 0), Write("f", 0, bytes(expected) + C), Flush("f")):
        apply(volume, again)
    assert list(choices(volume.atoms(), random.Random(seed), 8)) == [()]


@given(st.binary(max_size=64), st.integers(0, 200_000))
def test_zeros_at_the_end_are_taken_off(data: bytes, zeros: int) -> None:
    assert without_zeros(data + bytes(zeros)) == data.rstrip(b"\0")


def test_few_choices_are_all_tried_and_many_are_told_apart() -> None:
    log = [Write("f", 0, (B + C) * 10)]
    states = [tree["f"] for done, tree in legal_states({"f": A * 20}, log, random.Random(1), 50) if done == 1]
    assert len(set(states)) == len(states) == 50
    assert {A * 20, (B + C) * 10} <= set(states)
    assert len(list(legal_states({"f": A}, [Write("f", 0, B)], random.Random(1), 50))) == 3


@pytest.fixture
def medium() -> Iterator[LossyMedium]:
    with closing(LossyMedium(1, log=[])) as made:
        made.journal.touch()
        yield made


def log_of(medium: LossyMedium) -> Sequence[Op]:
    assert medium.disk.log is not None
    return medium.disk.log


def prepared(medium: LossyMedium, synchronous: str) -> sqlite3.Connection:
    connection = medium.connect(medium.journal)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute(f"PRAGMA synchronous={synchronous}")
    connection.execute("CREATE TABLE t(x)")
    connection.execute("INSERT INTO t VALUES(1)")
    return connection


@pytest.mark.parametrize(("synchronous", "flushes"), [("FULL", 1), ("NORMAL", 0)])
def test_a_commit_is_heard_with_its_flush(medium: LossyMedium, synchronous: str, flushes: int) -> None:
    with closing(prepared(medium, synchronous)) as connection:
        before = len(log_of(medium))
        connection.execute("INSERT INTO t VALUES(2)")
        done = log_of(medium)[before:]
        assert sum(isinstance(op, Flush) for op in done) == flushes
        assert {getattr(op, "name", "") for op in done} == {"journal.db-wal"}


def test_the_model_holds_what_the_files_hold(medium: LossyMedium) -> None:
    """Everything SQLite does to its files in a busy session is heard, byte by byte."""
    rng = random.Random(7)
    with closing(prepared(medium, "FULL")) as connection:
        for number in range(300):
            connection.execute("INSERT INTO t VALUES(?)", (rng.randbytes(rng.randrange(3_000)),))
            if number % 40 == 0:
                connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            if number % 60 == 0:
                connection.execute("DELETE FROM t")
                connection.execute("VACUUM")
        seen = medium.disk.volume.seen()
        assert seen == read_tree(medium.disk.root)
    seen = medium.disk.volume.seen()
    assert seen == read_tree(medium.disk.root)
    assert "journal.db-wal" not in seen


def test_calls_beside_sqlite_are_heard(medium: LossyMedium) -> None:
    folder = medium.disk.root
    descriptor = os.open(folder / "a.new", os.O_RDWR | os.O_CREAT)
    os.pwrite(descriptor, b"one", 0)
    with os.fdopen(os.dup(descriptor), "r+b") as file:
        file.write(b"two")  # past the os module: found by looking
    os.fsync(descriptor)
    os.ftruncate(descriptor, 2)
    os.fdatasync(descriptor)
    (folder / "a.new").rename(folder / "a")
    directory = os.open(folder, os.O_RDONLY)
    os.fsync(directory)
    (folder / "a").unlink()
    (folder / "d").mkdir()
    os.close(directory)
    os.close(descriptor)
    heard = [op for op in log_of(medium) if getattr(op, "name", "") != "journal.db"]
    assert heard == [
        Create("a.new"),
        Write("a.new", 0, b"one"),
        Write("a.new", 0, b"two"),
        Flush("a.new"),
        Truncate("a.new", 2),
        Flush("a.new"),
        Rename("a.new", "a"),
        FlushNames("."),
        Unlink("a"),
        MakeDirectory("d"),
    ]


def test_calls_on_other_files_go_their_way_and_the_system_has_its_own_back(tmp_path: Path) -> None:
    real = os.open, os.fsync, os.unlink
    disk = RecordingDisk(tmp_path, log=[])
    with closing(disk):
        assert os.open is not real[0]
    assert (os.open, os.fsync, os.unlink) == real
    assert disk.log == []


def test_nothing_is_done_once_the_power_is_gone(medium: LossyMedium) -> None:
    with closing(prepared(medium, "FULL")) as connection:
        for ops in (0, 1, 2):
            medium.disk.gone = False
            before = len(log_of(medium))
            medium.disk.cut_after(ops)
            with pytest.raises(PowerCut):
                connection.execute("INSERT INTO t VALUES(?)", (ops,))
            assert len(log_of(medium)) - before == ops
        with pytest.raises(PowerCut):
            os.close(os.open(medium.disk.root / "new", os.O_WRONLY | os.O_CREAT))
        assert not (medium.disk.root / "new").exists()


@pytest.mark.parametrize(
    ("trouble", "code"),
    [
        (Trouble.FULL, sqlite3.SQLITE_FULL),
        (Trouble.READ_ONLY, sqlite3.SQLITE_IOERR_WRITE),
        (Trouble.IO, sqlite3.SQLITE_IOERR_FSYNC),
    ],
)
def test_trouble_reaches_the_program_as_the_device_would_give_it(
    medium: LossyMedium, trouble: Trouble, code: int
) -> None:
    with closing(prepared(medium, "FULL")) as connection:
        medium.disk.fail(trouble)
        with pytest.raises(sqlite3.OperationalError) as caught:
            connection.execute("INSERT INTO t VALUES(2)")
        assert caught.value.sqlite_errorcode == code
        connection.execute("INSERT INTO t VALUES(3)")
        assert connection.execute("SELECT x FROM t").fetchall() == [(1,), (3,)]


def test_trouble_may_come_later_and_more_than_once(medium: LossyMedium) -> None:
    medium.disk.fail(Trouble.IO, 2, after=1)
    medium.disk.do(Create("f"))
    assert [medium.disk.do(Flush("f")) for _ in range(5)] == [None, Trouble.IO, Trouble.IO, None, None]


def test_a_mistake_inside_the_layer_is_told_and_not_taken_for_the_device(medium: LossyMedium) -> None:
    with closing(prepared(medium, "FULL")) as connection:
        medium.disk.volume.names.clear()
        with pytest.raises(KeyError):
            connection.execute("INSERT INTO t VALUES(2)")
    disk_vfs.errors.clear()


def test_a_killed_process_leaves_what_it_wrote_and_it_stays_unsafe(medium: LossyMedium) -> None:
    connection = prepared(medium, "NORMAL")
    connection.execute("INSERT INTO t VALUES(2)")
    medium.let_go()
    connection.close()
    medium.forget_lost()
    with closing(medium.connect(medium.journal)) as again:
        assert again.execute("SELECT count(*) FROM t").fetchone() == (2,)
        assert medium.disk.volume.atoms()
