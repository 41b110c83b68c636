"""Field log, topic 4: serial ports, as far as they concern the sign and the keypad; on real ptys, in virtual time.

F074 to F078 are about reading frames: they concern the host link only, as does the ninth bit of F073.
"""

import logging
import os
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest
from pytest_mock import MockerFixture

from controller.core.money import Currency
from controller.screen import Look, draw
from controller.screen.font import Size, font
from controller.words.amounts import FORMS, format_amount
from hal import alpha
from hal.health import Health
from hal.interface import (
    Device,
    DeviceError,
    DeviceFailed,
    DeviceMended,
    Format,
    Message,
    Panel,
    SignKind,
    SignWiring,
)
from hal.port import Port
from hal.sign import AlphaSign
from tests.helpers_port import AlphaSign as EmulatedSign
from tests.helpers_port import Cable

SECOND = 1_000_000_000


class Rig:
    """The sign's driver on a cable with a sign at its end, and a clock that only the test moves."""

    def __init__(self, folder: Path, form: Format = Format.EIGHT_N_1) -> None:
        self.cable = Cable(folder / "usb-sign")
        self.sign = EmulatedSign()
        self.reading = True
        self.raw = b""
        self.heard: list[Message] = []
        self.opened_ns: list[int] = []
        self.now_ns = 100 * SECOND
        self.wiring = SignWiring(SignKind.ALPHA, str(self.cable.path), 9600, form, "POZO ")
        self.driver = self.new_driver()

    def new_driver(self) -> AlphaSign:
        """A program that was started again."""
        return AlphaSign(self.wiring, Health(Device.SIGN, self.heard.append), self.open)

    def open(self, wiring: SignWiring) -> Port:
        self.opened_ns.append(self.now_ns)
        return Port(wiring.port, wiring.baud, wiring.format)

    def show(self, text: str) -> None:
        self.driver.show(text)
        self._turn()

    def wait(self, seconds: float) -> None:
        """Let time pass in steps of a tenth of a second: the driver is never asked later than it wanted to be."""
        end_ns = self.now_ns + round(seconds * SECOND)
        while self.now_ns < end_ns:
            self.now_ns += SECOND // 10
            self._turn()

    def _turn(self) -> None:
        self.driver.turn(self.now_ns)
        if self.reading and self.cable.far >= 0:
            data = self.cable.heard()
            self.raw += data
            self.sign.hear(data)

    def close(self) -> None:
        self.driver.close()
        self.cable.close()


@pytest.fixture
def rig(tmp_path: Path) -> Iterator[Rig]:
    made = Rig(tmp_path)
    yield made
    made.close()


def kinds(messages: list[Message]) -> list[type[Message]]:
    return [type(message) for message in messages]


def test_the_frames_of_the_protocols_description() -> None:
    """Byte by byte as the platform notes give them; their checksums were made by another program."""
    assert alpha.allocate(64, 32) == bytes(5) + b"\x01Z00\x02E$AAU0040FFFF1BU00200000\x03056B\x04"
    assert alpha.show_string("JACKPOT ") == bytes(5) + b"\x01Z00\x02AA\x1b&bJACKPOT \x101\x030397\x04"
    assert alpha.set_string("$12,345.67") == bytes(5) + b"\x01Z00\x02G1$12,345.67\x030267\x04"


def test_the_sign_shows_its_label_and_the_newest_value(rig: Rig) -> None:
    rig.show("$ 100.000,00")
    rig.wait(3)
    assert rig.sign.shown == "POZO $ 100.000,00"
    rig.show("$ 100.003,50")
    rig.wait(1)
    assert rig.sign.shown == "POZO $ 100.003,50"
    assert (rig.sign.allocations, rig.sign.dropped, rig.heard) == (1, 0, [])


def test_a_value_is_one_short_frame(rig: Rig) -> None:
    rig.show("$ 100.000,00")
    rig.wait(3)
    rig.raw = b""
    rig.show("$ 100.003,50")
    rig.wait(3)
    assert rig.raw == alpha.set_string("$ 100.003,50")


def test_F066_a_cable_pulled_in_mid_frame_is_known_in_2_s_and_used_again_within_5_s(rig: Rig) -> None:
    rig.show("$ 100.000,00")
    rig.wait(3)
    rig.show("$ 100.003,50")
    rig.cable.pull()
    pulled_ns = rig.now_ns
    rig.wait(7)
    (lost,) = rig.heard
    assert isinstance(lost, DeviceFailed)
    assert lost.at_ns - pulled_ns <= 2 * SECOND
    assert "plug the adapter in" in lost.why
    rig.sign, rig.raw = EmulatedSign(), b""
    rig.cable.plug_in()
    rig.show("$ 100.007,00")
    rig.wait(5)
    assert kinds(rig.heard) == [DeviceFailed, DeviceMended]
    assert rig.raw.startswith(alpha.RESYNC + alpha.show_string("POZO "))
    assert rig.sign.shown == "POZO $ 100.007,00"


def test_F067_the_port_is_ours_alone(rig: Rig) -> None:
    rig.show("$ 100.000,00")
    with pytest.raises(DeviceError, match="is held by another program"):
        Port(rig.wiring.port, 9600, Format.EIGHT_N_1)


def test_F067_bytes_that_are_stolen_are_told_apart_from_an_unplugged_cable(
    rig: Rig, mocker: MockerFixture
) -> None:
    port = Port(rig.wiring.port, 9600, Format.EIGHT_N_1)
    rig.cable.say(b"answer")
    mocker.patch("hal.port.os.read", return_value=b"")
    with pytest.raises(DeviceError, match="is the port shared with another program"):
        port.read()
    port.close(discard=True)


def test_F066_a_hang_up_is_told_as_one(rig: Rig) -> None:
    port = Port(rig.wiring.port, 9600, Format.EIGHT_N_1)
    os.close(rig.cable.far)
    rig.cable.far = -1
    with pytest.raises(DeviceError, match="was unplugged"):
        port.read()
    port.close(discard=True)


@pytest.mark.parametrize("node_stays", [True, False])
def test_F068_a_cable_pulled_while_nothing_is_said_is_known_within_3_s(rig: Rig, node_stays: bool) -> None:
    rig.show("$ 100.000,00")
    rig.wait(3)
    if node_stays:
        rig.cable.close()
    else:
        rig.cable.path.unlink()
    pulled_ns = rig.now_ns
    rig.wait(3)
    (lost,) = rig.heard
    assert isinstance(lost, DeviceFailed)
    assert lost.at_ns - pulled_ns <= 3 * SECOND


def test_F069_an_adapter_that_comes_back_under_another_number_is_found_by_its_name(rig: Rig) -> None:
    rig.show("$ 100.000,00")
    rig.wait(3)
    old = rig.cable.far, rig.cable.near
    rig.cable.plug_in()
    rig.sign = EmulatedSign()
    rig.wait(5)
    assert rig.sign.shown == "POZO $ 100.000,00"
    assert len(rig.opened_ns) == 2
    for fd in old:
        os.close(fd)


def test_F069_adapters_that_swap_their_numbers_keep_their_jobs(tmp_path: Path) -> None:
    rig = Rig(tmp_path)
    host = Cable(tmp_path / "usb-host")
    rig.show("$ 100.000,00")
    rig.wait(3)
    for link, cable in ((rig.cable.path, host), (host.path, rig.cable)):
        link.unlink()
        link.symlink_to(os.ttyname(cable.near))
    rig.cable.far, host.far = host.far, rig.cable.far
    rig.cable.near, host.near = host.near, rig.cable.near
    host.heard()
    rig.sign = EmulatedSign()
    rig.show("$ 100.003,50")
    rig.wait(5)
    assert rig.sign.shown == "POZO $ 100.003,50", "on the adapter its name leads to"
    assert host.heard().count(b"100.003,50") <= 1, "at most what left before the change could be seen"
    rig.show("$ 100.007,00")
    rig.wait(2)
    assert host.heard() == b""
    rig.close()
    host.close()


def test_F070_a_port_that_is_missing_for_ten_minutes_costs_nothing(
    rig: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    rig.cable.pull()
    with caplog.at_level(logging.DEBUG):
        rig.show("$ 100.000,00")
        rig.wait(600)
    gaps = [
        (later - sooner) / SECOND for sooner, later in zip(rig.opened_ns, rig.opened_ns[1:], strict=False)
    ]
    assert gaps[:3] == [1, 2, 4]
    assert set(gaps[2:]) == {4}
    assert len(caplog.records) <= 10
    assert kinds(rig.heard) == [DeviceFailed]
    assert "there is no" in str(rig.heard[0])


def test_F071_a_port_that_takes_nothing_is_given_up_in_1_s_and_gets_only_the_newest_value_later(
    rig: Rig,
) -> None:
    rig.show("$ 1,00")
    rig.wait(3)
    rig.raw = b""
    termios.tcflow(rig.cable.near, termios.TCOOFF)  # as flow control does that says: not now
    stuck_ns = rig.now_ns
    for count in range(600):
        rig.show(f"$ {count},00")
        rig.wait(0.1)
    (lost,) = rig.heard
    assert isinstance(lost, DeviceFailed)
    assert "takes no bytes" in lost.why
    assert lost.at_ns - stuck_ns <= 4 * SECOND, (
        "given up after 1 s, tried again 1 s later, given up after 1 s"
    )
    assert rig.raw == b""
    termios.tcflow(rig.cable.near, termios.TCOON)
    rig.wait(8)
    assert rig.sign.shown == "POZO $ 599,00"
    assert rig.raw.count(b"G1") == 1, "not the 600 values that were"
    assert kinds(rig.heard) == [DeviceFailed, DeviceMended]


def test_F071_a_sign_that_does_not_read_makes_nobody_wait(rig: Rig) -> None:
    rig.reading = False
    for count in range(1500):
        rig.show(f"$ {count},00" + "." * 100)
        rig.wait(0.1)
    rig.reading = True
    rig.wait(8)
    assert rig.sign.shown == "POZO $ 1499,00" + "." * 100
    assert rig.raw.count(b"G1") < 120, "what a pty holds (14 KB here), not the 1500 values that were"


def test_F073_a_port_without_the_parity_asked_for_carries_no_traffic(tmp_path: Path) -> None:
    rig = Rig(tmp_path, Format.SEVEN_E_1)
    rig.show("$ 100.000,00")
    rig.wait(3)
    (lost,) = rig.heard
    assert isinstance(lost, DeviceFailed)
    assert "cannot do 7E1: its driver dropped" in lost.why
    assert rig.raw == b""
    rig.close()


def test_F079_a_sign_stuck_in_half_a_frame_is_right_within_3_s_of_the_next_start(rig: Rig) -> None:
    rig.sign.hear(alpha.set_string("$ 99.999,00")[:9])
    rig.driver = rig.new_driver()
    rig.show("$ 100.000,00")
    rig.wait(3)
    assert rig.raw.startswith(alpha.RESYNC)
    assert rig.sign.shown == "POZO $ 100.000,00"


def test_F080_a_reading_that_fails_once_in_10_s_is_mended_unnoticed_and_more_is_an_alarm(
    rig: Rig, mocker: MockerFixture
) -> None:
    rig.show("$ 100.000,00")
    rig.wait(3)
    for _ in range(6):
        failing = mocker.patch("hal.port.os.read", side_effect=OSError(5, "Input/output error"))
        rig.driver.turn(rig.now_ns)
        mocker.stop(failing)
        rig.wait(10)
    assert rig.heard == []
    assert rig.sign.shown == "POZO $ 100.000,00"
    for _ in range(4):
        failing = mocker.patch("hal.port.os.read", side_effect=OSError(5, "Input/output error"))
        rig.driver.turn(rig.now_ns)
        mocker.stop(failing)
        rig.wait(2.4)
    assert kinds(rig.heard)[0] is DeviceFailed


def test_F116_every_value_sent_is_logged_and_damage_on_the_way_heals(
    rig: Rig, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, logger="hal.sign.sent"):
        rig.show("$ 835,06")
        rig.wait(3)
        rig.reading = False
        rig.show("$ 1.000.000,82")
        rig.wait(1)
        damaged = bytearray(rig.cable.heard())
        damaged[-8] ^= 1  # one bit of the last digit
        rig.sign.hear(bytes(damaged))
        rig.reading = True
        assert (rig.sign.shown, rig.sign.dropped) == ("POZO $ 835,06", 1)
        rig.wait(30)
        assert rig.sign.shown == "POZO $ 1.000.000,82"
    said = [record.getMessage() for record in caplog.records]
    assert said == ["POZO $ 835,06", "POZO $ 1.000.000,82"]


def test_the_sign_is_allocated_once_however_often_its_cable_comes_and_goes(rig: Rig) -> None:
    rig.show("$ 1,00")
    for _ in range(5):
        rig.wait(3)
        rig.cable.pull()
        rig.wait(3)
        rig.cable.plug_in()
        rig.wait(6)
    assert rig.sign.shown == "POZO $ 1,00"
    assert rig.sign.allocations == 1


def test_the_end_waits_until_the_last_value_is_sent(rig: Rig) -> None:
    settled = []
    rig.show("$ 1,00")
    settled.append(rig.driver.settled)
    rig.wait(3)
    settled.append(rig.driver.settled)
    rig.driver.show("FUERA DE SERVICIO")
    settled.append(rig.driver.settled)
    rig.wait(1)
    settled.append(rig.driver.settled)
    assert settled == [False, True, False, True]
    assert rig.sign.shown == "POZO FUERA DE SERVICIO"


AMOUNTS = (0, 1, 123_456_750, 99_999_999_999_99)


@pytest.mark.parametrize("amount", AMOUNTS)
@pytest.mark.parametrize(("locale", "currency"), list(FORMS))
def test_F149_every_amount_is_in_the_signs_characters_and_in_the_fonts(
    locale: str, currency: Currency, amount: int
) -> None:
    text = format_amount(amount, locale, currency)
    assert alpha.parts(text) == (text,)
    assert all(" " <= character <= "~" for character in text)
    assert all(character in font(size) for size in Size for character in text)
    assert any(draw((text,), Panel(128, 64), Look()).pixels)


@pytest.mark.parametrize(
    ("text", "sent"),
    [
        ("$\u00a01.234.567,50", "$ 1.234.567,50"),
        ("S/\u00a01,234.50", "S/ 1,234.50"),
        ("CLP\u202f7.000", "CLP 7.000"),
        ("NO VA MÁS", "NO VA MAS"),
        ("Núñez – “Mañana” ¡Ganó!", "Nunez ? ?Manana? Gano!"),
        ("€ 5 000 \x00\x04\U0001f600", "? 5 000 ???"),
        ("", ""),
    ],
)
def test_F060_F149_only_characters_of_the_signs_table_are_sent(text: str, sent: str) -> None:
    assert alpha.plain(text) == sent


def test_F149_a_text_too_long_is_parted_at_its_dashes_and_never_in_an_amount() -> None:
    winners = [f"ASIENTO {seat} GANA $ 10.000,{seat:02}" for seat in range(1, 8)]
    text = " - ".join([*winners, "Mesa 1", "POZO $ 47.845,36"])
    found = alpha.parts(text)
    assert " - ".join(found) == text
    assert [len(part) for part in found] == [4 * 26 + 3 * 3, 3 * 26 + 6 + 16 + 4 * 3]
    assert alpha.parts("GANADOR " * 15 + "$ 1.234.567,50") == ("GANADOR " * 15 + "$",)
    assert alpha.parts("9" * 125 + " 1") == ("9" * 125,)
    assert alpha.parts("") == ("",)


def test_F149_a_long_text_is_shown_part_by_part_and_a_new_one_at_once(rig: Rig) -> None:
    first, second = "A" * 100, "B" * 100
    rig.show(f"{first} - {second}")
    rig.wait(3)
    seen = []
    for _ in range(4):
        seen.append(rig.sign.shown.removeprefix("POZO "))
        rig.wait(4)
    assert seen in ([first, second, first, second], [second, first, second, first])
    rig.show("$ 1,00")
    rig.wait(0.4)
    assert rig.sign.shown == "POZO $ 1,00"
