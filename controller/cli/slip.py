"""`pozo slip AWARD`: look at an award's slip, print it, print a copy, declare a paper void."""

from datetime import UTC, datetime
from pathlib import Path

import click

from controller.cli.house import Desk, desk, house_options
from controller.cli.outlets import Screen, outlet, outlet_options, told_on_paper
from controller.clock import SystemClock
from controller.journal.chain import short_digest
from controller.single import SingleInstance
from controller.slips.award import award_slip
from controller.slips.deliver import Press
from controller.slips.follow import told
from controller.slips.outlet import Outlet
from controller.slips.register import Act, Done, Paper, Register, opened, path_of
from controller.slips.slip_page import slip_page


@click.command()
@click.argument("award", type=click.IntRange(min=1))
@house_options
@outlet_options
@click.option(
    "--copy", is_flag=True, help="Print again what was printed before; the paper says which copy it is."
)
@click.option(
    "--void", metavar="REASON", help="Declare the newest paper of this slip void; the award stands."
)
@click.option("--papers", is_flag=True, help="List what was printed of this slip.")
def slip(
    *,
    award: int,
    path: Path | None,
    config: str | None,
    lang: str | None,
    printer: str | None,
    output: Path | None,
    copy: bool,
    void: str | None,
    papers: bool,
) -> None:
    """Show the slip of AWARD, marked as a view; with --printer or -o put it on paper and note that beside the journal.

    The table may be playing meanwhile.
    """
    if sum((copy, void is not None, papers)) > 1:
        raise click.UsageError("--copy, --void and --papers exclude each other")
    at = desk(path, config, lang)
    with told_on_paper():
        where = outlet(printer, output)
        if papers:
            _list(at, award)
        elif void is not None:
            _with_register(at, where or Screen(), award, void=void, copy=False)
        elif where is not None:
            _with_register(at, where, award, void=None, copy=copy)
        elif copy:
            raise click.UsageError("--copy needs --printer or -o: a view on the screen is no copy")
        else:
            Screen().put(slip_page(award_slip(at.journal, award), at.house, None))


def _with_register(at: Desk, where: Outlet, award: int, *, void: str | None, copy: bool) -> None:
    clock = SystemClock()
    with SingleInstance(path_of(at.journal)), opened(at.journal, clock.wall_ns) as register:
        press = Press(at.journal, register, where, at.house, clock)
        if void is not None:
            paper = press.void(award, void)
        else:
            _asked_rightly(register, award, copy=copy)
            paper = press.award(award)
    click.echo(_told(paper), err=True)


def _asked_rightly(register: Register, award: int, *, copy: bool) -> None:
    """A second paper must be wanted, a first one must not be called a copy."""
    started = any(done.act is Act.STARTED for done in register.history(award))
    if started and not copy:
        raise click.ClickException(
            f"slip {award} was printed before (--papers tells when): ask for another with --copy"
        )
    if copy and not started:
        raise click.ClickException(f"slip {award} was not printed yet: print it without --copy")


def _told(paper: Paper) -> str:
    if paper.void:
        return f"slip {paper.number}: its newest paper is void; the award stands"
    what = f"copy {paper.copy}" if paper.copy else "original"
    return f"slip {paper.number}: {what}{told(paper)}"


def _list(at: Desk, award: int) -> None:
    if not path_of(at.journal).exists():
        click.echo("nothing was printed at this table yet")
        return
    with SingleInstance(path_of(at.journal)), opened(at.journal, SystemClock().wall_ns) as register:
        for done in register.history(award):
            when = datetime.fromtimestamp(done.wall_ns // 1_000_000_000, UTC)
            click.echo(f"{when:%Y-%m-%d %H:%M:%SZ} copy {done.copy} {done.act} {_detail(done)}".rstrip())


def _detail(done: Done) -> str:
    """Why a paper failed or is void, or the record it was made of as the paper has it."""
    if done.act in {Act.STARTED, Act.FINISHED} and done.detail:
        return f"(record {short_digest(done.detail)})"
    return done.detail
