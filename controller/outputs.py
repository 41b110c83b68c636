"""What the table shows: lamps, slots, release, bell, screen, sign as a pure function of its state.

Recovery is therefore "load the last record, apply the outputs". The texts are those of `controller.pages`.
"""

from enum import StrEnum

import msgspec

from controller.core.game import Game
from controller.core.state import Closure, Phase, Seat, Table, Wager
from controller.core.table import slots_open
from controller.pages import screen, sign
from controller.texts import Line, Text

__all__ = [
    "Lamp",
    "Line",
    "Outputs",
    "Signals",
    "Text",
    "Texts",
    "lit",
    "outputs",
    "signals",
    "texts",
]

# A lamp waits for this; on Python 3.11 looking an enum's member up costs more than comparing it.
_ACCEPTED, _PLACED = Wager.ACCEPTED, Wager.PLACED
_FAULTY, _NOT_CLOSED = Closure.FAULT, Closure.NONE


class Lamp(StrEnum):
    """What a seat's lamp says. Priority, highest first: winner, accepted, problem, placed, attract, off."""

    WINNER = "winner"
    ACCEPTED = "accepted"
    PROBLEM = "problem"
    PLACED = "placed"
    ATTRACT = "attract"
    OFF = "off"
    TEST = "test"
    CHOSEN = "chosen"
    """The seat the dealer's menu stands on, whatever it shows otherwise."""


class Signals(msgspec.Struct, frozen=True):
    """What lamps, locks and bell do at one moment: what people at the table wait for."""

    lamps: tuple[Lamp, ...]
    slots_open: bool
    release: bool
    bell: bool


class Texts(msgspec.Struct, frozen=True):
    """What the screen and the sign say."""

    screen: tuple[Line, ...]
    sign: Line


class Outputs(msgspec.Struct, frozen=True):
    """Everything the table shows at one moment."""

    signals: Signals
    texts: Texts


def outputs(game: Game, table: Table, now_ns: int) -> Outputs:
    """What this state shows at `now_ns` (monotonic)."""
    return Outputs(signals(game, table, now_ns), texts(game, table))


def signals(game: Game, table: Table, now_ns: int, *, failing: bool = False) -> Signals:
    """What lamps, locks and bell do at `now_ns`.

    `failing`: nothing can be stored, so evidence stays lit, slots lock and no lamp invites to bet.
    """
    lamps = _lamps(game, table)
    if failing:
        lamps = tuple([Lamp.OFF if lamp is Lamp.ATTRACT else lamp for lamp in lamps])
    return Signals(
        lamps=lamps,
        slots_open=not failing and slots_open(game, table),
        release=_releases(game, table.release_until_ns, now_ns),
        bell=table.phase is Phase.AWARD_PENDING,
    )


def texts(game: Game, table: Table, *, failing: bool = False) -> Texts:
    """What screen and sign say. `failing`: nothing can be stored, and both say so."""
    if failing:
        return Texts((Line(Text.STORING_FAILED), *screen(game, table)), Line(Text.OUT_OF_SERVICE))
    return Texts(screen(game, table), sign(game, table))


def _releases(game: Game, until_ns: int | None, now_ns: int) -> bool:
    """Whether the release pulse is on. An end further away than its length is a stamp of a boot that ended."""
    return until_ns is not None and 0 < until_ns - now_ns <= game.release_ms * 1_000_000


def _lamps(game: Game, table: Table) -> tuple[Lamp, ...]:
    if table.phase is Phase.TEST or table.lamp_test:
        return (Lamp.TEST,) * len(table.seats)
    winners = {claim.seat for claim in table.claims}
    dark = table.phase is Phase.CLOSED or not game.wager
    free = Lamp.ATTRACT if slots_open(game, table) else Lamp.OFF
    return tuple(
        [
            Lamp.WINNER if number in winners else _lamp(seat, free, dark=dark)
            for number, seat in enumerate(table.seats, start=1)
        ]
    )


def _lamp(seat: Seat, free: Lamp, *, dark: bool) -> Lamp:
    """A seat's lamp. `free`: what an open seat without a chip shows; `dark`: nothing but a wager is shown."""
    wager = seat.wager
    if wager is _ACCEPTED:
        return Lamp.ACCEPTED
    if dark:
        return Lamp.OFF
    if seat.closed is _FAULTY:
        return Lamp.PROBLEM
    if wager is _PLACED:
        return Lamp.PLACED
    return free if seat.closed is _NOT_CLOSED else Lamp.OFF


ATTRACT_STEP_NS = 300_000_000
BLINK_NS = 250_000_000
FLASH_NS = 100_000_000
PROBLEM_NS = 2_000_000_000


def lit(lamp: Lamp, seat: int, seats: int, now_ns: int) -> bool:
    """Whether seat `seat`'s lamp is on at `now_ns`: the animator, a pure function of pattern and time.

    Steady is accepted only; placed blinks evenly, winner flashes fast, problem winks once in two seconds,
    attract chases around the table, chosen winks twice a second: mostly dark, for nothing but a wager may look lit.
    """
    match lamp:
        case Lamp.ATTRACT:
            return now_ns // ATTRACT_STEP_NS % seats == seat - 1
        case Lamp.ACCEPTED | Lamp.TEST:
            return True
        case Lamp.OFF:
            return False
        case Lamp.PLACED:
            return now_ns // BLINK_NS % 2 == 0
        case Lamp.WINNER:
            return now_ns // FLASH_NS % 2 == 0
        case Lamp.PROBLEM:
            return now_ns % PROBLEM_NS < FLASH_NS
        case Lamp.CHOSEN:
            return now_ns // FLASH_NS % 10 in {0, 2}
