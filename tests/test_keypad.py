"""The keypad: serial on a pty, USB by events as the kernel gives them; keys by the board file's names."""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from hal.health import Health
from hal.interface import (
    Device,
    DeviceError,
    DeviceFailed,
    DeviceMended,
    KeypadKind,
    KeypadWiring,
    KeyPressed,
    Message,
)
from hal.keypad import Keypad, UsbSource, open_keypad
from tests.helpers_port import Cable

SECOND = 1_000_000_000
KEYS = {"1": "1", "2": "2", "\r": "ENTER"}


@pytest.fixture
def cable(tmp_path: Path) -> Iterator[Cable]:
    made = Cable(tmp_path / "usb-pad")
    yield made
    made.close()


@pytest.fixture
def heard() -> list[Message]:
    return []


@pytest.fixture
def keypad(cable: Cable, heard: list[Message]) -> Iterator[Keypad]:
    wiring = KeypadWiring(KeypadKind.SERIAL, str(cable.path), KEYS)
    made = Keypad(wiring, Health(Device.KEYPAD, heard.append), heard.append, open_keypad)
    yield made
    made.close()


def test_each_key_is_put_by_its_name_in_order(keypad: Keypad, cable: Cable, heard: list[Message]) -> None:
    keypad.turn(7)
    cable.say(b"12\r")
    keypad.turn(8)
    assert heard == [KeyPressed("1", 8), KeyPressed("2", 8), KeyPressed("ENTER", 8)]


def test_F081_what_was_pressed_before_the_keypad_was_opened_is_not_heard(
    keypad: Keypad, cable: Cable, heard: list[Message]
) -> None:
    cable.say(b"1" * 2048)
    keypad.turn(7)
    cable.say(b"2")
    keypad.turn(8)
    assert heard == [KeyPressed("2", 8)]


def test_a_key_without_a_name_is_counted_and_said_once_a_minute(
    keypad: Keypad, cable: Cable, heard: list[Message], caplog: pytest.LogCaptureFixture
) -> None:
    keypad.turn(0)
    for second in range(90):
        cable.say(b"\xff")
        keypad.turn(second * SECOND)
    assert (heard, keypad.unnamed) == ([], 90)
    assert len(caplog.records) == 2
    assert "keypad.keys of the board file does not name" in caplog.text


def test_F066_a_keypad_that_is_pulled_out_is_told_and_found_again(
    keypad: Keypad, cable: Cable, heard: list[Message]
) -> None:
    keypad.turn(100 * SECOND)
    cable.pull()
    assert keypad.turn(101 * SECOND) == 102 * SECOND
    keypad.turn(102 * SECOND)
    cable.plug_in()
    keypad.turn(104 * SECOND)
    cable.say(b"1")
    keypad.turn(105 * SECOND)
    assert [type(message) for message in heard] == [DeviceFailed, DeviceMended, KeyPressed]
    why = f"there is no {cable.path}: plug the adapter in; its name is under /dev/serial/by-id"
    assert heard[0] == DeviceFailed(Device.KEYPAD, why, 102 * SECOND)


class Event(NamedTuple):
    type: int
    code: int
    value: int


class FakeKeyboard:
    """An input device: events wait until they are read; a byte in a pipe makes it ready, as the kernel does."""

    def __init__(self) -> None:
        self.fd, self.far = os.pipe()
        self.waiting: list[Event] = []
        self.gone = False

    def read(self) -> Iterable[Event]:
        if self.gone:
            raise OSError(19, "No such device")
        if not self.waiting:
            raise BlockingIOError
        events, self.waiting = self.waiting, []
        return iter(events)

    def close(self) -> None:
        os.close(self.fd)
        os.close(self.far)


def test_a_usb_key_counts_when_it_goes_down_and_once_while_it_is_held() -> None:
    keyboard = FakeKeyboard()
    source = UsbSource("/dev/input/pad", keyboard, {79: "KEY_KP1", 113: ("KEY_MIN_INTERESTING", "KEY_MUTE")})
    assert list(source.pressed()) == []
    keyboard.waiting = [
        Event(4, 4, 0x70059),
        Event(1, 79, 1),
        Event(0, 0, 0),
        Event(1, 79, 2),
        Event(1, 79, 0),
    ]
    assert list(source.pressed()) == ["KEY_KP1"]
    keyboard.waiting = [Event(1, 113, 1), Event(1, 500, 1)]
    assert list(source.pressed()) == ["KEY_MIN_INTERESTING", "500"]
    keyboard.gone = True
    with pytest.raises(DeviceError, match=r"/dev/input/pad was unplugged"):
        source.pressed()
    source.close()


def test_a_usb_keypad_that_is_not_there_is_told(heard: list[Message]) -> None:
    pytest.importorskip("evdev")
    wiring = KeypadWiring(KeypadKind.USB, "/dev/input/by-id/none", {"KEY_KP1": "1"})
    keypad = Keypad(wiring, Health(Device.KEYPAD, heard.append), heard.append, open_keypad)
    for second in (1, 2):
        keypad.turn(second * SECOND)
    (lost,) = heard
    assert isinstance(lost, DeviceFailed)
    assert "the keypad /dev/input/by-id/none cannot be opened" in lost.why
