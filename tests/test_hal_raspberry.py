"""The real table's pins: what only it can get wrong."""

from collections.abc import Iterator

import msgspec
import pytest

from hal.interface import ClaimError, Edge, Factory, HalError, Message, Wiring
from hal.raspberry import RaspberryHal
from tests.helpers_rigs import START_NS, LgpioRig, MockRig, RpiGpioRig, close_rigs
from tests.helpers_wiring import LAMP_PINS, OUTPUT_PINS, SEAT_PINS, reference_wiring

MS = 1_000_000
WIRING = reference_wiring(Factory.LGPIO, devices=())
ALL_OUTPUT_PINS = {*LAMP_PINS, *OUTPUT_PINS.values()}


@pytest.fixture(autouse=True)
def _rigs_are_closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    yield
    close_rigs()
    monkeypatch.undo()


@pytest.fixture
def rig(monkeypatch: pytest.MonkeyPatch) -> LgpioRig:
    return LgpioRig(monkeypatch, WIRING)


def refuse_pin(rig: LgpioRig, monkeypatch: pytest.MonkeyPatch, function: str, pin: int) -> None:
    """Make one of lgpio's functions fail for one pin."""
    original = getattr(rig.kernel, function)

    def refusing(handle: int, gpio: int, *rest: int) -> int:
        if gpio == pin:
            raise rig.kernel.lgpio.error("bad GPIO")
        result: int = original(handle, gpio, *rest)
        return result

    monkeypatch.setattr(rig.kernel.lgpio, function, refusing)


def test_stamps_of_one_line_never_run_backwards(rig: LgpioRig) -> None:
    rig.hal.start(rig.heard.append)
    for at_ms, active in ((10, True), (9, False), (20, True)):
        rig.clock.now_ns = START_NS + at_ms * MS
        rig.drive("seat_1", active)

    assert rig.heard == [
        Edge("seat_1", True, START_NS + 10 * MS),
        Edge("seat_1", False, START_NS + 10 * MS),
        Edge("seat_1", True, START_NS + 20 * MS),
    ]
    assert rig.hal.implausible_stamps == 0


def test_a_stamp_survives_the_library_to_the_nanosecond(rig: LgpioRig) -> None:
    rig.hal.start(rig.heard.append)
    # 100 days of uptime; gpiozero hands stamps over as seconds, a float: 2 ns apart there
    rig.clock.now_ns = 100 * 86_400 * 1_000_000_000 + 123_456_789
    rig.drive("seat_1", True)
    edge = rig.heard[0]
    assert isinstance(edge, Edge)
    assert abs(edge.at_ns - rig.clock.now_ns) <= 2


def test_voltages_mean_what_the_board_file_says(monkeypatch: pytest.MonkeyPatch) -> None:
    high = tuple(msgspec.structs.replace(line, active_low=False) for line in WIRING.inputs)
    low = tuple(msgspec.structs.replace(line, active_low=True) for line in WIRING.outputs)
    rig = LgpioRig(monkeypatch, msgspec.structs.replace(WIRING, inputs=high, outputs=low))
    rig.hal.start(rig.heard.append)

    rig.kernel.drive(SEAT_PINS[0], True)
    rig.hal.write("lamp_1", True)

    assert rig.heard == [Edge("seat_1", True, START_NS)]
    assert rig.kernel.outputs[LAMP_PINS[0]] is False
    assert rig.kernel.outputs[LAMP_PINS[1]] is True


def test_a_start_that_fails_half_way_gives_everything_back_and_can_be_tried_again(rig: LgpioRig) -> None:
    rig.kernel.busy[SEAT_PINS[4]] = 3
    with pytest.raises(ClaimError, match=r"seat_5 \(GPIO26\) could not be claimed, tried 3 times: .*busy"):
        rig.hal.start(rig.heard.append)

    assert (rig.kernel.open_handles, rig.kernel.alerts, rig.hal.armed) == (set(), set(), ())
    rig.hal.start(rig.heard.append)
    rig.drive("seat_5", True)
    assert rig.heard == [Edge("seat_5", True, START_NS)]


def test_a_pin_that_cannot_be_switched_or_read_is_named(
    rig: LgpioRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.hal.start(rig.heard.append)
    refuse_pin(rig, monkeypatch, "gpio_write", 25)
    refuse_pin(rig, monkeypatch, "gpio_read", 21)

    with pytest.raises(HalError, match=r"slots \(GPIO25\) cannot be switched"):
        rig.hal.write("slots", True)
    with pytest.raises(HalError, match=r"coin_in \(GPIO21\) cannot be read"):
        rig.hal.levels()
    with pytest.raises(HalError, match=r"not released: slots \(GPIO25\)"):
        rig.hal.close()


def test_a_pin_that_cannot_be_released_is_named_and_all_others_are_released(
    rig: LgpioRig, monkeypatch: pytest.MonkeyPatch
) -> None:
    rig.hal.start(rig.heard.append)
    for line in WIRING.outputs:
        rig.hal.write(line.name, True)
    refuse_pin(rig, monkeypatch, "gpio_write", 25)

    with pytest.raises(HalError, match=r"not released: slots \(GPIO25\).*power"):
        rig.hal.close()

    assert {pin for pin in ALL_OUTPUT_PINS if rig.kernel.drove[pin][-1]} == {25}
    assert rig.kernel.open_handles == set()
    rig.hal.close()


def test_two_tables_at_once_each_hear_their_own_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    def only(*names: str) -> Wiring:
        chosen = tuple(line for line in WIRING.inputs if line.name in names)
        return msgspec.structs.replace(WIRING, inputs=chosen, outputs=())

    rig = MockRig(monkeypatch, WIRING)
    heard: list[list[Message]] = [[], []]
    for names, inbox in zip((("seat_1",), ("seat_2",)), heard, strict=True):
        RaspberryHal(only(*names), open_header=rig.opener, now_ns=rig.clock).start(inbox.append)
    rig.drive("seat_2", True)

    assert heard == [[], [Edge("seat_2", True, START_NS)]]


def test_rpi_gpio_edges_are_stamped_when_they_arrive(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = RpiGpioRig(monkeypatch, reference_wiring(Factory.RPI_GPIO, devices=()))
    rig.hal.start(rig.heard.append)
    rig.clock.now_ns += 3 * MS
    rig.drive("seat_3", True)
    assert rig.heard == [Edge("seat_3", True, START_NS + 3 * MS)]


def test_the_inputs_get_the_resistor_the_board_file_names(rig: LgpioRig) -> None:
    rig.hal.start(rig.heard.append)
    assert {rig.kernel.pull(line.pin) for line in WIRING.inputs} == {"up"}
    assert rig.kernel.alerts == {line.pin for line in WIRING.inputs}


def test_the_rehearsal_leaves_no_mark_on_later_stamps(rig: LgpioRig) -> None:
    rig.hal.start(rig.heard.append)
    rig.clock.now_ns = START_NS - 200 * MS  # the kernel stamped it just before the line was rehearsed
    rig.drive("seat_1", True)
    assert rig.heard == [Edge("seat_1", True, START_NS - 200 * MS)]


def test_an_edge_on_its_way_while_the_table_closes_is_not_put(rig: LgpioRig) -> None:
    rig.hal.start(rig.heard.append)
    on_its_way = rig.kernel.lgpio._notify_thread.callbacks[0].func
    pins_own = on_its_way.__self__.when_changed
    rig.hal.close()
    pins_own(START_NS / 1e9, 0)
    assert rig.heard == []
