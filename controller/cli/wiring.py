"""`pozo wiring FILE`: a picture of what goes to which pin of the table's board."""

from pathlib import Path

import click

from controller.cli.errors import told_plainly
from controller.config import load
from controller.wiring import picture
from controller.words import LANGUAGES


@click.command()
@click.argument("file")
@click.option("--lang", type=click.Choice(LANGUAGES), help="Language (default: the table's).")
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="A new SVG file; standard output without it."
)
def wiring(file: str, lang: str | None, output: Path | None) -> None:
    """Draw the wiring of the table's FILE (a path, or the name of a shipped one), as SVG for browser and printer.

    A file that is there is never overwritten.
    """
    with told_plainly():
        settings = load(file)
    drawn = picture(settings.wiring, settings.board_title, lang or settings.language)
    if output is None:
        click.echo(drawn, nl=False)
        return
    try:
        with output.open("x", encoding="utf-8") as file_:
            file_.write(drawn)
    except OSError as error:
        raise click.ClickException(f"cannot write {output} ({error.strerror}); name a new file") from error
