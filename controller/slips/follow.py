"""Follows a journal and prints each new award's slip once. It only reads the journal; no round waits for it."""

from collections.abc import Callable, Iterator
from pathlib import Path

from controller.clock import Clock
from controller.core.state import Award
from controller.journal import ends_of
from controller.journal.chain import short_digest
from controller.single import SingleInstance
from controller.slips.award import record_digest
from controller.slips.deliver import Press
from controller.slips.house import House
from controller.slips.outlet import Outlet, OutletError
from controller.slips.register import ATTEMPTS_MAX, Paper, Register, opened, path_of
from controller.slips.source import EarlierError, NoAwardError, SlipError


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
        self._settled: tuple[int, set[int], tuple[Award, ...]] | None = None

    def turn(self) -> None:
        """Print every slip that is due now, oldest first.

        One whose record was lost before a recovery, or whose claim was given up, is told of and holds up no other; an
        owed one whose number is on a paper of another record is printed, and that is told. Without a new award it
        costs one record read: how many there are, and which are owed, stands in the state. Raises `OutletError` at
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
        if (made, waiting, state.awards) == self._settled:
            return
        with SingleInstance(path_of(self._journal)), opened(self._journal, self._clock.wall_ns) as register:
            press = Press(self._journal, register, self._outlet, self._house, self._clock)
            for number in sorted({*register.due(made), *self._lacking(register, state.awards)}):
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
                self._tell(f"slip {number}: printed{told(paper)}")
        self._settled = made, waiting, state.awards

    def _lacking(self, register: Register, awards: tuple[Award, ...]) -> Iterator[int]:
        """Owed awards whose number stands on papers of another record only."""
        for award in awards:
            if award.paid:
                continue
            try:
                digest = record_digest(self._journal, award.number)
            except SlipError:
                # It is owed from before a recovery: no record here that a paper could be of.
                continue
            if register.lacks(award.number, digest):
                yield award.number


def told(paper: Paper) -> str:
    """What there is to say of a paper beside its number, for who watches."""
    reprint = ", marked as a reprint" if paper.reprint else ""
    if not paper.foreign:
        return reprint
    return (
        f"{reprint}; ANOTHER PAPER OF THIS NUMBER was made of a record that is not this award's (digest "
        f"{short_digest(paper.foreign)}): nobody pays by that one. After a recovery it is from before it; else "
        "somebody put rows into the journal: call the technician; when it was printed: "
        f"`pozo slip {paper.number} --papers`"
    )
