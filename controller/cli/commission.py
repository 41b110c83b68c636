"""`pozo commission`: both keys agree to what a table plays by, at its first record and at every change after it."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import assert_never

import click
import msgspec

from controller.administer import administer, flat_differences, parameters_changed
from controller.agreed import changes_of
from controller.assemble import commission_table
from controller.cli.errors import told_plainly
from controller.cli.journal_key import to_file_away
from controller.cli.keys import both_keys
from controller.cli.persons import Reception, refuse_unnamed
from controller.clock import SystemClock
from controller.config import Settings, game_digest, load, terms_written
from controller.core.events import Change
from controller.core.game import Fixed, Prize, Share
from controller.core.money import percent
from controller.core.state import Table
from controller.core.table.parameters import CURRENCY, claimable_seats
from controller.journal import ends_of
from controller.single import SingleInstance
from controller.words.amounts import format_amount


@click.command()
@click.option("--config", "name", required=True, help="The table's file, or the name of a shipped one.")
@click.option("--supervisor", default="", help="Who turns the supervisor's key; needed to accept a change.")
@click.option("--technician", default="", help="Who turns the technician's key; needed to accept a change.")
@click.option("--bench", type=click.Path(path_type=Path), help="Turn a simulated board's keys from this pty.")
@click.option("--turn-keys", is_flag=True, help="Simulated boards only: turn both keys yourself.")
def commission(*, name: str, supervisor: str, technician: str, bench: Path | None, turn_keys: bool) -> None:
    """Commission a table, or accept what its files say now: show it, wait for both keys, store it.

    The table must be stopped, and for a change it must have been closed.
    """
    with told_plainly():
        settings = load(name)
        settings.journal.parent.mkdir(parents=True, exist_ok=True)
        with SingleInstance(settings.journal):
            if settings.journal.exists():
                _accept(settings, supervisor, technician, bench, turn_keys=turn_keys)
                return
            click.echo("\n".join((*agreement(settings), *beside(settings))))
            both_keys(settings, bench, turn_keys=turn_keys)
            public = commission_table(settings, SystemClock())
    click.echo(f"table {settings.table_id} is commissioned: {settings.journal}. Start it with `pozo run`.")
    click.echo(to_file_away(public))


def _accept(
    settings: Settings, supervisor: str, technician: str, bench: Path | None, *, turn_keys: bool
) -> None:
    table = ends_of(settings.journal).last.state
    changes = changes_of(settings, table)
    if not changes:
        raise click.ClickException(
            f"table {settings.table_id} is commissioned and its files say what it plays by: nothing to accept"
        )
    _refuse_currency(changes)
    clock = SystemClock()
    reception = Reception(settings, clock)
    refuse_unnamed(reception.asked, supervisor.strip(), technician.strip())
    for change in changes:
        click.echo(f"  {change.key}: {change.old} -> {change.new}")
    if table.game != game_digest(settings.game):
        click.echo(claims_ended(reception.table), nl=False)
    both_keys(settings, bench, turn_keys=turn_keys)
    there = reception.both(supervisor, technician)
    act = parameters_changed(
        settings, clock, changes, supervisor=there.supervisor, technician=there.technician
    )
    administer(settings, clock, act, both_keys=True, session=there)
    click.echo(f"table {settings.table_id} plays by the new values from its next start on.")


def _refuse_currency(changes: Sequence[Change]) -> None:
    for change in changes:
        if change.key == CURRENCY:
            raise click.ClickException(
                f"the files have {change.new}, and pots, meters and unpaid awards of this table are counted in "
                f"{change.old}: the currency of a table never changes. Put the old game back, or commission a table of "
                "its own, with its own identity, journal and witness"
            )


def claims_ended(table: Table) -> str:
    """What both persons end by accepting other rules: the claims of the round before; nothing where there are none."""
    seats = ", ".join(str(seat) for seat in claimable_seats(table))
    if not seats:
        return ""
    return (
        f"  ATTENTION: the round just ended can still be claimed at seats {seats}, under the old values only. "
        "Accepting the new ones ends that: if a claim is to be served, put the old values back and open the table\n"
    )


def agreement(settings: Settings) -> list[str]:
    """What both persons agree to by turning their keys: amounts, rates, limits and prizes (F113)."""
    game = settings.game

    def money(amount: int) -> str:
        return format_amount(amount, settings.locale, game.currency)

    lines = [
        f"table {settings.table_id} ({settings.name}), game {settings.game_title} ({game.profile})",
        f"  {f'wager {money(game.wager)}' if game.wager else 'no wager in the slots'}, {game.seats} seats",
    ]
    lines += [
        f"  level {level.name}: starts at {money(level.base_amount)}, restarts at {money(level.reset_amount)}, "
        f"limit {money(level.limit)}, takes {level.increment_rate_ppm} ppm of each wager and "
        f"{level.reserve_rate_ppm} ppm into its reserve"
        for level in game.levels
    ]
    return lines + [
        f"  {prize.hand}: {_pays(prize, money)}, paid by the {prize.fund} ({prize.source})"
        for prize in game.prizes
    ]


def beside(settings: Settings) -> list[str]:
    """What they agree to beside it, by the keys of the file: name, gaming day, base game, floor, program's proof."""
    terms = flat_differences({}, msgspec.json.decode(terms_written(settings)))
    return [f"  {each.key}: {each.new}" for each in terms]


def _pays(prize: Prize, money: Callable[[int], str]) -> str:
    match prize.pays:
        case Share(share_ppm=share, cap=cap):
            most = "" if cap is None else f", at most {money(cap)}"
            return f"{percent(share)} of {prize.level}{most}"
        case Fixed(amount=amount):
            return money(amount)
        case _:
            assert_never(prize.pays)
