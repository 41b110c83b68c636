"""A whole table on simulated hardware and the machine's clock: the real loop, journal and inputs, with a plug to pull.

The thread that calls `run` is the one that decides, as on a real table. Every other method may be called from any
thread: it pushes the world outside, and the program notices as it would notice the real one.
"""

from collections.abc import Callable, Sequence
from queue import SimpleQueue
from threading import Event, Lock

from msgspec.structs import replace

from controller.assemble import assemble, commission_table
from controller.clock import Clock, SystemClock
from controller.config import Settings
from controller.core import events as ev
from controller.core.game import Role
from controller.drill.medium import Medium
from controller.drill.statements import Part
from controller.inbox import Act, Inbox, Stop
from controller.journal import Entry
from controller.loop import Loop
from controller.outputs import Lamp
from controller.sim.told import Power, Show, Told, tell
from hal.interface import Device
from hal.simulated import Seen, SimulatedHal

LOOK_NS = 50_000_000
"""How long a turn may be waited for before the plug is looked at."""

OPENING_NS = 1_000_000_000
"""A key turned to open a new table is noticed long before this."""


class SimError(RuntimeError):
    """What was asked of the simulated table cannot be now; `code` names the reason for the page's catalogue."""

    def __init__(self, code: str) -> None:
        super().__init__(f"the simulated table cannot do that now: {code}")
        self.code = code


class SimulatedTable:
    """One table that can be pushed, broken, cut off and switched on again.

    `show` is told of everything that can be seen from outside; `stored` of every batch of records once it is stored.
    `ready`: the table has a journal to read.
    """

    def __init__(
        self,
        settings: Settings,
        medium: Medium,
        show: Show,
        stored: Callable[[Sequence[Entry]], None],
        clock: Clock | None = None,
    ) -> None:
        self.settings = settings
        self.medium = medium
        self._show = show
        self._stored = stored
        self._clock = SystemClock() if clock is None else clock
        self._guard = Lock()
        self._orders: SimpleQueue[bool] = SimpleQueue()
        self._hurry = Event()
        self._inbox: Inbox | None = None
        self._lamps: tuple[Lamp, ...] = ()
        self.ready = not medium.empty
        self._powered = self._cut = self._quitting = False
        self._freeze_s = 0.0
        self._hal = SimulatedHal(settings.wiring, self._clock.monotonic_ns, watch=self._watch)
        for line, active in self._hal.physical.items():
            show(f"level.{line}", active)
        for line, on in self._hal.outputs.items():
            show(f"out.{line}", on)
        show(Told.BROKEN, None)
        self._tell_world()

    def run(self) -> None:
        """Switch on and live until `quit`, over as many power cuts as come.

        Raises what assembling a table and playing on it raise; then the table is dark.
        """
        self._powered = on = True
        while on:
            self._live()
            on = not self._quitting and self._orders.get()

    def quit(self, why: str) -> None:
        """End in order. May be called from a signal handler, and more than once."""
        self._quitting = True
        inbox = self._inbox
        if inbox is not None:
            inbox.put(Stop(why))
        self._hurry.set()
        self._orders.put(False)

    def drive(self, line: str, *, active: bool) -> None:
        """Make an input line active or idle. Raises `LineError` for a name that is no input."""
        with self._guard:
            self._hal.drive(line, active)
            self._show(f"level.{line}", active)

    def drive_together(self, lines: Sequence[str], *, active: bool) -> None:
        """Make these lines active or idle at the same moment. Raises `LineError` as `drive` does."""
        with self._guard:
            for line in lines:
                self._hal.drive(line, active)
            for line in lines:
                self._show(f"level.{line}", active)

    def active(self, line: str) -> bool:
        """Whether an input line is active now; a name that is no input never is."""
        return self._hal.physical.get(line, False)

    def press_key(self, key: str) -> None:
        """Press a key of the keypad. Raises `DeviceError` for a table without one."""
        with self._guard:
            self._hal.press_key(key)

    def break_device(self, device: Device, *, broken: bool) -> None:
        """Make a device stop answering, or answer again. Raises `DeviceError` for one the table lacks."""
        with self._guard:
            if broken:
                self._hal.fail(device)
            else:
                self._hal.mend(device)
            self._show(Told.FAILED, tuple(sorted(self._hal.failed)))

    def break_medium(self, part: Part | None) -> None:
        """Make the medium refuse records as `part` says; None mends it."""
        if part is None:
            self.medium.mend()
        else:
            self.medium.fail(part)
        self._show(Told.BROKEN, part)

    def freeze(self, seconds: float) -> None:
        """Make the deciding thread stand still for so long. Raises `SimError` without power."""
        with self._guard:
            self._need(powered=True)
            self._freeze_s = seconds

    def cut(self) -> None:
        """Pull the plug: the program gets no word, only what the medium holds survives. Raises `SimError`."""
        with self._guard:
            self._need(powered=True)
            self._cut = True
        self._hurry.set()

    def switch_on(self) -> None:
        """Give power again. Raises `SimError` where it is on."""
        with self._guard:
            self._need(powered=False)
            self._powered = True
        self._orders.put(True)

    def _need(self, *, powered: bool) -> None:
        if self._powered is not powered:
            raise SimError("power_on" if self._powered else "power_off")

    def _live(self) -> None:
        """From power on to power gone."""
        settings = replace(self.settings, journal=self.medium.journal, witness=self.medium.witness)
        fresh = self.medium.blank
        if fresh:
            commission_table(settings, self._clock, self.medium.connect, files=self.medium.files)
        loop, inbox = assemble(
            settings, self._hal, self._clock, self._stored, self.medium.connect, files=self.medium.files
        )
        self.ready = True
        try:
            loop.start()
            self._inbox = inbox
            self._show(Told.POWER, Power.ON)
            if fresh and Role.SUPERVISOR not in settings.game.pin:
                self._open_table(loop, inbox)
            if self._quitting:
                inbox.put(Stop("asked to end while it was starting"))
            self._play(loop, inbox)
        finally:
            self._gone(inbox)

    def _open_table(self, loop: Loop, inbox: Inbox) -> None:
        """Open a table that was just commissioned, with the supervisor's key, which then stands as it stood."""
        turned = self.active("supervisor")
        self.drive("supervisor", active=True)
        until = self._clock.monotonic_ns() + OPENING_NS
        while not loop.table.supervisor and self._clock.monotonic_ns() < until:
            self._turn(loop, inbox)
        now = self._clock.monotonic_ns()
        inbox.put(Act(ev.LampTestStarted(now)))
        inbox.put(Act(ev.TableOpened(now)))
        self._turn(loop, inbox)
        self.drive("supervisor", active=turned)

    def _play(self, loop: Loop, inbox: Inbox) -> None:
        try:
            while not loop.stopped:
                if self._freeze_s:
                    self._stand_still()
                if self._cut:
                    self._lose_power(loop)
                else:
                    self._turn(loop, inbox)
        except BaseException:
            loop.out_of_service()
            self._hal.close()
            raise

    def _turn(self, loop: Loop, inbox: Inbox) -> None:
        inbox.wait(min(loop.wake_ns - self._clock.monotonic_ns(), LOOK_NS))
        loop.turn()
        if loop.lamps != self._lamps:
            self._lamps = loop.lamps
            self._show(Told.LAMPS, self._lamps)

    def _stand_still(self) -> None:
        self._show(Told.POWER, Power.FROZEN)
        self._hurry.wait(self._freeze_s)
        self._freeze_s = 0.0
        self._show(Told.POWER, Power.ON)

    def _lose_power(self, loop: Loop) -> None:
        self.medium.cut()
        self._hal.cut_power()
        loop.abandon()
        self.medium.forget_lost()

    def _gone(self, inbox: Inbox) -> None:
        """No program holds the table any more; the world outside stays as it is, for the next one."""
        with self._guard:
            self._inbox = None
            inbox.close()
            old = self._hal
            self._hal = SimulatedHal(
                self.settings.wiring,
                self._clock.monotonic_ns,
                levels=old.physical,
                failed=old.failed,
                watch=self._watch,
            )
            self._powered = self._cut = False
            self._freeze_s = 0.0
            self._hurry.clear()
            self._lamps = ()
        self._tell_world()

    def _tell_world(self) -> None:
        """What a table without power shows: a screen that is dark, and a sign of its own that still stands there."""
        self._show(Told.LAMPS, ())
        self._show(Told.SCREEN, None)
        self._show(Told.SIGN, "")
        self._show(Told.FAILED, tuple(sorted(self._hal.failed)))
        self._show(Told.POWER, Power.OFF)

    def _watch(self, seen: Seen) -> None:
        tell(self._show, seen, self._hal)
