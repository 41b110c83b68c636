"""The jackpot sign on a serial port: the newest value wins, a lost sign is found again, nobody waits.

It knows values as text, not what they mean. Every value that is sent is one line in the log `hal.sign.sent`, with
what went out as text (F116). A text too long for the sign is shown in parts, one after the other. A sign of this kind
answers nothing, so everything is said again every half minute: a frame that was damaged on its way, or a sign that was
switched off, is right again by then.
"""

import logging
from collections.abc import Callable

import msgspec

from hal import alpha
from hal.health import Health
from hal.interface import DeviceError, SignWiring
from hal.port import Port
from hal.worker import NEVER_NS

SENT = logging.getLogger("hal.sign.sent")

MS = 1_000_000
PAUSE_NS = 200 * MS
"""Between two frames: a sign needs time to take one in."""
ALLOCATE_PAUSE_NS = 1000 * MS
ALLOCATE_AGAIN_NS = 600_000 * MS
"""Allocating wears the sign's memory; a port that comes and goes does not do it more often than this."""
WRITE_NS = 1000 * MS
"""A frame that is not gone by then does not go (F071)."""
DRAIN_NS = 20 * MS
"""How often it is asked whether the driver has let a frame go; nothing tells."""
CHECK_NS = 1000 * MS
REFRESH_NS = 30_000 * MS
PART_NS = 4_000 * MS
"""How long one part of a long text stays."""

OpenPort = Callable[[SignWiring], Port]


def open_port(wiring: SignWiring) -> Port:
    """Open the sign's port. Raises `DeviceError`."""
    return Port(wiring.port, wiring.baud, wiring.format)


class _Frame(msgspec.Struct, frozen=True):
    """Bytes to send, the pause after them, and the value they carry, if any."""

    data: bytes
    pause_ns: int = PAUSE_NS
    value: str | None = None


class AlphaSign:
    """Keeps the sign showing the newest text. A part of a `Worker`; `show` may be called from any thread."""

    def __init__(self, wiring: SignWiring, health: Health, opening: OpenPort = open_port) -> None:
        self._wiring = wiring
        self._health = health
        self._opening = opening
        self._port: Port | None = None
        self._wanted: tuple[str, ...] = ()
        self._turning: tuple[str, ...] = ()
        self._turning_ns = 0
        self._sent: str | None = None
        self._logged: str | None = None
        self._waiting: list[_Frame] = []
        self._going: _Frame | None = None
        self._left = b""
        self._next_ns = self._give_up_ns = self._check_ns = self._refresh_ns = 0
        self._allocated_ns: int | None = None

    def show(self, text: str) -> None:
        """Remember what to show; an older text that was not sent yet never is. Returns at once."""
        self._wanted = alpha.parts(text)

    @property
    def waits_for(self) -> tuple[int, int] | None:
        """The port, for what the sign might say and for room to write."""
        return None if self._port is None else self._port.events(writing=bool(self._left))

    @property
    def settled(self) -> bool:
        """Whether the newest text is sent whole, or the sign does not answer."""
        sent = not self._wanted or self._sent in self._wanted
        return (sent and not self._waiting and self._going is None) or not self._health.well

    def turn(self, now_ns: int) -> int:
        """Open the port if it is time to, see that it is still ours, send what is to be sent."""
        if not self._wanted:
            return NEVER_NS
        if not self._health.well and now_ns < self._health.retry_ns and self._port is None:
            return self._health.retry_ns
        try:
            port = self._opened(now_ns)
            port.read()  # a sign may answer; nothing of it is needed
            if now_ns >= self._check_ns:
                self._check_ns = now_ns + CHECK_NS
                port.check()
            self._send(port, now_ns)
        except DeviceError as error:
            self._health.failed(now_ns, str(error))
            self.close()
            return self._health.retry_ns
        return min(self._due(now_ns), self._check_ns)

    def close(self) -> None:
        """Give the port back. What was half sent is ended by the next opening's first bytes."""
        port, self._port = self._port, None
        self._waiting, self._going, self._left = [], None, b""
        if port is not None:
            port.close(discard=not self._health.well)

    def _opened(self, now_ns: int) -> Port:
        if self._port is None:
            self._port = self._opening(self._wiring)
            self._check_ns = now_ns + CHECK_NS
            self._next_ns = now_ns
            self._waiting = [_Frame(alpha.RESYNC)]
            if self._allocated_ns is None or now_ns - self._allocated_ns >= ALLOCATE_AGAIN_NS:
                self._allocated_ns = now_ns
                self._waiting.append(_Frame(alpha.allocate(), ALLOCATE_PAUSE_NS))
            self._say_everything(now_ns)
        return self._port

    def _say_everything(self, now_ns: int) -> None:
        self._refresh_ns = now_ns + REFRESH_NS
        self._waiting.append(_Frame(alpha.show_string(self._wiring.label)))
        self._sent = None

    def _send(self, port: Port, now_ns: int) -> None:
        if self._going is None and now_ns >= self._next_ns:
            self._going = self._choose(now_ns)
            if self._going is not None:
                self._left, self._give_up_ns = self._going.data, now_ns + WRITE_NS
        if self._going is None:
            return
        self._left = self._left[port.write(self._left) :]
        if not self._left and not port.unsent():
            self._next_ns = now_ns + self._going.pause_ns
            self._went(self._going, now_ns)
            self._going = None
        elif now_ns >= self._give_up_ns:
            raise DeviceError(
                f"{port.path}: the sign takes no bytes; look at its supply and its cable, and switch flow "
                "control off"
            )

    def _choose(self, now_ns: int) -> _Frame | None:
        """What goes next: set-up first, then the newest value, and everything again from time to time."""
        if now_ns >= self._refresh_ns:
            self._say_everything(now_ns)
        if self._waiting:
            return self._waiting.pop(0)
        part = self._part(now_ns)
        return None if part == self._sent else _Frame(alpha.set_string(part), value=part)

    def _part(self, now_ns: int) -> str:
        """The part of the newest text that is to be seen now; a new text begins with its first."""
        if self._wanted != self._turning:
            self._turning, self._turning_ns = self._wanted, now_ns
        return self._turning[(now_ns - self._turning_ns) // PART_NS % len(self._turning)]

    def _went(self, went: _Frame, now_ns: int) -> None:
        if went.value is None:
            return
        self._sent = went.value
        if went.value != self._logged:
            self._logged = went.value
            SENT.info("%s%s", alpha.plain(self._wiring.label), went.value)
        self._health.works(now_ns)

    def _due(self, now_ns: int) -> int:
        if self._left:
            return self._give_up_ns
        if self._going is not None:
            return now_ns + DRAIN_NS
        if self._waiting or self._part(now_ns) != self._sent:
            return self._next_ns
        if len(self._turning) == 1:
            return self._refresh_ns
        return min(self._refresh_ns, now_ns + PART_NS - (now_ns - self._turning_ns) % PART_NS)
