"""The statements of what goes wrong refuse what cannot be; an `audit` fails a drill by what a checker finds."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller.cli.drill import drill
from tests.broken import BUILDS, built


def played(tmp_path: Path, *lines: str) -> Result:
    """`pozo drill` on these lines."""
    script = tmp_path / "one.drill"
    script.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return CliRunner().invoke(drill, [str(script)])


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("cut_at x", "'x' is not a whole number"),
        ("cut_at 1 door", "'door' is none of: levels, write, written, lamp"),
        ("kill_at", "write it like: cut_at 3"),
        ("medium wet 1", "'wet' is none of: lossy"),
        ("stall keypad 1s", "'keypad' is none of: sign, screen"),
        ("double_edge seat_1 up", "'up' is none of: fall, rise"),
        ("flood seat_1 999999", "'999999' is not a whole number from 0 to 10000"),
        ("notice rain", "'rain' is none of: storage_low, journal_held"),
        ("spoil slot-c 1", "'slot-c' is none of: slot-a, slot-b, both"),
        ("unlock Ana cook", "'cook' is none of: dealer, supervisor, technician"),
        ("send T1 main 5.00 mvd-08", "write it like: send T1 main 5.00 mvd-08 REASON"),
    ],
)
def test_a_mishap_that_is_written_wrong_says_what_is_allowed(tmp_path: Path, line: str, why: str) -> None:
    result = played(tmp_path, "power on", line, "expect bets 0")
    assert (result.exit_code, why in result.output) == (2, True), result.output


@pytest.mark.parametrize(
    ("lines", "why"),
    [
        (["power on", "cut_at 1 disk"], "on a lossy medium only: `medium lossy 7`"),
        (["medium lossy 1", "power on", "kill_at 1 disk"], "on a lossy medium only"),
        (["power on", "rot 1"], "the power must be off"),
        (["rot 1"], "they must be there"),
        (["power on", "turn_back 1"], "the power must be off"),
        (["power on", "spoil both 1"], "the power must be off"),
        (["power on", "accept wager.amount 20.00"], "with the power off"),
        (["edit wager.amount 20.00"], "at a table that was commissioned"),
        (["power on", "self_test"], "with the power off"),
        (["power kill"], "there is no process to kill"),
        (["power on", "power off", "chip 1", "approve"], "the table is without power"),
    ],
)
def test_a_mishap_that_cannot_be_now_fails_the_drill(tmp_path: Path, lines: list[str], why: str) -> None:
    result = played(tmp_path, *lines)
    assert (result.exit_code, why in result.output) == (1, True), result.output


def test_after_a_loose_plug_a_dark_table_takes_acts_and_does_nothing(tmp_path: Path) -> None:
    result = played(tmp_path, "power on", "cut_at 0", "chip 1", "approve", "power back", "expect bets 0")
    assert result.exit_code == 0, result.output


@pytest.mark.parametrize(
    ("build", "lines"),
    [
        ("lamp kept after a void", ["key supervisor on", "void 2 no_ante"]),
        ("release pulse not repeated", ["power cut", "power back"]),
        ("recovery to CLOSED instead of the phase", ["power cut", "power back"]),
        ("retry after a failed flush", ["fail fsync", "press game_over", "wait 2s"]),
        ("parameters taken from the file", ["power off", "edit wager.amount 20.00"]),
        ("witness not asked", ["press game_over", "power off", "turn_back 9"]),
    ],
)
def test_an_audited_drill_fails_by_what_a_checker_finds(tmp_path: Path, build: str, lines: list[str]) -> None:
    broken = next(each for each in BUILDS if each.name == build)
    script = ("audit", "power on", "chip 2", "press coin_in", *lines)
    with built(broken):
        result = played(tmp_path, *script)
    assert (result.exit_code, "expected: a table in order" in result.output) == (1, True), result.output
    assert played(tmp_path, *script).exit_code == 0
