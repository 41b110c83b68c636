"""The bank of Punto y Banca by its own account: what went in and out of it must be what is in it (seed 001).

It follows results only; which article asks for which commission is the unit tests' business.
"""

from controller.soak.checks.words import Checker, Findings, Json, Rec


class BankAccount:
    """The stake, the commissions, and the frozen bets of a table."""

    def __init__(self) -> None:
        self.stake = self.commissions = self.kept = self.discounts = 0

    def take(self, record: Rec, findings: Findings) -> None:
        """Follow a record of a table of Punto y Banca."""
        for result in record.results:
            self._follow(result)
        punto: Json = record.state["punto"]
        bank = punto.get("bank")
        where = f"record {record.seq} ({record.kind})"
        stake = bank["stake"] if bank else 0
        kept = punto.get("frozen_waiting", 0) + punto.get("frozen_meter", 0)
        for name, found, due in (
            ("the bank's stake", stake, self.stake),
            ("the commissions", punto.get("commission_meter", 0), self.commissions),
            ("what is frozen and in no bank", kept, self.kept),
        ):
            findings.unless(found == due, Checker.BANK, f"{where}: {name} is {found}, must be {due}")
        discounts = punto.get("discount_meter", 0)
        findings.unless(discounts >= self.discounts, Checker.BANK, f"{where}: the discounts fell")
        self.discounts = discounts
        findings.unless(stake >= 0 and kept >= 0, Checker.BANK, f"{where}: an amount is below zero")

    def _follow(self, result: Json) -> None:
        match result["kind"]:
            case "bank_opened":
                self.stake += result["stake"]
            case "bank_moved":
                commission = result["commission"]
                inside = result["won"] + result["raised"] + result["frozen"]
                self.stake += inside - result["paid_out"] - commission
                self.commissions += commission
                self.kept -= result["frozen"]
            case "bank_ended":
                self.stake -= result["lost"] + result["paid_out"] + result["commission"]
                self.commissions += result["commission"]
            case "bet_frozen":
                self.kept += result["amount"]
            case _:
                pass
