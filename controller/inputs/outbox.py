"""What has been decided and not yet told, in the order of the stamps; and the filter's next deadline.

It may know events; it does not know lines.
"""

import heapq
from typing import NamedTuple, Protocol

from controller.core.events import AnyEvent, ChipDropped, CoinInPressed, SeatChattered
from controller.inputs.timings import NEVER


class Timer(Protocol):
    """Anything with a deadline. `expire` is called once `due_ns` is reached, and sets another `due_ns`."""

    due_ns: int

    def expire(self) -> None:
        """Do what was due at `due_ns`."""


class Press:
    """A button's settled low: when it began, and when its first unbroken stretch ended (`None`: not yet)."""

    __slots__ = ("end_ns", "fall_ns")

    def __init__(self, fall_ns: int) -> None:
        self.fall_ns = fall_ns
        self.end_ns: int | None = None


class Entry(NamedTuple):
    """An event that waits. With equal stamps buttons and keys come first, so that an equal chip is late."""

    at_ns: int
    rank: int
    number: int
    event: AnyEvent
    press: Press | None


RANK_BUTTON = 0
RANK_CHIP = 1


class Outbox:
    """Decided events by stamp. `next_ns` is never later than the earliest deadline of any timer."""

    __slots__ = ("_number", "coin_ins", "entries", "next_ns")

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self.next_ns = NEVER
        self.coin_ins = 0
        """COIN IN presses among the entries."""
        self._number = 0

    def put(self, event: AnyEvent, press: Press | None = None) -> None:
        """Add a decided event. `press` is the press it came from, where common-mode noise may still undo it."""
        match event:
            case ChipDropped() | SeatChattered():
                rank = RANK_CHIP
            case _:
                rank = RANK_BUTTON
        self._number += 1
        self.coin_ins += isinstance(event, CoinInPressed)
        heapq.heappush(self.entries, Entry(event.at_ns, rank, self._number, event, press))

    def pop(self) -> Entry:
        """Take the entry with the oldest stamp out."""
        entry = heapq.heappop(self.entries)
        self.coin_ins -= isinstance(entry.event, CoinInPressed)
        return entry

    def wake(self, due_ns: int) -> None:
        """A timer was set to `due_ns`."""
        self.next_ns = min(self.next_ns, due_ns)
