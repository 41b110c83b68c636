"""A table's hardware in memory: the real one's door, with an outside to push and an inside to read.

This is shipped code: simulator, drills and the bench channel (`hal.bench`) stand on it. It has no clock
of its own; stamps come from the `now_ns` it is given. Every method may be called from any thread.
"""

from collections import Counter, deque
from collections.abc import Callable, Collection, Mapping
from threading import RLock

import msgspec

from hal.interface import (
    ClaimError,
    Device,
    DeviceFailed,
    DeviceMended,
    Edge,
    HalThread,
    KeyPressed,
    LineError,
    Message,
    Panel,
    Picture,
    Put,
    Screen,
    Wiring,
)
from hal.lines import Lines

HISTORY = 4096
"""How many of the things it was told a simulated table remembers; older ones leave."""


class Switched(msgspec.Struct, frozen=True):
    """An output changed."""

    line: str
    on: bool
    at_ns: int


class Shown(msgspec.Struct, frozen=True):
    """The croupier's screen got other lines."""

    lines: tuple[str, ...]
    at_ns: int


class Drawn(msgspec.Struct, frozen=True):
    """The croupier's screen got another picture, or its light was changed."""

    picture: Picture
    dim: bool
    at_ns: int


class Signed(msgspec.Struct, frozen=True):
    """The jackpot sign got another text."""

    text: str
    at_ns: int


class Started(msgspec.Struct, frozen=True):
    """The program claimed the lines; from here on edges are put."""

    at_ns: int


class Closed(msgspec.Struct, frozen=True):
    """The lines were released, by the program or by a power cut."""

    at_ns: int


Told = Switched | Shown | Signed | Started | Closed
"""What a program can tell its hardware, as the history keeps it."""

Seen = Told | Drawn
"""What a watcher sees: pictures too, which would fill the history with one page after the other."""


def _unwatched(_seen: Seen) -> None:
    """Nobody looks on."""


class SimulatedHal:
    """The hardware of `wiring` in memory.

    `now_ns` gives CLOCK_MONOTONIC, or a virtual clock, in nanoseconds. `levels` and `failed` are what the
    world outside holds from before: a table made after a power cut gets `old.physical` and `old.failed`.
    `watch` is called with everything the program changes, must return at once and must not raise.
    Raises `ClaimError` for a wiring with a name or pin used twice, `LineError` or `DeviceError` for a name in
    `levels` or `failed` that the wiring lacks.
    """

    def __init__(
        self,
        wiring: Wiring,
        now_ns: Callable[[], int],
        *,
        levels: Mapping[str, bool] | None = None,
        failed: Collection[Device] = (),
        watch: Callable[[Seen], None] = _unwatched,
    ) -> None:
        self._lines = Lines(wiring)
        self._panel = wiring.panel
        self._now_ns = now_ns
        self._watch = watch
        self._guard = RLock()
        self._put: Put | None = None
        self._drops: Counter[tuple[str, bool]] = Counter()
        self._levels = dict.fromkeys(self._lines.inputs, False)
        self._outputs = dict.fromkeys(self._lines.outputs, False)
        self._failed: set[Device] = set()
        self._still: dict[HalThread, int] = {}
        self._history: deque[Told] = deque(maxlen=HISTORY)
        self.screen: tuple[str, ...] = ()
        self.drawn: Screen | None = None
        self.signs = ""
        for line, active in (levels or {}).items():
            self.drive(line, active)
        for device in failed:
            self.fail(device)

    @property
    def devices(self) -> frozenset[Device]:
        """The wiring's devices, failed or not."""
        return self._lines.devices

    @property
    def panel(self) -> Panel | None:
        """The size of the wiring's screen; 128×64 where it does not say."""
        return self._panel

    def start(self, put: Put) -> None:
        """Claim the lines, put `DeviceFailed` for what is already failed. Raises `ClaimError` if started."""
        with self._guard:
            if self._put is not None:
                raise ClaimError("the simulated table is already started; close it before starting it again")
            self._put = put
            self._tell(Started(self._now_ns()))
            for device in sorted(self._failed):
                put(DeviceFailed(device, "it had failed before the start", self._now_ns()))

    def levels(self) -> Mapping[str, bool]:
        """Every input now: name to active. Raises `ClaimError` before `start` and after `close`."""
        with self._guard:
            self._claimed()
            return dict(self._levels)

    def write(self, line: str, on: bool) -> None:
        """Switch an output. Raises `LineError` for another name, `ClaimError` while not started."""
        self._lines.output(line)
        with self._guard:
            self._claimed()
            self._switch(line, on)

    def show(self, screen: Screen) -> None:
        """Put this on the screen; a failed screen keeps its old picture. Raises as `write` does."""
        self._lines.device(Device.SCREEN)
        with self._guard:
            self._claimed()
            if Device.SCREEN in self._failed or HalThread.SCREEN in self._still:
                return
            if screen.lines != self.screen:
                self.screen = screen.lines
                self._tell(Shown(screen.lines, self._now_ns()))
            if screen != self.drawn:
                self.drawn = screen
                self._watch(Drawn(screen.picture, screen.dim, self._now_ns()))

    def sign(self, text: str) -> None:
        """Put this text on the sign; a failed sign keeps its old text. Raises as `write` does."""
        self._lines.device(Device.SIGN)
        with self._guard:
            self._claimed()
            dumb = Device.SIGN in self._failed or HalThread.PORTS in self._still
            if not dumb and text != self.signs:
                self.signs = text
                self._tell(Signed(text, self._now_ns()))

    def beats(self) -> Mapping[HalThread, int]:
        """When each thread last showed that it goes round; 0 for one that has ended. Nothing while not started."""
        with self._guard:
            now_ns = self._now_ns()
            return {} if self._put is None else {**dict.fromkeys(self._threads, now_ns), **self._still}

    def close(self) -> None:
        """Switch outputs off and put nothing more; the screen keeps its picture. May be called again."""
        with self._guard:
            if self._put is None:
                return
            self._put = None
            for line in self._outputs:
                self._switch(line, on=False)
            self._tell(Closed(self._now_ns()))

    @property
    def started(self) -> bool:
        """Whether the program holds the lines."""
        return self._put is not None

    @property
    def outputs(self) -> Mapping[str, bool]:
        """Every output: name to on."""
        with self._guard:
            return dict(self._outputs)

    @property
    def physical(self) -> Mapping[str, bool]:
        """Every input as the world holds it, started or not: name to active."""
        with self._guard:
            return dict(self._levels)

    @property
    def failed(self) -> frozenset[Device]:
        """The devices that do not answer now."""
        with self._guard:
            return frozenset(self._failed)

    @property
    def history(self) -> tuple[Told, ...]:
        """What the program changed, oldest first; at most `HISTORY` entries."""
        with self._guard:
            return tuple(self._history)

    def drive(self, line: str, active: bool) -> None:
        """Make an input active or idle; a change puts an `Edge` stamped now, unless it is to be dropped.

        Raises `LineError` for a name that is not an input.
        """
        self._lines.input(line)
        with self._guard:
            if self._levels[line] == active:
                return
            self._levels[line] = active
            if self._drops[line, active]:
                self._drops[line, active] -= 1
                return
            if HalThread.PINS in self._still:
                return
            self._send(Edge(line, active, self._now_ns()))

    def drop_edge(self, line: str, active: bool) -> None:
        """Lose the next edge of `line` to `active`: its level changes, the program is not told.

        Asked twice, it loses the next two. Raises `LineError` for a name that is not an input.
        """
        self._lines.input(line)
        with self._guard:
            self._drops[line, active] += 1

    def press_key(self, key: str) -> None:
        """Press a keypad key; a failed keypad is not heard. Raises `DeviceError` if the table has none."""
        self._lines.device(Device.KEYPAD)
        with self._guard:
            if Device.KEYPAD not in self._failed and HalThread.PORTS not in self._still:
                self._send(KeyPressed(key, self._now_ns()))

    def fail(self, device: Device) -> None:
        """Make a device stop answering; a change puts `DeviceFailed`. Raises `DeviceError` if absent."""
        self._lines.device(device)
        with self._guard:
            if device not in self._failed:
                self._failed.add(device)
                self._send(DeviceFailed(device, "the simulation made it fail", self._now_ns()))

    def mend(self, device: Device) -> None:
        """Make a failed device answer again; a change puts `DeviceMended`. Raises `DeviceError` if absent."""
        self._lines.device(device)
        with self._guard:
            if device in self._failed:
                self._failed.remove(device)
                self._send(DeviceMended(device, self._now_ns()))

    def hang(self, thread: HalThread) -> None:
        """Make a thread stand still from now on: what it serves gets nothing, and nothing comes from it.

        Raises `LineError` for a thread this table does not have.
        """
        self._stand_still(thread, self._now_ns())

    def end_thread(self, thread: HalThread) -> None:
        """End a thread, as an error nobody caught does. Raises as `hang` does."""
        self._stand_still(thread, 0)

    def cut_power(self) -> None:
        """Take the power away, or the program: outputs off, screen dark, nothing more is put.

        The world outside stays as it is: `physical` and `failed` are what the next table is made with.
        """
        self.close()
        self.screen, self.drawn = (), None

    @property
    def _threads(self) -> tuple[HalThread, ...]:
        served = {
            HalThread.PINS: True,
            HalThread.SCREEN: Device.SCREEN in self.devices,
            HalThread.PORTS: not self.devices.isdisjoint({Device.SIGN, Device.KEYPAD}),
        }
        return tuple(thread for thread, there in served.items() if there)

    def _stand_still(self, thread: HalThread, since_ns: int) -> None:
        if thread not in self._threads:
            raise LineError(f"this table has no thread {thread}; it has: {', '.join(self._threads)}")
        with self._guard:
            self._still[thread] = since_ns

    def _claimed(self) -> None:
        if self._put is None:
            raise ClaimError("the table's lines are not claimed: start comes first, and close ends it")

    def _switch(self, line: str, on: bool) -> None:
        if self._outputs[line] != on:
            self._outputs[line] = on
            self._tell(Switched(line, on, self._now_ns()))

    def _tell(self, told: Told) -> None:
        self._history.append(told)
        self._watch(told)

    def _send(self, message: Message) -> None:
        if self._put is not None:
            self._put(message)
