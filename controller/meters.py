"""The meters of a table, by the regulators' names (rules, section 1).

Pure: it reads a state and adds up. A level's meter is `LEVEL.meter`, the sum over all levels is the name alone (with
the prizes that belong to no level), a seat's count is `seat_N.count`.
"""

from typing import Final

from controller.core.money import PPM
from controller.core.punto.state import Punto
from controller.core.state import Award, Level, Seat, Table

MONEY: Final = frozenset(
    {
        "current",
        "in_meter",
        "wins_meter",
        "overflow_meter",
        "reserve_pool",
        "refund_meter",
        "house_funding",
        "unpaid",
        "link_confirmed",
        "link_out",
        "link_in",
        "bank",
        "commission_meter",
        "discount_meter",
        "left_bets",
        "frozen_waiting",
        "frozen_meter",
    }
)
"""Meters in minor units of the currency; all others are counts."""


def meters(table: Table) -> dict[str, int]:
    """Every meter of the table in the order in which people read them."""
    pot = table.pot
    by_level = {level.name: _level(level, table.awards) for level in pot.levels}
    found = {
        "current": _sum(by_level, "current"),
        "in_meter": pot.in_meter,
        "in_count": pot.in_count,
        "hits_meter": _sum(by_level, "hits_meter") + pot.bonus_hits,
        "wins_meter": _sum(by_level, "wins_meter") + pot.bonus_wins,
        "overflow_meter": _sum(by_level, "overflow_meter"),
        "reserve_pool": _sum(by_level, "reserve_pool"),
        "refund_meter": pot.refund_meter,
        "house_funding": _sum(by_level, "house_funding"),
        "unpaid": _unpaid(table.awards),
    }
    for name, level in by_level.items():
        found |= {f"{name}.{meter}": value for meter, value in level.items()}
    for each in pot.levels:
        if each.told is not None or each.link_out:
            found |= _linked(each)
    if table.punto is not None:
        found |= _punto(table.punto)
    for number, seat in enumerate(table.seats, start=1):
        found |= _seat(number, seat)
    return found


def is_money(meter: str) -> bool:
    """Whether a meter counts minor units of the currency."""
    return meter.rpartition(".")[2] in MONEY


def _level(level: Level, awards: tuple[Award, ...]) -> dict[str, int]:
    return {
        "current": level.current,
        "hits_meter": level.hits_meter,
        "wins_meter": level.wins_meter,
        "overflow_meter": level.overflow_meter,
        "reserve_pool": level.reserve_pool,
        "house_funding": level.house_funding,
        "unpaid": _unpaid(tuple(award for award in awards if award.level == level.name)),
    }


def _linked(level: Level) -> dict[str, int]:
    """Of a shared pot: what the floor confirmed last, and what this table gave to it and had from it.

    Given are whole minor units; the journal has it to the millionth.
    """
    return {
        f"{level.name}.link_confirmed": level.shown,
        f"{level.name}.link_out": level.link_out // PPM,
        f"{level.name}.link_in": level.link_in,
    }


def _punto(state: Punto) -> dict[str, int]:
    """Of a table of Punto y Banca: the bank held, commissions, bets left or frozen, whose turn, the shoe's bounds."""
    return {
        "bank": 0 if state.bank is None else state.bank.stake,
        "commission_meter": state.commission_meter,
        "discount_meter": state.discount_meter,
        "left_bets": sum(bet.amount + bet.waiting for bet in state.left),
        "frozen_waiting": state.frozen_waiting,
        "frozen_meter": state.frozen_meter,
        "turn": state.turn,
        "cards_least": 0 if state.shoe is None else state.shoe.least,
        "cards_most": 0 if state.shoe is None else state.shoe.most,
    }


def _sum(by_level: dict[str, dict[str, int]], meter: str) -> int:
    return sum(level[meter] for level in by_level.values())


def _unpaid(awards: tuple[Award, ...]) -> int:
    return sum(award.amount for award in awards if not award.paid)


def _seat(number: int, seat: Seat) -> dict[str, int]:
    return {
        f"seat_{number}.dropped": seat.dropped,
        f"seat_{number}.accepted": seat.accepted,
        f"seat_{number}.excess": seat.excess,
        f"seat_{number}.late": seat.late,
        f"seat_{number}.voided": seat.voided,
        f"seat_{number}.noise": seat.noise,
        f"seat_{number}.tested": seat.tested,
    }
