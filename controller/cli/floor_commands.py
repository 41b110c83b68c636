"""`pozo floor`: make the casino's PostgreSQL, check it, see how it stands; its other commands are in files beside."""

import click
import msgspec

from controller.cli.floor_entries import chips_command, link_group, reading_command, table_group
from controller.cli.floor_office import floor_option, office_of, told_by_floor
from controller.cli.floor_reports import reconcile_command, report_command
from controller.core.money import Currency, plain
from controller.floor.office import House, LinkStatus, TableStatus


@click.group()
def floor() -> None:
    """Run the floor's database: reports of all tables, and the pots they share. Needs the extra `floor`."""


@floor.command()
@floor_option
@click.option("--house", "name", required=True, help="The house's name, for reports.")
@click.option("--timezone", required=True, help="America/Montevideo, America/Santiago, America/Lima …")
@click.option("--day-starts-at", required=True, metavar="HH:MM", help="When its gaming day begins.")
def init(where: str, name: str, timezone: str, day_starts_at: str) -> None:
    """Make the floor in an empty database, or bring it up to date. Run as a superuser of PostgreSQL."""
    with told_by_floor(), office_of(where) as office:
        applied = office.init(House(name, timezone, day_starts_at))
    for each in applied:
        click.echo(f"applied {each}")
    click.echo("the floor is up to date")


@floor.command()
@floor_option
def check(where: str) -> None:
    """Check schema, server settings, rights, and every pot against the rows it came from. Exit code 1 if one fails."""
    with told_by_floor(), office_of(where) as office:
        flaws = office.flaws()
    for flaw in flaws:
        click.echo(flaw)
    if flaws:
        raise click.ClickException(f"{len(flaws)} things are not as they must be")
    click.echo("good: schema, settings, rights, and every pot to the unit")


class Status(msgspec.Struct, frozen=True):
    """The floor as a program may read it; amounts in minor units."""

    tables: tuple[TableStatus, ...]
    links: tuple[LinkStatus, ...]
    alarms: int


@floor.command()
@floor_option
@click.option("--json", "as_json", is_flag=True, help="One JSON object; money in minor units.")
def status(where: str, *, as_json: bool) -> None:
    """Show each table's last report and clock, each link's pot, and what was refused lately."""
    with told_by_floor(), office_of(where) as office:
        tables, links, alarms = office.tables(), office.links(), office.alarms()
    if as_json:
        click.echo(msgspec.json.encode(Status(tables, links, len(alarms))).decode())
        return
    for table in tables:
        offset = "never greeted" if table.offset_ms is None else f"clock {table.offset_ms:+} ms"
        click.echo(
            f"table {table.table_id}: record {table.seq}, reported {table.reported_at[:19] or 'never'} UTC, {offset},"
            f" {table.faults} faults"
        )
    for link in links:
        money = plain(link.current, Currency(link.currency))
        click.echo(
            f"link {link.link}: {money} {link.currency}, {link.claims} wins, {link.tables} tables, rules {link.version}"
        )
    for alarm in alarms:
        click.echo(
            f"ALARM {alarm.kind}, table {alarm.table_id}, login {alarm.login}, {alarm.times} times, last"
            f" {alarm.last_at[:19]} UTC: {alarm.detail}"
        )


for each in (report_command, reconcile_command, table_group, link_group, reading_command, chips_command):
    floor.add_command(each)
