"""`pozo odds GAME`: what a progressive wager returns, what the house keeps, and how often the bank opens."""

from fractions import Fraction
from pathlib import Path

import click
import msgspec

from controller.cli.errors import told_plainly
from controller.config import Settings, load
from controller.core.game import Game
from controller.core.money import AmountError, parse
from controller.odds.answer import Answer, Base, answer, base
from controller.odds.plot import Chart, Mark, draw
from controller.odds.report import base_lines, lines
from controller.odds.returns import OddsError, caps_reached, chances, mean_return
from controller.odds.written import decimal


@click.command()
@click.argument("game")
@click.option(
    "--config", default="simulated", help="The table whose house values count (default: simulated)."
)
@click.option(
    "--pot", "pots", multiple=True, help="What a pot stands at: AMOUNT, or LEVEL=AMOUNT (default: its base)."
)
@click.option("--plot", type=click.Path(path_type=Path), help="Write return against pot to this SVG file.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object of exact fractions.")
def odds(game: str, config: str, pots: tuple[str, ...], plot: Path | None, *, as_json: bool) -> None:
    """Count the exact odds of GAME, a game's profile, with the house values of a table.

    Nothing is sampled. One wager plays one hand; docs/odds.md derives each figure.
    """
    with told_plainly():
        settings = load(config, {"game": game})
    rules, bank = settings.game, settings.base
    opens = None if bank is None else bank.bank_opens
    cards = base(rules, opens, before_changes=bank is not None and bank.changes_most > 0)
    if not rules.prizes:
        _without_prizes(settings, cards, as_json=as_json, plot=plot)
        return
    try:
        found = answer(rules, cards, _standing(rules, pots))
    except OddsError as error:
        raise click.ClickException(str(error)) from error
    if plot is not None:
        _write(plot, _picture(rules, found))
    if as_json:
        click.echo(msgspec.json.encode(found, enc_hook=_exact))
    else:
        click.echo("\n".join(lines(found)))


def _without_prizes(settings: Settings, cards: Base, *, as_json: bool, plot: Path | None) -> None:
    game, why = settings.game.profile, _no_prizes(settings)
    if plot is not None:
        raise click.UsageError(f"there is nothing to plot for {game}: {why}")
    if as_json:
        told = {"game": game, "base": cards, "prizes": (), "why": why}
        click.echo(msgspec.json.encode(told, enc_hook=_exact))
        return
    click.echo("\n".join([*base_lines(game, cards), why]))


def _no_prizes(settings: Settings) -> str:
    if settings.game.punto is not None:
        return "Punto y Banca has no poker hands and no progressive wager: no prize, no return, no mean pot"
    if settings.base is None:
        return (
            "a circle game: players play among themselves and the house takes a part of their pots; no prize, no "
            "return, no mean pot"
        )
    return "no progressive wager: no prize, no return, no mean pot"


def _standing(game: Game, given: tuple[str, ...]) -> dict[str, Fraction]:
    pots = {level.name: Fraction(level.base_amount) for level in game.levels}
    for text in given:
        name, equals, written = text.rpartition("=")
        level = name if equals else next(iter(pots), "")
        if level not in pots:
            raise click.BadParameter(
                f"{level!r} is no level of this game ({', '.join(pots) or 'it has none'})", param_hint="--pot"
            )
        try:
            pots[level] = Fraction(parse(written, game.currency))
        except AmountError as error:
            raise click.BadParameter(str(error), param_hint="--pot") from error
    return pots


def _picture(game: Game, found: Answer) -> str:
    if not game.levels:
        raise click.UsageError(f"there is nothing to plot for {game.profile}: its prizes depend on no pot")
    level, unit = game.levels[0].name, 10**game.currency.decimals
    chance = chances(found.base.categories)

    def return_at(pot: Fraction) -> Fraction:
        return mean_return(game, chance, {**found.pots, level: pot * unit})

    mean = found.long_run.levels[0].mean_pot
    known = (("pot", found.pots[level]), ("mean pot", mean), ("break-even", found.break_even_pot))
    chart = Chart(
        title=f"Return against pot: {game.profile}",
        pot_axis=f"pot of level {level}, {game.currency}",
        return_axis="return of one wager",
        marks=tuple(Mark(pot / unit, what) for what, pot in known if pot is not None),
        bends=tuple(bend / unit for bend in caps_reached(game.prizes, level)),
    )
    return draw(chart, return_at)


def _write(path: Path, picture: str) -> None:
    try:
        path.write_text(picture, encoding="utf-8")
    except OSError as error:
        raise click.ClickException(f"the plot was not written: {error}") from error
    click.echo(f"plot: {path}", err=True)


def _exact(value: object) -> object:
    if isinstance(value, Fraction):
        return {"exact": str(value), "decimal": decimal(value, 12).replace(",", "")}
    raise TypeError(f"{value!r} has no JSON form")
