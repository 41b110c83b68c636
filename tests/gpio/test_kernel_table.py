"""`pozo run` on the reference board: chips and buttons through the kernel's lines, lamps and lock read back there."""

import os
import select
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Self

import pytest

from controller.config import load
from hal.interface import Input, Output
from tests.helpers_cli import own_table
from tests.helpers_kernel import Push, level, push, pushed
from tests.helpers_ledger import audit, rows
from tests.helpers_port import AlphaSign, Cable
from tests.helpers_process import PATIENCE_S, RATES, ROOT, journal_of

MS = 1_000_000
SIGN = Path("/dev/pozo-sign")
RELEASE = Path(os.environ.get("POZO_RELEASE", ""))
"""Where `.ci/gpio-sim` has put an installed program (`site`) and its signed list."""
KEYS = ("supervisor", "technician")
COMMAND_S = 90.0
"""Longer than a command waits for its keys, with the start of a program on an emulated processor before it."""
PIN = "0102"
PIN_TRIES = 4
"""One fewer than lock the entry."""
HOLD_MS = 1_300
"""GAME OVER held for longer than this table's second opens the menu, and chooses in it."""
STEADY_S = 0.8
"""Longer than the darkness of any lamp that blinks or takes its turn."""


def on_the_header(config: Path) -> None:
    """Put a simulated table's file on the reference board, but for its screen."""
    text = (ROOT / "config" / "boards" / "rpi-7seat.toml").read_text(encoding="utf-8")
    screen, sign = text.index("[screen]"), text.index("[sign]")
    text = (text[:screen] + text[sign:]).replace("/dev/ttyAMA0", str(SIGN))
    config.with_name("board.toml").write_text(text, encoding="utf-8")
    table = config.read_text(encoding="utf-8").replace('"simulated-7seat"', '"board.toml"', 1)
    table = table.replace("pin = []", 'pin = ["supervisor", "technician"]', 1)
    proof = (
        f'[software]\nmanifest = "{RELEASE}/release/manifest.json"\nkey = "{RELEASE}/release/release.pub"\n'
    )
    config.write_text(f"{table}\n{proof}", encoding="utf-8")


class Table:
    """A table's files, its wires, the sign at its cable, and the process when it runs."""

    def __init__(self, folder: Path) -> None:
        self.config = own_table(folder, RATES)
        on_the_header(self.config)
        wiring = load(str(self.config)).wiring
        lines: tuple[Input | Output, ...] = (*wiring.inputs, *wiring.outputs)
        self.pin = {line.name: line.pin for line in lines}
        for line in wiring.inputs:
            push(line.pin, True)
        for wire in wiring.outputs:
            push(wire.pin, False)  # the external resistor that every output of a table has
        self.outputs = [line.name for line in wiring.outputs]
        self.cable = Cable(SIGN)
        self.sign = AlphaSign()
        self.process: subprocess.Popen[str] | None = None
        self.commission()
        self.person()
        self.open()

    def commission(self) -> None:
        """Both keys are turned on the lines: a journal that a simulated board began plays on no real one."""
        self.by_both_keys("commission")

    def person(self) -> None:
        """The supervisor gets a PIN: without one his key opens nothing on a real board."""
        self.by_both_keys(
            "users", "add", "Ana", "--role", "supervisor", "--number", "7", typed=f"{PIN}\n" * 2
        )

    def by_both_keys(self, *command: str, typed: str = "") -> None:
        """A command that waits for both keys.

        They are turned again and again: a line's pull from outside ends when the program asks for its own.
        """
        self.process = self.run(*command, typed=typed)
        end = time.monotonic() + COMMAND_S
        while self.process.poll() is None and time.monotonic() < end:
            for key in KEYS:
                push(self.pin[key], False)
            self.look(0.2)
        for key in KEYS:
            push(self.pin[key], True)
        code, errors = self.end(signal.SIGTERM)
        assert code == 0, errors

    def open(self) -> None:
        """The supervisor opens it by the menu: its lamp test, opening, no lamp is dark. Then it is switched off."""
        self.start()
        self.identify()
        for _ in range(3):
            self.choose()
        self.until(lambda: self.phase() == "open", "the opening")
        push(self.pin["supervisor"], True)
        assert self.end(signal.SIGTERM)[0] == 0

    def identify(self) -> None:
        """Until the table knows her: an emulated processor that is late may not feel a press as it was meant."""
        for _ in range(PIN_TRIES):
            push(self.pin["supervisor"], False)
            self.look(0.5)
            self.enter_pin()
            self.look(1.0)
            if rows(journal_of(self.config))[-1].state.get("supervisor_person") == "Ana":
                return
            push(self.pin["supervisor"], True)
            time.sleep(20)  # the menu closes by itself, and a wait after a wrong PIN is over
        raise AssertionError("the table does not know Ana's PIN")

    def enter_pin(self) -> None:
        """With two buttons: the only person, the digits from 0 on, and after all ten of them that it is done."""
        self.choose()
        for digit in PIN:
            self.choose(int(digit))
        self.choose(10)

    def choose(self, further: int = 0) -> None:
        """Mark the option so many places further, and take it."""
        for _ in range(further):
            self.press("game_over")
            self.look(0.3)
        self.press("game_over", HOLD_MS)
        self.look(0.5)

    def run(self, *command: str, typed: str = "") -> subprocess.Popen[str]:
        """A command of the installed program at this table, without a terminal that a PIN could be asked at."""
        process = subprocess.Popen(
            [sys.executable, "-m", "controller", *command, "--config", str(self.config)],
            cwd=self.config.parent,
            env={**os.environ, "PYTHONPATH": str(RELEASE / "site")},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        assert process.stdin is not None
        process.stdin.write(typed)
        process.stdin.flush()
        return process

    def start(self) -> Self:
        self.process = self.run("run")
        assert self.process.stdout is not None
        assert "plays" in self.process.stdout.readline(), self.process.communicate()[1]
        return self

    def end(self, number: signal.Signals) -> tuple[int, str]:
        """Exit code and errors after a signal."""
        assert self.process is not None
        self.process.send_signal(number)
        errors = self.process.communicate(timeout=PATIENCE_S)[1]
        code, self.process = self.process.returncode, None
        return code, errors

    def close(self) -> None:
        if self.process is not None:
            self.end(signal.SIGKILL)
        self.cable.close()
        SIGN.unlink(missing_ok=True)

    def is_on(self, line: str) -> bool:
        return level(self.pin[line])

    def lit(self) -> set[int]:
        return {seat for seat in range(1, 8) if self.is_on(f"lamp_{seat}")}

    def look(self, seconds: float) -> None:
        """Let a moment pass, reading what goes to the sign."""
        select.select([self.cable.far], [], [], seconds)
        self.sign.hear(self.cable.heard())

    def until(self, wanted: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + PATIENCE_S
        while not wanted():
            assert time.monotonic() < end, f"{what} did not come; lit {self.lit()}, sign {self.sign.shown!r}"
            self.look(0.05)

    def steady(self, seats: set[int]) -> bool:
        """Whether these lamps and no others burn, all the time."""
        end = time.monotonic() + STEADY_S
        while time.monotonic() < end:
            if self.lit() != seats:
                return False
            self.look(0.01)
        return True

    def press(self, button: str, hold_ms: int = 150) -> None:
        pushed([Push(0, self.pin[button], False), Push(hold_ms * MS, self.pin[button], True)])

    def chips(self, *seats: int) -> None:
        """They fall at once, and lie in the slots for a moment."""
        pins = [self.pin[f"seat_{seat}"] for seat in seats]
        falls = [Push(0, pin, False) for pin in pins]
        pushed([*falls, *(Push((60 + 10 * n) * MS, pin, True) for n, pin in enumerate(pins))])

    def phase(self) -> str:
        found: str = rows(journal_of(self.config))[-1].state["phase"]
        return found

    def count(self, name: str) -> int:
        seats = rows(journal_of(self.config))[-1].state["seats"]
        return sum(seat.get(name, 0) for seat in seats)


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Table]:
    made = Table(tmp_path)
    yield made
    made.close()


def test_a_whole_round_is_played_on_the_kernels_lines(table: Table) -> None:
    table.start()
    table.until(lambda: table.is_on("slots"), "the open slots")
    table.until(lambda: "100.000,00" in table.sign.shown, "the pot on the sign")
    table.chips(*range(1, 8))
    table.until(lambda: table.count("dropped") == 7, "seven chips at once")
    table.press("coin_in")
    table.until(lambda: table.phase() == "locked", "the lock")
    assert not table.is_on("slots")
    table.until(lambda: table.steady(set(range(1, 8))), "seven steady lamps")
    # 33.3333 % of seven wagers of 10.00, the sign rounds nothing up.
    table.until(lambda: "100.023,33" in table.sign.shown, "the new pot on the sign")
    table.chips(2)
    table.until(lambda: table.count("late") == 1, "the late chip")
    assert table.steady(set(range(1, 8)))
    table.press("game_over")
    table.until(lambda: table.phase() == "open", "the next round")
    table.until(lambda: table.is_on("slots"), "the open slots")
    table.chips(1, 4)
    table.until(lambda: table.count("dropped") == 10, "two chips for the next round")
    assert table.is_on("slots")
    table.end(signal.SIGKILL)
    assert not any(table.is_on(line) for line in table.outputs), "dark and locked without a program"
    ledger = audit(journal_of(table.config))
    assert ledger.staked == 7_000
    assert ledger.placed.keys() == {1, 4}


def test_a_table_killed_in_a_locked_round_is_dark_and_the_next_one_lights_what_is_stored(
    table: Table,
) -> None:
    table.start()
    table.until(lambda: table.is_on("slots"), "the open slots")
    table.chips(1, 4)
    table.until(lambda: table.count("dropped") == 2, "two chips")
    table.press("coin_in")
    table.until(lambda: table.steady({1, 4}), "two steady lamps")
    table.end(signal.SIGKILL)
    assert not any(table.is_on(line) for line in table.outputs), "dark and locked without a program"
    table.start()
    table.until(lambda: table.steady({1, 4}), "the lamps of the stored round")
    assert not table.is_on("slots")
    code, errors = table.end(signal.SIGTERM)
    assert code == 0, errors
    assert "Traceback" not in errors
    assert not any(table.is_on(line) for line in table.outputs)
    audit(journal_of(table.config))
