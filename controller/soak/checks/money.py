"""A pot by its own arithmetic: totals of what was staked at which rate, never a carry handed from step to step.

It knows the rules as the journal has them (JSON) and amounts in minor units; it knows no phase and no seat.
"""

from controller.soak.checks.words import Checker, Findings, Json

PPM = 1_000_000


class Pot:
    """One level: its rules, and what it must hold."""

    def __init__(self, rules: Json) -> None:
        self.rules = rules
        self.current = self.funding = 0 if "link" in rules else rules["base_amount"]
        self.earned = self.put_by = 0
        """All contributions and reserves so far, in millionths of a minor unit."""
        self.reserve = self.overflow = self.wins = self.hits = self.house_prizes = 0
        self.corrections = self.given = self.taken = 0
        self.link_out = self.link_in = 0

    def contribute(self, staked: int) -> None:
        """Wagers of `staked` minor units came in; what a linked pot is due leaves whole, with its fraction."""
        if "link" in self.rules:
            self.link_out += staked * (self.rules["increment_rate_ppm"] + self.rules["reserve_rate_ppm"])
            return
        before, self.earned = self.earned // PPM, self.earned + staked * self.rules["increment_rate_ppm"]
        self.raise_by(self.earned // PPM - before)
        before, self.put_by = self.put_by // PPM, self.put_by + staked * self.rules["reserve_rate_ppm"]
        self.reserve += self.put_by // PPM - before

    def raise_by(self, amount: int) -> None:
        """What is above the limit goes over, but a pot above it already does not fall."""
        room = max(self.rules["limit"] - self.current, 0)
        self.current += min(amount, room)
        self.overflow += max(amount - room, 0)

    def pay(self, amount: int, fund: str) -> None:
        """A prize of `amount` from its fund; what lacks is the house's."""
        self.hits += 1
        self.wins += amount
        if fund == "pot":
            part = min(amount, self.current)
            self.current -= part
            self.funding += amount - part
        elif fund == "reserve":
            part = min(amount, self.reserve)
            self.reserve -= part
            self.funding += amount - part
        else:
            self.house_prizes += amount

    def pay_by_link(self, amount: int) -> None:
        """A prize that the floor's pot paid."""
        self.hits += 1
        self.wins += amount
        self.link_in += amount

    def restart(self) -> None:
        """After an award of the whole: the reset amount, from overflow where it may, from reserve, from the house."""
        wanted = self.rules["reset_amount"]
        if self.rules["overflow_use"] == "next_reset":
            part = min(wanted, self.overflow)
            self.overflow -= part
            wanted -= part
        part = min(wanted, self.reserve)
        self.reserve -= part
        self.funding += wanted - part
        self.current += self.rules["reset_amount"]
        over = max(self.current - self.rules["limit"], 0)
        self.current -= over
        self.overflow += over

    def stored(self) -> Json:
        """What a record must say of this level; zeros are left out there."""
        return {
            "current": self.current,
            "carry": self.earned % PPM,
            "reserve_pool": self.reserve,
            "reserve_carry": self.put_by % PPM,
            "overflow_meter": self.overflow,
            "hits_meter": self.hits,
            "wins_meter": self.wins,
            "house_prizes": self.house_prizes,
            "house_funding": self.funding,
            "corrections": self.corrections,
            "transfers_in": self.taken,
            "transfers_out": self.given,
            "link_out": self.link_out,
            "link_in": self.link_in,
        }


class Money:
    """All levels of a table and its common meters."""

    def __init__(self, rules: Json) -> None:
        self.rules = rules
        self.pots = {level["name"]: Pot(level) for level in rules["levels"]}
        self.in_meter = self.in_count = self.refunds = self.house_ppm = 0
        self.bonus_hits = self.bonus_wins = 0

    def take_in(self, count: int) -> None:
        """So many wagers were accepted."""
        staked = count * self.rules["wager"]
        self.in_meter += staked
        self.in_count += count
        house = PPM
        for pot in self.pots.values():
            pot.contribute(staked)
            house -= pot.rules["increment_rate_ppm"] + pot.rules["reserve_rate_ppm"]
        self.house_ppm += staked * house

    def change_rules(self, rules: Json) -> None:
        """Other rules: levels keep their money by name, a new one begins at its base amount."""
        self.rules = rules
        before = self.pots
        self.pots = {}
        for level in rules["levels"]:
            pot = before.get(level["name"]) or Pot(level)
            pot.rules = level
            self.pots[level["name"]] = pot

    def compare(self, stored: Json, where: str, findings: Findings) -> None:
        """What the record's pot says must be this, to the millionth."""
        mine: Json = {
            "in_meter": self.in_meter,
            "in_count": self.in_count,
            "refund_meter": self.refunds,
            "house_share": self.house_ppm,
            "bonus_hits": self.bonus_hits,
            "bonus_wins": self.bonus_wins,
        }
        for name, value in mine.items():
            if stored.get(name, 0) != value:
                findings.tell(Checker.MONEY, f"{where}: {name} is {stored.get(name, 0)}, must be {value}")
        levels = stored["levels"]
        if [level["name"] for level in levels] != list(self.pots):
            findings.tell(Checker.MONEY, f"{where}: the levels are {[level['name'] for level in levels]}")
            return
        for level in levels:
            for name, value in self.pots[level["name"]].stored().items():
                if level.get(name, 0) != value:
                    what = f"{level['name']}.{name} is {level.get(name, 0)}, must be {value}"
                    findings.tell(Checker.MONEY, f"{where}: {what}")
        self._conserved(stored, where, findings)

    def _conserved(self, stored: Json, where: str, findings: Findings) -> None:
        """The law of section 4 on the record's own numbers, in millionths."""
        came = stored.get("in_meter", 0) * PPM
        there = stored.get("house_share", 0)
        for level in stored["levels"]:
            put_in = ("house_funding", "corrections", "transfers_in", "link_in")
            held = ("current", "reserve_pool", "overflow_meter", "transfers_out", "wins_meter")
            came += sum(level.get(name, 0) for name in put_in) * PPM
            there += (sum(level.get(name, 0) for name in held) - level.get("house_prizes", 0)) * PPM
            there += level.get("carry", 0) + level.get("reserve_carry", 0) + level.get("link_out", 0)
        if came != there:
            findings.tell(Checker.MONEY, f"{where}: {came - there} millionths are missing from the pot")
