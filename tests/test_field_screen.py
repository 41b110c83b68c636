"""Field log, topic 3: small displays. Rows F051 to F065, on luma objects over emulated chips, in virtual time."""

import logging
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from threading import Event

import pytest

from controller.core import events as ev
from controller.drill.statements import Part
from controller.drill.world import World
from controller.screen import IDLE_NS, Look, draw
from hal.health import Health
from hal.interface import (
    PANELS,
    Device,
    DeviceFailed,
    DeviceMended,
    HalThread,
    Message,
    Picture,
    Screen,
    ScreenKind,
    ScreenWiring,
)
from hal.oled import RENEW_NS, ScreenDriver
from hal.panel import LumaPanel
from hal.worker import Worker
from tests.helpers_panel import EmulatedPanel, Ssd1306, Ssd1322
from tests.helpers_world import chip as play_chip
from tests.helpers_world import meter, powered, press, stored

pytestmark = pytest.mark.filterwarnings("ignore:Image.Image.getdata:DeprecationWarning")
SECOND = 1_000_000_000
WAIT_S = 10.0
SIZE = PANELS[ScreenKind.SSD1306]
NO_ANSWER = (121, "Remote I/O error")


def screen(text: str, state: str = "open", *, dim: bool = False) -> Screen:
    return Screen((text,), draw((text,), SIZE, Look()), dim, state)


class Rig:
    """A driver, its chip and a clock that only the test moves."""

    def __init__(self, chip: EmulatedPanel, kind: ScreenKind = ScreenKind.SSD1306) -> None:
        self.chip = chip
        self.heard: list[Message] = []
        self.now_ns = 100 * SECOND
        self.due_ns = self.now_ns
        panel = LumaPanel(ScreenWiring(kind, 1), chip.open)
        self.driver = ScreenDriver(panel, Health(Device.SCREEN, self.heard.append))

    def show(self, shown: Screen) -> None:
        """Tell it what to show; its thread is woken."""
        self.driver.show(shown)
        self.due_ns = self.driver.turn(self.now_ns)

    def wait(self, seconds: float) -> None:
        """Let time pass; the driver gets each turn it asked for."""
        end_ns = self.now_ns + round(seconds * SECOND)
        while self.due_ns <= end_ns:
            self.now_ns = max(self.now_ns, self.due_ns)
            self.due_ns = self.driver.turn(self.now_ns)
        self.now_ns = end_ns


@pytest.fixture
def rig() -> Rig:
    return Rig(Ssd1306())


def no_answer() -> Exception:
    return OSError(*NO_ANSWER)


def test_F051_without_a_panel_the_table_is_told_and_it_is_tried_again_every_few_seconds(rig: Rig) -> None:
    rig.chip.fail_with = no_answer
    rig.show(screen("MESA CERRADA"))
    rig.wait(60)
    (told,) = rig.heard
    assert isinstance(told, DeviceFailed)
    assert told.at_ns == 101 * SECOND, "at the second failure"
    assert "nothing answers at 0x3c on /dev/i2c-1" in told.why
    assert rig.chip.opened == 1 + 1 + (60 - 1 - 2) // 4 + 1, "at once, after 1 s, after 2 s, then every 4 s"


def test_F052_a_bus_that_works_after_20_s_shows_the_picture_within_5_s(rig: Rig) -> None:
    rig.chip.fail_with = no_answer
    wanted = screen("MESA CERRADA")
    rig.show(wanted)
    rig.wait(20)
    rig.chip.fail_with = None
    rig.wait(5)
    assert rig.chip.seen() == wanted.picture
    assert [type(message) for message in rig.heard] == [DeviceFailed, DeviceMended]


@pytest.mark.parametrize(
    "error", [OSError(*NO_ANSWER), OSError(5, "Input/output error"), TimeoutError(), ValueError()]
)
def test_F053_a_write_that_fails_is_an_alarm_and_nothing_else(rig: Rig, error: Exception) -> None:
    rig.show(screen("1 APUESTA"))
    rig.chip.fail_with = lambda: error
    for text in ("2 APUESTAS", "3 APUESTAS"):
        rig.show(screen(text))
        rig.wait(1)
    assert [type(message) for message in rig.heard] == [DeviceFailed]
    rig.chip.fail_with = None
    rig.wait(5)
    assert rig.chip.seen() == screen("3 APUESTAS").picture


def test_F053_a_whole_round_is_played_and_stored_without_a_screen() -> None:
    with powered() as world:
        world.break_part(Part.SCREEN, broken=True)
        before = world.hal.screen
        play_chip(world, 3)
        press(world, ev.Button.COIN_IN)
        press(world, ev.Button.GAME_OVER)
        assert [len(stored(world, kind)) for kind in (ev.ChipDropped, ev.CoinInPressed, ev.GameOverPressed)] == [
            1, 1, 1,
        ]  # fmt: skip
        assert meter(world, "in_count") == "1"
        play_chip(world, 4)
        assert world.hal.screen == before
        world.break_part(Part.SCREEN, broken=False)
        assert "1 FICHA" in world.hal.screen[0]


def test_F053_one_write_that_fails_is_mended_unnoticed(rig: Rig) -> None:
    rig.show(screen("1 APUESTA"))
    rig.chip.fail_after = 1
    rig.show(screen("2 APUESTAS"))
    rig.chip.fail_after = None
    rig.wait(1)
    assert rig.heard == []
    assert rig.chip.seen() == screen("2 APUESTAS").picture


def test_F054_ten_minutes_of_failing_writes_are_a_few_tries_and_few_lines(
    rig: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    rig.chip.fail_with = no_answer
    with caplog.at_level(logging.DEBUG):
        for count in range(600):
            rig.show(screen(f"{count} APUESTAS"))
            rig.wait(1)
    assert rig.chip.opened <= 600 // 4 + 3
    assert len(caplog.records) <= 11
    assert len(rig.heard) == 1


def test_F056_a_panel_that_lost_its_power_is_back_within_the_renewal(rig: Rig) -> None:
    wanted = screen("MESA CERRADA")
    rig.show(wanted)
    rig.chip.power_up()
    rig.show(screen("MESA CERRADA"))
    assert rig.chip.seen() is None
    rig.wait(RENEW_NS / SECOND)
    assert rig.chip.seen() == wanted.picture
    assert rig.heard == []


def test_F056_a_panel_that_lost_its_power_is_back_with_the_next_state(rig: Rig) -> None:
    rig.show(screen("APUESTAS", "open"))
    rig.chip.power_up()
    rig.show(screen("NO VA MÁS", "locked"))
    assert rig.chip.seen() == screen("NO VA MÁS").picture


def test_F057_a_set_up_that_breaks_off_starts_again_from_its_first_command() -> None:
    rig = Rig(Ssd1322(), ScreenKind.SSD1322)
    wide = Picture(PANELS[ScreenKind.SSD1322], bytes(2048))
    rig.chip.fail_after = 3
    rig.driver.show(Screen(("",), wide))
    for second in (100, 101, 103):
        rig.chip.commands.clear()
        rig.chip.fail_after = 3
        rig.driver.turn(second * SECOND)
        assert rig.chip.commands == [0xFD, 0xA4]
    rig.chip.commands.clear()
    rig.chip.fail_after = None
    rig.driver.turn(107 * SECOND)
    assert rig.chip.commands[0] == 0xFD
    assert rig.chip.seen() == wide


@pytest.fixture
def served() -> Iterator[Callable[[EmulatedPanel], tuple[Worker, ScreenDriver]]]:
    """Serves a chip on a thread, as a table does; a bus that is held is let go at the end."""
    made: list[tuple[EmulatedPanel, Worker]] = []

    def serve(chip: EmulatedPanel) -> tuple[Worker, ScreenDriver]:
        panel = LumaPanel(ScreenWiring(ScreenKind.SSD1306, 1), chip.open)
        driver = ScreenDriver(panel, Health(Device.SCREEN, lambda _message: None))
        worker = Worker(HalThread.SCREEN, [driver], lambda: 100 * SECOND)
        worker.start()
        made.append((chip, worker))
        return worker, driver

    yield serve
    for chip, worker in made:
        if chip.held is not None:
            chip.held.set()
        worker.end()
        worker.join()


Serve = Callable[[EmulatedPanel], tuple[Worker, ScreenDriver]]


class Telling(Ssd1306):
    """Tells each time a picture is whole."""

    def __init__(self) -> None:
        self.told: SimpleQueue[Picture | None] = SimpleQueue()
        super().__init__()

    def take(self, data: bytes) -> None:
        super().take(data)
        self.told.put(self.seen())


def test_F057_F058_a_bus_that_is_held_keeps_nobody_waiting_not_even_the_end(
    served: Serve, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("hal.worker.JOIN_S", 0.05)
    chip = Ssd1306()
    chip.held = Event()
    worker, driver = served(chip)
    driver.show(screen("FUERA DE SERVICIO"))
    worker.wake()
    worker.end()
    worker.join()
    assert "hangs in its device and is left behind" in caplog.text


def test_F058_the_last_picture_says_out_of_service(served: Serve) -> None:
    chip = Telling()
    worker, driver = served(chip)
    driver.show(screen("NO VA MÁS"))
    worker.wake()
    driver.show(screen("FUERA DE SERVICIO", "out of service"))
    worker.end()
    worker.join()
    assert chip.seen() == screen("FUERA DE SERVICIO").picture
    assert chip.closed == 1


def test_F059_after_a_kill_the_stored_state_is_drawn_over_what_stood_there() -> None:
    chip = Ssd1306()
    Rig(chip).show(screen("PAGUE ASIENTO 3: $ 5.000,00", "award_pending"))
    again = Rig(chip)
    again.show(screen("PAGUE ASIENTO 3: $ 5.000,00", "award_pending"))
    assert chip.seen() == screen("PAGUE ASIENTO 3: $ 5.000,00").picture
    again.show(screen("MESA CERRADA", "closed"))
    assert chip.seen() == screen("MESA CERRADA").picture


def test_F062_what_another_program_did_to_the_panel_is_gone_within_the_renewal(rig: Rig) -> None:
    wanted = screen("MESA CERRADA")
    rig.show(wanted)
    rig.chip.command(0xAE)
    rig.chip.ram[3][5] ^= 1
    rig.wait(RENEW_NS / SECOND)
    assert rig.chip.seen() == wanted.picture


def test_F063_a_slow_bus_skips_pictures_and_ends_with_the_newest(served: Serve) -> None:
    chip = Telling()
    chip.held = Event()
    worker, driver = served(chip)
    for count in range(200):
        driver.show(screen(f"{count} APUESTAS"))
        worker.wake()
    chip.held.set()
    seen = [chip.told.get(timeout=WAIT_S)]
    while seen[-1] != screen("199 APUESTAS").picture:
        seen.append(chip.told.get(timeout=WAIT_S))
    assert len(seen) <= 12, "the first, and the parts of the last"


def test_F064_a_part_that_was_lost_on_the_bus_is_right_after_one_whole_picture(rig: Rig) -> None:
    rig.show(screen("99 FICHAS"))
    rig.chip.lose_data = 1
    rig.show(screen("100 FICHAS"))
    assert rig.chip.seen() != screen("100 FICHAS").picture
    rig.wait(RENEW_NS / SECOND)
    assert rig.chip.seen() == screen("100 FICHAS").picture


def test_F065_the_light_goes_down_and_comes_back_with_the_next_picture(rig: Rig) -> None:
    rig.show(screen("MESA CERRADA"))
    full = rig.chip.contrast
    rig.show(screen("MESA CERRADA", dim=True))
    assert rig.chip.contrast < full
    rig.wait(RENEW_NS / SECOND)
    assert rig.chip.contrast < full, "the renewal keeps it dim"
    rig.show(screen("MESA CERRADA"))
    assert rig.chip.contrast == full


def drawn(world: World) -> Screen:
    assert world.hal.drawn is not None
    return world.hal.drawn


def test_F065_an_idle_table_dims_and_any_input_gives_full_light_within_200_ms() -> None:
    with powered() as world:
        world.pass_time(IDLE_NS - SECOND)
        assert not drawn(world).dim
        world.pass_time(2 * SECOND)
        first = drawn(world)
        assert first.dim
        world.pass_time(60 * SECOND)
        assert drawn(world).picture != first.picture
        world.drive("seat_3", active=True)
        world.pass_time(5_000_000)
        assert not drawn(world).dim, "too short to be a chip yet, and yet somebody is there"


def test_the_picture_is_drawn_of_the_very_lines_that_are_shown() -> None:
    with powered() as world:
        assert drawn(world).lines == world.hal.screen
        assert drawn(world).picture == draw(world.hal.screen, SIZE, Look())
        assert drawn(world).state == "open"
