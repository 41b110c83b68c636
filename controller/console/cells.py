"""What a stored table means to a page: a pure function of game and state, as frozen structs for JSON."""

import msgspec

from controller.config import Settings
from controller.core.money import Currency
from controller.core.state import Closure, Phase, Seat, Table, Wager
from controller.core.table import bets
from controller.pages import sign
from controller.texts import Text
from controller.words import Words
from controller.words.amounts import FORMS, format_amount


class SeatCell(msgspec.Struct, frozen=True):
    """A seat as the last record has it."""

    wager: Wager
    closed: Closure
    give_back: int
    look: bool


class FaultCell(msgspec.Struct, frozen=True):
    """A fault that stands; `seat` 0: the table's."""

    code: str
    severity: str
    seat: int


class TableCell(msgspec.Struct, frozen=True):
    """The round and its seats."""

    phase: Phase
    round: int
    bets: int
    seats: tuple[SeatCell, ...]
    faults: tuple[FaultCell, ...]


class MoneyForm(msgspec.Struct, frozen=True):
    """How a country writes money: its sign, thousands separator, decimal sign and number of decimals."""

    sign: str
    thousands: str
    point: str
    decimals: int


class Winner(msgspec.Struct, frozen=True):
    """An award of this round, as players read it."""

    number: int
    seat: int
    amount: str


class JackpotCell(msgspec.Struct, frozen=True):
    """What the television shows. `amount`: minor units of the pot, None where it may promise none, `text` instead."""

    amount: int | None
    text: str
    form: MoneyForm
    winners: tuple[Winner, ...]


def table_cell(table: Table) -> TableCell:
    """The round and its seats."""
    return TableCell(
        phase=table.phase,
        round=table.round,
        bets=bets(table),
        seats=tuple(_seat(seat) for seat in table.seats),
        faults=tuple(
            FaultCell(code=fault.code, severity=fault.severity, seat=fault.seat) for fault in table.faults
        ),
    )


def jackpot_cell(settings: Settings, words: Words, table: Table) -> JackpotCell:
    """What the television shows: the pot and who has won, or why there is nothing to win."""
    line = sign(settings.game, table)
    promised = line.text is Text.AMOUNT
    if line.text is Text.WINNERS:
        then = line.values["then"]
        promised = getattr(then, "text", None) is Text.POT_NOW
    return JackpotCell(
        amount=table.pot.levels[0].shown if promised else None,
        text="" if promised else words.say(line),
        form=money_form(settings.locale, settings.game.currency),
        winners=tuple(
            Winner(
                number=award.number,
                seat=award.seat,
                amount=format_amount(award.amount, settings.locale, settings.game.currency),
            )
            for award in table.awards
        ),
    )


def money_form(locale: str, currency: Currency) -> MoneyForm:
    """How a country writes money. Raises `KeyError` for a pair the configuration refuses."""
    form = FORMS[locale, currency]
    return MoneyForm(sign=form.sign, thousands=form.thousands, point=form.point, decimals=currency.decimals)


def _seat(seat: Seat) -> SeatCell:
    return SeatCell(wager=seat.wager, closed=seat.closed, give_back=seat.give_back, look=seat.look)
