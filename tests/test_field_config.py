"""Field log, topics 1, 6 and 10, as far as a table's files can answer: each row by its number."""

import re
import tomllib
from pathlib import Path

import pytest

from controller.config import load
from controller.core.money import Currency
from hal.interface import Factory
from tests.helpers_config import (
    BOARD,
    PROFILE,
    TABLE,
    changed,
    line_of,
    refusal,
    table,
    with_board,
    with_profile,
    written,
)

FACTORIES = ("lgpio", "rpi.gpio", "simulated")


# 1. Times and pins.


@pytest.mark.parametrize("factory", FACTORIES)
@pytest.mark.parametrize(
    "value", ["0", "0.0005", "0.3", "0.301", "1", "-1", "'20'", "4", "51", "300", "true", "1e9", "inf"]
)
def test_F006_a_settle_time_out_of_range_is_refused_with_field_unit_and_range(
    tmp_path: Path, factory: str, value: str
) -> None:
    path = with_board(
        tmp_path, ("\nsettle_ms = 10 ", f"\nsettle_ms = {value} "), ('"lgpio" ', f'"{factory}" ')
    )
    message = refusal(path)
    assert "timings.settle_ms" in message
    assert "whole milliseconds, 5 to 50" in message


@pytest.mark.parametrize("factory", FACTORIES)
def test_F006_a_settle_time_in_range_is_the_same_for_every_factory(tmp_path: Path, factory: str) -> None:
    path = with_board(tmp_path, ("\nsettle_ms = 10 ", "\nsettle_ms = 20 "), ('"lgpio" ', f'"{factory}" '))
    settings = load(str(path))
    assert settings.wiring.factory is Factory(factory)
    assert settings.timings.settle_ms == 20


@pytest.mark.parametrize("value", [5, 20])
def test_F032_the_settle_time_in_force_is_the_one_in_the_file(tmp_path: Path, value: int) -> None:
    path = with_board(tmp_path, ("\nsettle_ms = 10 ", f"\nsettle_ms = {value} "))
    assert load(str(path)).timings.settle_ms == value


@pytest.mark.parametrize(("line", "pin"), [("slots", 24), ("release", 25), ("bell", 26)])
def test_F035_an_output_that_power_on_would_switch_is_refused(tmp_path: Path, line: str, pin: int) -> None:
    path = with_board(tmp_path, (f'{line} = "high"', f'{line} = "low"'))
    message = refusal(path)
    assert (
        f"outputs.{line} = {pin}: unsafe at power-up for its job: GPIO {pin} is pulled low at power-on"
        in message
    )
    assert "choose one of 0 to 8" in message


def test_F035_an_active_high_output_on_a_pin_pulled_up_is_refused_and_the_free_pin_is_named(
    tmp_path: Path,
) -> None:
    path = with_board(tmp_path, ("seat_1 = 4\n", "seat_1 = 24\n"), ("slots = 24\n", "slots = 4\n"))
    assert (
        "GPIO 4 is pulled high at power-on, which is this line's active level; choose one of 9 to 27"
        in refusal(path)
    )


# 6. Money and what it depends on.


def test_F113_a_start_amount_above_the_limit_is_refused_with_both_values(tmp_path: Path) -> None:
    path = table(
        tmp_path, ('base_amount = "100000.00"', 'base_amount = "10000.00"'), ('"1000000.00"', '"5000.00"')
    )
    message = refusal(path)
    limit = line_of(TABLE, "limit =")
    assert f"pot.main.base_amount: 10000.00 is above pot.main.limit 5000.00 ({path}, line {limit})" in message
    assert "pot.main.reset_amount: 10000.00 is above pot.main.limit 5000.00" in message


def test_F113_a_table_that_needs_a_host_it_does_not_have_is_refused(tmp_path: Path) -> None:
    message = refusal(table(tmp_path, ("require_host = false", "require_host = true")))
    assert "policies.require_host = true: this table has no [link]" in message


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (('amount = "5000.00"\n', ""), "prizes.four_of_a_kind: must pay exactly one of"),
        (("[prizes.flush]", "[prizes.pair]"), "prizes.flush: is missing although flush wins (art. 17)"),
        (('amount = "5000.00"', 'amount = "O.25"'), "'O.25' is not an amount of UYU"),
        (
            ("increment_rate_ppm = { source", "increment_rate = { source"),
            'Did you mean "increment_rate_ppm"?',
        ),
    ],
)
def test_F119_a_pay_table_that_lost_something_stops_the_start(
    tmp_path: Path, change: tuple[str, str], told: str
) -> None:
    assert told in refusal(with_profile(tmp_path, change))


def test_F119_a_pay_table_one_line_short_or_gone_stops_the_start(tmp_path: Path) -> None:
    path = with_profile(tmp_path)
    lines = PROFILE.splitlines(keepends=True)
    meant = [number for number, line in enumerate(lines) if line.strip() and not line.startswith("#")]
    for number in meant:
        written(tmp_path / "game.toml", "".join(lines[:number] + lines[number + 1 :]))
        told = lines[number].startswith("interpreter") or "does =" in lines[number]
        sheet_only = told or number > lines.index("[procedure]\n")
        if not (lines[number].startswith(("seats", "text")) or "require" in lines[number] or sheet_only):
            refusal(path)
    written(tmp_path / "game.toml", "")
    assert "is empty" in refusal(path)
    (tmp_path / "game.toml").unlink()
    assert "there is no such file" in refusal(path)


@pytest.mark.parametrize("line", ["increment_rate_ppm = 500_000 ", "reserve_rate_ppm = 50_000 "])
def test_F119_a_missing_rate_is_refused_and_a_zero_is_a_warning(tmp_path: Path, line: str) -> None:
    key = line.split(maxsplit=1)[0]
    assert f"pot.main.{key}: is missing; the house must give it" in refusal(table(tmp_path, (line, "")))
    settings = load(str(table(tmp_path, (line, f"{key} = 0 "))))
    assert [warning for warning in settings.warnings if f"pot.main.{key}: is 0" in warning]


@pytest.mark.parametrize(
    ("currency", "locale", "other"),
    [("UYU", "es_UY", "es_CL"), ("PEN", "es_PE", "es_UY"), ("CLP", "es_CL", "es_PE")],
)
def test_F149_currency_and_locale_are_set_together(
    tmp_path: Path, currency: str, locale: str, other: str
) -> None:
    rules = (('value = "UYU"', f'value = "{currency}"'),)
    house: list[tuple[str, str]] = [
        ('currency = "UYU"', f'currency = "{currency}"'),
        ('"es_UY" ', f'"{locale}" '),
    ]
    path = with_profile(tmp_path, *rules, table_changes=tuple(house))
    if currency == "CLP":
        for name in ("game.toml", "mesa.toml"):
            file = tmp_path / name
            written(file, re.sub(r'"([0-9]+)\.00"', r'"\1"', file.read_text(encoding="utf-8")))
    assert load(str(path)).game.currency is Currency(currency)
    file = written(path, changed(path.read_text(encoding="utf-8"), (f'"{locale}" ', f'"{other}" ')))
    message = refusal(file)
    assert (
        f'table.locale = "{other}": does not go with {currency} (wager.currency): set it to {locale}'
        in message
    )


# 10. Keys, numbers and pins as people write them.


def test_F156_the_same_key_twice_is_refused_with_both_lines(tmp_path: Path) -> None:
    first = line_of(TABLE, "increment_rate_ppm =")
    line = "reserve_rate_ppm = 50_000 "
    message = refusal(table(tmp_path, (line, f"increment_rate_ppm = 1\n{line}")))
    assert f"pot.main.increment_rate_ppm is given 2 times, in lines {first}, {first + 1}: keep one" in message


def test_F156_the_same_table_twice_is_refused_with_both_lines(tmp_path: Path) -> None:
    message = refusal(written(tmp_path / "mesa.toml", TABLE + "[wager]\n"))
    assert (
        f"wager is given 2 times, in lines {line_of(TABLE, '[wager]')}, {TABLE.count(chr(10)) + 1}" in message
    )


def test_F156_an_unknown_key_is_refused_with_what_was_meant(tmp_path: Path) -> None:
    path = table(tmp_path, ("increment_rate_ppm = 500_000 ", "incremnt_rate_ppm = 500_000 "))
    line = line_of(TABLE, "increment_rate_ppm")
    message = refusal(path)
    assert (
        f'line {line}: pot.main.incremnt_rate_ppm: there is no such key. Did you mean "increment_rate_ppm"?'
        in message
    )


def test_F156_a_pin_in_quotes_is_refused_with_line_and_key(tmp_path: Path) -> None:
    message = refusal(with_board(tmp_path, ("lamp_1 = 17\n", 'lamp_1 = "17"\n')))
    line = line_of(BOARD, "lamp_1 =")
    assert (
        f'board.toml, line {line}: outputs.lamp_1 = "17": must be the BCM number of a header pin, 0 to 27: write 17'
        in message
    )


def test_F157_a_table_given_seven_times_is_refused_with_all_lines(tmp_path: Path) -> None:
    before = TABLE.count("\n")
    message = refusal(written(tmp_path / "mesa.toml", TABLE + "[seat]\nn = 1\n" * 7))
    lines = ", ".join(str(before + 1 + 2 * number) for number in range(7))
    assert f"seat is given 7 times, in lines {lines}: keep one" in message


def test_F157_an_array_of_tables_is_not_known_here(tmp_path: Path) -> None:
    message = refusal(written(tmp_path / "mesa.toml", TABLE + "[[seat]]\nn = 1\n[[seat]]\nn = 2\n"))
    assert "seat: there is no such key." in message


def test_F157_a_seat_given_twice_is_refused_with_both_lines(tmp_path: Path) -> None:
    line = line_of(BOARD, "seat_3 =")
    message = refusal(with_board(tmp_path, ("seat_4 = 7\n", "seat_3 = 7\n")))
    assert f"inputs.seat_3 is given 2 times, in lines {line}, {line + 1}" in message


def test_F157_one_pin_for_two_lines_is_refused_with_both_places(tmp_path: Path) -> None:
    message = refusal(with_board(tmp_path, ("seat_4 = 7\n", "seat_4 = 4\n")))
    first, second = line_of(BOARD, "seat_1 ="), line_of(BOARD, "seat_4 =")
    board = tmp_path / "board.toml"
    assert (
        f"{board}, line {second}: inputs.seat_4 = 4: GPIO 4 is already inputs.seat_1 ({board}, line {first})"
        in message
    )


@pytest.mark.parametrize("pin", [2, 3, 14, 15])
def test_F157_a_pin_of_i2c_or_uart_is_refused(tmp_path: Path, pin: int) -> None:
    message = refusal(with_board(tmp_path, ("seat_4 = 7\n", f"seat_4 = {pin}\n")))
    assert f"inputs.seat_4 = {pin}: GPIO {pin} is reserved for" in message


RATE = "increment_rate_ppm = 500_000 "
RESET = 'reset_amount = "10000.00" '


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ((RATE, "increment_rate_ppm = 0,25 "), "No decimal commas"),
        ((RATE, "increment_rate_ppm = '0,25' "), '"0,25": must be whole parts per million, 0 to 1000000'),
        ((RATE, "increment_rate_ppm = [0,25] "), "[0, 25]: must be whole parts per million"),
        (
            (RATE, "increment_rate_ppm = 0.25 "),
            "0.25: must be whole parts per million, 0 to 1000000 (a quarter is 250000)",
        ),
        ((RATE, "increment_rate_ppm = 1_000_001 "), "1000001: must be whole parts per million"),
        ((RATE, "increment_rate_ppm = -1 "), "-1: must be whole parts per million"),
        ((RATE, "increment_rate_ppm = true "), "true: must be whole parts per million"),
        ((RATE, "increment_rate_ppm = nan "), "nan: must be whole parts per million"),
        ((RESET, "reset_amount = 10.000 "), "10.0: must be an amount in quotes"),
        ((RESET, "reset_amount = 10_000 "), "10000: must be an amount in quotes"),
        ((RESET, "reset_amount = 010000 "), "A number does not begin with 0"),
        ((RESET, 'reset_amount = "10.000" '), "'10.000' is not an amount of UYU: write it like '10000.00'"),
        (
            (RESET, 'reset_amount = "10.000,00" '),
            "The decimal sign is a point, and thousands are not separated",
        ),
        ((RESET, 'reset_amount = "10_000.00" '), "is not an amount of UYU"),
        ((RESET, 'reset_amount = "010000.00" '), "'010000.00' begins with a zero"),
        ((RESET, 'reset_amount = "10000" '), "is not an amount of UYU"),
        ((RESET, 'reset_amount = "-1.00" '), "is not an amount of UYU"),
    ],
)
def test_F158_numbers_as_latin_america_writes_them_are_refused_with_a_hint(
    tmp_path: Path, change: tuple[str, str], told: str
) -> None:
    message = refusal(table(tmp_path, change))
    assert f"line {line_of(TABLE, change[0])}: " in message
    assert told in message


def test_F158_twenty_five_parts_per_million_are_probably_a_mistake(tmp_path: Path) -> None:
    (warning,) = load(str(table(tmp_path, (RATE, "increment_rate_ppm = 25 ")))).warnings
    assert "is 25 parts per million, less than a tenth of a percent; is that meant?" in warning


@pytest.mark.parametrize(
    ("value", "hint"),
    [
        ("'BOARD11'", ": header pin 11 is GPIO 17, write 17"),
        ("'GPIO17'", ": write 17"),
        ("'BCM17'", ": write 17"),
        ("'17'", ": write 17"),
        ("40", ": header pin 40 is GPIO 21, write 21"),
        ("28", ", a bare whole number"),
        ("-1", ", a bare whole number"),
        ("17.0", ", a bare whole number"),
        ("true", ", a bare whole number"),
        ("'BOARD1'", ", a bare whole number"),
    ],
)
def test_F166_only_bcm_numbers_are_pins(tmp_path: Path, value: str, hint: str) -> None:
    message = refusal(with_board(tmp_path, ("lamp_1 = 17\n", f"lamp_1 = {value}\n")))
    assert f"must be the BCM number of a header pin, 0 to 27{hint}" in message
    assert "outputs.lamp_1" in message


def test_F166_swapped_seats_are_swapped_and_shown_so(tmp_path: Path) -> None:
    swapped = with_board(tmp_path, ("seat_1 = 4\n", "seat_1 = 5\n"), ("seat_2 = 5\n", "seat_2 = 4\n"))
    pins = {line.name: line.pin for line in load(str(swapped)).wiring.inputs}
    assert (pins["seat_1"], pins["seat_2"]) == (5, 4)
    assert tomllib.loads(BOARD)["inputs"]["seat_1"] == 4
