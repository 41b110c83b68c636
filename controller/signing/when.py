"""When a head is signed: after what moves an award or a shift on, and after what only persons may do.

PURE: it looks at decisions and knows no key.
"""

from collections.abc import Sequence
from typing import Final

from controller.core import events as ev
from controller.core.events import Sealed
from controller.journal import Entry

_BY_RESULT: Final[dict[type, Sealed]] = {
    ev.RoundEnded: Sealed.ROUND_ENDED,
    ev.AwardApproved: Sealed.AWARD_APPROVED,
    ev.LinkClaimed: Sealed.AWARD_APPROVED,
    ev.ClaimVoid: Sealed.AWARD_APPROVED,
    ev.AwardSettled: Sealed.AWARD_PAID,
    ev.CorrectionMade: Sealed.MONEY_MOVED,
    ev.TransferMade: Sealed.MONEY_MOVED,
    ev.ParametersAccepted: Sealed.PARAMETERS,
}

_BY_EVENT: Final[dict[type, Sealed]] = {
    ev.Commissioned: Sealed.COMMISSIONED,
    ev.TableClosed: Sealed.TABLE_CLOSED,
    ev.DeviceKeyChanged: Sealed.KEY_CHANGED,
    ev.JournalRecovered: Sealed.RECOVERED,
    ev.Stopped: Sealed.STOPPED,
}
"""What is signed by itself, unless it was refused."""


def sealed(entries: Sequence[Entry]) -> Sealed | None:
    """Why the head after this batch is signed, by its newest reason; None if it is not."""
    for entry in reversed(entries):
        why = reason(entry.event, entry.results)
        if why is not None:
            return why
    return None


def reason(event: ev.AnyEvent, results: tuple[ev.AnyResult, ...]) -> Sealed | None:
    """Why one decision asks for a signed head, or None."""
    for result in results:
        why = _BY_RESULT.get(type(result))
        if why is not None:
            return why
    why = _BY_EVENT.get(type(event))
    return None if why is None or isinstance(results[0], ev.Refused) else why
