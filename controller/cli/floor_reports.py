"""`pozo floor report` and `pozo floor reconcile`: what all tables did, and whether a journal says the same."""

from datetime import date
from pathlib import Path

import click

from controller.cli.floor_office import floor_option, office_of, say, told_by_floor
from controller.cli.spans import span_of
from controller.floor.figures import figures
from controller.floor.page import csv_lines, html_page
from controller.floor.reconcile import Reconciled, reconcile
from controller.slips.document import printable


@click.command("report")
@floor_option
@click.option("--day", type=click.DateTime(["%Y-%m-%d"]), help="The gaming day that begins on this date.")
@click.option(
    "--shift", nargs=2, metavar="FROM TO", help="2026-01-31T14:00 2026-01-31T22:00, on the house's clock."
)
@click.option("--table", "table_id", help="This table only.")
@click.option("--link", help="This link and its tables only.")
@click.option("--html", type=click.Path(path_type=Path), help="A new HTML page; else CSV goes to the screen.")
@click.option("--csv", "csv_file", type=click.Path(path_type=Path), help="A new CSV file.")
@click.option("--lang", type=click.Choice(["es", "en"]), default="es", show_default=True, help="Of the page.")
def report_command(
    *,
    where: str,
    day: date | None,
    shift: tuple[str, str] | None,
    table_id: str | None,
    link: str | None,
    html: Path | None,
    csv_file: Path | None,
    lang: str,
) -> None:
    """Report on a gaming day (--day) or on any span (--shift). Exit code 1 if something does not add up."""
    if (day is None) == (shift is None):
        raise click.UsageError("say which time: --day, or --shift FROM TO")
    with told_by_floor(), office_of(where) as office:
        span = span_of(office.house(), day, *(shift or ("", "")))
        found = figures(office, span.from_ns, span.to_ns, table_id=table_id, link=link)
        if html is not None:
            _write(html, html_page(found, lang))
        if csv_file is not None:
            _write(csv_file, csv_lines(found))
        if html is None and csv_file is None:
            click.echo(csv_lines(found), nl=False)
    if not found.sound:
        raise click.ClickException(
            "rows and meters differ: run `pozo floor check`, then `pozo floor reconcile`"
        )


@click.command("reconcile")
@floor_option
@click.option(
    "--journal", required=True, type=click.Path(path_type=Path), help="The table's journal, or a copy of it."
)
@click.option("--table", "table_id", required=True, help="Whose journal it is.")
def reconcile_command(where: str, journal: Path, table_id: str) -> None:
    """Compare a table's journal with the floor, record by record and to the unit. Exit code 1 if they differ."""
    with told_by_floor(), office_of(where) as office:
        found = reconcile(office, journal, table_id)
    _show(found)
    if not found.agrees:
        raise click.ClickException(printable(found.flaw or "journal and floor differ"))


def _show(found: Reconciled) -> None:
    say(
        f"table {found.table_id}: {found.compared} records on both sides, {found.unreported} not reported yet"
    )
    for line in found.lines:
        mark = "" if line.journal == line.floor else "   DIFFERS"
        say(f"  {line.name:<44} {line.journal:>16} {line.floor:>16}{mark}")


def _write(file: Path, text: str) -> None:
    """A new file; an existing one is never overwritten."""
    with file.open("x", encoding="utf-8", newline="") as out:
        out.write(text)
