"""Lamps, slots, release and sign against what is on the medium: nothing is shown that is not stored.

It knows the rules' section 2 and the patterns as people see them; states are plain JSON.
"""

from collections.abc import Mapping

from controller.soak.checks.words import Checker, Findings, Json

MS = 1_000_000
ATTRACT_NS = 300 * MS
PROBLEM_NS = 2_000 * MS
PROBLEM_ON_NS = 100 * MS
LOOKS_APART_NS = 100 * MS
"""Two looks at the lines further apart than this are no sign of life."""
STEADY_NS = 1_200 * MS
"""Every pattern that means no wager is dark for a moment more often than this."""
WINNERS_SHOWN = 7
TABLE_FAULTS = frozenset(
    {
        *("storage_failed", "button_overflow", "witness_lost", "floor_disagrees"),
        *("link_disagrees", "claim_refused"),
    }
)
"""Faults that lock the slots until they are cleared."""


def slots_may_open(rules: Json, state: Json) -> bool:
    """Whether a table stored like this may take chips."""
    if not rules["wager"]:
        return False
    if state["phase"] != "open":
        return bool(state["phase"] == "test")
    codes = {fault["code"] for fault in state.get("faults", ())}
    if codes & TABLE_FAULTS:
        return False
    if any(seat.get("wager") == "placed" for seat in state["seats"]):
        return True
    if "link_unknown" in codes:
        return False
    policies = rules["policies"]
    lost = (policies["require_sign"] and "sign_lost" in codes) or (
        policies["require_host"] and "host_lost" in codes
    )
    return not lost


def lamp_may_light(rules: Json, state: Json, number: int, now_ns: int) -> bool:
    """Whether a seat's lamp may be lit now: for a stored wager or claim, or by a pattern that means none."""
    seat = state["seats"][number - 1]
    if state["phase"] == "test" or state.get("lamp_test"):
        return True
    if seat.get("wager") in {"placed", "accepted"} or number in winners(state):
        return True
    if seat.get("closed") == "fault":
        return now_ns % PROBLEM_NS < PROBLEM_ON_NS
    return slots_may_open(rules, state) and now_ns // ATTRACT_NS % len(state["seats"]) == number - 1


def winners(state: Json) -> set[int]:
    """The seats whose claims wait."""
    return {claim["seat"] for claim in state.get("claims", ())}


def promised(level: Json) -> int:
    """What players may be promised of a level: its pot, or what the floor said of a linked one."""
    told = level.get("told")
    return int(level["current"] if told is None else told["amount"])


def amount_on_sign(amount: int, currency: str) -> str:
    """An amount as people of that country write it, worked out here: `100.003,50`, `7.000`, `1,234.50`."""
    if currency == "CLP":
        return _grouped(amount, ".")
    thousands, point = (".", ",") if currency == "UYU" else (",", ".")
    return f"{_grouped(amount // 100, thousands)}{point}{amount % 100:02d}"


def _grouped(whole: int, mark: str) -> str:
    digits = str(whole)
    first = len(digits) % 3 or 3
    return mark.join([digits[:first], *(digits[at : at + 3] for at in range(first, len(digits), 3))])


class Shown:
    """What lamps and release did lately, and whether it was in order."""

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._looked_ns = 0
        self._steady: dict[str, int] = {}
        self._released_ns = 0
        self._pulse: object = None

    def switching(self, rules: Json, state: Json | None, line: str, now_ns: int, chosen: int) -> None:
        """An output is about to go on: only for what is stored already."""
        if state is None:
            self._findings.tell(Checker.LAMP, f"{line} goes on, and nothing is stored")
        elif line.startswith("lamp_"):
            number = int(line.removeprefix("lamp_"))
            good = number == chosen or lamp_may_light(rules, state, number, now_ns)
            self._findings.unless(good, Checker.LAMP, f"{line} is lit without a stored wager")
        elif line == "slots":
            self._findings.unless(slots_may_open(rules, state), Checker.SLOTS, f"open in {state['phase']}")
        elif line == "release":
            good = "release_until_ns" in state
            self._findings.unless(good, Checker.RELEASE, "the release is on without a stored lock")
        elif line == "bell":
            self._findings.unless(state["phase"] == "award_pending", Checker.LAMP, "the bell rings")

    def looked(self, rules: Json, state: Json, outputs: Mapping[str, bool], now_ns: int) -> None:
        """The program looked at its lines: it is alive, so patterns must move and pulses must end."""
        apart, self._looked_ns = now_ns - self._looked_ns, now_ns
        if not 0 <= apart < LOOKS_APART_NS:
            self._steady.clear()
            self._released_ns = 0
            return
        self._look_at_lamps(state, outputs, now_ns)
        pulse = state.get("release_until_ns")
        goes_on = outputs["release"] and pulse == self._pulse
        self._pulse = pulse
        self._released_ns = self._released_ns + apart if goes_on else 0
        longest = rules["release_ms"] * MS + LOOKS_APART_NS
        if self._released_ns > longest:
            self._findings.tell(Checker.RELEASE, "a release pulse without an end")
            self._released_ns = 0

    def _look_at_lamps(self, state: Json, outputs: Mapping[str, bool], now_ns: int) -> None:
        """Steady is accepted only: whatever else is lit must go dark now and then."""
        if state["phase"] == "test" or state.get("lamp_test"):
            self._steady.clear()
            return
        for number, seat in enumerate(state["seats"], start=1):
            lamp = f"lamp_{number}"
            if lamp not in outputs:
                return
            if not outputs[lamp] or seat.get("wager") == "accepted":
                self._steady.pop(lamp, None)
            elif now_ns - self._steady.setdefault(lamp, now_ns) > STEADY_NS:
                self._findings.tell(Checker.LAMP, f"{lamp} is steady without an accepted wager")
                self._steady[lamp] = now_ns

    def settled(
        self, rules: Json, state: Json, outputs: Mapping[str, bool], *, chosen: int, failing: bool
    ) -> None:
        """Between two things that happen: what is stored is what is shown."""
        may = slots_may_open(rules, state) and not failing
        self._findings.unless(may or not outputs["slots"], Checker.SLOTS, f"open in {state['phase']}")
        locked = state["phase"] == "locked"
        waits = winners(state)
        for number, seat in enumerate(state["seats"], start=1):
            lamp = f"lamp_{number}"
            if lamp not in outputs:
                return
            wager = seat.get("wager")
            if number in waits or number == chosen:
                continue
            if wager == "accepted" and not outputs[lamp]:
                self._findings.tell(Checker.LAMP, f"seat {number}'s stored wager is dark")
            bare = not wager or wager in {"void", "forfeited"}
            if locked and bare and outputs[lamp] and seat.get("closed") != "fault":
                self._findings.tell(Checker.LAMP, f"seat {number} is lit without a wager")

    def on_sign(self, rules: Json, state: Json, text: str, *, failing: bool) -> None:
        """The sign tells the pot and who has won, or that the jackpot is out of service."""
        levels = state["pot"]["levels"]
        if state["phase"] == "test" or failing:
            self._promises_nothing(
                rules, levels, text, "in TEST" if not failing else "while nothing is stored"
            )
            return
        for award in state.get("awards", ())[-WINNERS_SHOWN:]:
            amount = amount_on_sign(award["amount"], rules["currency"])
            self._findings.unless(amount in text, Checker.SIGN, f"{text!r} does not say {amount} was won")
        codes = {fault["code"] for fault in state.get("faults", ())}
        closed = state["phase"] == "open" and not slots_may_open(rules, state)
        if codes & TABLE_FAULTS or closed or "link_unknown" in codes:
            return
        if levels:
            amount = amount_on_sign(promised(levels[0]), rules["currency"])
            self._findings.unless(amount in text, Checker.SIGN, f"{text!r}, and the pot is {amount}")
            doubtful = "told" in levels[0] and "host_lost" in codes
            marked = "CONFIRMADO" in text
            self._findings.unless(
                marked is doubtful, Checker.SIGN, f"{text!r}, and the floor is heard, or not"
            )

    def _promises_nothing(self, rules: Json, levels: list[Json], text: str, when: str) -> None:
        for level in levels[:1]:
            amount = amount_on_sign(promised(level), rules["currency"])
            self._findings.unless(amount not in text, Checker.SIGN, f"{text!r} promises a pot {when}")
