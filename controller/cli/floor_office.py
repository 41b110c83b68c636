"""How a command names the floor, and how the floor's words reach the person at the keyboard.

Much of what the floor tells was written by tables' logins, in refused calls too: nothing of it commands a terminal.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import click

from controller.cli.errors import told_plainly
from controller.floor.errors import FloorError
from controller.floor.office import Office
from controller.slips.document import printable

_Command = TypeVar("_Command", bound=Callable[..., object])


def floor_option(command: _Command) -> _Command:
    """`--floor`, or POZO_FLOOR, or libpq's own variables."""
    return click.option(
        "--floor",
        "where",
        envvar="POZO_FLOOR",
        default="dbname=pozo",
        show_default=True,
        metavar="CONNINFO",
        help="The floor's database; also from POZO_FLOOR.",
    )(command)


def both_persons(command: _Command) -> _Command:
    """`--supervisor` and `--technician`: what the floor takes only from both."""
    supervisor = click.option("--supervisor", required=True, help="Who agrees, of the house.")
    technician = click.option(
        "--technician", required=True, help="Who agrees, of the technicians; another person."
    )
    return supervisor(technician(command))


def office_of(where: str) -> Office:
    """A connection to the floor."""
    return Office.connect(where)


def say(text: str) -> None:
    """A line on the screen."""
    click.echo(printable(text))


@contextmanager
def told_by_floor() -> Iterator[None]:
    """Errors of the floor, beside those of every command, become a message and exit code 1."""
    with told_plainly():
        try:
            yield
        except FloorError as error:
            raise click.ClickException(printable(str(error))) from error
