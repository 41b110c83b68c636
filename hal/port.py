"""A serial port that never makes its thread wait: opened through pyserial, read and written without blocking.

Opening throws away what was said before we listened (F081). The name is resolved again at every opening, so a by-id
name finds its adapter under whatever number it has now (F069). The port is ours alone (F067), and what the driver made
of the request is read back (F073, F075): a port without the parity asked for carries no traffic.
"""

import errno
import fcntl
import os
import select
import termios
from contextlib import suppress

import serial

from hal.interface import DeviceError, Format

READ_BYTES = 4096
WRITE_TIMEOUT_S = 1.0
"""For what pyserial itself might write; our own writes never wait."""
PARITY_BITS = termios.PARENB | termios.PARODD | 0o10000000000
"""The last one is CMSPAR, mark and space parity, which the termios module does not name."""
SETTINGS = {
    Format.EIGHT_N_1: (serial.EIGHTBITS, serial.PARITY_NONE, serial.STOPBITS_ONE),
    Format.SEVEN_E_1: (serial.SEVENBITS, serial.PARITY_EVEN, serial.STOPBITS_ONE),
}
FLAGS = {
    Format.EIGHT_N_1: termios.CS8,
    Format.SEVEN_E_1: termios.CS7 | termios.PARENB,
}
"""What the control flags must be, of size, parity and stop bits."""


class Port:
    """An open serial port. Raises `DeviceError` when it cannot be opened as asked."""

    def __init__(self, path: str, baud: int, form: Format) -> None:
        self.path = path
        bits, parity, stop = SETTINGS[form]
        try:
            self._serial = serial.Serial(
                path,
                baud,
                bits,
                parity,
                stop,
                timeout=0,
                write_timeout=WRITE_TIMEOUT_S,
                exclusive=True,
            )
        except (serial.SerialException, OSError, termios.error, ValueError) as error:
            raise DeviceError(_explain(error, path, form)) from error
        try:
            self._claim(form)
        except BaseException:
            self.close(discard=True)
            raise

    @property
    def fileno(self) -> int:
        """The descriptor, for poll."""
        return int(self._serial.fileno())

    def events(self, *, writing: bool) -> tuple[int, int]:
        """What to wait for with poll: something to read, and room to write if there is something to be written."""
        return self.fileno, select.POLLIN | (select.POLLOUT if writing else 0)

    def read(self) -> bytes:
        """What has come, nothing if nothing has. Raises `DeviceError` when the other side is gone."""
        try:
            data = os.read(self.fileno, READ_BYTES)
        except BlockingIOError:
            return b""
        except OSError as error:
            raise DeviceError(f"{self.path} was unplugged ({error.strerror})") from error
        return data or self._read_again()

    def write(self, data: bytes) -> int:
        """Write what goes out without waiting; how many bytes that were. Raises `DeviceError`."""
        try:
            return os.write(self.fileno, data)
        except BlockingIOError:
            return 0
        except OSError as error:
            raise DeviceError(f"{self.path} was unplugged ({error.strerror})") from error

    def unsent(self) -> int:
        """How many bytes the driver still holds back. Raises `DeviceError`."""
        try:
            return int(self._serial.out_waiting)
        except OSError as error:
            raise DeviceError(f"{self.path} was unplugged ({error.strerror})") from error

    def check(self) -> None:
        """See that the name still leads to the device that was opened (F068, F069). Raises `DeviceError`."""
        try:
            same = os.stat(self.path).st_rdev == os.fstat(self.fileno).st_rdev  # noqa: PTH116, a pair with fstat
        except OSError as error:
            raise DeviceError(f"{self.path} is not there any more: plug the adapter in again") from error
        if not same:
            raise DeviceError(f"{self.path} leads to another adapter now; it is opened anew")

    def close(self, *, discard: bool) -> None:
        """Give the port back; `discard` throws away what the device has not taken, or it would be waited for."""
        errors = (OSError, termios.error, serial.SerialException)
        if discard:
            with suppress(*errors):  # it may be unplugged already
                self._serial.reset_output_buffer()
        with suppress(*errors):
            self._serial.close()

    def _claim(self, form: Format) -> None:
        try:
            fcntl.ioctl(self.fileno, termios.TIOCEXCL)
            flags = termios.tcgetattr(self.fileno)[2]
        except (OSError, termios.error) as error:
            raise DeviceError(_explain(error, self.path, form)) from error
        if flags & (termios.CSIZE | termios.CSTOPB | PARITY_BITS) != FLAGS[form]:
            raise DeviceError(_cannot_do(form, self.path))

    def _read_again(self) -> bytes:
        """Tell silence, when nothing was there, from a line that is ready to read and has nothing."""
        poll = select.poll()
        poll.register(self.fileno, select.POLLIN)
        happened = dict(poll.poll(0)).get(self.fileno, 0)
        if happened & (select.POLLHUP | select.POLLERR):
            raise DeviceError(f"{self.path} was unplugged")
        data = os.read(self.fileno, READ_BYTES) if happened else b""
        if happened and not data:
            raise DeviceError(
                f"{self.path}: what came was gone before it was read; is the port shared with another program? "
                f"(fuser -v {self.path} names it)"
            )
        return data


def _cannot_do(form: Format, path: str) -> str:
    return (
        f"{path} cannot do {form}: its driver dropped the data bits or the parity. Use a real UART or a USB "
        "adapter, never the mini-UART; or set the device to 8N1 and say so in the board file"
    )


def _explain(error: Exception, path: str, form: Format) -> str:
    number = error.errno if isinstance(error, OSError) else next(iter(error.args), None)
    if isinstance(error, BlockingIOError) or "exclusively lock" in str(error) or number == errno.EBUSY:
        return f"{path} is held by another program: stop it (fuser -v {path} names it)"
    if number == errno.ENOENT:
        return f"there is no {path}: plug the adapter in; its name is under /dev/serial/by-id"
    if number in {errno.EPERM, errno.EACCES}:
        return f"{path} may not be opened: add this user to the group dialout"
    if number == errno.EINVAL:
        return _cannot_do(form, path)
    return f"{path} cannot be opened: {error}"
