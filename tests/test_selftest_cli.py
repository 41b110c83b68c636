"""`pozo selftest` as a real process at a simulated board's pty, and what it stores or refuses."""

import json
import signal
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from controller.core import events as ev
from controller.core.events import Finding, SelfTested
from controller.journal import records
from tests.helpers_cli import own_table, pozo_run
from tests.helpers_process import PATIENCE_S, Bench, Running, commissioned, journal_of, opened, pause

SELFTEST = ("-m", "controller", "selftest", "--person", "Luis", "--limit", "30")
LINES = {
    "COIN IN": "coin_in",
    "GAME OVER": "game_over",
    "LA LLAVE DEL JEFE DE MESA": "supervisor",
    "LA LLAVE DEL TÉCNICO": "technician",
} | {f"ASIENTO {seat}": f"seat_{seat}" for seat in range(1, 8)}
"""What the screen asks for, and the line that answers."""


@pytest.fixture
def bench() -> Iterator[Bench]:
    made = Bench()
    yield made
    made.close()


def work_through(table: Running, bench: Bench, crossed: dict[str, str] | None = None) -> None:
    """Do what the screen asks for, as a person with both hands would; `crossed` says which line really moves."""
    assert table.process.stdin is not None
    seen = 0
    while table.process.poll() is None:
        bench.read(0.1)
        fresh, seen = bench.seen[seen:], len(bench.seen)
        for _, said in fresh:
            if not said.startswith("screen "):
                continue
            asked, *more = json.loads(said.removeprefix("screen "))
            if asked in LINES and not any("SE MOVIÓ" in line for line in more):
                line = (crossed or {}).get(LINES[asked], LINES[asked])
                press(bench, line)
            elif asked != "PRUEBA":
                table.process.stdin.write(b"\n")
                table.process.stdin.flush()


def press(bench: Bench, line: str) -> None:
    """A press as long as a person's, counted from when the board has it."""
    before = len(bench.seen)
    bench.say(f"on {line}")
    bench.until(lambda: any(said == f"ok on {line}" for _, said in bench.seen[before:]), "the press")
    pause(bench, 30)
    bench.say(f"off {line}")


def found_in(journal: Path) -> SelfTested:
    (event,) = [record.event for record in records(journal) if record.kind == "self_tested"]
    assert isinstance(event, SelfTested)
    return event


def test_F166_a_technicians_round_at_a_commissioned_table_is_kept_in_its_journal(
    tmp_path: Path, bench: Bench
) -> None:
    config = commissioned(tmp_path)
    with Running(config, bench, SELFTEST) as table:
        work_through(table, bench, {"seat_3": "seat_4", "seat_4": "seat_3"})
        code, out, err = table.ended()
        bench.read()
    assert code == 1, out + err
    assert "CRUZADOS: asiento 3 (GPIO6 = pin 31) y asiento 4 (GPIO7 = pin 26)" in out
    assert "22 bien, 2 con falla, 0 saltadas" in out
    result = found_in(journal_of(config))
    assert (result.person, result.board) == ("Luis", "Simulated, 7 seats (simulated)")
    assert [part.part for part in result.parts if part.finding is Finding.FAILED] == ["seat_3", "seat_4"]
    assert bench.heard("closed")
    assert not bench.on
    verified = pozo_run("journal", "verify", journal_of(config))
    assert verified.exit_code == 0, verified.output
    last = list(records(journal_of(config)))[-1]
    assert last.state.phase == "closed"


def test_before_commissioning_the_result_is_a_file_beside_the_journals_place(
    tmp_path: Path, bench: Bench
) -> None:
    config = own_table(tmp_path)
    with Running(config, bench, SELFTEST) as table:
        work_through(table, bench)
        code, out, err = table.ended()
        bench.read()
    assert code == 0, out + err
    file = tmp_path / "mesa.db.selftest.json"
    assert str(file) in out
    kept = msgspec.json.decode(file.read_bytes())
    assert kept["person"] == "Luis"
    assert {part["finding"] for part in kept["parts"]} == {"ok"}
    assert not (tmp_path / "mesa.db").exists()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_told_to_end_it_switches_off_and_keeps_what_was_found(
    tmp_path: Path, bench: Bench, number: signal.Signals
) -> None:
    config = commissioned(tmp_path)
    with Running(config, bench, SELFTEST) as table:
        bench.until(lambda: any("COIN IN" in said for _, said in bench.seen), "the first question")
        table.process.send_signal(number)
        code, out, err = table.ended()
        bench.read()
    assert code == 0, out + err
    assert "0 bien, 0 con falla, 24 saltadas" in out
    assert bench.heard("closed")
    assert {part.finding for part in found_in(journal_of(config)).parts} == {Finding.SKIPPED}


@pytest.mark.slow
def test_without_a_keyboard_every_part_ends_by_its_time(tmp_path: Path, bench: Bench) -> None:
    config = commissioned(tmp_path)
    program = (*SELFTEST[:-1], "1")
    with Running(config, bench, program) as table:
        assert table.process.stdin is not None
        table.process.stdin.close()
        table.process.stdin = None
        bench.until(
            lambda: table.process.poll() is not None, "the end", patience_s=24 * 1.0 + PATIENCE_S, look_s=0.5
        )
        code, _, err = table.ended()
    assert code == 1, err
    assert {part.note for part in found_in(journal_of(config)).parts} == {"no answer in time"}


def test_a_table_in_a_round_is_not_tested(tmp_path: Path, bench: Bench) -> None:
    config = opened(tmp_path)
    with Running(config, bench, SELFTEST) as table:
        code, _, err = table.ended()
    assert code == 1
    assert "is open, not closed" in err
    assert not bench.heard("started")


def test_a_running_table_is_not_tested(tmp_path: Path, bench: Bench) -> None:
    config = commissioned(tmp_path)
    with Running(config, bench).ready():
        other = Bench()
        with Running(config, other, SELFTEST) as second:
            code, _, err = second.ended()
        other.close()
    assert code == 1
    assert "already running" in err


def test_a_simulated_board_without_a_pty_has_nothing_to_press(tmp_path: Path) -> None:
    done = pozo_run("selftest", "--config", own_table(tmp_path), "--person", "Luis")
    assert done.exit_code == 2
    assert "--bench PTY" in done.output


def test_nobody_signs_for_nothing(tmp_path: Path) -> None:
    config = own_table(tmp_path)
    for person in (" ", "x" * 81):
        done = pozo_run("selftest", "--config", config, "--person", person, "--bench", tmp_path / "none")
        assert done.exit_code == 2
        assert "--person" in done.output


def test_changed_rules_are_settled_before_a_test(tmp_path: Path) -> None:
    config = commissioned(tmp_path)
    text = config.read_text(encoding="utf-8")
    config.write_text(
        text.replace('reset_amount = "10000.00"', 'reset_amount = "20000.00"', 1), encoding="utf-8"
    )
    done = pozo_run("selftest", "--config", config, "--person", "Luis", "--bench", tmp_path / "none")
    assert done.exit_code == 1
    assert "pozo commission" in done.output
    kinds = [type(record.event) for record in records(journal_of(config))]
    assert kinds == [ev.Commissioned, ev.HeadSigned]
