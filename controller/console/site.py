"""What the simulated table's pages and a real table's have in common: languages, the stream, the television, files."""

import asyncio
import logging
import os
import signal
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from html import escape

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from controller.config import Settings
from controller.console.felt import felt
from controller.console.pages import STATIC, render
from controller.console.phrases import Phrases
from controller.console.stream import Streams
from controller.console.view import View
from controller.words import LANGUAGES

Ended = Callable[[], None]

log = logging.getLogger(__name__)


class Site:
    """The common routes of one table's pages."""

    def __init__(self, settings: Settings, view: View) -> None:
        self._settings = settings
        self._streams = Streams(view)
        self._phrases = {language: Phrases(language, settings) for language in LANGUAGES}

    def routes(self) -> list[BaseRoute]:
        """The television's page and the files of all pages."""
        return [Route("/sign", self.sign), Mount("/static", StaticFiles(directory=STATIC))]

    def spoken(self, request: Request) -> Phrases:
        """The language a page asks for, else the table's own."""
        asked = request.query_params.get("lang", "")
        return self._phrases[asked if asked in self._phrases else self._settings.language]

    def events(self, request: Request, ended: Ended = lambda: None) -> Response:
        """The stream of what changes."""
        return self._streams.response(self.spoken(request), ended)

    def felt(self, phrases: Phrases, *, playable: bool) -> str:
        """The drawing of the table."""
        return felt(self._settings.slots, escape(phrases.raw("ui.felt_pot")), playable=playable)

    @property
    def title(self) -> str:
        """The table's name and its game, for a page."""
        return escape(f"{self._settings.name} · {self._settings.game_title}")

    async def sign(self, request: Request) -> Response:
        """The jackpot for a television."""
        return HTMLResponse(render("sign", self.spoken(request), {"table": escape(self._settings.name)}))


def _died(task: asyncio.Future[None]) -> None:
    if not task.cancelled() and task.exception() is not None:
        log.critical("a part of the pages died; the program ends", exc_info=task.exception())
        # To the process, not to this thread: the main one waits in the kernel, and only a signal of its own wakes it.
        os.kill(os.getpid(), signal.SIGTERM)


def background(
    tasks: Sequence[Callable[[], Awaitable[None]]],
) -> Callable[[Starlette], AbstractAsyncContextManager[None]]:
    """A life for an application: these run as long as it does. One that dies ends the program as SIGTERM does."""

    @asynccontextmanager
    async def living(app: Starlette) -> AsyncIterator[None]:  # noqa: ARG001, starlette's signature
        running = [asyncio.ensure_future(task()) for task in tasks]
        for task in running:
            task.add_done_callback(_died)
        try:
            yield
        finally:
            for task in running:
                task.cancel()
            for task in running:
                with suppress(asyncio.CancelledError):
                    await task

    return living
