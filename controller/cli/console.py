"""`pozo console`: a real table's journal in the browser, read-only, in a process of its own."""

import ipaddress
import time
from pathlib import Path
from typing import NamedTuple

import click

from controller.cli.errors import told_plainly
from controller.config import Settings, load

PORT = 8778


class Asked(NamedTuple):
    """Where to listen, under which names, who may look, and the files of TLS."""

    bind: str
    port: int
    hosts: tuple[str, ...]
    access: Path | None
    certificate: Path | None
    key: Path | None


@click.command()
@click.option("--config", "name", required=True, help="The table's file, or the name of a shipped one.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="0 takes a free one."
)
@click.option("--bind", default="127.0.0.1", show_default=True, help="The address to listen on.")
@click.option(
    "--host", "hosts", multiple=True, help="A name by which browsers call this machine; repeatable."
)
@click.option(
    "--access",
    type=click.Path(path_type=Path),
    help="Who may look (`pozo access`); must be given beyond loopback.",
)
@click.option("--tls-cert", type=click.Path(path_type=Path), help="Certificate, PEM.")
@click.option("--tls-key", type=click.Path(path_type=Path), help="Its key, PEM.")
def console(
    *,
    name: str,
    port: int,
    bind: str,
    hosts: tuple[str, ...],
    access: Path | None,
    tls_cert: Path | None,
    tls_key: Path | None,
) -> None:
    """Look at a table while it plays: live, meters, awards with proof, rounds, faults, downloads. No inputs."""
    if (tls_cert is None) != (tls_key is None):
        raise click.UsageError("a certificate and its key belong together: give both or neither")
    if access is None and not _is_loopback(bind):
        raise click.UsageError(f"{bind} can be reached by others: give --access FILE (made by `pozo access`)")
    with told_plainly():
        _serve(load(name), Asked(bind, port, hosts, access, tls_cert, tls_key))


def _is_loopback(bind: str) -> bool:
    try:
        return ipaddress.ip_address(bind).is_loopback
    except ValueError as error:
        raise click.UsageError(
            f"--bind {bind!r} is no IP address; 0.0.0.0 is every one of this machine"
        ) from error


def _serve(settings: Settings, asked: Asked) -> None:
    try:
        from controller.console.access import AccessError, Sessions, read  # noqa: PLC0415, a table has no web server
        from controller.console.serve import listen, serve, server, tls_of, url  # noqa: PLC0415, the same
        from controller.console.table_app import ConsolePages  # noqa: PLC0415, the same
        from controller.console.view import View  # noqa: PLC0415, the same
        from controller.sim.mirror import Mirror  # noqa: PLC0415, the same
    except ModuleNotFoundError as error:
        raise click.ClickException(f"{error}: install the pages with  pip install 'pozo[console]'") from error
    try:
        sessions = None if asked.access is None else Sessions(read(asked.access), time.monotonic)
    except AccessError as error:
        raise click.ClickException(str(error)) from error
    view = View()
    pages = ConsolePages(settings, view, Mirror(settings, time.monotonic_ns, view.set), sessions)
    certificate, key = asked.certificate, asked.key
    tls = None if certificate is None or key is None else tls_of(certificate, key)
    loopback = _is_loopback(asked.bind)
    app = pages.app(names=asked.hosts, addresses=not loopback, secure=tls is not None)
    taken = listen(asked.bind, asked.port)
    click.echo(f"{settings.name}: {url(taken, tls=tls is not None)}  (Ctrl-C ends it)")
    if not loopback and tls is None:
        click.echo("warning: without --tls-cert the password crosses the network in clear", err=True)
    serve(server(app, view.close, tls), taken)
