"""ESC/POS printers through python-escpos: by serial line, by USB, or through a device file.

A printer is asked before a paper and after it (DLE EOT): is it on line, has it paper. The library's own `paper_status`
takes silence for plenty of paper, and its `close` waits without limit for a printer that takes nothing; so answers
are read here, and every wait has an end.
"""

import re
import stat
import termios
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from controller.slips.commands import PrinterExtraMissingError, commands, escpos
from controller.slips.document import Document
from controller.slips.outlet import OutletError

ANSWER_S: Final = 1.0
"""How long a printer that has nothing to do may take to answer."""

PRINT_S: Final = 20.0
"""How long a whole paper may take: 3 kB at 9600 baud are 3 s on the line."""

BAUD: Final = 9600
_DLE_EOT: Final = b"\x10\x04"
_ASK_LINE: Final = b"\x01"
_ASK_PAPER: Final = b"\x04"
_OFF_LINE: Final = 0x08
_NO_PAPER: Final = 0x60
_FIXED, _FIXED_BITS = 0x93, 0x12
"""Bits that are the same in every DLE EOT answer: what else may come unasked (automatic status) does not have them."""

_STRAY_MAX: Final = 64
"""Bytes that are no answer before the printer counts as one that does not answer."""

Device = Any
"""A printer object of python-escpos, which has no types."""


class Printer:
    """One printer, opened anew for each paper, so that one that was switched off is found again.

    `make` makes the library's object, `read` takes what the printer says within a time; None: it cannot say anything.
    """

    def __init__(
        self, name: str, make: Callable[[], Device], read: Callable[[Device, float], bytes] | None
    ) -> None:
        self._name = name
        self._make = make
        self._read = read

    def ready(self) -> None:
        """Raise `OutletError` unless the printer is there, on line, and has paper."""
        with self._open() as device:
            self._check(device, ANSWER_S)

    def put(self, document: Document) -> None:
        """Print the paper; the printer must be on line and have paper before it and after it."""
        content = commands(document)
        with self._open() as device:
            self._check(device, ANSWER_S)
            device._raw(content)  # noqa: SLF001, the library's own way to send bytes that are ready
            self._check(device, PRINT_S)

    @contextmanager
    def _open(self) -> Iterator[Device]:
        failures = (OSError, termios.error, escpos("escpos.exceptions").Error)
        device = self._make()
        try:
            device.open()
            _limit(device)
            yield device
        except failures as error:
            raise OutletError(
                f"printer {self._name}: {str(error).strip()}. Check its cable and that it is switched on"
            ) from error
        finally:
            with suppress(*failures):  # what was sent is gone or not: the answers have told
                _let_go(device)

    def _check(self, device: Device, wait_s: float) -> None:
        if self._read is None:
            return
        if self._ask(device, _ASK_PAPER, wait_s) & _NO_PAPER:
            raise OutletError(f"printer {self._name} is out of paper: put a roll in and close the cover")
        if self._ask(device, _ASK_LINE, wait_s) & _OFF_LINE:
            raise OutletError(f"printer {self._name} is off line: close its cover and press FEED")

    def _ask(self, device: Device, question: bytes, wait_s: float) -> int:
        device._raw(_DLE_EOT + question)  # noqa: SLF001, as above
        stray = 0
        while self._read is not None and stray < _STRAY_MAX:
            said = self._read(device, wait_s)
            answer = next((byte for byte in said if byte & _FIXED == _FIXED_BITS), None)
            if answer is not None:
                return answer
            if not said:
                break
            stray += len(said)
        raise OutletError(
            f"printer {self._name} does not answer: check cable, power and speed. One that never can is named by "
            "its device file, file:/dev/usb/lp0"
        )


def printer(spec: str) -> Printer:
    """The printer that `serial:DEVICE[@BAUD]`, `usb:VENDOR:PRODUCT` or `file:DEVICE` names.

    Raises `OutletError` for another text, and `PrinterExtraMissingError` without python-escpos.
    """
    kinds = escpos("escpos.printer")
    match spec.split(":"):
        case ["serial", device] if found := re.fullmatch(r"(/[^@]+)(?:@([0-9]{4,6}))?", device):
            port, baud = found[1], int(found[2] or BAUD)
            return Printer(
                spec, lambda: kinds.Serial(devfile=port, baudrate=baud, timeout=ANSWER_S), _read_serial
            )
        case ["usb", vendor, product] if re.fullmatch(
            r"[0-9a-fA-F]{4} [0-9a-fA-F]{4}", f"{vendor} {product}"
        ):
            ids = {"idVendor": int(vendor, 16), "idProduct": int(product, 16)}
            return Printer(spec, lambda: _usb(kinds, ids), _read_usb)
        case ["file", device] if device.startswith("/"):
            return Printer(spec, lambda: kinds.File(devfile=_device_file(device)), None)
        case _:
            raise OutletError(
                f"{spec!r} names no printer: write serial:/dev/ttyUSB0@9600, usb:04b8:0202, or file:/dev/usb/lp0"
            )


def _usb(kinds: Any, ids: dict[str, int]) -> Device:  # noqa: ANN401, python-escpos has no types
    if not kinds.Usb.is_usable():
        raise PrinterExtraMissingError("a USB printer needs pyusb: `pip install pozo[printer]`")
    if import_module("usb.backend.libusb1").get_backend() is None:
        raise OutletError("a USB printer needs libusb: `apt-get install libusb-1.0-0`")
    # The library's own arguments for the two numbers end in one table for all printers of the process.
    return kinds.Usb(usb_args=ids, timeout=int(PRINT_S * 1000))


def _device_file(device: str) -> str:
    try:
        mode = Path(device).stat().st_mode
    except OSError as error:
        raise OutletError(f"{device}: {error.strerror}; check the printer's cable and power") from error
    if not stat.S_ISCHR(mode):
        raise OutletError(f"{device} is no device: a text file is written with -o")
    return device


def _limit(device: Device) -> None:
    """A serial port writes for `PRINT_S` at most, and belongs to nobody else meanwhile."""
    if hasattr(device.device, "write_timeout"):
        device.device.write_timeout = PRINT_S
        device.device.exclusive = True
        device.device.reset_input_buffer()


def _let_go(device: Device) -> None:
    """Close without waiting: what a serial printer has not taken by now is thrown away, and no answer says it went."""
    if hasattr(device.device, "reset_output_buffer"):
        device.device.reset_output_buffer()
    device.close()


def _read_serial(device: Device, wait_s: float) -> bytes:
    device.device.timeout = wait_s
    said: bytes = device.device.read(1)
    return said


def _read_usb(device: Device, wait_s: float) -> bytes:  # noqa: ARG001, the library reads with its own time-out
    said: bytes = bytes(device._read())  # noqa: SLF001, the library's only way to read
    return said
