"""Slips and reports on paper: read from the journal alone, laid out once, given out as text or to a printer.

It never writes the journal and no round waits for it. What was put on paper is kept in a register of its own beside
the journal (`controller.slips.register`), so that no slip is printed twice without saying so.
"""

from controller.slips.award import AwardSlip, award_slip
from controller.slips.day import Span, gaming_day
from controller.slips.house import House, house_of, house_unknown
from controller.slips.shift import ShiftReport, shift_report
from controller.slips.source import SlipError

__all__ = [
    "AwardSlip",
    "House",
    "ShiftReport",
    "SlipError",
    "Span",
    "award_slip",
    "gaming_day",
    "house_of",
    "house_unknown",
    "shift_report",
]
