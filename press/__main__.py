"""`python -m press OUT`: the manuals as a site in the folder OUT, and as PDFs in OUT/pdf."""

from pathlib import Path

import click

from press.manuals import PressError
from press.paper import print_all
from press.site import build


@click.command()
@click.argument("out", type=click.Path(path_type=Path, file_okay=False))
@click.option("--no-pdf", is_flag=True, help="The site only; no browser is needed.")
def press(out: Path, *, no_pdf: bool) -> None:
    """Make the manuals as a site in OUT, and as PDFs in OUT/pdf. OUT must be empty or not be there."""
    if out.exists() and any(out.iterdir()):
        raise click.ClickException(f"{out} is not empty; name a new folder")
    out.mkdir(parents=True, exist_ok=True)
    try:
        build(out)
        counts = {} if no_pdf else print_all(out / "pdf")
    except PressError as error:
        raise click.ClickException(str(error)) from error
    click.echo(out / "index.html")
    for name, pages in counts.items():
        click.echo(f"{out / 'pdf' / name}: {pages} pages")


if __name__ == "__main__":
    press()
