"""Real `pozo run` processes, driven over a pty as a bench drives them."""

import os
import pty
import select
import subprocess
import sys
import termios
import time
import tty
from collections.abc import Callable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from controller.assemble import assemble
from controller.clock import VirtualClock
from controller.config import load
from controller.core import events as ev
from controller.inbox import Act, Stop
from hal.simulated import SimulatedHal
from tests.helpers_cli import own_table, pozo_run
from tests.helpers_ledger import INCREMENT_PPM, RESERVE_PPM

ROOT = Path(__file__).parents[1]
RUN = ("-m", "controller", "run")
OPERATED = ("-m", "tests.helpers_operator")
PATIENCE_S = 20.0
"""How long a test waits for what must come; far beyond what any table may take."""

ANSWER_S = 1.0
"""How long a hand waits for the table's answer before it goes on: a table may have been killed meanwhile."""

RATES = {
    "increment_rate_ppm = 500_000": f"increment_rate_ppm = {INCREMENT_PPM}",
    "reserve_rate_ppm = 50_000": f"reserve_rate_ppm = {RESERVE_PPM}",
}


def commissioned(folder: Path, name: str = "mesa") -> Path:
    """The configuration of a table of one's own, with its journal made."""
    config = own_table(folder, RATES, name)
    done = pozo_run("commission", "--turn-keys", "--config", config)
    assert done.exit_code == 0, done.output
    return config


def opened(folder: Path, name: str = "mesa") -> Path:
    """The same, opened for bets by the program itself on a virtual clock, and switched off in order."""
    return opened_for_bets(commissioned(folder, name))


def opened_for_bets(config: Path) -> Path:
    """A commissioned table, opened as `opened` does it."""
    settings, clock = load(str(config)), VirtualClock()
    hal = SimulatedHal(settings.wiring, clock.monotonic_ns)
    loop, inbox = assemble(settings, hal, clock, lambda _: None)
    loop.start()

    def turn(ms: int) -> None:
        clock.move_to(clock.monotonic_ns() + ms * 1_000_000)
        loop.turn()

    hal.drive("supervisor", active=True)
    turn(1)
    turn(60)
    inbox.put(Act(ev.LampTestStarted(clock.monotonic_ns())))
    inbox.put(Act(ev.TableOpened(clock.monotonic_ns())))
    turn(1)
    hal.drive("supervisor", active=False)
    turn(1)
    turn(60)
    assert loop.table.phase == "open"
    inbox.put(Stop("switched off"))
    turn(1)
    inbox.close()
    return config


def journal_of(config: Path) -> Path:
    return config.with_suffix(".db")


class Bench:
    """The person at the pty. `seen` holds every line with the time at which it was read."""

    def __init__(self) -> None:
        self.master, self.slave = pty.openpty()
        tty.setraw(self.slave)
        os.set_blocking(self.master, False)
        self.path = Path(os.ttyname(self.slave))
        self.seen: list[tuple[int, str]] = []
        self.on: set[str] = set()
        """The outputs that are on, as far as it was said."""
        self._rest = b""

    def say(self, *lines: str) -> None:
        os.write(self.master, "".join(f"{line}\n" for line in lines).encode())

    def read(self, timeout_s: float = 0.0) -> list[str]:
        """What was said since the last reading; waits for the first of it."""
        fresh: list[str] = []
        while select.select([self.master], [], [], 0.0 if fresh else timeout_s)[0]:
            self._rest += os.read(self.master, 65536)
            *whole, self._rest = self._rest.split(b"\n")
            fresh += [line.decode() for line in whole]
        now = time.monotonic_ns()
        for line in fresh:
            self.seen.append((now, line))
            match line.split():
                case ["out", name, "on"]:
                    self.on.add(name)
                case ["out", name, "off"]:
                    self.on.discard(name)
                case _:
                    pass  # answers, pictures and texts
        return fresh

    def until(
        self,
        wanted: Callable[[], bool],
        what: str,
        patience_s: float = PATIENCE_S,
        look_s: float = 0.2,
    ) -> None:
        """Read until `wanted` is true; it is looked at after each reading, and every `look_s` at least."""
        end = time.monotonic() + patience_s
        while not wanted():
            left = end - time.monotonic()
            assert left > 0, f"{what} did not come; seen: {[line for _, line in self.seen[-30:]]}"
            self.read(min(left, look_s))

    def heard(self, line: str) -> bool:
        return any(said == line for _, said in self.seen)

    def fresh(self) -> None:
        """Forget the process before: what it had said, what it had not read, what it had lit."""
        self.read()
        termios.tcflush(self.slave, termios.TCIOFLUSH)
        self.seen.clear()
        self.on.clear()
        self._rest = b""

    def close(self) -> None:
        os.close(self.master)
        os.close(self.slave)


class Running:
    """A table process. `with` ends it by force if it still runs."""

    def __init__(
        self,
        config: Path,
        bench: Bench,
        program: Sequence[str] = RUN,
        environ: dict[str, str] | None = None,
        cwd: Path = ROOT,
        *,
        alone: bool = False,
    ) -> None:
        """`environ` is added to this process's own, or `alone` is all that the table gets."""
        bench.fresh()
        self.bench = bench
        self.process = subprocess.Popen(
            [sys.executable, *program, "--config", str(config), "--bench", str(bench.path)],
            cwd=cwd,
            env={**({} if alone else os.environ), **(environ or {})},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()

    def ready(self) -> Self:
        """Wait until the table shows its state."""
        self.bench.until(
            lambda: (
                any(line.startswith("sign ") for _, line in self.bench.seen)
                or self.process.poll() is not None
            ),
            "the first picture",
        )
        assert self.process.poll() is None, self.ended()
        return self

    def operate(self, *events: ev.AnyEvent) -> None:
        """What the operator's menu would have produced; only for `tests.helpers_operator`."""
        assert self.process.stdin is not None
        for event in events:
            self.process.stdin.write(msgspec.json.encode(event) + b"\n")
        self.process.stdin.flush()

    def ended(self) -> tuple[int, str, str]:
        """Exit code and what was printed, once it has ended by itself."""
        out, err = self.process.communicate(timeout=PATIENCE_S)
        return self.process.returncode, out.decode(), err.decode()


def chip(bench: Bench, *seats: int, ms: float = 30) -> None:
    """Chips on these seats, 5 ms apart, and rest enough for them to be decided."""
    for seat in seats:
        move(bench, f"on seat_{seat}", 5)
    pause(bench, ms)
    for seat in seats:
        move(bench, f"off seat_{seat}", 5)
    pause(bench, 20)


def press(bench: Bench, button: str) -> None:
    move(bench, f"on {button}", 60)
    move(bench, f"off {button}", 30)


def move(bench: Bench, line: str, ms: float) -> None:
    """Move a line and hold it for `ms` from when the table has it: a late reader must not see a bounce.

    The simulated board stamps a line when it reads it; a table that does not answer within a second is gone.
    """
    before = len(bench.seen)
    bench.say(line)
    end = time.monotonic() + ANSWER_S
    while not any(said == f"ok {line}" for _, said in bench.seen[before:]):
        left = end - time.monotonic()
        if left <= 0:
            return
        bench.read(left)
    pause(bench, ms)


def pause(bench: Bench, ms: float) -> None:
    """Hands take time: hold the lines as they are for so long, reading meanwhile."""
    end = time.monotonic() + ms / 1_000
    while (left := end - time.monotonic()) > 0:
        bench.read(left)
