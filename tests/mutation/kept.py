"""What is known of a room's mutants, kept in `kept/ROOM.json`: a run goes on where the last one stopped.

One line a file of the room. An id stands for the text of a function and the change in it, so a result lasts until the
function is edited. What survived is tried again at each run; what was killed or refused is not.
"""

from pathlib import Path

import msgspec

FOLDER = Path(__file__).parent / "kept"


class Kept(msgspec.Struct, omit_defaults=True):
    """The known results of one file's mutants, by id."""

    killed: set[str] = msgspec.field(default_factory=set)
    refused: set[str] = msgspec.field(default_factory=set)
    """No test noticed it, but the type checker refuses it."""
    survived: set[str] = msgspec.field(default_factory=set)


def load(room: str) -> dict[str, Kept]:
    """The results of a room by file, relative to `controller/`; empty where there are none."""
    path = FOLDER / f"{room}.json"
    if not path.exists():
        return {}
    return msgspec.json.decode(path.read_bytes(), type=dict[str, Kept])


def save(room: str, kept: dict[str, Kept]) -> None:
    """Write a room's results, sorted, in place of the old ones at once."""
    FOLDER.mkdir(exist_ok=True)
    lines = [
        f"{msgspec.json.encode(name).decode()}: {msgspec.json.encode(kept[name], order='sorted').decode()}"
        for name in sorted(kept)
    ]
    beside = FOLDER / f"{room}.new"
    beside.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")
    beside.replace(FOLDER / f"{room}.json")
