"""`pozo floor`, where the extra `floor` is installed; elsewhere the command says how to get it."""

from importlib import import_module
from importlib.util import find_spec

import click


@click.command("floor", context_settings={"ignore_unknown_options": True})
@click.argument("rest", nargs=-1)
def missing(rest: tuple[str, ...]) -> None:
    """Run the floor's database (not installed here)."""
    raise click.ClickException(
        f"`pozo floor {' '.join(rest)}` needs PostgreSQL's driver: pip install 'pozo[floor]'"
    )


floor: click.Command = (
    missing if find_spec("psycopg") is None else import_module("controller.cli.floor_commands").floor
)
