"""A board's screen, sign and keypad: what is described is wired, what cannot work is refused with its reason."""

from pathlib import Path

import pytest

from controller.config import load
from hal.interface import (
    Device,
    Format,
    KeypadKind,
    KeypadWiring,
    Panel,
    ScreenKind,
    ScreenWiring,
    SignKind,
    SignWiring,
)
from tests.helpers_config import SCREEN, SIGN, Change, refusal, with_board

ON_SPI = '[screen]\nkind = "ssd1322"\nbus = 0\ndevice = 1\ndc = 14\nreset = 15\n'
OFF_THE_UART = ('"/dev/ttyAMA0"', '"/dev/serial/by-id/usb-A"')
SPI_BOARD: tuple[Change, ...] = (
    (SCREEN, ON_SPI),
    OFF_THE_UART,
    ("spi = false", "spi = true"),
    ("uart = true", "uart = false"),
    ("i2c = true", "i2c = false"),
    ("seat_4 = 7\n", "seat_4 = 0\n"),
    ("seat_5 = 8\n", "seat_5 = 1\n"),
)
SERIAL_PAD = '[keypad]\nkind = "serial"\nport = "/dev/serial/by-id/usb-B"\nbaud = 9600\nformat = "8N1"\n'
USB_PAD = '[keypad]\nkind = "usb"\nport = "/dev/input/by-id/pad"\n'
KEYS = "[keypad.keys]\n"


def with_keypad(folder: Path, section: str, *changes: Change) -> Path:
    return with_board(folder, ("[timings]", f"{section}\n[timings]"), *changes)


def test_the_reference_board_has_a_screen_and_a_sign(tmp_path: Path) -> None:
    wiring = load(str(with_board(tmp_path))).wiring
    assert wiring.devices == (Device.SCREEN, Device.SIGN)
    assert wiring.screen == ScreenWiring(ScreenKind.SSD1306, 1, address=0x3C)
    assert wiring.sign == SignWiring(SignKind.ALPHA, "/dev/ttyAMA0", 9600, Format.EIGHT_N_1)
    assert (wiring.keypad, wiring.panel) == (None, Panel(128, 64))


def test_a_label_is_given_to_the_sign(tmp_path: Path) -> None:
    wired = load(str(with_board(tmp_path, ('# label = "POZO "', 'label = "POZO "')))).wiring.sign
    assert isinstance(wired, SignWiring)
    assert wired.label == "POZO "


def test_a_device_without_a_section_does_not_exist(tmp_path: Path) -> None:
    changes = ((SCREEN, ""), (SIGN, ""))
    (tmp_path / "mesa.toml").unlink(missing_ok=True)
    path = with_board(tmp_path, *changes)
    path.write_text(path.read_text().replace("require_sign = true", "require_sign = false"))
    wiring = load(str(path)).wiring
    assert (wiring.devices, wiring.screen, wiring.sign, wiring.panel) == ((), None, None, None)


def test_a_simulated_board_needs_only_names() -> None:
    wiring = load("simulated").wiring
    assert set(wiring.devices) == set(Device)
    assert (wiring.screen, wiring.panel) == (None, Panel(128, 64))


def test_keypads_of_both_kinds(tmp_path: Path) -> None:
    serial = with_keypad(tmp_path, f'{SERIAL_PAD}{KEYS}"1" = "1"\n"\\r" = "ENTER"\n')
    assert load(str(serial)).wiring.keypad == KeypadWiring(
        KeypadKind.SERIAL, "/dev/serial/by-id/usb-B", {"1": "1", "\r": "ENTER"}, 9600, Format.EIGHT_N_1
    )
    usb = with_keypad(tmp_path, f'{USB_PAD}{KEYS}KEY_KP1 = "1"\n')
    wiring = load(str(usb)).wiring
    assert wiring.keypad == KeypadWiring(KeypadKind.USB, "/dev/input/by-id/pad", {"KEY_KP1": "1"})
    assert Device.KEYPAD in wiring.devices


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (('kind = "ssd1306"', 'kind = "ssd1307"'), 'Did you mean "ssd1306"?'),
        (("i2c = true", "i2c = false"), 'screen.kind = "ssd1306": is on I2C, which is off'),
        (("address = 0x3c", "address = 0x3f"), "screen.address: is 0x3f; must be 0x3c or 0x3d"),
        (("address = 0x3c", ""), "screen.address: is missing; a screen of kind ssd1306 needs it"),
        (("address = 0x3c", "address = 0x3c\ndc = 27"), "screen.dc: has no meaning for a screen of kind"),
        (("bus = 1 ", "bus = 10 "), "the number of the bus"),
        (('"/dev/ttyAMA0"', '"/dev/ttyS0"'), "is the mini-UART: no parity, and its speed follows"),
        (('"/dev/ttyAMA0"', '"/dev/serial0"'), "is the mini-UART"),
        (('"/dev/ttyAMA0"', '"COM3"'), "a device's path in quotes"),
        (("uart = true", "uart = false"), "is the header's UART, which is off"),
        (("baud = 9600", "baud = 9601"), "sign.baud = 9601: must be one of 1200, 2400, 4800, 9600"),
        (('format = "8N1"', 'format = "7O1"'), 'must be one of "8N1", "7E1"'),
        (('# label = "POZO "', 'label = "ACUMULADO PROGRESIVO "'), "1 to 16 characters"),
        (("devices = []", 'devices = ["keypad"]'), "'keypad' is named but not described: give it a section"),
    ],
)
def test_a_device_that_cannot_work_is_refused(tmp_path: Path, change: Change, told: str) -> None:
    assert told in refusal(with_board(tmp_path, change))


def test_a_screen_on_spi_has_pins_of_its_own_that_are_judged_like_all(tmp_path: Path) -> None:
    message = refusal(with_board(tmp_path, *SPI_BOARD))
    assert "screen." not in message, "the screen's pins are right; what is left are seats on bus pins"
    clash = (("reset = 15", "reset = 26"),)
    changed = ((SCREEN, ON_SPI.replace(*clash[0])), *SPI_BOARD[1:])
    assert "screen.reset = 26: GPIO 26 is already outputs.bell" in refusal(with_board(tmp_path, *changed))


def test_a_screen_on_spi_needs_its_bus_and_pins(tmp_path: Path) -> None:
    message = refusal(with_board(tmp_path, (SCREEN, '[screen]\nkind = "ssd1322"\nbus = 0\n'), OFF_THE_UART))
    assert 'screen.kind = "ssd1322": is on SPI, which is off' in message
    for key in ("device", "dc", "reset"):
        assert f"screen.{key}: is missing; a screen of kind ssd1322 needs it" in message


def test_F069_a_numbered_port_is_a_warning(tmp_path: Path) -> None:
    warnings = load(str(with_board(tmp_path, ('"/dev/ttyAMA0"', '"/dev/ttyUSB0"')))).warnings
    assert any("/dev/ttyUSB0 may be another adapter after the next start" in text for text in warnings)


@pytest.mark.parametrize(
    ("section", "told"),
    [
        (SERIAL_PAD + KEYS, "keypad.keys: is empty; name the keys"),
        (f'{SERIAL_PAD}{KEYS}"12" = "1"\n', "a serial keypad's key is the one character it sends"),
        (f'{SERIAL_PAD}{KEYS}"1" = "uno"\n', "must be 1 to 16 capital letters"),
        (SERIAL_PAD.replace("baud = 9600\n", "") + KEYS + '"1" = "1"\n', "keypad.baud: is missing"),
        (SERIAL_PAD.replace('format = "8N1"\n', "") + KEYS + '"1" = "1"\n', "keypad.format: is missing"),
        (f'{USB_PAD}baud = 9600\n{KEYS}KEY_KP1 = "1"\n', "keypad.baud: has no meaning for a USB keypad"),
        (
            f'{SERIAL_PAD.replace("/dev/serial/by-id/usb-B", "/dev/ttyAMA0")}{KEYS}"1" = "1"\n',
            "keypad.port: is the sign's too",
        ),
    ],
)
def test_a_keypad_that_cannot_work_is_refused(tmp_path: Path, section: str, told: str) -> None:
    assert told in refusal(with_keypad(tmp_path, section))
