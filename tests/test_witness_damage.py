"""Ten thousand damages of journal and witness at rest: each is caught, or changes nothing that is shown."""

import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from controller.core.state import Table
from controller.drill.key import VIRTUAL_KEY
from controller.journal import FormatError, NotCommissionedError, ends_of, records
from controller.soak.disk import MEMORY
from controller.witness import Slot, Witness
from controller.witness.examine import examine
from controller.witness.verdict import GoodJournal, Stranded, proposed
from tests.helpers_witness import a_round_of, played

TRIES = 10_000
SEED = 20_261_129
TABLE = "SIM-1"
JOURNAL, LOG, SLOTS = "journal.db", "journal.db-wal", ("witness/slot-a", "witness/slot-b")

Files = dict[str, bytes]
Damage = Callable[[bytearray, random.Random], bytes]


class History(NamedTuple):
    """What truly was: the state after each record, and the files at the end and one round before it."""

    states: dict[int, Table]
    files: Files
    older: Files


def files_of(folder: Path) -> Files:
    """A table's files, without the zeros that are set aside in the log."""
    return {
        name: (folder / name).read_bytes().rstrip(b"\0") if name == LOG else (folder / name).read_bytes()
        for name in (JOURNAL, LOG, "journal.db.id", *SLOTS)
        if (folder / name).exists()
    }


@pytest.fixture(scope="module", params=["switched off", "power cut"])
def history(request: pytest.FixtureRequest) -> History:
    with played(3) as world:
        ends = {"switched off": world.power_off, "power cut": world.power_cut}
        ends[request.param]()
        folder = world.medium.journal.parent
        older = files_of(folder)
        world.power_on(open_table=True)
        a_round_of(world, 1, 2, 3)
        ends[request.param]()
        folder = world.medium.journal.parent
        files = files_of(folder)
        states = {record.seq: record.state for record in records(world.medium.journal)}
    return History(states, files, older)


def flip(data: bytearray, rng: random.Random) -> bytes:
    for _ in range(rng.randint(1, 8)):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    return bytes(data)


def overwrite(data: bytearray, rng: random.Random) -> bytes:
    start, length = rng.randrange(len(data)), rng.choice((1, 7, 512, 2_048, 4_096))
    data[start : start + length] = rng.randbytes(len(data[start : start + length]))
    return bytes(data)


def zero(data: bytearray, rng: random.Random) -> bytes:
    start, length = rng.randrange(len(data)), rng.choice((1, 512, 2_048, 4_096))
    data[start : start + length] = bytes(len(data[start : start + length]))
    return bytes(data)


def cut_off(data: bytearray, rng: random.Random) -> bytes:
    return bytes(data[: rng.randrange(len(data))])


def one_block_for_another(data: bytearray, rng: random.Random) -> bytes:
    here, there = (512 * rng.randrange(max(len(data) // 512, 1)) for _ in range(2))
    data[here : here + 512] = data[there : there + 512]
    return bytes(data)


def digit(data: bytearray, rng: random.Random) -> bytes:
    """One digit of an amount, where there is one: the damage a thief would do by hand."""
    places = [place for place in range(len(data)) if data[place : place + 10] == b'"current":']
    if not places:
        return flip(data, rng)
    place = rng.choice(places) + 10 + rng.randrange(8)
    data[place : place + 1] = str(rng.randrange(10)).encode()
    return bytes(data)


DAMAGES: tuple[Damage, ...] = (flip, overwrite, zero, cut_off, one_block_for_another, digit)


def damaged(history: History, rng: random.Random) -> Files:
    """One to three of the files damaged or gone, or one copy as it was a round ago."""
    files = dict(history.files)
    match rng.randrange(10):
        case 0:
            return files | {name: history.older[name] for name in SLOTS}
        case 1:
            return {name: data for name, data in files.items() if name in SLOTS} | {
                name: data for name, data in history.older.items() if name not in SLOTS
            }
        case 2:
            return {name: data for name, data in files.items() if rng.random() < 0.5}
        case _:
            for name in rng.sample([JOURNAL, LOG, *SLOTS], rng.randint(1, 3)):
                if files.get(name):
                    files[name] = rng.choice(DAMAGES)(bytearray(files[name]), rng)
            return files


@pytest.fixture
def folder() -> Iterator[Path]:
    made = Path(tempfile.mkdtemp(dir=MEMORY if MEMORY.is_dir() else None))
    yield made
    shutil.rmtree(made)


def outcome(history: History, files: Files, folder: Path) -> str:
    """What a start says of these files; whatever it shows must be true."""
    for path in folder.rglob("*"):
        if path.is_file():
            path.unlink()
    (folder / "witness").mkdir(exist_ok=True)
    (folder / f"{JOURNAL}.key").write_text(VIRTUAL_KEY.line())
    for name, data in files.items():
        (folder / name).write_bytes(data)
    try:
        found = examine(folder / JOURNAL, TABLE, Witness(folder / "witness", TABLE), lambda: None)
    except (FormatError, NotCommissionedError) as error:
        return type(error).__name__
    for slot in found.slots:
        if isinstance(slot, Slot):
            assert slot.record.state == history.states[slot.record.seq], "a slot reads as what never was"
    verdict = found.verdict
    if isinstance(verdict, Stranded):
        shown = proposed(verdict)
        if shown is not None:
            assert shown[1].state == history.states[shown[1].seq], "a state that never was"
    else:
        assert isinstance(found.journal, GoodJournal)
        last = ends_of(folder / JOURNAL).last
        assert last.state == history.states[last.seq]
        newest = max(history.states)
        everything = all(files.get(name) == history.files[name] for name in SLOTS)
        assert last.seq == newest or not everything, "an older journal beside the whole witness"
    return type(verdict).__name__


@pytest.mark.slow
def test_ten_thousand_damages_are_caught_or_harmless_and_no_wrong_amount_is_shown(
    history: History, folder: Path
) -> None:
    rng = random.Random(SEED)
    seen = Counter(outcome(history, damaged(history, rng), folder) for _ in range(TRIES // 2))
    assert seen.total() == TRIES // 2
    every = {
        "Agreed",
        "HalfDamaged",
        "AllDamaged",
        "NoWitness",
        "JournalBehind",
        "JournalLost",
        "NothingTrusted",
    }
    assert every <= set(seen), seen


def test_what_is_whole_agrees(history: History, folder: Path) -> None:
    assert outcome(history, history.files, folder) == "Agreed"
