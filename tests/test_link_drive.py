"""What ends `pozo link` and the adapters' couriers: the signals of a service manager, and nothing else."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from tests.helpers_process import ROOT

TURNING = """
import sys
from controller.clock import SystemClock
from controller.link.drive import hold_stops, until_stopped

hold_stops()
clock = SystemClock()

def turn():
    due = clock.monotonic_ns() + int(sys.argv[1])
    print(due, flush=True)
    return due

print("ended by", until_stopped(turn, clock), flush=True)
"""
"""Says of each turn when the next is due, and at last what ended it."""


@contextmanager
def turning(pause_ns: int) -> Iterator[subprocess.Popen[str]]:
    """A process whose turns are so far apart."""
    command = [sys.executable, "-c", TURNING, str(pause_ns)]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield process
        finally:
            process.kill()


def said(process: subprocess.Popen[str]) -> str:
    """Its next line."""
    assert process.stdout is not None
    return process.stdout.readline().strip()


def test_either_signal_ends_it_in_a_pause_and_is_named() -> None:
    for stop in (signal.SIGTERM, signal.SIGINT):
        with turning(3_600_000_000_000) as process:
            assert said(process).isdigit()
            process.send_signal(stop)
            assert said(process) == f"ended by {stop.name}"


def test_a_pause_that_ends_while_the_process_stands_still_ends_nothing() -> None:
    with turning(200_000_000) as process:
        for _ in range(3):
            due = int(said(process))
            process.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, process.pid, os.WSTOPPED | os.WNOWAIT)
            time.sleep(max(due - time.monotonic_ns(), 0) / 1_000_000_000)
            process.send_signal(signal.SIGCONT)
        process.send_signal(signal.SIGTERM)
        lines = iter(lambda: said(process), "ended by SIGTERM")
        assert all(line.isdigit() for line in lines)
