"""What is told to the people who must bring a table back: which copy says what, what is trusted, what to do next."""

from collections.abc import Callable
from typing import assert_never

from controller.core.state import Table
from controller.journal import Record
from controller.witness.verdict import (
    Forked,
    JournalBehind,
    JournalLost,
    NothingTrusted,
    NoWitness,
    Stranded,
)

Money = Callable[[int], str]
"""Writes minor units as the table does."""

_MAY_BE_NEWER = (
    "That half may hold NEWER acts: compare with paper the last slip, whether its award was paid, and transfers sent "
    "since, before this one is trusted."
)


def told(verdict: Stranded, money: Money) -> str:
    """What was found and what is trusted, with records, rounds and amounts; two sentences or three."""
    match verdict:
        case NoWitness(why=why, record=record, ahead=True):
            return (
                f"No witness here is proven to be this table's: {why}; and it is AHEAD of the journal, which may be an "
                f"old card: {at(record, money)}. Neither is trusted until the key is compared with the filed one."
            )
        case NoWitness(why=why, record=record):
            return f"There is no witness of this table: {why}. The journal is trusted: {at(record, money)}."
        case JournalBehind(slot=slot, journal=journal):
            return (
                f"The journal ends at record {journal.seq}; the witness holds a later one. "
                f"The witness is trusted: {at(slot.record, money)}."
            )
        case JournalLost(slot=slot, journal=journal, damaged=damaged):
            trusted = f"{journal.why}. The witness is good and is trusted: {at(slot.record, money)}."
            return f"{trusted} But {damaged}. {_MAY_BE_NEWER}" if damaged else trusted
        case Forked(slot=slot, record=record, found=found):
            return (
                f"Journal and witness are of two histories: record {slot.record.seq} is {found} in the journal and "
                f"{slot.record.digest} in the witness. Neither is trusted alone. The journal says: "
                f"{at(record, money)}. The witness says: {at(slot.record, money)}. Compare both with the slips and "
                f"shift reports: a slip shows the digest of its record."
            )
        case NothingTrusted(journal=journal, witness=witness):
            return (
                f"{journal.why}. The witness is no help: {witness}. Nothing here is trusted: two persons take the "
                "amounts from the last shift report and the slips after it."
            )
        case _:
            assert_never(verdict)


def at(record: Record, money: Money) -> str:
    """Where a record leaves the table, in one line."""
    return f"record {record.seq}, {standing(record.state, money)}"


def standing(table: Table, money: Money) -> str:
    """A table's round, phase, pot amounts and what it owes, in one line."""
    parts = [f"round {table.round}, {table.phase}"]
    parts += [f"{level.name} {money(level.shown)}" for level in table.pot.levels]
    parts.append(f"wagers taken in so far {money(table.pot.in_meter)}")
    owed = [award for award in table.awards if not award.paid]
    if owed:
        slips = ", ".join(f"{award.number} ({money(award.amount)})" for award in owed)
        parts.append(f"unpaid awards {slips}")
    if table.link_claims:
        waiting = ", ".join(str(claim.number) for claim in table.link_claims)
        parts.append(f"claims at the floor {waiting}")
    return ", ".join(parts)
