"""Follows a journal and prints each new award's slip once. It only reads the journal; no round waits for it."""

from collections.abc import Callable
from pathlib import Path

from controller.clock import Clock
from controller.journal import ends_of
from controller.single import SingleInstance
from controller.slips.deliver import Press
from controller.slips.house import House
from controller.slips.outlet import Outlet, OutletError
from controller.slips.register import ATTEMPTS_MAX, opened, path_of
from controller.slips.source import EarlierError, NoAwardError


class Follower:
    """Prints what is due, pass by pass, and tells people through `tell`.

    The register is taken for a pass only, so that copies can be asked for meanwhile.
    """

    def __init__(
        self, journal: Path, outlet: Outlet, house: House, clock: Clock, tell: Callable[[str], object]
    ) -> None:
        self._journal = journal
        self._outlet = outlet
        self._house = house
        self._clock = clock
        self._tell = tell
        self._settled: tuple[int, set[int]] | None = None

    def turn(self) -> None:
        """Print every slip that is due now, oldest first.

        One whose record was lost before a recovery, or whose claim was given up, is told of and holds up no other.
        Without a new award it costs one record read: how many there are stands in the state. Raises `OutletError` at
        the first slip that cannot be printed, `AlreadyRunningError` while another program prints, and the journal's
        errors.
        """
        state = ends_of(self._journal).last.state
        made = state.awards_made
        # A claim that waits at the floor has its numbers already, and its awards later.
        waiting = {
            number
            for claim in state.link_claims
            for number in range(claim.number, claim.number + len(claim.claims))
        }
        if (made, waiting) == self._settled:
            return
        with SingleInstance(path_of(self._journal)), opened(self._journal, self._clock.wall_ns) as register:
            press = Press(self._journal, register, self._outlet, self._house, self._clock)
            for number in register.due(made):
                if number in waiting:
                    continue
                try:
                    paper = press.award(number)
                except OutletError:
                    if number in register.given_up():
                        self._tell(
                            f"slip {number}: {ATTEMPTS_MAX} papers failed half-way; it is left to "
                            f"`pozo slip {number} --copy --printer …`"
                        )
                    raise
                except (EarlierError, NoAwardError) as error:
                    self._tell(f"slip {number}: {error}")
                    continue
                self._tell(f"slip {number}: printed{', marked as a reprint' if paper.reprint else ''}")
        self._settled = made, waiting
