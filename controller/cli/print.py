"""`pozo print`: a process of its own that prints each new award's slip, and never holds the table."""

import signal
import threading
from pathlib import Path

import click

from controller.cli.house import desk, house_options
from controller.cli.outlets import PRINTER_HELP, told_on_paper
from controller.clock import SystemClock
from controller.single import AlreadyRunningError
from controller.slips.follow import Follower
from controller.slips.outlet import OutletError
from controller.slips.printer import printer as printer_of

LOOK_S = 0.5
"""How often the journal is looked at: one record is read."""

AGAIN_S = 5.0
"""After a failure: how long until the printer is asked again."""


@click.command("print")
@house_options
@click.option("--printer", required=True, metavar="DEVICE", help=PRINTER_HELP)
@click.option("--once", is_flag=True, help="Print what is due and end.")
def print_command(path: Path | None, config: str | None, lang: str | None, printer: str, once: bool) -> None:
    """Print each award's slip as it is approved, until SIGTERM or SIGINT.

    A printer that is absent, off line or out of paper is said once and tried again; slips wait, the table plays on.
    """
    at = desk(path, config, lang)
    with told_on_paper():
        follower = Follower(at.journal, printer_of(printer), at.house, SystemClock(), click.echo)
        if once:
            follower.turn()
        else:
            _follow(follower)


def _follow(follower: Follower) -> None:
    ending = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: ending.set())
    said = ""
    wait_s = 0.0
    while not ending.wait(wait_s):
        try:
            follower.turn()
        except (OutletError, AlreadyRunningError) as error:
            wait_s = AGAIN_S
            if str(error) != said:
                said = str(error)
                click.echo(said, err=True)
        else:
            wait_s, said = LOOK_S, ""


print = print_command  # noqa: A001, the command line finds a command under its own name
