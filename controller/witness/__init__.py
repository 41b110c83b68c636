"""The witness: the journal's newest significant record in a second place, two slots written in turns.

It knows the journal's records and nothing of their rules. `Witness` keeps the files, `significant` says what must be in
them at once, `compare` says after a start what is trusted, `examine` looks at both copies for it.
"""

from controller.witness.errors import WitnessError, WitnessWriteError
from controller.witness.files import DiskFiles, Files
from controller.witness.significant import significant
from controller.witness.slot import Slot
from controller.witness.store import Absent, Damaged, Slots, Witness

__all__ = [
    "Absent",
    "Damaged",
    "DiskFiles",
    "Files",
    "Slot",
    "Slots",
    "Witness",
    "WitnessError",
    "WitnessWriteError",
    "significant",
]
