"""What a soak must have seen: every pair of phase and event a table can meet, and every kind of fault.

Pairs come from the machine's own unions, so that a new event is missing until it is played. Those that cannot happen
by construction are listed here with the reason, and nowhere else.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import NamedTuple, get_args

from controller.core.events import AnyEvent, snake
from controller.core.state import Phase

PAIRS_FROM = 20_000
"""Rounds of a family from which on a pair or a fault kind that never happened fails the run."""

Pair = tuple[str, str]


class Family(StrEnum):
    """Tables whose machines differ: with wagers and awards, or with a bank."""

    POKER = "poker"
    BANK = "bank"


class FaultKind(StrEnum):
    """Every way in which a soak breaks something."""

    CUT = "power cut between two turns"
    CUT_IN_TURN = "power cut at a step of a turn"
    CUT_IN_WRITE = "power cut at a write or flush of the disk"
    KILLED = "process killed between two turns"
    KILLED_IN_TURN = "process killed at a step of a turn"
    DEAD_THREAD = "thread died"
    DISK_FULL = "disk full"
    READ_ONLY = "medium read-only"
    SLOW = "medium of 250 ms a flush"
    FSYNC = "I/O error on a flush"
    ROT_REFUSED = "bits flipped at rest, start refused"
    ROT_HARMLESS = "bits flipped at rest, harmless"
    TURNED_BACK_REFUSED = "journal turned back, start refused"
    TURNED_BACK_HARMLESS = "journal turned back, harmless"
    LOST_EDGE = "edge lost"
    DOUBLE_EDGE = "edge told twice"
    BOUNCE = "noise and bounce"
    COMMON_MODE = "common mode"
    STUCK_SEAT = "stuck seat line"
    STUCK_BUTTON = "stuck button"
    CHATTER = "chattering contact"
    FLOOD = "flood of one line"
    STALLED_SCREEN = "screen stalled"
    STALLED_SIGN = "sign stalled"
    LOST_DEVICE = "device lost"
    FOUND_DEVICE = "device found"
    LOST_HOST = "host lost"
    REPEATED = "message repeated"
    CLOCK = "wall clock stepped"
    FROZEN = "loop frozen"
    LOST_WITNESS = "second copy not written"
    SPOILT_WITNESS = "second copy damaged at rest"
    FLOOR_AHEAD = "floor ahead of the journal"
    GARBLED = "garbled message of the host"
    EDITED_FILE = "file edited, nobody accepted"


BY_EVENT: Mapping[str, FaultKind] = {
    "edge_lost": FaultKind.LOST_EDGE,
    "noise_seen": FaultKind.BOUNCE,
    "common_mode_seen": FaultKind.COMMON_MODE,
    "seat_jammed": FaultKind.STUCK_SEAT,
    "button_stuck": FaultKind.STUCK_BUTTON,
    "seat_chattered": FaultKind.CHATTER,
    "line_overflowed": FaultKind.FLOOD,
    "device_lost": FaultKind.LOST_DEVICE,
    "device_found": FaultKind.FOUND_DEVICE,
    "clock_stepped": FaultKind.CLOCK,
    "loop_stalled": FaultKind.FROZEN,
    "floor_disagreed": FaultKind.FLOOR_AHEAD,
    "host_garbled": FaultKind.GARBLED,
    "witness_lost": FaultKind.LOST_WITNESS,
    "witness_rebuilt": FaultKind.SPOILT_WITNESS,
}
"""Faults that the journal itself tells of."""


class Counts(NamedTuple):
    """What happened: pairs by family, faults by kind, rounds by family."""

    pairs: Counter[tuple[str, str, str]]
    faults: Counter[str]
    rounds: Counter[str]

    def add(self, other: "Counts") -> None:
        """Count what happened elsewhere too."""
        self.pairs.update(other.pairs)
        self.faults.update(other.faults)
        self.rounds.update(other.rounds)


def no_counts() -> Counts:
    """Nothing happened yet."""
    return Counts(Counter(), Counter(), Counter())


def wanted(family: Family) -> set[Pair]:
    """Every pair that a table of this family can meet."""
    phases = [phase.value for phase in Phase]
    events = [snake(event.__name__) for event in get_args(AnyEvent)]
    return {(phase, event) for phase in phases for event in events if reason(family, phase, event) is None}


BY_PIN = frozenset({"person_identified", "pin_refused", "pin_not_tried"})
OF_LINKS = frozenset(
    {"link_told", "link_disagreed", "link_agreed", "claim_answered", "claim_refused", "claim_given_up"}
)
Rule = Callable[[Family, str, str], bool]

CANNOT: tuple[tuple[str, Rule], ...] = (
    (
        "a table is commissioned once: its journal cannot be made again, and nothing else makes this event",
        lambda _family, _phase, event: event == "commissioned",
    ),
    (
        "Punto y Banca has no awards, so none is ever pending",
        lambda family, phase, _event: family is Family.BANK and phase == Phase.AWARD_PENDING,
    ),
    (
        "Punto y Banca has no pot that could be linked",
        lambda family, _phase, event: family is Family.BANK and event in OF_LINKS,
    ),
    (
        "`pozo recover` alone makes it, at a table out of service, where no honest power loss leads",
        lambda _family, _phase, event: event in {"journal_recovered", "journal_reopened"},
    ),
    (
        "wherever there is a menu a held GAME OVER belongs to it, and the table never hears of it",
        lambda _family, phase, event: phase != Phase.TEST and event == "game_over_held",
    ),
    (
        "an errand is taken up in CLOSED alone, and where nobody does it its end is told in the next turn",
        lambda _family, phase, event: phase != Phase.CLOSED and event == "errand_ended",
    ),
    (
        "no PIN is entered in TEST: its page is no menu",
        lambda _family, phase, event: phase == Phase.TEST and event in BY_PIN,
    ),
    (
        "the session of a self-test begins without keys, which ends TEST before it",
        lambda _family, phase, event: phase == Phase.TEST and event == "self_tested",
    ),
)
"""Why a pair cannot happen."""


def reason(family: Family, phase: str, event: str) -> str | None:
    """Why this pair cannot happen, or None."""
    return next((why for why, rule in CANNOT if rule(family, phase, event)), None)


def missing(counts: Counts, at_least: int = PAIRS_FROM) -> list[str]:
    """What never happened and should have, in words; a family with too few rounds is asked nothing."""
    found: list[str] = []
    for family in Family:
        if counts.rounds[family] < at_least:
            continue
        seen = {(phase, event) for own, phase, event in counts.pairs if own == family}
        found += [f"{family}: {event} in {phase}" for phase, event in sorted(wanted(family) - seen)]
    if sum(counts.rounds.values()) >= at_least:
        found += [f"fault: {kind}" for kind in FaultKind if not counts.faults[kind]]
    return found


def faults_of(pairs: Counter[Pair], happened: Mapping[str, int]) -> Counter[str]:
    """The faults a run has seen: those its journal tells of, and those its seams do."""
    faults: Counter[str] = Counter()
    for (_, event), count in pairs.items():
        if event in BY_EVENT:
            faults[BY_EVENT[event]] += count
    for kind in FaultKind:
        faults[kind] += happened.get(kind.name.lower(), 0)
    return +faults
