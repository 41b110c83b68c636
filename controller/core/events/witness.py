"""Events of the journal's second copy, the witness, and of a table that two persons bring back."""

from enum import StrEnum

import msgspec

from controller.core.events.base import Event
from controller.core.events.operators import Change


class Trusted(StrEnum):
    """Where the state comes from with which a table goes on."""

    JOURNAL = "journal"
    WITNESS = "witness"
    PAPER = "paper"


class HeadSeen(msgspec.Struct, frozen=True):
    """A record as a copy that was found held it: its number and its digest."""

    seq: int
    digest: str


class WitnessLost(Event, frozen=True):
    """The second copy cannot be written: nothing new is taken in until it can."""

    why: str


class WitnessFound(Event, frozen=True):
    """The second copy was written again, with all that had been waiting."""


class WitnessRebuilt(Event, frozen=True):
    """The second copy was damaged at the start and is made anew from the journal.

    `whole`: nothing of it was left, so the whole chain of the journal was checked first.
    """

    why: str
    whole: bool


class JournalRecovered(Event, frozen=True):
    """Two persons brought the table back with both keys: the state after this record is what they trust.

    `game` is the digest of the rules in force and `rules` the rules as JSON, for it may be a journal's first record.
    `found`: what was wrong. `journal` and `witness`: the newest records that were found in either, whatever became
    of them. `aside`: the names under which files were set aside. `copies`: what each copy said, a line for each.
    `changes`: what the rules from here on differ in from the last ones that any copy knew, where paper is trusted.
    """

    table: str
    game: str
    rules: str
    trusted: Trusted
    found: str
    journal: HeadSeen | None
    witness: tuple[HeadSeen, ...]
    aside: tuple[str, ...]
    supervisor: str
    technician: str
    reason: str
    device_key: str = ""
    """The public half of the key that signs this table's heads from here on, as at the commissioning."""
    copies: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    simulated: bool | None = None
    """Whether the board has no hardware, as at the commissioning."""
    wiring: str = ""
    """The board of the state after this, as JSON; empty where the files say another one."""
    terms: str = ""
    """What was agreed to beside rules and board in the state after this, as JSON; empty as above."""
