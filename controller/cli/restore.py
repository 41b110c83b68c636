"""`pozo restore`: the journal of a backup in its place on a spare machine or a new card, proven before that."""

from pathlib import Path

import click

from controller.admit import money_of
from controller.backup.put_back import newest, put_back
from controller.cli.errors import told_plainly
from controller.cli.journal_verify import HeadType, KeyType
from controller.config import load
from controller.journal import Head, ends_of
from controller.single import SingleInstance
from controller.witness.told import standing


@click.command()
@click.option("--config", "name", required=True, help="The table's file, or the name of a shipped one.")
@click.option(
    "--from",
    "place",
    type=click.Path(path_type=Path),
    required=True,
    help="A stick's folder of backups, or one backup.",
)
@click.option(
    "--key",
    "filed",
    type=KeyType(),
    required=True,
    help="The public half of the table's key, as it was filed.",
)
@click.option(
    "--head",
    "heads",
    type=HeadType(),
    multiple=True,
    help="A record as a slip or report has it; may be repeated.",
)
def restore(name: str, place: Path, filed: str, heads: tuple[Head, ...]) -> None:
    """Put a backup's journal where there is none. The table does not play by that: both keys bring it back afterwards.

    Give every head you have on paper: a backup that is older than one of them is refused.
    """
    with told_plainly():
        settings = load(name)
        settings.journal.parent.mkdir(parents=True, exist_ok=True)
        with SingleInstance(settings.journal):
            listing = put_back(settings, newest(place, settings.table_id), filed, heads)
            last = ends_of(settings.journal).last
    click.echo(
        f"table {listing.table} as it was at record {listing.seq}: {standing(last.state, money_of(settings))}"
    )
    click.echo(
        "Compare that with the newest slip and report. What was played after it is not in this backup."
    )
    click.echo(f"Then, with both keys: pozo recover --config {settings.source}")
