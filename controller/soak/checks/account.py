"""The account of a table: what its records add up to, worked out from events and results by the rules' text.

`take` each record in order; what the program stored must be what the account says: phase, round, every seat's wager
and counts, claims, awards, money. It reads plain JSON and knows no line of the program.
"""

from collections import Counter
from collections.abc import Callable

from controller.soak.checks.bank import BankAccount
from controller.soak.checks.money import Money
from controller.soak.checks.prizes import prize_of, serve, shut_out
from controller.soak.checks.recovery import check_recovery
from controller.soak.checks.shared import SharedAccount, of_links
from controller.soak.checks.words import Checker, Findings, Json, Rec, decoded

COUNTS = ("dropped", "accepted", "excess", "late", "voided")
NEEDS_SUPERVISOR = frozenset(
    {
        *("lamp_test_started", "table_opened", "table_closed", "seat_opened", "late_locked", "round_voided"),
        *("discrepancy_accepted", "award_rejected", "shoe_made"),
    }
)
NEEDS_BOTH = frozenset(
    {
        *("pot_corrected", "parameters_changed", "pot_transferred", "transfer_sent", "transfer_received"),
        *("claim_given_up", "backup_asked"),
    }
)
COUNTED = {
    "wager_placed": ("dropped",),
    "chip_excess": ("dropped", "excess"),
    "chip_late": ("dropped", "late"),
}


class Account:
    """What must be true after every record taken so far."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self.rules: Json = {}
        self.money = Money({"levels": [], "wager": 0})
        self.bank = BankAccount()
        self.shared = SharedAccount(lambda good, what: self._unless(good, Checker.AWARD, what))
        self.phase = "closed"
        self.came_from = ""
        self.round = 1
        self.placed: dict[int, tuple[int, int]] = {}
        """Seat to boot and stamp of its chip."""
        self.wagers: dict[int, str] = {}
        """Seats of the locked round: accepted, void or forfeited."""
        self.claimable: set[int] = set()
        self.awarded: set[int] = set()
        self.royal_round = 0
        """The round in which a whole pot was last won."""
        self.claims: dict[int, str] = {}
        self.unpaid: dict[int, int] = {}
        """Award number to amount."""
        self.awards = 0
        self.received: set[str] = set()
        self.counts: Counter[tuple[int, str]] = Counter()
        self.last: Json = {}
        self._touched = True
        """This record moves something that the account keeps."""
        self._record = Rec(0, 0, "", {}, [], {}, ())
        self._do: dict[str, Callable[[Json], None]] = {
            name.removeprefix("_on_"): getattr(self, name) for name in dir(self) if name.startswith("_on_")
        }

    def take(self, record: Rec) -> None:
        """Take the next record."""
        self._record = record
        kind, results = record.kind, record.results
        self._before(record)
        for result in results:
            counted = COUNTED.get(result["kind"])
            if counted is not None:
                self._touched = True
                self._count(result["seat"], *counted)
            do = self._do.get(result["kind"])
            if do is not None:
                self._touched = True
                do(result)
        self._compare(record)
        self.last = record.state
        if kind in {"chip_dropped", "coin_in_pressed", "game_over_pressed"} and not results:
            self._tell(Checker.PHASE, "it became nothing: a chip or a press is never nothing")

    def _before(self, record: Rec) -> None:
        kind = record.kind
        if kind == "commissioned":
            self.rules = decoded(record.event["rules"])
            self.money = Money(self.rules)
            self._unless(record.seq == 1, Checker.REPLAY, "it commissions again")
        elif kind == "started":
            check_recovery(self.last, record, self.rules, self._findings)
        elif kind == "chip_dropped":
            self._unless(len(record.results) == 1, Checker.COUNT, "a chip is one thing")
        first = record.results[0]["kind"] if record.results else ""
        if first != "refused":
            self._check_keys(kind)
            if kind == "awards_approved":
                self._touched = True
                self._approve()

    def _check_keys(self, kind: str) -> None:
        last = self.last
        supervisor, technician = last.get("supervisor", False), last.get("technician", False)
        if (kind in NEEDS_SUPERVISOR and not supervisor) or (
            kind in NEEDS_BOTH and not (supervisor and technician)
        ):
            self._tell(Checker.KEYS, "it was done without its keys")

    def _on_wager_placed(self, result: Json) -> None:
        seat = result["seat"]
        self._unless(self.phase == "open", Checker.PHASE, f"a wager in phase {self.phase}")
        self._unless(seat not in self.placed, Checker.COUNT, f"a second wager at seat {seat}")
        closed = self.last["seats"][seat - 1].get("closed", "none")
        self._unless(closed == "none", Checker.COUNT, f"a wager at seat {seat}, closed by {closed}")
        self.placed[seat] = (self._record.boot, self._record.event["at_ns"])

    def _on_chip_excess(self, result: Json) -> None:
        self._unless(result["seat"] in self.placed, Checker.COUNT, "excess, and there is no chip before it")

    def _on_chip_late(self, result: Json) -> None:
        self._unless(self.phase != "test", Checker.COUNT, "a meter moved in TEST")
        closed = self.last["seats"][result["seat"] - 1].get("closed")
        self._unless(closed != "fault", Checker.COUNT, "a count moved on a line closed by a fault")

    def _on_chip_tested(self, _result: Json) -> None:
        self._unless(self.phase == "test", Checker.PHASE, f"a tested chip in phase {self.phase}")

    def _on_round_locked(self, result: Json) -> None:
        record = self._record
        self._unless(self.phase == "open", Checker.PHASE, f"locked in phase {self.phase}")
        self._unless(result["seats"] == sorted(self.placed), Checker.LOCKOUT, f"it accepts {result['seats']}")
        wagers = self.rules["wager"] * len(self.placed)
        self._unless(result["amount"] == wagers, Checker.MONEY, f"it takes {result['amount']} in")
        for seat, (boot, at_ns) in self.placed.items():
            older = boot < record.boot or at_ns < record.event["at_ns"]
            self._unless(older, Checker.LOCKOUT, f"seat {seat}'s chip is as old as COIN IN or younger")
            self._count(seat, "accepted")
        self.wagers = dict.fromkeys(self.placed, "accepted")
        self.money.take_in(len(self.placed))
        self.placed, self.claimable, self.awarded = {}, set(), set()
        self.phase = "locked"

    def _on_round_ended(self, _result: Json) -> None:
        self._unless(self.phase == "locked", Checker.PHASE, f"a round ended in phase {self.phase}")
        self.claimable = {seat for seat, wager in self.wagers.items() if wager == "accepted"}
        self.wagers = {}
        self.phase = "open"
        self.round += 1

    def _on_wager_voided(self, result: Json) -> None:
        seat = result["seat"]
        self._count(seat, "voided")
        if seat in self.placed:
            self._unless(not result.get("refund"), Checker.MONEY, "a chip not taken in was refunded")
            del self.placed[seat]
            return
        self._unless(self.wagers.get(seat) == "accepted", Checker.COUNT, f"seat {seat} has no wager to void")
        self._unless(result["refund"] == self.rules["wager"], Checker.MONEY, f"{result['refund']} refunded")
        self._unless(seat not in self.awarded, Checker.AWARD, f"seat {seat} has won and is void")
        self.wagers[seat] = "void"
        self.money.refunds += self.rules["wager"]

    def _on_wager_forfeited(self, result: Json) -> None:
        seat = result["seat"]
        self._unless(
            self.wagers.get(seat) == "accepted", Checker.COUNT, f"seat {seat} has nothing to forfeit"
        )
        self.wagers[seat] = "forfeited"

    def _on_award_requested(self, result: Json) -> None:
        seat = result["seat"]
        if self.phase != "award_pending":
            self.came_from = self.phase
        accepted = {each for each, wager in self.wagers.items() if wager == "accepted"}
        may_win = self.claimable if self.came_from == "open" else accepted
        good = seat in may_win - self.awarded - set(self.claims) and prize_of(self.rules, result["hand"])
        self._unless(good, Checker.AWARD, f"a claim of seat {seat}, which cannot win")
        self.claims[seat] = result["hand"]
        self.phase = "award_pending"

    def _on_claim_dropped(self, result: Json) -> None:
        gone = self.claims.pop(result["seat"], None)
        self._unless(gone, Checker.AWARD, f"a claim of seat {result['seat']} is dropped that never was")

    def _on_award_settled(self, result: Json) -> None:
        amount = self.unpaid.pop(result["number"], None)
        self._unless(
            amount == result["amount"], Checker.AWARD, f"award {result['number']} is paid {result['amount']}"
        )

    def _on_phase_changed(self, result: Json) -> None:
        self.phase = result["phase"]

    def _on_correction_made(self, result: Json) -> None:
        pot = self.money.pots[result["level"]]
        self._unless(result["before"] == pot.current, Checker.MONEY, f"corrected from {result['before']}")
        pot.corrections += result["after"] - pot.current
        pot.current = result["after"]

    def _on_transfer_made(self, result: Json) -> None:
        pot, by = self.money.pots[result["level"]], result["by"]
        pot.current += by
        pot.taken += max(by, 0)
        pot.given += max(-by, 0)
        transfer = self._record.event.get("transfer")
        if self._record.kind == "transfer_received":
            self._unless(transfer not in self.received, Checker.MONEY, f"{transfer} was taken in twice")
            self.received.add(str(transfer))

    def _on_parameters_accepted(self, result: Json) -> None:
        """No claim is served by other rules than those of its wager."""
        ended = result.get("claims_ended", [])
        # Another board alone ends no claim: the wagers stay those of the same rules.
        ending = self.claimable if result["before"] != result["after"] else set()
        self._unless(ended == sorted(ending), Checker.AWARD, f"claims of {ended} end")
        self.claimable -= ending
        self.rules = decoded(self._record.event["rules"])
        self.money.change_rules(self.rules)

    def _on_recovered(self, result: Json) -> None:
        same = result["phase"] == self.phase or (self.phase, result["phase"]) == ("test", "closed")
        self._unless(same, Checker.RECOVERY, f"it came back in {result['phase']}, and was {self.phase}")
        self.phase = result["phase"]

    def _approve(self) -> None:
        """What the claims that wait win, by hand."""
        self._unless(self.phase == "award_pending", Checker.PHASE, f"approved in phase {self.phase}")
        round_ = self.round - 1 if self.came_from == "open" else self.round
        out = shut_out(self.rules, self.claims, self.royal_round == round_)
        told_out = {each["seat"] for each in self._record.results if each["kind"] == "claim_excluded"}
        self._unless(
            told_out == out, Checker.AWARD, f"excluded are {sorted(told_out)}, must be {sorted(out)}"
        )
        valid = {seat: hand for seat, hand in self.claims.items() if seat not in out}
        linked = of_links(self.money, valid)
        due = serve(self.money, {seat: hand for seat, hand in valid.items() if seat not in linked})
        told = [each for each in self._record.results if each["kind"] == "award_approved"]
        amounts = [(each["seat"], each["hand"], each["amount"]) for each in told]
        self._unless(amounts == [tuple(each) for each in due], Checker.AWARD, f"{amounts}, due are {due}")
        numbers = [each["number"] for each in told]
        wanted = list(range(self.awards + 1, self.awards + 1 + len(due)))
        self._unless(numbers == wanted, Checker.AWARD, f"awards are numbered {numbers}, must be {wanted}")
        self.unpaid |= {each["number"]: each["amount"] for each in told}
        self.awards += len(due)
        asked = [each for each in self._record.results if each["kind"] == "link_claimed"]
        at_floor = {seat: hand for seat, hand in valid.items() if seat in linked}
        self.awards += self.shared.claim(self.money, at_floor, round_, self.awards, asked)
        self.awarded |= set(valid)
        if "royal_flush" in valid.values():
            self.royal_round = round_
        key_from = self.rules["policies"]["award_key_from"]
        wants_key = linked or max((each.amount for each in due), default=0) >= key_from
        if wants_key and not self.last.get("supervisor"):
            self._tell(Checker.KEYS, "approved without the supervisor's key")
        self.claims = {}

    def _on_claim_served(self, result: Json) -> None:
        awards = [each for each in self._record.results if each["kind"] == "award_approved"]
        if self.shared.serve(self.money, result, awards) is not None:
            self.unpaid |= {each["number"]: each["amount"] for each in awards}

    def _on_claim_void(self, result: Json) -> None:
        self.shared.void(result)

    def _on_link_contributed(self, result: Json) -> None:
        pot = self.money.pots[result["level"]]
        ppm = pot.rules["increment_rate_ppm"] + pot.rules["reserve_rate_ppm"]
        staked = self.rules["wager"] * len(self.wagers)
        good = (result["by"], result["out"]) == (staked * ppm, pot.link_out)
        self._unless(good, Checker.MONEY, f"{result['by']} went to the link, {result['out']} in all")

    def _count(self, seat: int, *names: str) -> None:
        for name in names:
            self.counts[seat, name] += 1

    def _compare(self, record: Rec) -> None:
        """What is stored is what must be; what neither side has touched since the last record is not looked at."""
        state, last = record.state, self.last
        self._unless(
            state["phase"] == self.phase, Checker.PHASE, f"stored is {state['phase']}, not {self.phase}"
        )
        self._unless(
            state.get("round", 1) == self.round, Checker.PHASE, f"stored is round {state.get('round', 1)}"
        )
        if self.phase != "award_pending":
            self._unless(not self.claims, Checker.AWARD, f"claims wait in phase {self.phase}")
        if self._touched or state["seats"] != last.get("seats"):
            self._compare_seats(state)
        stored = {claim["seat"]: claim["hand"] for claim in state.get("claims", ())}
        self._unless(stored == self.claims, Checker.AWARD, f"claims are {stored}, must be {self.claims}")
        unpaid = {each["number"]: each["amount"] for each in state.get("awards", ()) if not each.get("paid")}
        self._unless(unpaid == self.unpaid, Checker.AWARD, f"unpaid are {unpaid}, must be {self.unpaid}")
        self.shared.compare(state.get("link_claims", []))
        if self._touched or state["pot"] != last.get("pot"):
            self.money.compare(state["pot"], self._where(), self._findings)
        if "punto" in state:
            self.bank.take(record, self._findings)
        self._touched = False

    def _compare_seats(self, state: Json) -> None:
        counts = self.counts
        for number, seat in enumerate(state["seats"], start=1):
            wager = "placed" if number in self.placed else self.wagers.get(number, "none")
            if seat.get("wager", "none") != wager:
                self._tell(Checker.COUNT, f"seat {number} is stored {seat.get('wager', 'none')}, not {wager}")
            if seat.get("claimable", False) is not (number in self.claimable):
                self._tell(Checker.AWARD, f"seat {number} can still be claimed, or cannot, against the rules")
            for name in COUNTS:
                if seat.get(name, 0) != counts[number, name]:
                    what = f"seat {number}: {name} is {seat.get(name, 0)}, must be {counts[number, name]}"
                    self._tell(Checker.COUNT, what)

    def _where(self) -> str:
        return f"record {self._record.seq} ({self._record.kind})"

    def _tell(self, checker: Checker, what: str) -> None:
        self._findings.tell(checker, f"{self._where()}: {what}")

    def _unless(self, good: object, checker: Checker, what: str) -> None:
        if not good:
            self._tell(checker, what)
