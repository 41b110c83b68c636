"""systemd's notification socket: ready, alive and how, at work, stopping (sd_notify(3), sd_watchdog_enabled(3))."""

import os
import socket
from collections.abc import Callable, Mapping

SHORTEST_NS = 500_000_000
"""No two messages closer than this: a service that spams its watchdog can hang a shutdown (F099)."""

STATUS_NS = 1_000_000_000
"""The status is looked at this often, and told if it has changed."""

WORK_NS = 1_000_000_000
WORK_USEC = 60_000_000
"""A long work asks for another minute with each step, once a second at most: one that makes no step for so long is
ended (F100)."""


def _no_status() -> str:
    """Nothing to tell."""
    return ""


class Notify:
    """Tells the service manager how the table is. Without a manager nothing is sent."""

    def __init__(self, environ: Mapping[str, str] | None = None, pid: int | None = None) -> None:
        environ = os.environ if environ is None else environ
        address = environ.get("NOTIFY_SOCKET", "")
        self._socket: socket.socket | None = None
        if address:
            self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
            self._address = "\0" + address[1:] if address.startswith("@") else address
        self._period_ns = _period_ns(environ, os.getpid() if pid is None else pid)
        self._next_ns = 0
        self._ask_ns = self._work_ns = 0
        self._status = ""

    @property
    def period_ns(self) -> int | None:
        """How often `alive` is sent; None without a watchdog for this process."""
        return self._period_ns

    def ready(self) -> None:
        """Say that the table plays: the self-check passed and the last state is shown."""
        self._send("READY=1")

    def alive(self, now_ns: int, status: Callable[[], str] = _no_status) -> None:
        """Pet the watchdog, at most once a period, and tell the status (one line) if it has become another.

        Only a whole successful pass with every part alive may call it. `status` is asked for in the same rhythm, or
        once a second.
        """
        pet = self._period_ns is not None and now_ns >= self._next_ns
        if self._socket is None or not (pet or now_ns >= self._ask_ns):
            return
        self._ask_ns = now_ns + STATUS_NS
        told = ["WATCHDOG=1"] if pet else []
        line = status()
        if line != self._status:
            self._status = line
            told.append(f"STATUS={line}")
        if self._period_ns is not None and pet:
            self._next_ns = now_ns + self._period_ns
        if told:
            self._send("\n".join(told))

    def working(self, now_ns: int) -> None:
        """Say that a long work, at the start or while nothing can be played, has got on."""
        if now_ns >= self._work_ns:
            self._work_ns = now_ns + WORK_NS
            self._send(
                f"EXTEND_TIMEOUT_USEC={WORK_USEC}" + ("" if self._period_ns is None else "\nWATCHDOG=1")
            )

    def stopping(self) -> None:
        """Say that the process ends in order: the last message."""
        self._send("STOPPING=1")
        self._hang_up()

    def _send(self, text: str) -> None:
        if self._socket is None:
            return
        try:
            self._socket.sendto(text.encode(), socket.MSG_DONTWAIT, self._address)
        except BlockingIOError:
            pass  # the manager has ten messages unread: the table does not wait for it, and the next one will tell
        except OSError:
            # The manager went away; the table plays on, and a watchdog that is still armed will tell.
            self._hang_up()

    def _hang_up(self) -> None:
        if self._socket is not None:
            self._socket.close()
            self._socket = None


def _period_ns(environ: Mapping[str, str], pid: int) -> int | None:
    """Half of WATCHDOG_USEC, or None if it is unset, not a number, or meant for another process (F097)."""
    text = environ.get("WATCHDOG_USEC", "")
    if not (text.isascii() and text.isdigit()) or int(text) == 0:
        return None
    if environ.get("WATCHDOG_PID", str(pid)) != str(pid):
        return None
    half = int(text) * 1000 // 2
    return half if half < SHORTEST_NS else max(half, SHORTEST_NS)
