"""Serves an application over HTTP, in this thread or in one of its own. It knows nothing of what is served."""

import signal
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Thread
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


class TlsError(OSError):
    """A certificate or its key cannot be used; the text says which, why and what to do."""


def tls_of(certificate: Path, key: Path) -> Tls:
    """The two files, once they were read as a server will read them. Raises `TlsError`."""
    try:
        # No password: nobody is asked for one on a terminal that a service does not have.
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key, password="")
    except OSError as error:
        raise TlsError(
            f"{certificate} with the key {key} cannot be used: {error.strerror or error}. Both are PEM files that "
            "this user can read, of one pair, the key without a password"
        ) from error
    return Tls(certificate, key)


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


class Ending(uvicorn.Server):
    """A server that, asked to end, first calls `ending`, which must end the answers that have no end."""

    def __init__(self, config: uvicorn.Config, ending: Callable[[], None]) -> None:
        super().__init__(config)
        self._ending = ending

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the endless answers, then as uvicorn does."""
        self._ending()
        await super().shutdown(sockets)


def server(app: ASGIApp, ending: Callable[[], None], tls: Tls | None = None) -> uvicorn.Server:
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
    return Ending(config, ending)


@contextmanager
def serving(running: uvicorn.Server, taken: socket.socket, ended: Callable[[], None]) -> Iterator[None]:
    """Serve in a thread as long as the body lasts; `ended` is called when the server has ended, however it did."""

    def run() -> None:
        try:
            running.run(sockets=[taken])
        finally:
            ended()

    thread = Thread(target=run, name="pages")
    thread.start()
    try:
        yield
    finally:
        running.should_exit = True
        thread.join()


def serve(running: uvicorn.Server, taken: socket.socket) -> None:
    """Serve until SIGTERM or SIGINT, or until the server fails by itself."""
    over = Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: over.set())
    with serving(running, taken, over.set):
        over.wait()
