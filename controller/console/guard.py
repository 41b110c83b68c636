"""What every request must pass and every answer carries: known host, own origin, strict headers.

A page of a stranger in the same browser can reach a server on loopback; the host check stops one that renames
itself (DNS rebinding), the origin check stops one that posts, the headers stop one that frames or embeds.
"""

import ipaddress
from collections.abc import Collection
from typing import Final
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Not `no-referrer`: with it a browser sends `Origin: null` with our own login form.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
"""On every answer, errors included. No page needs anything from elsewhere, nor inline code or style."""

SAFE: Final = frozenset({"GET", "HEAD"})


class Guard:
    """Wraps an application. `names`: the host names it answers to, besides loopback ones and, if `addresses`, any IP.

    An IP address as host cannot be renamed by a stranger; a name can.
    """

    def __init__(self, app: ASGIApp, *, names: Collection[str] = (), addresses: bool = False) -> None:
        self._app = app
        self._names = frozenset({"localhost", *names})
        self._addresses = addresses

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse with 400 or 403, or let the application answer, its headers completed."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def headed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        refusal = self._refusal(scope["method"], Headers(scope=scope), scope["scheme"])
        answer = self._app if refusal is None else refusal
        await answer(scope, receive, headed)

    def _refusal(self, method: str, headers: Headers, scheme: str) -> PlainTextResponse | None:
        host = headers.get("host", "")
        if not self._known(host):
            return PlainTextResponse(
                f"This server does not answer to the host {host[:100]!r}: use the address it printed, or name "
                "the host with --host.\n",
                status_code=400,
            )
        if method not in SAFE and headers.get("origin") != f"{scheme}://{host}":
            return PlainTextResponse("Only this server's own pages may send.\n", status_code=403)
        return None

    def _known(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        if name in self._names:
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        return self._addresses or address.is_loopback
