"""What a person at the simulated table may do, as data, and doing it.

Pulses are played by the event loop of whoever asks; nothing here decides about the round.
"""

import asyncio
from typing import Annotated, Final, assert_never

import msgspec

from controller.drill.statements import Part
from controller.sim.table import SimError, SimulatedTable
from hal.interface import Device

CHIP_S: Final = 0.04
"""How long a falling chip covers its sensor."""

DISTURBANCE_S: Final = 0.03
"""How long a disturbance of the whole table lasts: long enough to pass for chips, were it not on all lines at once."""

FREEZE_S: Final = 3.0


class Act(msgspec.Struct, frozen=True, tag_field="do", forbid_unknown_fields=True):
    """Common to all: `do` names the act."""


class Chip(Act, frozen=True, tag="chip"):
    """Drop a chip into a seat's slot."""

    seat: int


class Hold(Act, frozen=True, tag="hold"):
    """Press or release a line with a finger; a page that goes away lets go of it."""

    line: str
    active: bool


class Set(Act, frozen=True, tag="set"):
    """Turn a key, or leave something in a slot: the line stays as it is set."""

    line: str
    active: bool


class Break(Act, frozen=True, tag="break"):
    """Pull a device out, or put it back."""

    device: Device
    broken: bool


class Spoil(Act, frozen=True, tag="spoil"):
    """Make the medium refuse records; null mends it."""

    part: Part | None


class Spark(Act, frozen=True, tag="spark"):
    """An electric disturbance: too short for a chip on one seat's line, or (seat 0) on all lines at once."""

    seat: int


class Pad(Act, frozen=True, tag="pad"):
    """Press a key of the keypad, by the name the board file would give it."""

    key: Annotated[str, msgspec.Meta(max_length=32)]


class Freeze(Act, frozen=True, tag="freeze"):
    """Let the deciding thread stand still for `FREEZE_S`."""


class Cut(Act, frozen=True, tag="cut"):
    """Pull the plug."""


class SwitchOn(Act, frozen=True, tag="switch_on"):
    """Give power again."""


AnyAct = Chip | Hold | Set | Break | Spoil | Spark | Pad | Freeze | Cut | SwitchOn

MEDIUM_PARTS: Final = frozenset({Part.JOURNAL, Part.DISK_FULL})


async def perform(table: SimulatedTable, act: AnyAct) -> None:
    """Do it. Raises `SimError`, and `LineError` or `DeviceError` for what this table does not have."""
    match act:
        case Chip(seat=seat):
            await _chip(table, f"seat_{seat}")
        case Hold(line=line, active=active) | Set(line=line, active=active):
            table.drive(line, active=active)
        case Break(device=device, broken=broken):
            table.break_device(device, broken=broken)
        case Spoil(part=part):
            if part is not None and part not in MEDIUM_PARTS:
                raise SimError("no_medium")
            table.break_medium(part)
        case Spark(seat=seat):
            await _spark(table, seat)
        case Pad(key=key):
            table.press_key(key)
        case Freeze():
            table.freeze(FREEZE_S)
        case Cut():
            table.cut()
        case SwitchOn():
            table.switch_on()
        case _:
            assert_never(act)


async def _chip(table: SimulatedTable, line: str) -> None:
    if table.active(line):
        raise SimError("slot_covered")
    table.drive(line, active=True)
    await asyncio.sleep(CHIP_S)
    table.drive(line, active=False)


async def _spark(table: SimulatedTable, seat: int) -> None:
    if seat:
        for active in (True, False):
            table.drive_together([f"seat_{seat}"], active=active)
        return
    lines = [f"seat_{number}" for number in range(1, table.settings.slots + 1)]
    table.drive_together(lines, active=True)
    await asyncio.sleep(DISTURBANCE_S)
    table.drive_together(lines, active=False)
