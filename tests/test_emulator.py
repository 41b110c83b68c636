"""What the image's emulator is made of, as far as no guest is needed: panel, bus, USB device, reading, and the hand."""

import io
import socket
import struct
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from controller.screen import Look, draw
from hal.interface import Panel, Picture, ScreenKind, ScreenWiring
from hal.panel import LumaPanel
from tests.helpers_panel import Ssd1306 as OtherSsd1306

sys.path.insert(0, str(Path(__file__).parent.parent / "image"))

from emulator.gallery import Gallery, png
from emulator.i2c import Adapter
from emulator.oled import PanelError, Ssd1306
from emulator.oled import Picture as Seen
from emulator.orders import (
    Chips,
    HandError,
    Key,
    Plain,
    Press,
    Stick,
    Take,
    Typed,
    Wait,
    order_of,
)
from emulator.orders import (
    Look as LookAt,
)
from emulator.reading import read
from emulator.usb import Plugged, Setup

pytestmark = pytest.mark.filterwarnings("ignore:Image.Image.getdata:DeprecationWarning")
SCREEN = Panel(128, 64)
WIRING = ScreenWiring(ScreenKind.SSD1306, bus=1, address=0x3C)


class Bus:
    """How luma speaks to an I2C bus: a message begins with what it is."""

    def __init__(self, chip: Ssd1306) -> None:
        self._chip = chip

    def command(self, *cmd: int) -> None:
        self._chip.written(bytes([0x00, *cmd]))

    def data(self, data: list[int]) -> None:
        self._chip.written(bytes([0x40, *data]))

    def cleanup(self) -> None:
        """A bus is left."""


def wired() -> tuple[Ssd1306, LumaPanel]:
    """A panel that was set up by the program's own driver."""
    chip = Ssd1306()
    panel = LumaPanel(WIRING, lambda: Bus(chip))
    panel.set_up()
    return chip, panel


def pixels(seen: Seen | None) -> bytes:
    """What is seen, as the program has it."""
    assert seen is not None
    return b"".join(row.to_bytes(16) for row in seen.rows)


def test_a_panel_shows_nothing_until_it_was_set_up_and_switched_on() -> None:
    chip = Ssd1306()
    assert chip.seen() is None
    chip.written(b"\x00\xaf")
    assert chip.seen() is None
    assert chip.status() == 0x00
    chip, _ = wired()
    assert chip.seen() is not None
    chip.written(b"\x00\xae")
    assert chip.seen() is None
    assert chip.status() == 0x40


def test_a_byte_is_eight_pixels_downwards_and_the_window_says_where() -> None:
    chip, panel = wired()
    panel.draw(Picture(SCREEN, bytes(1024)), None)
    chip.written(bytes([0x00, 0x21, 126, 127, 0x22, 6, 7]))
    chip.written(bytes([0x40, 0x80, 0x00, 0xFF, 0x00, 0x81]))
    seen = chip.seen()
    assert seen is not None
    # 0xFF is the first column of the second page: rows 56 to 63. The fifth byte is where the first was: 48 and 55.
    assert {y: row for y, row in enumerate(seen.rows) if row} == {
        48: 2,
        55: 2,
        **dict.fromkeys(range(56, 64), 2),
    }
    chip.written(bytes([0x00, 0x81, 0x08, 0xA7]))
    dim = chip.seen()
    assert dim is not None
    assert (dim.light, dim.rows[48], dim.rows[0]) == (8, (1 << 128) - 3, (1 << 128) - 1)
    chip.written(bytes([0x00, 0xA6, 0xA0, 0xC0]))
    turned = chip.seen()
    assert turned is not None
    assert turned.rows[15] == 1 << 126


@settings(deadline=None, max_examples=30)
@given(st.lists(st.binary(min_size=1024, max_size=1024), min_size=1, max_size=3))
def test_two_panels_made_by_different_hands_show_the_same(pictures: list[bytes]) -> None:
    chip, panel = wired()
    other = OtherSsd1306()
    second = LumaPanel(WIRING, other.open)
    second.set_up()
    before = None
    for picture in (Picture(SCREEN, content) for content in pictures):
        panel.draw(picture, before)
        second.draw(picture, before)
        before = picture
        shown = other.seen()
        assert shown is not None
        assert pixels(chip.seen()) == shown.pixels == picture.pixels


@pytest.mark.parametrize(
    ("message", "words"),
    [
        (b"\x00\xd8", "does not know command 0xd8"),
        (b"\x00\x21\x00", "without its arguments"),
        (b"\x00\x22\x00\x08", "not within 128x64"),
        (b"\x80\xaf", "begins with 0x80"),
    ],
)
def test_a_panel_guesses_nothing(message: bytes, words: str) -> None:
    with pytest.raises(PanelError, match=words):
        Ssd1306().written(message)


@pytest.mark.parametrize(
    ("lines", "look", "rows"),
    [
        (("CERRADA",), Look(), ("CERRADA",)),
        (("MESA 7", 'ñandú "é" 100 %', "$ 12 345,60"), Look(), ("MESA 7", 'ñandú "é" 100 %', "$ 12 345,60")),
        (("MESA 7", "¿DE ACUERDO?"), Look(0, True, 8, 4), ("MESA 7", "¿DE ACUERDO?")),
        (
            ("¿DE ACUERDO?", "AMBAS LLAVES, GAME OVER 3 s"),
            Look(),
            ("¿DE ACUERDO?", "AMBAS LLAVES,", "GAME OVER 3 s"),
        ),
        (("A", *"BCDEFGH"), Look(1), ("A", "D", "E")),
        ((), Look(), ()),
    ],
)
def test_what_the_program_draws_is_read_again(
    lines: tuple[str, ...], look: Look, rows: tuple[str, ...]
) -> None:
    chip, panel = wired()
    panel.draw(draw(lines, SCREEN, look), None)
    seen = chip.seen()
    assert seen is not None
    assert read(seen.rows) == rows


def test_a_picture_without_text_is_not_read_as_one() -> None:
    assert read(tuple((0xA5A5 << n % 100) for n in range(64))) == ()
    small = draw(("MESA 7", "PUENTE"), Panel(120, 60), Look(0, dim=False)).pixels
    rows = tuple(int.from_bytes(small[at : at + 15]) << 8 for at in range(0, 900, 15)) + (0,) * 4
    assert read(rows) == ("MESA 7", "PUENTE")
    assert read(tuple(row | 1 for row in rows)) == ()


def test_a_picture_is_kept_once_and_listed_whenever_it_comes_back(tmp_path: Path) -> None:
    gallery = Gallery(tmp_path)
    text = draw(("CERRADA",), SCREEN, Look()).pixels
    closed = Seen(tuple(int.from_bytes(text[at : at + 16]) for at in range(0, 1024, 16)), 0xCF)
    for seen in (None, closed, closed, None, closed):
        gallery.add(seen)
    listed = [
        line.split("  ")[1:] for line in (tmp_path / "seen.txt").read_text(encoding="utf-8").splitlines()
    ]
    assert [words[-2:] for words in listed] == [["0001", "(dark)"], ["0002", "CERRADA"]] * 2
    image = Image.open(io.BytesIO((tmp_path / "0002.png").read_bytes()))
    assert image.size == (512, 256)
    assert image.resize((128, 64), Image.Resampling.NEAREST).convert("1").tobytes() == text
    assert png(None) == (tmp_path / "0001.png").read_bytes()


def transfer(
    bus: Adapter, address: int, content: bytes, flags: int = 0, length: int = 0
) -> tuple[bytes | None, bytes]:
    """One message on the bus, and then the status, as the kernel's driver asks for it."""
    kind = 0xC1 if flags else 0x41
    answer = bus.asked(Setup(kind, 7, flags, address, length or len(content), content))
    status = bus.asked(Setup(0xC1, 3, 0, 0, 1, b""))
    assert status is not None
    return answer, status


def test_where_no_chip_is_nobody_answers() -> None:
    bus = Adapter({0x3C: Ssd1306()})
    assert transfer(bus, 0x3C, b"\x00\xae") == (b"", b"\x01")
    assert transfer(bus, 0x3D, b"\x00\xae") == (b"", b"\x02")
    assert transfer(bus, 0x3C, b"", flags=1, length=1) == (b"\x40", b"\x01")
    assert transfer(bus, 0x50, b"", flags=1, length=2) == (b"\xff\xff", b"\x02")
    assert bus.asked(Setup(0xC1, 9, 0, 0, 1, b"")) is None


class Qemu:
    """The other end of the usbredir protocol, as QEMU speaks it: 64-bit numbers after the greetings."""

    def __init__(self, path: Path) -> None:
        self._line = socket.socket(socket.AF_UNIX)
        self._line.settimeout(60)
        self._line.connect(str(path))
        self._line.sendall(struct.pack("<III64sI", 0, 68, 0, b"qemu", 0xFF))
        assert self._exactly(12) == struct.pack("<III", 0, 68, 0)
        assert struct.unpack("<64xI", self._exactly(68)) == (0x72,)

    def get(self) -> tuple[int, int, bytes]:
        """A packet: its kind, its number, what is in it."""
        kind, length, number = struct.unpack("<IIQ", self._exactly(16))
        return kind, number, self._exactly(length)

    def ask(self, kind: int, number: int, content: bytes) -> tuple[int, int, bytes]:
        """Send a packet, and get the answer."""
        self.put(kind, number, content)
        return self.get()

    def put(self, kind: int, number: int, content: bytes) -> None:
        """Send a packet."""
        self._line.sendall(struct.pack("<IIQ", kind, len(content), number) + content)

    def close(self) -> None:
        """The guest's power goes."""
        self._line.close()

    def _exactly(self, length: int) -> bytes:
        found = b""
        while len(found) < length:
            more = self._line.recv(length - len(found))
            assert more
            found += more
        return found


def test_qemu_gets_a_device_that_linux_knows_and_its_requests_reach_the_chip(tmp_path: Path) -> None:
    chip, _ = wired()
    device = Plugged(tmp_path / "bus", 0x0403, 0xC631, Adapter({0x3C: chip}), lambda: None)
    qemu = Qemu(tmp_path / "bus")
    assert [len(content) for kind, _, content in (qemu.get(), qemu.get())] == [132, 160]
    assert qemu.get() == (1, 0, struct.pack("<4B3H", 1, 0xFF, 0, 0, 0x0403, 0xC631, 0x0100))
    qemu.put(3, 0, b"")
    head = struct.pack("<BBBBHHH", 0x80, 6, 0x80, 0, 0x0200, 0, 9)
    kind, number, content = qemu.ask(100, 7, head)
    assert (kind, number, content[:10]) == (100, 7, head)
    assert content[10:] == bytes([9, 2, 18, 0, 1, 1, 0, 0x80, 50])
    assert qemu.ask(6, 8, b"\x01") == (8, 8, b"\x00\x01")
    assert qemu.ask(9, 9, b"\x00\x00") == (11, 9, b"\x00\x00\x00")
    written = struct.pack("<BBBBHHH", 0x00, 7, 0x41, 0, 0, 0x3C, 2)
    assert qemu.ask(100, 10, written + b"\x00\xae") == (100, 10, written)
    assert chip.seen() is None
    unknown = struct.pack("<BBBBHHH", 0x80, 6, 0x80, 0, 0x0300, 0, 255)
    assert qemu.ask(100, 11, unknown)[2] == struct.pack("<BBBBHHH", 0x80, 6, 0x80, 4, 0x0300, 0, 0)
    qemu.close()
    device.close()
    assert device.trouble is None


def test_a_device_that_nobody_takes_is_closed_without_waiting(tmp_path: Path) -> None:
    device = Plugged(tmp_path / "bus", 1, 2, Adapter({}), lambda: None)
    device.close()
    device.close()  # as a guest that ended by itself is still switched off
    assert device.trouble is None


def test_what_the_panel_cannot_understand_is_told_to_whoever_looks(tmp_path: Path) -> None:
    device = Plugged(tmp_path / "bus", 1, 2, Adapter({0x3C: Ssd1306()}), lambda: None)
    qemu = Qemu(tmp_path / "bus")
    for _ in range(3):
        qemu.get()
    qemu.put(100, 1, struct.pack("<BBBBHHH", 0x00, 7, 0x41, 0, 0, 0x3C, 2) + b"\x00\xd8")
    device.close()
    assert isinstance(device.trouble, PanelError)
    qemu.close()


@pytest.mark.parametrize(
    ("line", "order"),
    [
        ("chip 3", Chips((3,))),
        ("chip 1 7\n", Chips((1, 7))),
        ("press coin_in", Press("coin_in", 150)),
        ("hold game_over 3000", Press("game_over", 3000)),
        ("key supervisor on", Key("supervisor", on=True)),
        ("key technician off", Key("technician", on=False)),
        ("screen", LookAt(None)),
        ("screen x.png", LookAt(Path("x.png"))),
        ("wait MESA  CERRADA", Wait("MESA CERRADA")),
        ("take ABRIR LA MESA", Take("ABRIR LA MESA")),
        ("shell ls -l | wc", Typed("ls -l | wc\n")),
        ("type", Typed("\n")),
        ("type 0102", Typed("0102\n")),
        ("hear", Typed("")),
        ("stick", Stick(None)),
        ("off", Plain("off")),
    ],
)
def test_a_line_is_an_order(line: str, order: object) -> None:
    assert order_of(line) == order


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("chip 8", "'8' is not a seat from 1 to 7"),
        ("chip", "chip SEAT"),
        ("press bell", "coin_in or game_over"),
        ("hold game_over 0", "from 1 to 60000"),
        ("hold game_over", "hold BUTTON MS"),
        ("key supervisor", "key NAME on|off"),
        ("key dealer on", "supervisor or technician"),
        ("screen x.gif", "FILE.png"),
        ("stick /no/such/file", "no file /no/such/file"),
        ("off now", "off, cut, on"),
        ("cut now", "off, cut, on"),
        ("shell", "shell COMMAND"),
        ("dance", "help shows"),
    ],
)
def test_a_line_that_is_none_is_answered_with_what_is_allowed(line: str, words: str) -> None:
    with pytest.raises(HandError) as told:
        order_of(line)
    assert words in str(told.value)
