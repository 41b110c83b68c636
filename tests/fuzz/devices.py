"""What devices say: a keypad's bytes, a sign's answers, the bench channel's lines, texts on their way to the sign."""

import socket
from pathlib import Path
from queue import SimpleQueue

from hal import alpha
from hal.bench import BenchHal
from hal.channel import LINE_BYTES, Channel
from hal.health import Health
from hal.interface import Device, Format, KeypadKind, KeypadWiring, Message, SignKind, SignWiring
from hal.keypad import Keypad, SerialSource
from hal.sign import AlphaSign
from tests.fuzz.target import Target, folder
from tests.helpers_port import AlphaSign as RealSign
from tests.helpers_port import Cable
from tests.helpers_wiring import reference_wiring

KEYS = {"1": "1", "#": "ENTER", "*": "CLEAR"}
TURN_NS = 300_000_000
"""Longer than the sign's pause after a frame, shorter than a frame may take."""
TURNS = 12
PATIENCE_S = 60.0
CHUNK = 2048
"""Less than a pty takes without a reader."""


def keypad(data: bytes) -> None:
    """Bytes of a serial keypad: each named key is put, in order, and nothing else."""
    cable = _cable("keypad")
    heard: SimpleQueue[Message] = SimpleQueue()
    wiring = KeypadWiring(KeypadKind.SERIAL, str(cable.path), KEYS)
    pad = Keypad(wiring, Health(Device.KEYPAD, heard.put), heard.put, SerialSource)
    pad.turn(0)
    cable.say(data[:CHUNK])
    pad.turn(1)
    pad.close()
    cable.close()
    said = [getattr(heard.get(), "key", None) for _ in range(heard.qsize())]
    assert [name for name in said if name] == [
        KEYS[char] for char in data[:CHUNK].decode("latin-1") if char in KEYS
    ]


def sign(data: bytes) -> None:
    """What a sign answers changes nothing: the text is sent whole."""
    cable = _cable("sign")
    wiring = SignWiring(SignKind.ALPHA, str(cable.path), 9600, Format.EIGHT_N_1, "POZO ")
    said: SimpleQueue[Message] = SimpleQueue()
    shown, real = AlphaSign(wiring, Health(Device.SIGN, said.put)), RealSign()
    shown.show("100.003,50")
    for turn in range(TURNS):
        shown.turn(turn * TURN_NS)
        real.hear(cable.heard())
        cable.say(data[turn * 32 : turn * 32 + 32])
    shown.close()
    cable.close()
    assert real.shown.endswith("100.003,50")


def sign_text(data: bytes) -> None:
    """Any text comes out as frames that a sign takes."""
    real = RealSign()
    for part in alpha.parts(data.decode("utf-8", "replace")):
        real.hear(alpha.RESYNC + alpha.set_string(part))
    assert real.dropped == 0


def bench(data: bytes) -> None:
    """Lines of the bench channel: each is answered with one line."""
    hal = BenchHal(reference_wiring(devices=tuple(Device)), Path("/nowhere"), lambda: 7)
    for line in data[:LINE_BYTES].decode("utf-8", "replace").splitlines():
        answer = hal._obey(line)
        assert answer.startswith(("ok", "error"))


def channel(data: bytes) -> None:
    """Bytes of the bench channel's other side: no line that is handed on is too long, and the thread ends in order."""
    obeyed: list[str] = []

    def obey(line: str) -> str:
        obeyed.append(line)
        return line

    near, far = socket.socketpair()
    line = Channel(near.detach(), obey)
    far.sendall(data)
    far.shutdown(socket.SHUT_WR)
    line._thread.join(PATIENCE_S)
    far.close()
    line.close()
    assert not line._thread.is_alive()
    assert all(len(text.encode()) <= 3 * LINE_BYTES for text in obeyed)  # a bad byte becomes three of U+FFFD


def _cable(name: str) -> Cable:
    return Cable(folder() / name)


TARGETS = {
    "keypad": Target(keypad, (b"12#*1#", b"\x1b[A1#"), CHUNK),
    "sign": Target(sign, (b"\x06", b"\x15\x18\x04", b"\0\0\0\x01Z00\x02E\x03\x04"), 384),
    "sign_text": Target(sign_text, ("100.003,50 - ¡PREMIO! $ 5.000 - ASIENTO 3".encode(), b"a" * 200), 600),
    "channel": Target(channel, (b"on seat_1\r\n\n" + b"x" * 300 + b"\noff seat_1\n",), 3000),
    "bench": Target(
        bench, (b"on seat_1\noff seat_1\ndrop seat_2 active\nkey 1\nfail sign\nmend sign\nscreen?",), 200
    ),
}
