"""`pozo update`: make a signed update, look at one, put it into the other slot, and keep it once it holds."""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from controller.cli.errors import told_plainly
from controller.clock import SystemClock
from controller.config import load
from controller.signing.key import KeyProblemError, read_private
from controller.updating.bundle import UpdateError, make
from controller.updating.confirm import confirm
from controller.updating.install import Appliance, install, proven
from controller.updating.trial import remembered

_CONFIG = click.option(
    "--config", "name", required=True, help="The table's file, or the name of a shipped one."
)
_FILE = click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
TABLE = "pozo-table.service"


class Systemd:
    """systemd, asked by its own command."""

    def stop_table(self) -> None:
        """End the table's unit in order; done on return."""
        _run("systemctl", "stop", TABLE)

    def start_table(self) -> None:
        """Start it again."""
        _run("systemctl", "start", TABLE)

    def restart(self, *, trying: bool) -> None:
        """Start the board anew. The Raspberry Pi's firmware is told to try by the kernel's restart argument."""
        argument = ("--reboot-argument=0 tryboot",) if trying else ()
        _run("systemctl", "reboot", "--no-block", *argument)


@click.group()
def update() -> None:
    """Make a signed update, look at one, put it into the card's other slot, and keep it once it holds."""


@update.command(name="make")
@click.option(
    "--boot",
    type=click.Path(exists=True, path_type=Path),
    required=True,
    help="The boot partition of slot a.",
)
@click.option("--root", type=click.Path(exists=True, path_type=Path), required=True, help="The root.")
@click.option("--version", required=True, help="The release's version.")
@click.option(
    "--built", type=int, required=True, help="When its source was made, Unix seconds: it must grow."
)
@click.option(
    "--key", "private", type=click.Path(path_type=Path), required=True, help="The file of the private key."
)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The bundle that is written.")
def make_command(*, boot: Path, root: Path, version: str, built: int, private: Path, out: Path) -> None:
    """Pack a root and a boot partition into one signed file; image/build does it as its last step."""
    with told_plainly():
        key = read_private(private)
        if key is None:
            raise KeyProblemError(f"there is no {private}: `pozo manifest key` makes a pair")
        with out.open("wb") as file:
            made = make(boot, root, version, built, key=key, out=file)
    click.echo(f"{out}: version {made.version}, journal format {made.journal}, signed with {key.public}")


@update.command(name="show")
@_FILE
@_CONFIG
def show_command(file: Path, name: str) -> None:
    """Say what a bundle is, and whether this table would trust it. Exit code 1 if not."""
    with told_plainly(), file.open("rb") as opened:
        bundle = proven(opened, load(name))
        for part in (bundle.update.boot, bundle.update.root):
            for _chunk in bundle.part(part):
                pass
    made = time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(bundle.update.built))
    click.echo(f"good: version {bundle.update.version} of {made}, journal format {bundle.update.journal}")


@update.command(name="install")
@_FILE
@_CONFIG
@click.option("--again", is_flag=True, help="Also a bundle that was tried on this table and did not hold.")
def install_command(file: Path, name: str, *, again: bool) -> None:
    """Write FILE into the slot that does not run, stop the table, and start that slot once.

    The table must be closed with the technician's key turned, and is looked at again before the restart.
    """
    with told_plainly(), file.open("rb") as opened:
        install(opened, load(name), Appliance(Systemd()), click.echo, again=again)


@update.command(name="confirm")
@_CONFIG
def confirm_command(name: str) -> None:
    """Keep the running slot once the table has played by it for a minute; else start the old one again.

    Ends at once where nothing is on trial.
    """
    with told_plainly():
        click.echo(confirm(load(name), Appliance(Systemd()), SystemClock(), _writable, time.sleep))


@update.command(name="status")
def status_command() -> None:
    """Say which slot runs, which is started, and what became of the last update."""
    with told_plainly():
        appliance = Appliance(Systemd())
        release, card = appliance.running(), appliance.card
        click.echo(f"slot {card.running()} runs version {release.version}; slot {card.default()} is started")
        trial = remembered(appliance.place)
    if trial is not None:
        became = "holds" if trial.held else "is on trial" if card.on_trial else "did not hold"
        click.echo(f"last update: version {trial.version} in slot {trial.slot} {became}")


@contextmanager
def _writable(front: Path) -> Iterator[None]:
    _run("mount", "-o", "remount,rw", str(front))
    try:
        yield
    finally:
        _run("mount", "-o", "remount,ro", str(front))


def _run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603, fixed words, no shell
    if done.returncode:
        raise UpdateError(f"{' '.join(command)} failed: {done.stderr.strip()}")
