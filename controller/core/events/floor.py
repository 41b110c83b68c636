"""Events of the floor as the table hears of it: the journal's third witness, linked pots, messages that are none."""

from controller.core.events.base import Event
from controller.core.events.results import AwardApproved, PotReset


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


class LinkTold(Event, frozen=True):
    """The floor confirmed a linked level: `amount` minor units, after `wins` wins of the link."""

    level: str
    amount: int
    wins: int


class LinkDisagreed(Event, frozen=True):
    """Table and link do not play by the same rules; `why` says what differs."""

    level: str
    why: str


class LinkAgreed(Event, frozen=True):
    """Table and links play by the same rules again."""


class ClaimAnswered(Event, frozen=True):
    """The floor served claim `claim`: as win `order` of the link, with these awards, in their order."""

    claim: int
    order: int
    told: tuple[AwardApproved | PotReset, ...]


class ClaimRefused(Event, frozen=True):
    """The floor serves claim `claim` under no circumstances, or not as the rules say; `why`."""

    claim: int
    why: str


class ClaimGivenUp(Event, frozen=True):
    """Both keys give up a claim that the floor does not serve: the house settles it on paper; the reason is kept."""

    claim: int
    reason: str
