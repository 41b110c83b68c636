"""Reads a drill: one statement a line, `#` comments. Every refusal names the line and what is allowed."""

import shlex
from collections.abc import Callable, Iterator, Sequence

from controller.core import events as ev
from controller.core.cards import CardError
from controller.core.cards import parse as card
from controller.core.events import Button, Key, Reason
from controller.core.faults import FaultCode
from controller.core.game import Hand
from controller.core.state import Phase
from controller.drill import statements as st
from controller.drill.copies import STATEMENTS as COPIES
from controller.drill.copies import expect_stranded
from controller.drill.line import (
    DrillError,
    Line,
    choice,
    count,
    duration,
    one_of,
    operate,
    plain,
    seat_number,
)
from controller.drill.mishaps import STATEMENTS as MISHAPS
from controller.drill.people import STATEMENTS as PEOPLE
from controller.drill.punto import STATEMENTS as PUNTO_STATEMENTS
from controller.drill.shared import STATEMENTS as SHARED
from controller.menu import Verb
from controller.outputs import Lamp

__all__ = ["DrillError", "parse"]

PRESS_NS = 120_000_000
REPEAT_MAX = 1_000_000
PAD_KEYS = (*"0123456789", "ENTER", "CLEAR", *(verb.upper() for verb in Verb))
KINDS = frozenset(ev.snake(kind.__name__) for base in (ev.Event, ev.Result) for kind in base.__subclasses__())


def parse(text: str) -> tuple[st.Statement, ...]:
    """All statements of a script. Raises `DrillError`."""
    lines = iter(list(_lines(text)))
    return tuple(_block(lines, opened=None))


def _lines(text: str) -> Iterator[Line]:
    for number, raw in enumerate(text.splitlines(), start=1):
        try:
            words = tuple(shlex.split(raw, comments=True))
        except ValueError as error:
            raise DrillError(f"line {number}: {raw.strip()}\n  a quotation mark is not closed") from error
        if words:
            yield Line(number, raw.strip(), words)


def _block(lines: Iterator[Line], opened: Line | None) -> Iterator[st.Statement]:
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
                times = count(line, line.takes("repeat 200 … end", 1)[0], REPEAT_MAX)
                yield st.Repeat(line.number, line.text, body=tuple(_block(lines, line)), times=times)
            case word if word in _STATEMENTS:
                yield _STATEMENTS[word](line)
            case word:
                known = sorted({*_STATEMENTS, "together", "repeat", "end"})
                raise line.refuse(f"{word!r} is no statement; there are: {', '.join(known)}")
    if opened is not None:
        raise opened.refuse("its `end` is missing")


def _refuse_timeless(line: Line, body: Sequence[st.Statement]) -> None:
    """Only what happens at moments can be laid over each other."""
    for statement in body:
        if isinstance(statement, st.Expect | st.UseTable | st.SetValue):
            raise Line(statement.line, statement.text, ()).refuse(
                f"it has no place in the `together` of line {line.number}: write it before that or after its `end`"
            )
        if isinstance(statement, st.Repeat):
            _refuse_timeless(line, statement.body)


def _seats(line: Line, words: Sequence[str]) -> tuple[int, ...]:
    return tuple(seat_number(line, word) for word in words)


def _set(line: Line) -> st.Statement:
    key, *rest = line.takes("set wager.amount 10.00", 2, 99)
    return st.SetValue(line.number, line.text, key=key, value=" ".join(rest))


def _power(line: Line) -> st.Statement:
    words = line.takes("power on | on closed | off | cut | back | kill", 1, 2)
    return st.Power(line.number, line.text, kind=choice(line, st.PowerKind, " ".join(words)))


def _audit(line: Line) -> st.Statement:
    line.takes("audit", 0)
    return st.Audit(line.number, line.text)


def _medium(line: Line) -> st.Statement:
    kind, seed = line.takes("medium lossy 7", 2)
    one_of(line, kind, "lossy")
    return st.UseMedium(line.number, line.text, seed=count(line, seed, REPEAT_MAX))


def _wave(line: Line) -> st.Statement:
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


def _press(line: Line) -> st.Statement:
    button, *held = line.takes("press coin_in [120ms]", 1, 2)
    ns = duration(line, held[0]) if held else PRESS_NS
    return st.Press(line.number, line.text, button=choice(line, Button, button), ns=ns)


def _key(line: Line) -> st.Statement:
    key, way = line.takes("key supervisor on|off", 2)
    on = one_of(line, way, "on", "off") == "on"
    return st.TurnKey(line.number, line.text, key=choice(line, Key, key), on=on)


def _pad(line: Line) -> st.Statement:
    keys = line.takes("pad 3 ENTER", 1, 99)
    for key in keys:
        one_of(line, key, *PAD_KEYS)
    return st.Pad(line.number, line.text, keys=keys)


def _fail(line: Line) -> st.Statement:
    (part,) = line.takes("fail sign", 1)
    broken = line.words[0] == "fail"
    return st.Fail(line.number, line.text, part=choice(line, st.Part, part), broken=broken)


def _clock(line: Line) -> st.Statement:
    (word,) = line.takes("clock +1d", 1)
    if word[0] not in "+-":
        raise line.refuse(f"{word!r} needs its sign: +1d or -13d")
    ns = duration(line, word[1:])
    return st.StepClock(line.number, line.text, ns=ns if word[0] == "+" else -ns)


def _drop_edge(line: Line) -> st.Statement:
    name, way = line.takes("drop_edge seat_6 rise", 2)
    active = one_of(line, way, "fall", "rise") == "fall"
    return st.DropEdge(line.number, line.text, name=name, active=active)


def _claim(line: Line) -> st.Statement:
    seat, hand = line.takes("claim 3 flush", 2)
    return operate(line, ev.AwardClaimed(0, seat_number(line, seat), choice(line, Hand, hand)))


def _cards(line: Line) -> st.Statement:
    seat, *words = line.takes("cards 3 As Ks Qs Js Ts", 1, 99)
    try:
        cards = tuple(card(word) for word in words)
    except CardError as error:
        raise line.refuse(str(error)) from error
    return operate(line, ev.CardsShown(0, seat_number(line, seat), cards))


def _reject(line: Line) -> st.Statement:
    seat, *reason = line.takes("reject 3 REASON", 2, 99)
    return operate(line, ev.AwardRejected(0, seat_number(line, seat), " ".join(reason)))


def _void(line: Line) -> st.Statement:
    what, reason = line.takes("void 3 REASON | void round REASON", 2)
    code = choice(line, Reason, reason)
    if what == "round":
        return operate(line, ev.RoundVoided(0, code))
    return operate(line, ev.SeatVoided(0, seat_number(line, what), code))


def _seat(line: Line) -> st.Statement:
    seat, way = line.takes("seat 3 open|closed", 2)
    number = seat_number(line, seat)
    opened = one_of(line, way, "open", "closed") == "open"
    return operate(line, ev.SeatOpened(0, number) if opened else ev.SeatClosed(0, number))


def _open(line: Line) -> st.Statement:
    words = line.takes("open | open dead 3 5", 0, 99)
    if words:
        one_of(line, words[0], "dead")
    dead = _seats(line, words[1:])
    return operate(line, ev.LampTestStarted(0), ev.TableOpened(0, dead))


def _correct(line: Line) -> st.Statement:
    level, amount, *reason = line.takes("correct main 100000.00 REASON", 3, 99)
    return st.Correct(line.number, line.text, level=level, amount=amount, reason=" ".join(reason))


def _of_seat(make: Callable[[int, int], ev.AnyEvent], usage: str) -> Callable[[Line], st.Statement]:
    def read(line: Line) -> st.Statement:
        return operate(line, make(0, seat_number(line, line.takes(usage, 1)[0])))

    return read


def _expect(line: Line) -> st.Statement:
    what, *words = line.takes("expect phase open, expect pot main 100.00 …", 1, 99)
    if what not in _EXPECTATIONS:
        raise line.refuse(f"{what!r} cannot be expected; these can: {', '.join(sorted(_EXPECTATIONS))}")
    return _EXPECTATIONS[what](Line(line.number, line.text, (what, *words)))


def _expect_fault(line: Line) -> st.Statement:
    (code,) = line.takes("expect fault CODE | none", 1)
    found = None if code == "none" else choice(line, FaultCode, code)
    return st.ExpectFault(line.number, line.text, code=found)


def _expect_lamp(line: Line) -> st.Statement:
    *seats, lamp = line.takes("expect lamp 1 3 accepted", 2, 99)
    return st.ExpectLamp(line.number, line.text, seats=_seats(line, seats), lamp=choice(line, Lamp, lamp))


def _expect_journal(line: Line) -> st.Statement:
    kind, times = line.takes("expect journal chip_late 1", 2)
    if kind not in KINDS:
        raise line.refuse(f"{kind!r} is no kind of event or result; there are: {', '.join(sorted(KINDS))}")
    return st.ExpectJournal(line.number, line.text, kind=kind, count=count(line, times, 10**9))


_EXPECTATIONS: dict[str, Callable[[Line], st.Statement]] = {
    "phase": lambda line: st.ExpectPhase(
        line.number, line.text, phase=choice(line, Phase, line.takes("expect phase open", 1)[0])
    ),
    "fault": _expect_fault,
    "lamp": _expect_lamp,
    "slots": lambda line: st.ExpectSlots(
        line.number,
        line.text,
        open=one_of(line, line.takes("expect slots open|locked", 1)[0], "open", "locked") == "open",
    ),
    "bets": lambda line: st.ExpectBets(
        line.number, line.text, count=count(line, line.takes("expect bets 3", 1)[0], 99)
    ),
    "pot": lambda line: st.ExpectPot(line.number, line.text, *line.takes("expect pot main 100003.50", 2)),
    "meter": lambda line: st.ExpectMeter(
        line.number, line.text, *line.takes("expect meter in_meter 30.00", 2)
    ),
    "award": lambda line: st.ExpectAward(
        line.number,
        line.text,
        seat=count(line, line.takes("expect award 3 5000.00", 2)[0], 99),
        amount=line.words[2],
    ),
    "refused": lambda line: st.ExpectRefused(
        line.number,
        line.text,
        reason=None
        if len(line.words) == 1
        else choice(line, ev.Refusal, line.takes("expect refused [REASON]", 0, 1)[0]),
    ),
    "screen": lambda line: st.ExpectScreen(
        line.number, line.text, wanted=line.takes('expect screen "3 APUESTAS"', 1)[0]
    ),
    "sign": lambda line: st.ExpectSign(
        line.number, line.text, wanted=line.takes('expect sign "100.003,50"', 1)[0]
    ),
    "journal": _expect_journal,
    "stranded": expect_stranded,
}

_STATEMENTS: dict[str, Callable[[Line], st.Statement]] = {
    "table": lambda line: st.UseTable(line.number, line.text, name=line.takes("table simulated", 1)[0]),
    "set": _set,
    "power": _power,
    "wait": lambda line: st.Wait(line.number, line.text, ns=duration(line, line.takes("wait 250ms", 1)[0])),
    "chip": lambda line: st.Chip(line.number, line.text, seats=_seats(line, line.takes("chip 1 3 5", 1, 99))),
    "wave": _wave,
    "press": _press,
    "key": _key,
    "pad": _pad,
    "claim": _claim,
    "cards": _cards,
    "approve": plain(ev.AwardsApproved, "approve"),
    "paid": lambda line: st.PayAward(
        line.number, line.text, seat=count(line, line.takes("paid 3", 1)[0], 99)
    ),
    "reject": _reject,
    "withdraw": _of_seat(ev.AwardWithdrawn, "withdraw 3"),
    "fold": _of_seat(ev.HandFolded, "fold 3"),
    "buy": _of_seat(ev.CardBought, "buy 3"),
    "void": _void,
    "discrepancy": lambda line: operate(
        line, ev.DiscrepancyFound(0, count(line, line.takes("discrepancy 2", 1)[0], 99))
    ),
    "accept_discrepancy": plain(ev.DiscrepancyAccepted, "accept_discrepancy"),
    "bank_not_opened": plain(ev.BankNotOpened, "bank_not_opened"),
    "count_right": plain(ev.CountConfirmed, "count_right"),
    "dispute": _of_seat(ev.DisputeRaised, "dispute 3"),
    "dealer": lambda line: operate(line, ev.DealerChanged(0, line.takes("dealer NAME", 1)[0])),
    "late_lock": plain(ev.LateLocked, "late_lock"),
    "open": _open,
    "close": plain(ev.TableClosed, "close"),
    "seat": _seat,
    "clear_fault": lambda line: operate(
        line, ev.FaultClearAsked(0, choice(line, FaultCode, line.takes("clear_fault CODE", 1)[0]))
    ),
    "correct": _correct,
    "ask_update": plain(ev.UpdateAsked, "ask_update"),
    "ask_backup": plain(ev.BackupAsked, "ask_backup"),
    "fail": _fail,
    "mend": _fail,
    "clock": _clock,
    "drop_edge": _drop_edge,
    "freeze": lambda line: st.Freeze(
        line.number, line.text, ns=duration(line, line.takes("freeze 3s", 1)[0])
    ),
    "expect": _expect,
    "audit": _audit,
    "medium": _medium,
    **PUNTO_STATEMENTS,
    **COPIES,
    **MISHAPS,
    **PEOPLE,
    **SHARED,
}
