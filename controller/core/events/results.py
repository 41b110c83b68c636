"""What became of an event, in every game."""

from controller.core.events.base import Result
from controller.core.events.words import Button, Refusal
from controller.core.faults import FaultCode
from controller.core.game import Fund, Hand


class WagerPlaced(Result, frozen=True):
    """The seat's chip counts: its lamp goes to placed."""

    seat: int


class ChipExcess(Result, frozen=True):
    """The seat has a chip already: give this one back."""

    seat: int


class ChipLate(Result, frozen=True):
    """No wager is accepted now: give the chip back."""

    seat: int


class ChipIgnored(Result, frozen=True):
    """A line closed by a fault moved: it counts nothing until the seat is re-opened."""

    seat: int


class ChipTested(Result, frozen=True):
    """Test mode: the chip counts on the test counter only."""

    seat: int


class ButtonTested(Result, frozen=True):
    """Test mode: the button works."""

    button: Button


class RoundLocked(Result, frozen=True):
    """COIN IN took these seats' wagers in: `amount` minor units in all. `late`: locked by the supervisor afterwards."""

    round: int
    seats: tuple[int, ...]
    amount: int
    late: bool = False


class PotRaised(Result, frozen=True):
    """A level took its part of the wagers: `by` to the pot, `over` to the overflow, `reserve` to the reserve pool."""

    level: str
    by: int
    current: int
    over: int = 0
    reserve: int = 0


class LinkContributed(Result, frozen=True):
    """Wagers gave `by` millionths of a minor unit to a link, `out` in all: with their record the floor adds them."""

    level: str
    link: str
    by: int
    out: int


class LinkClaimed(Result, frozen=True):
    """Approved: the claim goes to the link that has the pot; `claim`, its first award's number, names it for ever."""

    claim: int
    level: str
    link: str
    round: int
    seats: tuple[int, ...]
    hands: tuple[Hand, ...]


class ClaimServed(Result, frozen=True):
    """The floor answered: the awards that follow are of its pot. `order`: place among all wins of the link."""

    claim: int
    level: str
    order: int


class ClaimVoid(Result, frozen=True):
    """A claim was given up: its award numbers `claim` to `last` are void, no award bears them."""

    claim: int
    last: int


class RoundEnded(Result, frozen=True):
    """GAME OVER: the round is over, the next is open."""

    round: int


class DiscrepancyLeftOpen(Result, frozen=True):
    """The round ended although nobody had settled the count."""

    round: int
    chips: int


class WagerVoided(Result, frozen=True):
    """A wager is void: `refund` minor units are paid back by the house (0: the chip itself was given back)."""

    seat: int
    refund: int


class WagerForfeited(Result, frozen=True):
    """The wager is lost, its contribution stays, the lamp goes off."""

    seat: int


class AwardRequested(Result, frozen=True):
    """A claim waits for approval."""

    seat: int
    hand: Hand


class ClaimDropped(Result, frozen=True):
    """A claim was withdrawn or rejected."""

    seat: int


class CardsAgree(Result, frozen=True):
    """The cards are the hand that was claimed."""

    seat: int
    hand: Hand


class ClaimExcluded(Result, frozen=True):
    """A royal of the same round excludes this claim (`royal_excludes = "round"`)."""

    seat: int


class AwardApproved(Result, frozen=True):
    """An award with the arithmetic behind it; amounts in minor units. `pot_after` is before a reset.

    No level: a bonus the house pays; there is no pot before or after it.
    """

    number: int
    seat: int
    hand: Hand
    level: str | None
    amount: int
    pot_before: int
    pot_after: int
    share_ppm: int
    fund: Fund
    from_pot: int
    from_reserve: int
    from_house: int
    source: str
    parts: int = 1
    """How many equal parts the share was divided into."""
    capped: bool = False


class PotReset(Result, frozen=True):
    """A level begins again: what was left plus the reset amount, and where that came from."""

    level: str
    current: int
    left: int
    from_overflow: int
    from_reserve: int
    from_house: int


class AwardSettled(Result, frozen=True):
    """An award is paid."""

    number: int
    seat: int
    amount: int


class CorrectionMade(Result, frozen=True):
    """A level was corrected."""

    level: str
    before: int
    after: int


class ParametersAccepted(Result, frozen=True, omit_defaults=True):
    """The table plays by other rules from now on: the digests before and after.

    `claims_ended`: the seats of the round just ended that could still have been claimed; no claim is served by other
    rules than those of its wager.
    """

    before: str
    after: str
    claims_ended: tuple[int, ...] = ()


class TransferMade(Result, frozen=True):
    """A level gave (`by` below 0) or took money; the other side is in the event."""

    level: str
    by: int
    current: int


class FaultRaised(Result, frozen=True):
    """A fault stands beside the phase from now on. `seat` 0: the table."""

    code: FaultCode
    seat: int


class FaultCleared(Result, frozen=True):
    """A fault is gone."""

    code: FaultCode
    seat: int


class PhaseChanged(Result, frozen=True):
    """The table moved to another phase."""

    phase: str


class Recovered(Result, frozen=True):
    """The program came back in this phase with this many wagers; the operator is told."""

    phase: str
    bets: int


class Noted(Result, frozen=True):
    """Recorded; nothing else changes."""


class Refused(Result, frozen=True, omit_defaults=True):
    """Not done, and why; `detail` where the reason alone does not say what to look at."""

    reason: Refusal
    detail: str = ""
