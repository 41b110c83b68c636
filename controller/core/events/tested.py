"""The technician's self-test of a stopped table: what was tried, what was found, and by whom."""

from enum import StrEnum

import msgspec

from controller.core.events.base import Event


class Finding(StrEnum):
    """What became of one part of the self-test."""

    OK = "ok"
    FAILED = "failed"
    SKIPPED = "skipped"


class PartTested(msgspec.Struct, frozen=True):
    """One part: its line's or device's name, the finding, and why it failed or was skipped.

    `moved`: other lines that moved while this one was asked for, in that order; a swap of wires is seen in them.
    """

    part: str
    finding: Finding
    note: str = ""
    moved: tuple[str, ...] = ()


class SelfTested(Event, frozen=True):
    """`person` tested the hardware of `board` with the table closed and stopped. It moves no meter."""

    person: str
    board: str
    parts: tuple[PartTested, ...]
