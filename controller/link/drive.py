"""Runs a pump or a courier in its process until somebody ends it."""

import signal
from collections.abc import Callable
from typing import Final

from controller.clock import Clock

STOPS: Final = frozenset({signal.SIGTERM, signal.SIGINT})


def hold_stops() -> None:
    """Let the signals that end a process wait until `until_stopped` asks for them. Call it before any thread."""
    signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)


def until_stopped(turn: Callable[[], int], clock: Clock) -> str:
    """Turn until SIGTERM or SIGINT, held before, and give its name. What is under way is finished first.

    The signals are not caught but waited for, in the pauses: none can come in the middle of a call.
    """
    while True:
        pause_ns = turn() - clock.monotonic_ns()
        ended = signal.sigtimedwait(STOPS, max(pause_ns, 0) / 1_000_000_000)
        if ended is not None:
            return signal.Signals(ended.si_signo).name
