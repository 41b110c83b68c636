"""Checks a drill's expectations against the table as it is: its state, its hardware, its journal."""

import msgspec

from controller.core import events as ev
from controller.core.faults import FaultCode
from controller.core.money import plain
from controller.core.table import bets
from controller.drill import statements as st
from controller.drill.copies import ExpectStranded
from controller.drill.world import World
from controller.journal import recent, records
from controller.loop import Loop
from controller.meters import is_money, meters
from controller.outputs import Lamp

LAST = 10
"""How many journal records a failed expectation shows."""


class FailedError(AssertionError):
    """An expectation that is not met, or a statement that cannot be played now."""

    def __init__(self, statement: st.Statement, expected: str, found: str) -> None:
        self.statement = statement
        self.expected, self.found = expected, found
        super().__init__(
            f"line {statement.line}: {statement.text}\n  expected: {expected}\n  found:    {found}"
        )


def expect(world: World, wanted: st.Expect) -> None:
    """Check one expectation. Raises `FailedError`, with the last records of the journal, if it is not met."""
    found = _check(world, wanted)
    if found is not None:
        raise FailedError(wanted, found[0], f"{found[1]}\n{last_records(world)}")


def last_records(world: World) -> str:
    """The newest records of the journal, one a line."""
    if world.medium.empty:
        return "  there is no journal"
    shown = [
        f"  {record.seq:5d} {record.kind:20s} {msgspec.json.encode(record.results).decode()}"
        for record in recent(world.medium.journal, LAST)
    ]
    return "\n".join(["  the last records:", *shown])


def _check(world: World, wanted: st.Expect) -> tuple[str, str] | None:
    """What was expected and found, or None if they agree."""
    match wanted:
        case st.ExpectScreen(wanted=text):
            lines = world.hal.screen
            return None if any(text in line for line in lines) else (text, " | ".join(lines))
        case st.ExpectSign(wanted=text):
            return None if text in world.hal.signs else (text, world.hal.signs)
        case st.ExpectSlots(open=wanted_open):
            return _same(_slots(wanted_open), _slots(world.hal.outputs["slots"]))
        case st.ExpectLamp(seats=seats, lamp=lamp):
            return _same(_lamps(seats, [lamp] * len(seats)), _lamps(seats, _shown(world, seats)))
        case st.ExpectJournal(kind=kind, count=count):
            found = "there is no journal" if world.medium.empty else str(_count(world, kind))
            return _same(str(count), found)
        case ExpectStranded(plight=plight):
            return _same(plight, "in service" if world.stranded is None else world.stranded.plight)
        case st.ExpectRefused(reason=reason):
            return _refused(world, reason)
        case _:
            return _check_table(_running(world, wanted), wanted, world)


def _check_table(loop: Loop, wanted: st.Expect, world: World) -> tuple[str, str] | None:
    table = loop.table
    currency = world.settings.game.currency
    match wanted:
        case st.ExpectPhase(phase=phase):
            return _same(phase, table.phase)
        case st.ExpectFault(code=code):
            return _faults(loop, code)
        case st.ExpectBets(count=count):
            return _same(str(count), str(bets(table)))
        case st.ExpectPot(level=name, amount=amount):
            found = {level.name: plain(level.shown, currency) for level in table.pot.levels}
            there = f"there are {', '.join(found)}" if found else "this game has no pot"
            return _same(amount, found.get(name, f"no level {name}; {there}"))
        case st.ExpectMeter(meter=name, value=value):
            values = meters(table)
            if name not in values:
                return value, f"no meter {name}; there are {', '.join(values)}"
            number = values[name]
            return _same(value, plain(number, currency) if is_money(name) else str(number))
        case st.ExpectAward(seat=seat, amount=amount):
            amounts = [plain(award.amount, currency) for award in table.awards if award.seat == seat]
            return _same(amount, amounts[-1] if amounts else f"no award at seat {seat}")
        case _:
            raise TypeError(f"{wanted.text!r} is checked elsewhere")


def _same(expected: str, found: str) -> tuple[str, str] | None:
    return None if expected == found else (expected, found)


def _running(world: World, wanted: st.Expect) -> Loop:
    if world.loop is None:
        raise FailedError(wanted, "a table under power", "the table is without power")
    return world.loop


def _slots(is_open: bool) -> str:
    return "open" if is_open else "locked"


def _lamps(seats: tuple[int, ...], lamps: list[Lamp]) -> str:
    return " ".join(f"{seat}:{lamp}" for seat, lamp in zip(seats, lamps, strict=True))


def _shown(world: World, seats: tuple[int, ...]) -> list[Lamp]:
    if world.loop is None:
        return [Lamp.OFF] * len(seats)
    lamps = world.loop.lamps
    return [lamps[seat - 1] for seat in seats]


def _faults(loop: Loop, code: FaultCode | None) -> tuple[str, str] | None:
    codes = [fault.code for fault in loop.table.faults]
    if loop.failing:
        codes.append(FaultCode.STORAGE_FAILED)
    found = ", ".join(codes) or "none"
    if code is None:
        return _same("none", found)
    return None if code in codes else (code, found)


def _count(world: World, kind: str) -> int:
    found = 0
    for record in records(world.medium.journal):
        kinds = [record.kind, *(ev.snake(type(result).__name__) for result in record.results)]
        found += kinds.count(kind)
    return found


def _refused(world: World, reason: str | None) -> tuple[str, str] | None:
    results = [result for entry in world.entries() for result in entry.results]
    reasons = [result.reason for result in results if isinstance(result, ev.Refused)]
    if world.loop is not None and world.loop.failing and not results:
        return None if reason is None else (reason, "nothing is stored at all: the journal fails")
    if reasons and reason in (None, *reasons):
        return None
    return reason or "refused", ", ".join(reasons) or "it was done"
