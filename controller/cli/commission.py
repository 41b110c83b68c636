"""`pozo commission`: the first record of a table, made with both keys turned."""

import time
from pathlib import Path

import click

from controller.assemble import commission_table
from controller.cli.errors import told_plainly
from controller.cli.hardware import hardware
from controller.clock import SystemClock
from controller.config import Settings, load
from controller.single import SingleInstance
from controller.words.amounts import format_amount
from hal.interface import Factory, Hal, Message

KEYS_S = 60.0
POLL_S = 0.05
KEYS = ("supervisor", "technician")


@click.command()
@click.option("--config", "name", required=True, help="The table's file, or the name of a shipped one.")
@click.option("--bench", type=click.Path(path_type=Path), help="Turn a simulated board's keys from this pty.")
@click.option("--turn-keys", is_flag=True, help="Simulated boards only: turn both keys yourself.")
def commission(name: str, bench: Path | None, turn_keys: bool) -> None:
    """Commission a table: show what it will play by, wait for both keys, make its journal."""
    with told_plainly():
        settings = load(name)
        simulated = settings.wiring.factory is Factory.SIMULATED
        if turn_keys and not simulated:
            raise click.UsageError("--turn-keys is for simulated boards; this table has real key switches")
        click.echo(_agreement(settings))
        settings.journal.parent.mkdir(parents=True, exist_ok=True)
        with SingleInstance(settings.journal):
            if not turn_keys:
                _wait_for_keys(hardware(settings, bench))
            commission_table(settings, SystemClock())
    click.echo(f"table {settings.table_id} is commissioned: {settings.journal}. Start it with `pozo run`.")


def _agreement(settings: Settings) -> str:
    """What both persons agree to by turning their keys: amounts, rates, limits and prizes."""
    game = settings.game

    def money(amount: int) -> str:
        return format_amount(amount, settings.locale, game.currency)

    lines = [
        f"table {settings.table_id} ({settings.name}), game {settings.game_title} ({game.profile})",
        f"  wager {money(game.wager)}, {game.seats} seats",
    ]
    lines += [
        f"  level {level.name}: starts at {money(level.base_amount)}, restarts at {money(level.reset_amount)}, "
        f"limit {money(level.limit)}, takes {level.increment_rate_ppm} ppm of each wager and "
        f"{level.reserve_rate_ppm} ppm into its reserve"
        for level in game.levels
    ]
    lines += [f"  {prize.hand}: {prize.pays}, paid by {prize.fund} ({prize.source})" for prize in game.prizes]
    return "\n".join(lines)


def _ignore(_message: Message) -> None:
    """Keys are read as levels here; edges are not needed."""


def _wait_for_keys(hal: Hal) -> None:
    click.echo(f"Turn both keys ({' and '.join(KEYS)}) within {KEYS_S:.0f} s.")
    try:
        hal.start(_ignore)
        until = time.monotonic() + KEYS_S
        while not all(hal.levels()[key] for key in KEYS):
            if time.monotonic() > until:
                raise click.ClickException("both keys were not turned in time; nothing was made")
            time.sleep(POLL_S)
    finally:
        hal.close()
