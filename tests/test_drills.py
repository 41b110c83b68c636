"""Every drill plays as it stands, the shared ones are true copies, and a drill that is wrong fails loudly."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from controller.cli.drill import drill
from controller.drill.expect import FailedError
from controller.drill.parse import parse
from controller.drill.play import Drill

DRILLS = Path(__file__).parent / "drills"
SHARED = Path(__file__).parent.parent.parent / "shared" / "drills"
FILES = sorted(DRILLS.glob("*.drill"))
SHARED_NAMES = ("awards-in-turn", "bounce", "first-round", "power-cut")


def run(tmp_path: Path, text: str, *options: str) -> Result:
    """`pozo drill` on a script of this text."""
    script = tmp_path / "one.drill"
    script.write_text(text, encoding="utf-8")
    return CliRunner().invoke(drill, [str(script), *options])


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_drill_plays_as_it_stands(file: Path) -> None:
    played = Drill()
    played.play(parse(file.read_text(encoding="utf-8")))
    assert played.asserted > 0


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_a_drill_says_in_its_first_line_what_it_covers(file: Path) -> None:
    assert file.read_text(encoding="utf-8").startswith("# ")


def test_the_shared_drills_are_kept() -> None:
    assert {f"{name}.drill" for name in SHARED_NAMES} <= {file.name for file in FILES}


def test_the_copies_are_the_shared_drills_byte_for_byte() -> None:
    if not SHARED.is_dir():
        pytest.skip(f"the originals are not at hand: {SHARED} does not exist")
    shared = sorted(SHARED.glob("*.drill"))
    assert shared
    for original in shared:
        assert (DRILLS / original.name).read_bytes() == original.read_bytes(), original.name


def test_what_is_met_is_counted_and_exits_0(tmp_path: Path) -> None:
    result = run(tmp_path, "power on\nchip 1\nexpect bets 1\nexpect lamp 1 placed\n")
    assert result.exit_code == 0
    assert "one.drill: 2 expectations met" in result.output


def test_the_first_expectation_not_met_says_where_what_and_what_led_to_it(tmp_path: Path) -> None:
    text = "power on\nrepeat 8\n  chip 1\n  void 1 other\nend\nexpect bets 2 # two\nexpect bets 3\n"
    result = run(tmp_path, text)
    assert result.exit_code == 1
    file, place, *rest = result.output.splitlines()[0].split(": ")
    assert file.endswith("one.drill")
    assert (place, rest) == ("line 6", ["expect bets 2 # two"])
    assert "  expected: 2" in result.output
    assert "  found:    0" in result.output
    assert "expect bets 3" not in result.output
    # 7 records until the table is open, record 1's signature among them, then 8 chips and 8 voids: 14 to 23 are last.
    shown = [line.split()[0] for line in result.output.splitlines() if line.strip()[:1].isdigit()]
    assert shown == [str(number) for number in range(14, 24)]


FALSE = (
    "expect phase locked",
    "expect fault common_mode",
    "expect lamp 1 accepted",
    "expect slots locked",
    "expect bets 2",
    "expect pot main 100000.01",
    "expect pot mini 100000.00",
    "expect meter in_meter 10.00",
    "expect meter seat_1.late 1",
    "expect meter nothing 1",
    "expect award 1 5.00",
    "expect refused",
    'expect screen "9 FICHAS"',
    'expect sign "1,00"',
    "expect journal chip_late 1",
    "expect journal chip_dropped 0",
)


@pytest.mark.parametrize("line", FALSE)
def test_a_false_expectation_of_every_kind_fails(tmp_path: Path, line: str) -> None:
    result = run(tmp_path, f"power on\nchip 1\n{line}\n")
    assert (result.exit_code, f"line 3: {line}" in result.output) == (1, True)
    assert "  expected: " in result.output
    assert "  found:    " in result.output


def test_a_fault_where_none_is_expected_fails(tmp_path: Path) -> None:
    result = run(tmp_path, "power on\nfail screen\nexpect fault none\n")
    assert result.exit_code == 1
    assert "  found:    screen_lost" in result.output


def test_another_refusal_than_the_one_expected_fails(tmp_path: Path) -> None:
    result = run(tmp_path, "power on\nclose\nexpect refused chip_placed\n")
    assert result.exit_code == 1
    assert "  found:    supervisor_key" in result.output


def test_a_drill_that_expects_nothing_exits_2(tmp_path: Path) -> None:
    result = run(tmp_path, "power on\nchip 1\n")
    assert result.exit_code == 2
    assert "it expects nothing, so it proves nothing" in result.output


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("power on\nchips 1\nexpect bets 1\n", "line 2: chips 1"),
        ("table nosuch\npower on\nexpect bets 0\n", "simulated"),
        ("set wager.amount ten\npower on\nexpect bets 0\n", "10000.00"),
        ("set wager.ammount 10.00\npower on\nexpect bets 0\n", "amount"),
        ("power on\nchip 9\nexpect bets 0\n", "seat_7"),
        ("power on\nwave lamp_1 L 40ms H\nexpect bets 0\n", "coin_in"),
        ("power on closed\ncorrect main 5 misread\nexpect bets 0\n", "10000.00"),
    ],
)
def test_wrong_use_exits_2_and_says_what_is_allowed(tmp_path: Path, text: str, why: str) -> None:
    result = run(tmp_path, text)
    assert result.exit_code == 2
    assert result.exception is None or isinstance(result.exception, SystemExit)
    assert why in result.output


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("power cut\nexpect bets 0\n", "there is no power to cut"),
        ("power on\npower on\nexpect bets 0\n", "the power is on already"),
        ("claim 1 flush\nexpect refused\n", "without power"),
        ("paid 1\nexpect refused\n", "without power"),
        ("expect phase open\n", "without power"),
        ("expect journal chip_late 0\n", "there is no journal"),
        ("power on\nset wager.amount 20.00\nexpect bets 0\n", "made already"),
        ("fail disk_full\npower on\nexpect bets 0\n", "no space left"),
    ],
)
def test_what_cannot_happen_now_fails_with_its_reason(tmp_path: Path, text: str, found: str) -> None:
    result = run(tmp_path, text)
    assert result.exit_code == 1
    assert found in result.output


def test_the_worst_of_several_drills_decides(tmp_path: Path) -> None:
    good, bad, wrong = (tmp_path / f"{name}.drill" for name in ("good", "bad", "wrong"))
    good.write_text("power on\nexpect bets 0\n", encoding="utf-8")
    bad.write_text("power on\nexpect bets 1\n", encoding="utf-8")
    wrong.write_text("power in\n", encoding="utf-8")
    codes = [
        CliRunner().invoke(drill, [str(file) for file in files]).exit_code
        for files in ((good,), (bad, good), (good, bad, wrong))
    ]
    assert codes == [0, 1, 2]


def test_show_draws_the_table_after_each_statement(tmp_path: Path) -> None:
    result = run(tmp_path, "power on\nchip 3\npress coin_in\nexpect bets 1\npower cut\n", "--show")
    assert result.exit_code == 0
    drawn = {line.split("  ")[0]: line for line in result.output.splitlines()}
    assert "[○ ○ ◐ ○ ○ ○ ○] slots open" in drawn["chip 3"]
    assert "[· · ● · · · ·] slots LOCKED" in drawn["press coin_in"]
    assert "without power" in drawn["power cut"]


def test_a_repeat_inside_together_takes_its_turns() -> None:
    # Three chips of seat 1, each 100 ms long, while seat 2's one comes and goes: 1 placed, 2 excess; 1 placed.
    text = "power on\ntogether\nrepeat 3\nchip 1\nend\nchip 2\nend\nexpect bets 2\nexpect meter seat_1.excess 2\n"
    Drill().play(parse(text))


def test_a_failure_inside_a_repeat_stops_the_drill() -> None:
    with pytest.raises(FailedError, match="line 4"):
        Drill().play(parse("power on\nrepeat 3\nchip 1\nexpect meter seat_1.excess 0\nend\n"))
