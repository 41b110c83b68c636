"""Which records go to the witness at once: those about money, about a round's course, and about who may play.

A chip that drops is not among them: until COIN IN it is a chip in a slot, and the slot can be looked at.
"""

from collections.abc import Sequence
from typing import Final

from controller.core import events as ev
from controller.journal import Entry

EVENTS: Final[frozenset[type]] = frozenset(
    {ev.Commissioned, ev.JournalRecovered, ev.Started, ev.Stopped, ev.DisputeRaised, ev.DeviceKeyChanged}
)
"""Significant whatever became of them."""

RESULTS: Final[frozenset[type]] = frozenset(
    {
        ev.RoundLocked,
        ev.RoundEnded,
        ev.PhaseChanged,
        ev.WagerVoided,
        ev.WagerForfeited,
        ev.AwardRequested,
        ev.ClaimDropped,
        ev.AwardApproved,
        ev.LinkClaimed,
        ev.ClaimServed,
        ev.ClaimVoid,
        ev.AwardSettled,
        ev.CorrectionMade,
        ev.ParametersAccepted,
        ev.TransferMade,
        ev.ResultStands,
        ev.DealtAgain,
        ev.RoundAnnulled,
        ev.BankOpened,
        ev.BankMoved,
        ev.BankEnded,
        ev.BetLeft,
        ev.BetLost,
        ev.BetFrozen,
        ev.BetReturned,
    }
)
"""What makes a record significant that it stands in."""


def significant(entries: Sequence[Entry]) -> bool:
    """Whether this batch holds something that must be in two places before the table goes on."""
    return any(
        type(entry.event) in EVENTS or any(type(result) in RESULTS for result in entry.results)
        for entry in entries
    )
