"""The card's two slots: which runs, which is started when nothing is tried, and how that is changed.

`autoboot.txt` on the first partition names the boot partition that is started, and after `[tryboot]` the one that is
started once where the board was told to try. The two numbers are swapped in place: the file keeps its length and lies
in one sector, so that a cut leaves the old text or the new one, and never a rename on FAT (F160).
"""

import os
from enum import StrEnum
from pathlib import Path
from typing import Final

import msgspec

from controller.updating.bundle import UpdateError

SECTOR: Final = 512


class Slot(StrEnum):
    """One half of the card: a boot partition and a root."""

    A = "a"
    B = "b"

    @property
    def other(self) -> "Slot":
        """The half that does not run when this one does."""
        return Slot.B if self is Slot.A else Slot.A


BOOT_PARTITION: Final = {Slot.A: 2, Slot.B: 3}


class Card(msgspec.Struct, frozen=True):
    """Where the card's parts are found: its devices by name, its front partition, what the kernel was told."""

    devices: Path = Path("/dev/pozo")
    front: Path = Path("/boot/firmware")
    told: Path = Path("/proc/cmdline")

    def running(self) -> Slot:
        """The slot this system was started from. Raises `UpdateError` on a machine without slots."""
        for word in self._read(self.told).split():
            if word in {f"pozo.slot={slot}" for slot in Slot}:
                return Slot(word[-1])
        raise UpdateError("this system was not started from a slot: updates are for the card's own image")

    def default(self) -> Slot:
        """The slot that is started when nothing is tried. Raises `UpdateError`."""
        text = self._read(self.autoboot)
        for slot in Slot:
            if text == _autoboot(slot):
                return slot
        raise UpdateError(
            f"{self.autoboot} is not as it was made: put the one of the image back, {_autoboot(Slot.A)!r}"
        )

    @property
    def on_trial(self) -> bool:
        """Whether the running slot is one that would not be started again."""
        return self.running() is not self.default()

    @property
    def autoboot(self) -> Path:
        """The file that names the slot."""
        return self.front / "autoboot.txt"

    def boot_device(self, slot: Slot) -> Path:
        """A slot's boot partition."""
        return self.devices / f"boot-{slot}"

    def root_device(self, slot: Slot) -> Path:
        """A slot's root."""
        return self.devices / f"root-{slot}"

    def make_default(self, slot: Slot) -> None:
        """Have this slot started from now on, durable on return. The front partition must be writable."""
        text = _autoboot(slot).encode("ascii")
        if len(text) > SECTOR or self.autoboot.stat().st_size != len(text):
            raise UpdateError(
                f"{self.autoboot} has another length than it was made with: put the image's back"
            )
        descriptor = os.open(self.autoboot, os.O_WRONLY | os.O_CLOEXEC)
        try:
            os.pwrite(descriptor, text, 0)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)

    @staticmethod
    def _read(path: Path) -> str:
        try:
            return path.read_bytes().decode("ascii")
        except (OSError, UnicodeDecodeError) as error:
            raise UpdateError(f"{path} cannot be read: {error}") from error


def _autoboot(default: Slot) -> str:
    return (
        f"[all]\ntryboot_a_b=1\nboot_partition={BOOT_PARTITION[default]}\n"
        f"[tryboot]\nboot_partition={BOOT_PARTITION[default.other]}\n"
    )
