"""The table's ear: hears from its link, once a second, how far the floor is, and when it heard nothing for too long.

A datagram socket on a path of this machine that this process owns; nothing is ever sent on it. It is read by the loop's
own thread without waiting, some messages at a time. Only this process's user may speak: the kernel says who did.
"""

import os
import socket
import stat
import struct
from pathlib import Path
from typing import Final, Protocol

import msgspec

from controller.core.events import HostGarbled
from controller.inbox import Act, FloorHeard, LinksHeard
from controller.link.beat import BYTES_MAX, OLD_NS, Beat, decode
from hal.interface import Device, DeviceFailed, DeviceMended

SILENT_NS: Final = 5_000_000_000
"""Nothing good heard for this long: the host is lost."""

MOST: Final = 16
"""Messages read at one look; whoever sends more fills his own queue in the kernel."""

LOOK_NS: Final = 100_000_000
"""How often it listens."""

GARBLED_NS: Final = 60_000_000_000
"""Messages that are none are told of at most this often."""

FUTURE_NS: Final = 1_000_000_000
"""A stamp this far ahead of this machine's own clock is false."""

_CREDENTIALS: Final = struct.Struct("iII")

Heard = DeviceFailed | DeviceMended | FloorHeard | LinksHeard | Act


class HostLineError(OSError):
    """The socket cannot be had; the text says where and what to do."""


class Host(Protocol):
    """Where a table hears of its floor."""

    def open(self, now_ns: int) -> None:
        """Begin to listen."""

    def look(self, now_ns: int) -> list[Heard]:
        """What was heard since the last look, and what follows from hearing nothing. Never waits."""

    @property
    def told(self) -> str:
        """A word for the status line; empty where there is nothing to say."""

    def close(self) -> None:
        """Stop listening; safe to call twice."""


class NoHost:
    """A table without a floor."""

    told = ""

    def open(self, now_ns: int) -> None:
        """Nothing to open."""

    def look(self, now_ns: int) -> list[Heard]:  # noqa: ARG002, the protocol's signature
        """Nobody speaks."""
        return []

    def close(self) -> None:
        """Nothing to close."""


class HostLine:
    """Listens on `path` for the link of table `table_id`."""

    def __init__(self, path: Path, table_id: str) -> None:
        self._path = path
        self._table_id = table_id
        self._socket: socket.socket | None = None
        self._look_ns = self._good_ns = 0
        self._sent_ns = -1
        self._lost = False
        self._why = ""
        self._offset_ns: int | None = None
        self._garbled = 0
        self._garbled_why = ""
        self._garbled_ns: int | None = None

    def open(self, now_ns: int) -> None:
        """Make the socket, over one that a killed table left there. Raises `HostLineError`.

        The host counts as lost until it is heard: where it is required nothing is played before the floor was asked.
        """
        self._good_ns = now_ns - SILENT_NS
        ear = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK)
        try:
            ear.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            self._remove_old()
            ear.bind(str(self._path))
            self._path.chmod(0o600)
        except OSError as error:
            ear.close()
            raise HostLineError(
                error.errno,
                f"the socket of [link] cannot be made ({error.strerror}): its directory must exist and be this user's; "
                "`link.socket` names it",
                str(self._path),
            ) from error
        self._socket = ear

    @property
    def told(self) -> str:
        """Whether the floor is heard, and how far this machine's clock is from the floor's."""
        if self._lost or self._offset_ns is None:
            return "no floor"
        return f"floor heard, clock {self._offset_ns // 1_000_000:+d} ms from its"

    def look(self, now_ns: int) -> list[Heard]:
        """Read what waits. What the floor has comes before that it is back: nothing is taken in between the two."""
        if self._socket is None or now_ns < self._look_ns:
            return []
        self._look_ns = now_ns + LOOK_NS
        heard: list[Heard] = []
        newest: Beat | None = None
        for _ in range(MOST):
            message = self._next(self._socket)
            if message is None:
                break
            beat = self._judged(*message, now_ns)
            if beat is not None:
                self._sent_ns = beat.sent_ns
                newest = beat
        if newest is not None and newest.head is not None:
            heard.append(FloorHeard(newest.head.seq, newest.head.digest, now_ns))
        if newest is not None and not newest.why and (newest.links or newest.answers):
            heard.append(LinksHeard(newest.links, newest.answers, now_ns))
        return heard + self._standing(newest, now_ns) + self._garbage(now_ns)

    def close(self) -> None:
        """Let go of the socket and its path."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
            self._path.unlink(missing_ok=True)

    def _standing(self, newest: Beat | None, now_ns: int) -> list[Heard]:
        if newest is not None:
            self._why = newest.why
            self._offset_ns = newest.offset_ns
            if not newest.why and newest.head is not None:
                self._good_ns = now_ns
        silent = now_ns - self._good_ns >= SILENT_NS
        if silent is self._lost:
            return []
        self._lost = silent
        if silent:
            return [DeviceFailed(Device.HOST, self._why or "no word from `pozo link`", now_ns)]
        return [DeviceMended(Device.HOST, now_ns)]

    def _garbage(self, now_ns: int) -> list[Heard]:
        due = self._garbled_ns is None or now_ns - self._garbled_ns >= GARBLED_NS
        if not self._garbled or not due:
            return []
        event = HostGarbled(now_ns, self._garbled, self._garbled_why)
        self._garbled, self._garbled_ns = 0, now_ns
        return [Act(event)]

    def _judged(self, data: bytes, uid: int | None, now_ns: int) -> Beat | None:
        """The beat in a message, or None, counted with its reason."""
        beat, why = None, ""
        try:
            beat = decode(data)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            why = f"{len(data)} bytes that are no beat: {error}"[:100]
        if uid != os.geteuid():
            why = f"user {uid} is not this table's"
        elif len(data) > BYTES_MAX:
            why = f"a message of more than {BYTES_MAX} bytes"
        elif beat is None:
            pass
        elif beat.table != self._table_id:
            why = f"a beat of table {beat.table[:32]!r}"
        elif beat.sent_ns <= self._sent_ns or not now_ns - OLD_NS <= beat.sent_ns <= now_ns + FUTURE_NS:
            why = "a beat of another moment"
        if why:
            self._garbled += 1
            self._garbled_why = why
            return None
        return beat

    @staticmethod
    def _next(ear: socket.socket) -> tuple[bytes, int | None] | None:
        """The next message and its sender's user; None if none waits. What was too long is not read to its end."""
        try:
            data, extra, _flags, _address = ear.recvmsg(BYTES_MAX + 1, socket.CMSG_SPACE(_CREDENTIALS.size))
        except BlockingIOError:
            return None
        for level, kind, value in extra:
            if (level, kind) == (socket.SOL_SOCKET, socket.SCM_CREDENTIALS):
                _pid, uid, _gid = _CREDENTIALS.unpack(value[: _CREDENTIALS.size])
                return data, uid
        return data, None

    def _remove_old(self) -> None:
        """Remove a socket that is left from before; anything else there is somebody's file."""
        try:
            mode = self._path.lstat().st_mode
        except FileNotFoundError:
            return
        if not stat.S_ISSOCK(mode):
            raise FileExistsError(17, "something else is there that is no socket", str(self._path))
        self._path.unlink()
