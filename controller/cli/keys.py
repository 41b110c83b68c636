"""Both keys, seen on the hardware before a privileged act is stored."""

import time
from pathlib import Path

import click

from controller.bound import refuse_other_board
from controller.cli.hardware import hardware
from controller.config import Settings
from hal.interface import Factory, Hal, Message

KEYS_S = 60.0
POLL_S = 0.05
KEYS = ("supervisor", "technician")


def both_keys(settings: Settings, bench: Path | None, *, turn_keys: bool) -> None:
    """Wait until both keys are turned. `turn_keys` does it for a simulated board; a real one has key switches.

    Raises `click.ClickException` if they are not turned in time, `click.UsageError` on a real board, and
    `OtherBoardError` where a simulated one is put over a real table's journal.
    """
    refuse_other_board(settings)
    if turn_keys:
        if settings.wiring.factory is not Factory.SIMULATED:
            raise click.UsageError("--turn-keys is for simulated boards; this table has real key switches")
        return
    click.echo(f"Turn both keys ({' and '.join(KEYS)}) within {KEYS_S:.0f} s.")
    hal = hardware(settings, bench)
    try:
        hal.start(_ignore)
        _wait(hal)
    finally:
        hal.close()


def _ignore(_message: Message) -> None:
    """Keys are read as levels here; edges are not needed."""


def _wait(hal: Hal) -> None:
    until = time.monotonic() + KEYS_S
    while not all(hal.levels()[key] for key in KEYS):
        if time.monotonic() > until:
            raise click.ClickException("both keys were not turned in time; nothing was stored")
        time.sleep(POLL_S)
