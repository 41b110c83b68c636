"""A gpio-sim chip's lines, pushed and read back from outside through sysfs: only in the guest of `.ci/gpio-sim`."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from threading import Condition
from typing import NamedTuple

import pytest

from hal.interface import Edge, Message, Wiring
from hal.raspberry import RaspberryHal
from tests.helpers_rigs import Ticker, keep

PLACE = os.environ.get("POZO_GPIO_SIM", "")
"""Where sysfs has the chip's lines; empty everywhere but in the guest."""

PATIENCE_S = 10.0
QUIET_S = 0.02

GENERATOR = """
import json, os, sys, time
place, files = sys.argv[1], {}
for line in sys.stdin:
    schedule, begin, done = json.loads(line), time.monotonic_ns() + 20_000_000, []
    for _, pin, _ in schedule:
        if pin not in files:
            files[pin] = os.open(f"{place}/sim_gpio{pin}/pull", os.O_WRONLY)
    for at_ns, pin, level in schedule:
        left = begin + at_ns - time.monotonic_ns()
        if left > 2_000_000:
            time.sleep((left - 1_000_000) / 1e9)
        while time.monotonic_ns() < begin + at_ns:
            pass
        # Late, for this machine had other things to do: what follows is later too, and no two pushes come closer.
        begin = time.monotonic_ns() - at_ns
        done.append(begin + at_ns)
        os.pwrite(files[pin], b"pull-up" if level else b"pull-down", 0)
    print(json.dumps(done), flush=True)
"""
"""Hands on the lines in a process of their own: it shares no interpreter lock with the table."""


class Push(NamedTuple):
    """A line is pushed to a level, `at_ns` after the beginning."""

    at_ns: int
    pin: int
    level: bool


def push(pin: int, level: bool) -> None:
    """Pull a line up or down from outside."""
    Path(PLACE, f"sim_gpio{pin}", "pull").write_text("pull-up" if level else "pull-down", encoding="ascii")


def level(pin: int) -> bool:
    """The level on the wire, whoever drives it."""
    return Path(PLACE, f"sim_gpio{pin}", "value").read_text(encoding="ascii").strip() == "1"


@cache
def _hands() -> subprocess.Popen[str]:
    """They end with this process, which closes their standard input."""
    return subprocess.Popen(
        [sys.executable, "-S", "-c", GENERATOR, PLACE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def pushed(schedule: Sequence[Push]) -> list[int]:
    """Push lines at their times from another process; when each was begun, on the clock that stamps edges."""
    hands = _hands()
    assert hands.stdin is not None
    assert hands.stdout is not None
    hands.stdin.write(json.dumps(schedule) + "\n")
    hands.stdin.flush()
    done: list[int] = json.loads(hands.stdout.readline())
    return done


class Heard(list[Message]):
    """What the table put, with a way to wait for it."""

    def __init__(self, clock: Ticker | None = None) -> None:
        super().__init__()
        self.pushed_ns = 0
        self._clock = clock
        self._came = Condition()

    def append(self, message: Message) -> None:
        """Take a message. With a test's clock, an edge stamped between its push and now gets that clock's time."""
        with self._came:
            super().append(self._told(message))
            self._came.notify_all()

    def _told(self, message: Message) -> Message:
        if self._clock is None or not isinstance(message, Edge):
            return message
        own = self.pushed_ns <= message.at_ns <= time.monotonic_ns()
        return Edge(message.line, message.active, self._clock()) if own else message

    def until(self, count: int) -> None:
        """Wait until there are so many."""
        with self._came:
            enough = self._came.wait_for(lambda: len(self) >= count, PATIENCE_S)
        assert enough, f"{len(self)} of {count} messages came"

    def quiet(self) -> None:
        """Give what must not come the time to come."""
        with self._came:
            self._came.wait(QUIET_S)


class KernelRig:
    """A `RaspberryHal` on the kernel's own lines. Its clock is the machine's; stamps are told in the test's."""

    def __init__(self, _monkeypatch: pytest.MonkeyPatch, wiring: Wiring) -> None:
        self.clock = Ticker()
        self._heard = Heard(self.clock)
        self.heard: list[Message] = self._heard
        self._inputs = {line.name: line for line in wiring.inputs}
        self._outputs = {line.name: line for line in wiring.outputs}
        for line in wiring.inputs:
            push(line.pin, line.active_low)
        self.hal = keep(RaspberryHal(wiring))

    def now_ns(self) -> int:
        return time.monotonic_ns()

    def drive(self, line: str, active: bool) -> None:
        wire = self._inputs[line]
        wanted, count = active != wire.active_low, len(self._heard)
        changes = level(wire.pin) != wanted
        self._heard.pushed_ns = time.monotonic_ns()
        push(wire.pin, wanted)
        if changes and line in self.hal.armed:
            self._heard.until(count + 1)
        else:
            self._heard.quiet()

    def is_on(self, line: str) -> bool:
        return level(self._outputs[line].pin) != self._outputs[line].active_low
