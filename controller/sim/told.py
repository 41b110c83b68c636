"""How a simulated table's outside is told to a page: by name and new value, one thing at a time."""

from collections.abc import Callable
from enum import StrEnum
from typing import assert_never

from hal.simulated import Closed, Drawn, Seen, Shown, Signed, SimulatedHal, Started, Switched


class Told(StrEnum):
    """The names of what is told, besides `out.LINE` and `level.LINE`."""

    POWER = "power"
    LAMPS = "lamps"
    FAILED = "failed"
    BROKEN = "broken"
    SIGN = "sign"
    SCREEN = "screen"


class Power(StrEnum):
    """Whether a table has power, or its deciding thread stands still, or a real one's program is not there."""

    ON = "on"
    OFF = "off"
    FROZEN = "frozen"
    STOPPED = "stopped"


Show = Callable[[str, object], None]
"""Told of each change by name and new value. Called from any thread; returns at once, never raises."""


def tell(show: Show, seen: Seen, hal: SimulatedHal) -> None:
    """Tell what the simulated hardware was just made to do."""
    match seen:
        case Switched(line=line, on=on):
            show(f"out.{line}", on)
        case Drawn():
            show(Told.SCREEN, hal.drawn)
        case Signed(text=text):
            show(Told.SIGN, text)
        case Shown() | Started() | Closed():
            pass  # the lines come with their picture; power is told by who holds the plug
        case _:
            assert_never(seen)
