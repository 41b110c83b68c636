"""The pages of the simulated table: look at it, and do everything a hand can do at it.

It answers on loopback only and takes acts from its own pages only.
"""

import asyncio
from collections import defaultdict
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from html import escape
from typing import Final

import msgspec
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from controller.config import Settings
from controller.console.felt import felt
from controller.console.follow import Follower
from controller.console.guard import Guard
from controller.console.pages import STATIC, render
from controller.console.phrases import Phrases
from controller.console.stream import Streams
from controller.console.view import View
from controller.drill.medium import Medium
from controller.sim.acts import AnyAct, Hold, perform
from controller.sim.table import SimError, SimulatedTable
from controller.words import LANGUAGES
from hal.interface import HalError

ACT_BYTES_MAX: Final = 512
"""An act is a line of JSON; anything longer is none."""

_act = msgspec.json.Decoder(AnyAct).decode


class Hands:
    """Which page holds which line, so that a page that goes away lets go of what it held."""

    def __init__(self, table: SimulatedTable) -> None:
        self._table = table
        self._held: defaultdict[str, set[str]] = defaultdict(set)

    def holds(self, page: str, act: Hold) -> None:
        """Remember what a page holds, and what not any more."""
        if act.active:
            self._held[page].add(act.line)
        else:
            self._held[page].discard(act.line)

    def let_go(self, page: str) -> None:
        """Release everything a page holds."""
        for line in self._held.pop(page, ()):
            self._table.drive(line, active=False)


class SimPages:
    """The routes of one simulated table. `follower` must read the table's journal into `view`."""

    def __init__(self, table: SimulatedTable, view: View, follower: Follower) -> None:
        self._table = table
        self._view = view
        self._follower = follower
        self._streams = Streams(view)
        self._hands = Hands(table)
        self._phrases = {language: Phrases(language, table.settings) for language in LANGUAGES}

    def app(self) -> Starlette:
        """The application, its guard around it."""
        routes = [
            Route("/", self._table_page),
            Route("/sign", self._sign_page),
            Route("/events", self._events),
            Route("/act", self._do, methods=["POST"]),
            Mount("/static", StaticFiles(directory=STATIC)),
        ]
        return Starlette(routes=routes, middleware=[Middleware(Guard)], lifespan=self._living)

    @asynccontextmanager
    async def _living(self, app: Starlette) -> AsyncIterator[None]:  # noqa: ARG002, starlette's signature
        following = asyncio.create_task(self._follower.run())
        try:
            yield
        finally:
            following.cancel()
            with suppress(asyncio.CancelledError):
                await following

    def _spoken(self, request: Request) -> Phrases:
        asked = request.query_params.get("lang", "")
        return self._phrases[asked if asked in self._phrases else self._table.settings.language]

    async def _table_page(self, request: Request) -> Response:
        phrases, settings = self._spoken(request), self._table.settings
        seats = "".join(f"<option>{seat}</option>" for seat in range(1, settings.slots + 1))
        parts = {
            "table": escape(f"{settings.name} · {settings.game_title}"),
            "felt": felt(settings.slots, escape(phrases.raw("ui.felt_pot")), playable=True),
            "seats": seats,
        }
        return HTMLResponse(render("sim", phrases, parts))

    async def _sign_page(self, request: Request) -> Response:
        parts = {"table": escape(self._table.settings.name)}
        return HTMLResponse(render("sign", self._spoken(request), parts))

    async def _events(self, request: Request) -> Response:
        page = request.query_params.get("page", "")
        return self._streams.response(self._spoken(request), lambda: self._hands.let_go(page))

    async def _do(self, request: Request) -> Response:
        body = b""
        async for part in request.stream():
            body += part
            if len(body) > ACT_BYTES_MAX:
                return _refused("unreadable", 413)
        try:
            act = _act(body)
        except msgspec.MsgspecError:
            return _refused("unreadable", 400)
        try:
            await perform(self._table, act)
        except SimError as error:
            return _refused(error.code, 409)
        except HalError:
            return _refused("not_here", 404)
        if isinstance(act, Hold):
            self._hands.holds(request.headers.get("x-pozo-page", ""), act)
        return Response(status_code=204)


def _refused(code: str, status: int) -> Response:
    return JSONResponse({"error": code}, status_code=status)


def simulated(settings: Settings, medium: Medium) -> tuple[SimulatedTable, View, Follower]:
    """A simulated table, what is seen of it, and the follower of its journal."""
    view = View()
    table = SimulatedTable(settings, medium, view.set, lambda _: follower.announce())
    follower = Follower(settings, lambda: medium.journal if table.ready else None, view)
    return table, view, follower
