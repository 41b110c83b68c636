"""The I2C bus of the emulated board: an i2c-tiny-usb adapter, whose driver is Linux's own, and what is wired to it.

The guest's kernel makes `/dev/i2c-1` of it, with its own i2c-dev, its own owner and group and its own errors: nothing
in the image knows that the bus hangs on USB. Numbers are those of the adapter's firmware.
"""

import struct
from collections.abc import Mapping
from typing import Protocol

from emulator.usb import Setup

VENDOR, PRODUCT = 0x0403, 0xC631

ECHO, FUNCTIONS, SET_DELAY, STATUS, TRANSFER = 0, 1, 2, 3, 4
BEGINS, ENDS = 1, 2
"""Added to TRANSFER at the first and the last message of a transaction."""

READ = 1
"""The bit in a message's flags that asks for bytes."""

PLAIN_I2C_AND_SMBUS = 0x0EFF0009
NOTHING, ANSWERED, NO_ANSWER = 0, 1, 2


class Chip(Protocol):
    """What sits on the bus."""

    def written(self, content: bytes) -> None:
        """Take a message."""

    def status(self) -> int:
        """The byte that is read from it."""


class Adapter:
    """The bus, with chips at their addresses. Where there is none nobody answers, as on a wire."""

    def __init__(self, chips: Mapping[int, Chip]) -> None:
        self._chips = chips
        self._became = NOTHING

    def asked(self, setup: Setup) -> bytes | None:
        """Do what the driver asks; None for what the adapter does not know."""
        if setup.request == ECHO:
            return struct.pack("<H", setup.value)
        if setup.request == FUNCTIONS:
            return struct.pack("<I", PLAIN_I2C_AND_SMBUS)
        if setup.request == SET_DELAY:
            return b""
        if setup.request == STATUS:
            return bytes([self._became])
        if TRANSFER <= setup.request <= TRANSFER | BEGINS | ENDS:
            return self._transfer(setup)
        return None

    def _transfer(self, setup: Setup) -> bytes:
        chip = self._chips.get(setup.index)
        self._became = NO_ANSWER if chip is None else ANSWERED
        if setup.value & READ:
            return bytes([0xFF if chip is None else chip.status()]) * setup.length
        if chip is not None:
            chip.written(setup.content)
        return b""
