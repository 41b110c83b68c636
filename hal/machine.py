"""Which machine this is: the serial number that its maker gave the board, as the firmware tells it to the kernel."""

import re
from pathlib import Path

_DEVICE_TREE = Path("sys/firmware/devicetree/base/serial-number")
_CPUINFO = Path("proc/cpuinfo")
_SERIAL = re.compile(r"^Serial\s*:\s*([0-9a-fA-F]{8,32})$", re.MULTILINE)
_NONE = re.compile(r"0*")


def serial(root: Path = Path("/")) -> str:
    """The board's serial number in lower case, empty where the machine tells none.

    A Raspberry Pi's has 16 hexadecimal digits (device tree, or `Serial` in /proc/cpuinfo).
    """
    found = _read(root / _DEVICE_TREE).rstrip("\0\n")
    if not found.isalnum():
        line = _SERIAL.search(_read(root / _CPUINFO))
        found = "" if line is None else line[1]
    return "" if _NONE.fullmatch(found) else found.lower()


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""  # another kind of machine
