"""A USB device that is made here and plugged into the guest: the device's side of QEMU's `usb-redir`.

It knows the packets (the usbredir project's protocol, 0.7) and what every device must answer; what it is for says its
`Function`. One interface, no endpoint but the first, full speed.
"""

import socket
import struct
import threading
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Protocol

GONE_S = 60.0
"""A device whose guest is gone ends at once; a stopped machine may take a while to let it."""

QUIET_S = 0.3
"""Nothing was asked for this long: what was sent is whole."""


class Kind(IntEnum):
    """What a packet is: those a device with one endpoint sends or gets."""

    HELLO = 0
    CONNECT = 1
    RESET = 3
    INTERFACES = 4
    ENDPOINTS = 5
    SET_CONFIGURATION = 6
    GET_CONFIGURATION = 7
    CONFIGURATION = 8
    SET_VARIANT = 9
    GET_VARIANT = 10
    VARIANT = 11
    CANCEL = 21
    CONTROL = 100


CAPABILITIES = 1 << 1 | 1 << 4 | 1 << 5 | 1 << 6
"""A version of the device, sizes of endpoints, long numbers and long transfers: QEMU's xHCI takes no device without."""

GREETING = struct.Struct("<III64sI")
PACKET = struct.Struct("<IIQ")
TRANSFER = struct.Struct("<BBBBHHH")

DONE, STALLED = 0, 4
FULL_SPEED = 1
VENDORS_OWN = 0xFF
NO_ENDPOINT = 255
INTO_GUEST = 0x80
FIRST_SIZE = 64

GET_STATUS, CLEAR_FEATURE, SET_FEATURE, GET_DESCRIPTOR = 0, 1, 3, 6
OF_DEVICE, OF_CONFIGURATION = 1, 2
FOR_THE_FUNCTION = 0x40
"""The bit of a request's kind that says: this maker's own."""


class UsbError(RuntimeError):
    """QEMU says something that a device cannot understand."""


@dataclass(frozen=True)
class Setup:
    """A request to the device, and what was sent with it."""

    kind: int
    request: int
    value: int
    index: int
    length: int
    content: bytes


class Function(Protocol):
    """What the device is for."""

    def asked(self, setup: Setup) -> bytes | None:
        """Answer a request of its own: what is read, or nothing after writing; None if it knows no such request."""


class Plugged:
    """A device in the guest's USB port, from the moment QEMU connects to `path`. `rested` is called after each burst.

    It runs on a thread of its own; what ended it, but for the guest's own end, stands in `trouble`.
    """

    def __init__(
        self, path: Path, vendor: int, product: int, function: Function, rested: Callable[[], None]
    ) -> None:
        self.trouble: Exception | None = None
        self._vendor, self._product = vendor, product
        self._function = function
        self._rested = rested
        path.unlink(missing_ok=True)
        self._door = socket.socket(socket.AF_UNIX)
        self._door.bind(str(path))
        self._door.listen(1)
        self._thread = threading.Thread(target=self._live, name="usb", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Wait until it is gone, once QEMU is; nothing more where it was closed."""
        if self._door.fileno() < 0:
            return
        self._door.shutdown(socket.SHUT_RDWR)  # whoever waits at it for QEMU waits no longer
        self._thread.join(GONE_S)
        self._door.close()

    def _live(self) -> None:
        try:
            line, _ = self._door.accept()
        except OSError:
            return  # QEMU did not come: what it said of it is told by whoever started it
        try:
            with line:
                self._serve(line)
        except (BrokenPipeError, ConnectionError, EOFError):
            return  # the guest's power is gone, and the device's with it
        except Exception as error:  # noqa: BLE001, whoever asks for the screen is told
            self.trouble = error

    def _serve(self, line: socket.socket) -> None:
        reader = _Reader(line, self._rested)
        line.sendall(GREETING.pack(Kind.HELLO, 68, 0, b"pozo emulator", CAPABILITIES))
        kind, length, _number = struct.unpack("<III", reader.take(12))
        if kind != Kind.HELLO:
            raise UsbError(f"QEMU begins with packet {kind} instead of a greeting")
        reader.take(length)
        for packet in introduction(self._vendor, self._product):
            line.sendall(packet)
        while True:
            kind, length, number = PACKET.unpack(reader.take(PACKET.size))
            answer = self._answer(kind, reader.take(length))
            if answer is not None:
                line.sendall(framed(*answer, number))

    def _answer(self, kind: int, content: bytes) -> tuple[int, bytes] | None:
        match kind:
            case Kind.CONTROL:
                return Kind.CONTROL, self._control(content)
            case Kind.SET_CONFIGURATION | Kind.GET_CONFIGURATION:
                return Kind.CONFIGURATION, bytes([DONE, 1])
            case Kind.SET_VARIANT:
                return Kind.VARIANT, bytes([DONE, content[0], content[1]])
            case Kind.GET_VARIANT:
                return Kind.VARIANT, bytes([DONE, content[0], 0])
            case Kind.RESET | Kind.CANCEL:
                return None  # every request has been answered by now, and nothing outlives a reset
            case _:
                raise UsbError(f"QEMU sends packet {kind}, which a device without other endpoints never gets")

    def _control(self, content: bytes) -> bytes:
        """A request on the first endpoint: to every device, or to this one's function."""
        endpoint, request, kind, _status, value, index, length = TRANSFER.unpack_from(content)
        setup = Setup(kind, request, value, index, length, content[TRANSFER.size :])
        found = self._asked(setup)
        status = STALLED if found is None else DONE
        read = (found or b"")[:length] if kind & INTO_GUEST else b""
        moved = len(read) if kind & INTO_GUEST else len(setup.content)
        return (
            TRANSFER.pack(endpoint, request, kind, status, value, index, moved if found is not None else 0)
            + read
        )

    def _asked(self, setup: Setup) -> bytes | None:
        if setup.kind & FOR_THE_FUNCTION:
            return self._function.asked(setup)
        return standard(setup, self._vendor, self._product)


class _Reader:
    """Reads whole packets, and says when nothing more comes for a while."""

    def __init__(self, line: socket.socket, rested: Callable[[], None]) -> None:
        self._line = line
        self._rested = rested

    def take(self, length: int) -> bytes:
        """So many bytes. Raises `EOFError` where the other end is gone."""
        taken = b""
        self._line.settimeout(QUIET_S)
        while len(taken) < length:
            try:
                more = self._line.recv(length - len(taken))
            except TimeoutError:
                self._rested()
                self._line.settimeout(None)
                continue
            if not more:
                raise EOFError
            taken += more
        return taken


def framed(kind: int, content: bytes, number: int = 0) -> bytes:
    """A packet."""
    return PACKET.pack(kind, len(content), number) + content


def introduction(vendor: int, product: int) -> tuple[bytes, ...]:
    """What QEMU must know before it plugs a device in: its interfaces, its endpoints, itself."""
    none, first = bytes(31), bytes(32)
    ends = bytearray([NO_ENDPOINT] * 32)
    ends[0] = ends[16] = 0
    sizes = [FIRST_SIZE if at in {0, 16} else 0 for at in range(32)]
    return (
        framed(Kind.INTERFACES, struct.pack("<I", 1) + first + bytes([VENDORS_OWN]) + none + first + first),
        framed(Kind.ENDPOINTS, bytes(ends) + first + first + struct.pack("<32H", *sizes)),
        framed(Kind.CONNECT, struct.pack("<4B3H", FULL_SPEED, VENDORS_OWN, 0, 0, vendor, product, 0x0100)),
    )


def standard(setup: Setup, vendor: int, product: int) -> bytes | None:
    """What every device answers (USB 2.0, chapter 9); None for what this one has not."""
    if setup.request == GET_DESCRIPTOR:
        return descriptors(vendor, product).get(setup.value >> 8)
    if setup.request == GET_STATUS:
        return bytes(2)
    return b"" if setup.request in {CLEAR_FEATURE, SET_FEATURE} else None


def descriptors(vendor: int, product: int) -> dict[int, bytes]:
    """The device's and its configuration's, by their numbers."""
    device = struct.pack(
        "<BBH4B3H4B", 18, 1, 0x0110, VENDORS_OWN, 0, 0, FIRST_SIZE, vendor, product, 0x0100, 0, 0, 0, 1
    )
    interface = bytes([9, 4, 0, 0, 0, VENDORS_OWN, 0, 0, 0])
    return {
        OF_DEVICE: device,
        OF_CONFIGURATION: struct.pack("<BBH5B", 9, 2, 9 + len(interface), 1, 1, 0, 0x80, 50) + interface,
    }
