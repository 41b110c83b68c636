"""The only place that names concrete hardware: a board's factory decides, and there is no fall-back."""

import time
from pathlib import Path

from controller.config import Settings
from hal.interface import Factory, Hal, HalError, Wiring


def hardware(settings: Settings, bench: Path | None) -> Hal:
    """Make the hardware of a table; nothing is claimed yet. As `hardware_of`."""
    return hardware_of(settings.wiring, str(settings.source), bench)


def hardware_of(wiring: Wiring, source: str, bench: Path | None) -> Hal:
    """Make the hardware of a wiring that `source` names; nothing is claimed yet.

    `bench` drives a simulated board from outside over a serial port or pty; on a real board it is refused.
    Raises `HalError`.
    """
    if wiring.factory is Factory.SIMULATED:
        if bench is not None:
            from hal.bench import BenchHal  # noqa: PLC0415, a table imports only the hardware it has

            return BenchHal(wiring, bench)
        from hal.simulated import SimulatedHal  # noqa: PLC0415, the same

        return SimulatedHal(wiring, time.monotonic_ns)
    if bench is not None:
        raise HalError(
            f"--bench drives simulated boards only; {source} names a board with real pins ({wiring.factory})"
        )
    import logging  # noqa: PLC0415, only real hardware has anything to log

    from hal.raspberry import RaspberryHal  # noqa: PLC0415, the same

    # The service manager's journal adds the time; every value the sign was told stands there (F116).
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    return RaspberryHal(wiring)
