"""The only place that names concrete hardware: a board's factory decides, and there is no fall-back."""

import time
from pathlib import Path

from controller.config import Settings
from hal.interface import Factory, Hal, HalError


def hardware(settings: Settings, bench: Path | None) -> Hal:
    """Make the hardware of a table; nothing is claimed yet.

    `bench` drives a simulated board from outside over a serial port or pty; on a real board it is refused.
    Raises `HalError`.
    """
    if settings.wiring.factory is Factory.SIMULATED:
        if bench is not None:
            from hal.bench import BenchHal  # noqa: PLC0415, a table imports only the hardware it has

            return BenchHal(settings.wiring, bench)
        from hal.simulated import SimulatedHal  # noqa: PLC0415, the same

        return SimulatedHal(settings.wiring, time.monotonic_ns)
    if bench is not None:
        raise HalError(
            f"--bench drives simulated boards only; {settings.source} names a board with real pins "
            f"({settings.wiring.factory})"
        )
    import logging  # noqa: PLC0415, only real hardware has anything to log

    from hal.raspberry import RaspberryHal  # noqa: PLC0415, the same

    # The service manager's journal adds the time; every value the sign was told stands there (F116).
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    return RaspberryHal(settings.wiring)
