"""What can still be read in a spoilt slot of the witness: shown to the two persons of a recovery, and never believed.

Its checksum is wrong, so that every digit may be another than was written. It knows a slot's format and reads one file.
"""

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import msgspec

from controller.core.state import Table
from controller.witness.files import Files
from controller.witness.slot import BLOCK_BYTES, NAME_MOST, SLOT_BYTES
from controller.witness.store import DISK
from controller.witness.told import Money, standing

_SEQ: Final = re.compile(r'"record":\{"seq":([0-9]{1,19}),')
_WALL: Final = re.compile(r'"wall_ns":([0-9]{1,19}),')
_LEVEL: Final = re.compile(r'"name":"([^"\\]{1,100})","current":([0-9]{1,15})[,}]')
_STATE: Final = '"state":'


class Leftover(msgspec.Struct, frozen=True):
    """What a spoilt slot says. `state` None: it cannot be read as a whole; `levels` are then the pots that can.

    `seq` 0 and `wall_ns` 0: not readable. Amounts are minor units.
    """

    seq: int
    wall_ns: int
    state: Table | None
    levels: tuple[tuple[str, int], ...]


def leftover(path: Path, files: Files = DISK) -> Leftover | None:
    """What can be read in the slot at `path`; None where nothing can that would help anybody."""
    try:
        data = files.read(path)
    except OSError:
        # Why it cannot be read is told where the slot itself was looked at.
        return None
    text = _document(data or b"").decode(errors="replace")
    state = _state(text)
    seq, wall = _SEQ.search(text), _WALL.search(text)
    found = Leftover(
        int(seq[1]) if seq else 0,
        int(wall[1]) if wall else 0,
        state,
        () if state is not None else tuple((name, int(amount)) for name, amount in _LEVEL.findall(text)),
    )
    return found if found.seq or found.state is not None or found.levels else None


def said(found: Leftover, newest: int, money: Money) -> str:
    """One line for people; `newest` is the number of the newest record that is good in any copy, 0 for none."""
    parts = [f"record {found.seq}" if found.seq else "a record whose number is gone"]
    if found.wall_ns:
        parts.append(f"of {datetime.fromtimestamp(found.wall_ns // 1_000_000_000, UTC):%Y-%m-%d %H:%M}Z")
    if found.state is not None:
        parts.append(standing(found.state, money))
        if all(award.paid for award in found.state.awards):
            parts.append("no unpaid award")
    else:
        parts += [f"{name} {money(amount)}" for name, amount in found.levels if name.isprintable()]
        parts.append("what it owes cannot be read")
    later = f"; LATER than record {newest}, the newest good one" if found.seq > newest > 0 else ""
    return f"readable in it, NOT PROVEN: {', '.join(parts)}{later}"


def _document(data: bytes) -> bytes:
    """The slot up to the newline that ends a block: what is behind it is left from an older, longer document."""
    ends = range(BLOCK_BYTES, SLOT_BYTES, BLOCK_BYTES)
    return data[: next((end for end in ends if data[end - 1 : end] == b"\n"), SLOT_BYTES)]


def _state(text: str) -> Table | None:
    try:
        # The first: where the newline is spoilt, an older document's state may stand behind it.
        found, _ = json.JSONDecoder().raw_decode(text, text.index(_STATE) + len(_STATE))
        state = msgspec.convert(found, Table)
    except (ValueError, RecursionError, msgspec.ValidationError):
        return None
    names = [level.name for level in state.pot.levels]
    return state if all(name.isprintable() and len(name) <= NAME_MOST for name in names) else None
