"""The real table with screen, sign and keypad: mock pins, an emulated panel and real ptys, on its real threads."""

import select
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from queue import SimpleQueue

import pytest

from controller.screen import Look, draw
from hal.interface import (
    PANELS,
    ClaimError,
    Device,
    Factory,
    Format,
    HalError,
    HalThread,
    KeypadKind,
    KeypadWiring,
    KeyPressed,
    Message,
    Output,
    Screen,
    ScreenKind,
    ScreenWiring,
    SignKind,
    SignWiring,
    Wiring,
)
from hal.panel import LumaPanel
from hal.raspberry import RaspberryHal
from tests.helpers_panel import Ssd1306, Ssd1322
from tests.helpers_pins import Wires, mock_opener
from tests.helpers_port import AlphaSign, Cable
from tests.helpers_rigs import Ticker
from tests.helpers_wiring import reference_wiring

pytestmark = pytest.mark.filterwarnings("ignore:Image.Image.getdata:DeprecationWarning")
SIZE = PANELS[ScreenKind.SSD1306]
WAIT_S = 10.0


def screen(text: str, state: str) -> Screen:
    return Screen((text,), draw((text,), SIZE, Look()), state=state)


class Telling(Ssd1306):
    """Tells whenever it shows a whole picture."""

    def __init__(self) -> None:
        self.pictures: SimpleQueue[object] = SimpleQueue()
        self.at_end: Callable[[], None] = lambda: None
        super().__init__()

    def cleanup(self) -> None:
        self.at_end()
        super().cleanup()

    def take(self, data: bytes) -> None:
        super().take(data)
        self.pictures.put(self.seen())


class Table:
    def __init__(self, folder: Path) -> None:
        self.sign_cable, self.pad_cable = Cable(folder / "sign"), Cable(folder / "pad")
        self.sign = AlphaSign()
        self.chip = Telling()
        self.heard: SimpleQueue[Message] = SimpleQueue()
        bare = reference_wiring(Factory.LGPIO, devices=(Device.SCREEN, Device.SIGN, Device.KEYPAD))
        self.wiring = Wiring(
            bare.factory,
            bare.chip_labels,
            bare.inputs,
            bare.outputs,
            bare.devices,
            ScreenWiring(ScreenKind.SSD1306, 1),
            SignWiring(SignKind.ALPHA, str(self.sign_cable.path), 9600, Format.EIGHT_N_1, "POZO "),
            KeypadWiring(KeypadKind.SERIAL, str(self.pad_cable.path), {"3": "3"}),
        )
        self.factory, opener = mock_opener(Wires(), Ticker())
        self.hal = RaspberryHal(
            self.wiring,
            open_header=opener,
            open_panel=lambda wiring, _pins: LumaPanel(wiring, self.chip.open),
        )

    def close(self) -> None:
        self.hal.close()
        self.sign_cable.close()
        self.pad_cable.close()


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    made = Table(tmp_path)
    yield made
    made.close()


def until_shown(table: Table, wanted: str) -> None:
    """Read the sign's cable until the sign shows this; the pty is the clock."""
    while wanted not in table.sign.shown:
        assert select.select([table.sign_cable.far], [], [], WAIT_S)[0], (
            f"the sign shows {table.sign.shown!r}"
        )
        table.sign.hear(table.sign_cable.heard())


def test_screen_sign_and_keypad_live_on_two_threads_and_end_with_the_table(table: Table) -> None:
    before = set(threading.enumerate())
    table.hal.start(table.heard.put)
    assert table.hal.devices == {Device.SCREEN, Device.SIGN, Device.KEYPAD}
    assert table.hal.panel == SIZE
    assert {thread.name for thread in set(threading.enumerate()) - before} == {"screen", "ports"}
    table.hal.show(screen("MESA CERRADA", "closed"))
    while table.chip.pictures.get(timeout=WAIT_S) != screen("MESA CERRADA", "closed").picture:
        pass
    table.hal.sign("$ 100.000,00")
    until_shown(table, "POZO $ 100.000,00")
    table.pad_cable.say(b"3")
    pressed = table.heard.get(timeout=WAIT_S)
    assert isinstance(pressed, KeyPressed)
    assert pressed.key == "3"
    table.hal.show(screen("FUERA DE SERVICIO", "out of service"))
    table.hal.sign("FUERA DE SERVICIO")
    table.hal.close()
    assert set(threading.enumerate()) == before
    assert table.chip.seen() == screen("FUERA DE SERVICIO", "").picture
    sign = AlphaSign()
    sign.hear(table.sign_cable.heard())
    assert sign.strings[b"1"] == b"FUERA DE SERVICIO"


class Held(threading.Event):
    """A bus that makes its writer wait, and tells when one does."""

    def __init__(self) -> None:
        super().__init__()
        self.waits = threading.Event()

    def wait(self, timeout: float | None = None) -> bool:
        self.waits.set()
        return super().wait(timeout)


def test_a_thread_that_hangs_in_its_bus_stops_beating_and_the_others_go_on(table: Table) -> None:
    table.hal.start(table.heard.put)
    table.hal.sign("$ 1,00")
    until_shown(table, "$ 1,00")
    assert table.hal.beats().keys() == {HalThread.PINS, HalThread.SCREEN, HalThread.PORTS}
    table.chip.held = held = Held()
    table.hal.show(screen("A", "A"))
    assert held.waits.wait(WAIT_S)
    hung = table.hal.beats()
    table.hal.sign("$ 2,00")
    until_shown(table, "$ 2,00")
    later = table.hal.beats()
    assert later[HalThread.SCREEN] == hung[HalThread.SCREEN]
    assert later[HalThread.PORTS] > hung[HalThread.PORTS]
    assert later[HalThread.PINS] > hung[HalThread.PINS]
    held.set()
    for text in ("A", "B"):
        table.hal.show(screen(text, text))
        while table.chip.pictures.get(timeout=WAIT_S) != screen(text, text).picture:
            pass
    assert table.hal.beats()[HalThread.SCREEN] > hung[HalThread.SCREEN]


def test_devices_are_not_spoken_to_while_not_started(table: Table) -> None:
    with pytest.raises(ClaimError, match="start comes first"):
        table.hal.show(screen("A", ""))
    with pytest.raises(ClaimError, match="start comes first"):
        table.hal.sign("1")


def test_outputs_are_safe_before_the_devices_say_their_last_words(table: Table) -> None:
    table.hal.start(table.heard.put)
    table.hal.write("slots", True)
    slots = table.factory.pin(25)
    open_then: list[object] = []
    table.chip.at_end = lambda: open_then.append(bool(slots.state))
    table.hal.show(screen("FUERA DE SERVICIO", "out of service"))
    table.hal.close()
    assert open_then == [False]


def test_an_spi_screen_has_its_own_pins_on_the_tables_header() -> None:
    wiring = reference_wiring(Factory.LGPIO, devices=(Device.SCREEN,))
    lines: tuple[Output, ...] = wiring.outputs
    wired = Wiring(
        wiring.factory,
        wiring.chip_labels,
        wiring.inputs,
        lines,
        wiring.devices,
        ScreenWiring(ScreenKind.SSD1322, 0, dc=14, reset=15),
    )
    factory, opener = mock_opener(Wires(), Ticker())
    chip = Ssd1322()
    driven: list[Callable[[int, bool], None]] = []

    def opening(which: ScreenWiring, pins: object) -> LumaPanel:
        driven.append(pins.output)  # type: ignore[attr-defined]  # the pins as luma gets them
        return LumaPanel(which, chip.open)

    hal = RaspberryHal(wired, open_header=opener, open_panel=opening)
    hal.start(lambda _message: None)
    driven[0](14, True)
    assert (factory.pin(14).state, factory.pin(15).state) == (True, False)
    with pytest.raises(HalError, match="there is no line 'screen_dc'"):
        hal.write("screen_dc", False)
    hal.close()
    assert factory.pin(14).function == "input"
