"""The access log: what a journal says about who was there. It is read from the records and keeps nothing itself."""

from itertools import islice
from pathlib import Path
from typing import Final

import msgspec

from controller.core import events as ev
from controller.core.faults import FaultCode
from controller.journal import Record
from controller.journal.read import newest_first

KINDS: Final = (
    "key_turned",
    "person_identified",
    "pin_refused",
    "pin_not_tried",
    "user_changed",
    "dealer_changed",
    "parameters_changed",
    "device_key_changed",
    "journal_recovered",
    "fault_clear_asked",
    "self_tested",
    "started",
    "stopped",
)


class AccessRecord(msgspec.Struct, frozen=True):
    """One record of the access log: its place, its wall time (Unix, ns) and whether that clock was set, and the event.

    `refused`: why it was not done. `locked`: it locked or freed a PIN entry.
    """

    seq: int
    wall_ns: int
    wall_trusted: bool
    event: ev.AnyEvent
    refused: ev.Refusal | None = None
    locked: bool | None = None


def access_records(journal: Path, last: int) -> tuple[Record, ...]:
    """The newest `last` records about persons and keys, newest first. Raises the journal's errors."""
    return tuple(islice(newest_first(journal, KINDS), last))


def access_log(journal: Path, last: int) -> tuple[AccessRecord, ...]:
    """The access log's newest `last` lines, oldest first. Raises the journal's errors."""
    return tuple(
        AccessRecord(
            record.seq,
            record.wall_ns,
            record.wall_trusted,
            record.event,
            next((each.reason for each in record.results if isinstance(each, ev.Refused)), None),
            _locked(record.results),
        )
        for record in reversed(access_records(journal, last))
    )


def _locked(results: tuple[ev.AnyResult, ...]) -> bool | None:
    for each in results:
        match each:
            case ev.FaultRaised(code=FaultCode.PIN_LOCKED):
                return True
            case ev.FaultCleared(code=FaultCode.PIN_LOCKED):
                return False
            case _:
                pass
    return None


def sentence(record: AccessRecord) -> str:
    """A record in words."""
    told = _told(record.event)
    if record.refused is not None:
        told += f", refused: {record.refused}"
    if record.locked is not None:
        told += ", PIN entry locked" if record.locked else ", PIN entry free again"
    return told


def _told(event: ev.AnyEvent) -> str:
    match event:
        case ev.KeyTurned(key=key, on=on):
            return f"{key} key turned {'on' if on else 'back'}"
        case ev.PersonIdentified(key=key, person=person, number=number):
            return f"{key} key: {person} ({number}) entered the PIN"
        case ev.PinRefused(role=role, number=number):
            return f"wrong PIN for {role} {number}"
        case ev.PinNotTried(role=role, number=number):
            return f"PIN not looked at for {role} {number}"
        case ev.UserChanged():
            by = " and ".join(name for name in (event.supervisor, event.technician) if name) or "keys alone"
            unlocked_alone = event.alone and event.change is ev.UserChange.UNLOCKED
            alone = ", nobody else had a PIN" if unlocked_alone else ""
            return f"user {event.number} {event.name} ({event.role}): {event.change}, by {by}{alone}"
        case ev.ParametersChanged() | ev.DeviceKeyChanged() | ev.JournalRecovered():
            return f"{_kind(event)}, by {event.supervisor} and {event.technician}"
        case ev.SelfTested(person=person):
            return f"{_kind(event)}, by {person}"
        case ev.DealerChanged(dealer=dealer, person=person, identified=identified):
            return f"dealer {dealer}{f' {person}' if person else ''}{', by PIN' if identified else ''}"
        case _:
            return _kind(event)


def _kind(event: ev.AnyEvent) -> str:
    return ev.snake(type(event).__name__).replace("_", " ")
