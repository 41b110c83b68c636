"""Drill scripts: every text is read or refused with its line."""

from contextlib import suppress
from pathlib import Path

from controller.drill.line import DrillError
from controller.drill.parse import parse
from tests.fuzz.target import Target

DRILLS = Path(__file__).parents[1] / "drills"


def drill(data: bytes) -> None:
    """A drill script, read and not played."""
    with suppress(DrillError):
        parse(data.decode("utf-8", "replace"))


TARGETS = {
    "drill": Target(drill, tuple(path.read_bytes() for path in sorted(DRILLS.glob("*.drill"))), 1 << 15)
}
