"""The pages of the simulated table: look at it, and do everything a hand can do at it.

It answers on loopback only and takes acts from its own pages only.
"""

from collections import defaultdict
from typing import Final

import msgspec
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from controller.config import Settings
from controller.console.follow import Follower
from controller.console.guard import Guard
from controller.console.pages import render
from controller.console.site import Site, background
from controller.console.view import View
from controller.drill.medium import Medium
from controller.sim.acts import AnyAct, Hold, perform
from controller.sim.table import SimError, SimulatedTable
from hal.interface import HalError

ACT_BYTES_MAX: Final = 512
"""An act is a line of JSON; anything longer is none."""

PAD_KEYS: Final = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "CLEAR", "0", "ENTER")

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
        self._site = Site(table.settings, view)
        self._follower = follower
        self._hands = Hands(table)

    def app(self) -> Starlette:
        """The application, its guard around it."""
        routes = [
            Route("/", self._table_page),
            Route("/events", self._events),
            Route("/act", self._do, methods=["POST"]),
            *self._site.routes(),
        ]
        return Starlette(
            routes=routes, middleware=[Middleware(Guard)], lifespan=background([self._follower.run])
        )

    async def _table_page(self, request: Request) -> Response:
        phrases = self._site.spoken(request)
        seats = range(1, self._table.settings.slots + 1)
        parts = {
            "table": self._site.title,
            "felt": self._site.felt(phrases, playable=True),
            "pad": "".join(f'<button type="button" data-pad="{key}">{key}</button>' for key in PAD_KEYS),
            "seats": "".join(f"<option>{seat}</option>" for seat in seats),
        }
        return HTMLResponse(render("sim", phrases, parts))

    async def _events(self, request: Request) -> Response:
        page = request.query_params.get("page", "")
        return self._site.events(request, lambda: self._hands.let_go(page))

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
