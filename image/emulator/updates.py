"""Updates in the emulator: one that holds, one whose program does not run, one whose system does not come up.

What stands in for the Raspberry Pi's tryboot: the restart's argument is read from the console, and
`emulator.card` then chooses the partition as `autoboot.txt` says. The firmware's own flag, which clears itself, is
untested without a Pi.
"""

import time
from collections.abc import Callable
from pathlib import Path

from emulator.backup import between_rounds, new_stick
from emulator.bench import Bench
from emulator.card import Fat, default_slot, partitions
from emulator.guest import Guest, GuestError
from emulator.rounds import expect, last, switch_off
from emulator.table import LOOK_S, PATIENCE_S, Table
from emulator.tools import tool

Say = Callable[[str], None]

TRYING = "0 tryboot"


def updates(bench: Bench, key: Path, pozo: Path, say: Say) -> None:
    """On the card that first_start left: refused in play, then held, then two that do not hold.

    The first is taken by plugging the stick in, the others are asked for at the table's menu.
    """
    roots = Roots(bench, key, pozo)
    expect(default_slot(bench.card) == 2, "slot a is started before the first update")
    good = roots.bundle("good", 1)
    offered(bench, good, say)
    tried(bench, say, slot=3, holds=True)
    expect(default_slot(bench.card) == 3, "slot b is started after an update that held")
    say("update: held, slot b is started from now on")
    for number, (name, what, spoil) in enumerate(SPOILT, 2):
        offered(bench, roots.bundle(name, number, spoil), say, menu=True)
        tried(bench, say, slot=2, holds=False)
        expect(default_slot(bench.card) == 3, "slot b is still started after an update that did not hold")
        say(f"update with {what}: slot b is started again")
        with bench.life() as guest:
            guest.wait()
            table = bench.table(guest)
            table.playing()
            table.verify()
            switch_off(guest)


def no_program(root: Path) -> None:
    """The command that everything is started by is gone."""
    tool("debugfs", "-w", "-R", "rm /opt/pozo/bin/pozo", str(root))


def no_system(root: Path) -> None:
    """Nothing to be process 1."""
    tool("debugfs", "-w", "-R", "rm /usr/lib/systemd/systemd", str(root))


SPOILT = (
    ("no-program", "a program that does not run", no_program),
    ("no-system", "a system that does not come up", no_system),
)


class Roots:
    """Bundles made of the image's own slot, spoilt as asked and signed with the build's key."""

    def __init__(self, bench: Bench, key: Path, pozo: Path) -> None:
        self._bench = bench
        self._key = key
        self._pozo = pozo
        self._now = int(time.time())

    def bundle(self, name: str, number: int, spoil: Callable[[Path], None] | None = None) -> Path:
        """A bundle's file, newer than all before."""
        boot = self._part(2, self._bench.place / "boot.fat")
        root = self._part(5, self._bench.place / "root.ext4")
        if spoil is not None:
            spoil(root)
        made = self._bench.place / f"{name}.update"
        tool(
            *(str(self._pozo), "update", "make", "--boot", str(boot), "--root", str(root)),
            *(
                "--version",
                name,
                "--built",
                str(self._now + number),
                "--key",
                str(self._key),
                "--out",
                str(made),
            ),
        )
        return made

    def _part(self, number: int, to: Path) -> Path:
        part = partitions(self._bench.image)[number]
        with self._bench.image.open("rb") as image, to.open("wb") as out:
            image.seek(part.begins)
            left = part.size
            while left and (chunk := image.read(min(1 << 20, left))):
                out.write(chunk)
                left -= len(chunk)
        return to


def stick_with(bench: Bench, bundle: Path) -> Path:
    """The same with this bundle."""
    stick = new_stick(bench)
    tool("mcopy", "-i", str(stick), str(bundle), f"::{bundle.name}")
    return stick


def offered(bench: Bench, bundle: Path, say: Say, *, menu: bool = False) -> None:
    """The stick is plugged in: in play it is refused; with the table closed and the technician there it is tried.

    `menu`: it is asked for at the table, else taken as it is plugged in.
    """
    stick = stick_with(bench, bundle)
    with bench.life() as guest:
        guest.wait()
        table = bench.table(guest)
        table.playing()
        between_rounds(table)
        if last(table).phase == "open":
            guest.plug(stick)
            refused(guest, "close it first")
            say("update in play: refused, nothing written")
            guest.unplug()
            table.close()
        if menu:
            guest.plug(stick)
            refused(guest, "turn the technician's key")
            table.ask_update()
        else:
            table.enter("technician")
            table.until(lambda: last(table).kind == "person_identified", "the technician in the journal")
            guest.plug(stick)
        asked = guest.ended(900)
        expect(asked == TRYING, f"the board was restarted with {asked!r}")
    say(
        f"update {bundle.stem}: written and compared, {guest.lasted():.0f} s after power on; the other slot is tried"
    )


def refused(guest: Guest, words: str) -> None:
    """Wait until the update's unit has failed, saying these words."""
    end = time.monotonic() + PATIENCE_S
    while words not in (said := guest.told("journalctl", "-b", "-u", "pozo-update", "-o", "cat")):
        if time.monotonic() > end:
            raise GuestError(f"the update was not refused with {words!r}: {said}")
        time.sleep(LOOK_S)


def tried(bench: Bench, say: Say, *, slot: int, holds: bool) -> None:
    """The trial itself: the firmware starts the other slot once."""
    with bench.life(trying=True) as guest:
        expect(guest.boot.partition == slot, f"partition {guest.boot.partition} is tried, not {slot}")
        if not holds:
            asked = guest.ended(1200)
            expect(asked != TRYING, "a slot that does not hold asks for another trial")
            say(f"trial: the board started anew by itself after {guest.lasted():.0f} s")
            return
        guest.wait()
        table = bench.table(guest)
        table.playing()
        table.until(lambda: "holds" in confirmed(table), "the confirmation", 900)
        say(f"trial: confirmed {guest.lasted():.0f} s after power on")
        switch_off(guest)
    front = Fat(bench.card, 1).read("autoboot.txt")
    expect(front.count(b"boot_partition") == 2, f"autoboot.txt: {front!r}")


def confirmed(table: Table) -> str:
    """What the confirmation has said so far."""
    return table.guest.told("journalctl", "-b", "-u", "pozo-confirm", "-o", "cat")
