"""`pozo check`: what it prints, and its exit codes."""

import hashlib
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner, Result

from controller.cli.check import check
from controller.core.money import percent
from tests.helpers_config import CONFIG, with_board
from tests.helpers_shipped import playing


def run(*args: str) -> Result:
    return CliRunner().invoke(check, args)


def test_a_table_is_shown_with_files_money_policies_and_pins() -> None:
    result = run("table")
    assert result.exit_code == 0
    lines = [line.strip() for line in result.output.splitlines()]
    digest = hashlib.sha256((CONFIG / "table.toml").read_bytes()).hexdigest()
    assert any(line.startswith(f"sha256 {digest}, changed 20") for line in lines)
    for line in (
        'table MESA-1, "Mesa 1"',
        str(CONFIG / "table.toml"),
        "wager 10.00, shares in units of 1.00",
        "level main: begins with 100000.00, again with 10000.00",
        "of each wager 50 % to the pot, 5 % to the reserve",
        "straight_flush: 10 % of main, paid by the pot (art. 17)",
        "four_of_a_kind: 5000.00, paid by the house (art. 17)",
        "policies.order = seat (art. 19, reading; art. 20 leaves the procedure to the Dirección)",
        "pot.main.limit = 1000000.00 (house)",
        "devices: screen, sign",
        "screen = ssd1306 on I2C bus 1, address 0x3c",
        'sign = alpha on /dev/ttyAMA0, 9600 8N1, label ""',
        "settle_ms = 10",
    ):
        assert line in lines


def test_F166_each_line_is_shown_as_gpio_and_header_pin(tmp_path: Path) -> None:
    path = with_board(tmp_path, ("seat_3 = 6\n", "seat_3 = 17\n"), ("lamp_1 = 17\n", "lamp_1 = 27\n"))
    output = run(str(path)).output
    assert "seat 3 = GPIO17 = header pin 11, in, active low, pull up" in output
    assert "lamp 1 = GPIO27 = header pin 13, out, active high" in output


def test_F006_the_times_in_force_are_printed(tmp_path: Path) -> None:
    output = run(str(with_board(tmp_path, ("\nsettle_ms = 10 ", "\nsettle_ms = 20 ")))).output
    assert "\n  settle_ms = 20\n" in output


def test_warnings_are_shown(tmp_path: Path) -> None:
    result = run(str(with_board(tmp_path, ('lamps = "high"', 'lamps = "low"'))))
    assert result.exit_code == 0
    assert result.output.count("warning: ") == 7


def test_what_is_wrong_is_told_on_stderr_with_exit_code_1(tmp_path: Path) -> None:
    result = run(str(tmp_path / "nada.toml"))
    assert result.exit_code == 1
    assert result.stdout == ""
    assert "there is no such file" in result.stderr


def test_wrong_use_has_exit_code_2() -> None:
    assert run().exit_code == 2


def test_a_program_may_read_it() -> None:
    found = msgspec.json.decode(run("simulated", "--json").output)
    assert found["table_id"] == "SIM-1"
    assert found["game"]["wager"] == 1000
    assert found["journal"].endswith("/.local/state/pozo/simulated.db")


@pytest.mark.parametrize(
    ("rate", "shown"),
    [(500_000, "50 %"), (32_500, "3.25 %"), (1, "0.0001 %"), (0, "0 %"), (1_000_000, "100 %")],
)
def test_a_rate_is_shown_in_percent_without_a_float(rate: int, shown: str) -> None:
    assert percent(rate) == shown


def test_a_game_without_a_wager_says_so_instead_of_a_wager_of_nothing(tmp_path: Path) -> None:
    output = run(str(playing("cl-draw", tmp_path))).output
    assert "  no wager in the slots: they stay locked; rounds are locked and counted\n" in output
    assert "wager 0" not in output
    assert "  base.bank_opens = pair_of_eights (seed 002, Juego modalidad Draw Poker)\n" in output
