"""Panels through luma, against chips emulated from their data sheets: what is sent is seen, and little is sent."""

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.screen import Look, draw
from hal.interface import PANELS, DeviceError, Panel, Picture, ScreenKind, ScreenWiring
from hal.panel import FULL_LIGHT, LumaPanel, as_pages, changed, explain
from tests.helpers_panel import EmulatedPanel, Sh1106, Ssd1306, Ssd1322

pytestmark = pytest.mark.filterwarnings("ignore:Image.Image.getdata:DeprecationWarning")
EMULATORS: dict[ScreenKind, Callable[[], EmulatedPanel]] = {
    ScreenKind.SSD1306: Ssd1306,
    ScreenKind.SH1106: Sh1106,
    ScreenKind.SSD1322: Ssd1322,
}
KINDS = list(ScreenKind)
FULL_FRAME = {ScreenKind.SSD1306: 1032, ScreenKind.SH1106: 1032, ScreenKind.SSD1322: 8192}
"""Bytes of a whole picture: limits.md row 8 for the two on I2C, half a byte a pixel for the third."""


def wired(kind: ScreenKind) -> tuple[LumaPanel, EmulatedPanel]:
    chip = EMULATORS[kind]()
    return LumaPanel(ScreenWiring(kind, 1), chip.open), chip


def lines(panel: Panel, *text: str) -> Picture:
    return draw(text, panel, Look())


@pytest.mark.parametrize("kind", KINDS)
def test_what_is_drawn_is_what_is_seen(kind: ScreenKind) -> None:
    panel, chip = wired(kind)
    assert (chip.opened, chip.writes, chip.seen()) == (0, 0, None)
    picture = lines(PANELS[kind], "NO VA MÁS - 3 APUESTAS", "ñ")
    panel.set_up()
    panel.draw(picture, None)
    assert chip.seen() == picture
    assert chip.opened == 1


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
@settings(max_examples=20, deadline=None)
def test_any_change_sent_as_parts_is_seen_as_the_whole(kind: ScreenKind, data: st.DataObject) -> None:
    panel, chip = wired(kind)
    size = PANELS[kind]
    length = size.width * size.height // 8
    pixels = bytearray(length)
    panel.set_up()
    panel.draw(Picture(size, bytes(pixels)), None)
    for _ in range(3):
        before = bytes(pixels)
        for at in data.draw(st.lists(st.integers(0, length - 1), max_size=5)):
            pixels[at] ^= data.draw(st.integers(1, 255))
        panel.draw(Picture(size, bytes(pixels)), Picture(size, before))
        assert chip.seen() == Picture(size, bytes(pixels))


@pytest.mark.parametrize("kind", KINDS)
def test_one_more_chip_on_the_screen_is_a_small_part_of_a_frame(kind: ScreenKind) -> None:
    panel, chip = wired(kind)
    size = PANELS[kind]
    for text in ("APUESTAS ABIERTAS - {} FICHAS", "NO VA MÁS - {0} APUESTAS - VERIFIQUE {0} FICHAS"):
        before, after = (lines(size, text.format(count)) for count in (3, 4))
        panel.set_up()
        panel.draw(before, None)
        chip.bytes = 0
        panel.draw(after, before)
        assert chip.seen() == after
        assert 0 < chip.bytes <= FULL_FRAME[kind] * 15 // 100, chip.bytes


@pytest.mark.parametrize("kind", KINDS)
def test_a_picture_that_is_shown_already_sends_nothing(kind: ScreenKind) -> None:
    panel, chip = wired(kind)
    picture = lines(PANELS[kind], "MESA CERRADA")
    panel.set_up()
    panel.draw(picture, None)
    chip.bytes = 0
    panel.draw(picture, picture)
    assert chip.bytes == 0


@pytest.mark.parametrize("kind", KINDS)
def test_light_is_lowered_and_comes_back_whole(kind: ScreenKind) -> None:
    panel, chip = wired(kind)
    panel.set_up()
    full = chip.contrast
    assert full == FULL_LIGHT[kind]
    panel.dim(on=True)
    assert chip.contrast == 8
    panel.dim(on=False)
    assert chip.contrast == full


@pytest.mark.parametrize("kind", KINDS)
def test_F059_luma_does_not_blank_the_panel_at_the_end(kind: ScreenKind) -> None:
    panel, chip = wired(kind)
    picture = lines(PANELS[kind], "FUERA DE SERVICIO")
    panel.set_up()
    panel.draw(picture, None)
    panel._device.cleanup()  # what luma's hook does when the interpreter ends
    assert (chip.seen(), chip.closed) == (picture, 1)


def test_only_the_bands_and_bytes_that_differ_are_sent() -> None:
    size = Panel(32, 16)
    before, after = bytearray(64), bytearray(64)
    after[9 * 4 + 1] = 1  # row 9, pixels 8 to 15
    after[15 * 4 + 2] = 0x80  # row 15, pixel 16
    found = list(changed(Picture(size, bytes(after)), Picture(size, bytes(before))))
    assert found == [(8, 8, 16, 8)]


def test_a_page_holds_its_top_pixel_lowest() -> None:
    from PIL import Image

    image = Image.new("1", (16, 8))
    image.putpixel((0, 0), 1)
    image.putpixel((1, 7), 1)
    image.putpixel((15, 3), 1)
    assert as_pages(image) == bytes([0x01, 0x80, *[0] * 13, 0x08])


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (OSError(121, "Remote I/O error"), "nothing answers at 0x3c on /dev/i2c-1"),
        (OSError(5, "Input/output error"), "nothing answers at 0x3c"),
        (FileNotFoundError(2, "No such file", "/dev/i2c-1"), "there is no /dev/i2c-1: switch I2C on"),
        (
            PermissionError(13, "Permission denied"),
            "/dev/i2c-1 may not be opened: add this user to the group i2c",
        ),
        (TimeoutError("timed out"), "is held by something (SDA low)"),
        (OSError(110, "Connection timed out"), "is held by something (SDA low)"),
        (ValueError("a byte"), "ValueError('a byte'); check the cable"),
    ],
)
def test_F051_F053_an_error_of_the_bus_is_told_to_the_technician(error: Exception, told: str) -> None:
    assert told in explain(error, ScreenWiring(ScreenKind.SSD1306, 1))
    panel, chip = wired(ScreenKind.SSD1306)
    chip.fail_with = lambda: error
    with pytest.raises(DeviceError, match=r"/dev/i2c-1"):
        panel.set_up()
    assert chip.closed == 1


def test_an_spi_screen_without_its_module_is_told_what_to_install() -> None:
    def without_module() -> EmulatedPanel:
        raise ModuleNotFoundError("No module named 'spidev'", name="spidev")

    panel = LumaPanel(ScreenWiring(ScreenKind.SSD1322, 0, dc=14), without_module)
    with pytest.raises(DeviceError, match=r"/dev/spidev0.0 needs the module spidev.*pozo\[spi\]"):
        panel.set_up()


def test_F051_a_bus_that_is_not_there_is_told_as_luma_finds_it() -> None:
    from hal.panel import connect

    wiring = ScreenWiring(ScreenKind.SH1106, 87)
    with pytest.raises(DeviceError, match=r"there is no /dev/i2c-87: switch I2C on"):
        LumaPanel(wiring, connect(wiring, None)).set_up()
