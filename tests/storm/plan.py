"""How rough a storm is, and what became of it."""

import threading
from collections import Counter
from enum import StrEnum
from typing import NamedTuple


class Strike(StrEnum):
    """What befalls the hall."""

    BACKEND = "backends killed"
    LINK = "links killed"
    CUT = "tables cut"
    CRASH = "postmasters killed with all their processes"
    PARTITION = "networks partitioned"


class Plan(NamedTuple):
    """How long, and how often what happens; `span_s` is how long a floor is down or a network parted, at most."""

    tables: int = 30
    rounds: int = 200
    backends: int = 300
    links: int = 60
    cuts: int = 60
    crashes: int = 3
    partitions: int = 6
    replays: int = 1_000
    span_s: int = 15
    seed: int = 1
    relays: int = 0
    """Not 0: no namespaces, even where they can be had."""

    @property
    def strikes(self) -> dict[Strike, int]:
        """How often each."""
        return {
            Strike.BACKEND: self.backends,
            Strike.LINK: self.links,
            Strike.CUT: self.cuts,
            Strike.CRASH: self.crashes,
            Strike.PARTITION: self.partitions,
        }

    def is_strict(self, number: int) -> bool:
        """Two tables of three take no wager without the floor; the others play on."""
        return number % 3 != 0


class Tally:
    """Counts of what happened, kept by many threads."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._counts: Counter[str] = Counter()

    def add(self, what: str, by: int = 1) -> None:
        with self._guard:
            self._counts[what] += by

    def __getitem__(self, what: str) -> int:
        with self._guard:
            return self._counts[what]

    def lines(self) -> list[str]:
        """One a line, in alphabetical order."""
        with self._guard:
            return [f"{count:>8} {what}" for what, count in sorted(self._counts.items())]
