"""A journal knows on what kind of board it was made, and a simulated one is never put over a real table's."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from controller.admit import admit, look
from controller.assemble import assemble, commission_table
from controller.bound import OtherBoardError, refuse_other_board
from controller.clock import VirtualClock
from controller.config import Settings, load
from controller.core import events as ev
from controller.journal import ends_of
from hal.interface import Factory
from hal.simulated import SimulatedHal
from tests.helpers_cli import own_table, pozo_run
from tests.test_forged_history import forged


def real(settings: Settings) -> Settings:
    """The same table on a board with pins."""
    return replace(settings, wiring=replace(settings.wiring, factory=Factory.LGPIO))


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A file that names a simulated board, over a journal that was commissioned on a real one."""
    config = own_table(tmp_path)
    commission_table(real(load(str(config))), VirtualClock())
    return config


def kept(folder: Path) -> dict[str, bytes]:
    return {
        str(path): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.endswith(("-shm", ".lock", "-wal"))
    }


BY_A_FILE = (
    ("users", "add", "Ana", "--role", "supervisor", "--number", "7", "--turn-keys"),
    ("users", "restore", "--turn-keys"),
    ("transfer", "send", "main", "1.00", "mesa-9", "NEW", "--reason", "x", "--turn-keys"),
    ("journal", "rekey", "--supervisor", "Ana", "--technician", "Beto", "--reason", "x", "--turn-keys"),
    ("recover", "--supervisor", "Ana", "--technician", "Beto", "--reason", "x", "--turn-keys"),
    ("run",),
)


@pytest.mark.parametrize("command", BY_A_FILE, ids=lambda command: " ".join(command[:2]))
def test_an_edited_file_turns_no_keys_of_a_real_journal(config: Path, command: tuple[str, ...]) -> None:
    before = kept(config.parent)
    written = [str(config.parent / "sent.json") if word == "NEW" else word for word in command]
    done = pozo_run(*written, "--config", config, typed="7391\n" * 4)
    assert done.exit_code == 1, done.output
    assert "names a simulated board" in done.output
    assert "Turn both keys" not in done.output
    assert kept(config.parent) == before


def test_an_edited_file_accepts_no_rules_of_a_real_journal(config: Path) -> None:
    text = config.read_text(encoding="utf-8")
    assert 'amount = "10.00"' in text
    config.write_text(text.replace('amount = "10.00"', 'amount = "20.00"', 1), encoding="utf-8")
    before = kept(config.parent)
    command = ("commission", "--supervisor", "Ana", "--technician", "Beto", "--turn-keys")
    done = pozo_run(*command, "--config", config)
    assert done.exit_code == 1, done.output
    assert "names a simulated board" in done.output
    assert kept(config.parent) == before


def test_neither_start_nor_look_goes_over_a_real_journal(config: Path) -> None:
    settings, clock = load(str(config)), VirtualClock()
    with pytest.raises(OtherBoardError):
        assemble(settings, SimulatedHal(settings.wiring, clock.monotonic_ns), clock, lambda _: None)
    with pytest.raises(OtherBoardError):
        look(settings)


def test_record_1_says_on_what_board_it_was_made(config: Path, tmp_path: Path) -> None:
    first = ends_of(load(str(config)).journal).first.event
    assert isinstance(first, ev.Commissioned)
    assert first.simulated is False
    (tmp_path / "desk").mkdir()
    desk = load(str(own_table(tmp_path / "desk")))
    commission_table(desk, VirtualClock())
    made = ends_of(desk.journal).first.event
    assert isinstance(made, ev.Commissioned)
    assert made.simulated is True


@pytest.mark.parametrize("board", ["simulated:0", ""])
def test_what_the_last_record_was_made_on_binds_as_record_1_does(config: Path, board: str) -> None:
    """A recovery in the middle changes the board in every state from there on: nothing has to be looked for."""
    settings = load(str(config))
    last: dict[str, object] = {"kind": "stopped", "why": "x"}
    forged(settings.journal, last, edit=lambda state: state.update(board=board))
    if board:
        with pytest.raises(OtherBoardError, match="nobody turned a key for that"):
            refuse_other_board(real(settings))
    else:
        refuse_other_board(real(settings))
    with pytest.raises(OtherBoardError, match="names a simulated board"):
        refuse_other_board(settings)


def test_a_real_board_is_not_refused_over_its_own_journal(config: Path) -> None:
    admitted = admit(real(load(str(config))), VirtualClock())
    assert admitted.first == ()


@pytest.mark.parametrize("slots", [("slot-a", "slot-b"), ("slot-a",), ("slot-b",)], ids=",".join)
def test_an_edited_file_brings_no_real_table_back_from_its_witness(
    config: Path, slots: tuple[str, ...]
) -> None:
    """Who moves the journal away has the witness say whose table it is: the board it was written on is in it."""
    settings = load(str(config))
    settings.journal.rename(config.parent / "away.db")
    for name in {"slot-a", "slot-b"} - set(slots):
        (settings.witness / name).unlink()
    before = kept(config.parent)
    command = ("recover", "--supervisor", "Ana", "--technician", "Beto", "--reason", "x", "--turn-keys")
    done = pozo_run(*command, "--config", config)
    assert done.exit_code == 1, done.output
    assert "names a simulated board" in done.output
    assert kept(config.parent) == before


def test_a_real_table_is_not_brought_back_from_the_witness_of_a_simulated_one(tmp_path: Path) -> None:
    desk = load(str(own_table(tmp_path)))
    commission_table(desk, VirtualClock())
    desk.journal.unlink()
    with pytest.raises(OtherBoardError, match="has no key switches"):
        look(real(desk))


def test_a_simulated_table_on_another_simulated_board_is_not_taken_for_a_real_one(tmp_path: Path) -> None:
    desk = load(str(own_table(tmp_path)))
    commission_table(desk, VirtualClock())
    other = replace(desk, timings=replace(desk.timings, jam_ms=2000))
    assert admit(other, VirtualClock()).first == ()


def test_a_real_table_does_not_play_on_what_began_on_a_simulated_board(tmp_path: Path) -> None:
    desk = load(str(own_table(tmp_path)))
    commission_table(desk, VirtualClock())
    before = kept(tmp_path)
    for start in (look, lambda settings: admit(settings, VirtualClock())):
        with pytest.raises(OtherBoardError, match="has no key switches: nobody turned a key for that"):
            start(real(desk))
    assert kept(tmp_path) == before
