"""Asks for a PIN where no record can be sealed that it was wrong: it is counted beside the list of users instead.

The wait grows with each, and whoever asks keeps in the record of what was done then how many there were.
"""

from collections.abc import Callable
from pathlib import Path

import click

from controller.menu.known import Known
from controller.users import Desk, tries


def wrong_before(journal: Path) -> tuple[str, ...]:
    """The wrong PINs in a row that were counted, a line for each role that has any. Raises `OSError`."""
    return tuple(f"{role}: {count}" for role, count in tries.counted(journal))


def counted_pin(
    journal: Path, desk: Desk, who: Known, at_the_table: int, pause: Callable[[int], None]
) -> None:
    """Ask for the PIN; it counts as wrong from before it is looked at: who ends the command meanwhile learns nothing.

    Raises `click.ClickException` for a wrong one, `OSError` where it cannot be counted: then it is not looked at.
    """
    pin = click.prompt(f"PIN of {who.name}", hide_input=True)
    before = tries.wrong(journal, who.role)
    counted = max(before, at_the_table) + 1
    tries.keep(journal, who.role, counted)
    wait = tries.wait_ns(counted - 1)
    click.echo(f"it is looked at in {wait // 1_000_000_000} s")
    pause(wait)
    if not desk.right(who.number, who.role, pin):
        raise click.ClickException(
            f"that is not the PIN of {who.name}; nothing was changed. The next one is looked at after "
            f"{tries.wait_ns(counted) // 1_000_000_000} s"
        )
    tries.keep(journal, who.role, before)
