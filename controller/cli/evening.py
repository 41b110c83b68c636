"""`pozo evening GAME`: rounds of real hands through the state machine, from a seed, against exact bounds."""

import click

from controller.cli.errors import told_plainly
from controller.config import load
from controller.core.money import plain
from controller.evening import evening as play
from controller.meters import is_money, meters
from controller.odds.frequencies import of_five, of_three
from controller.odds.returns import chances

SHOWN = ("in_meter", "current", "reserve_pool", "overflow_meter", "wins_meter", "house_funding")
THREE = 3


@click.command()
@click.argument("game")
@click.option("--rounds", default=100_000, show_default=True, type=click.IntRange(1, 10_000_000))
@click.option("--seed", default=1, show_default=True, help="The same seed gives the same evening.")
def evening(game: str, rounds: int, seed: int) -> None:
    """Play an evening of GAME with all seats betting: hit counts inside exact 99.9 % bounds, money conserved."""
    with told_plainly():
        settings = load("simulated", {"game": game})
    rules = settings.game
    low = rules.ace_low_straight
    table = of_three(ace_low_straight=low) if rules.dealt == THREE else of_five(ace_low_straight=low)
    try:
        found = play(rules, chances(table), rounds, seed)
    except ValueError as error:
        raise click.ClickException(str(error)) from error
    click.echo(f"{game}: {rounds} rounds, {found.hands} hands, seed {seed}")
    for hand, bounds in found.bounds.items():
        kept = "inside" if bounds.kept else "OUTSIDE"
        click.echo(f"  {hand:16s} {bounds.hits:7d} hits, {kept} {bounds.least} … {bounds.most}")
    values = meters(found.table)
    for name in SHOWN:
        amount = plain(values[name], rules.currency) if is_money(name) else values[name]
        click.echo(f"  {name:16s} {amount:>20}")
    click.echo(f"  money missing: {found.imbalance} millionths of a minor unit")
    if found.imbalance or not all(bounds.kept for bounds in found.bounds.values()):
        raise click.ClickException("this evening is not an honest one")
