"""The plug: where in a turn the power may go, and the error that takes it.

It knows the steps by name and counts them; what a cut does to a table is the world's business.
"""

from collections import Counter
from enum import StrEnum


class Step(StrEnum):
    """The seams of a turn: each reading of the levels, each write before and after it, each output."""

    LEVELS = "levels"
    WRITE = "write"
    WRITTEN = "written"
    LAMP = "lamp"
    SLOTS = "slots"
    RELEASE = "release"
    BELL = "bell"
    SCREEN = "screen"
    SIGN = "sign"
    WITNESS = "witness"
    """Before and after each write of the second copy."""
    DISK = "disk"
    """Each write and flush that the disk itself sees, on a lossy medium."""


class Pull(StrEnum):
    """What goes: the power, or the process alone."""

    CUT = "cut"
    KILL = "kill"


class PulledError(BaseException):
    """The power or the process is gone at this instant. No handler of the program may take it for an error."""


class Plug:
    """Pulled at the step after `steps` more of its kind; never while nobody has loosened it."""

    def __init__(self) -> None:
        self.out = False
        self.pull = Pull.CUT
        self.pulled: Counter[tuple[Pull, Step]] = Counter()
        self._left: int | None = None
        self._step: Step | None = None

    def loosen(self, pull: Pull, steps: int, step: Step | None) -> None:
        """Pull it after so many steps of this kind (None: of any)."""
        self.pull, self._left, self._step = pull, steps, step

    def step(self, step: Step) -> None:
        """Pass a seam. Raises `PulledError` if it is the one."""
        if self._left is None or self._step not in (None, step):
            return
        if self._left:
            self._left -= 1
            return
        self._left, self.out = None, True
        self.pulled[self.pull, step] += 1
        raise PulledError(step)
