"""The statements of a drill that play Punto y Banca: what they become, and what is said when they are wrong."""

import pytest

from controller.core import events as ev
from controller.core.punto.score import PuntoResult
from controller.drill import statements as st
from controller.drill.parse import DrillError, parse


@pytest.mark.parametrize(
    ("text", "event"),
    [
        ("result encart", ev.ResultEntered(0, PuntoResult.ENCART)),
        ("hands 4 9 A - 7 R", ev.HandsShown(0, (4, 9, 1), (7, 13))),
        ("hands dealer V D - 10 2", ev.HandsShown(0, (11, 12), (10, 2), by_dealer=True)),
        ("seated 5", ev.PlayersSeated(0, 5)),
        ("shoe 7", ev.ShoeMade(0, 7)),
        ("cards_left 40", ev.CardsCounted(0, 40)),
        ("take_back 7 punto", ev.BetTakenBack(0, 7, PuntoResult.PUNTO)),
    ],
)
def test_a_statement_becomes_the_dealers_act(text: str, event: ev.AnyEvent) -> None:
    assert parse(text) == (st.Operate(1, text, events=(event,)),)


@pytest.mark.parametrize(
    ("text", "event", "field", "amount"),
    [
        ("result banca 5.00", ev.ResultEntered(0, PuntoResult.BANCA), "amount", "5.00"),
        ("bank 3 200.00", ev.BankTaken(0, 3, 0), "stake", "200.00"),
        ("bank 3 200.00 free", ev.BankTaken(0, 3, 0, free=True), "stake", "200.00"),
        ("raise 50.00", ev.BankRaised(0, 0), "by", "50.00"),
        ("take_out 50.00", ev.BankWithdrawn(0, 0), "amount", "50.00"),
        ("leave 7 banca 1.00", ev.BetNotWithdrawn(0, 7, PuntoResult.BANCA, 0), "amount", "1.00"),
    ],
)
def test_an_amount_waits_for_the_tables_currency(
    text: str, event: ev.AnyEvent, field: str, amount: str
) -> None:
    assert parse(text) == (st.OperateAmount(1, text, event=event, field=field, amount=amount),)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("result tie", "none of: punto, banca, encart"),
        ("hands 4 9 7 R", "a dash"),
        ("hands 4 J - 7 R", "'J' is no card; there are: A, 2"),
        ("shoe many", "is not a whole number"),
        ("bank 3", "write it like: bank 3 200.00"),
        ("bank 3 200.00 fre", "after the amount only: free"),
    ],
)
def test_a_wrong_statement_says_what_is_allowed(text: str, said: str) -> None:
    with pytest.raises(DrillError, match=said):
        parse(text)
