"""`pozo floor table|link|reading|chips`: what people who run the floor decide and enter."""

from datetime import datetime

import click

from controller.cli.floor_office import both_persons, floor_option, office_of, say, told_by_floor
from controller.config import load
from controller.core.money import AmountError, Currency, parse, plain
from controller.floor.office import Office
from controller.floor.reported import game_at
from controller.floor.rules import LinkRules, link_rules


@click.group("table")
def table_group() -> None:
    """Make tables known to the floor."""


@table_group.command("add")
@floor_option
@click.argument("table_id")
@click.option("--login", help="The CN of its certificate; TABLE_ID unless said.")
def table_add(where: str, table_id: str, login: str | None) -> None:
    """Make TABLE_ID known, and the one login that may speak for it. Run as a superuser of PostgreSQL."""
    with told_by_floor(), office_of(where) as office:
        office.add_table(table_id, login or table_id)
    say(f"table {table_id} speaks as {login or table_id}")


@click.group("link")
def link_group() -> None:
    """Pots that tables share."""


@link_group.command("create")
@floor_option
@click.argument("link")
@click.option("--config", required=True, help="A table that will share it: its level is the link's rules.")
@click.option("--level", required=True, help="Which of its levels.")
@both_persons
def link_create(*, where: str, link: str, config: str, level: str, supervisor: str, technician: str) -> None:
    """Make LINK at its base amount, by the rules of a level of a table's configuration."""
    rules = _rules(config, level)
    with told_by_floor(), office_of(where) as office:
        office.create_link(link, rules, supervisor, technician)
    base = plain(rules.level.base_amount, rules.currency)
    say(f"link {link} begins at {base} {rules.currency}, rules {rules.digest}")


@link_group.command("admit")
@floor_option
@click.argument("link")
@click.argument("table_id")
def link_admit(where: str, link: str, table_id: str) -> None:
    """Let TABLE_ID join LINK."""
    with told_by_floor(), office_of(where) as office:
        office.admit(link, table_id)
    say(f"table {table_id} may join link {link}")


@link_group.command("change")
@floor_option
@click.argument("link")
@click.option("--config", required=True, help="A table that has the new rules.")
@click.option("--level", required=True, help="Which of its levels.")
@both_persons
def link_change(*, where: str, link: str, config: str, level: str, supervisor: str, technician: str) -> None:
    """Give LINK other rules, with all its tables closed. The pot stays; each table accepts the same with its keys."""
    with told_by_floor(), office_of(where) as office:
        version = office.change_link(link, _rules(config, level), supervisor, technician)
    say(f"link {link} plays by version {version} of its rules")


@link_group.command("correct")
@floor_option
@click.argument("link")
@click.argument("amount")
@click.option("--reason", required=True, help="Why; it stays in the records.")
@both_persons
def link_correct(
    *, where: str, link: str, amount: str, reason: str, supervisor: str, technician: str
) -> None:
    """Set LINK's pot to AMOUNT, as 100003.50."""
    with told_by_floor(), office_of(where) as office:
        currency = _currency(office, link)
        before = office.correct_link(link, _amount(amount, currency), reason, supervisor, technician)
    say(f"link {link}: {plain(before, currency)} -> {amount} {currency}")


@click.command("reading")
@floor_option
@click.argument("shown")
@click.option("--link", help="The sign shows this link's pot.")
@click.option("--table", "table_id", help="The sign shows a level of this table's own.")
@click.option("--level", help="Which level; of a link it is known.")
@click.option("--person", required=True, help="Who read it.")
def reading_command(
    *, where: str, shown: str, link: str | None, table_id: str | None, level: str | None, person: str
) -> None:
    """Enter what a sign shows now, as 100003.50. Exit code 1 if it should show something else."""
    if (link is None) == (table_id is None) or (table_id is not None and level is None):
        raise click.UsageError("say whose sign: --link LINK, or --table TABLE --level LEVEL")
    with told_by_floor(), office_of(where) as office:
        currency = _currency(office, link) if link is not None else game_at(office, str(table_id)).currency
        level = level or next(each.level for each in office.links() if each.link == link)
        known = office.enter_reading(link, table_id, level, _amount(shown, currency), person)
    say(f"read {shown}, the floor knows {plain(known, currency)} {currency}")
    if _amount(shown, currency) != known:
        raise click.ClickException("sign and floor differ; the reading is kept")


@click.command("chips")
@floor_option
@click.argument("table_id")
@click.argument("chips", type=click.IntRange(min=0))
@click.option(
    "--day", required=True, type=click.DateTime(["%Y-%m-%d"]), help="The gaming day that began on it."
)
@click.option("--person", required=True, help="Who counted.")
def chips_command(where: str, table_id: str, chips: int, day: datetime, person: str) -> None:
    """Enter how many chips were counted from TABLE_ID's box for a gaming day."""
    with told_by_floor(), office_of(where) as office:
        office.enter_chips(table_id, day.date(), chips, person)
    say(f"{chips} chips of table {table_id}, {day.date()}")


def _rules(config: str, level: str) -> LinkRules:
    with told_by_floor():
        game = load(config).game
    try:
        return link_rules(game, level)
    except LookupError as error:
        raise click.ClickException(str(error)) from error


def _currency(office: Office, link: str) -> Currency:
    found = next((each.currency for each in office.links() if each.link == link), None)
    if found is None:
        raise click.ClickException(f"there is no link {link}: `pozo floor status` lists them")
    return Currency(found)


def _amount(text: str, currency: Currency) -> int:
    try:
        return parse(text, currency)
    except AmountError as error:
        raise click.ClickException(str(error)) from error
