"""Runs a pump or a courier in its process until somebody ends it."""

import signal
from collections.abc import Callable
from typing import Final

from controller.clock import Clock

LONGEST_WAIT_S: Final = 1.0
"""What waits for the floor does not hear a signal meanwhile."""

BREATH_S: Final = 0.05
"""Between two words of the floor's: whoever says many of them does not keep this processor busy."""

STOPS: Final = frozenset({signal.SIGTERM, signal.SIGINT})


def hold_stops() -> None:
    """Let the signals that end a process wait until `until_stopped` asks for them. Call it before any thread."""
    signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)


def until_stopped(
    turn: Callable[[], int], clock: Clock, wait: Callable[[float], bool] = lambda _: False
) -> str:
    """Turn until SIGTERM or SIGINT, held before, and give its name. What is under way is finished first.

    `wait` is given the seconds of a pause, and says whether it has waited, or been woken.

    The signals are not caught but waited for, in the pauses: none can come in the middle of a call.
    """
    while True:
        pause_s = max(turn() - clock.monotonic_ns(), 0) / 1_000_000_000
        if wait(min(pause_s, LONGEST_WAIT_S)):
            pause_s = min(pause_s, BREATH_S)
        ended = signal.sigtimedwait(STOPS, pause_s)
        # CPython gives a number that is none where the process was stopped in here and continued after the time was up.
        if ended is not None and ended.si_signo in STOPS:
            return signal.Signals(ended.si_signo).name
