"""The card as a board's firmware sees it: its partitions, and which slot's kernel is started.

The Raspberry Pi's own loader does not run in QEMU. `boot_of` stands in for it: it reads `autoboot.txt` on the first
partition as the firmware does (`boot_partition`, and that of `[tryboot]` where the board was told to try), and takes
kernel, first file system and command line from the partition named there.
"""

import os
import struct
from pathlib import Path
from typing import NamedTuple

from emulator.tools import tool

SECTOR = 512
EXTENDED = 5


class CardError(RuntimeError):
    """The card holds nothing that could be started."""


class Partition(NamedTuple):
    """Where a partition lies on the card, in bytes."""

    begins: int
    size: int


class Boot(NamedTuple):
    """What the firmware hands over to the kernel, copied out of the card."""

    partition: int
    kernel: Path
    initrd: Path
    arguments: str


def partitions(card: Path) -> dict[int, Partition]:
    """The partitions by number, the logical ones from 5 on."""
    with card.open("rb") as file:
        found = {
            number: Partition(at * SECTOR, count * SECTOR)
            for number, (_kind, at, count) in enumerate(_table(file.fileno(), 0), 1)
            if count
        }
        extended = next((at for kind, at, _count in _table(file.fileno(), 0) if kind == EXTENDED), 0)
        following, number = extended, 5
        while following:
            (_kind, at, count), (_link, ahead, _size) = _table(file.fileno(), following * SECTOR)[:2]
            found[number] = Partition((following + at) * SECTOR, count * SECTOR)
            following = extended + ahead if ahead else 0
            number += 1
    return found


def _table(file: int, at: int) -> list[tuple[int, int, int]]:
    sector = os.pread(file, SECTOR, at)
    if sector[510:] != b"\x55\xaa":
        raise CardError(f"there is no partition table at byte {at}")
    return [struct.unpack("<4xB3xII", sector[446 + 16 * row : 462 + 16 * row]) for row in range(4)]


class Fat:
    """A FAT partition of the card, read and written from outside while no guest runs."""

    def __init__(self, card: Path, number: int) -> None:
        self._image = f"{card}@@{partitions(card)[number].begins}"

    def read(self, name: str) -> bytes:
        """A file's content. Raises `ToolError` where there is none."""
        return tool("mtype", "-i", self._image, f"::{name}")

    def write(self, name: str, content: bytes) -> None:
        """Put a file there, in place of one of that name."""
        tool("mcopy", "-o", "-i", self._image, "-", f"::{name}", content=content)


def default_slot(card: Path) -> int:
    """The partition that is started when nothing is tried."""
    return default_slot_of(Fat(card, 1).read("autoboot.txt").decode(), trying=False)


def default_slot_of(text: str, *, trying: bool) -> int:
    """The last `boot_partition` of the sections that hold now, as the firmware reads them."""
    section, chosen = "all", 0
    for line in text.split():
        if line.startswith("["):
            section = line.strip("[]")
        elif line.startswith("boot_partition=") and (section == "all" or (section == "tryboot" and trying)):
            chosen = int(line.partition("=")[2])
    if not chosen:
        raise CardError(f"autoboot.txt names no partition: {text!r}")
    return chosen


def boot_of(card: Path, place: Path, *, trying: bool) -> Boot:
    """What is started, copied into the folder `place`."""
    number = default_slot_of(Fat(card, 1).read("autoboot.txt").decode(), trying=trying)
    slot = Fat(card, number)
    kernel, initrd = place / "vmlinuz", place / "initrd"
    kernel.write_bytes(slot.read("vmlinuz"))
    initrd.write_bytes(slot.read("initrd.img"))
    return Boot(number, kernel, initrd, slot.read("cmdline.txt").decode().strip())
