"""A drill's world with its seams open: power may go at any step of a turn, flushes may be slow or fail.

The world is the drill's own (`controller.drill.world`); here is what else may happen to it, and who is told.
"""

import random
import shutil
import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import closing
from functools import cached_property
from pathlib import Path
from typing import Protocol

from controller.config import Settings
from controller.core import events as ev
from controller.drill.medium import Medium
from controller.drill.plug import Pull, Step
from controller.drill.seams import SeamFiles, SeamHal, Seams, past_the_seams
from controller.drill.statements import Part
from controller.drill.watch import Unwatched
from controller.drill.world import World, WorldError
from controller.inbox import Stop
from controller.outputs import Lamp
from controller.witness import Files
from hal.interface import Device, Wiring

FLIPS_MOST = 8
"""Bits that flip at once where files rot."""

STALLED_SINCE_NS = 1_000_000_000
"""A stalled device has this long to catch up."""

FLOOD_APART_NS = 1_000
"""A flooding line chatters at half a megahertz: faster than any turn of the program."""

_COUNTED = {Part.DISK_FULL: "disk_full", Part.JOURNAL: "read_only", Part.HOST: "lost_host"}


class Disk(Protocol):
    """A disk below the medium that loses its power by itself (`controller.soak.disk`)."""

    def cut_after(self, ops: int | None) -> None:
        """Let the power go in place of the thing after the next `ops`."""

    def settle(self) -> None:
        """Take everything as it is now for safe."""


class SeamWorld(World):
    """See `World`; `seams` is what was loosened or broken. `disk` gives the present disk of a lossy medium."""

    def __init__(
        self,
        settings: Settings,
        medium: Medium | None = None,
        disk: Callable[[], Disk] | None = None,
    ) -> None:
        self._disk = disk
        self._before_ns = 0
        self._acts: tuple[ev.AnyEvent, ...] = ()
        self._spoilt: dict[str, bytes] = {}
        super().__init__(settings, medium=medium, make_hal=self._seam_hal)

    @property
    def elapsed_ns(self) -> int:
        """Time as the world has it: a power cut does not begin it anew."""
        return self._before_ns + self.clock.monotonic_ns()

    @property
    def now_ns(self) -> int:
        """The monotonic clock."""
        return self.clock.monotonic_ns()

    @property
    def outputs(self) -> Mapping[str, bool]:
        """Every output: name to on."""
        return self.hal.outputs

    @property
    def at_work(self) -> bool:
        """Whether the program runs: under power, not frozen, not ended."""
        return not self._idle

    @property
    def chosen(self) -> int:
        """The seat the dealer's menu points at, whose lamp winks; 0: none."""
        lamps = () if self.loop is None else self.loop.lamps
        return next((seat for seat, lamp in enumerate(lamps, start=1) if lamp is Lamp.CHOSEN), 0)

    @property
    def sign_text(self) -> str | None:
        """What the sign shows; None if there is none that works, or did not work a second ago."""
        well = Device.SIGN in self.hal.devices - self.hal.failed
        stalled = (
            self.now_ns < self.seams.stalled_until.get(Device.SIGN, -STALLED_SINCE_NS) + STALLED_SINCE_NS
        )
        return self.hal.signs if well and not stalled else None

    @cached_property
    def seams(self) -> Seams:
        """The seams of this table, whatever process plays it."""
        return Seams(self.clock)

    def _seam_hal(
        self,
        wiring: Wiring,
        now_ns: Callable[[], int],  # noqa: ARG002, the world's signature; the seams have the same clock
        *,
        levels: Mapping[str, bool] | None = None,
        failed: Collection[Device] = (),
    ) -> SeamHal:
        return SeamHal(wiring, self.seams, levels, failed)

    def connect(self, path: Path) -> sqlite3.Connection:
        """See `World.connect`."""
        return past_the_seams(self.medium.connect, self.seams)(path)

    def power_on(self, *, open_table: bool) -> None:
        """See `World.power_on`."""
        if not self.powered:
            self.seams.fresh_process()
            self.seams.watcher.waking(self.medium.journal)
        super().power_on(open_table=open_table)
        if self.stranded is not None:
            self.seams.watcher.stranded(self.stranded.plight)

    @property
    def files(self) -> Files:
        """See `World.files`."""
        return SeamFiles(super().files, self.seams)

    def power_cut(self) -> None:
        """See `World.power_cut`."""
        up_ns = self.clock.monotonic_ns()
        super().power_cut()
        self._before_ns += up_ns - self.clock.monotonic_ns()
        self.seams.stalled_until.clear()
        self.seams.close_lost()

    def kill(self) -> None:
        """See `World.kill`."""
        super().kill()
        self.seams.close_lost()

    def ended(self) -> None:
        """The program ended itself by an error: its supervisor sees a dead process, the machine goes on."""
        if self.powered:
            self.kill()
        else:
            self.seams.close_lost()

    def bury(self) -> None:
        """If the program has ended in order by itself, because a part of it was dead: let its process go."""
        if self.loop is not None and self.loop.stopped:
            self.seams.happened["ended_itself"] += 1
            self._gone()

    def pulled(self) -> None:
        """The plug was pulled in the middle of a turn, or of a short session of an administrator's."""
        self._powered = True
        if self.seams.plug.pull is Pull.CUT:
            self.power_cut()
        else:
            self.kill()

    def lost_in_a_write(self) -> None:
        """The power went while the disk itself was writing."""
        self.seams.happened["cut_in_write"] += 1
        self._powered = True
        self.power_cut()

    def thread_dies(self) -> None:
        """A thread of the program dies: the program ends in order and tells its supervisor that it failed."""
        self.seams.happened["dead_thread"] += 1
        self.put(Stop("a thread died", failed=True))
        self._gone()

    def flood(self, line: str, count: int) -> None:
        """A line chatters `count` times before the program can look."""

        def chatter() -> None:
            for _ in range(count):
                self.drive(line, active=not self.hal.physical[line])
                self.clock.move_to(self.clock.monotonic_ns() + FLOOD_APART_NS)

        self.frozen_during(chatter)

    def break_part(self, part: Part, *, broken: bool) -> None:
        """See `World.break_part`."""
        if broken and part in _COUNTED:
            self.seams.happened[_COUNTED[part]] += 1
        super().break_part(part, broken=broken)

    def stall(self, device: Device, ns: int) -> None:
        """A device takes what it is given and shows nothing for so long, without a word."""
        self.seams.stalled_until[device] = self.clock.monotonic_ns() + ns

    def act(self, *events: ev.AnyEvent) -> None:
        """See `World.act`; nobody's buttons do anything at a table that lost its power by a loose plug."""
        if self.powered or not self.seams.was_loose:
            self._acts = events
            super().act(*events)

    def again(self) -> None:
        """The last acts come once more, stamps and all: a message that was repeated on its way."""
        if self.powered and self._acts:
            self.seams.happened["repeated"] += 1
            super().act(*self._acts)

    def loosen(self, pull: Pull, steps: int, step: Step | None) -> None:
        """The power, or the process, goes after so many steps of this kind. Raises `WorldError` without a disk."""
        self.seams.was_loose = True
        if step is not Step.DISK:
            self.seams.plug.loosen(pull, steps, step)
        elif self._disk is None or pull is Pull.KILL:
            raise WorldError(
                "the power is lost at a write of the disk's own on a lossy medium only: `medium lossy 7`"
            )
        else:
            self._disk().cut_after(steps)

    def on_other_files(self, damage: Callable[[Path], None], start: Callable[[], None]) -> None:
        """Start once on files that `damage` has changed; then the files from before lie there again.

        Raises `WorldError` under power and without files.
        """
        if self.powered or self.medium.empty:
            raise WorldError("files are damaged at rest: the power must be off, and they must be there")
        self.seams.watcher.waking(self.medium.journal)
        folder = self.medium.journal.parent
        kept = folder.with_name(folder.name + ".kept")
        shutil.copytree(folder, kept)
        watcher, self.seams.watcher = self.seams.watcher, Unwatched()
        # The floor is not asked about files that are not the table's.
        hub, self.hub = self.hub, self.silent_hub()
        try:
            damage(self.medium.journal)
            self.files_changed()
            start()
        finally:
            if self.loop is not None or self.stranded is not None:
                self.kill()
                folder = self.medium.journal.parent
            self.seams.watcher, self.hub = watcher, hub
            shutil.rmtree(folder)
            kept.rename(folder)
            self.files_changed()

    def files_changed(self) -> None:
        """Files were changed at rest: they are what a disk holds safely now."""
        if self._disk is not None:
            self._disk().settle()

    def spoil(self, slots: Sequence[str], seed: int) -> None:
        """Bits of the second copy's slots flip, and stay so. Raises `WorldError` under power and without the slots."""
        files = [self.medium.witness / name for name in slots]
        if self.powered or not all(path.exists() for path in files):
            raise WorldError("slots are damaged at rest: the power must be off, and they must be there")
        chance = random.Random(seed)  # noqa: S311, a repeatable accident, not a secret
        for path in files:
            data = bytearray(path.read_bytes())
            data[chance.randrange(len(data.rstrip()))] ^= 1 << chance.randrange(8)
            path.write_bytes(data)
            self._spoilt[path.name] = bytes(data)
        self.files_changed()

    def second_copy_spoilt(self) -> bool:
        """Whether each slot is as it was spoiled: an older copy of the journal has nothing to be held against."""
        slots = list(self.medium.witness.glob("slot-*"))
        return bool(slots) and all(self._spoilt.get(path.name) == path.read_bytes() for path in slots)


def flipped(seed: int) -> Callable[[Path], None]:
    """Bits of the journal's files flip, or of the second copy's: two copies hold against damage to one of them."""

    def damage(journal: Path) -> None:
        chance = random.Random(seed)  # noqa: S311, a repeatable accident, not a secret
        places = [folder for folder in (journal.parent, journal.parent / "witness") if _files_in(folder)]
        files = _files_in(chance.choice(places))
        for _ in range(chance.randint(1, FLIPS_MOST)):
            path = chance.choice(files)
            data = bytearray(path.read_bytes())
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
            path.write_bytes(data)

    return damage


def _files_in(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*") if path.is_file() and path.stat().st_size)


def turned_back(records: int) -> Callable[[Path], None]:
    """The journal is what it was so many records ago; the commissioning stays."""

    def damage(journal: Path) -> None:
        with closing(sqlite3.connect(journal)) as connection, connection:
            (newest,) = connection.execute("SELECT max(seq) FROM journal").fetchone()
            connection.execute("DELETE FROM journal WHERE seq > ?", (max(newest - records, 1),))

    return damage
