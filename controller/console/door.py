"""The console's door: nobody passes without a session or a token, but to the login page and the files it needs."""

import asyncio
from html import escape
from typing import Final
from urllib.parse import parse_qs

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Receive, Scope, Send

from controller.console.access import SESSION_S, Sessions
from controller.console.pages import render
from controller.console.site import Site

COOKIE: Final = "pozo_session"
FORM_BYTES_MAX: Final = 2048
_OPEN: Final = ("/login", "/static/")


class Door:
    """Wraps an application. A browser is sent to the login page, a program gets 401."""

    def __init__(self, app: ASGIApp, sessions: Sessions) -> None:
        self._app = app
        self._sessions = sessions

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let through who is known."""
        if scope["type"] != "http" or scope["path"].startswith(_OPEN) or self._known(Request(scope)):
            await self._app(scope, receive, send)
            return
        request = Request(scope)
        if "text/html" in request.headers.get("accept", ""):
            answer: Response = RedirectResponse("/login", status_code=303)
        else:
            answer = PlainTextResponse(
                "Log in, or send your token as `Authorization: Bearer TOKEN`.\n",
                status_code=401,
                headers={"WWW-Authenticate": "Bearer"},
            )
        await answer(scope, receive, send)

    def _known(self, request: Request) -> bool:
        if self._sessions.knows(request.cookies.get(COOKIE, "")):
            return True
        scheme, _, token = request.headers.get("authorization", "").partition(" ")
        if scheme.lower() != "bearer" or not token:
            return False
        return self._sessions.admits(token)


class Login:
    """The login page, and leaving again. `secure`: the cookie travels over TLS only."""

    def __init__(self, site: Site, sessions: Sessions, *, secure: bool) -> None:
        self._site = site
        self._sessions = sessions
        self._secure = secure
        # One secret at a time: the hash takes 32 MB, and tries sent at once would all pass before one is counted.
        self._one = asyncio.Lock()

    def routes(self) -> list[BaseRoute]:
        """What must be reachable for it."""
        return [
            Route("/login", self._ask),
            Route("/login", self._enter, methods=["POST"]),
            Route("/logout", self._leave, methods=["POST"]),
        ]

    async def _ask(self, request: Request) -> Response:
        return self._page(request, "", 200)

    async def _enter(self, request: Request) -> Response:
        body = await request.body() if _short(request) else b""
        secret = parse_qs(body.decode("utf-8", "replace")).get("secret", [""])[0]
        async with self._one:
            if self._sessions.barred:
                return self._page(request, "ui.barred", 429)
            session = await run_in_threadpool(self._sessions.begin, secret)
        if session is None:
            return self._page(request, "ui.wrong", 403)
        answer = RedirectResponse(f"/?lang={self._site.spoken(request).language}", status_code=303)
        answer.set_cookie(
            COOKIE, session, max_age=SESSION_S, httponly=True, samesite="strict", secure=self._secure
        )
        return answer

    async def _leave(self, request: Request) -> Response:
        self._sessions.end(request.cookies.get(COOKIE, ""))
        answer = RedirectResponse("/login", status_code=303)
        answer.delete_cookie(COOKIE, httponly=True, samesite="strict", secure=self._secure)
        return answer

    def _page(self, request: Request, key: str, status: int) -> Response:
        phrases = self._site.spoken(request)
        said = f'<p class="alarm" role="alert">{escape(phrases.raw(key))}</p>' if key else ""
        return HTMLResponse(render("login", phrases, {"said": said}), status_code=status)


def _short(request: Request) -> bool:
    """Whether the body says it is no longer than a secret can be; one that does not say is not read."""
    length = request.headers.get("content-length", "")
    plain = length.isascii() and length.isdigit() and len(length) <= len(str(FORM_BYTES_MAX))
    return plain and int(length) <= FORM_BYTES_MAX
