"""What claims win, worked out from the rules in the journal: who is served when, what each gets, what is left.

Written from section 5 of the rules; it shares no line with the program.
"""

from typing import NamedTuple

from controller.soak.checks.money import PPM, Money
from controller.soak.checks.words import Json

RANKS = (
    "royal_flush",
    "straight_flush",
    "four_of_a_kind",
    "full_house",
    "flush",
    "straight",
    "three_of_a_kind",
    "two_pair",
    "pair",
    "high_card",
)

NO_PRIZE: Json = {"pays": {"kind": "none"}}


class Won(NamedTuple):
    """An award that is due."""

    seat: int
    hand: str
    amount: int


def prize_of(rules: Json, hand: str) -> Json | None:
    """The prize of a hand, if it has one."""
    found: Json | None = next((prize for prize in rules["prizes"] if prize["hand"] == hand), None)
    return found


def is_whole(prize: Json) -> bool:
    """Whether this prize is the whole pot."""
    pays = prize["pays"]
    return pays["kind"] == "share" and bool(pays["share_ppm"] == PPM)


def shut_out(rules: Json, claims: dict[int, str], royal_before: bool) -> set[int]:
    """Seats whose claim a royal of the round excludes."""
    royal = {
        seat for seat, hand in claims.items() if is_whole(prize_of(rules, hand) or {"pays": {"kind": ""}})
    }
    if rules["policies"]["royal_excludes"] == "hand" or not (royal or royal_before):
        return set()
    return set(claims) - royal


def serve(money: Money, claims: dict[int, str]) -> list[Won]:
    """Pay these claims out of `money` and tell what each won, in the order in which they are served."""
    rules = money.rules
    waiting = sorted(claims)
    if rules["policies"]["order"] == "rank":
        waiting.sort(key=lambda seat: (RANKS.index(claims[seat]), seat))
    won: list[Won] = []
    while waiting:
        first = waiting[0]
        prize = prize_of(rules, claims[first]) or {}
        group = [first]
        if is_whole(prize) and rules["policies"]["royal_split"] == "equal":
            group = [seat for seat in waiting if claims[seat] == claims[first]]
        waiting = [seat for seat in waiting if seat not in group]
        won += _paid(money, prize, group, claims[first])
    return won


def _paid(money: Money, prize: Json, group: list[int], hand: str) -> list[Won]:
    pays, name = prize["pays"], prize["level"]
    if name is None:
        money.bonus_hits += 1
        money.bonus_wins += pays["amount"]
        return [Won(group[0], hand, pays["amount"])]
    pot = money.pots[name]
    amount = pays.get("amount", 0)
    if pays["kind"] == "share":
        unit = money.rules["payable_unit"]
        amount = pot.current * pays["share_ppm"] // (PPM * len(group) * unit) * unit
        cap = pays.get("cap")
        amount = amount if cap is None else min(amount, cap)
    for _ in group:
        pot.pay(amount, prize["fund"])
    if is_whole(prize) and prize["fund"] == "pot":
        pot.restart()
    return [Won(seat, hand, amount) for seat in group]
