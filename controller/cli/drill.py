"""`pozo drill FILE…`: play scripts on virtual time, with the real program underneath."""

from pathlib import Path

import click

from controller.config import ConfigError
from controller.drill.expect import FailedError
from controller.drill.line import DrillError
from controller.drill.parse import parse
from controller.drill.play import Drill
from controller.drill.show import picture


@click.command()
@click.argument(
    "files", nargs=-1, required=True, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option("--show", is_flag=True, help="Draw the table after each statement.")
@click.option("--keep", type=click.Path(path_type=Path), help="Keep the journal of one script as this file.")
def drill(files: tuple[Path, ...], show: bool, keep: Path | None) -> None:
    """Play drill scripts. The first expectation that is not met ends a script; exit code 1."""
    if keep is not None and (len(files) > 1 or keep.exists()):
        raise click.UsageError("--keep keeps the journal of one script, as a file that is not there yet")
    worst = 0
    for file in files:
        worst = max(worst, _play(file, keep, show=show))
    raise SystemExit(worst)


def _play(file: Path, keep: Path | None, *, show: bool) -> int:
    played = Drill(
        watch=(lambda moment: click.echo(picture(moment))) if show else (lambda _: None), keep=keep
    )
    try:
        played.play(parse(file.read_text(encoding="utf-8")))
    except FailedError as failed:
        click.echo(f"{file}: {failed}")
        return 1
    except (DrillError, ConfigError, UnicodeDecodeError) as error:
        click.echo(f"{file}: {error}")
        return 2
    if not played.asserted:
        click.echo(f"{file}: it expects nothing, so it proves nothing")
        return 2
    click.echo(f"{file}: {played.asserted} expectations met")
    return 0
