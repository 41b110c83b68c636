"""Serial ports for tests: pty pairs behind a by-id link, and an Alpha sign at the other end. Nothing waits."""

import errno
import os
import pty
import tty
from pathlib import Path

READ = 65536


class Cable:
    """A pty pair. The program opens `path`, a link as udev makes them; the test holds the other end."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.far = self.near = -1
        self.plug_in()

    def plug_in(self) -> None:
        """An adapter appears, under a new number, and the link leads to it."""
        self.far, self.near = pty.openpty()
        tty.setraw(self.near)
        os.set_blocking(self.far, False)
        self.path.unlink(missing_ok=True)
        self.path.symlink_to(os.ttyname(self.near))

    def pull(self) -> None:
        """The adapter is pulled out: its far end hangs up and its name goes."""
        self.path.unlink(missing_ok=True)
        self.close()

    def close(self) -> None:
        for fd in (self.far, self.near):
            if fd >= 0:
                os.close(fd)
        self.far = self.near = -1

    def heard(self) -> bytes:
        """What has come out of the cable since the last time."""
        try:
            return os.read(self.far, READ)
        except BlockingIOError:
            return b""
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            return b""

    def say(self, data: bytes) -> None:
        os.write(self.far, data)


class AlphaSign:
    """An Alpha sign as its maker describes it: no time-outs, bad checksums are dropped without a word."""

    def __init__(self) -> None:
        self.texts: dict[bytes, bytes] = {}
        self.strings: dict[bytes, bytes] = {}
        self.allocations = 0
        self.frames = self.dropped = 0
        self._state = "idle"
        self._type = self._body = self._checksum = b""

    def hear(self, data: bytes) -> None:
        for number in data:
            self._take(bytes([number]))

    @property
    def shown(self) -> str:
        """What people read."""
        text = self.texts.get(b"A", b"")
        if not text.startswith(b"\x1b&b"):
            return ""
        before, _, after = text[3:].partition(b"\x10")
        return (before + self.strings.get(after[:1], b"")).decode("ascii")

    def _take(self, byte: bytes) -> None:
        if byte == b"\x04" and self._state != "idle":
            self._end()
        elif self._state == "idle" and byte == b"\x01":
            self._state, self._type, self._body, self._checksum = "type", b"", b"", b""
        elif self._state == "type" and byte == b"\x02":
            self._state, self._body = "body", byte
        elif self._state == "type":
            self._type += byte
        elif self._state == "body":
            self._body += byte
            if byte == b"\x03":
                self._state = "checksum"
        elif self._state == "checksum":
            self._checksum += byte

    def _end(self) -> None:
        whole = self._state == "checksum" and self._checksum == f"{sum(self._body) % 65536:04X}".encode()
        if whole and self._type == b"Z00":
            self.frames += 1
            self._obey(self._body[1:-1])
        else:
            self.dropped += 1
        self._state = "idle"

    def _obey(self, command: bytes) -> None:
        if command.startswith(b"E$"):
            self.allocations += 1
        elif command.startswith(b"A"):
            self.texts[command[1:2]] = command[2:]
        elif command.startswith(b"G"):
            self.strings[command[1:2]] = command[2:]
        else:
            raise AssertionError(command)
