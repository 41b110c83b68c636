"""Issue 4: with screen, sign, keypad, printer and console all stalled or failing, a chip's lamp and COIN IN's lock
take at most 1.2 times as long as with all of them well.

Four tables in one process play the same rounds edge by edge in turns, each the real loop and journal on
`RaspberryHal`: gpiozero's mock pins, luma on a bus of our own, sign and keypad through pyserial on ptys.

- well: the bus takes as long as I2C at 400 kHz, the sign's pty is read by a process of its own.
- stalled: the bus never answers the first byte; the sign's pty takes none (its output is stopped); the keypad is
  silent. A process reads the journal's ends four times a second and gets no further, as `pozo print` does at a
  printer that takes nothing and the console with nobody to listen: to a table both are only that.
- failing: every byte on the bus is an I/O error; the sign's and the keypad's adapters are pulled out. The same reader.
- held: as stalled, but the reader never ends its reading. None of our programs does that, a forgotten `sqlite3` may:
  the log beside the journal then cannot begin anew and grows. Told, without a limit.

As in `turn.py` the table's clock is put forward past the time a line needs to settle; with it the devices' own timers
run hundreds of times as fast as in play, so retries come far more often than they would.

Run: `python benchmarks/stalled.py [--rounds N] [--directory D]`. Exit code 1 if a limit is missed.
"""

import argparse
import os
import pty
import select
import subprocess
import sys
import tempfile
import termios
import threading
import time
import tty
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from statistics import median
from typing import Protocol

import msgspec
from edge import mock_header
from gpiozero.pins.mock import MockFactory, MockPin
from measure import interleaved, ratio, tell
from turn import SETTLE_NS, JumpingClock, Wire, settings_in

from controller.assemble import assemble, commission_table
from controller.config import Settings
from controller.core import events as ev
from controller.core.faults import FaultCode
from controller.core.state import Phase
from controller.inbox import Act, Stop
from controller.outputs import Lamp, lit
from hal.interface import (
    Device,
    Format,
    KeypadKind,
    KeypadWiring,
    ScreenKind,
    ScreenWiring,
    SignKind,
    SignWiring,
    Wiring,
)
from hal.panel import LumaPanel
from hal.raspberry import RaspberryHal

LIMIT = 1.2
SEATS = 7
MEASURED = SEATS + 1
"""Edges of a round that are measured: seven chips and COIN IN."""
MARGIN_NS = 150_000_000
"""A lamp stays as it should be at least this long around a measured edge."""
BIT_S = 9 / 400_000
"""A byte on I2C at 400 kHz, its acknowledge included."""
FOLLOWER = (
    "import pathlib, sys, time\n"
    "from controller.journal import ends_of\n"
    "while True:\n"
    "    print(ends_of(pathlib.Path(sys.argv[1])).last.seq, flush=True)\n"
    "    time.sleep(0.25)\n"
)
"""What printer and console do to a journal, whatever becomes of their own side."""
HOLDER = (
    "import sqlite3, sys\n"
    "c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
    "c.execute('BEGIN')\n"
    "print(c.execute('SELECT count(*) FROM journal').fetchone(), flush=True)\n"
    "sys.stdin.read()\n"
)


class Bus(Protocol):
    """What luma's device writes to."""

    def command(self, *cmd: int) -> None: ...
    def data(self, data: list[int]) -> None: ...
    def cleanup(self) -> None: ...


class I2c:
    """A bus that takes its time."""

    def command(self, *cmd: int) -> None:
        time.sleep((2 + len(cmd)) * BIT_S)

    def data(self, data: list[int]) -> None:
        time.sleep((2 + len(data)) * BIT_S)

    def cleanup(self) -> None:
        """Nothing is held."""


class Hanging(I2c):
    """A bus that never answers, until the benchmark is over."""

    def __init__(self) -> None:
        self.over = threading.Event()

    def command(self, *_cmd: int) -> None:
        self.over.wait()

    def data(self, _data: list[int]) -> None:
        self.over.wait()


class Broken(I2c):
    """A bus without a screen."""

    def command(self, *_cmd: int) -> None:
        raise OSError(121, "Remote I/O error")

    def data(self, _data: list[int]) -> None:
        raise OSError(121, "Remote I/O error")


class Outside:
    """What hangs on a table's bus and ports, and who reads its journal."""

    def __init__(self, bus: Bus, *, sign: str, pad: str, reader: str = "") -> None:
        self.bus, self.sign, self.pad, self.reader = bus, sign, pad, reader


def well(stack: ExitStack) -> Outside:
    """Everything works."""
    far, near = pty.openpty()
    tty.setraw(near)
    drain = subprocess.Popen(["cat"], stdin=far, stdout=subprocess.DEVNULL)
    os.close(far)
    stack.callback(drain.wait)
    stack.callback(drain.kill)
    return Outside(I2c(), sign=os.ttyname(near), pad=silent())


def stalled(stack: ExitStack, reader: str = FOLLOWER) -> Outside:
    """Nothing moves."""
    bus = Hanging()
    stack.callback(bus.over.set)
    _far, near = pty.openpty()
    tty.setraw(near)
    termios.tcflow(near, termios.TCOOFF)
    return Outside(bus, sign=os.ttyname(near), pad=silent(), reader=reader)


def failing(_stack: ExitStack) -> Outside:
    """Everything is broken."""
    return Outside(
        Broken(), sign="/dev/serial/by-id/pulled-out", pad="/dev/serial/by-id/gone", reader=FOLLOWER
    )


def held(stack: ExitStack) -> Outside:
    """Nothing moves, and somebody's reading of the journal does not end."""
    return stalled(stack, HOLDER)


def silent() -> str:
    """A port on which nobody speaks."""
    _far, near = pty.openpty()
    tty.setraw(near)
    return os.ttyname(near)


class WatchedHal(RaspberryHal):
    """Says when the output that is waited for is switched as it is waited for."""

    awaited = ("", False)

    def __init__(self, wiring: Wiring, factory: MockFactory, bus: Bus, now_ns: Callable[[], int]) -> None:
        header = mock_header(factory)
        super().__init__(
            wiring,
            open_header=lambda _wiring: header,
            open_panel=lambda screen, _pins: LumaPanel(screen, lambda: bus),
            now_ns=now_ns,
        )
        self.switched = Wire()

    def write(self, line: str, on: bool) -> None:
        super().write(line, on)
        if (line, on) == self.awaited:
            self.awaited = ("", False)
            self.switched.say()


class TablePath:
    """A table, its hands, and what hangs on it."""

    def __init__(self, directory: Path, outside: Outside, stack: ExitStack) -> None:
        directory.mkdir()
        settings = settings_with(outside, directory)
        self._clock = clock = JumpingClock()
        commission_table(settings, clock)
        self._factory = factory_stamped_by(self._stamp)
        self._inputs = {line.name: line for line in settings.wiring.inputs}
        self._hal = WatchedHal(settings.wiring, self._factory, outside.bus, self._stamp)
        self.loop, self._inbox = assemble(settings, self._hal, clock, lambda _entries: None)
        self.loop.start()
        self._idle = Wire()
        self._thread = threading.Thread(target=self._play)
        self._thread.start()
        stack.callback(self.close)
        self._moves = self._rounds()
        self._open()
        if outside.reader:
            read_along(outside.reader, settings.journal, stack)

    def _play(self) -> None:
        while not self.loop.stopped:
            self._idle.say()
            self._inbox.wait(self.loop.wake_ns - self._clock.monotonic_ns())
            self.loop.turn()

    def _open(self) -> None:
        self._move("supervisor", active=True)
        now = self._clock.monotonic_ns()
        for event in (ev.LampTestStarted(now), ev.TableOpened(now)):
            self._inbox.put(Act(event))
        deadline = time.monotonic() + 10
        while self.loop.table.phase is not Phase.OPEN:
            if time.monotonic() > deadline:
                raise AssertionError(f"the table is {self.loop.table.phase}, not open")
            time.sleep(0.005)
        self._move("supervisor", active=False)

    def _stamp(self) -> int:
        """An edge's stamp: just after the last jump's beginning."""
        return self._clock.monotonic_ns() - SETTLE_NS

    def _rounds(self) -> Iterator[tuple[str, bool, tuple[str, bool]]]:
        """The measured edges and the output each is to switch; what lies between is done here, unmeasured."""
        while True:
            for seat in range(1, SEATS + 1):
                self._make_dark(seat)
                yield f"seat_{seat}", True, (f"lamp_{seat}", True)
                self._move(f"seat_{seat}", active=False)
            yield "coin_in", True, ("slots", False)
            self._move("coin_in", active=False)
            self._move("game_over", active=True)
            self._move("game_over", active=False)

    def _drive(self, line: str, *, active: bool) -> None:
        wired = self._inputs[line]
        pin = self._factory.pin(wired.pin)
        if active is wired.active_low:
            pin.drive_low()
        else:
            pin.drive_high()

    def _move(self, line: str, *, active: bool) -> None:
        """An unmeasured edge."""
        self._idle.forget()
        self._clock.ahead_ns += 4 * SETTLE_NS
        self._drive(line, active=active)
        self._idle.wait()

    def _make_dark(self, seat: int) -> None:
        """Go to a time at which this seat's lamp is dark and will be lit by a chip, and have the loop see it."""
        self._idle.forget()
        self._clock.ahead_ns += 4 * SETTLE_NS
        while not dark_then_lit(seat, self._clock.monotonic_ns()):
            self._clock.ahead_ns += 10_000_000
        self._inbox.put(Act(ev.DealerChanged(self._clock.monotonic_ns(), "Rosa")))
        self._idle.wait()

    def turn(self) -> float:
        """Seconds from edge to output."""
        line, active, self._hal.awaited = next(self._moves)
        self._hal.switched.forget()
        self._idle.forget()
        self._clock.ahead_ns += SETTLE_NS
        began = time.perf_counter()
        self._drive(line, active=active)
        self._hal.switched.wait()
        self._idle.wait()
        return self._hal.switched.said - began

    def close(self) -> None:
        self._inbox.put(Stop("measured"))
        self._thread.join()
        self._inbox.close()


def dark_then_lit(seat: int, now_ns: int) -> bool:
    """Whether the chase leaves the seat's lamp dark around `now_ns`, and a chip settled then would light it."""
    times = range(now_ns, now_ns + SETTLE_NS + MARGIN_NS, 10_000_000)
    dark = not any(lit(Lamp.ATTRACT, seat, SEATS, at) for at in times)
    return dark and all(lit(Lamp.PLACED, seat, SEATS, at) for at in times if at >= now_ns + SETTLE_NS)


def factory_stamped_by(now_ns: Callable[[], int]) -> MockFactory:
    """gpiozero's mock pins, their edges stamped by the table's clock."""

    class StampedPin(MockPin):  # type: ignore[misc]  # gpiozero has no types
        def _call_when_changed(self) -> None:
            super(MockPin, self)._call_when_changed(now_ns() / 1e9, self._state)

    return MockFactory(pin_class=StampedPin)


def settings_with(outside: Outside, directory: Path) -> Settings:
    """The shipped simulated table with real devices; it plays on without its sign, or there would be no chips."""
    settings = settings_in(directory)
    policies = msgspec.structs.replace(settings.game.policies, require_sign=False)
    wiring = msgspec.structs.replace(
        settings.wiring,
        devices=(Device.SCREEN, Device.SIGN, Device.KEYPAD),
        screen=ScreenWiring(ScreenKind.SSD1306, 1),
        sign=SignWiring(SignKind.ALPHA, outside.sign, 9600, Format.EIGHT_N_1, "POZO "),
        keypad=KeypadWiring(KeypadKind.SERIAL, outside.pad, {"3": "3"}),
    )
    game = msgspec.structs.replace(settings.game, policies=policies)
    return msgspec.structs.replace(settings, game=game, wiring=wiring)


def read_along(program: str, journal: Path, stack: ExitStack) -> None:
    """A process that reads the journal; it has begun when this returns."""
    reader = subprocess.Popen(
        [sys.executable, "-c", program, str(journal)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    stack.callback(reader.wait)
    stack.callback(reader.kill)
    assert reader.stdout is not None
    if not select.select([reader.stdout], [], [], 10)[0] or not reader.stdout.readline():
        raise AssertionError("the reader of the journal did not begin")


def told_lost(table: TablePath) -> str:
    """Which devices the table has reported by now."""
    codes = {fault.code for fault in table.loop.table.faults}
    return ", ".join(sorted(codes & {FaultCode.SCREEN_LOST, FaultCode.SIGN_LOST, FaultCode.KEYPAD_LOST}))


def report(costs: dict[str, list[float]]) -> list[bool]:
    """Both latencies, each table beside the one that is well; the first measured edge is seat 2's."""
    kept: list[bool] = []
    for what, chosen in (("chip to lamp", range(SEATS)), ("COIN IN to lock", (SEATS,))):
        part = {
            name: [cost for number, cost in enumerate(each, start=1) if number % MEASURED in chosen]
            for name, each in costs.items()
        }
        for name, each in part.items():
            print(f"{what}, {name:<40} {median(each) * 1e6:>8.0f} µs on this machine now")
        for name in ("stalled", "failing"):
            found = ratio(part, name, "well")
            kept.append(
                tell(f"{what}, everything {name} / well", found, "x", f"<= {LIMIT}", good=found <= LIMIT)
            )
        told = ratio(part, "held", "well")
        kept.append(tell(f"{what}, a reading held as well / well", told, "x", "none: told", good=True))
    return kept


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--rounds", type=int, default=60, help="rounds of eight measured edges")
    options.add_argument("--directory", type=Path, help="on the medium to measure (default: a temporary one)")
    given = options.parse_args()
    with tempfile.TemporaryDirectory(dir=given.directory) as name, ExitStack() as stack:
        tables = {
            kind.__name__: TablePath(Path(name) / kind.__name__, kind(stack), stack)
            for kind in (well, stalled, failing, held)
        }
        costs = interleaved({kind: table.turn for kind, table in tables.items()}, MEASURED * given.rounds - 1)
        for kind, table in tables.items():
            print(f"{kind:<10} reported lost: {told_lost(table) or 'nothing'}")
        kept = report(costs)
    sys.exit(0 if all(kept) else 1)


if __name__ == "__main__":
    main()
