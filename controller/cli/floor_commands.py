"""`pozo floor`: make the casino's PostgreSQL, check it, see how it stands; its other commands are in files beside."""

import click
import msgspec

from controller.cli.floor_accept import accept_command, key_command
from controller.cli.floor_entries import chips_command, link_group, reading_command, table_group
from controller.cli.floor_metrics import metrics_command
from controller.cli.floor_office import floor_option, office_of, say, told_by_floor
from controller.cli.floor_reports import reconcile_command, report_command
from controller.core.money import Currency, plain
from controller.floor.office import House, LinkStatus, TableStatus
from controller.floor.proof import Proven, prove_table
from controller.journal import Finding


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
        say(f"applied {each}")
    say("the floor is up to date")


@floor.command()
@floor_option
@click.option(
    "--whole", is_flag=True, help="Prove every record again, not only what came since the last time."
)
def check(where: str, *, whole: bool) -> None:
    """Check schema, settings, rights, every pot against its rows, every record against its table's key and rules.

    Exit code 1 if one fails. Records that are not proven are kept out of reports from then on. Run as the owner.
    """
    with told_by_floor(), office_of(where) as office:
        flaws = office.flaws()
        proven = (
            [prove_table(office, each.table_id, whole_journal=whole) for each in office.tables()]
            if not office.pending()
            else []
        )
    wrong = [*flaws, *(_not_proven(each.table_id, each.bad) for each in proven if each.bad is not None)]
    for each in proven:
        if each.bad is None:
            say(_proven(each))
    for flaw in wrong:
        say(flaw)
    if wrong:
        raise click.ClickException(f"{len(wrong)} things are not as they must be")
    say("good: schema, settings, rights, every pot to the unit, every record")


def _proven(found: Proven) -> str:
    if found.keyless:
        return f"table {found.table_id}: {found.last} records as its rules make them; it has no key, nothing is signed"
    return f"table {found.table_id}: {found.last} records as its rules make them, signed up to {found.signed}"


def _not_proven(table_id: str, bad: Finding) -> str:
    return (
        f"table {table_id}: record {bad.seq} is not believed ({bad.flaw}): {bad.detail}; no report counts it or what"
        " follows. docs/floor.md says what to do"
    )


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
        say(
            f"table {table.table_id}: record {table.seq}, reported {table.reported_at[:19] or 'never'} UTC, {offset},"
            f" {table.faults} faults"
        )
    for link in links:
        money = plain(link.current, Currency(link.currency))
        say(
            f"link {link.link}: {money} {link.currency}, {link.claims} wins, {link.tables} tables, rules {link.version}"
        )
    for alarm in alarms:
        say(
            f"ALARM {alarm.kind}, table {alarm.table_id}, login {alarm.login}, {alarm.times} times, last"
            f" {alarm.last_at[:19]} UTC: {alarm.detail}"
        )


table_group.add_command(key_command)
for each in (
    report_command,
    reconcile_command,
    accept_command,
    metrics_command,
    table_group,
    link_group,
    reading_command,
    chips_command,
):
    floor.add_command(each)
