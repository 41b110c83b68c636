"""A medium that stays: the simulated one of the drills, in a folder that outlives the program."""

import shutil
from pathlib import Path

from controller.drill.medium import Medium


class KeptMedium(Medium):
    """A folder for one table's journal that is not removed at the end; it may hold a journal from before.

    `folder` must be this medium's own: a power cut replaces it whole by what it held at that moment.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._place = folder
        super().__init__(folder.parent)

    def _new_folder(self) -> Path:
        """The first folder is the place itself; later ones are copies beside it."""
        if not hasattr(self, "_folder"):
            return self._place
        return super()._new_folder()

    def forget_lost(self) -> None:
        """Put what survived in the place of what the cut took away."""
        aside = self._lost.rename(self._lost.with_name(self._lost.name + ".cut"))
        self._folder = self._folder.rename(self._place)
        shutil.rmtree(aside)

    def close(self) -> None:
        """Leave everything where it is."""
