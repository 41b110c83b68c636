"""An independent account of a table: what its journal's plain JSON adds up to, without a line of the program.

It knows the house values of `RATES` and the rules' text. It reads rows as dictionaries and works out phase, wagers,
counts and money by its own arithmetic; at each record the state that the program stored must say the same.
"""

import json
import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

WAGER = 1_000
BASE = 10_000_000
RESET = 1_000_000
INCREMENT_PPM = 333_333
RESERVE_PPM = 77_777
RELEASE_NS = 500_000_000
FIXED = {"four_of_a_kind": 500_000, "full_house": 100_000, "flush": 50_000}
RATES = {
    "pot.main.increment_rate_ppm": str(INCREMENT_PPM),
    "pot.main.reserve_rate_ppm": str(RESERVE_PPM),
}
"""Rates that leave a rest at every wager, so that a lost carry shows."""

DEVICE_FAULTS = {
    "sign_lost",
    "host_lost",
    "screen_lost",
    "keypad_lost",
    "coin_in_stuck",
    "game_over_stuck",
    "witness_lost",
}
Json = dict[str, Any]


class Row(NamedTuple):
    seq: int
    boot: int
    event: Json
    results: list[Json]
    state: Json


def rows(path: Path) -> list[Row]:
    """All records of a journal, read by SQLite alone."""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        found = connection.execute("SELECT seq, boot, event, results, state FROM journal ORDER BY seq")
        return [Row(seq, boot, *map(json.loads, columns)) for seq, boot, *columns in found]


class Ledger:
    """The account. `take` each record in order; it fails where record and account differ."""

    def __init__(self, seats: int = 7) -> None:
        self.seats = seats
        self.phase = "closed"
        self.came_from = ""
        self.round = 1
        self.placed: dict[int, tuple[int, int]] = {}
        """Seat to boot and stamp of its chip."""
        self.wagers: dict[int, str] = {}
        """Seats of the locked round: accepted, void or forfeited."""
        self.claimable: set[int] = set()
        self.awarded: set[int] = set()
        self.claims: dict[int, str] = {}
        self.locked_at = (0, 0)
        self.staked = self.refunds = self.unpaid = self.awards = 0
        self.prizes = self.resets = self.house = 0
        self.counts: Counter[tuple[int, str]] = Counter()
        self.chips: Counter[tuple[int, int]] = Counter()
        """How often a chip of this seat and stamp is in the journal."""
        self.seen: Counter[str] = Counter()
        """Phases, events and results, as often as they came."""
        self.last: Json = {}
        self.row = Row(0, 0, {}, [], {})

    def take(self, row: Row) -> None:
        self.row = row
        kind = row.event["kind"]
        if kind == "commissioned":
            assert row.seq == 1
        if kind == "started":
            check_recovery(self.last, row)
        if kind == "chip_dropped":
            self.chips[row.event["seat"], row.event["at_ns"]] += 1
            assert len(row.results) == 1, "a chip is one thing and never nothing"
        approved = [result for result in row.results if result["kind"] == "award_approved"]
        if approved:
            self._approve(approved)
        for result in row.results:
            getattr(self, f"_{result['kind']}", self._nothing)(result)
        self.last = row.state
        self.seen.update([self.phase, kind, *(result["kind"] for result in row.results)])
        self._compare(row)

    def _nothing(self, _result: Json) -> None:
        """Results that move nothing this account keeps."""

    def _wager_placed(self, result: Json) -> None:
        seat = result["seat"]
        assert self.phase == "open", f"a wager in phase {self.phase}"
        assert seat not in self.placed
        self.placed[seat] = (self.row.boot, self.row.event["at_ns"])
        self.counts[seat, "dropped"] += 1

    def _chip_excess(self, result: Json) -> None:
        seat = result["seat"]
        assert seat in self.placed or self.phase != "open"
        self._counted(seat, "dropped", "excess")

    def _chip_late(self, result: Json) -> None:
        assert self.phase != "test", "a meter moved in TEST"
        assert self.last["seats"][result["seat"] - 1].get("closed") != "fault"
        self._counted(result["seat"], "dropped", "late")
        if (
            self.row.event["kind"] == "chip_dropped"
            and self.phase == "locked"
            and self.row.boot == self.locked_at[0]
        ):
            assert self.row.event["at_ns"] >= self.locked_at[1], "late, and yet older than COIN IN"

    def _chip_tested(self, _result: Json) -> None:
        assert self.phase == "test"

    def _round_locked(self, result: Json) -> None:
        assert self.phase == "open", f"locked in phase {self.phase}"
        assert result["seats"] == sorted(self.placed)
        assert result["amount"] == WAGER * len(self.placed)
        for seat, (boot, at_ns) in self.placed.items():
            assert boot < self.row.boot or at_ns < self.row.event["at_ns"], (
                "a wager as old as COIN IN or younger"
            )
            self._counted(seat, "accepted")
        self.locked_at = (self.row.boot, self.row.event["at_ns"])
        self.wagers = dict.fromkeys(self.placed, "accepted")
        self.staked += result["amount"]
        self.placed = {}
        self.claimable, self.awarded = set(), set()
        self.phase = "locked"

    def _round_ended(self, _result: Json) -> None:
        assert self.phase == "locked"
        self.claimable = {seat for seat, wager in self.wagers.items() if wager == "accepted"}
        self.wagers = {}
        self.phase = "open"
        self.round += 1

    def _wager_voided(self, result: Json) -> None:
        seat = result["seat"]
        self._counted(seat, "voided")
        if seat in self.placed:
            assert "refund" not in result or result["refund"] == 0
            del self.placed[seat]
            return
        assert self.wagers[seat] == "accepted"
        assert result["refund"] == WAGER
        assert seat not in self.awarded
        self.wagers[seat] = "void"
        self.refunds += WAGER

    def _wager_forfeited(self, result: Json) -> None:
        assert self.wagers[result["seat"]] == "accepted"
        self.wagers[result["seat"]] = "forfeited"

    def _award_requested(self, result: Json) -> None:
        seat = result["seat"]
        if self.phase != "award_pending":
            self.came_from = self.phase
        winners = self.claimable if self.came_from == "open" else self._accepted()
        assert seat in winners - self.awarded - set(self.claims)
        self.claims[seat] = result["hand"]
        self.phase = "award_pending"

    def _claim_dropped(self, result: Json) -> None:
        del self.claims[result["seat"]]

    def _award_settled(self, result: Json) -> None:
        self.unpaid -= result["amount"]

    def _phase_changed(self, result: Json) -> None:
        self.phase = result["phase"]
        if self.phase in {"open", "locked"}:
            assert not self.claims

    def _recovered(self, result: Json) -> None:
        assert result["phase"] == self.phase or (self.phase, result["phase"]) == ("test", "closed")
        self.phase = result["phase"]

    def _approve(self, approved: list[Json]) -> None:
        """What the claims that wait win, by hand: seat by seat, all royals at the first royal's turn."""
        assert self.phase == "award_pending"
        expected: list[tuple[int, int]] = []
        waiting = dict(sorted(self.claims.items()))
        while waiting:
            seat, hand = next(iter(waiting.items()))
            royals = [each for each, what in waiting.items() if what == "royal_flush"]
            for each in royals if hand == "royal_flush" else [seat]:
                del waiting[each]
            if hand == "royal_flush":
                share = self.current // len(royals)
                expected += [(each, share) for each in royals]
                self.prizes += share * len(royals)
                from_reserve = min(self.reserve, RESET)
                self.resets += RESET
                self.house += from_reserve
            elif hand == "straight_flush":
                share = self.current // 10
                expected.append((seat, share))
                self.prizes += share
            else:
                expected.append((seat, FIXED[hand]))
        assert [(award["seat"], award["amount"]) for award in approved] == expected
        numbers = [award["number"] for award in approved]
        assert numbers == list(range(self.awards + 1, self.awards + 1 + len(approved)))
        self.awards += len(approved)
        self.awarded |= set(self.claims)
        self.unpaid += sum(amount for _, amount in expected)
        self.claims = {}

    @property
    def current(self) -> int:
        return BASE + self.staked * INCREMENT_PPM // 10**6 + self.resets - self.prizes

    @property
    def reserve(self) -> int:
        return self.staked * RESERVE_PPM // 10**6 - self.house

    def _accepted(self) -> set[int]:
        return {seat for seat, wager in self.wagers.items() if wager == "accepted"}

    def _counted(self, seat: int, *names: str) -> None:
        for name in names:
            self.counts[seat, name] += 1

    def _compare(self, row: Row) -> None:
        state, where = row.state, f"record {row.seq}, {row.event}"
        assert state["phase"] == self.phase, where
        assert state.get("round", 1) == self.round, where
        for number, seat in enumerate(state["seats"], start=1):
            wager = "placed" if number in self.placed else self.wagers.get(number, "none")
            assert seat.get("wager", "none") == wager, where
            for name in ("dropped", "accepted", "excess", "late", "voided"):
                assert seat.get(name, 0) == self.counts[number, name], (where, number, name)
        assert {claim["seat"]: claim["hand"] for claim in state.get("claims", [])} == self.claims, where
        unpaid = sum(award["amount"] for award in state.get("awards", []) if not award.get("paid", False))
        assert unpaid == self.unpaid, where
        pot, level = state["pot"], state["pot"]["levels"][0]
        accepted = sum(self.counts[seat, "accepted"] for seat in range(1, self.seats + 1))
        assert pot.get("in_count", 0) == accepted, where
        assert pot.get("in_meter", 0) == self.staked == accepted * WAGER, where
        assert pot.get("refund_meter", 0) == self.refunds, where
        assert level["current"] == self.current, where
        assert level.get("reserve_pool", 0) == self.reserve, where


def check_recovery(before: Json, row: Row) -> None:
    """After a start the table is the last stored one, but for what belongs to the boot that ended."""
    event, after = row.event, dict(row.state)
    was = dict(before)
    for state in (was, after):
        state.pop("lamp_test", None)
        state.pop("recovered", None)
        state["seats"] = [
            {name: value for name, value in seat.items() if name not in {"placed_ns", "line_active"}}
            for seat in state["seats"]
        ]
        state["faults"] = [fault for fault in state.get("faults", []) if fault["code"] not in DEVICE_FAULTS]
    assert "lamp_test" not in row.state
    for number, seat in enumerate(row.state["seats"], start=1):
        assert "placed_ns" not in seat
        covered = number in event.get("active", []) and seat.get("closed") == "fault"
        assert seat.get("line_active", False) is covered
    for key in ("supervisor", "technician"):
        assert after.pop(key, False) == event[key]
        was.pop(key, None)
        was.pop(f"{key}_person", None)
        assert f"{key}_person" not in after, "whoever stood behind a key is gone with the boot"
    for state in (was, after):
        # A wait after a wrong PIN begins anew with the boot's clock; the count stays.
        for counts in ("tries", "tried"):
            state[counts] = [{**each, "until_ns": 0} for each in state.get(counts, ())]
    if was["phase"] == "test" and not event["technician"]:
        was["phase"] = "closed"
    if was.pop("release_until_ns", None) is not None:
        assert after.pop("release_until_ns") == event["at_ns"] + RELEASE_NS
    assert after == was


def audit(path: Path) -> Ledger:
    """Go through a whole journal. Fails with the first record that cannot be true."""
    ledger = Ledger()
    for row in rows(path):
        ledger.take(row)
    return ledger
