"""The table that is not played: slots locked, lamps winking as no wager ever does, the reason on the screen.

It writes nothing and decides nothing. It ends by itself, so that what was repaired is tried again without a hand.
"""

from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from controller.clock import Clock
from controller.inbox import Arrival, Inbox, Stop
from controller.notify import Notify
from controller.outputs import Lamp, lit
from controller.screen import Look, draw, look
from hal.interface import Device, DeviceMended, Edge, Hal, KeyPressed, Screen, Wiring

STAND_NS: Final = 30_000_000_000
"""How long a reason stands before the start is tried again: a repaired table plays within a minute."""

TURN_NS: Final = 50_000_000
"""How often it turns: lamps wink, keys are looked at, the watchdog is petted."""

HOLD_NS: Final = 3_000_000_000
"""How long both keys and GAME OVER must stay on together to agree."""

_AGREEING = ("supervisor", "technician", "game_over")


def _nothing_changes() -> bool:
    """Nothing is watched."""
    return False


class Until(NamedTuple):
    """What ends a standby.

    `stand_ns` (None: no time), `changed`, which says that another try is worth it, both keys with GAME OVER held
    (`agree`), GAME OVER alone (`go_on`).
    """

    stand_ns: int | None = STAND_NS
    changed: Callable[[], bool] = _nothing_changes
    agree: bool = False
    go_on: bool = False


class Standby:
    """Shows `lines` on the hardware of `wiring` until it is `over`. `start` once, then `turn` every `TURN_NS`.

    `agreed`: both keys ended it; `stopped`: the process is to end.
    """

    def __init__(self, hal: Hal, wiring: Wiring, clock: Clock, lines: tuple[str, ...], until: Until) -> None:
        self.inbox = Inbox(line.name for line in wiring.inputs)
        self.over = self.agreed = self.stopped = False
        self._hal = hal
        self._clock = clock
        self._lines = lines
        self._outputs = tuple(line.name for line in wiring.outputs)
        self._lamps = tuple(name for name in self._outputs if name.startswith("lamp_"))
        self._winking: bool | None = None
        self._notify = Notify()
        self._look: Look | None = None
        self._until = until
        self._begun_ns = self._said_ns = self._touched_ns = self._held_ns = self._looked_ns = 0

    def start(self) -> None:
        """Claim the hardware, all outputs off, and show why. Raises `HalError`; then nothing is left claimed."""
        self._hal.start(self.inbox.put)
        now = self._clock.monotonic_ns()
        self._begun_ns = self._said_ns = self._touched_ns = self._held_ns = self._looked_ns = now
        for name in self._outputs:
            self._hal.write(name, False)
        if Device.SIGN in self._hal.devices:
            self._hal.sign(self._lines[0])
        self._notify.ready()

    def wait(self) -> None:
        """Sleep until the next turn is due or something arrives."""
        self.inbox.wait(TURN_NS)

    def turn(self) -> None:
        """Look at what arrived, and keep the displays going."""
        now = self._clock.monotonic_ns()
        self._arrived(self.inbox.drain(), now)
        self._wink(now)
        self._draw(now)
        self._keys(now)
        self._time(now)
        self._notify.alive(now, self._told)

    def close(self) -> None:
        """Give the hardware back; the screen keeps its picture."""
        self._hal.close()
        self.inbox.close()

    def _arrived(self, arrivals: Sequence[Arrival], now: int) -> None:
        for message in arrivals:
            match message:
                case Stop():
                    self.over = self.stopped = True
                case DeviceMended(device=Device.SCREEN):
                    self._look = None
                case Edge(line="game_over", active=True) if self._until.go_on:
                    self.over = True
                case Edge() | KeyPressed():
                    self._touched_ns = now
                case _:
                    pass  # what a device says of itself shows on the device

    def _told(self) -> str:
        """What the service manager is told."""
        return self._lines[1] if len(self._lines) > 1 else self._lines[0]

    def _say(self, lines: tuple[str, ...], now: int) -> None:
        """Show other lines from now on, their first page first."""
        if lines != self._lines:
            self._lines, self._said_ns, self._look = lines, now, None

    def _wink(self, now: int) -> None:
        """All lamps together, one wink in two seconds: no wager and no winner is ever shown so."""
        on = lit(Lamp.PROBLEM, 1, max(len(self._lamps), 1), now)
        if on is not self._winking:
            self._winking = on
            for name in self._lamps:
                self._hal.write(name, on)

    def _draw(self, now: int) -> None:
        panel = self._hal.panel
        if panel is None:
            return
        seen = look(self._lines, panel, now - self._said_ns, now - self._touched_ns)
        if seen != self._look:
            self._look = seen
            self._hal.show(Screen(self._lines, draw(self._lines, panel, seen), seen.dim, self._lines[0]))

    def _keys(self, now: int) -> None:
        if not self._until.agree:
            return
        levels = self._hal.levels()
        if not all(levels.get(name, False) for name in _AGREEING):
            self._held_ns = now
        elif now - self._held_ns >= HOLD_NS:
            self.agreed = self.over = True

    def _time(self, now: int) -> None:
        if self._until.stand_ns is not None and now - self._begun_ns >= self._until.stand_ns:
            self.over = True
        if now - self._looked_ns >= STAND_NS // 10:
            self._looked_ns = now
            self.over = self.over or self._until.changed()
