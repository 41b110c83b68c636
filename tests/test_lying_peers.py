"""Serial peers that answer what nobody asked, in half, wrongly or without end: on real ptys, in virtual time.

Peers that are pulled out or take nothing are in `test_field_sign.py`, `test_keypad.py` and `test_hal_bench.py`.
"""

import random
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from hal import alpha
from hal.health import LOG_AGAIN_NS, Health
from hal.interface import Device, DeviceFailed, HalThread, KeypadKind, KeypadWiring, KeyPressed, Message
from hal.keypad import Keypad, open_keypad
from hal.port import READ_BYTES
from tests.helpers_port import AlphaSign as EmulatedSign
from tests.helpers_port import Cable
from tests.test_field_sign import SECOND, Rig
from tests.test_raspberry_devices import Table, until_shown

XOFF, NAK, ENQ = b"\x13", b"\x15", b"\x05"
WAIT_S = 10.0
Lie = Callable[[bytes, random.Random], bytes]
LIES: dict[str, Lie] = {
    "echo": lambda said, _chance: said,
    "refuses every frame": lambda said, _chance: NAK * said.count(b"\x04"),
    "asks to stop": lambda said, _chance: XOFF if said else b"",
    "asks all the time": lambda _said, _chance: ENQ * 50,
    "half of another value": lambda said, _chance: alpha.set_string("$ 999.999,99")[: 9 + len(said) % 12],
    "a whole other value": lambda said, _chance: alpha.set_string("$ 999.999,99") if said else b"",
    "garbage": lambda _said, chance: chance.randbytes(chance.randrange(200)),
}


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    made = Rig(tmp_path)
    yield made
    made.close()


def lied_to(rig: Rig, lie: Lie, seconds: int, seed: int = 7) -> None:
    """Let time pass; whatever the sign has heard, it answers by `lie`."""
    chance = random.Random(seed)
    for _ in range(10 * seconds):
        before = len(rig.raw)
        rig.wait(0.1)
        answer = lie(rig.raw[before:], chance)
        if answer:
            rig.cable.say(answer)


@pytest.mark.parametrize("lie", LIES)
def test_whatever_a_sign_answers_it_is_shown_the_newest_value_and_nobody_is_alarmed(
    rig: Rig, lie: str
) -> None:
    for number in range(8):
        rig.show(f"$ 100.00{number},50")
        lied_to(rig, LIES[lie], 5)
        assert rig.sign.shown == f"POZO $ 100.00{number},50"
    assert (rig.heard, rig.sign.dropped, len(rig.opened_ns)) == ([], 0, 1)


def test_answers_that_waited_for_long_are_read_off_and_hold_nothing_up(rig: Rig) -> None:
    rig.show("$ 100.000,00")
    rig.wait(3)
    rig.cable.say(b"?" * READ_BYTES)
    rig.show("$ 100.003,50")
    rig.wait(1)
    assert rig.sign.shown == "POZO $ 100.003,50"
    assert rig.heard == []


def test_a_plug_that_trembles_for_a_minute_is_opened_once_a_second_at_most_and_right_in_the_end(
    rig: Rig,
) -> None:
    chance = random.Random(3)
    rig.show("$ 100.000,00")
    begin_ns, opened = rig.now_ns, len(rig.opened_ns)
    while rig.now_ns < begin_ns + 60 * SECOND:
        rig.cable.pull()
        rig.wait(chance.uniform(0.1, 0.5))
        rig.cable.plug_in()
        rig.sign = EmulatedSign()
        rig.wait(chance.uniform(0.1, 0.5))
    assert len(rig.opened_ns) - opened <= 61
    openings = rig.opened_ns[opened:]
    gaps = [later - earlier for earlier, later in pairwise(openings)]
    assert min(gaps) >= SECOND
    rig.show("$ 100.007,00")
    rig.wait(6)
    assert rig.sign.shown == "POZO $ 100.007,00"
    told = Counter(type(message) for message in rig.heard)
    assert told.total() <= 60
    assert not isinstance(rig.heard[-1], DeviceFailed)


KEYS = {"1": "1", "2": "2", "\r": "ENTER"}


@pytest.fixture
def pad(tmp_path: Path) -> Iterator[tuple[Cable, Keypad, list[Message]]]:
    cable, heard = Cable(tmp_path / "usb-pad"), list[Message]()
    wiring = KeypadWiring(KeypadKind.SERIAL, str(cable.path), KEYS)
    keypad = Keypad(wiring, Health(Device.KEYPAD, heard.append), heard.append, open_keypad)
    yield cable, keypad, heard
    keypad.close()
    cable.close()


def test_a_keypad_that_sends_anything_presses_named_keys_only_and_is_no_failure(
    pad: tuple[Cable, Keypad, list[Message]], caplog: pytest.LogCaptureFixture
) -> None:
    cable, keypad, heard = pad
    chance, sent = random.Random(5), Counter[int]()
    keypad.turn(0)
    for number in range(600):
        noise = chance.randbytes(chance.randrange(1, 60))
        sent.update(noise)
        cable.say(noise)
        keypad.turn((number + 1) * SECOND // 10)
    keys = Counter(message.key for message in heard if isinstance(message, KeyPressed))
    assert keys == {"1": sent[ord("1")], "2": sent[ord("2")], "ENTER": sent[ord("\r")]}
    assert keys.total() == len(heard), "nothing but keys is told"
    assert keypad.unnamed == sent.total() - keys.total()
    assert len(caplog.records) <= 1 + 60 * SECOND // LOG_AGAIN_NS


def test_a_keypad_that_echoes_is_not_spoken_to(pad: tuple[Cable, Keypad, list[Message]]) -> None:
    cable, keypad, _ = pad
    for now in range(50):
        keypad.turn(now * SECOND)
        assert cable.heard() == b""


@pytest.mark.filterwarnings("ignore:Image.Image.getdata:DeprecationWarning")
def test_a_sign_that_never_stops_talking_leaves_the_keypad_and_the_beat_alone(tmp_path: Path) -> None:
    """On the threads of a real table: sign and keypad share one."""
    table = Table(tmp_path)
    ended = threading.Event()

    def talk() -> None:
        while not ended.is_set():
            try:
                table.sign_cable.say(b"blah " * 100)
            except BlockingIOError:
                ended.wait(0.001)

    try:
        table.hal.start(table.heard.put)
        table.hal.sign("$ 1,00")
        until_shown(table, "$ 1,00")
        talker = threading.Thread(target=talk)
        talker.start()
        before = table.hal.beats()[HalThread.PORTS]
        for _ in range(20):
            table.pad_cable.say(b"3")
            assert isinstance(table.heard.get(timeout=WAIT_S), KeyPressed)
        table.hal.sign("$ 2,00")
        until_shown(table, "$ 2,00")
        assert table.hal.beats()[HalThread.PORTS] > before
        ended.set()
        talker.join()
        assert table.heard.empty(), "a sign that talks is no failure"
    finally:
        ended.set()
        table.close()
