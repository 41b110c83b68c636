"""`pozo report shift`: what a shift or a gaming day did to money, seats and faults."""

from datetime import date
from pathlib import Path

import click
import msgspec

from controller.cli.house import Desk, desk, house_options
from controller.cli.outlets import Screen, outlet, outlet_options, told_on_paper
from controller.cli.spans import span_of
from controller.slips.day import Span
from controller.slips.report_page import report_page
from controller.slips.shift import shift_report


@click.group()
def report() -> None:
    """Reports from a table's journal; the table may be playing meanwhile."""


@report.command("shift")
@house_options
@outlet_options
@click.option("--day", type=click.DateTime(["%Y-%m-%d"]), help="The gaming day that begins on this date.")
@click.option("--from", "begin", metavar="WHEN", help="2026-01-31T22:00, on the house's clock.")
@click.option("--to", "end", metavar="WHEN", help="The first moment that is not in it any more.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object; money in minor units.")
def shift_command(
    *,
    path: Path | None,
    config: str | None,
    lang: str | None,
    printer: str | None,
    output: Path | None,
    day: date | None,
    begin: str | None,
    end: str | None,
    as_json: bool,
) -> None:
    """Report on a gaming day (--day), or on a span (--from, --to).

    A gaming day needs --config, which says when it starts and in which zone. Exit code 1 if a pot moved in a way that
    no record explains.
    """
    at = desk(path, config, lang)
    span = _span(at, config, day, begin, end)
    with told_on_paper():
        found = shift_report(at.journal, span)
        if as_json:
            click.echo(msgspec.json.encode(found).decode())
        else:
            where = outlet(printer, output) or Screen()
            where.ready()
            where.put(report_page(found, at.house))
    if any(level.unexplained for level in found.levels):
        raise click.ClickException(
            "a pot moved in a way that no record explains: keep the table closed, compare its pots with the last filed "
            "report and the slips after it, keep the journal as it is, and call the technician. That `pozo journal "
            "verify` calls the file good does not explain it"
        )


def _span(at: Desk, config: str | None, day: date | None, begin: str | None, end: str | None) -> Span:
    if (day is None) != (begin is not None and end is not None):
        raise click.UsageError("say which time: --day, or --from and --to")
    if day is not None and config is None:
        raise click.UsageError("--day needs --config: it says when a gaming day starts, and in which zone")
    return span_of(at.house, day, str(begin), str(end), ("--from ", "--to "))
