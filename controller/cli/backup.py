"""`pozo backup`: a proven copy of a table's journal, onto the second medium, or onto a stick with both keys."""

import os
from pathlib import Path
from typing import Final

import click

from controller.administer import administer
from controller.backup.make import Made, make, thin
from controller.cli.errors import told_plainly
from controller.cli.keys import both_keys
from controller.cli.persons import Reception, refuse_unnamed
from controller.clock import SystemClock
from controller.config import Settings, load
from controller.journal.chain import short_digest
from controller.signing.key import short_key
from controller.single import SingleInstance

KEPT: Final = 2
"""Backups of a table on its second medium: the newest, and the one before it."""

ASKED: Final = "administered: a backup onto a stick"
"""What the journal says of the session in which both keys were turned."""


@click.command()
@click.option("--config", "name", required=True, help="The table's file, or the name of a shipped one.")
@click.option(
    "--keep",
    is_flag=True,
    help="Onto the second medium, beside the witness; no key is asked, the table may run.",
)
@click.option(
    "--to",
    "place",
    type=click.Path(path_type=Path),
    help="Onto this stick, with both keys; the table must be stopped.",
)
@click.option("--supervisor", default="", help="Who turns the supervisor's key.")
@click.option("--technician", default="", help="Who turns the technician's key.")
@click.option("--bench", type=click.Path(path_type=Path), help="Turn a simulated board's keys from this pty.")
@click.option("--turn-keys", is_flag=True, help="Simulated boards only: turn both keys yourself.")
def backup(
    *,
    name: str,
    keep: bool,
    place: Path | None,
    supervisor: str,
    technician: str,
    bench: Path | None,
    turn_keys: bool,
) -> None:
    """Copy a table's journal with what belongs to it, prove the copy where it lies, and sign what it is.

    No key and no list of persons is in it: a spare machine gets its own (`pozo restore`, `pozo recover`).
    """
    if keep == (place is not None):
        raise click.UsageError("say where to: --keep for the second medium, or --to DIRECTORY for a stick")
    with told_plainly():
        settings = load(name)
        if place is None:
            _tell(_kept(settings))
        else:
            _expect_writable(place)
            with SingleInstance(settings.journal):
                _asked(settings, supervisor, technician, bench, turn_keys=turn_keys)
                _tell(make(settings, SystemClock(), place))


def _expect_writable(place: Path) -> None:
    """Say before anybody turns a key that there is no stick. Raises `ClickException`."""
    there = next(folder for folder in (place, *place.absolute().parents) if folder.exists())
    if not (there.is_dir() and os.access(there, os.W_OK)):
        raise click.ClickException(
            f"nothing can be written to {place}, so no backup was made: plug the stick in, wait until "
            f"`findmnt {place}` shows it, and see that its switch does not forbid writing"
        )


def _kept(settings: Settings) -> Made:
    place = settings.witness / "backup"
    made = make(settings, SystemClock(), place)
    for old in thin(place, settings.table_id, KEPT):
        click.echo(f"removed: {place / old}, older than the {KEPT} newest")
    return made


def _asked(
    settings: Settings, supervisor: str, technician: str, bench: Path | None, *, turn_keys: bool
) -> None:
    """Both persons, with PINs where the policy asks. The journal keeps that they were there, and so does the copy."""
    clock = SystemClock()
    reception = Reception(settings, clock)
    refuse_unnamed(reception.asked, supervisor.strip(), technician.strip())
    both_keys(settings, bench, turn_keys=turn_keys)
    there = reception.both(supervisor, technician)
    who = f"{there.supervisor} and {there.technician}"
    administer(settings, clock, both_keys=True, session=there, why=f"{ASKED}, {who}")


def _tell(made: Made) -> None:
    listing = made.listing
    click.echo(f"{'there already' if made.already else 'made and proven'}: {made.folder}")
    click.echo(f"  table {listing.table}, up to record {listing.seq} ({short_digest(listing.digest)})")
    click.echo(f"  signed with the key {short_key(listing.key)}; {len(listing.files)} files")
