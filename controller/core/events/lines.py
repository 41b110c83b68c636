"""Events of the lines: chips, buttons, keys, and what goes wrong on a wire."""

from controller.core.events.base import Event
from controller.core.events.words import Button, Key


class ChipDropped(Event, frozen=True):
    """A chip went through seat `seat`'s slot; `at_ns` is the start of the unbroken low that settled."""

    seat: int


class SeatJammed(Event, frozen=True):
    """The seat's line has been active longer than the jam limit; `fell_ns` is when that low began."""

    seat: int
    fell_ns: int


class JamCleared(Event, frozen=True):
    """A jammed seat's line is idle again."""

    seat: int


class SeatChattered(Event, frozen=True):
    """More pulses than chips can fall: a contact that chatters."""

    seat: int


class EdgeLost(Event, frozen=True):
    """A line's rise came without its fall: no chip is counted, but one may lie in that slot. `seat` 0: a button."""

    line: str
    seat: int


class NoiseSeen(Event, frozen=True):
    """`count` pulses too short to mean anything on a line, within a minute of the first."""

    line: str
    seat: int
    count: int


class CommonModeSeen(Event, frozen=True):
    """These seats' lines fell and rose together: noise of the whole table, none counts."""

    seats: tuple[int, ...]


class LineOverflowed(Event, frozen=True):
    """A line sent more edges than its share of the inbox; `lost` of them were dropped. `seat` 0: another line."""

    line: str
    seat: int
    lost: int


class CoinInPressed(Event, frozen=True):
    """The croupier pressed COIN IN; `at_ns` is its fall."""


class GameOverPressed(Event, frozen=True):
    """The croupier pressed and released GAME OVER; `at_ns` is its rise."""


class GameOverHeld(Event, frozen=True):
    """GAME OVER has been down for a second: this ends no round."""


class ButtonStuck(Event, frozen=True):
    """A button has been down so long that something leans on it."""

    button: Button


class ButtonFreed(Event, frozen=True):
    """A stuck button came up."""

    button: Button


class KeyTurned(Event, frozen=True):
    """A key switch was turned."""

    key: Key
    on: bool
