"""`pozo sim`: a whole table in the browser, without hardware: the real loop, journal and inputs in one process."""

import signal
import sys
import webbrowser
from contextlib import ExitStack
from pathlib import Path
from types import FrameType

import click
from msgspec.structs import replace

from controller.bound import is_simulated
from controller.cli.errors import told_plainly
from controller.config import Settings, load
from controller.drill.medium import Medium
from controller.single import SingleInstance
from controller.words import LANGUAGES

HOST = "127.0.0.1"
PORT = 8777


@click.command()
@click.option(
    "--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="0 takes a free one."
)
@click.option("--game", metavar="NAME", help="A game that is shipped (`pozo games`).")
@click.option("--lang", type=click.Choice(LANGUAGES), help="Language of the table and its pages.")
@click.option(
    "--journal", type=click.Path(path_type=Path), metavar="DIR", help="Keep the table's journal there."
)
@click.option(
    "--config",
    metavar="FILE",
    help="Play the simulated table of this file, and keep its journal where the file says.",
)
@click.option("--open", "open_browser", is_flag=True, help="Open the page in this machine's browser.")
def sim(
    port: int,
    game: str | None,
    lang: str | None,
    journal: Path | None,
    config: str | None,
    *,
    open_browser: bool,
) -> None:
    """Play on a simulated table in the browser. Only this machine can reach it."""
    values = {"game": game} if game else {}
    values |= {"table.language": lang} if lang else {}
    if config is not None and (values or journal is not None):
        raise click.UsageError("--config says game, language and journal itself: leave the other options out")
    with told_plainly(), ExitStack() as stack:
        if config is None:
            settings = replace(load("simulated", values), journal=Path("unused"), witness=Path("unused"))
            medium = _medium(settings, journal, stack)
        else:
            settings = load(config)
            medium = _of_file(settings, stack)
        stack.callback(medium.close)
        _play(settings, medium, port, open_browser=open_browser)


def _medium(settings: Settings, folder: Path | None, stack: ExitStack) -> Medium:
    """A medium that goes with the program, or one of this game's own in `folder`."""
    if folder is None:
        return Medium()
    from controller.sim.medium import KeptMedium  # noqa: PLC0415, only where a journal is kept

    place = folder / settings.game.profile
    folder.mkdir(parents=True, exist_ok=True)
    stack.enter_context(SingleInstance(place))
    return KeptMedium(place)


def _of_file(settings: Settings, stack: ExitStack) -> Medium:
    """The folder that a file names for its journal, which must be of this table alone."""
    from controller.sim.medium import KeptMedium  # noqa: PLC0415, only where a journal is kept

    folder = settings.journal.parent
    if not is_simulated(settings):
        raise click.UsageError(f"{settings.source} is of a table with hardware: `pozo run` plays it")
    if settings.journal != folder / "journal.db" or settings.witness != folder / "witness":
        raise click.UsageError(
            f"{settings.source}: a simulated table keeps everything in one folder: set journal.path to "
            f"FOLDER/journal.db and witness.path to FOLDER/witness, not {settings.journal} and {settings.witness}"
        )
    folder.parent.mkdir(parents=True, exist_ok=True)
    stack.enter_context(SingleInstance(folder))
    return KeptMedium(folder)


def _play(settings: Settings, medium: Medium, port: int, *, open_browser: bool) -> None:
    try:
        from controller.console.serve import listen, server, serving, url  # noqa: PLC0415, a table has no web server
        from controller.console.sim_app import SimPages, simulated  # noqa: PLC0415, the same
    except ModuleNotFoundError as error:
        raise click.ClickException(f"{error}: install the pages with  pip install 'pozo[console]'") from error
    table, view, follower = simulated(settings, medium)
    taken = listen(HOST, port)
    address = url(taken)

    def stop(number: int, frame: FrameType | None) -> None:  # noqa: ARG001, the signal module's signature
        table.quit(signal.Signals(number).name)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
    pages = server(SimPages(table, view, follower).app(), view.close)
    with serving(pages, taken, lambda: table.quit("the pages ended")):
        click.echo(f"{settings.name}: {address}  (Ctrl-C ends it)")
        sys.stdout.flush()
        if open_browser:
            webbrowser.open(address)
        table.run()
