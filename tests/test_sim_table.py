"""A simulated table on the machine's own clock: it plays, breaks, loses its power and comes back as it was."""

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Condition, Thread

import pytest

from controller.config import Kind, names
from controller.console.cells import table_cell
from controller.console.felt import felt
from controller.core import events as ev
from controller.core.state import Phase
from controller.drill.medium import Medium
from controller.drill.statements import Part
from controller.journal import Entry, records, verify
from controller.outputs import Lamp
from controller.sim.acts import Spark, perform
from controller.sim.medium import KeptMedium
from controller.sim.table import SimError, SimulatedTable
from controller.sim.told import Power, Told
from hal.interface import Device, LineError
from tests.helpers_console import settings

PATIENCE_S = 20.0
"""A test that waits this long has failed; it never waits longer than it must."""


class Onlooker:
    """Sees what the table tells and what it stores, and can be waited with."""

    def __init__(self) -> None:
        self._changed = Condition()
        self.seen: dict[str, object] = {}
        self.entries: list[Entry] = []

    def show(self, name: str, value: object) -> None:
        with self._changed:
            self.seen[name] = value
            self._changed.notify_all()

    def stored(self, entries: Sequence[Entry]) -> None:
        with self._changed:
            self.entries += entries
            self._changed.notify_all()

    def until(self, name: str, value: object) -> None:
        with self._changed:
            met = self._changed.wait_for(lambda: self.seen.get(name) == value, PATIENCE_S)
            assert met, f"{name} is {self.seen.get(name)!r}, not {value!r}"

    def until_stored(self, kind: type[object], times: int = 1) -> Entry:
        def found() -> list[Entry]:
            return [
                entry
                for entry in self.entries
                if any(isinstance(what, kind) for what in (entry.event, *entry.results))
            ]

        with self._changed:
            assert self._changed.wait_for(lambda: len(found()) >= times, PATIENCE_S), kind
            return found()[-1]


class Played:
    """A table that lives in a thread of its own, and who looks on."""

    def __init__(self, medium: Medium, game: str = "uy-montevideo-caribbean") -> None:
        self.eye = Onlooker()
        self.table = SimulatedTable(settings(values={"game": game}), medium, self.eye.show, self.eye.stored)
        self.medium = medium

    def chip(self, seat: int, times: int = 1) -> None:
        """A chip that falls as slowly as it takes to be counted."""
        self.table.drive(f"seat_{seat}", active=True)
        self.eye.until_stored(ev.ChipDropped, times)
        self.table.drive(f"seat_{seat}", active=False)

    def press_coin_in(self) -> None:
        self.table.drive("coin_in", active=True)
        self.eye.until_stored(ev.RoundLocked)
        self.table.drive("coin_in", active=False)


@contextmanager
def living(medium: Medium | None = None) -> Iterator[Played]:
    """A table under power with its bets open; it is ended in order."""
    made = Medium() if medium is None else medium
    played = Played(made)
    thread = Thread(target=played.table.run)
    thread.start()
    try:
        played.eye.until("lamps", (Lamp.ATTRACT,) * 7)
        played.eye.until_stored(ev.KeyTurned, 2)
        yield played
    finally:
        played.table.quit("the test is over")
        thread.join(PATIENCE_S)
        assert not thread.is_alive()
        made.close()


def test_a_fresh_table_is_commissioned_and_opened_and_keys_stand_as_before() -> None:
    with living() as played:
        played.eye.until("out.slots", value=True)
        assert played.eye.entries[-1].state.phase is Phase.OPEN
        assert not played.eye.entries[-1].state.supervisor
        assert played.table.ready


def test_a_round_goes_through_the_real_loop_to_the_real_pins() -> None:
    with living() as played:
        played.chip(3)
        played.eye.until("lamps", tuple(Lamp.PLACED if seat == 3 else Lamp.ATTRACT for seat in range(1, 8)))
        played.press_coin_in()
        played.eye.until("out.lamp_3", value=True)
        played.eye.until("out.slots", value=False)
        # Half of a wager of 10.00 goes to the pot of 100,000.00.
        played.eye.until("sign", "$ 100.005,00")


def test_a_power_cut_leaves_all_dark_and_power_brings_back_what_was_stored() -> None:
    with living() as played:
        played.chip(2)
        played.press_coin_in()
        played.table.cut()
        played.eye.until("power", Power.OFF)
        assert played.eye.seen["lamps"] == ()
        assert played.eye.seen["out.lamp_2"] is False
        assert played.eye.seen["out.slots"] is False
        assert played.eye.seen["screen"] is None
        with pytest.raises(SimError, match="power_off"):
            played.table.cut()
        assert not [entry for entry in played.eye.entries if isinstance(entry.event, ev.Stopped)]
        played.table.switch_on()
        played.eye.until("lamps", tuple(Lamp.ACCEPTED if seat == 2 else Lamp.OFF for seat in range(1, 8)))
        recovered = played.eye.until_stored(ev.Recovered)
        assert recovered.state.phase is Phase.LOCKED
        assert recovered.state.pot.in_count == 1
        with pytest.raises(SimError, match="power_on"):
            played.table.switch_on()
        assert verify(played.medium.journal).bad is None


def test_the_world_outside_outlives_a_power_cut() -> None:
    with living() as played:
        played.table.drive("supervisor", active=True)
        played.table.break_device(Device.SIGN, broken=True)
        played.eye.until_stored(ev.DeviceLost)
        played.table.cut()
        played.eye.until("power", Power.OFF)
        assert played.table.active("supervisor")
        assert played.eye.seen[Told.FAILED] == ("sign",)
        played.table.switch_on()
        played.eye.until_stored(ev.DeviceLost, 2)
        started = played.eye.until_stored(ev.Started, 2)
        assert started.state.supervisor


def test_a_frozen_thread_is_told_by_the_table_itself() -> None:
    with living() as played:
        played.table.freeze(0.7)
        played.eye.until("power", Power.FROZEN)
        stalled = played.eye.until_stored(ev.LoopStalled).event
        assert isinstance(stalled, ev.LoopStalled)
        assert stalled.ms >= 500


def test_a_power_cut_ends_a_frozen_thread_at_once() -> None:
    with living() as played:
        played.table.freeze(PATIENCE_S * 2)
        played.eye.until("power", Power.FROZEN)
        played.table.cut()
        played.eye.until("power", Power.OFF)


def test_a_full_disk_locks_the_slots_and_a_mended_one_is_told() -> None:
    with living() as played:
        played.table.break_medium(Part.DISK_FULL)
        played.table.drive("supervisor", active=True)
        played.eye.until("out.slots", value=False)
        assert played.eye.seen[Told.BROKEN] is Part.DISK_FULL
        played.table.break_medium(None)
        played.eye.until_stored(ev.StorageFailed)


def test_a_spark_on_all_lines_counts_no_chip() -> None:
    with living() as played:
        asyncio.run(perform(played.table, Spark(0)))
        seen = played.eye.until_stored(ev.CommonModeSeen)
        assert all(seat.dropped == 0 for seat in seen.state.seats)


@pytest.mark.parametrize("game", names(Kind.GAME))
def test_every_shipped_game_comes_up_and_its_pages_draw_it(game: str) -> None:
    medium = Medium()
    played = Played(medium, game)
    thread = Thread(target=played.table.run)
    thread.start()
    played.eye.until("power", Power.ON)
    opened = played.eye.until_stored(ev.TableOpened).state
    played.eye.until_stored(ev.KeyTurned, 2)
    played.table.quit("seen")
    thread.join(PATIENCE_S)
    medium.close()
    assert opened.phase is Phase.OPEN
    assert len(table_cell(opened).seats) == played.table.settings.game.seats
    assert (
        felt(played.table.settings.slots, "x", playable=True).count('class="seat"')
        == played.table.settings.slots
    )


def test_a_line_that_is_no_input_is_refused() -> None:
    with living() as played, pytest.raises(LineError, match="lamp_1"):
        played.table.drive("lamp_1", active=True)


def test_a_kept_medium_stays_over_a_cut_and_over_the_program(tmp_path: Path) -> None:
    place = tmp_path / "kept" / "game"
    with living(KeptMedium(place)) as played:
        played.chip(1)
        played.press_coin_in()
        played.table.cut()
        played.eye.until("power", Power.OFF)
        played.table.switch_on()
        played.eye.until_stored(ev.Recovered)
    assert [path.name for path in place.parent.iterdir()] == ["game"]
    before = list(records(place / "journal.db"))
    assert [record.kind for record in before[-2:]] == ["stopped", "head_signed"]
    again = Played(KeptMedium(place))
    thread = Thread(target=again.table.run)
    thread.start()
    again.eye.until("lamps", (Lamp.ACCEPTED, *(Lamp.OFF,) * 6))
    again.table.quit("over")
    thread.join(PATIENCE_S)
    assert len(list(records(place / "journal.db"))) == len(before) + 3, (
        "started, stopped, and the head after it"
    )
