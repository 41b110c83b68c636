"""An independent account of the storm, from the journals' plain JSON: no line of the program's arithmetic.

A pot is what it began with, and the whole share of all stakes, and what resets put in, less what was won. By the rules:
seat by seat, all royals together at the first royal's turn, in equal parts; what a split leaves over stays in the pot.
"""

from pathlib import Path
from typing import NamedTuple

from tests.helpers_ledger import Json, Row, rows
from tests.storm.files import FIXED, MESA, WAGER, Rates

ROYAL, STRAIGHT, FULL = "royal_flush", "straight_flush", "full_house"
NEVER = {
    "link_disagreed",
    "floor_disagreed",
    "claim_refused",
    "claim_given_up",
    "host_garbled",
    "storage_failed",
}


class Won(NamedTuple):
    """A part of a prize."""

    seat: int
    hand: str
    amount: int
    before: int


class Account:
    """A progressive amount, in minor units."""

    def __init__(self, rates: Rates) -> None:
        self.rates = rates
        self.staked = self.prizes = self.resets = self.house = self.wins = 0

    @property
    def current(self) -> int:
        share = self.staked * self.rates.increment_ppm // 10**6
        return self.rates.base + share + self.resets - self.prizes

    @property
    def reserve(self) -> int:
        return self.staked * self.rates.reserve_ppm // 10**6 - (self.resets - self.house)

    def serve(self, hands: dict[int, str]) -> list[Won]:
        """What these seats win of it, in the order of serving."""
        waiting, found = dict(sorted(hands.items())), list[Won]()
        while waiting:
            seat, hand = next(iter(waiting.items()))
            seats = [each for each, shown in waiting.items() if shown == ROYAL] if hand == ROYAL else [seat]
            before = self.current
            amount = before // len(seats) if hand == ROYAL else before // 10
            for each in seats:
                del waiting[each]
                found.append(Won(each, hand, amount, before))
                self.prizes += amount
                self.wins += 1
            if hand == ROYAL:
                self.house += max(self.rates.reset - self.reserve, 0)
                self.resets += self.rates.reset
        return found


class Stake(NamedTuple):
    """A COIN IN: its record, its round, and what was taken."""

    seq: int
    round: int
    amount: int


class Asked(NamedTuple):
    """A claim on the linked pot: its record, its round, and what each seat showed."""

    seq: int
    round: int
    hands: dict[int, str]


class Answered(NamedTuple):
    """What the table took for an answer: place among all wins, and the award and reset results."""

    order: int
    told: list[Json]


class Book:
    """What one table's journal says. Fails with the first record that cannot be true."""

    def __init__(self, name: str, journal: Path) -> None:
        self.name = name
        self.stakes: list[Stake] = []
        self.asked: dict[int, Asked] = {}
        self.answered: dict[int, Answered] = {}
        self.awards: dict[int, Json] = {}
        self.paid: dict[int, int] = {}
        self.own = Account(MESA)
        self.starts = self.hosts_lost = self.empty = 0
        self.counted = {"chip_late": 0, "chip_excess": 0}
        self.faults: list[int] = []
        """The records that raised one."""
        self._claims: dict[int, str] = {}
        for row in rows(journal):
            self._take(row)
        self.last = row.seq
        assert self.asked.keys() == self.answered.keys(), "each claim is answered, once"
        assert sorted(self.awards) == list(range(1, len(self.awards) + 1)), "no award number is missing"
        assert {number: award["amount"] for number, award in self.awards.items()} == self.paid

    @property
    def staked(self) -> int:
        return sum(stake.amount for stake in self.stakes)

    def staked_upto(self, seq: int) -> int:
        """What was staked by records up to `seq`."""
        return sum(stake.amount for stake in self.stakes if stake.seq <= seq)

    def _take(self, row: Row) -> None:
        kind = row.event["kind"]
        assert kind not in NEVER, row
        self.starts += kind == "started"
        self.hosts_lost += kind == "device_lost" and row.event["code"] == "host_lost"
        approved = [result for result in row.results if result["kind"] == "award_approved"]
        for result in row.results:
            self._result(row, result)
        if kind == "awards_approved" and row.results[0]["kind"] != "refused":
            self._own_awards(approved)
        elif kind == "claim_answered" and approved:
            self._answer(row)
        else:
            assert not approved, row
        self.awards |= {award["number"]: award for award in approved}
        self._compare(row)

    def _result(self, row: Row, result: Json) -> None:
        match result["kind"]:
            case "round_locked":
                assert result["amount"] == WAGER * len(result["seats"])
                if result["amount"]:
                    self.stakes.append(Stake(row.seq, result["round"], result["amount"]))
                self.empty += result["amount"] == 0
                self.own.staked += result["amount"]
            case "award_requested":
                self._claims[result["seat"]] = result["hand"]
            case "link_claimed":
                assert result["claim"] not in self.asked
                hands = dict(zip(result["seats"], result["hands"], strict=True))
                self.asked[result["claim"]] = Asked(row.seq, result["round"], hands)
            case "award_settled":
                assert result["number"] not in self.paid
                self.paid[result["number"]] = result["amount"]
            case ("chip_late" | "chip_excess") as counted:
                self.counted[counted] += 1
            case "fault_raised":
                self.faults.append(row.seq)
            case _:
                pass  # it moves nothing that this account keeps

    def _own_awards(self, approved: list[Json]) -> None:
        """What is paid at the table: full houses of its own pot, and what the house pays. The rest is claimed."""
        claims, self._claims = self._claims, {}
        own = self.own.serve({seat: hand for seat, hand in claims.items() if hand == FULL})
        expected = {won.seat: won.amount for won in own}
        expected |= {seat: FIXED[hand] for seat, hand in claims.items() if hand in FIXED}
        assert {award["seat"]: award["amount"] for award in approved} == expected, approved

    def _answer(self, row: Row) -> None:
        number, order, told = row.event["claim"], row.event["order"], row.event["told"]
        assert number in self.asked
        assert number not in self.answered, "answered twice"
        assert [each for each in row.results if each["kind"] in {"award_approved", "pot_reset"}] == told
        self.answered[number] = Answered(order, told)

    def _compare(self, row: Row) -> None:
        """The table's own pot, and what its link got and gave, at this record."""
        main, mesa = row.state["pot"]["levels"]
        assert mesa["current"] == self.own.current, row
        from_link = sum(award["amount"] for award in self.awards.values() if award["level"] == "main")
        house = sum(FIXED.get(award["hand"], 0) for award in self.awards.values())
        assert main.get("link_in", 0) == from_link - house, row
        assert main["current"] == 0
