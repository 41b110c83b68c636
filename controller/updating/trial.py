"""What is known of a trial across restarts: one small file on the data partition, replaced whole."""

import os
from pathlib import Path
from typing import Final

import msgspec

from controller.journal.marker import sync_directory
from controller.updating.slots import Slot

PLACE: Final = Path("/data/update")


class Trial(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A bundle that was put into a slot to be tried. `seq`: the journal's last record before; 0 without a journal.

    `held`: it was confirmed.
    """

    digest: str
    version: str
    slot: Slot
    seq: int
    held: bool = False


def remember(place: Path, trial: Trial) -> None:
    """Keep it, durable on return."""
    place.mkdir(parents=True, exist_ok=True)
    draft = place / "trial.draft"
    with draft.open("wb") as file:
        file.write(msgspec.json.encode(trial) + b"\n")
        file.flush()
        os.fsync(file.fileno())
    draft.rename(place / "trial.json")
    sync_directory(place)


def remembered(place: Path) -> Trial | None:
    """The last trial, None where there was none or its file says nothing: it decides only what is tried again."""
    try:
        return msgspec.json.decode((place / "trial.json").read_bytes(), type=Trial)
    except (FileNotFoundError, msgspec.MsgspecError):
        return None
