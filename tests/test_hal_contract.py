"""One contract for every HAL: what `hal.interface` promises, on the simulated and on each pin library."""

import gc
from collections.abc import Callable, Iterator

import msgspec
import pytest

from hal.interface import ClaimError, Device, DeviceError, Edge, Factory, HalThread, LineError, Pull, Wiring
from hal.simulated import SimulatedHal
from tests.helpers_kernel import PLACE, KernelRig
from tests.helpers_rigs import RIGS, START_NS, Rig, Ticker
from tests.helpers_wiring import reference_wiring, screen

MS = 1_000_000
FACTORY = {"simulated": Factory.SIMULATED, "rpi.gpio": Factory.RPI_GPIO}
INPUTS = {*(f"seat_{n}" for n in range(1, 8)), "coin_in", "game_over", "supervisor", "technician"}
OUTPUTS = {*(f"lamp_{n}" for n in range(1, 8)), "slots", "release", "bell"}


MADE: dict[str, Callable[[pytest.MonkeyPatch, Wiring], Rig]] = RIGS | ({"kernel": KernelRig} if PLACE else {})


def wiring_for(name: str) -> Wiring:
    wiring = reference_wiring(FACTORY.get(name, Factory.LGPIO), devices=())
    if name != "kernel":
        return wiring
    # A gpio-sim line has one pull: a resistor of ours would undo what the test pushed before the start.
    free = tuple(msgspec.structs.replace(line, pull=Pull.NONE) for line in wiring.inputs)
    return msgspec.structs.replace(wiring, inputs=free)


@pytest.fixture(params=MADE)
def rig(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rig]:
    made = MADE[request.param](monkeypatch, wiring_for(request.param))
    yield made
    made.hal.close()


@pytest.fixture
def started(rig: Rig) -> Rig:
    rig.hal.start(rig.heard.append)
    return rig


def test_every_input_gives_its_edges_both_ways_with_their_stamps(started: Rig) -> None:
    expected = []
    for n, line in enumerate(sorted(INPUTS)):
        for active, at_ns in ((True, START_NS + n * 50 * MS), (False, START_NS + n * 50 * MS + 40 * MS)):
            started.clock.now_ns = at_ns
            started.drive(line, active)
            expected.append(Edge(line, active, at_ns))

    assert expected == started.heard
    assert len(expected) == 22


def test_a_level_that_stays_gives_no_second_edge(started: Rig) -> None:
    started.drive("seat_3", True)
    before = len(started.heard)

    assert before == 1
    assert started.hal.levels()["seat_3"] is True


def test_levels_held_at_start_are_readable_and_are_no_edges(rig: Rig) -> None:
    rig.drive("seat_4", True)
    rig.drive("supervisor", True)

    rig.hal.start(rig.heard.append)

    assert rig.heard == []
    assert rig.hal.levels() == {line: line in {"seat_4", "supervisor"} for line in INPUTS}


def test_no_edges_before_start_nor_after_close(rig: Rig) -> None:
    rig.drive("coin_in", True)
    rig.hal.start(rig.heard.append)
    rig.hal.close()
    rig.drive("coin_in", False)
    rig.drive("seat_1", True)

    assert rig.heard == []


def test_outputs_are_off_at_start_and_after_close(rig: Rig) -> None:
    rig.hal.start(rig.heard.append)
    assert not any(rig.is_on(line) for line in OUTPUTS)

    for line in OUTPUTS:
        rig.hal.write(line, True)
    assert all(rig.is_on(line) for line in OUTPUTS)

    rig.hal.close()
    assert not any(rig.is_on(line) for line in OUTPUTS)


def test_writing_one_output_leaves_the_others(started: Rig) -> None:
    started.hal.write("lamp_3", True)
    started.hal.write("slots", True)
    started.hal.write("lamp_3", False)

    assert {line for line in OUTPUTS if started.is_on(line)} == {"slots"}


@pytest.mark.parametrize("name", ["lamp_8", "seat_1", ""])
def test_a_name_that_is_no_output_is_refused_with_those_there_are(started: Rig, name: str) -> None:
    with pytest.raises(LineError, match=r"the board file's outputs are: lamp_1, .*, bell"):
        started.hal.write(name, True)


def test_a_second_start_is_refused_and_the_first_goes_on(started: Rig) -> None:
    with pytest.raises(ClaimError, match="close it"):
        started.hal.start(lambda _message: None)

    started.drive("seat_7", True)
    assert started.heard == [Edge("seat_7", True, START_NS)]


def test_nothing_can_be_read_or_written_while_not_started(rig: Rig) -> None:
    for _ in range(2):
        with pytest.raises(ClaimError, match="start comes first"):
            rig.hal.levels()
        with pytest.raises(ClaimError, match="start comes first"):
            rig.hal.write("bell", True)
        rig.hal.start(rig.heard.append)
        rig.hal.close()


def test_the_thread_that_brings_edges_beats_while_the_table_is_started(rig: Rig) -> None:
    assert rig.hal.beats() == {}
    rig.hal.start(rig.heard.append)
    for _ in range(3):
        rig.clock.now_ns += 1000 * MS
        before_ns = rig.now_ns()
        beats = rig.hal.beats()
        assert beats.keys() == {HalThread.PINS}
        assert before_ns <= beats[HalThread.PINS] <= rig.now_ns()
    rig.hal.close()
    assert rig.hal.beats() == {}


def test_close_may_come_at_any_time_and_more_than_once(rig: Rig) -> None:
    rig.hal.close()
    rig.hal.start(rig.heard.append)
    rig.hal.close()
    rig.hal.close()


def test_F017_it_can_be_started_again_twenty_times(rig: Rig) -> None:
    for n in range(20):
        rig.hal.start(rig.heard.append)
        rig.clock.now_ns += 100 * MS
        rig.drive("seat_2", True)
        rig.drive("seat_2", False)
        rig.hal.close()
        assert len(rig.heard) == 2 * (n + 1)


def test_F021_inputs_stay_armed_when_rubbish_is_collected(started: Rig) -> None:
    for _ in range(3):
        gc.collect()

    for line in INPUTS:
        started.drive(line, True)

    assert {edge.line for edge in started.heard if isinstance(edge, Edge)} == INPUTS
    assert len(started.heard) == len(INPUTS)


def test_a_table_without_screen_and_sign_has_no_devices_and_refuses_them(started: Rig) -> None:
    assert started.hal.devices == frozenset()
    with pytest.raises(DeviceError, match="no screen"):
        started.hal.show(screen("MESA"))
    with pytest.raises(DeviceError, match="no sign"):
        started.hal.sign("1.000,00")


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize(("twice", "said"), [({"name": "seat_1"}, "name seat_1"), ({"pin": 5}, "pin GPIO5")])
def test_a_name_or_pin_used_twice_is_refused(
    name: str, twice: dict[str, str | int], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    wiring = wiring_for(name)
    again = msgspec.structs.replace(wiring.outputs[0], **twice)

    with pytest.raises(ClaimError, match=f"declares the {said} more than once"):
        MADE[name](monkeypatch, msgspec.structs.replace(wiring, outputs=(again, *wiring.outputs[1:])))


def test_absent_devices_cannot_fail() -> None:
    hal = SimulatedHal(wiring_for("simulated"), Ticker())
    with pytest.raises(DeviceError, match="names these devices: none"):
        hal.fail(Device.SIGN)
