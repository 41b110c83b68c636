"""`pozo games`: the games that come with the program, and the rules sheet of each."""

import click
import msgspec

from controller.cli.errors import told_plainly
from controller.config import LOCALES, Kind, names, rulebook
from controller.config.profile import Profile
from controller.sheet import Writer
from controller.words import LANGUAGES, Words


class Listed(msgspec.Struct, frozen=True):
    """One game as a program may read it. `progressive`: it has a pot; `slot_wager`: chips go into the slots."""

    name: str
    title: str
    text: str
    seats: int
    progressive: bool
    slot_wager: bool


@click.group(invoke_without_command=True)
@click.option("--json", "as_json", is_flag=True, help="Print the list as one JSON array.")
@click.pass_context
def games(context: click.Context, *, as_json: bool) -> None:
    """List the games that come with the program, or `show` the rules of one."""
    if context.invoked_subcommand is not None:
        return
    with told_plainly():
        found = [_listed(name, rulebook(name)) for name in names(Kind.GAME)]
    if as_json:
        click.echo(msgspec.json.encode(found).decode())
        return
    for game in found:
        click.echo(f"{game.name:<30} {game.seats:>2} seats  {_kind(game):<13} {game.title}")


@games.command()
@click.argument("name")
@click.option("--lang", type=click.Choice(LANGUAGES), default="es", show_default=True, help="The language.")
@click.option("--json", "as_json", is_flag=True, help="Print the profile as one JSON object.")
def show(name: str, lang: str, *, as_json: bool) -> None:
    """Print the rules sheet of a game: NAME is a shipped profile or the path of one.

    Each line ends with its article. Where the house must say, the sheet says so.
    """
    with told_plainly():
        profile = rulebook(name)
    if as_json:
        click.echo(msgspec.json.encode(profile).decode())
        return
    currency = profile.wager.currency.value
    if currency is None:
        raise click.ClickException(
            f"{name} leaves the currency to the house, so its sheet cannot write amounts; give it a value"
        )
    locale = LOCALES[currency]
    click.echo("\n".join(Writer(Words(lang, locale, currency), lang, locale, currency).write(name, profile)))


def _listed(name: str, profile: Profile) -> Listed:
    return Listed(
        name=name,
        title=profile.title,
        text=profile.text,
        seats=profile.seats.value,
        progressive=bool(profile.levels),
        slot_wager=profile.wager.amount is not None,
    )


def _kind(game: Listed) -> str:
    if game.progressive:
        return "progressive"
    return "bonus" if game.slot_wager else "no wager"
