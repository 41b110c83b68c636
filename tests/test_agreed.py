"""A board's file changed by hand starts no table: pins, voltages, resistors, devices and times need both keys."""

from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from controller.agreed import agreed, board_in_force, changes_of
from controller.assemble import ParametersChangedError, assemble, commission_table
from controller.clock import VirtualClock
from controller.config import Settings, board_digest, game_digest, load
from controller.core import events as ev
from controller.core.table import commission
from controller.journal import Entry, Journal, ends_of
from controller.journal.read import records
from controller.recovery import Paper, Request, recover
from controller.selftest.keep import may_test
from hal.simulated import SimulatedHal
from tests.helpers_cli import own_table, pozo_run
from tests.helpers_config import Change, changed

BOARD = (Path(__file__).parents[1] / "config" / "boards" / "simulated-7seat.toml").read_text(encoding="utf-8")
PERSONS = ("--supervisor", "Ana", "--technician", "Luis", "--turn-keys")


def with_board(folder: Path, *changes: Change) -> Path:
    """A simulated table on a copy of its board's file, with changes to the board."""
    (folder / "board.toml").write_text(changed(BOARD, *changes), encoding="utf-8")
    return own_table(folder, {'"simulated-7seat"': '"./board.toml"'})


@pytest.fixture
def config(tmp_path: Path) -> Path:
    """A commissioned table on the board as it is shipped."""
    config = with_board(tmp_path)
    commission_table(load(str(config)), VirtualClock())
    return config


def start(settings: Settings) -> None:
    """Bring the program up on these files, up to the moment it would play."""
    clock = VirtualClock()
    loop, _ = assemble(settings, SimulatedHal(settings.wiring, clock.monotonic_ns), clock, lambda _: None)
    loop.abandon()


BY_HAND: tuple[tuple[str, tuple[Change, ...], tuple[str, ...]], ...] = (
    (
        "two lamps swapped",
        (("lamp_1 = 17", "lamp_1 = 18"), ("lamp_2 = 18", "lamp_2 = 17")),
        ("board.outputs.lamp_1.pin: 17 -> 18", "board.outputs.lamp_2.pin: 18 -> 17"),
    ),
    (
        "two sensors swapped",
        (("seat_3 = 6", "seat_3 = 7"), ("seat_4 = 7", "seat_4 = 6")),
        ("board.inputs.seat_3.pin: 6 -> 7", "board.inputs.seat_4.pin: 7 -> 6"),
    ),
    (
        "keys that are turned when they are not",
        (('keys = "low"', 'keys = "high"'),),
        (
            "board.inputs.supervisor.active_low: True -> False",
            "board.inputs.technician.active_low: True -> False",
        ),
    ),
    (
        "a resistor",
        (('buttons = "up"', 'buttons = "none"'),),
        ("board.inputs.coin_in.pull: up -> none", "board.inputs.game_over.pull: up -> none"),
    ),
    ("a bus", (("uart = true", "uart = false"),), ("board.buses.uart: True -> False",)),
    ("a time", (("settle_ms = 10  ", "settle_ms = 20  "),), ("board.timings.settle_ms: 10 -> 20",)),
    (
        "a device less",
        (('["screen", "sign", "keypad", "host"]', '["screen", "sign", "keypad"]'),),
        ("board.devices.3: host -> absent",),
    ),
)


@pytest.mark.parametrize(("changes", "told"), [row[1:] for row in BY_HAND], ids=[row[0] for row in BY_HAND])
def test_a_board_changed_by_hand_does_not_start_and_each_line_is_named(
    config: Path, changes: tuple[Change, ...], told: tuple[str, ...]
) -> None:
    edited = load(str(with_board(config.parent, *changes)))
    before = ends_of(edited.journal).last.seq
    with pytest.raises(ParametersChangedError) as refused:
        start(edited)
    lines = str(refused.value).splitlines()
    assert lines[1:-1] == [f"  {each}" for each in told]
    assert "both keys: `pozo commission`" in lines[-1]
    with pytest.raises(ParametersChangedError):
        may_test(edited)
    assert ends_of(edited.journal).last.seq == before
    start(load(str(with_board(config.parent))))


def test_another_title_remarks_and_order_are_the_same_board(config: Path) -> None:
    same = with_board(
        config.parent,
        ("Simulated, 7 seats", "The other Pi"),
        ("lamp_1 = 17\nlamp_2 = 18\n", "lamp_2 = 18\nlamp_1 = 17   # by the door\n"),
    )
    start(load(str(same)))


def test_another_board_is_accepted_with_both_keys_by_name_and_the_old_one_is_refused_from_then_on(
    config: Path,
) -> None:
    other = with_board(config.parent, ("settle_ms = 10  ", "settle_ms = 20  "))
    done = pozo_run("commission", "--config", other, *PERSONS)
    assert done.exit_code == 0, done.output
    assert "board.timings.settle_ms: 10 -> 20" in done.output
    settings = load(str(other))
    record = next(event for event in _events(settings.journal) if isinstance(event, ev.ParametersChanged))
    assert (record.supervisor, record.technician) == ("Ana", "Luis")
    assert record.changes == (ev.Change("board.timings.settle_ms", "10", "20"),)
    assert record.game == game_digest(settings.game)
    start(settings)
    again = pozo_run("commission", "--config", other, *PERSONS)
    assert again.exit_code == 1
    assert "nothing to accept" in again.output
    with pytest.raises(ParametersChangedError, match="settle_ms: 20 -> 10"):
        start(load(str(with_board(config.parent))))


def _events(journal: Path) -> list[ev.AnyEvent]:
    return [record.event for record in records(journal)]


def test_a_journal_that_does_not_tell_its_board_has_it_accepted_whole(tmp_path: Path) -> None:
    settings = load(str(own_table(tmp_path)))
    rules = msgspec.json.encode(settings.game).decode()
    event = ev.Commissioned(1, settings.table_id, game_digest(settings.game), rules)
    table, results = commission(settings.game, event)
    with closing(
        Journal.create(
            settings.journal, settings.table_id, Entry(event, results, table), 1, wall_trusted=True
        )
    ):
        pass
    assert not agreed(settings, table)
    found = changes_of(settings, table)
    assert ev.Change("board.outputs.lamp_7.pin", "absent", "23") in found
    assert ev.Change("board.timings.jam_ms", "absent", "1000") in found


def test_a_table_brought_back_from_paper_plays_on_the_board_before_the_two_persons(config: Path) -> None:
    settings = load(str(config))
    for path in (settings.journal, *settings.witness.iterdir()):
        path.write_bytes(b"spoilt" * 20)
    level = settings.game.levels[0]
    paper = Paper({level.name: level.base_amount}, round=1, last_award=0, received=(), unpaid=())
    recover(settings, VirtualClock(), Request(ev.Trusted.PAPER, "Ana", "Luis", "a dead card", paper))
    table = ends_of(settings.journal).last.state
    assert table.board == board_digest(settings)
    start(settings)
    longer = replace(settings, timings=replace(settings.timings, jam_ms=2000))
    with pytest.raises(ParametersChangedError, match="jam_ms: 1000 -> 2000"):
        start(longer)
    assert board_in_force(settings.journal)["factory"] == "simulated"
