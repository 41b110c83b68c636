"""The keypad, on a serial port or as a USB keyboard: each key pressed is put by the name the board file gives it.

It knows no key's meaning. The kernel's keyboard names need evdev, which is loaded only for a USB keypad. A key the
board file does not name is counted and said in the log once a minute at most.
"""

import logging
import select
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Protocol, assert_never

from hal.health import LOG_AGAIN_NS, SECOND_NS, Health
from hal.interface import DeviceError, KeypadKind, KeypadWiring, KeyPressed, Put
from hal.port import Port

LOG = logging.getLogger(__name__)

CHECK_NS = SECOND_NS
EV_KEY, KEY_DOWN = 1, 1
"""The kernel's numbers for a key's event and for a key that goes down (linux/input-event-codes.h)."""


class Source(Protocol):
    """An opened keypad. Its methods raise `DeviceError` when it is gone."""

    @property
    def waits_for(self) -> tuple[int, int]:
        """The descriptor and the poll events that say a key may have come."""

    def pressed(self) -> Iterable[str]:
        """The keys pressed since the last time, as the board file's `keys` spell them."""

    def check(self) -> None:
        """See that it is still there."""

    def close(self) -> None:
        """Let go of it."""


class Keypad:
    """Puts `KeyPressed` for each named key. A part of a `Worker`; `opening` opens the keypad of a wiring."""

    def __init__(
        self, wiring: KeypadWiring, health: Health, put: Put, opening: Callable[[KeypadWiring], Source]
    ) -> None:
        self._wiring = wiring
        self._health = health
        self._put = put
        self._opening = opening
        self._source: Source | None = None
        self._check_ns = 0
        self._log_ns = 0
        self.unnamed = 0

    @property
    def waits_for(self) -> tuple[int, int] | None:
        """The keypad's line, once it is open."""
        return None if self._source is None else self._source.waits_for

    @property
    def settled(self) -> bool:
        """A keypad has nothing to say to it."""
        return True

    def turn(self, now_ns: int) -> int:
        """Open the keypad if it is time to, and put what was pressed."""
        if self._source is None and not self._health.well and now_ns < self._health.retry_ns:
            return self._health.retry_ns
        try:
            if self._source is None:
                self._source = self._opening(self._wiring)
                self._check_ns = now_ns + CHECK_NS
            for key in self._source.pressed():
                self._pressed(key, now_ns)
            if now_ns >= self._check_ns:
                self._check_ns = now_ns + CHECK_NS
                self._source.check()
        except DeviceError as error:
            self.close()
            self._health.failed(now_ns, str(error))
            return self._health.retry_ns
        self._health.works(now_ns)
        return self._check_ns

    def close(self) -> None:
        """Let go of the keypad."""
        source, self._source = self._source, None
        if source is not None:
            source.close()

    def _pressed(self, key: str, now_ns: int) -> None:
        name = self._wiring.keys.get(key)
        if name is not None:
            self._put(KeyPressed(name, now_ns))
            return
        self.unnamed += 1
        if now_ns >= self._log_ns:
            self._log_ns = now_ns + LOG_AGAIN_NS
            LOG.warning(
                "the keypad sent %r, which keypad.keys of the board file does not name (%d such so far)",
                key,
                self.unnamed,
            )


def open_keypad(wiring: KeypadWiring) -> Source:
    """Open a keypad of either kind. Raises `DeviceError`."""
    match wiring.kind:
        case KeypadKind.SERIAL:
            return SerialSource(wiring)
        case KeypadKind.USB:
            return _open_usb(wiring)
        case _ as unknown:
            assert_never(unknown)


class SerialSource:
    """A keypad that sends one character a key."""

    def __init__(self, wiring: KeypadWiring) -> None:
        self._port = Port(wiring.port, wiring.baud, wiring.format)

    @property
    def waits_for(self) -> tuple[int, int]:
        """The port."""
        return self._port.events(writing=False)

    def pressed(self) -> Iterable[str]:
        """One key a character."""
        return self._port.read().decode("latin-1")

    def check(self) -> None:
        """See that the adapter is still there."""
        self._port.check()

    def close(self) -> None:
        """Give the port back."""
        self._port.close(discard=True)


class InputEvent(Protocol):
    """What we use of evdev's `InputEvent`, by the kernel's numbers."""

    @property
    def type(self) -> int:
        """What kind of event."""

    @property
    def code(self) -> int:
        """Which key."""

    @property
    def value(self) -> int:
        """1 down, 0 up, 2 still held."""


class InputDevice(Protocol):
    """What we use of evdev's `InputDevice`."""

    fd: int

    def read(self) -> Iterable[InputEvent]:
        """The events that wait. Raises `BlockingIOError` for none, `OSError` when the device is gone."""

    def close(self) -> None:
        """Let go of the device."""


class UsbSource:
    """A USB keypad; `names` are the kernel's names of key codes, several for some."""

    def __init__(self, path: str, device: InputDevice, names: Mapping[int, str | Sequence[str]]) -> None:
        self._path = path
        self._device = device
        self._names = names

    @property
    def waits_for(self) -> tuple[int, int]:
        """The input device."""
        return self._device.fd, select.POLLIN

    def pressed(self) -> Iterable[str]:
        """The kernel's names of the keys that went down; a key that is held down counts once."""
        try:
            events = list(self._device.read())
        except BlockingIOError:
            return ()
        except OSError as error:
            raise DeviceError(f"the keypad {self._path} was unplugged ({error.strerror})") from error
        return tuple(
            self._name(event.code) for event in events if (event.type, event.value) == (EV_KEY, KEY_DOWN)
        )

    def check(self) -> None:
        """The kernel tells by itself when an input device is gone."""

    def close(self) -> None:
        """Let go of the keypad."""
        with suppress(OSError):  # it may be unplugged already
            self._device.close()

    def _name(self, code: int) -> str:
        name = self._names.get(code, str(code))
        return name if isinstance(name, str) else name[0]


def _open_usb(wiring: KeypadWiring) -> UsbSource:
    try:
        import evdev  # noqa: PLC0415, only a table with a USB keypad needs it
    except ImportError as error:
        raise DeviceError(
            "a USB keypad needs evdev, which is not installed: pip install 'pozo[pi]'"
        ) from error
    try:
        device = evdev.InputDevice(wiring.port)
        device.grab()
    except OSError as error:
        raise DeviceError(
            f"the keypad {wiring.port} cannot be opened: {error.strerror}; its name is under "
            "/dev/input/by-id, and this user must be in the group input"
        ) from error
    return UsbSource(wiring.port, device, evdev.ecodes.KEY)
