"""A table on gpiozero's pins, started as `pozo run` starts it; `startup.py` measures it.

No Pi is at hand, so the header is gpiozero's mock factory and lgpio itself is not loaded; the rest is what a real
table loads. Run: `python benchmarks/startup_pins.py TABLE_FILE`.
"""

import sys
from contextlib import closing

from gpiozero.pins.mock import MockFactory

from controller.assemble import assemble
from controller.cli.run import Ending, play
from controller.clock import SystemClock
from controller.config import load
from controller.pulse_file import PulseFile
from controller.single import SingleInstance
from hal.header import claim_with_state, stamped_by_monotonic
from hal.interface import Wiring
from hal.pins import Header
from hal.raspberry import RaspberryHal


def mock_header(_wiring: Wiring) -> Header:
    """gpiozero's mock factory as a header."""
    return Header(
        factory=MockFactory(),
        errors=(OSError,),
        claim_output=claim_with_state,
        wall_stamps=stamped_by_monotonic,
        release=lambda: None,
        kernel_stamps=False,
        alive=lambda: True,
    )


def main() -> None:
    """Run the table of this file until SIGTERM."""
    ending = Ending()
    ending.listen()
    settings = load(sys.argv[1])
    with (
        SingleInstance(settings.journal),
        closing(RaspberryHal(settings.wiring, open_header=mock_header)) as hal,
    ):
        loop, inbox = assemble(settings, hal, SystemClock(), lambda _entries: None)
        ending.into(inbox)
        loop.start()
        play(loop, inbox, SystemClock(), PulseFile(settings.journal))


if __name__ == "__main__":
    main()
