"""Requests to the pages: raw HTTP through the parser the server uses, then the applications, without a socket."""

import asyncio
import hashlib
from contextlib import suppress
from typing import Any, Final
from urllib.parse import unquote

import h11
import msgspec
from starlette.types import ASGIApp, Message

from controller.console.access import Access, Sessions
from controller.console.sim_app import SimPages, simulated
from controller.console.table_app import ConsolePages
from controller.console.view import View
from controller.drill.medium import Medium
from controller.sim.acts import AnyAct, SwitchOn
from controller.sim.mirror import Mirror
from tests.fuzz.target import Target, folder
from tests.helpers_console import OWN, TWO_AWARDS, played, settings

HOST: Final = OWN.removeprefix("http://").encode()
TOKEN: Final = "a-token-of-the-floor"
PATIENCE_S: Final = 120.0
INCOMPLETE_MOST: Final = 64 * 1024
"""As uvicorn sets it."""


def sim(data: bytes) -> None:
    """A request to the simulated table's pages, which has no power."""
    _ask(_sim, data)


def console(data: bytes) -> None:
    """A request to a real table's console that has a door."""
    _ask(_console, data)


def inside(data: bytes) -> None:
    """A request to a real table's console by somebody who knows the token."""
    head, separator, rest = data.partition(b"\r\n")
    _ask(_console, head + separator + b"authorization: Bearer " + TOKEN.encode() + b"\r\n" + rest)


def _ask(app: ASGIApp, data: bytes) -> None:
    connection = h11.Connection(h11.SERVER, max_incomplete_event_size=INCOMPLETE_MOST)
    body = b""
    request: h11.Request | None = None
    with suppress(h11.RemoteProtocolError):
        connection.receive_data(data)
        connection.receive_data(b"")
        while not isinstance(event := connection.next_event(), h11.EndOfMessage | h11.ConnectionClosed):
            if isinstance(event, h11.Request):
                request = event
            elif isinstance(event, h11.Data):
                body += bytes(event.data)
            else:
                break
    if request is not None and not _switches_on(body):
        answer = asyncio.run(_answered(app, request, body))
        assert answer[0]["status"] < 500, "the request made the server fail"
        assert any(name == b"content-security-policy" for name, _ in answer[0]["headers"])


def _switches_on(body: bytes) -> bool:
    """Whether this would start a table, with its threads."""
    try:
        return isinstance(msgspec.json.decode(body, type=AnyAct), SwitchOn)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return False


async def _answered(app: ASGIApp, request: h11.Request, body: bytes) -> list[Message]:
    raw, _, query = request.target.partition(b"?")
    scope: dict[str, Any] = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method.decode("ascii"),
        "scheme": "http",
        "path": unquote(raw.decode("ascii")),
        "raw_path": raw,
        "query_string": query,
        "root_path": "",
        "headers": [(name.lower(), value) for name, value in request.headers],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", 8777),
    }
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
    answer: list[Message] = []

    async def receive() -> Message:
        return waiting.pop(0) if waiting else {"type": "http.disconnect"}

    async def send(message: Message) -> None:
        answer.append(message)

    await asyncio.wait_for(app(scope, receive, send), PATIENCE_S)
    return answer


def _made_console() -> ASGIApp:
    made = played(folder(), TWO_AWARDS)
    view = View()
    sessions = Sessions(Access(b"", b"", (hashlib.sha256(TOKEN.encode()).digest(),)), lambda: 0.0)
    return ConsolePages(made, view, Mirror(made, lambda: 0, view.set), sessions).app()


_medium = Medium()
_table, _view, _follower = simulated(settings(), _medium)
_sim = SimPages(_table, _view, _follower).app()
_console = _made_console()


def _get(path: bytes, *headers: bytes) -> bytes:
    return b"\r\n".join((b"GET " + path + b" HTTP/1.1", b"host: " + HOST, *headers, b"", b""))


def _post(path: bytes, body: bytes) -> bytes:
    length = b"content-length: %d" % len(body)
    head = (b"POST " + path + b" HTTP/1.1", b"host: " + HOST, b"origin: http://" + HOST, length, b"", b"")
    return b"\r\n".join(head) + body


PATHS = (
    b"/",
    b"/sign?lang=en",
    b"/static/live.js",
    b"/static/../pages.py",
    b"/static/%2e%2e/%2e%2e/journal.db",
    b"/static/%00",
    b"/static/" + b"a" * 5000,
)
REPORTS = (
    b"/meters",
    b"/awards",
    b"/awards/1",
    b"/awards/" + b"9" * 5000,
    b"/rounds?lang=%ff",
    b"/faults",
    b"/inputs",
)
SIM = (
    *(_get(path) for path in PATHS),
    *(
        _post(b"/act", body)
        for body in (
            b'{"do":"chip","seat":3}',
            b'{"do":"hold","line":"coin_in","active":true}',
            b'{"do":"break","device":"sign","broken":true}',
            b'{"do":"spoil","part":null}',
            b'{"do":"pad","key":"1"}',
            b"[" * 500,
        )
    ),
)
CONSOLE = (
    *(_get(path) for path in PATHS),
    _post(b"/login", b"secret=something"),
    _post(b"/login", b"secret=%ff%00&secret=" + b"a" * 1000),
    _get(b"/", b"cookie: pozo_session=abc; ; =; \xff", b"authorization: Bearer \xff\xfe"),
    _get(b"/", b"authorization: Bearer"),
    _get(b"/", b"accept: text/html"),
)
TARGETS = {
    "sim": Target(sim, SIM),
    "console": Target(console, CONSOLE),
    "inside": Target(
        inside, tuple(_get(path) for path in (*PATHS, *REPORTS, b"/journal.csv", b"/journal.jsonl"))
    ),
}
