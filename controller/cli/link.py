"""`pozo link`: a table's records on their way out, in a process of its own beside `pozo run`."""

import random
from collections.abc import Callable
from enum import StrEnum
from importlib.metadata import version
from importlib.util import find_spec
from typing import NamedTuple, assert_never

import click

from controller.cli.errors import told_plainly
from controller.clock import Clock, SystemClock
from controller.config import Settings, load
from controller.link.courier import Adapter, Courier
from controller.link.drive import hold_stops, until_stopped
from controller.notify import Notify
from controller.signing.device import key_of
from controller.single import SingleInstance


class To(StrEnum):
    """Where records can go; the section of the table's file is called so too, but for the floor's, `[link]`."""

    FLOOR = "floor"
    WEBHOOK = "webhook"
    FOLDER = "folder"
    MQTT = "mqtt"


class Sender(NamedTuple):
    """What is driven, and how it ends."""

    turn: Callable[[], int]
    close: Callable[[], None]
    wait: Callable[[float], bool] = lambda _: False


@click.command()
@click.option("--config", "name", required=True, help="The table's file, or the name of a shipped one.")
@click.option(
    "--to", type=click.Choice([each.value for each in To]), default=To.FLOOR.value, show_default=True
)
@click.option("--wanted", is_flag=True, help="Only say whether the file has that section: exit code 0 or 1.")
def link(name: str, to: str, *, wanted: bool) -> None:
    """Send a table's records to the floor, webhook, folder or broker of its file, until SIGTERM or SIGINT."""
    with told_plainly():
        settings, goal, clock, notify = load(name), To(to), SystemClock(), Notify()
        if wanted:
            _refuse_unwanted(settings, goal)
            return
        with SingleInstance(settings.journal.with_name(f"{settings.journal.name}.{goal}")):
            sender = _sender(settings, goal, clock)

            def petted() -> int:
                notify.alive(clock.monotonic_ns())
                return sender.turn()

            hold_stops()
            notify.ready()
            click.echo(f"table {settings.table_id}: records go to the {goal}")
            why = until_stopped(petted, clock, sender.wait)
            notify.stopping()
            sender.close()
    click.echo(f"table {settings.table_id}: ended by {why}")


def _refuse_unwanted(settings: Settings, goal: To) -> None:
    """Say that there is no such section, for a unit that then has nothing to do."""
    there = settings.onward
    sections = {
        To.FLOOR: there.link,
        To.WEBHOOK: there.webhook,
        To.FOLDER: there.folder,
        To.MQTT: there.mqtt,
    }
    if sections[goal] is None:
        raise _missing(settings, "link" if goal is To.FLOOR else goal)


def _sender(settings: Settings, goal: To, clock: Clock) -> Sender:
    match goal:
        case To.FLOOR:
            return _to_floor(settings, clock)
        case To.WEBHOOK:
            return _courier(settings, _webhook(settings), clock)
        case To.FOLDER:
            return _courier(settings, _folder(settings), clock)
        case To.MQTT:
            return _mirror(settings, clock)
        case _:
            assert_never(goal)


def _to_floor(settings: Settings, clock: Clock) -> Sender:
    link = settings.onward.link
    if link is None:
        raise _missing(settings, "link")
    if find_spec("psycopg") is None:
        raise click.ClickException("`pozo link` needs PostgreSQL's driver: pip install 'pozo[floor]'")
    from controller.link.beat import Mouth  # noqa: PLC0415, what other goals do not need
    from controller.link.pump import Ends, Pump  # noqa: PLC0415, it needs the database's driver
    from controller.link.reach import reach  # noqa: PLC0415, it needs the database's driver

    table, floor, mouth = settings.table_id, link.floor, Mouth(link.socket)
    ends = Ends(table, settings.journal, lambda: reach(floor, table), mouth, f"pozo {version('pozo')}")
    pump = Pump(ends, clock, random.random)

    def close() -> None:
        pump.close()
        mouth.close()

    return Sender(pump.turn, close, pump.wait)


def _courier(settings: Settings, adapter: Adapter, clock: Clock) -> Sender:
    return Sender(Courier(settings.journal, adapter, clock, random.random).turn, lambda: None)


def _webhook(settings: Settings) -> Adapter:
    from controller.link.webhook import Hook  # noqa: PLC0415, TLS is needed for nothing else

    if settings.onward.webhook is None:
        raise _missing(settings, To.WEBHOOK)
    return Hook(settings.table_id, settings.onward.webhook, lambda: key_of(settings.journal))


def _folder(settings: Settings) -> Adapter:
    from controller.link.folder import Folder  # noqa: PLC0415, what other goals do not need

    if settings.onward.folder is None:
        raise _missing(settings, To.FOLDER)
    return Folder(settings.table_id, settings.onward.folder)


def _mirror(settings: Settings, clock: Clock) -> Sender:
    broker = settings.onward.mqtt
    if broker is None:
        raise _missing(settings, To.MQTT)
    if find_spec("paho") is None:
        raise click.ClickException("`pozo link --to mqtt` needs its library: pip install 'pozo[mqtt]'")
    from controller.link.mirror import Mirror  # noqa: PLC0415, it needs the broker's library

    mirror = Mirror(settings.table_id, settings.journal, broker, clock, random.random)
    return Sender(mirror.turn, mirror.close)


def _missing(settings: Settings, section: str) -> click.ClickException:
    return click.ClickException(
        f"{settings.source} has no [{section}]: add it, or name where the records go with --to"
    )
