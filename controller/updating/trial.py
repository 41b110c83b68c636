"""What is known of a trial across restarts: one small file on the data partition, replaced whole."""

from pathlib import Path
from typing import Final

import msgspec

from controller.updating.slots import Slot
from controller.whole import put_whole

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
    put_whole(place / "trial.json", msgspec.json.encode(trial) + b"\n")


def remembered(place: Path) -> Trial | None:
    """The last trial, None where there was none or its file says nothing: it decides only what is tried again."""
    try:
        return msgspec.json.decode((place / "trial.json").read_bytes(), type=Trial)
    except (FileNotFoundError, msgspec.MsgspecError):
        return None
