"""The statements of a drill, as data. `controller.drill.parse` makes them, `controller.drill.play` plays them."""

from enum import StrEnum

import msgspec

from controller.core.events import AnyEvent, Button, Key
from controller.core.faults import FaultCode
from controller.core.state import Phase
from controller.outputs import Lamp


class Statement(msgspec.Struct, frozen=True):
    """Common to all: the line it stands in, and its text."""

    line: int
    text: str


class UseTable(Statement, frozen=True):
    """`table NAME`: a configuration by name or path."""

    name: str


class SetValue(Statement, frozen=True):
    """`set KEY VALUE`: override one configuration value before power on."""

    key: str
    value: str


class PowerKind(StrEnum):
    """What happens to the power."""

    ON = "on"
    ON_CLOSED = "on closed"
    OFF = "off"
    CUT = "cut"
    BACK = "back"
    """On, if it is gone."""
    KILL = "kill"
    """The process is gone, the machine goes on."""


class Power(Statement, frozen=True):
    """`power on|on closed|off|cut|back|kill`."""

    kind: PowerKind


class Wait(Statement, frozen=True):
    """`wait 250ms`."""

    ns: int


class Chip(Statement, frozen=True):
    """`chip 1 3 5`: clean pulses, in the order written."""

    seats: tuple[int, ...]


class Wave(Statement, frozen=True):
    """`wave seat_2 L 4ms H`: raw levels; each holds for its time, the last one stays."""

    name: str
    levels: tuple[tuple[bool, int], ...]
    """Active or not, and for how many nanoseconds."""


class Press(Statement, frozen=True):
    """`press coin_in [120ms]`."""

    button: Button
    ns: int


class TurnKey(Statement, frozen=True):
    """`key supervisor on|off`."""

    key: Key
    on: bool


class Pad(Statement, frozen=True):
    """`pad 3 ENTER`: keys of the keypad, one after the other."""

    keys: tuple[str, ...]


class Together(Statement, frozen=True):
    """`together … end`: all statements begin at the same instant."""

    body: tuple[Statement, ...]


class Repeat(Statement, frozen=True):
    """`repeat N … end`."""

    times: int
    body: tuple[Statement, ...]


class Operate(Statement, frozen=True):
    """What the operator's menu would have produced; `at_ns` of the events is filled in when it is played."""

    events: tuple[AnyEvent, ...]


class OperateAmount(Statement, frozen=True):
    """An operator's act with an amount, read in the table's currency into the event's `field`."""

    event: AnyEvent
    field: str
    amount: str


class PayAward(Statement, frozen=True):
    """`paid 3`: the oldest unpaid award of a seat, else its last one."""

    seat: int


class Correct(Statement, frozen=True):
    """`correct main 100000.00 REASON`: the amount is read in the table's currency."""

    level: str
    amount: str
    reason: str


class Part(StrEnum):
    """What can fail."""

    SIGN = "sign"
    SCREEN = "screen"
    KEYPAD = "keypad"
    HOST = "host"
    JOURNAL = "journal"
    DISK_FULL = "disk_full"
    FSYNC = "fsync"
    """The next flush fails with an I/O error, once: the program must end."""
    WITNESS = "witness"


class Fail(Statement, frozen=True):
    """`fail PART` or `mend PART`."""

    part: Part
    broken: bool


class StepClock(Statement, frozen=True):
    """`clock +1d`: the wall clock steps."""

    ns: int


class DropEdge(Statement, frozen=True):
    """`drop_edge seat_6 rise`: the next such edge is lost."""

    name: str
    active: bool


class Freeze(Statement, frozen=True):
    """`freeze 3s`: the loop thread stands still."""

    ns: int


class Audit(Statement, frozen=True):
    """`audit`: from here on the soak's checkers watch every record and output."""


class UseMedium(Statement, frozen=True):
    """`medium lossy 7`: what was not flushed may be lost, torn or reordered by a cut, as the seed has it."""

    seed: int


class Expect(Statement, frozen=True):
    """Common to all expectations."""


class ExpectPhase(Expect, frozen=True):
    """`expect phase open`."""

    phase: Phase


class ExpectFault(Expect, frozen=True):
    """`expect fault CODE`, or none at all."""

    code: FaultCode | None


class ExpectLamp(Expect, frozen=True):
    """`expect lamp 1 3 accepted`."""

    seats: tuple[int, ...]
    lamp: Lamp


class ExpectSlots(Expect, frozen=True):
    """`expect slots open|locked`: what the slot lock really does."""

    open: bool


class ExpectBets(Expect, frozen=True):
    """`expect bets 3`."""

    count: int


class ExpectPot(Expect, frozen=True):
    """`expect pot main 100003.50`."""

    level: str
    amount: str


class ExpectMeter(Expect, frozen=True):
    """`expect meter in_meter 30.00` or a count."""

    meter: str
    value: str


class ExpectAward(Expect, frozen=True):
    """`expect award 3 5000.00`: the seat's newest award."""

    seat: int
    amount: str


class ExpectRefused(Expect, frozen=True):
    """`expect refused [REASON]`: the last action was."""

    reason: str | None


class ExpectScreen(Expect, frozen=True):
    """`expect screen "3 APUESTAS"`: some line contains it."""

    wanted: str


class ExpectSign(Expect, frozen=True):
    """`expect sign "100.003,50"`: the sign contains it."""

    wanted: str


class ExpectJournal(Expect, frozen=True):
    """`expect journal chip_late 1`: events or results of that kind so far."""

    kind: str
    count: int
