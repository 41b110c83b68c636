"""`pozo floor metrics`: how the floor stands, for Prometheus."""

from pathlib import Path

import click

from controller.cli.floor_office import floor_option, office_of, told_by_floor
from controller.floor import metrics


@click.command("metrics")
@floor_option
@click.option(
    "--textfile",
    type=click.Path(path_type=Path),
    help="Put them into this file, NAME.prom; else to the screen.",
)
def metrics_command(where: str, textfile: Path | None) -> None:
    """Write how the floor stands, in Prometheus' text format. For a timer, with a login of pozo_reader."""
    with told_by_floor(), office_of(where) as office:
        if textfile is None:
            click.echo(metrics.text(office), nl=False)
            return
        try:
            metrics.write(office, textfile)
        except OSError as error:
            raise click.ClickException(
                f"{textfile} cannot be written ({error.strerror}): its directory must exist and be this user's"
            ) from error
