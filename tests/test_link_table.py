"""A whole table with a floor: nothing is played before it was heard, nor while it has what the journal lacks."""

import socket
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from controller.core import events as ev
from controller.core.faults import FaultCode
from controller.core.state import Phase
from controller.drill.play import settings_of
from controller.drill.world import World
from controller.journal import Head, ends_of
from controller.link.beat import Beat, encode
from controller.outputs import Lamp
from tests.helpers_world import SECOND, act, chip, intact, key, lamp, press, stored, switched, table


class Floor:
    """What says to a table how far the floor is, and the table."""

    def __init__(self, world: World, path: Path) -> None:
        self.world = world
        self._path = str(path)
        self._mouth = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)

    def head(self) -> Head:
        """The journal's newest record."""
        last = ends_of(self.world.medium.journal).last
        return Head(last.seq, last.digest)

    def say(self, head: Head, why: str = "") -> None:
        """One beat, and a second."""
        now = self.world.clock.monotonic_ns()
        self._mouth.sendto(encode(Beat(self.world.settings.table_id, now, why, *head)), self._path)
        self.world.pass_time(SECOND)

    def close(self) -> None:
        self._mouth.close()


@contextmanager
def linked(folder: Path, offline: str = "strict") -> Iterator[tuple[World, Floor]]:
    path = folder / "link.sock"
    values = {
        "link.floor": "service=pozo",
        "link.socket": str(path),
        "link.offline": offline,
        "policies.require_host": "true" if offline == "strict" else "false",
    }
    with closing(World(settings_of("simulated", values))) as world, closing(Floor(world, path)) as floor:
        world.power_on(open_table=True)
        world.listen()
        yield world, floor


def slots_open(world: World) -> bool:
    return world.hal.outputs["slots"]


def faults(world: World) -> list[FaultCode]:
    return [fault.code for fault in table(world).faults]


def test_a_strict_table_takes_no_wager_before_the_floor_was_heard(tmp_path: Path) -> None:
    with linked(tmp_path) as (world, floor):
        world.pass_time(SECOND)
        assert faults(world) == [FaultCode.HOST_LOST]
        assert not slots_open(world)
        floor.say(floor.head())
        assert faults(world) == []
        assert slots_open(world)
        chip(world, 1)
        world.pass_time(6 * SECOND)
        assert faults(world) == [FaultCode.HOST_LOST]
        assert slots_open(world), "a round that has begun is finished"
        press(world, ev.Button.COIN_IN)
        press(world, ev.Button.GAME_OVER)
        assert table(world).phase is Phase.OPEN
        assert not slots_open(world)
        (lost, *_) = [each.event for each in stored(world, ev.DeviceLost)][::-1]
        assert isinstance(lost, ev.DeviceLost)
        assert lost.why == "no word from `pozo link`"


def test_a_table_that_continues_plays_without_a_floor(tmp_path: Path) -> None:
    with linked(tmp_path, "continue") as (world, floor):
        world.pass_time(SECOND)
        assert faults(world) == [FaultCode.HOST_LOST]
        assert slots_open(world)
        chip(world, 1)
        press(world, ev.Button.COIN_IN)
        assert lamp(world, 1) is Lamp.ACCEPTED
        floor.say(floor.head())
        assert faults(world) == []


def test_a_floor_that_has_more_than_the_journal_locks_the_table_and_no_key_clears_it(tmp_path: Path) -> None:
    with linked(tmp_path) as (world, floor):
        floor.say(floor.head())
        chip(world, 1, 2)
        press(world, ev.Button.COIN_IN)
        here = floor.head()
        beyond = Head(here.seq + 50, "ab" * 32)
        floor.say(beyond)
        assert faults(world) == [FaultCode.FLOOR_DISAGREES]
        assert not slots_open(world)
        assert lamp(world, 1) is Lamp.ACCEPTED, "evidence stays lit"
        (said,) = [each.event for each in stored(world, ev.FloorDisagreed)]
        assert said == ev.FloorDisagreed(said.at_ns, beyond.seq, beyond.digest, here.seq)
        assert any("EL CENTRAL TIENE OTRO REGISTRO" in line for line in world.hal.screen)
        key(world, ev.Key.TECHNICIAN, on=True)
        persists = (ev.Refused(ev.Refusal.FAULT_PERSISTS),)
        assert act(world, ev.FaultClearAsked(0, FaultCode.FLOOR_DISAGREES)) == persists
        key(world, ev.Key.TECHNICIAN, on=False)
        press(world, ev.Button.GAME_OVER)
        floor.say(beyond, "the floor has other records")
        assert len(stored(world, ev.FloorDisagreed)) == 1, "told once"
        assert not slots_open(world)
        floor.say(floor.head())
        assert faults(world) == []
        assert slots_open(world)
        assert len(stored(world, ev.FloorAgreed)) == 1
        assert intact(world)


def test_another_record_under_a_number_of_the_journals_is_another_history(tmp_path: Path) -> None:
    with linked(tmp_path) as (world, floor):
        true = floor.head()
        floor.say(Head(true.seq - 1, true.digest))
        assert faults(world) == [FaultCode.FLOOR_DISAGREES]
        assert switched(world.hal, "slots", on=True) == [], "not for a moment"
        floor.say(Head(0, "ab" * 32))
        assert faults(world) == [FaultCode.FLOOR_DISAGREES], "no history begins like that"
        floor.say(Head(0, "0" * 64))
        assert faults(world) == [], "a floor that has nothing yet agrees with every journal"


def test_a_table_that_starts_on_an_older_journal_than_the_floors_takes_nothing(tmp_path: Path) -> None:
    with linked(tmp_path) as (world, floor):
        floor.say(Head(10_000, "cd" * 32))
        assert set(faults(world)) == {FaultCode.FLOOR_DISAGREES}
        world.power_off()
        world.power_on(open_table=False)
        world.pass_time(SECOND)
        assert faults(world) == [FaultCode.HOST_LOST], "until it is heard nothing is played"
        floor.say(Head(10_000, "cd" * 32))
        assert faults(world) == [FaultCode.FLOOR_DISAGREES]
        chip(world, 1)
        assert lamp(world, 1) is Lamp.OFF


def test_the_socket_is_there_while_the_table_is(tmp_path: Path) -> None:
    with linked(tmp_path) as (world, _floor):
        assert (tmp_path / "link.sock").is_socket()
        world.power_off()
        assert not (tmp_path / "link.sock").exists()
