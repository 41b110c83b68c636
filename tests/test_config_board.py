"""A board's file: pins, their numbering, their jobs, and the filter's times."""

from pathlib import Path

import msgspec
import pytest

from controller.config import load
from controller.config.board_schema import TimingsGiven
from controller.config.pins import GPIO_AT, HEADER, power_on_pull
from controller.inputs import Timings
from hal.interface import Output, Pull
from tests.helpers_config import BOARD, line_of, refusal, with_board


def test_the_header_has_28_gpios_on_28_different_pins_and_none_on_a_supply() -> None:
    assert sorted(HEADER) == list(range(28))
    supplies = {1, 2, 4, 6, 9, 14, 17, 20, 25, 30, 34, 39}
    assert set(HEADER.values()) == set(range(1, 41)) - supplies
    assert (HEADER[17], HEADER[4], HEADER[26], GPIO_AT[40]) == (11, 7, 37, 21)


def test_pins_0_to_8_are_pulled_up_at_power_on_and_the_others_down() -> None:
    assert [gpio for gpio in HEADER if power_on_pull(gpio) is Pull.UP] == list(range(9))


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (("seat_3 = 6\n", ""), "inputs.seat_3: is missing; seats are numbered without gaps"),
        (("lamp_7 = 23\n", ""), "outputs.lamp_7: is missing; seats are numbered without gaps"),
        (("coin_in = 11\n", ""), "inputs.coin_in: is missing; give it the BCM number"),
        (("bell = 26\n", ""), "outputs.bell: is missing; give it the BCM number"),
        (
            ("coin_in = 11\n", "coinin = 11\n"),
            'inputs.coinin: there is no such line. Did you mean "coin_in"?',
        ),
        (("seat_1 = 4\n", "seat_01 = 4\n"), 'inputs.seat_01: there is no such line. Did you mean "seat_1"?'),
        (("bell = 26\n", "bell = 26\nseat_1 = 27\n"), "outputs.seat_1: there is no such line."),
        (('factory = "lgpio"', 'factory = "gpio"'), 'must be one of "lgpio", "rpi.gpio", "simulated"'),
        (('factory = "lgpio"', 'factory = "mock"'), 'must be one of "lgpio", "rpi.gpio", "simulated"'),
        (
            ('["pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1"]', "[]"),
            "chip_labels: is empty; name the kernel's chip",
        ),
        (
            ('["pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1"]', "[0]"),
            "must be a text in quotes: put it in quotes",
        ),
        (('["pinctrl-bcm2835", "pinctrl-bcm2711", "pinctrl-rp1"]', '"x"'), "must be a list [...]"),
        (("devices = []", 'devices = ["sing"]'), 'Did you mean "sign"?'),
        (('slots = "high"', 'slots = "hihg"'), 'must be one of "low", "high". Did you mean "high"?'),
        (("i2c = true", 'i2c = "yes"'), "must be true or false, without quotes"),
        (("spi = false", "spi = 0"), "must be true or false, without quotes"),
        (("poll_ms = 50 ", "pol_ms = 50 "), 'there is no such key. Did you mean "poll_ms"?'),
        (("bell = 26\n", "bell = 26\n[outputs.more]\nx = 1\n"), "outputs.more: there is no such line"),
    ],
)
def test_a_board_that_is_not_right_is_refused(tmp_path: Path, change: tuple[str, str], told: str) -> None:
    assert told in refusal(with_board(tmp_path, change))


def test_a_board_without_any_seat_is_refused(tmp_path: Path) -> None:
    pins = [f"seat_{seat} = {seat + 3}\n" for seat in range(1, 8)] + [
        f"lamp_{seat} = {seat + 16}\n" for seat in range(1, 8)
    ]
    message = refusal(with_board(tmp_path, *((pin, "") for pin in pins)))
    assert "inputs.seat_1: is missing; a table has at least one seat" in message
    assert "outputs.lamp_1: is missing; a table has at least one seat" in message


@pytest.mark.parametrize(
    ("old", "new", "bus"),
    [
        ("seat_1 = 4\n", "seat_1 = 0\n", "the ID EEPROM"),
        ("seat_1 = 4\n", "seat_1 = 1\n", "the ID EEPROM"),
        ("seat_1 = 4\n", "seat_1 = 2\n", "I2C (the screen)"),
        ("seat_1 = 4\n", "seat_1 = 3\n", "I2C (the screen)"),
        ("bell = 26\n", "bell = 14\n", "the UART (the sign)"),
        ("bell = 26\n", "bell = 15\n", "the UART (the sign)"),
    ],
)
def test_a_pin_of_a_bus_that_is_on_is_reserved(tmp_path: Path, old: str, new: str, bus: str) -> None:
    assert f"is reserved for {bus}" in refusal(with_board(tmp_path, (old, new)))


def test_a_pin_of_a_bus_that_is_off_is_a_plain_line(tmp_path: Path) -> None:
    on_usb = ("/dev/ttyAMA0", "/dev/serial/by-id/usb-A")
    path = with_board(tmp_path, ("uart = true", "uart = false"), ("bell = 26\n", "bell = 15\n"), on_usb)
    assert load(str(path)).wiring.outputs[-1] == Output("bell", 15, active_low=False)


def test_with_spi_on_pins_7_to_11_are_reserved(tmp_path: Path) -> None:
    message = refusal(with_board(tmp_path, ("spi = false", "spi = true")))
    assert message.count("is reserved for SPI; choose another pin or set buses.spi = false") == 5


def test_a_lamp_that_is_lit_at_power_on_is_a_warning(tmp_path: Path) -> None:
    path = with_board(tmp_path, ('lamps = "high"', 'lamps = "low"'))
    warnings = load(str(path)).warnings
    assert len(warnings) == 7
    assert "outputs.lamp_1: GPIO 17 is pulled low at power-on" in warnings[0]


def test_active_low_and_pull_go_to_each_kind_of_line(tmp_path: Path) -> None:
    path = with_board(
        tmp_path,
        ('seats = "low"', 'seats = "high"'),
        ('keys = "low"', 'keys = "high"'),
        ('seats = "up"', 'seats = "down"'),
        ('buttons = "up"', 'buttons = "none"'),
    )
    inputs = {line.name: (line.active_low, line.pull) for line in load(str(path)).wiring.inputs}
    assert inputs["seat_7"] == (False, Pull.DOWN)
    assert inputs["coin_in"] == inputs["game_over"] == (True, Pull.NONE)
    assert inputs["supervisor"] == inputs["technician"] == (False, Pull.UP)


RANGES = {
    "settle_ms": (5, 50),
    "rearm_ms": (5, 100),
    "jam_ms": (500, 10_000),
    "button_settle_ms": (5, 50),
    "stuck_ms": (2_000, 60_000),
    "hold_ms": (500, 1_900),
    "common_mode_ms": (1, 5),
    "common_mode_lines": (3, 32),
    "held_wait_ms": (20, 100),
    "poll_ms": (10, 200),
    "repair_ms": (1, 50),
    "chatter_per_s": (10, 100),
}


ROOM = {
    ("common_mode_ms", 5): {"timings.settle_ms": "20"},
    ("held_wait_ms", 20): {"timings.button_settle_ms": "10"},
    ("repair_ms", 50): {"timings.poll_ms": "100"},
}
"""What else must be set for a time to go to the end of its range."""


def test_two_times_that_do_not_go_together_are_refused_with_both_values() -> None:
    message = refusal("simulated", {"timings.common_mode_ms": "5"})
    assert "timings: settle_ms is 10 and must be more than 2 times common_mode_ms (10)" in message


def test_every_time_has_a_range() -> None:
    assert set(RANGES) == set(Timings.__struct_fields__) == set(TimingsGiven.__struct_fields__)


@pytest.mark.parametrize("name", RANGES)
def test_a_time_is_accepted_at_both_ends_of_its_range_and_refused_beyond(name: str) -> None:
    least, most = RANGES[name]
    for value in (least, most):
        timings = load("simulated", {**ROOM.get((name, value), {}), f"timings.{name}": str(value)}).timings
        assert msgspec.structs.asdict(timings)[name] == value
    for value in (least - 1, most + 1):
        message = refusal("simulated", {f"timings.{name}": str(value)})
        assert f"timings.{name} = {value}: must be" in message
        assert str(least) in message
        assert str(most) in message


@pytest.mark.parametrize("name", RANGES)
def test_a_time_that_is_not_given_is_refused(tmp_path: Path, name: str) -> None:
    line = next(line for line in BOARD.splitlines() if line.startswith(f"{name} ="))
    message = refusal(with_board(tmp_path, (line + "\n", "")))
    assert f"board.toml, line {line_of(BOARD, '[timings]')}: timings.{name}: is missing; give it" in message
