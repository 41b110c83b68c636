"""`pozo transfer`: move a pot between levels or tables, with the table closed and both keys turned."""

import uuid
from pathlib import Path

import click

from controller import transfer as files
from controller.administer import administer
from controller.admit import money_of
from controller.cli.errors import told_plainly
from controller.cli.journal_verify import KeyType
from controller.cli.keys import both_keys
from controller.cli.persons import Reception
from controller.clock import SystemClock
from controller.config import Settings, load
from controller.config.kinds import TABLE_ID_ALLOWED, is_table_id
from controller.core import events as ev
from controller.core.money import AmountError, parse, plain
from controller.core.table.parameters import REASON_MAX
from controller.signing.device import key_of
from controller.single import SingleInstance


def _reason(_context: click.Context, _parameter: click.Parameter, text: str) -> str:
    if len(text) > REASON_MAX:
        raise click.BadParameter(f"{len(text)} characters; a reason has {REASON_MAX} at most")
    return text


CONFIG = click.option("--config", "name", required=True, help="The table's file, or a shipped name.")
BENCH = click.option("--bench", type=click.Path(path_type=Path), help="Turn a simulated board's keys here.")
TURN_KEYS = click.option("--turn-keys", is_flag=True, help="Simulated boards only: turn both keys yourself.")
REASON = click.option("--reason", required=True, callback=_reason, help="Why; it is kept in the journal.")


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
        if not is_table_id(to_table):
            raise click.BadParameter(f"{to_table!r} is no table's identity: it has {TABLE_ID_ALLOWED}")
        if to_table == settings.table_id:
            raise click.BadParameter(
                "a table sends nothing to itself: `pozo transfer within` moves between levels"
            )
        number = uuid.uuid4().hex
        now = SystemClock().monotonic_ns()
        act = ev.TransferSent(now, number, level, _amount(settings, amount), to_table, reason)
        _do(settings, act, bench, turn_keys=turn_keys)
        click.echo(f"transfer {number}: if {file} is lost, `pozo transfer again {number}` makes it anew")
        _write(settings, files.sent(settings.journal, settings.table_id, number), file)


@transfer.command()
@click.argument("number")
@click.argument("file", type=click.Path(path_type=Path))
@CONFIG
@BENCH
@TURN_KEYS
def again(*, number: str, file: Path, name: str, bench: Path | None, turn_keys: bool) -> None:
    """Write the file of transfer NUMBER anew, from the journal, with both keys: the journal keeps that it was done."""
    with told_plainly():
        settings = load(name)
        if file.exists():
            raise click.BadParameter(f"{file} is there already; name a new file")
        with SingleInstance(settings.journal):
            found = files.sent(settings.journal, settings.table_id, number)
            clock = SystemClock()
            reception = Reception(settings, clock)
            if found.source != settings.journal:
                click.echo(
                    f"It was sent in record {found.record.seq} of {found.source.name}, before a recovery: compare with "
                    "the paper that the pot went on without this amount"
                )
            both_keys(settings, bench, turn_keys=turn_keys)
            why = f"transfer {number} written again"
            administer(settings, clock, both_keys=True, why=why, session=reception.both())
            _write(settings, found, file)


def _write(settings: Settings, found: files.Sent, file: Path) -> None:
    made = found.signed(settings.table_id, settings.game.currency, key_of(settings.journal))
    files.write(made, file)
    click.echo(
        f"{file} is written and signed; take it to table {made.to_table}, which checks it with this table's public "
        f"key as filed there: {made.key}"
    )


@transfer.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--sender-key", type=KeyType(), required=True, help="The sending table's public key, as it was filed."
)
@CONFIG
@BENCH
@TURN_KEYS
def receive(*, file: Path, sender_key: str, name: str, bench: Path | None, turn_keys: bool) -> None:
    """Take in what another table sent with FILE; the same transfer is never taken twice.

    FILE must be signed with the key that was filed for the sending table: not the one that comes with it.
    """
    with told_plainly():
        settings = load(name)
        found = files.read(file, settings.table_id, settings.game.currency, sender_key)
        amount = money_of(settings)(found.amount)
        click.echo(
            f"transfer {found.transfer}: {amount} from table {found.from_table} for level {found.level}; signed with "
            f"the key given, record {found.seq} there"
        )
        now = SystemClock().monotonic_ns()
        act = ev.TransferReceived(
            now, found.transfer, found.level, found.amount, found.from_table, sender_key
        )
        _do(settings, act, bench, turn_keys=turn_keys)
