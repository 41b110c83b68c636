"""The statements of a drill that only Punto y Banca knows: what its dealer enters."""

from collections.abc import Callable

from controller.core import events as ev
from controller.core.punto.score import PuntoResult
from controller.drill import statements as st
from controller.drill.line import Line, choice, count, operate, plain, seat_number

RANKS = {
    "A": 1,
    **{str(rank): rank for rank in range(2, 11)},
    "V": 11,
    "D": 12,
    "R": 13,
}
"""As the text names them: as, 2 to 10, valet, dama, rey (seed 001 num. 1)."""


def _result(line: Line) -> st.Statement:
    result, *amount = line.takes("result punto|banca|encart [AMOUNT]", 1, 2)
    event = ev.ResultEntered(0, choice(line, PuntoResult, result))
    return _with_amount(line, event, "amount", amount[0]) if amount else operate(line, event)


def _hands(line: Line) -> st.Statement:
    words = line.takes("hands [dealer] 4 9 2 - 7 R", 3, 14)
    by_dealer = words[0] == "dealer"
    cards = words[1:] if by_dealer else words
    if cards.count("-") != 1:
        raise line.refuse("write the punto's cards, a dash, the bank's cards: hands 4 9 2 - 7 R")
    dash = cards.index("-")
    punto = tuple(_rank(line, word) for word in cards[:dash])
    banca = tuple(_rank(line, word) for word in cards[dash + 1 :])
    return operate(line, ev.HandsShown(0, punto, banca, by_dealer))


def _rank(line: Line, word: str) -> int:
    if word not in RANKS:
        raise line.refuse(f"{word!r} is no card; there are: {', '.join(RANKS)}")
    return RANKS[word]


def _bank(line: Line) -> st.Statement:
    seat, amount, *free = line.takes("bank 3 200.00 [free]", 2, 3)
    if free not in ([], ["free"]):
        raise line.refuse("after the amount only: free")
    return _with_amount(line, ev.BankTaken(0, seat_number(line, seat), 0, bool(free)), "stake", amount)


def _leave(line: Line) -> st.Statement:
    seat, side, amount = line.takes("leave 7 banca 100.00", 3)
    event = ev.BetNotWithdrawn(0, seat_number(line, seat), choice(line, PuntoResult, side), 0)
    return _with_amount(line, event, "amount", amount)


def _take_back(line: Line) -> st.Statement:
    seat, side = line.takes("take_back 7 banca", 2)
    return operate(line, ev.BetTakenBack(0, seat_number(line, seat), choice(line, PuntoResult, side)))


def _with_amount(line: Line, event: ev.AnyEvent, field: str, amount: str) -> st.Statement:
    return st.OperateAmount(line.number, line.text, event=event, field=field, amount=amount)


STATEMENTS: dict[str, Callable[[Line], st.Statement]] = {
    "result": _result,
    "hands": _hands,
    "seated": lambda line: operate(line, ev.PlayersSeated(0, count(line, line.takes("seated 5", 1)[0], 99))),
    "shoe": lambda line: operate(line, ev.ShoeMade(0, count(line, line.takes("shoe 7", 1)[0], 999))),
    "red_card": plain(ev.RedCardShown, "red_card"),
    "burn": plain(ev.CardBurned, "burn"),
    "cards_left": lambda line: operate(
        line, ev.CardsCounted(0, count(line, line.takes("cards_left 40", 1)[0], 999))
    ),
    "doubt": plain(ev.DealDoubted, "doubt"),
    "bank": _bank,
    "raise": lambda line: _with_amount(line, ev.BankRaised(0, 0), "by", line.takes("raise 50.00", 1)[0]),
    "take_out": lambda line: _with_amount(
        line, ev.BankWithdrawn(0, 0), "amount", line.takes("take_out 200.00", 1)[0]
    ),
    "suite": plain(ev.BankPassed, "suite"),
    "give_up": plain(ev.BankGivenUp, "give_up"),
    "leave": _leave,
    "take_back": _take_back,
}
