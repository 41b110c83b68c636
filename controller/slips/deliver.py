"""Puts one slip on paper: asks the outlet, notes the start, puts it out, notes the end. In this order.

Killed anywhere between, the register knows of a paper whose end nobody saw, and the next one says so.
"""

from pathlib import Path

from controller.clock import Clock
from controller.slips.award import award_slip
from controller.slips.house import House
from controller.slips.outlet import Outlet, OutletError
from controller.slips.register import Paper, Register
from controller.slips.slip_page import slip_page


class Press:
    """One table's papers on one outlet. Wall time only dates them."""

    def __init__(self, journal: Path, register: Register, outlet: Outlet, house: House, clock: Clock) -> None:
        self._journal = journal
        self._register = register
        self._outlet = outlet
        self._house = house
        self._clock = clock

    def award(self, number: int) -> Paper:
        """Print the next paper of a slip. Raises `OutletError`, `SlipError`, and the journal's errors."""
        slip = award_slip(self._journal, number)
        self._outlet.ready()
        trusted = self._clock.wall_trusted()
        paper = self._register.start(number, slip.digest, self._clock.wall_ns(), trusted=trusted)
        try:
            self._outlet.put(slip_page(slip, self._house, paper))
        except OutletError as error:
            self._register.fail(paper, self._clock.wall_ns(), str(error))
            raise
        self._register.finish(paper, self._clock.wall_ns())
        return paper

    def void(self, number: int, reason: str) -> Paper:
        """Declare the newest paper of a slip void, and put out one that says so.

        Raises as `award` does, and `RegisterError`. The declaration stands even if the paper about it fails.
        """
        slip = award_slip(self._journal, number)
        self._outlet.ready()
        paper = self._register.void(number, self._clock.wall_ns(), reason, trusted=self._clock.wall_trusted())
        self._outlet.put(slip_page(slip, self._house, paper))
        return paper
