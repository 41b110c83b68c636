"""A whole table in one process on virtual time: clock, hardware, medium, and the program between them.

Time moves only here. Between two moments the program gets every turn it asked for, at the instant it asked for;
after each thing that happens it gets one more, as its inbox would have woken it.
"""

import shutil
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

import msgspec

from controller.admit import StrandedError
from controller.assemble import assemble, commission_table
from controller.clock import VirtualClock
from controller.config import Settings
from controller.core import events as ev
from controller.drill.hub import Hub
from controller.drill.key import VIRTUAL_KEY
from controller.drill.medium import Medium
from controller.drill.people import AddUser, add_user, opener
from controller.drill.statements import Part
from controller.inbox import Act, Arrival, Inbox, Stop
from controller.journal import Entry, page
from controller.journal.record import decode
from controller.loop import Loop
from controller.stranded import OutOfService
from controller.witness import Files
from hal.interface import Device
from hal.simulated import SimulatedHal

TURNS_AT_ONCE = 10_000
"""A program that wants more turns than this without time passing does not rest any more."""


class WorldError(RuntimeError):
    """The script asks for something that cannot be now, or the program does not rest."""


class World:
    """Push it from outside; read what the program did. `told` are the records stored since `listen`.

    `medium` and `make_hal` (called as `SimulatedHal` is) let a test put parts in that lose their power half-way.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        medium: Medium | None = None,
        make_hal: Callable[..., SimulatedHal] = SimulatedHal,
    ) -> None:
        self.clock = VirtualClock()
        self.medium = Medium() if medium is None else medium
        self.settings = settings
        self.told: list[Entry] = []
        self.loop: Loop | None = None
        self.stranded: OutOfService | None = None
        """The table under power that may not play, instead of a loop."""
        self.hub = self._hub()
        """The floor, where a pot of the table is linked; it goes on whatever happens to the table."""
        self._make_hal = make_hal
        self.hal = make_hal(settings.wiring, self.clock.monotonic_ns)
        self._inbox: Inbox | None = None
        self._powered = False
        self._frozen = False

    def close(self, keep: Path | None = None) -> None:
        """End the program in order, if it still runs, and remove the medium; its journal may be kept as `keep`."""
        self.power_off()
        if keep is not None and not self.medium.empty:
            shutil.copyfile(self.medium.journal, keep)
        self.medium.close()

    def power_on(self, *, open_table: bool) -> None:
        """Power. On an empty medium the table is commissioned with both keys, and opened if so wished."""
        if self._powered:
            raise WorldError("the power is on already")
        self._powered = True
        fresh = self.medium.blank
        try:
            self._start(fresh=fresh)
        except Exception:
            self._gone()
            raise
        if fresh and open_table:
            self._open_table()

    def add_user(self, new: AddUser) -> None:
        """Write a person into the list. Raises `UsersError` for one it cannot take, `WorldError` under power."""
        if self._powered:
            raise WorldError("a user is added before the power is on: a running table has read its list")
        add_user(self.medium, new)

    def _start(self, *, fresh: bool) -> None:
        files = self.files
        if fresh:
            commission_table(self.places, self.clock, self.connect, VIRTUAL_KEY, files)
        try:
            self.loop, self._inbox = assemble(
                self.places, self.hal, self.clock, self.told.extend, self.connect, files=files, host=self.hub
            )
            self.loop.start()
        except StrandedError as error:
            self.stranded = OutOfService(self.places, self.hal, self.clock, error)
            self._inbox = self.stranded.inbox
            self.stranded.start()
        self._turn()

    def _hub(self) -> Hub | None:
        if all(level.link is None for level in self.settings.game.levels):
            return None
        return Hub(self.settings.game, lambda after: tuple(map(decode, page(self.medium.journal, after))))

    def silent_hub(self) -> Hub | None:
        """A floor that says nothing, where a pot of the table is linked."""
        hub = self._hub()
        if hub is not None:
            hub.connected = False
        return hub

    @property
    def places(self) -> Settings:
        """The table's settings with journal and witness where the medium has them now."""
        return msgspec.structs.replace(
            self.settings, journal=self.medium.journal, witness=self.medium.witness
        )

    def _open_table(self) -> None:
        turned = self.hal.physical["supervisor"]
        self.drive("supervisor", active=True)
        self.pass_time(50_000_000)
        now = self.clock.monotonic_ns()
        person = opener(self.settings.game, self.medium, now)
        self.act(*person, ev.LampTestStarted(now), ev.TableOpened(now))
        self.drive("supervisor", active=turned)
        self.pass_time(50_000_000)

    def power_off(self) -> None:
        """Switch off in order."""
        if self._powered:
            self.put(Stop("power off"))
            self._gone()

    @property
    def powered(self) -> bool:
        """Whether the table is under power, though the program may not have come up yet."""
        return self._powered

    @property
    def files(self) -> Files:
        """How the program's second copy gets at its medium."""
        return self.medium.files

    def connect(self, path: Path) -> sqlite3.Connection:
        """How the program's writer gets at its medium."""
        return self.medium.connect(path)

    def power_cut(self) -> None:
        """Pull the plug, at any instant of a turn too: only what the medium holds survives."""
        if not self._powered:
            raise WorldError("there is no power to cut")
        self.medium.cut()
        self._die()
        self.clock.restart()
        self._gone()

    def kill(self) -> None:
        """End the process as a signal does, at any instant: the machine goes on, and with it what it was given."""
        if not self._powered:
            raise WorldError("there is no process to kill")
        self.medium.let_go()
        self._die()
        self._gone()

    def _die(self) -> None:
        self.hal.cut_power()
        if self.loop is not None:
            self.loop.abandon()
        self.medium.forget_lost()

    def _gone(self) -> None:
        if self.loop is not None:
            self.loop.abandon()
        if self._inbox is not None:
            self._inbox.close()
        self.loop, self._inbox, self._powered, self._frozen = None, None, False, False
        self.stranded = None
        self.hal = self._make_hal(
            self.settings.wiring,
            self.clock.monotonic_ns,
            levels=self.hal.physical,
            failed=self.hal.failed,
        )

    def listen(self) -> None:
        """Forget what was told so far: what comes now belongs to the next action."""
        self.told.clear()

    def pass_time(self, ns: int) -> None:
        """Let `ns` nanoseconds pass."""
        self.pass_until(self.clock.monotonic_ns() + ns)

    def pass_until(self, at_ns: int) -> None:
        """Let time pass until `at_ns`, with every turn the program asked for on the way."""
        turns = 0
        while (program := self._program()) is not None and program.wake_ns <= at_ns:
            before = self.clock.monotonic_ns()
            self.clock.move_to(max(program.wake_ns, before))
            program.turn()
            turns = turns + 1 if self.clock.monotonic_ns() == before else 0
            if turns > TURNS_AT_ONCE:
                raise WorldError(f"the program does not rest: it wants a turn at {program.wake_ns} ns again")
        # A turn may have taken time itself: a slow medium moves the clock.
        self.clock.move_to(max(at_ns, self.clock.monotonic_ns()))

    def freeze(self) -> None:
        """The loop's thread stands still from now on; the world goes on, its edges wait in the inbox."""
        self._frozen = True

    def thaw(self) -> None:
        """The loop's thread goes on, with everything that waits."""
        self._frozen = False
        self._turn()

    def frozen_during(self, play: Callable[[], None]) -> None:
        """Play something while the loop's thread stands still."""
        self.freeze()
        play()
        self.thaw()

    def drive(self, line: str, *, active: bool) -> None:
        """Change an input line; the program wakes."""
        self.hal.drive(line, active)
        self._turn()

    def type_key(self, key: str) -> None:
        """Press a key of the keypad; the program wakes."""
        self.hal.press_key(key)
        self._turn()

    def act(self, *events: ev.AnyEvent) -> None:
        """What the operator's menu would have produced."""
        self.put(*(Act(event) for event in events))

    def put(self, *messages: Arrival) -> None:
        """Put messages into the inbox; the program wakes."""
        if self._inbox is None:
            raise WorldError("the table is without power: `power on` comes first")
        for message in messages:
            self._inbox.put(message)
        self._turn()

    def break_part(self, part: Part, *, broken: bool) -> None:
        """Fail or mend a device or the medium."""
        match part:
            case Part.JOURNAL | Part.DISK_FULL:
                if broken:
                    self.medium.fail(part)
                else:
                    self.medium.mend()
            case Part.FSYNC:
                raise WorldError("a flush fails at a table whose seams are open only")
            case Part.WITNESS:
                self.medium.fail_witness(broken=broken)
            case Part.SIGN | Part.SCREEN | Part.KEYPAD | Part.HOST:
                device = Device(part)
                if broken:
                    self.hal.fail(device)
                else:
                    self.hal.mend(device)
                self._turn()

    def entries(self) -> Sequence[Entry]:
        """What was stored since `listen`."""
        return tuple(self.told)

    @property
    def _idle(self) -> bool:
        """Whether the program does nothing, though it was started: it stands still, or has ended."""
        return self._frozen or self.loop is None or self.loop.stopped

    def _turn(self) -> None:
        program = self._program()
        if program is not None:
            program.turn()

    def _program(self) -> Loop | OutOfService | None:
        """What takes turns now, if anything does: it may stand still, or have ended by itself."""
        program = self.loop or self.stranded
        return None if program is None or self._frozen or program.stopped else program
