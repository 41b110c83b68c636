"""Wrong PINs at a table that can store no record: counted in a file beside the list, so that they outlive a command.

    <journal>.tries    {"supervisor":2}    wrong ones in a row for each role, one under way included

A table that is out of service writes no record but its recovery, and a lock would have nobody who may clear it. So the
wait grows instead. A file that cannot be read counts as the most.
"""

import os
from pathlib import Path
from typing import Final

import msgspec

from controller.core.game import Role
from controller.journal.marker import sync_directory
from controller.users.secret import rename, write

WAIT_NS: Final = 5_000_000_000
"""What a PIN costs before it is looked at, right or wrong; it doubles with each wrong one in a row."""

WAIT_MOST_NS: Final = 3_600_000_000_000

WRONG_MOST: Final = 10
"""Wrong ones that are told apart: with so many, or more, the wait is at its most."""

BYTES_MOST: Final = 4_096

_decode = msgspec.json.Decoder(dict[Role, int]).decode


def path_of(journal: Path) -> Path:
    """Where the count of a journal's table is."""
    return journal.with_name(journal.name + ".tries")


def wait_ns(wrong: int) -> int:
    """How long a PIN waits to be looked at after so many wrong ones in a row."""
    return min(WAIT_NS << min(wrong, WRONG_MOST), WAIT_MOST_NS)


def wrong(journal: Path, role: Role) -> int:
    """The wrong PINs of this role in a row, 0 to `WRONG_MOST`. Raises `OSError`."""
    return min(max(_read(journal).get(role, 0), 0), WRONG_MOST)


def keep(journal: Path, role: Role, count: int) -> None:
    """Keep so many for this role, `WRONG_MOST` at most, durable on return. Raises `OSError`."""
    path = path_of(journal)
    new = path.with_name(path.name + ".new")
    write(new, msgspec.json.encode(_read(journal) | {role: min(count, WRONG_MOST)}))
    rename(new, path)


def forget(journal: Path) -> None:
    """End the count, once a record can be stored that has it. Raises `OSError`."""
    path = path_of(journal)
    if path.exists():
        path.unlink()
        sync_directory(path.parent)


def counted(journal: Path) -> tuple[tuple[Role, int], ...]:
    """What was counted so far, roles without a wrong one left out. Raises `OSError`."""
    return tuple((role, count) for role in Role if (count := wrong(journal, role)))


def _read(journal: Path) -> dict[Role, int]:
    try:
        descriptor = os.open(path_of(journal), os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return {}
    with os.fdopen(descriptor, "rb") as file:
        try:
            return _decode(file.read(BYTES_MOST))
        except (msgspec.MsgspecError, UnicodeError, RecursionError):
            return dict.fromkeys(Role, WRONG_MOST)
