"""A simulated table in a running program, driven from outside over a serial port or pty: the bench channel.

`pozo run --bench PATH` stands on it. One line is one command:

    on LINE · off LINE                an input becomes active or idle, now
    drop LINE active|idle             the next such edge is lost
    key NAME                          a keypad key
    fail DEVICE · mend DEVICE         screen, sign, keypad, host
    levels? · outputs? · screen? · picture? · sign? · failed?

Every command is answered, `ok …` (a question with JSON) or `error …`. Unasked come `started`, `closed`,
`out LINE on|off`, `screen JSON`, `sign TEXT` and `lost N reports`. A port's speed is as it was set (stty).
"""

import os
import time
import tty
from collections.abc import Callable
from pathlib import Path
from termios import TCSANOW
from termios import error as termios_error
from typing import assert_never

import msgspec

from hal.channel import Channel
from hal.interface import ClaimError, Device, DeviceError, HalError, Put, Wiring
from hal.simulated import Closed, Drawn, Seen, Shown, Signed, SimulatedHal, Started, Switched, Told

COMMANDS = (
    "on LINE, off LINE, drop LINE active|idle, key NAME, fail DEVICE, mend DEVICE, "
    "levels?, outputs?, screen?, picture?, sign?, failed?"
)


class BenchHal(SimulatedHal):
    """The hardware of `wiring` in memory, driven over the port or pty at `path` from `start` to `close`."""

    def __init__(self, wiring: Wiring, path: Path, now_ns: Callable[[], int] = time.monotonic_ns) -> None:
        self._path = path
        self._channel: Channel | None = None
        super().__init__(wiring, now_ns, watch=self._report)

    def start(self, put: Put) -> None:
        """Open the channel and start. Raises `ClaimError` if started, `DeviceError` if it cannot be opened."""
        if self.started:
            raise ClaimError("the bench table is already started; close it before starting it again")
        self._channel = Channel(open_stream(self._path), self._obey)
        super().start(put)

    def close(self) -> None:
        """Outputs off, said so over the channel, then the channel is closed. May be called again."""
        super().close()
        channel, self._channel = self._channel, None
        if channel is not None:
            channel.close()

    def _report(self, seen: Seen) -> None:
        if self._channel is not None and not isinstance(seen, Drawn):
            self._channel.report(in_words(seen))

    def _obey(self, line: str) -> str:
        try:
            answer = self._answer(line)
        except HalError as error:
            return f"error {error}"
        return f"ok {line}" if answer is None else f"ok {msgspec.json.encode(answer).decode()}"

    def _answer(self, line: str) -> object | None:
        """Do what a line says, or answer its question. Raises `HalError` for what is not allowed."""
        match line.split():
            case ["on", name]:
                self.drive(name, active=True)
            case ["off", name]:
                self.drive(name, active=False)
            case ["drop", name, ("active" | "idle") as level]:
                self.drop_edge(name, level == "active")
            case ["key", name]:
                self.press_key(name)
            case ["fail", name]:
                self.fail(_device(name))
            case ["mend", name]:
                self.mend(_device(name))
            case [question] if question in QUESTIONS:
                return QUESTIONS[question](self)
            case _:
                raise HalError(f"{line!r} is no command; allowed are: {COMMANDS}")
        return None


QUESTIONS: dict[str, Callable[[BenchHal], object]] = {
    "levels?": lambda hal: hal.physical,
    "outputs?": lambda hal: hal.outputs,
    "screen?": lambda hal: hal.screen,
    "picture?": lambda hal: hal.drawn,
    "sign?": lambda hal: hal.signs,
    "failed?": lambda hal: sorted(hal.failed),
}


def open_stream(path: Path) -> int:
    """Open a serial port or pty, raw, for reading and writing. Raises `DeviceError`."""
    try:
        fd = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    except OSError as error:
        raise DeviceError(f"the bench channel {path} cannot be opened: {error.strerror}") from error
    try:
        tty.setraw(fd, TCSANOW)
    except termios_error as error:
        os.close(fd)
        raise DeviceError(f"the bench channel {path} is no serial port or pty; name one") from error
    return fd


def in_words(told: Told) -> str:
    """Say in one line what the program told its hardware."""
    match told:
        case Switched(line, on):
            return f"out {line} {'on' if on else 'off'}"
        case Shown(lines):
            return f"screen {msgspec.json.encode(lines).decode()}"
        case Signed(text):
            return f"sign {text}"
        case Started():
            return "started"
        case Closed():
            return "closed"
        case _ as unknown:
            assert_never(unknown)


def _device(name: str) -> Device:
    if name not in set(Device):
        raise DeviceError(f"there is no device {name!r}; allowed are: {', '.join(Device)}")
    return Device(name)
