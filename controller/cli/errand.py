"""`pozo errand`: does what was asked for at the table's menu, an update or a backup, and answers to the table."""

import os
import sys
from pathlib import Path
from typing import NamedTuple, assert_never

import click
import msgspec

from controller.backup.make import make
from controller.cli.errors import PLAIN, told_plainly
from controller.cli.update import Systemd
from controller.clock import SystemClock
from controller.config import Settings, load
from controller.core.events import Became, Errand
from controller.core.state import Doing
from controller.errands import NOTE_MOST, PLACE, Answer, answer_file
from controller.journal import ends_of
from controller.updating.install import Appliance, install
from controller.whole import put_whole

STICK = Path("/media/pozo")


class Ended(NamedTuple):
    """What became of an errand, and why."""

    became: Became
    note: str


@click.command()
@click.argument("errand", type=click.Choice([errand.value for errand in Errand]))
@click.option("--config", "name", required=True, help="The table's file, or the name of a shipped one.")
@click.option("--stick", type=click.Path(path_type=Path), default=STICK, help="Where the stick is mounted.")
@click.option("--place", type=click.Path(path_type=Path), default=PLACE, help="Where the table hears of it.")
def errand(errand: str, name: str, stick: Path, place: Path) -> None:
    """Do the errand that the table's last record asks for; its own units run it.

    Nothing is done unless the record asks: the keys and PINs behind it were looked at by the table.
    """
    which = Errand(errand)
    with told_plainly():
        settings = load(name)
        doing = asked_for(settings, which)
        if doing is None:
            raise click.ClickException(
                f"nobody at table {settings.table_id} asks for it now: choose it in the table's menu, with the keys"
            )
        answer = answer_file(place, which)
        _say(answer, Answer(doing.asked_ns))
        ended = done(settings, which, stick)
        _say(answer, Answer(doing.asked_ns, ended.became, ended.note[:NOTE_MOST]))
    click.echo(ended.note or ended.became)
    sys.exit(0 if ended.became is Became.DONE else 1)


def asked_for(settings: Settings, which: Errand) -> Doing | None:
    """What the table's last record asks for, if it is this errand and it is under way. Raises the journal's errors."""
    doing = ends_of(settings.journal).last.state.doing
    return doing if doing is not None and doing.errand is which and doing.became is None else None


def done(settings: Settings, which: Errand, stick: Path) -> Ended:
    """Do it, and say what became of it."""
    if not os.path.ismount(stick):
        return Ended(Became.NO_STICK, f"no stick is mounted at {stick}: it must be labelled POZO")
    match which:
        case Errand.UPDATE:
            return _updated(settings, stick)
        case Errand.BACKUP:
            return _backed_up(settings, stick)
        case _:
            assert_never(which)


def _updated(settings: Settings, stick: Path) -> Ended:
    bundles = sorted(stick.glob("*.update"))
    if len(bundles) != 1:
        return Ended(
            Became.NO_FILE,
            f"there are {len(bundles)} files *.update on the stick: leave the one that is meant",
        )
    try:
        with bundles[0].open("rb") as file:
            install(file, settings, Appliance(Systemd()), click.echo)
    except PLAIN as error:
        return Ended(Became.REFUSED, str(error))
    return Ended(Became.DONE, "the board starts anew and tries it")


def _backed_up(settings: Settings, stick: Path) -> Ended:
    try:
        made = make(settings, SystemClock(), stick)
    except PLAIN as error:
        return Ended(Became.FAILED, str(error))
    return Ended(Became.DONE, f"{made.folder.name}, {'there already' if made.already else 'made and proven'}")


def _say(place: Path, answer: Answer) -> None:
    """Answer, for the table's own user to read."""
    put_whole(place, msgspec.json.encode(answer))
    place.chmod(0o644)
