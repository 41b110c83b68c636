"""The account of linked pots: what left the table, which claims wait at the floor, and what an answer may say.

Written from the rules' text; amounts come from what an answer says the pot was, and nothing else of it is believed. It
reads plain JSON and shares no line with the program.
"""

from collections.abc import Callable

from controller.soak.checks.money import PPM, Money
from controller.soak.checks.prizes import RANKS, is_whole, prize_of
from controller.soak.checks.words import Json

Say = Callable[[object, str], None]


class SharedAccount:
    """Claims at the floor, by their number: the seats with their hands, and their round."""

    def __init__(self, say: Say) -> None:
        self._say = say
        self.waiting: dict[int, Json] = {}

    def claim(self, money: Money, claims: dict[int, str], round_: int, made: int, told: list[Json]) -> int:
        """Claims of one approval that linked pots serve: what must be told; how many award numbers are kept."""
        kept = made
        wanted: list[tuple[int, str, list[int]]] = []
        for name, pot in money.pots.items():
            seats = [
                seat for seat, hand in claims.items() if (prize_of(money.rules, hand) or {})["level"] == name
            ]
            if not seats or "link" not in pot.rules:
                continue
            wanted.append((kept + 1, name, seats))
            hands = {seat: claims[seat] for seat in seats}
            self.waiting[kept + 1] = {"level": name, "round": round_, "hands": hands}
            kept += len(seats)
        found = [(each["claim"], each["level"], each["seats"]) for each in told]
        self._say(found == wanted, f"claimed at the floor are {found}, must be {wanted}")
        return kept - made

    def serve(self, money: Money, answer: Json, awards: list[Json]) -> Json | None:
        """An answer: the awards must be what the rules make of the pot it names. The claim that is settled."""
        claim = self.waiting.pop(answer["claim"], None)
        self._say(claim, f"claim {answer['claim']} is answered, and none waits")
        if claim is None:
            return None
        hands: dict[int, str] = claim["hands"]
        numbers = [each["number"] for each in awards]
        first = answer["claim"]
        self._say(numbers == list(range(first, first + len(hands))), f"its awards are numbered {numbers}")
        self._say({each["seat"]: each["hand"] for each in awards} == hands, "it serves other seats or hands")
        order = [(RANKS.index(each["hand"]), each["seat"]) for each in awards]
        by_rank = money.rules["policies"]["order"] == "rank"
        together = money.rules["policies"]["royal_split"] == "equal"
        if by_rank or not together:
            self._say(order == sorted(order, key=lambda each: each if by_rank else each[1:]), "out of order")
        for each in awards:
            self._say(each["amount"] == _due(money, each), f"seat {each['seat']} is given {each['amount']}")
            money.pots[claim["level"]].pay_by_link(each["amount"])
        return claim

    def void(self, result: Json) -> None:
        """A claim given up; its numbers stay used."""
        claim = self.waiting.pop(result["claim"], None)
        last = result["claim"] + len(claim["hands"]) - 1 if claim else 0
        self._say(claim and result["last"] == last, f"claim {result['claim']} to {result['last']} is void")

    def compare(self, stored: list[Json]) -> None:
        """The claims that a record says wait."""
        found = {each["number"]: {one["seat"]: one["hand"] for one in each["claims"]} for each in stored}
        mine = {number: each["hands"] for number, each in self.waiting.items()}
        self._say(found == mine, f"at the floor wait {found}, must be {mine}")


def of_links(money: Money, claims: dict[int, str]) -> set[int]:
    """The seats whose prize a linked pot or its reserve pays."""
    found = set()
    for seat, hand in claims.items():
        prize = prize_of(money.rules, hand) or {}
        name = prize.get("level")
        if name is not None and prize["fund"] != "house" and "link" in money.pots[name].rules:
            found.add(seat)
    return found


def _due(money: Money, award: Json) -> int:
    prize = prize_of(money.rules, award["hand"]) or {}
    pays, unit = prize["pays"], money.rules["payable_unit"]
    if pays["kind"] == "fixed":
        return int(pays["amount"])
    parts = award["parts"] if is_whole(prize) else 1
    amount = award["pot_before"] * pays["share_ppm"] // (PPM * parts * unit) * unit
    cap = pays.get("cap")
    return int(amount if cap is None else min(amount, cap))
