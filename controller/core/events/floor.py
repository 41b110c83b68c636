"""Events of the floor as the table hears of it: the third witness of its journal, and messages that are none."""

from controller.core.events.base import Event


class FloorDisagreed(Event, frozen=True):
    """The floor has record `seq` with this digest, and the journal lacks it or has another there.

    `last` is the number of the journal's newest record at that moment.
    """

    seq: int
    digest: str
    last: int


class FloorAgreed(Event, frozen=True):
    """The journal has the floor's newest record again, `seq`."""

    seq: int


class HostGarbled(Event, frozen=True):
    """Messages came on the link's socket that were none of the link's; `why` says what the newest was."""

    messages: int
    why: str
