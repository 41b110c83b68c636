"""Follows a journal while its writer goes on, and shows its last record and what led to it.

It opens the file read-only for each look, so that it never holds a snapshot and outlives a medium that is exchanged.
"""

import asyncio
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Final

from controller.config import Settings
from controller.console.cells import jackpot_cell, table_cell
from controller.console.phrases import for_people
from controller.console.view import RECORDS_KEPT, View
from controller.journal import Head, JournalError, Record, page, recent
from controller.journal.record import RowError, decode
from controller.words import Words

LOOK_S: Final = 0.25
"""How often a journal is looked at that nobody announces."""

PAGE_ROWS: Final = 500

log = logging.getLogger(__name__)


class Follower:
    """Reads a journal on into a view.

    `path` says where it is now, None while it is yet to be made; `after` may be told of each new last record.
    """

    def __init__(
        self,
        settings: Settings,
        path: Callable[[], Path | None],
        view: View,
        after: Callable[[Record], None] = lambda _: None,
    ) -> None:
        self._settings = settings
        self._path = path
        self._view = view
        self._after = after
        self._head: Head | None = None
        self._words = Words(settings.language, settings.locale, settings.game.currency, settings.name)
        self._woken = asyncio.Event()
        self._loop: asyncio.AbstractEventLoop | None = None

    async def run(self) -> None:
        """Look again and again until cancelled. A journal that cannot be read is said on the page and in the log."""
        self._loop = asyncio.get_running_loop()
        while True:
            await asyncio.to_thread(self.look)
            try:
                await asyncio.wait_for(self._woken.wait(), LOOK_S)
            except TimeoutError:
                continue
            self._woken.clear()

    def announce(self) -> None:
        """Say that there are new records; from any thread, returns at once."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._woken.set)

    def look(self) -> None:
        """Read what is new and show it."""
        path = self._path()
        if path is None:
            return
        try:
            records = self._new(path)
        except (JournalError, RowError) as error:
            if self._view.get("unreadable") != str(error):
                log.warning("%s", error)
            self._view.set("unreadable", str(error))
            return
        self._view.set("unreadable", None)
        if records:
            self._head = Head(records[-1].seq, records[-1].digest)
            self._show(records)

    def _new(self, path: Path) -> tuple[Record, ...]:
        """The records after the last one that was seen; of a journal that is another one by now, its newest."""
        if self._head is not None:
            rows = page(path, self._head.seq - 1, PAGE_ROWS)
            if rows and (rows[0][0], rows[0][-1]) == self._head:
                return tuple(decode(row) for row in rows[1:])
        return recent(path, RECORDS_KEPT)

    def _show(self, records: tuple[Record, ...]) -> None:
        last = records[-1]
        self._view.set("table", table_cell(last.state))
        self._view.set("jackpot", jackpot_cell(self._settings, self._words, last.state))
        self._view.add(for_people(records))
        self._after(last)
