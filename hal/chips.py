"""Which GPIO chip is the header's: found by the kernel's label, never by its number.

The number of the header's chip changed twice on the Pi 5 (raspberrypi/linux PR 6144); its label did not.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from hal.interface import ChipNotFoundError, ClaimError

DEVICES = Path("/dev")


class Chip(msgspec.Struct, frozen=True):
    """One /dev/gpiochipN and the kernel's label for it; no label = it could not be opened."""

    number: int
    label: str | None

    def __str__(self) -> str:
        label = self.label or "(cannot be opened: is this user in the group gpio?)"
        return f"gpiochip{self.number} {label}"


def choose(wanted: Sequence[str], chips: Sequence[Chip]) -> Chip:
    """Choose the chip whose label is one of `wanted`.

    Raises `ChipNotFoundError` with the labels found when there is none, `ClaimError` when there are several:
    driving the wrong one could open the slots.
    """
    matching = [chip for chip in chips if chip.label in wanted]
    names, found = " or ".join(wanted), "; ".join(map(str, chips)) or "no /dev/gpiochip* at all"
    if not matching:
        raise ChipNotFoundError(
            f"no GPIO chip of this machine is labelled {names}; found: {found}. "
            "Choose the board file of this machine, or give its header's label in chip_labels"
        )
    if len(matching) > 1:
        raise ClaimError(
            f"more than one GPIO chip is labelled {names}: {'; '.join(map(str, matching))}. "
            "Leave only the header's own label in the board file's chip_labels"
        )
    return matching[0]


def read_chips(lgpio: Any, devices: Path = DEVICES) -> tuple[Chip, ...]:  # noqa: ANN401 (an untyped module)
    """Read the label of every GPIO chip through lgpio, in order of their numbers.

    Links are left out: newer Pi 5 images keep gpiochip4 as a second name of gpiochip0.
    """
    numbers = sorted(
        int(path.name.removeprefix("gpiochip"))
        for path in devices.glob("gpiochip[0-9]*")
        if not path.is_symlink()
    )
    return tuple(Chip(number, _label(lgpio, number)) for number in numbers)


def _label(lgpio: Any, number: int) -> str | None:  # noqa: ANN401 (an untyped module)
    try:
        handle = lgpio.gpiochip_open(number)
    except lgpio.error:
        return None
    try:
        _status, _lines, _name, label = lgpio.gpio_get_chip_info(handle)
    finally:
        lgpio.gpiochip_close(handle)
    return label.decode() if isinstance(label, bytes) else str(label)
