"""ESC/POS: the bytes of a paper, printers named by people, and a printer on a pty that has its moods."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from controller.slips import commands as commands_room
from controller.slips import printer as printer_room
from controller.slips.award import award_slip
from controller.slips.commands import PrinterExtraMissingError, commands
from controller.slips.document import Amount, Mark, Pair, Rule, Sign, Text, Title
from controller.slips.outlet import OutletError
from controller.slips.printer import printer
from controller.slips.register import Act, opened, path_of
from controller.slips.slip_page import slip_page
from tests.helpers_slips import (
    NO_PAPER,
    OFFLINE,
    TWO_AWARDS,
    FakePrinter,
    clock,
    fake_printer,
    house,
    played,
)

PAGE = (Title("PREMIO"), Pair("Mesa", "Ñandú"), Text("veintidós"))
BOLD_ON, BOLD_OFF = b"\x1bE\x01", b"\x1bE\x00"
LEFT, CENTRE = b"\x1ba\x00", b"\x1ba\x01"
NORMAL, BIG, TALL = b"\x1b!\x00", b"\x1b!\x30", b"\x1b!\x10"


def test_a_paper_begins_with_reset_and_code_page_and_ends_with_feed_and_cut() -> None:
    """ESC @, ESC t 2 (page 850: Ñ A5h, ú A3h, ó A2h), and ESC d 6, GS V 0, from Epson's command reference."""
    content = commands(PAGE)
    assert content.startswith(b"\x1b@\x1bt\x02")
    assert b"Mesa" + b" " * 33 + b"\xa5and\xa3\n" in content
    assert b"veintid\xa2s\n" in content
    assert content.endswith(b"\x1bd\x06\x1dV\x00")
    assert content.index(BOLD_ON + CENTRE) < content.index(b"PREMIO\n") < content.index(BOLD_OFF + LEFT)


def test_what_nobody_may_overlook_is_twice_as_wide_and_wraps_at_half_the_columns() -> None:
    content = commands((Mark("REIMPRESIÓN DE UN PAPEL PERDIDO"), Text("-")))
    assert BIG + BOLD_ON + CENTRE + b"REIMPRESI\xe0N DE UN\nPAPEL PERDIDO\n" in content
    assert content.index(NORMAL + BOLD_OFF + LEFT) < content.index(b"-\n")


def test_an_amount_is_wide_while_it_fits() -> None:
    assert BIG in commands((Amount("$ 1.000.000,00"),))
    content = commands((Amount("$ 1.000.000.000.000,00"),))
    assert BIG not in content
    assert TALL in content


def test_rules_and_signatures_are_lines() -> None:
    content = commands((Rule(), Sign("Croupier")))
    assert b"-" * 42 + b"\n" in content
    assert b"\n\n\n" + b"." * 42 + b"\nCroupier\n" in content


def test_what_the_code_page_does_not_have_is_seen_and_commands_nothing() -> None:
    content = commands((Text("🂡 €\x1bp\x00"),))
    assert b"? ??p?\n" in content


@pytest.mark.parametrize(
    "name",
    ["ttyUSB0", "serial:ttyUSB0", "serial:/dev/ttyUSB0@9600@1", "usb:4b8:202", "usb:04b8", "file:lp0", ""],
)
def test_a_text_that_names_no_printer_is_refused_with_examples(name: str) -> None:
    with pytest.raises(OutletError, match="serial:/dev/ttyUSB0@9600, usb:04b8:0202, or file:/dev/usb/lp0"):
        printer(name)


def test_a_device_file_must_be_a_device(tmp_path: Path) -> None:
    """Written by name it would become a file that looks printed."""
    with pytest.raises(OutletError, match="No such file"):
        printer(f"file:{tmp_path}/lp0").ready()
    plain = tmp_path / "lp1"
    plain.touch()
    with pytest.raises(OutletError, match="is no device"):
        printer(f"file:{plain}").put(PAGE)
    assert plain.read_bytes() == b""
    printer("file:/dev/null").put(PAGE)


def test_without_the_extra_it_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> object:
        raise ModuleNotFoundError(name, name=name)

    monkeypatch.setattr(commands_room, "import_module", missing)
    with pytest.raises(PrinterExtraMissingError, match=r"pip install pozo\[printer\]"):
        commands(PAGE)


class NoLibusb:
    @staticmethod
    def get_backend() -> None:
        return None


def test_a_usb_printer_says_what_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    usb = commands_room.escpos("escpos.printer").Usb
    monkeypatch.setattr(usb, "is_usable", lambda: False)
    with pytest.raises(PrinterExtraMissingError, match="needs pyusb"):
        printer("usb:04b8:0202").ready()
    monkeypatch.setattr(usb, "is_usable", lambda: True)
    monkeypatch.setattr(printer_room, "import_module", {"usb.backend.libusb1": NoLibusb}.__getitem__)
    with pytest.raises(OutletError, match=r"apt-get install libusb-1\.0-0"):
        printer("usb:04b8:0202").ready()


def spec(fake: FakePrinter) -> str:
    return f"serial:{fake.device}"


def test_a_printer_that_is_well_gets_the_bytes_and_no_others() -> None:
    with fake_printer() as fake:
        printer(spec(fake)).put(PAGE)
        assert bytes(fake.received) == commands(PAGE)


def test_status_that_comes_unasked_is_no_answer() -> None:
    """Automatic status (14h 00h 00h 0Fh) lies between question and answer."""
    with fake_printer() as fake:
        fake.noise = b"\x14\x00\x00\x0f"
        printer(spec(fake)).put(PAGE)
        assert bytes(fake.received) == commands(PAGE)


@pytest.mark.parametrize(
    ("paper", "online", "told"),
    [(NO_PAPER, OFFLINE, "is out of paper: put a roll in"), (0x12, OFFLINE, "is off line: close its cover")],
)
def test_a_printer_that_cannot_print_gets_no_byte_of_a_paper(paper: int, online: int, told: str) -> None:
    with fake_printer() as fake:
        fake.paper, fake.online = paper, online
        with pytest.raises(OutletError, match=told):
            printer(spec(fake)).put(PAGE)
        assert not fake.received


def test_paper_that_is_nearly_out_still_prints() -> None:
    with fake_printer() as fake:
        fake.paper = 0x1E
        printer(spec(fake)).ready()


def test_paper_that_ends_in_the_middle_is_told() -> None:
    with fake_printer() as fake:
        fake.paper_after_cut = NO_PAPER
        with pytest.raises(OutletError, match="is out of paper"):
            printer(spec(fake)).put(PAGE)
        assert fake.received


def test_a_printer_that_says_nothing_is_not_taken_for_one_with_paper() -> None:
    with fake_printer() as fake:
        fake.mute = True
        with pytest.raises(OutletError, match="does not answer: check cable, power and speed"):
            printer(spec(fake)).put(PAGE)
        assert not fake.received


def test_a_printer_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(OutletError, match="Check its cable and that it is switched on"):
        printer(f"serial:{tmp_path}/ttyUSB7").ready()


def pozo_print(journal: Path, fake: FakePrinter, *options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "controller", "print", str(journal), "--printer", spec(fake), *options],
        cwd=Path(__file__).parent.parent,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_process_killed_while_the_printer_works_marks_the_next_paper(tmp_path: Path) -> None:
    """The first paper is out and cut, but the printer has not answered when the process dies."""
    journal = played(tmp_path, TWO_AWARDS.replace("paid 5", ""))
    with fake_printer() as fake:
        fake.mute_when_cut = True
        first = pozo_print(journal, fake, "--once")
        assert fake.printed.wait(30)
        os.kill(first.pid, signal.SIGKILL)
        first.communicate()
        fake.mute = fake.mute_when_cut = False
        fake.received.clear()
        second = pozo_print(journal, fake, "--once")
        said, wrong = second.communicate(timeout=60)
        assert (second.returncode, wrong) == (0, "")
    assert said == "slip 1: printed, marked as a reprint\nslip 2: printed, marked as a reprint\n"
    with opened(journal, clock().wall_ns) as register:
        assert [done.act for done in register.history(1)] == [Act.STARTED, Act.STARTED, Act.FINISHED]
    assert b"REIMPRESI\xe0N" in fake.received
    assert b"COPIA 1" in fake.received
    assert path_of(journal).exists()


def test_the_process_says_what_is_wrong_waits_and_ends_in_order(tmp_path: Path) -> None:
    journal = played(tmp_path, TWO_AWARDS)
    with fake_printer() as fake:
        fake.paper = NO_PAPER
        running = pozo_print(journal, fake)
        assert running.stderr is not None
        said = running.stderr.readline()
        assert said == f"printer {spec(fake)} is out of paper: put a roll in and close the cover\n"
        running.send_signal(signal.SIGTERM)
        assert running.communicate(timeout=10) == ("", "")
    assert running.returncode == 0
    assert not fake.received


def test_the_whole_slip_reaches_the_printer(tmp_path: Path) -> None:
    journal = played(tmp_path, TWO_AWARDS)
    page = slip_page(award_slip(journal, 1), house(), None)
    with fake_printer() as fake:
        printer(spec(fake)).put(page)
        text = fake.received.decode("cp850")
    assert "$ 10.002,50" in text
    assert "9-PIQUE 10-PIQUE 8-PIQUE 7-PIQUE 6-PIQUE\n" in text
