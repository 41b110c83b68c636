"""Where a command puts its paper: a printer, a new file, or the screen; and how its errors reach the person there."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

import click

from controller.cli.errors import told_plainly
from controller.slips.commands import PrinterExtraMissingError
from controller.slips.document import Document
from controller.slips.outlet import Outlet, OutletError, TextFile
from controller.slips.plain import plain_text
from controller.slips.printer import printer as printer_of
from controller.slips.register import RegisterError
from controller.slips.source import SlipError

_Command = TypeVar("_Command", bound=Callable[..., object])
PRINTER_HELP = "serial:/dev/ttyUSB0@9600, usb:04b8:0202 or file:/dev/usb/lp0."


class Screen:
    """Standard output."""

    def ready(self) -> None:
        """A screen always takes a text."""

    def put(self, document: Document) -> None:
        """Show it."""
        click.echo(plain_text(document), nl=False)


def outlet_options(command: _Command) -> _Command:
    """`--printer` and `-o`."""
    printer = click.option("--printer", metavar="DEVICE", help=PRINTER_HELP)
    output = click.option("-o", "--output", type=click.Path(path_type=Path), help="A new text file.")
    return printer(output(command))


def outlet(printer: str | None, output: Path | None) -> Outlet | None:
    """The outlet meant, None for the screen. Raises `OutletError` for a printer that is none."""
    if printer is not None and output is not None:
        raise click.UsageError("name one of --printer and -o")
    if printer is not None:
        return printer_of(printer)
    return None if output is None else TextFile(output)


@contextmanager
def told_on_paper() -> Iterator[None]:
    """Errors of papers, beside those of every command, become a message and exit code 1."""
    with told_plainly():
        try:
            yield
        except (OutletError, RegisterError, SlipError, PrinterExtraMissingError) as error:
            raise click.ClickException(str(error)) from error
