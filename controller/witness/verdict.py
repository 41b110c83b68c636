"""What journal and witness say together, and what follows: the table of `docs/evidence.md`, as a pure function."""

from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import TypeAlias, assert_never

import msgspec

from controller.core.events import HeadSeen, Trusted
from controller.journal import Head, Record
from controller.signing.key import short_key
from controller.witness.slot import UNSIGNED, Slot
from controller.witness.store import SLOT_NAMES, Absent, Damaged, Slots


class Lack(StrEnum):
    """Why there is no journal to go by."""

    MISSING = "missing"
    DAMAGED = "damaged"
    FOREIGN = "foreign"
    UNPROVEN = "unproven"
    """Its end is not what the device signed and the rules make of it: somebody wrote there who is not the table."""


class BadJournal(msgspec.Struct, frozen=True):
    """A journal that cannot be used, and the error's own words. `table`: whose it is, where it is another table's."""

    lack: Lack
    why: str
    table: str = ""


class GoodJournal(msgspec.Struct, frozen=True):
    """A journal's end, and what it holds where the witness has records: number to digest.

    `key`: the public half in force by it, empty where it names none.
    """

    last: Record
    at: Mapping[int, str]
    key: str = ""
    superseded: frozenset[Head] = frozenset()
    """Heads of the witness that a recovery has looked at and left behind: the last record, or an older one."""
    unfinished: bool = False
    """It holds the commissioning alone, and that has not come to its end: the device's signature beside it says so."""

    @property
    def head(self) -> Head:
        """Number and digest of the last record."""
        return Head(self.last.seq, self.last.digest)


class Agreed(msgspec.Struct, frozen=True):
    """They say the same; the witness may be behind. The table plays."""


class NewTable(msgspec.Struct, frozen=True):
    """The journal holds its beginning, the commissioning was cut short and there is no witness yet. It plays."""

    seq: int
    """The journal's last record."""


class HalfDamaged(msgspec.Struct, frozen=True):
    """One slot is bad; the other agrees. The table plays, and the bad one is written anew."""

    why: str


class AllDamaged(msgspec.Struct, frozen=True):
    """Both slots are bad; the journal reads well. It plays if the whole chain proves good."""

    why: str


class Superseded(msgspec.Struct, frozen=True):
    """The witness is one that a recovery left behind: it is to be written anew first. Then it plays.

    The recovery was cut short before it did that itself, or somebody put its files back.
    """

    slots: tuple[int, ...]
    """The slots to be written anew, 0 or 1."""
    seq: int
    """The journal's last record."""


class NoWitness(msgspec.Struct, frozen=True):
    """There is no witness of this table. The journal is trusted, unless the key is to be compared first."""

    why: str
    record: Record
    ahead: bool = False
    """A slot of this table that nothing here proves is ahead of the journal: this may be an old card."""


class JournalBehind(msgspec.Struct, frozen=True):
    """The journal ends before the witness's record. The witness is trusted."""

    slot: Slot
    journal: Head


class JournalLost(msgspec.Struct, frozen=True):
    """There is no journal to go by. The witness is trusted."""

    slot: Slot
    journal: BadJournal
    damaged: str = ""
    """What is wrong with a damaged half beside it, which may be the newer one."""


class Forked(msgspec.Struct, frozen=True):
    """The journal has another record where the witness has its own. Neither is trusted alone."""

    slot: Slot
    record: Record
    found: str
    """The digest that the journal has there."""


class NothingTrusted(msgspec.Struct, frozen=True):
    """Neither is good."""

    journal: BadJournal
    witness: str


class Plight(StrEnum):
    """What keeps a table out of service, as displays and drills name it."""

    NO_WITNESS = "no_witness"
    JOURNAL_BEHIND = "journal_behind"
    JOURNAL_LOST = "journal_lost"
    FORKED = "forked"
    NOTHING_TRUSTED = "nothing_trusted"


Playable: TypeAlias = Agreed | NewTable | HalfDamaged | AllDamaged | Superseded
Stranded: TypeAlias = NoWitness | JournalBehind | JournalLost | Forked | NothingTrusted
Verdict: TypeAlias = Playable | Stranded


def compare(
    journal: GoodJournal | BadJournal, slots: Slots, table: str, keys: Collection[str] = frozenset()
) -> Verdict:
    """Say what is trusted. `keys`: public halves that are this table's, beside the one in force by the journal.

    Another table's slot is as bad as a damaged one, and so is one that says anything against the journal and is not
    signed with a key of this table; beside a good journal and no other slot these are a fault of its own, for the
    medium may belong elsewhere, or hold what somebody made up.
    """
    strangers = unproven(journal, slots, table, keys)
    told = said(slots, table, strangers)
    if isinstance(journal, BadJournal):
        own = [slot for slot in _own(slots, table) if slot not in strangers]
        half = told if any(isinstance(slot, Damaged) for slot in slots) else ""
        return JournalLost(_newest(own), journal, half) if own else NothingTrusted(journal, told)
    stale = tuple(
        index
        for index, slot in enumerate(slots)
        if isinstance(slot, Slot) and slot.head in journal.superseded
    )
    counted = [slot for index, slot in enumerate(slots) if isinstance(slot, Slot) and index not in stale]
    own = [slot for slot in counted if slot.table == table and slot not in strangers]
    if counted and not own:
        return NoWitness(
            told, journal.last, ahead=any(slot.head.seq > journal.head.seq for slot in strangers)
        )
    return _contradiction(journal, own) or (
        Superseded(stale, journal.head.seq) if stale else _harmony(journal, slots, told, len(own))
    )


def unproven(
    journal: GoodJournal | BadJournal, slots: Slots, table: str, keys: Collection[str]
) -> tuple[Slot, ...]:
    """The slots of this table that would be trusted against the journal, or without one, and that no key of it signed.

    What agrees with a good journal needs no proof, and what a recovery left behind is not trusted. Beside a journal
    that names no key a slot may be unsigned as well.
    """
    own = _own(slots, table)
    if isinstance(journal, BadJournal):
        return tuple(slot for slot in own if slot.key == UNSIGNED or slot.key not in keys)
    return tuple(
        slot
        for slot in own
        if slot.key not in {journal.key, *keys}
        if slot.head not in journal.superseded and journal.at.get(slot.head.seq) != slot.head.digest
    )


def _own(slots: Slots, table: str) -> list[Slot]:
    return [slot for slot in slots if isinstance(slot, Slot) and slot.table == table]


def _contradiction(journal: GoodJournal, own: list[Slot]) -> Forked | JournalBehind | None:
    """What a slot of this table says against the journal."""
    ahead = [slot for slot in own if slot.head.seq > journal.head.seq]
    strange = [
        slot for slot in own if slot not in ahead and journal.at.get(slot.head.seq) != slot.head.digest
    ]
    if strange:
        slot = _newest(strange)
        return Forked(slot, journal.last, journal.at.get(slot.head.seq, "no digest"))
    return JournalBehind(_newest(ahead), journal.head) if ahead else None


def _harmony(
    journal: GoodJournal, slots: Slots, told: str, good: int
) -> Agreed | HalfDamaged | AllDamaged | NewTable | NoWitness:
    """How much of the witness there is, where nothing contradicts the journal."""
    match good:
        case 2:
            return Agreed()
        case 1:
            return HalfDamaged(told)
        case _ if any(isinstance(slot, Damaged) for slot in slots):
            return AllDamaged(told)
        case _ if journal.unfinished:
            return NewTable(journal.head.seq)
        case _:
            return NoWitness(told, journal.last)


def plight(verdict: Stranded) -> Plight:
    """What keeps the table out of service."""
    match verdict:
        case NoWitness():
            return Plight.NO_WITNESS
        case JournalBehind():
            return Plight.JOURNAL_BEHIND
        case JournalLost():
            return Plight.JOURNAL_LOST
        case Forked():
            return Plight.FORKED
        case NothingTrusted():
            return Plight.NOTHING_TRUSTED
        case _:
            assert_never(verdict)


def proposed(verdict: Stranded) -> tuple[Trusted, Record] | None:
    """What is trusted, and its newest record; None where people must choose or read from paper."""
    match verdict:
        case NoWitness(record=record, ahead=ahead):
            return None if ahead else (Trusted.JOURNAL, record)
        case JournalBehind(slot=slot) | JournalLost(slot=slot):
            return Trusted.WITNESS, slot.record
        case Forked() | NothingTrusted():
            return None
        case _:
            assert_never(verdict)


def _newest(slots: list[Slot]) -> Slot:
    return max(slots, key=lambda slot: (slot.serial, slot.record.seq))


def said(slots: Slots, table: str, strangers: Collection[Slot] = ()) -> str:
    """What is wrong with each slot that is not good, in words."""
    told: list[str] = []
    for name, slot in zip(SLOT_NAMES, slots, strict=True):
        match slot:
            case Slot(table=other) if other != table:
                told.append(f"{name} is of table {other}")
            case Damaged(why=why):
                told.append(f"{name} is damaged: {why}")
            case Absent():
                told.append(f"{name} is not there")
            case Slot(key=key) if slot in strangers:
                told.append(f"{name} is not proven: {_by_whom(key)}")
            case Slot():
                pass  # it is good
    return ", ".join(told)


def _by_whom(key: str) -> str:
    if key == UNSIGNED:
        return "nobody signed it"
    return f"it is signed with the key {short_key(key)}, which is not known here to be this table's"


def heads(slots: Slots) -> tuple[HeadSeen, ...]:
    """The heads of the slots that can be read, the newest first."""
    found = sorted((slot for slot in slots if isinstance(slot, Slot)), key=lambda slot: -slot.serial)
    return tuple(HeadSeen(slot.head.seq, slot.head.digest) for slot in found)
