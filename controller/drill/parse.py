"""Reads a drill: one statement a line, `#` comments. Every refusal names the line and what is allowed."""

import shlex
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple, TypeVar

from controller.core import events as ev
from controller.core.cards import CardError
from controller.core.cards import parse as card
from controller.core.events import Button, Key, Reason
from controller.core.faults import FaultCode
from controller.core.game import Hand
from controller.core.state import Phase
from controller.drill import statements as st
from controller.outputs import Lamp

PRESS_NS = 120_000_000
UNITS = {
    "us": 1_000,
    "ms": 1_000_000,
    "s": 1_000_000_000,
    "h": 3_600_000_000_000,
    "d": 86_400_000_000_000,
}
REPEAT_MAX = 1_000_000
LONGEST_NS = 400 * UNITS["d"]
KINDS = frozenset(ev.snake(kind.__name__) for base in (ev.Event, ev.Result) for kind in base.__subclasses__())
Choice = TypeVar("Choice", bound=StrEnum)


class DrillError(ValueError):
    """A script that cannot be played: file, line, what is wrong, what is allowed."""


class _Line(NamedTuple):
    number: int
    text: str
    words: tuple[str, ...]

    def refuse(self, what: str) -> DrillError:
        return DrillError(f"line {self.number}: {self.text}\n  {what}")

    def takes(self, usage: str, least: int, most: int | None = None) -> tuple[str, ...]:
        """The words after the first, if they are as many as they should be."""
        given = self.words[1:]
        if not least <= len(given) <= (least if most is None else most):
            raise self.refuse(f"write it like: {usage}")
        return given


def parse(text: str) -> tuple[st.Statement, ...]:
    """All statements of a script. Raises `DrillError`."""
    lines = iter(list(_lines(text)))
    return tuple(_block(lines, opened=None))


def _lines(text: str) -> Iterator[_Line]:
    for number, raw in enumerate(text.splitlines(), start=1):
        try:
            words = tuple(shlex.split(raw, comments=True))
        except ValueError as error:
            raise DrillError(f"line {number}: {raw.strip()}\n  a quotation mark is not closed") from error
        if words:
            yield _Line(number, raw.strip(), words)


def _block(lines: Iterator[_Line], opened: _Line | None) -> Iterator[st.Statement]:
    for line in lines:
        match line.words[0]:
            case "end" if opened is not None:
                return
            case "end":
                raise line.refuse("there is no `together` or `repeat` to end here")
            case "together":
                line.takes("together … end", 0)
                body = tuple(_block(lines, line))
                _refuse_timeless(line, body)
                yield st.Together(line.number, line.text, body=body)
            case "repeat":
                times = _count(line, line.takes("repeat 200 … end", 1)[0], REPEAT_MAX)
                yield st.Repeat(line.number, line.text, body=tuple(_block(lines, line)), times=times)
            case word if word in _STATEMENTS:
                yield _STATEMENTS[word](line)
            case word:
                known = sorted({*_STATEMENTS, "together", "repeat", "end"})
                raise line.refuse(f"{word!r} is no statement; there are: {', '.join(known)}")
    if opened is not None:
        raise opened.refuse("its `end` is missing")


def _refuse_timeless(line: _Line, body: Sequence[st.Statement]) -> None:
    """Only what happens at moments can be laid over each other."""
    for statement in body:
        if isinstance(statement, st.Expect | st.UseTable | st.SetValue):
            raise _Line(statement.line, statement.text, ()).refuse(
                f"it has no place in the `together` of line {line.number}: write it before that or after its `end`"
            )
        if isinstance(statement, st.Repeat):
            _refuse_timeless(line, statement.body)


def _count(line: _Line, word: str, most: int) -> int:
    if not (word.isascii() and word.isdigit()) or int(word) > most:
        raise line.refuse(f"{word!r} is not a whole number from 0 to {most}")
    return int(word)


def duration(line: _Line, word: str) -> int:
    """`250ms` in nanoseconds."""
    digits = word.rstrip("abcdefghijklmnopqrstuvwxyz")
    unit = word[len(digits) :]
    whole, _, fraction = digits.partition(".")
    if unit not in UNITS or not whole.isdigit() or not (fraction or "0").isdigit() or not digits.isascii():
        raise line.refuse(f"{word!r} is not a time; write 250ms, 1.5s … (units: {', '.join(UNITS)})")
    scale: int = 10 ** len(fraction)
    ns = int(whole) * UNITS[unit] + int(fraction or "0") * UNITS[unit] // scale
    if ns > LONGEST_NS:
        raise line.refuse(f"{word!r} is longer than a drill's longest time, 400d")
    return ns


def _choice(line: _Line, kind: type[Choice], word: str) -> Choice:
    try:
        return kind(word)
    except ValueError as error:
        raise line.refuse(f"{word!r} is none of: {', '.join(kind)}") from error


def _seat_number(line: _Line, word: str) -> int:
    return _count(line, word, 99)


def _seats(line: _Line, words: Sequence[str]) -> tuple[int, ...]:
    return tuple(_seat_number(line, word) for word in words)


def _set(line: _Line) -> st.Statement:
    key, *rest = line.takes("set wager.amount 10.00", 2, 99)
    return st.SetValue(line.number, line.text, key=key, value=" ".join(rest))


def _power(line: _Line) -> st.Statement:
    words = line.takes("power on | on closed | off | cut", 1, 2)
    return st.Power(line.number, line.text, kind=_choice(line, st.PowerKind, " ".join(words)))


def _wave(line: _Line) -> st.Statement:
    name, *words = line.takes("wave seat_2 L 4ms H 5s L", 2, 10_000)
    levels: list[tuple[bool, int]] = []
    for word in words:
        if word in {"L", "H"}:
            levels.append((word == "L", 0))
        elif not levels or levels[-1][1]:
            raise line.refuse(f"{word!r} stands where a level (L or H) should")
        else:
            levels[-1] = (levels[-1][0], duration(line, word))
    return st.Wave(line.number, line.text, name=name, levels=tuple(levels))


def _press(line: _Line) -> st.Statement:
    button, *held = line.takes("press coin_in [120ms]", 1, 2)
    ns = duration(line, held[0]) if held else PRESS_NS
    return st.Press(line.number, line.text, button=_choice(line, Button, button), ns=ns)


def _key(line: _Line) -> st.Statement:
    key, way = line.takes("key supervisor on|off", 2)
    on = _one_of(line, way, "on", "off") == "on"
    return st.TurnKey(line.number, line.text, key=_choice(line, Key, key), on=on)


def _one_of(line: _Line, word: str, *allowed: str) -> str:
    if word not in allowed:
        raise line.refuse(f"{word!r} is none of: {', '.join(allowed)}")
    return word


def _fail(line: _Line) -> st.Statement:
    (part,) = line.takes("fail sign", 1)
    broken = line.words[0] == "fail"
    return st.Fail(line.number, line.text, part=_choice(line, st.Part, part), broken=broken)


def _clock(line: _Line) -> st.Statement:
    (word,) = line.takes("clock +1d", 1)
    if word[0] not in "+-":
        raise line.refuse(f"{word!r} needs its sign: +1d or -13d")
    ns = duration(line, word[1:])
    return st.StepClock(line.number, line.text, ns=ns if word[0] == "+" else -ns)


def _drop_edge(line: _Line) -> st.Statement:
    name, way = line.takes("drop_edge seat_6 rise", 2)
    active = _one_of(line, way, "fall", "rise") == "fall"
    return st.DropEdge(line.number, line.text, name=name, active=active)


def _operate(line: _Line, *events: ev.AnyEvent) -> st.Statement:
    return st.Operate(line.number, line.text, events=events)


def _claim(line: _Line) -> st.Statement:
    seat, hand = line.takes("claim 3 flush", 2)
    return _operate(line, ev.AwardClaimed(0, _seat_number(line, seat), _choice(line, Hand, hand)))


def _cards(line: _Line) -> st.Statement:
    seat, *words = line.takes("cards 3 As Ks Qs Js Ts", 1, 99)
    try:
        cards = tuple(card(word) for word in words)
    except CardError as error:
        raise line.refuse(str(error)) from error
    return _operate(line, ev.CardsShown(0, _seat_number(line, seat), cards))


def _reject(line: _Line) -> st.Statement:
    seat, *reason = line.takes("reject 3 REASON", 2, 99)
    return _operate(line, ev.AwardRejected(0, _seat_number(line, seat), " ".join(reason)))


def _void(line: _Line) -> st.Statement:
    what, reason = line.takes("void 3 REASON | void round REASON", 2)
    code = _choice(line, Reason, reason)
    if what == "round":
        return _operate(line, ev.RoundVoided(0, code))
    return _operate(line, ev.SeatVoided(0, _seat_number(line, what), code))


def _seat(line: _Line) -> st.Statement:
    seat, way = line.takes("seat 3 open|closed", 2)
    number = _seat_number(line, seat)
    opened = _one_of(line, way, "open", "closed") == "open"
    return _operate(line, ev.SeatOpened(0, number) if opened else ev.SeatClosed(0, number))


def _open(line: _Line) -> st.Statement:
    words = line.takes("open | open dead 3 5", 0, 99)
    if words:
        _one_of(line, words[0], "dead")
    dead = _seats(line, words[1:])
    return _operate(line, ev.LampTestStarted(0), ev.TableOpened(0, dead))


def _correct(line: _Line) -> st.Statement:
    level, amount, *reason = line.takes("correct main 100000.00 REASON", 3, 99)
    return st.Correct(line.number, line.text, level=level, amount=amount, reason=" ".join(reason))


def _plain(make: Callable[[int], ev.AnyEvent], usage: str) -> Callable[[_Line], st.Statement]:
    def read(line: _Line) -> st.Statement:
        line.takes(usage, 0)
        return _operate(line, make(0))

    return read


def _of_seat(make: Callable[[int, int], ev.AnyEvent], usage: str) -> Callable[[_Line], st.Statement]:
    def read(line: _Line) -> st.Statement:
        return _operate(line, make(0, _seat_number(line, line.takes(usage, 1)[0])))

    return read


def _expect(line: _Line) -> st.Statement:
    what, *words = line.takes("expect phase open, expect pot main 100.00 …", 1, 99)
    if what not in _EXPECTATIONS:
        raise line.refuse(f"{what!r} cannot be expected; these can: {', '.join(sorted(_EXPECTATIONS))}")
    return _EXPECTATIONS[what](_Line(line.number, line.text, (what, *words)))


def _expect_fault(line: _Line) -> st.Statement:
    (code,) = line.takes("expect fault CODE | none", 1)
    found = None if code == "none" else _choice(line, FaultCode, code)
    return st.ExpectFault(line.number, line.text, code=found)


def _expect_lamp(line: _Line) -> st.Statement:
    *seats, lamp = line.takes("expect lamp 1 3 accepted", 2, 99)
    return st.ExpectLamp(line.number, line.text, seats=_seats(line, seats), lamp=_choice(line, Lamp, lamp))


def _expect_journal(line: _Line) -> st.Statement:
    kind, count = line.takes("expect journal chip_late 1", 2)
    if kind not in KINDS:
        raise line.refuse(f"{kind!r} is no kind of event or result; there are: {', '.join(sorted(KINDS))}")
    return st.ExpectJournal(line.number, line.text, kind=kind, count=_count(line, count, 10**9))


_EXPECTATIONS: dict[str, Callable[[_Line], st.Statement]] = {
    "phase": lambda line: st.ExpectPhase(
        line.number, line.text, phase=_choice(line, Phase, line.takes("expect phase open", 1)[0])
    ),
    "fault": _expect_fault,
    "lamp": _expect_lamp,
    "slots": lambda line: st.ExpectSlots(
        line.number,
        line.text,
        open=_one_of(line, line.takes("expect slots open|locked", 1)[0], "open", "locked") == "open",
    ),
    "bets": lambda line: st.ExpectBets(
        line.number, line.text, count=_count(line, line.takes("expect bets 3", 1)[0], 99)
    ),
    "pot": lambda line: st.ExpectPot(line.number, line.text, *line.takes("expect pot main 100003.50", 2)),
    "meter": lambda line: st.ExpectMeter(
        line.number, line.text, *line.takes("expect meter in_meter 30.00", 2)
    ),
    "award": lambda line: st.ExpectAward(
        line.number,
        line.text,
        seat=_count(line, line.takes("expect award 3 5000.00", 2)[0], 99),
        amount=line.words[2],
    ),
    "refused": lambda line: st.ExpectRefused(
        line.number,
        line.text,
        reason=None
        if len(line.words) == 1
        else _choice(line, ev.Refusal, line.takes("expect refused [REASON]", 0, 1)[0]),
    ),
    "screen": lambda line: st.ExpectScreen(
        line.number, line.text, wanted=line.takes('expect screen "3 APUESTAS"', 1)[0]
    ),
    "sign": lambda line: st.ExpectSign(
        line.number, line.text, wanted=line.takes('expect sign "100.003,50"', 1)[0]
    ),
    "journal": _expect_journal,
}

_STATEMENTS: dict[str, Callable[[_Line], st.Statement]] = {
    "table": lambda line: st.UseTable(line.number, line.text, name=line.takes("table simulated", 1)[0]),
    "set": _set,
    "power": _power,
    "wait": lambda line: st.Wait(line.number, line.text, ns=duration(line, line.takes("wait 250ms", 1)[0])),
    "chip": lambda line: st.Chip(line.number, line.text, seats=_seats(line, line.takes("chip 1 3 5", 1, 99))),
    "wave": _wave,
    "press": _press,
    "key": _key,
    "claim": _claim,
    "cards": _cards,
    "approve": _plain(ev.AwardsApproved, "approve"),
    "paid": lambda line: st.PayAward(
        line.number, line.text, seat=_count(line, line.takes("paid 3", 1)[0], 99)
    ),
    "reject": _reject,
    "withdraw": _of_seat(ev.AwardWithdrawn, "withdraw 3"),
    "fold": _of_seat(ev.HandFolded, "fold 3"),
    "buy": _of_seat(ev.CardBought, "buy 3"),
    "void": _void,
    "discrepancy": lambda line: _operate(
        line, ev.DiscrepancyFound(0, _count(line, line.takes("discrepancy 2", 1)[0], 99))
    ),
    "accept_discrepancy": _plain(ev.DiscrepancyAccepted, "accept_discrepancy"),
    "count_right": _plain(ev.CountConfirmed, "count_right"),
    "dispute": _of_seat(ev.DisputeRaised, "dispute 3"),
    "dealer": lambda line: _operate(line, ev.DealerChanged(0, line.takes("dealer NAME", 1)[0])),
    "late_lock": _plain(ev.LateLocked, "late_lock"),
    "open": _open,
    "close": _plain(ev.TableClosed, "close"),
    "seat": _seat,
    "clear_fault": lambda line: _operate(
        line, ev.FaultClearAsked(0, _choice(line, FaultCode, line.takes("clear_fault CODE", 1)[0]))
    ),
    "correct": _correct,
    "fail": _fail,
    "mend": _fail,
    "clock": _clock,
    "drop_edge": _drop_edge,
    "freeze": lambda line: st.Freeze(
        line.number, line.text, ns=duration(line, line.takes("freeze 3s", 1)[0])
    ),
    "expect": _expect,
}
