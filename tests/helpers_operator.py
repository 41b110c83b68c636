"""`pozo run` with an operator's door: events as JSON on standard input, and faults that a test asks for.

Run it as `python -m tests.helpers_operator`. All but the door is the program's own. A fault strikes when a chip falls
on seat 7.
"""

import sys
import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import click
import msgspec

from controller.assemble import assemble
from controller.cli.run import Ending, play
from controller.clock import SystemClock
from controller.config import load
from controller.core.events import AnyEvent, ChipDropped
from controller.inbox import Act, Inbox
from controller.journal import Entry
from controller.pulse_file import PulseFile
from controller.single import SingleInstance
from hal.bench import BenchHal
from hal.interface import HalThread
from hal.simulated import SimulatedHal

STRIKES_AT = 7


def listen_to(inbox: Inbox) -> None:
    """Each line is an event of the operator's menu."""
    for line in sys.stdin:
        inbox.put(Act(msgspec.json.decode(line, type=AnyEvent)))


def fail() -> None:
    raise RuntimeError("asked for by the test")


def hang() -> None:
    threading.Event().wait()


def in_thread(what: Callable[[], object]) -> None:
    threading.Thread(target=what, name="sign").start()


FAULTS: dict[str, Callable[[SimulatedHal], object]] = {
    "none": lambda _hal: None,
    "loop_fails": lambda _hal: fail(),
    "loop_hangs": lambda _hal: hang(),
    "thread_fails": lambda _hal: in_thread(fail),
    "thread_exits": lambda _hal: in_thread(sys.exit),
    "thread_hangs": lambda _hal: in_thread(hang),
    "pins_end": lambda hal: hal.end_thread(HalThread.PINS),
}


@click.command()
@click.option("--config", required=True)
@click.option("--bench", type=click.Path(path_type=Path), required=True)
@click.option("--fault", type=click.Choice(list(FAULTS)), default="none")
def main(config: str, bench: Path, fault: str) -> None:
    def strike(entries: Sequence[Entry]) -> None:
        if any(isinstance(entry.event, ChipDropped) and entry.event.seat == STRIKES_AT for entry in entries):
            FAULTS[fault](hal)

    ending = Ending()
    ending.listen()
    settings, clock = load(config), SystemClock()
    hal = BenchHal(settings.wiring, bench)
    with SingleInstance(settings.journal):
        try:
            loop, inbox = assemble(settings, hal, clock, strike)
            ending.into(inbox)
            loop.start()
            threading.Thread(target=listen_to, args=(inbox,), name="operator", daemon=True).start()
            play(loop, inbox, clock, PulseFile(settings.journal))
        finally:
            hal.close()
    sys.exit(1 if ending.failed or loop.failed else 0)


if __name__ == "__main__":
    main()
