"""What a browser sees of a table: named cells with a value each, and the newest journal records.

Any thread may set a cell; it is stamped with a number that only rises. A page asks for what is newer than the number
it has, so that a slow page misses steps in between and never the end, and nothing grows with what it missed.
"""

import asyncio
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import Final, NamedTuple

from controller.journal import Record

RECORDS_KEPT: Final = 200
"""Records a page gets when it opens; the journal has the others."""


class Changes(NamedTuple):
    """What is newer than a number: cells by name, records oldest first, and the number to ask from next time."""

    number: int
    cells: dict[str, object]
    records: tuple[Record, ...]


class View:
    """The cells of one table. Every method may be called from any thread."""

    def __init__(self) -> None:
        self._guard = Lock()
        self._number = 0
        self._cells: dict[str, tuple[int, object]] = {}
        self._records: deque[tuple[int, Record]] = deque(maxlen=RECORDS_KEPT)
        self.closed = False
        self._waiting: set[tuple[asyncio.AbstractEventLoop, asyncio.Event]] = set()

    def set(self, name: str, value: object) -> None:
        """Give a cell its value and wake the pages, if it is another one. The value must be one JSON can hold."""
        with self._guard:
            if name in self._cells and self._cells[name][1] == value:
                return
            self._number += 1
            self._cells[name] = (self._number, value)
            self._wake()

    def add(self, records: Sequence[Record]) -> None:
        """Put new records after those there are, and wake the pages."""
        with self._guard:
            for record in records:
                self._number += 1
                self._records.append((self._number, record))
            self._wake()

    def get(self, name: str) -> object:
        """A cell's value, None if it has none yet."""
        with self._guard:
            return self._cells[name][1] if name in self._cells else None

    def since(self, number: int) -> Changes:
        """What came after `number`; 0 asks for everything."""
        with self._guard:
            cells = {name: value for name, (stamp, value) in self._cells.items() if stamp > number}
            records = tuple(record for stamp, record in self._records if stamp > number)
            return Changes(self._number, cells, records)

    def close(self) -> None:
        """Nothing more comes: every page that waits is woken to end."""
        with self._guard:
            self.closed = True
            self._wake()

    @contextmanager
    def woken(self) -> Iterator[asyncio.Event]:
        """An event of the running loop that is set at each change."""
        waiter = (asyncio.get_running_loop(), asyncio.Event())
        with self._guard:
            self._waiting.add(waiter)
        try:
            yield waiter[1]
        finally:
            with self._guard:
                self._waiting.discard(waiter)

    def _wake(self) -> None:
        for loop, event in self._waiting:
            loop.call_soon_threadsafe(event.set)
