"""Rows of the field log that end at the hardware's door. Each test carries its row's number."""

import logging
import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import gpiozero
import msgspec
import pytest

from hal.chips import Chip, choose
from hal.interface import ChipNotFoundError, ClaimError, Edge, Factory, FactoryError, Wiring
from hal.pins import InputPin
from hal.raspberry import TRY_AGAIN_S, RaspberryHal
from tests.helpers_rigs import START_NS, LgpioRig, MockRig, RpiGpioRig, Ticker, close_rigs
from tests.helpers_wiring import LAMP_PINS, OUTPUT_PINS, SEAT_PINS, reference_wiring

MS = 1_000_000
HOUR_NS = 3_600 * 1_000_000_000
ROOT = Path(__file__).parents[1]
LGPIO = reference_wiring(Factory.LGPIO, devices=())
RPI_GPIO = reference_wiring(Factory.RPI_GPIO, devices=())
ALL_OUTPUT_PINS = {*LAMP_PINS, *OUTPUT_PINS.values()}


@pytest.fixture(autouse=True)
def _rigs_are_closed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    yield
    close_rigs()
    monkeypatch.undo()


def active_low(wiring: Wiring) -> Wiring:
    lows = tuple(msgspec.structs.replace(line, active_low=True) for line in wiring.outputs)
    return msgspec.structs.replace(wiring, outputs=lows)


UNPRIVILEGED = ("setpriv", "--bounding-set=-dac_override,-dac_read_search") if os.geteuid() == 0 else ()
"""Modes of files hold for root too."""


def run_python(program: str, cwd: Path, *bound: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*bound, sys.executable, "-c", textwrap.dedent(program)],
        cwd=cwd,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("step_ns", [0, HOUR_NS, -HOUR_NS])
def test_F007_steps_of_the_wall_clock_do_not_move_an_edge(
    monkeypatch: pytest.MonkeyPatch, step_ns: int
) -> None:
    rig = LgpioRig(monkeypatch, LGPIO)
    wall = Ticker(1_767_225_600_000_000_000)
    monkeypatch.setattr(time, "time_ns", wall)
    monkeypatch.setattr(time, "time", lambda: wall() / 1e9)
    rig.hal.start(rig.heard.append)
    bouncing = ((0, True), (1, False), (2, True), (60, False))
    for at_ms, active in bouncing:
        rig.clock.now_ns = START_NS + at_ms * MS
        wall.now_ns += step_ns
        rig.drive("seat_1", active)

    assert rig.heard == [Edge("seat_1", active, START_NS + at_ms * MS) for at_ms, active in bouncing]
    assert rig.hal.implausible_stamps == 0


@pytest.mark.parametrize("stamp_s", [1_767_225_600.0, 0.0, START_NS / 1e9 + 1.5, START_NS / 1e9 - 1.5])
def test_F007_a_stamp_of_another_clock_is_replaced_by_the_time_of_arrival(
    monkeypatch: pytest.MonkeyPatch, stamp_s: float
) -> None:
    rig = MockRig(monkeypatch, LGPIO)
    rig.hal.start(rig.heard.append)
    rig.factory.pin(SEAT_PINS[0]).when_changed(stamp_s, 0)

    assert rig.heard == [Edge("seat_1", True, START_NS)]
    assert rig.hal.implausible_stamps == 1


def test_F007_a_kernel_that_stamps_with_the_wall_clock_stops_the_start(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rig = LgpioRig(monkeypatch, LGPIO)
    rig.kernel.wall_stamps = True
    with pytest.raises(ClaimError, match=r"seat_1 \(GPIO5\): the kernel stamps .* with the wall clock"):
        rig.hal.start(rig.heard.append)
    assert rig.kernel.open_handles == set()


def test_F014_a_missing_folder_for_the_pipe_stops_the_start_with_one_line(tmp_path: Path) -> None:
    program = """
        from tests.helpers_wiring import reference_wiring
        from hal.interface import Factory, FactoryError
        from hal.raspberry import RaspberryHal
        try:
            RaspberryHal(reference_wiring(Factory.LGPIO)).start(print)
        except FactoryError as error:
            print(error)
    """
    for name in ("LG_WD", "RUNTIME_DIRECTORY"):
        ended = run_python(program, tmp_path, **{name: str(tmp_path / "missing")})
        assert ended.stderr == ""
        assert ended.stdout.count("\n") == 1
        assert ended.stdout.startswith(f"lgpio needs a writable folder for its pipe, and {tmp_path}/missing")
        assert "RuntimeDirectory=" in ended.stdout


def test_F014_the_pin_library_leaves_no_trace_where_the_service_stands(tmp_path: Path) -> None:
    here, run = tmp_path / "here", tmp_path / "run"
    here.mkdir()
    run.mkdir()
    program = """
        import os
        from hal.header import load_library
        load_library("lgpio", "lgpio")
        load_library("gpiozero.pins.lgpio", "lgpio")
        print(os.getcwd(), os.environ.get("LG_WD"))
    """
    ended = run_python(program, here, RUNTIME_DIRECTORY=f"{run}:/elsewhere")
    assert (ended.stdout, ended.stderr) == (f"{here} None\n", "")
    assert list(here.iterdir()) == []
    assert list(run.iterdir()) == []


def test_F014_the_pins_are_opened_where_one_may_not_stand(tmp_path: Path) -> None:
    """As the table's user called from root's own folder."""
    shut = tmp_path / "shut"
    shut.mkdir()
    program = f"""
        import os
        from hal.header import load_library
        os.chdir({str(shut)!r})
        os.chmod(".", 0)
        load_library("lgpio", "lgpio")
        print(os.getcwd())
    """
    ended = run_python(program, tmp_path, *UNPRIVILEGED, LG_WD=str(tmp_path))
    assert (ended.stdout, ended.stderr) == ("/\n", "")


def test_F014_edges_still_come_through_the_pipe_whose_folder_is_gone(tmp_path: Path) -> None:
    program = """
        import os, queue, struct
        from hal.header import load_library
        lgpio = load_library("lgpio", "lgpio")
        heard = queue.Queue()
        watch = lgpio.callback(0, 17, lgpio.BOTH_EDGES, lambda *edge: heard.put(edge))
        for name in os.listdir("/proc/self/fd"):
            path = f"/proc/self/fd/{name}"
            if os.path.islink(path) and ".lgd-nfy" in os.readlink(path):
                assert not os.get_inheritable(int(name))
                flags = open(f"/proc/self/fdinfo/{name}").read().split("flags:")[1].split()[0]
                if int(flags, 8) & os.O_RDWR:
                    os.write(int(name), struct.pack("QBBBBI", 123_456_789, 0, 17, 1, 0, 0))
        print(heard.get(timeout=20))
    """
    ended = run_python(program, tmp_path)
    assert (ended.stdout, ended.stderr) == ("(0, 17, 1, 123456789)\n", "")


PI_5_OLD = (Chip(0, "gpio-brcmstb@107d508500"), Chip(4, "pinctrl-rp1"))
PI_5_NEW = (Chip(0, "pinctrl-rp1"), *(Chip(n, "gpio-brcmstb@107d508500") for n in range(10, 14)))
PI_4 = (Chip(0, "pinctrl-bcm2711"), Chip(1, "raspberrypi-exp-gpio"))


@pytest.mark.parametrize(("chips", "number"), [(PI_5_OLD, 4), (PI_5_NEW, 0), (PI_4, 0)])
def test_F015_the_header_is_found_by_its_label(chips: tuple[Chip, ...], number: int) -> None:
    assert choose(LGPIO.chip_labels, chips).number == number


def test_F015_without_the_header_the_labels_found_are_listed() -> None:
    with pytest.raises(ChipNotFoundError, match=r"found: gpiochip0 gpio-brcmstb@107d508500\. Choose"):
        choose(LGPIO.chip_labels, PI_5_OLD[:1])


def test_F016_a_line_that_another_program_holds_is_named_and_nothing_stays_claimed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rig = LgpioRig(monkeypatch, LGPIO)
    rig.kernel.busy[21] = 1_000
    with pytest.raises(ClaimError, match=r"coin_in \(GPIO21\) .*'GPIO busy'.*gpioinfo names it"):
        rig.hal.start(rig.heard.append)
    assert (rig.kernel.open_handles, rig.kernel.alerts) == (set(), set())
    assert not any(rig.kernel.drove[pin][-1] for pin in ALL_OUTPUT_PINS)


def test_F017_children_do_not_inherit_the_pin_librarys_descriptors(tmp_path: Path) -> None:
    program = """
        import os, subprocess, sys
        from hal.header import load_library
        load_library("lgpio", "lgpio")
        child = "import os; print(sorted(os.listdir('/proc/self/fd')))"
        plain = subprocess.run([sys.executable, "-c", child], capture_output=True, text=True)
        wide = subprocess.run([sys.executable, "-c", child], close_fds=False, capture_output=True, text=True)
        print(plain.stdout == wide.stdout, plain.stdout)
    """
    assert run_python(program, tmp_path).stdout.startswith("True ['0', '1', '2'")


def test_F018_importing_and_making_a_table_claims_nothing(tmp_path: Path) -> None:
    program = """
        import importlib, multiprocessing, sys, threading
        import hal.raspberry
        importlib.reload(hal.raspberry)
        from tests.helpers_wiring import reference_wiring
        from hal.interface import Factory
        table = hal.raspberry.RaspberryHal(reference_wiring(Factory.LGPIO))
        print("lgpio" in sys.modules, threading.active_count(), table.armed)
    """
    ended = run_python(program, tmp_path)
    assert (ended.stdout, ended.stderr) == ("False 1 ()\n", "")
    assert list(tmp_path.iterdir()) == []


def test_F018_ten_coins_while_children_are_started_are_ten(monkeypatch: pytest.MonkeyPatch) -> None:
    rig = LgpioRig(monkeypatch, LGPIO)
    rig.hal.start(rig.heard.append)
    for n in range(10):
        with subprocess.Popen([sys.executable, "-c", "import hal.raspberry"], cwd=ROOT) as child:
            rig.clock.now_ns = START_NS + n * 100 * MS
            rig.drive("seat_1", True)
            rig.drive("seat_1", False)
        assert child.returncode == 0

    expected = [Edge("seat_1", a, START_NS + n * 100 * MS) for n in range(10) for a in (True, False)]
    assert rig.heard == expected


def test_F021_the_start_lists_the_inputs_it_armed(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    rig = MockRig(monkeypatch, LGPIO)
    with caplog.at_level(logging.INFO):
        rig.hal.start(rig.heard.append)
    assert rig.hal.armed == tuple(line.name for line in LGPIO.inputs)
    assert "11 inputs armed: seat_1, seat_2, " in caplog.text


@pytest.mark.parametrize("end", ["raise SystemExit(3)", "raise OSError('a bug')", "pass"])
def test_F022_outputs_go_off_however_the_interpreter_ends(tmp_path: Path, end: str) -> None:
    program = f"""
        import atexit, time
        from tests.helpers_pins import Wires, mock_opener
        from tests.helpers_wiring import reference_wiring
        from hal.interface import Factory
        from hal.raspberry import RaspberryHal
        wiring = reference_wiring(Factory.LGPIO)
        factory, opener = mock_opener(Wires(), time.monotonic_ns)
        atexit.register(lambda: print([factory.pin(line.pin).state for line in wiring.outputs]))
        table = RaspberryHal(wiring, open_header=opener)
        table.start(lambda edge: None)
        for line in ("lamp_1", "lamp_4", "slots"):
            table.write(line, True)
        print(sum(factory.pin(line.pin).state for line in wiring.outputs))
        {end}
    """
    assert run_python(program, tmp_path).stdout == f"3\n{[False] * 10}\n"


def drive_all(rig: LgpioRig | RpiGpioRig) -> None:
    rig.hal.start(rig.heard.append)
    for line in rig.outputs:
        rig.hal.write(line, True)
    rig.hal.close()


@pytest.mark.parametrize(("low", "safe", "pull"), [(False, False, "down"), (True, True, "up")])
def test_F023_the_last_level_is_the_safe_one_and_the_resistor_holds_it(
    monkeypatch: pytest.MonkeyPatch, low: bool, safe: bool, pull: str
) -> None:
    lgpio = LgpioRig(monkeypatch, active_low(LGPIO) if low else LGPIO)
    drive_all(lgpio)
    assert {lgpio.kernel.drove[pin][-1] for pin in ALL_OUTPUT_PINS} == {safe}
    assert {lgpio.kernel.pull(pin) for pin in ALL_OUTPUT_PINS} == {pull}

    rpi = RpiGpioRig(monkeypatch, active_low(RPI_GPIO) if low else RPI_GPIO)
    drive_all(rpi)
    assert {rpi.gpio.drove[pin][-1] for pin in ALL_OUTPUT_PINS} == {safe}
    assert {rpi.gpio.pulls[pin] for pin in ALL_OUTPUT_PINS} == {rpi.gpio.PUD_UP if low else rpi.gpio.PUD_DOWN}


@pytest.mark.parametrize("low", [False, True])
def test_F024_from_the_first_instant_an_output_drives_nothing_but_its_safe_level(
    monkeypatch: pytest.MonkeyPatch, low: bool
) -> None:
    lgpio = LgpioRig(monkeypatch, active_low(LGPIO) if low else LGPIO)
    lgpio.hal.start(lgpio.heard.append)
    lgpio.hal.levels()
    assert lgpio.kernel.drove == {pin: [low] for pin in ALL_OUTPUT_PINS}
    lgpio.hal.close()

    rpi = RpiGpioRig(monkeypatch, active_low(RPI_GPIO) if low else RPI_GPIO)
    rpi.hal.start(rpi.heard.append)
    assert rpi.gpio.drove == {pin: [low] for pin in ALL_OUTPUT_PINS}


def takes_too_little(self: InputPin, ticks: float) -> None:
    self.put(Edge(self.line.name, True, int(ticks)))


def says_nothing(_self: InputPin, _ticks: float, _state: int) -> None:
    return


@pytest.mark.parametrize("handler", [takes_too_little, says_nothing])
def test_F033_a_handler_that_would_be_deaf_stops_the_start_with_its_input(
    monkeypatch: pytest.MonkeyPatch, handler: Callable[..., None]
) -> None:
    monkeypatch.setattr(InputPin, "changed", handler)
    rig = LgpioRig(monkeypatch, LGPIO)
    with pytest.raises(ClaimError, match=r"seat_1 \(GPIO5\) would be deaf"):
        rig.hal.start(rig.heard.append)
    assert (rig.heard, rig.kernel.alerts, rig.kernel.open_handles) == ([], set(), set())


def test_F034_a_claim_that_works_at_the_second_try_is_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    rig = LgpioRig(monkeypatch, LGPIO)
    rig.kernel.busy[SEAT_PINS[2]] = 1
    rig.hal.start(rig.heard.append)
    rig.drive("seat_3", True)

    assert rig.heard == [Edge("seat_3", True, START_NS)]
    assert rig.pauses == [TRY_AGAIN_S]
    assert "seat_3 (GPIO13) was claimed at try 2" in caplog.text


def test_F034_rpi_gpio_that_fails_to_add_edge_detection_is_tried_three_times(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rig = RpiGpioRig(monkeypatch, RPI_GPIO)

    def broken(*_arguments: object, **_named: object) -> None:
        raise RuntimeError("Failed to add edge detection")

    monkeypatch.setattr(rig.gpio, "add_event_detect", broken)
    with pytest.raises(ClaimError, match=r"seat_1 \(GPIO5\) .*3 times: Failed to add edge detection"):
        rig.hal.start(rig.heard.append)
    assert rig.pauses == [TRY_AGAIN_S] * 2
    assert rig.gpio.callbacks == {}
    assert rig.gpio.pulls[SEAT_PINS[0]] == rig.gpio.PUD_OFF


@pytest.mark.parametrize(
    ("factory", "library"), [(Factory.RPI_GPIO, "RPi.GPIO"), (Factory.SIMULATED, "simulated")]
)
def test_F036_without_the_named_library_the_table_refuses_to_start(
    monkeypatch: pytest.MonkeyPatch, factory: Factory, library: str
) -> None:
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    monkeypatch.setitem(sys.modules, "RPi", None)
    with pytest.raises(FactoryError, match=library):
        RaspberryHal(reference_wiring(factory)).start(lambda _message: None)
    assert gpiozero.Device.pin_factory is None


def test_F036_off_a_pi_lgpio_finds_no_header_and_nothing_takes_its_place(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("GPIOZERO_PIN_FACTORY", "mock")
    nowhere = msgspec.structs.replace(LGPIO, chip_labels=("no such label",))
    with pytest.raises(ChipNotFoundError, match="no such label"):
        RaspberryHal(nowhere).start(lambda _message: None)
    assert gpiozero.Device.pin_factory is None
