"""Serves an application over HTTP, in this thread or in one of its own. It knows nothing of what is served."""

import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import Final, NamedTuple

import uvicorn
from starlette.types import ASGIApp

CONNECTIONS_MAX: Final = 128
STOP_S: Final = 2
"""An answer still under way has this long when the server ends."""


class Tls(NamedTuple):
    """A certificate and its key, as PEM files."""

    certificate: Path
    key: Path


class PortError(OSError):
    """The address cannot be listened on; the text says why and what to do."""


def listen(host: str, port: int) -> socket.socket:
    """Take the address; port 0 takes a free one. Raises `PortError`."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except OSError as error:
        raise PortError(
            f"cannot listen on {host} port {port}: {error.strerror or error}. Choose another with --port, or end "
            "the program that has it."
        ) from error


def url(taken: socket.socket, *, tls: bool = False) -> str:
    """The address as a browser wants it."""
    host, port = taken.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    return f"http{'s' if tls else ''}://{shown}:{port}/"


def server(app: ASGIApp, tls: Tls | None = None) -> uvicorn.Server:
    """A server that is not running yet; it logs no requests, since a request may carry a secret."""
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        server_header=False,
        ws="none",
        lifespan="on",
        limit_concurrency=CONNECTIONS_MAX,
        timeout_graceful_shutdown=STOP_S,
        ssl_certfile=None if tls is None else tls.certificate,
        ssl_keyfile=None if tls is None else str(tls.key),
    )
    return uvicorn.Server(config)


@contextmanager
def serving(app: ASGIApp, taken: socket.socket, ending: Callable[[], None]) -> Iterator[None]:
    """Serve in a thread as long as the body lasts; then `ending` is called, which must end endless answers."""
    running = server(app)
    thread = Thread(target=running.run, kwargs={"sockets": [taken]}, name="pages")
    thread.start()
    try:
        yield
    finally:
        ending()
        running.should_exit = True
        thread.join()
