"""A view as server-sent events: everything when a page connects, then what changes.

A page that connects again gets everything again, so that nothing has to be remembered for it.
"""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Final

import msgspec
from starlette.responses import JSONResponse, Response, StreamingResponse

from controller.console.phrases import Phrases, Said
from controller.console.view import Changes, View

REST_S: Final = 0.03
"""A page is told at most every so often; lamps that flash faster cannot be seen."""

ALIVE_S: Final = 4.0
"""How often a page hears that the program lives although nothing changes; a television that hears nothing for three
times as long promises nothing (`static/live.js`)."""

STREAMS_MAX: Final = 32
"""Pages that may look on at once; each costs a descriptor and its share of every change."""


class News(msgspec.Struct, frozen=True):
    """One message to a page. `whole`: forget what you have, this is everything."""

    whole: bool
    cells: dict[str, object]
    records: tuple[Said, ...]


class Streams:
    """Gives pages their streams, `STREAMS_MAX` at most."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._open = 0

    def response(self, phrases: Phrases, ended: Callable[[], None] = lambda: None) -> Response:
        """A stream in this language; `ended` is called when its page has gone. 503 when there are too many."""
        if self._open >= STREAMS_MAX:
            return JSONResponse({"error": "too_many"}, status_code=503)
        return StreamingResponse(
            self._events(phrases, ended),
            media_type="text/event-stream",
            headers={"X-Accel-Buffering": "no"},
        )

    async def _events(self, phrases: Phrases, ended: Callable[[], None]) -> AsyncIterator[bytes]:
        self._open += 1
        try:
            async for message in messages(self._view, phrases):
                yield message
        finally:
            self._open -= 1
            ended()


async def messages(view: View, phrases: Phrases) -> AsyncIterator[bytes]:
    """The stream's text: how soon to connect again, then news until the view closes."""
    yield b"retry: 1000\n\n"
    number = 0
    with view.woken() as woken:
        while not view.closed:
            woken.clear()
            changes = view.since(number)
            if changes.cells or changes.records:
                yield _written(changes, phrases, whole=number == 0)
            number = changes.number
            try:
                await asyncio.wait_for(woken.wait(), ALIVE_S)
            except TimeoutError:
                yield _told(News(whole=False, cells={}, records=()))
            else:
                await asyncio.sleep(REST_S)


def _written(changes: Changes, phrases: Phrases, *, whole: bool) -> bytes:
    said = tuple(phrases.record(record) for record in changes.records)
    return _told(News(whole, changes.cells, said))


def _told(news: News) -> bytes:
    return b"data: " + msgspec.json.encode(news) + b"\n\n"
