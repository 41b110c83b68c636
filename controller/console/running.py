"""Whether a table's program runs, seen from outside without touching its lock."""

from pathlib import Path
from typing import Final

LOCKS: Final = Path("/proc/locks")
"""The kernel's list of file locks. Trying the lock would do too, but a start that comes at that instant would fail."""


def runs(journal: Path, locks: Path = LOCKS) -> bool:
    """Whether some process holds the lock beside this journal (`controller.single`)."""
    try:
        inode = journal.with_name(journal.name + ".lock").stat().st_ino
    except FileNotFoundError:
        return False
    held = (line.split() for line in locks.read_text(encoding="ascii").splitlines())
    return any("FLOCK" in fields and any(field.endswith(f":{inode}") for field in fields) for fields in held)
