"""The simulated table's outside and inside, beyond the contract it shares."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hal.interface import (
    Device,
    DeviceError,
    DeviceFailed,
    DeviceMended,
    Edge,
    HalThread,
    KeyPressed,
    LineError,
    Message,
)
from hal.simulated import HISTORY, Closed, Shown, Signed, SimulatedHal, Started, Switched
from tests.helpers_rigs import Ticker
from tests.helpers_wiring import reference_wiring, screen

WITH_KEYPAD = reference_wiring(devices=(Device.SCREEN, Device.SIGN, Device.KEYPAD))


@pytest.fixture
def heard() -> list[Message]:
    return []


@pytest.fixture
def hal(heard: list[Message]) -> SimulatedHal:
    made = SimulatedHal(WITH_KEYPAD, Ticker(9))
    made.start(heard.append)
    return made


def test_driving_to_the_level_it_has_is_no_edge(hal: SimulatedHal, heard: list[Message]) -> None:
    hal.drive("seat_1", False)
    hal.drive("seat_1", True)
    hal.drive("seat_1", True)
    assert heard == [Edge("seat_1", True, 9)]


def test_only_the_next_such_edge_is_dropped(hal: SimulatedHal, heard: list[Message]) -> None:
    hal.drop_edge("seat_6", False)
    hal.drive("seat_6", True)
    hal.drive("seat_6", False)
    assert hal.levels()["seat_6"] is False
    hal.drive("seat_6", True)
    hal.drive("seat_6", False)
    assert heard == [
        Edge("seat_6", True, 9),
        Edge("seat_6", True, 9),
        Edge("seat_6", False, 9),
    ]


def test_a_failed_device_keeps_what_it_showed(hal: SimulatedHal, heard: list[Message]) -> None:
    hal.show(screen("MESA ABIERTA"))
    hal.sign("100.000,00")
    hal.fail(Device.SCREEN)
    hal.fail(Device.SIGN)
    hal.fail(Device.SIGN)
    hal.show(screen("3 APUESTAS"))
    hal.sign("100.003,50")
    assert (hal.screen, hal.signs) == (("MESA ABIERTA",), "100.000,00")

    hal.mend(Device.SIGN)
    hal.mend(Device.SIGN)
    hal.sign("100.003,50")
    assert (hal.screen, hal.signs) == (("MESA ABIERTA",), "100.003,50")
    assert heard == [
        DeviceFailed(Device.SCREEN, "the simulation made it fail", 9),
        DeviceFailed(Device.SIGN, "the simulation made it fail", 9),
        DeviceMended(Device.SIGN, 9),
    ]


def test_a_failed_keypad_is_not_heard(hal: SimulatedHal, heard: list[Message]) -> None:
    hal.press_key("3")
    hal.fail(Device.KEYPAD)
    hal.press_key("4")
    hal.mend(Device.KEYPAD)
    hal.press_key("ENTER")
    assert [m.key for m in heard if isinstance(m, KeyPressed)] == ["3", "ENTER"]


def test_a_device_that_failed_before_the_start_is_told_at_the_start() -> None:
    heard: list[Message] = []
    hal = SimulatedHal(WITH_KEYPAD, Ticker(9), failed=(Device.SIGN,))
    hal.start(heard.append)
    assert heard == [DeviceFailed(Device.SIGN, "it had failed before the start", 9)]


def test_the_history_tells_what_changed_in_order() -> None:
    clock = Ticker(10)
    hal = SimulatedHal(WITH_KEYPAD, clock)
    hal.start(lambda _message: None)
    told: tuple[Callable[[], None], ...] = (
        lambda: hal.write("slots", True),
        lambda: hal.write("slots", True),
        lambda: hal.show(screen("A", "B")),
        lambda: hal.sign("1"),
        hal.close,
    )
    for tell in told:
        clock.now_ns += 1
        tell()
    assert hal.history == (
        Started(10),
        Switched("slots", True, 11),
        Shown(("A", "B"), 13),
        Signed("1", 14),
        Switched("slots", False, 15),
        Closed(15),
    )


def test_the_history_is_bounded_and_keeps_the_newest(hal: SimulatedHal) -> None:
    for n in range(HISTORY + 5):
        hal.sign(str(n))
    assert len(hal.history) == HISTORY
    assert hal.history[-1] == Signed(str(HISTORY + 4), 9)


def test_a_power_cut_darkens_the_table_and_leaves_the_world_as_it_is(
    hal: SimulatedHal, heard: list[Message]
) -> None:
    hal.drive("seat_4", True)
    hal.fail(Device.SIGN)
    hal.write("slots", True)
    hal.show(screen("1 APUESTA"))
    hal.cut_power()
    before = list(heard)
    hal.drive("seat_5", True)
    hal.fail(Device.SCREEN)

    assert heard == before
    assert (hal.started, any(hal.outputs.values()), hal.screen) == (False, False, ())

    again: list[Message] = []
    after = SimulatedHal(WITH_KEYPAD, Ticker(50), levels=hal.physical, failed=hal.failed)
    after.start(again.append)
    assert {line for line, active in after.levels().items() if active} == {"seat_4", "seat_5"}
    assert [m.device for m in again if isinstance(m, DeviceFailed)] == [Device.SCREEN, Device.SIGN]
    assert len(again) == 2


def test_unknown_names_are_refused_everywhere(hal: SimulatedHal) -> None:
    with pytest.raises(LineError, match="there is no line 'seat_8'"):
        hal.drive("seat_8", True)
    with pytest.raises(LineError, match="'lamp_1' is not an input"):
        hal.drop_edge("lamp_1", True)
    with pytest.raises(LineError, match="no line 'seat_0'"):
        SimulatedHal(WITH_KEYPAD, Ticker(), levels={"seat_0": True})
    with pytest.raises(DeviceError, match="has no host"):
        hal.mend(Device.HOST)
    with pytest.raises(DeviceError, match="has no keypad"):
        SimulatedHal(reference_wiring(), Ticker()).press_key("1")


@given(st.lists(st.tuples(st.sampled_from(["seat_1", "seat_2", "coin_in"]), st.booleans(), st.booleans())))
def test_the_program_can_rebuild_every_level_from_edges_that_were_not_dropped(
    moves: list[tuple[str, bool, bool]],
) -> None:
    heard: list[Message] = []
    hal = SimulatedHal(WITH_KEYPAD, Ticker())
    hal.start(heard.append)
    changes = dict.fromkeys(("seat_1", "seat_2", "coin_in"), 0)
    for line, active, lost in moves:
        if hal.physical[line] != active:
            changes[line] += 1
            if lost:
                changes[line] -= 1
                hal.drop_edge(line, active)
        hal.drive(line, active)
        assert hal.levels()[line] is active
    counted = [edge.line for edge in heard if isinstance(edge, Edge)]
    assert {line: counted.count(line) for line in changes} == changes


def test_a_thread_that_hangs_or_ends_stops_beating_and_what_it_serves_stands_still() -> None:
    clock, heard = Ticker(10), list[Message]()
    hal = SimulatedHal(WITH_KEYPAD, clock)
    hal.start(heard.append)
    clock.now_ns = 20
    hal.hang(HalThread.PORTS)
    hal.end_thread(HalThread.SCREEN)
    clock.now_ns = 30
    assert hal.beats() == {HalThread.PINS: 30, HalThread.SCREEN: 0, HalThread.PORTS: 20}
    hal.sign("1")
    hal.show(screen("A"))
    hal.press_key("1")
    assert (hal.signs, hal.screen, heard) == ("", (), [])
    hal.end_thread(HalThread.PINS)
    hal.drive("seat_1", True)
    assert heard == []
    assert hal.levels()["seat_1"] is True


def test_a_thread_the_table_does_not_have_cannot_hang() -> None:
    hal = SimulatedHal(reference_wiring(devices=()), Ticker())
    with pytest.raises(LineError, match="no thread ports; it has: pins"):
        hal.hang(HalThread.PORTS)
