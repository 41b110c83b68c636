"""`pozo soak`: random play by all roles with faults at every seam, watched by independent checkers."""

import sys
from pathlib import Path

import click
import msgspec

from controller.config import ConfigError, Kind, names
from controller.soak.coverage import PAIRS_FROM
from controller.soak.run import Done, Plan, keep, load, run
from controller.soak.table import Played


class Seeds(click.ParamType[tuple[int, int]]):
    """`7` or `1..200`."""

    name = "N|A..B"

    def convert(
        self, value: object, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, int]:
        """The first and the last seed."""
        first, dots, last = str(value).partition("..")
        try:
            begin, end = int(first), int(last if dots else first)
        except ValueError:
            self.fail(f"{value!r} is neither a number nor two with two dots between: 7, 1..200", param, ctx)
        if not 0 <= begin <= end:
            self.fail(f"{value!r} runs from {begin} to {end}: seeds rise from 0 on", param, ctx)
        return begin, end


@click.command()
@click.option("--seed", "seeds", type=Seeds(), required=True, help="One seed, or all from A to B.")
@click.option("--rounds", type=click.IntRange(1, 10_000_000), default=1_000, show_default=True)
@click.option("--game", default="all", show_default=True, help="A shipped game, or each in turn.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("soak"),
    help="Where failures are written as drills.",
)
@click.option(
    "--resume", type=click.Path(path_type=Path), help="Keep in this file what is done, and go on from there."
)
@click.option("-j", "processes", type=click.IntRange(1, 64), default=1, show_default=True, help="Processes.")
@click.option("--json", "as_json", is_flag=True, help="Print the counts as JSON.")
def soak(  # noqa: PLR0917, click hands every option over by its name
    seeds: tuple[int, int],
    rounds: int,
    game: str,
    out: Path,
    resume: Path | None,
    processes: int,
    as_json: bool,
) -> None:
    """Play tables at random, break them at every seam, and check all they do. Exit code 1 if anything is wrong."""
    if game != "all" and game not in names(Kind.GAME):
        raise click.BadParameter(f"{game!r} is no game; there are: all, {', '.join(names(Kind.GAME))}")
    plan = Plan(*seeds, rounds, None if game == "all" else game)
    try:
        done = Done(plan) if resume is None else load(resume, plan)
    except (ValueError, msgspec.MsgspecError, ConfigError) as error:
        raise click.UsageError(str(error)) from error
    for so_far in run(plan, done, out, processes, lambda played: _tell(played, quiet=as_json)):
        if resume is not None:
            keep(resume, so_far)
    _report(done, as_json=as_json)
    sys.exit(1 if done.failed or done.missing() else 0)


def _tell(played: Played, *, quiet: bool) -> None:
    if quiet and played.failure is None:
        return
    each_ms = 1_000 * played.seconds / max(played.rounds, 1)
    click.echo(
        f"seed {played.seed}: {played.game}, {played.rounds} rounds, {played.records} records, "
        f"{each_ms:.1f} ms a round",
        err=quiet,
    )
    if played.failure is not None:
        click.echo(f"seed {played.seed}: FAILED, {played.failure.checker}: {played.failure.text}", err=quiet)


def _report(done: Done, *, as_json: bool) -> None:
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode({"missing": done.missing(), "done": done})))
        return
    rounds = sum(done.rounds.values())
    click.echo(f"{len(done.seeds)} seeds, {rounds} rounds, {done.records} records, {done.seconds:.0f} s")
    click.echo(f"{len(done.pairs)} pairs of phase and event")
    for fault, count in sorted(done.faults.items()):
        click.echo(f"  {count:8d} {fault}")
    for failed in done.failed:
        click.echo(
            f"FAILED seed {failed.seed} ({failed.game}): {failed.checker}: {failed.text}\n  {failed.drill}"
        )
    for what in done.missing():
        click.echo(f"NEVER HAPPENED {what}")
    if rounds < PAIRS_FROM:
        click.echo(f"below {PAIRS_FROM} rounds nothing is asked about what never happened")
