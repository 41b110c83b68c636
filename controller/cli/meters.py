"""`pozo meters`: every meter of a table as its last durable record has it."""

from pathlib import Path

import click
import msgspec

from controller.cli.journal_path import journal_options, journal_path, told
from controller.core.events import Commissioned, JournalRecovered
from controller.core.money import Currency, plain
from controller.journal import Record, ends_of
from controller.meters import is_money
from controller.meters import meters as meters_of


class _Rules(msgspec.Struct):
    """What is needed of the rules in record 1; the currency of a table never changes."""

    currency: Currency


@click.command()
@journal_options
@click.option("--json", "as_json", is_flag=True, help="One JSON object; money in minor units.")
def meters(path: Path | None, config: str | None, as_json: bool) -> None:
    """Print the table's meters; it may be playing meanwhile."""
    with told():
        found = ends_of(journal_path(path, config))
    values = meters_of(found.last.state)
    if as_json:
        click.echo(msgspec.json.encode(values).decode())
        return
    currency = _currency(found.first)
    unit = currency.value if currency else "minor units, its rules name no currency"
    click.echo(f"after record {found.last.seq}; money in {unit}")
    for name, value in values.items():
        text = plain(value, currency) if currency and is_money(name) else str(value)
        click.echo(f"{name:<24}{text:>20}")


def _currency(first: Record) -> Currency | None:
    if not isinstance(first.event, Commissioned | JournalRecovered):
        return None
    try:
        return msgspec.json.decode(first.event.rules, type=_Rules).currency
    except msgspec.MsgspecError:
        return None
