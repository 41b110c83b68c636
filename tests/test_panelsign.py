"""The jackpot sign on an OLED panel: amounts whole and large, failures told, the board file's section judged."""

import logging
from pathlib import Path

import pytest

from controller.config import ConfigError, load
from hal.health import Health
from hal.interface import (
    PANELS,
    Device,
    DeviceFailed,
    DeviceMended,
    Message,
    PanelSignWiring,
    ScreenKind,
    ScreenWiring,
    SignKind,
)
from hal.panel import LumaPanel, as_image
from hal.panelsign import PanelSign, draw, wrapped
from tests.helpers_config import with_board
from tests.helpers_panel import Ssd1306

pytestmark = pytest.mark.filterwarnings("ignore:Image.Image.getdata:DeprecationWarning")
PANEL = PANELS[ScreenKind.SSD1306]
SECOND = 1_000_000_000


class Rig:
    """A sign on an emulated SSD1306 chip."""

    def __init__(self) -> None:
        self.chip = Ssd1306()
        self.told: list[Message] = []
        self.chip.power_up()
        driver = LumaPanel(ScreenWiring(ScreenKind.SSD1306, 1, address=0x3D), self.chip.open)
        self.sign = PanelSign(driver, PANEL, Health(Device.SIGN, self.told.append))


def test_the_panel_shows_what_was_drawn_and_the_log_keeps_it(caplog: pytest.LogCaptureFixture) -> None:
    rig = Rig()
    with caplog.at_level(logging.INFO, "hal.sign.sent"):
        rig.sign.show("$ 100.000,00")
        rig.sign.show("$ 100.003,50")
        rig.sign.turn(SECOND)
        rig.sign.turn(2 * SECOND)
    assert rig.chip.seen() == draw("$ 100.003,50", PANEL)
    assert [record.getMessage() for record in caplog.records] == ["$ 100.003,50"]
    assert rig.sign.settled


def test_an_amount_is_as_large_as_it_fits_and_never_broken() -> None:
    """128 pixels are 8 letters of 16: `$` above `1.234,50`; a longer amount is written smaller, not in two."""
    assert wrapped("$ 1.234,50", 128 // 16) == ["$", "1.234,50"]
    assert wrapped("$ 100.003,50", 128 // 16) is None
    ink = as_image(draw("$ 100.003,50", PANEL)).getbbox()
    assert ink is not None
    assert ink[2] - ink[0] > 80


def test_long_texts_and_accents_are_drawn_with_what_every_sign_has() -> None:
    assert draw("MESA CERRADA Á", PANEL) == draw("MESA CERRADA A", PANEL)
    assert any(draw("X" * 300, PANEL).pixels)


def test_a_panel_that_does_not_answer_is_told_once_and_found_again() -> None:
    rig = Rig()
    rig.chip.fail_with = lambda: OSError(121, "Remote I/O error")
    rig.sign.show("$ 1,00")
    due = rig.sign.turn(SECOND)
    for _ in range(5):
        due = rig.sign.turn(due)
    assert [type(message) for message in rig.told] == [DeviceFailed]
    rig.chip.fail_with = None
    rig.sign.turn(due)
    assert [type(message) for message in rig.told] == [DeviceFailed, DeviceMended]
    assert rig.chip.seen() == draw("$ 1,00", PANEL)


OLED = '[sign]\nkind = "ssd1306"\nbus = 1\naddress = 0x3d\n'


def test_the_board_file_wires_it(tmp_path: Path) -> None:
    file = with_board(tmp_path, *replaced(OLED))
    panel = ScreenWiring(ScreenKind.SSD1306, 1, address=0x3D)
    assert load(str(file)).wiring.sign == PanelSignWiring(SignKind.SSD1306, panel)


@pytest.mark.parametrize(
    ("section", "said"),
    [
        (OLED.replace("0x3d", "0x3c"), "is the screen's too"),
        (OLED.replace("0x3d", "0x20"), "must be 0x3c or 0x3d"),
        (OLED.replace("bus = 1\n", ""), "sign.bus"),
        (OLED + "baud = 9600\n", "has no meaning for a sign of kind ssd1306"),
        ('[sign]\nkind = "alpha"\nport = "/dev/ttyAMA0"\n', "sign.baud"),
    ],
)
def test_what_does_not_go_together_is_refused(tmp_path: Path, section: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        load(str(with_board(tmp_path, *replaced(section))))


def replaced(section: str) -> list[tuple[str, str]]:
    """The reference board's sign section, replaced."""
    text = (load("table").source.parent / "boards" / "rpi-7seat.toml").read_text(encoding="utf-8")
    begin = text.index("[sign]")
    end = text.find("\n[", begin)
    return [(text[begin : None if end < 0 else end + 1], section)]
