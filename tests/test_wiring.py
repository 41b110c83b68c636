"""The wiring's picture: each pin of the board file is in it, at its place on the header, in both languages."""

import tomllib
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from click.testing import CliRunner

from controller.cli import pozo
from controller.config import load
from controller.wiring import Job, picture, places
from controller.wiring.texts import Say, Tell
from controller.words import CATALOGUES, LANGUAGES
from hal.interface import (
    Device,
    KeypadKind,
    KeypadWiring,
    PanelSignWiring,
    ScreenKind,
    ScreenWiring,
    SignKind,
)

ROOT = Path(__file__).parent.parent
BOARD = ROOT / "config" / "boards" / "rpi-7seat.toml"
SVG = "{http://www.w3.org/2000/svg}"
HEADER_PIN = {
    "seat_1": 7, "seat_2": 29, "seat_3": 31, "seat_4": 26, "seat_5": 24, "seat_6": 21, "seat_7": 19,
    "coin_in": 23, "game_over": 32, "supervisor": 33, "technician": 36,
    "lamp_1": 11, "lamp_2": 12, "lamp_3": 35, "lamp_4": 38, "lamp_5": 40, "lamp_6": 15, "lamp_7": 16,
    "slots": 18, "release": 22, "bell": 37,
}  # fmt: skip
"""The reference board, read off a printed Raspberry Pi pin-out by hand."""


def pins(svg: str) -> dict[int, tuple[str, str]]:
    """Header pin to the line's name and all words beside it."""
    groups = ET.fromstring(svg).iter(f"{SVG}g")
    return {
        int(group.attrib["data-pin"]): (
            group.attrib["data-line"],
            " ".join(str(text.text) for text in group.iter(f"{SVG}text")),
        )
        for group in groups
    }


@pytest.mark.parametrize("language", LANGUAGES)
def test_F166_every_line_of_the_board_file_is_in_the_picture_at_its_pin(language: str) -> None:
    board = tomllib.loads(BOARD.read_text(encoding="utf-8"))
    settings = load("table")
    drawn = pins(picture(settings.wiring, settings.board_title, language))
    assert sorted(drawn) == list(range(1, 41))
    lines = board["inputs"] | board["outputs"]
    assert {name: pin for pin, (name, _) in drawn.items() if name} == HEADER_PIN
    assert set(lines) == set(HEADER_PIN)
    for name, gpio in lines.items():
        assert f"GPIO{gpio} ·" in drawn[HEADER_PIN[name]][1]


def test_each_pin_says_in_words_what_goes_to_it_and_how() -> None:
    drawn = {pin: words for pin, (_, words) in pins(picture(load("table").wiring, "x", "es")).items()}
    assert drawn[31] == "31 asiento 3 GPIO6 · entrada, cierra a masa, con pull-up"
    assert drawn[18] == "18 traba de ranuras GPIO24 · salida, activa con 3,3 V"
    assert drawn[36].startswith("36 llave del técnico GPIO16")
    assert drawn[3] == "3 pantalla, SDA · GPIO2"
    assert drawn[8] == "8 cartel, TXD · GPIO14"
    assert drawn[1] == "1 alimentación de 3,3 V"
    assert drawn[2] == "2 alimentación de 5 V"
    assert drawn[39] == "39 masa (GND)"
    assert drawn[27] == "27 reservado: EEPROM ID · GPIO0"
    assert drawn[13] == "13 libre · GPIO27"


def test_supplies_and_grounds_are_where_the_header_has_them() -> None:
    kinds = {place.pin: place.job for place in places(load("table").wiring, Tell("en"))}
    assert {pin for pin, job in kinds.items() if job is Job.SUPPLY} == {1, 2, 4, 17}
    assert {pin for pin, job in kinds.items() if job is Job.GROUND} == {6, 9, 14, 20, 25, 30, 34, 39}


def test_a_screen_on_spi_and_a_sign_on_a_panel_show_their_pins() -> None:
    table = load("table").wiring
    screen = ScreenWiring(ScreenKind.SSD1322, bus=0, device=1, dc=27, reset=22)
    sign = PanelSignWiring(SignKind.SSD1306, ScreenWiring(ScreenKind.SSD1306, bus=1))
    keypad = KeypadWiring(KeypadKind.USB, "/dev/input/by-id/pad", {"KEY_KP1": "1"})
    wiring = type(table)(table.factory, table.chip_labels, (), (), tuple(Device), screen, sign, keypad)
    svg = picture(wiring, "x", "en")
    drawn = {pin: words for pin, (_, words) in pins(svg).items() if " screen" in words or " sign" in words}
    assert drawn == {
        3: "3 sign, SDA · GPIO2",
        5: "5 sign, SCL · GPIO3",
        13: "13 screen, DC · GPIO27",
        15: "15 screen, RES · GPIO22",
        19: "19 screen, MOSI · GPIO10",
        23: "23 screen, SCLK · GPIO11",
        26: "26 screen, CE1 · GPIO7",
    }
    assert "screen: ssd1322, SPI 0.1" in svg
    assert "sign: ssd1306, I2C 1, address 0x3c" in svg
    assert "keypad: usb, /dev/input/by-id/pad" in svg


def test_a_panel_on_another_bus_takes_no_pin_of_the_headers() -> None:
    table = load("table").wiring
    screen = ScreenWiring(ScreenKind.SH1106, bus=4)
    wiring = type(table)(table.factory, table.chip_labels, (), (), (Device.SCREEN,), screen)
    svg = picture(wiring, "x", "en")
    assert not [words for _, words in pins(svg).values() if "screen" in words]
    assert "screen: sh1106, I2C 4, address 0x3c" in svg


def test_the_title_of_a_board_cannot_break_the_picture() -> None:
    svg = picture(load("table").wiring, "<b> & co", "en")
    titles = [text.text for text in ET.fromstring(svg).iter(f"{SVG}text")]
    assert "Wiring: <b> & co" in titles


def test_the_command_writes_a_new_file_and_never_over_one(tmp_path: Path) -> None:
    out = tmp_path / "wiring.svg"
    done = CliRunner().invoke(pozo, ["wiring", "table", "-o", str(out)])
    assert (done.exit_code, done.output) == (0, "")
    settings = load("table")
    assert out.read_text(encoding="utf-8") == picture(settings.wiring, settings.board_title, "es")
    again = CliRunner().invoke(pozo, ["wiring", "table", "--lang", "en", "-o", str(out)])
    assert again.exit_code == 1
    assert "name a new file" in again.output
    shown = CliRunner().invoke(pozo, ["wiring", "table", "--lang", "en"])
    assert shown.output == picture(settings.wiring, settings.board_title, "en")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_word_of_the_picture_is_in_the_catalogue(language: str) -> None:
    with (CATALOGUES / language / "LC_MESSAGES" / "wiring.po").open("rb") as file:
        entries = {message.id: message.string for message in read_po(file) if message.id}
    assert set(entries) == {text.value for text in Say}
    assert all(entries.values())
