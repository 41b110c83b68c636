"""`pozo run`: the real table, until it is told to stop.

Signals and dying threads only leave a message in the inbox; the loop ends in order. One copy a table: the lock
is taken before any pin, port or journal is touched.
"""

import faulthandler
import signal
import sys
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import click

from controller.admit import StrandedError
from controller.assemble import assemble
from controller.cli.errors import told_plainly
from controller.cli.hardware import hardware
from controller.clock import Clock, SystemClock
from controller.config import Settings, load
from controller.errands import Errands
from controller.inbox import Inbox, Stop
from controller.journal import Entry
from controller.loop import Loop
from controller.own import prove_program
from controller.pulse_file import PulseFile
from controller.signing.key import load_library
from controller.single import SingleInstance

if TYPE_CHECKING:
    from controller.stranded import OutOfService

STOP_S = 3.0
"""An ordered stop has this long; then the process ends whatever hangs, and its outputs fall back to safe."""


class Ending:
    """Gathers reasons to stop until there is an inbox for them, and guards the time a stop may take."""

    def __init__(self) -> None:
        self._inbox: Inbox | None = None
        self._early: Stop | None = None
        self.failed = False

    def listen(self) -> None:
        """Catch the signals and the death of any thread from now on."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, self._on_signal)
        threading.excepthook = self._on_thread_death

    def into(self, inbox: Inbox) -> None:
        """Deliver to this inbox, what came early included."""
        self._inbox = inbox
        if self._early is not None:
            inbox.put(self._early)

    def leave(self) -> None:
        """Deliver to no inbox until there is another one; what comes meanwhile is kept for it."""
        self._inbox = None

    def _on_signal(self, number: int, frame: FrameType | None) -> None:  # noqa: ARG002, the signal module's signature
        self._ask(Stop(signal.Signals(number).name))

    def _on_thread_death(self, args: threading.ExceptHookArgs) -> None:
        self.failed = True
        name = "a thread" if args.thread is None else args.thread.name
        sys.__excepthook__(args.exc_type, args.exc_value or args.exc_type(), args.exc_traceback)
        self._ask(Stop(f"{name} died: {args.exc_value!r}", failed=True))

    def _ask(self, stop: Stop) -> None:
        if self._early is None:
            self._early = stop
            limit_end()
        if self._inbox is not None:
            self._inbox.put(stop)


def limit_end() -> None:
    """Give the end `STOP_S` from now.

    What ends the process then needs no lock and no Python, so it ends one that hangs in either, and says where it hung.
    """
    faulthandler.dump_traceback_later(STOP_S, exit=True)


def _unobserved(_entries: Sequence[Entry]) -> None:
    """Nobody watches the records of a real table from inside its process."""


@click.command()
@click.option("--config", "name", required=True, help="The table's file, or the name of a shipped one.")
@click.option(
    "--bench",
    type=click.Path(path_type=Path),
    help="Drive a simulated board from this serial port or pty.",
)
def run(name: str, bench: Path | None) -> None:
    """Run the table until SIGTERM or SIGINT."""
    ending = Ending()
    ending.listen()
    with told_plainly():
        failed = play_table(warned(load(name)), bench, ending)
    sys.exit(1 if failed else 0)


def warned(settings: Settings) -> Settings:
    """The same settings, their warnings said."""
    for warning in settings.warnings:
        click.echo(f"warning: {warning}", err=True)
    return settings


def play_table(
    settings: Settings, bench: Path | None, ending: Ending, errands: Errands | None = None
) -> bool:
    """Play until the table is told to stop, or stay out of service until then. True if something broke.

    `errands`: who does what is asked for at the stick, if anybody.
    Raises the rooms' errors for whatever keeps the table from starting; then nothing stays claimed.
    """
    with SingleInstance(settings.journal), ExitStack() as stack:
        prove_program(settings)
        hal = hardware(settings, bench)
        stack.callback(hal.close)
        clock = SystemClock()
        try:
            loop, inbox = assemble(settings, hal, clock, _unobserved, errands=errands)
        except StrandedError as error:
            from controller.stranded import OutOfService  # noqa: PLC0415, a table that plays needs it not

            click.echo(f"Error: {error}", err=True)
            stand_by(OutOfService(settings, hal, clock, error), ending, clock)
            return True
        ending.into(inbox)
        loop.start()
        load_library()
        click.echo(f"table {settings.table_id} plays: {loop.table.phase}, round {loop.table.round}")
        play(loop, inbox, clock, PulseFile(settings.journal))
        return ending.failed or loop.failed


def stand_by(table: "OutOfService", ending: Ending, clock: Clock) -> None:
    """Show why nothing is played until the process is told to stop: a start over and over would help nobody."""
    ending.into(table.inbox)
    table.start()
    while not table.stopped:
        table.inbox.wait(table.wake_ns - clock.monotonic_ns())
        table.turn()


def play(loop: Loop, inbox: Inbox, clock: Clock, pulses: PulseFile) -> None:
    """Turn until the loop has stopped, sleeping in between. A loop that fails says so on every display."""
    try:
        while not loop.stopped:
            inbox.wait(loop.wake_ns - clock.monotonic_ns())
            loop.turn()
            if loop.doomed and not loop.stopped:
                limit_end()
            now = clock.monotonic_ns()
            if now >= pulses.due_ns:
                pulses.keep(loop.pulses, now)
    except BaseException:
        loop.out_of_service()
        raise
