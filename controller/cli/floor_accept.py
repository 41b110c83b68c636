"""`pozo floor accept` and `pozo floor table key`: what two persons say of a table's journal and of its key."""

from pathlib import Path

import click

from controller.cli.floor_office import both_persons, floor_option, office_of, say, told_by_floor
from controller.floor.accept import Persons, accept


@click.command("accept")
@floor_option
@click.argument("table_id")
@click.option(
    "--journal",
    required=True,
    type=click.Path(path_type=Path),
    help="The table's journal as it is now, or a copy of it.",
)
@both_persons
@click.option("--reason", required=True, help="Why; it stays in the records.")
@click.option(
    "--set-aside",
    is_flag=True,
    help="What the floor has instead never happened: it stays, and no report counts it.",
)
def accept_command(
    *,
    where: str,
    table_id: str,
    journal: Path,
    supervisor: str,
    technician: str,
    reason: str,
    set_aside: bool,
) -> None:
    """Let TABLE_ID go on with another journal, after a recovery. What the floor has of the older one stays."""
    with told_by_floor(), office_of(where) as office:
        found = accept(
            office, table_id, journal, Persons(supervisor, technician, reason), set_aside=set_aside
        )
    behind = "set aside" if found.set_aside else "kept, and counted"
    say(
        f"table {table_id} goes on with its journal number {found.history} behind record {found.common};"
        f" {found.kept} records of the one before are {behind}"
    )
    for link, staked in found.links:
        say(f"link {link} holds its part of {staked} minor units staked in them: `pozo floor link correct`")


@click.command("key")
@floor_option
@click.argument("table_id")
@click.argument("key")
@both_persons
def key_command(*, where: str, table_id: str, key: str, supervisor: str, technician: str) -> None:
    """File KEY, the public half of TABLE_ID's key as it is on paper: 64 hexadecimal digits."""
    with told_by_floor(), office_of(where) as office:
        office.file_key(table_id, key, supervisor, technician)
    say(f"table {table_id}: the key {key} is filed")
