"""`pozo transfer`: move a pot between levels or tables, with the table closed and both keys turned."""

import uuid
from pathlib import Path

import click

from controller import transfer as files
from controller.administer import administer
from controller.cli.errors import told_plainly
from controller.cli.keys import both_keys
from controller.cli.persons import Reception
from controller.clock import SystemClock
from controller.config import Settings, load
from controller.core import events as ev
from controller.core.money import AmountError, parse, plain
from controller.single import SingleInstance

CONFIG = click.option("--config", "name", required=True, help="The table's file, or a shipped name.")
BENCH = click.option("--bench", type=click.Path(path_type=Path), help="Turn a simulated board's keys here.")
TURN_KEYS = click.option("--turn-keys", is_flag=True, help="Simulated boards only: turn both keys yourself.")
REASON = click.option("--reason", required=True, help="Why; it is kept in the journal.")


@click.group()
def transfer() -> None:
    """Move a pot, with both keys: a recorded, balanced pair."""


def _amount(settings: Settings, text: str) -> int:
    try:
        return parse(text, settings.game.currency)
    except AmountError as error:
        raise click.BadParameter(str(error)) from error


def _do(settings: Settings, act: ev.AnyEvent, bench: Path | None, *, turn_keys: bool) -> None:
    with SingleInstance(settings.journal):
        clock = SystemClock()
        reception = Reception(settings, clock)
        both_keys(settings, bench, turn_keys=turn_keys)
        results = administer(settings, clock, act, both_keys=True, session=reception.both())
    for result in results:
        if isinstance(result, ev.TransferMade):
            currency = settings.game.currency
            click.echo(f"{result.level}: {plain(result.by, currency)}, now {plain(result.current, currency)}")


@transfer.command()
@click.argument("source")
@click.argument("target")
@click.argument("amount")
@CONFIG
@REASON
@BENCH
@TURN_KEYS
def within(
    *, source: str, target: str, amount: str, name: str, reason: str, bench: Path | None, turn_keys: bool
) -> None:
    """Move AMOUNT from level SOURCE to level TARGET of this table."""
    with told_plainly():
        settings = load(name)
        now = SystemClock().monotonic_ns()
        act = ev.PotTransferred(now, source, target, _amount(settings, amount), reason)
        _do(settings, act, bench, turn_keys=turn_keys)


@transfer.command()
@click.argument("level")
@click.argument("amount")
@click.argument("to_table")
@click.argument("file", type=click.Path(path_type=Path))
@CONFIG
@REASON
@BENCH
@TURN_KEYS
def send(
    *,
    level: str,
    amount: str,
    to_table: str,
    file: Path,
    name: str,
    reason: str,
    bench: Path | None,
    turn_keys: bool,
) -> None:
    """Send AMOUNT of LEVEL to table TO_TABLE and write FILE for it."""
    with told_plainly():
        settings = load(name)
        if file.exists():
            raise click.BadParameter(f"{file} is there already; name a new file")
        number = uuid.uuid4().hex
        now = SystemClock().monotonic_ns()
        act = ev.TransferSent(now, number, level, _amount(settings, amount), to_table, reason)
        _do(settings, act, bench, turn_keys=turn_keys)
        click.echo(f"transfer {number}: if {file} is lost, `pozo transfer again {number}` makes it anew")
        _write(settings, number, file)


@transfer.command()
@click.argument("number")
@click.argument("file", type=click.Path(path_type=Path))
@CONFIG
def again(*, number: str, file: Path, name: str) -> None:
    """Write the file of transfer NUMBER anew, from the journal."""
    with told_plainly():
        _write(load(name), number, file)


def _write(settings: Settings, number: str, file: Path) -> None:
    found = files.from_journal(settings.journal, settings.table_id, number, settings.game.currency)
    files.write(found, file)
    click.echo(f"{file} is written; take it to table {found.to_table}")


@transfer.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@CONFIG
@BENCH
@TURN_KEYS
def receive(*, file: Path, name: str, bench: Path | None, turn_keys: bool) -> None:
    """Take in what another table sent with FILE; the same transfer is never taken twice."""
    with told_plainly():
        settings = load(name)
        found = files.read(file, settings.table_id, settings.game.currency)
        now = SystemClock().monotonic_ns()
        act = ev.TransferReceived(now, found.transfer, found.level, found.amount, found.from_table)
        _do(settings, act, bench, turn_keys=turn_keys)
