"""The state of a table: all that a power cut must not change, and nothing else.

A record of the journal carries it whole, as JSON; defaults are left out, so an idle seat costs three bytes. Nothing
in it can ever refer back to what holds it, so the cyclic collector need not look (`gc=False`).
"""

from enum import StrEnum

import msgspec

from controller.core.cards import Card
from controller.core.events import Became, Errand, Refusal
from controller.core.faults import Fault
from controller.core.game import Fund, Hand, Role
from controller.core.punto.state import Punto


class Phase(StrEnum):
    """Where the round stands (rules, section 2)."""

    CLOSED = "closed"
    OPEN = "open"
    LOCKED = "locked"
    AWARD_PENDING = "award_pending"
    TEST = "test"


class Wager(StrEnum):
    """What a seat's slot holds in this round."""

    NONE = "none"
    PLACED = "placed"
    ACCEPTED = "accepted"
    VOID = "void"
    FORFEITED = "forfeited"


class Closure(StrEnum):
    """Whether a seat plays, and if not, who closed it. Nothing counts in a seat closed by a fault."""

    NONE = "none"
    HAND = "hand"
    FAULT = "fault"


class Seat(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """One seat. Counts never fall; `dropped` = placed + excess + late."""

    wager: Wager = Wager.NONE
    placed_ns: int = 0
    """Stamp of the chip that placed the wager, while it is only placed."""
    claimable: bool = False
    """Accepted in the round just ended: it can still be claimed until the next COIN IN."""
    awarded: bool = False
    """An award of this round was approved."""
    closed: Closure = Closure.NONE
    line_active: bool = False
    """The jammed line has not come back yet."""
    give_back: int = 0
    """Late and excess chips of this round the dealer must return."""
    look: bool = False
    """A chip may lie in this slot uncounted (lost edge, noise): the dealer must look."""
    dropped: int = 0
    accepted: int = 0
    excess: int = 0
    late: int = 0
    voided: int = 0
    noise: int = 0
    tested: int = 0


class Told(msgspec.Struct, frozen=True, gc=False):
    """What the floor last confirmed of a linked level: its amount in minor units, after so many wins of the link."""

    amount: int
    wins: int


class Level(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """One progressive amount and its meters, in minor units; carries in millionths of one.

    The money of a linked level is at the floor: `current` stays 0, and `shown` is what the floor confirmed.
    """

    name: str
    current: int
    carry: int = 0
    reserve_pool: int = 0
    reserve_carry: int = 0
    overflow_meter: int = 0
    hits_meter: int = 0
    wins_meter: int = 0
    house_prizes: int = 0
    """The part of `wins_meter` that the house paid as a prize of its own."""
    house_funding: int = 0
    """What the house put in: base amount, resets, and what a prize's fund lacked."""
    corrections: int = 0
    """Sum of all corrections; may be negative."""
    transfers_in: int = 0
    transfers_out: int = 0
    link_out: int = 0
    """What this table's wagers gave to links in all, in millionths of a minor unit: pot and reserve."""
    link_in: int = 0
    """What links gave for this table's awards in all."""
    told: Told | None = None
    """None: the level is the table's own, or the floor was never heard."""

    @property
    def shown(self) -> int:
        """What players are promised, minor units."""
        return self.current if self.told is None else self.told.amount


class Pot(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """All levels, and the meters of the whole table; `house_share` in millionths of a minor unit."""

    levels: tuple[Level, ...]
    in_meter: int = 0
    in_count: int = 0
    refund_meter: int = 0
    house_share: int = 0
    bonus_hits: int = 0
    """Awards of prizes that have no level."""
    bonus_wins: int = 0
    """What the house paid for them, outside every level."""


class Claim(msgspec.Struct, frozen=True, gc=False):
    """A hand shown at a seat, waiting for approval."""

    seat: int
    hand: Hand


class LinkClaim(msgspec.Struct, frozen=True, gc=False):
    """Approved claims of a round on a linked level that the floor has not answered yet.

    `number` is that of their first award and names the claim for ever: the following numbers are theirs too.
    """

    number: int
    level: str
    round: int
    claims: tuple[Claim, ...]

    @property
    def last(self) -> int:
        """The number of their last award."""
        return self.number + len(self.claims) - 1


class ShownHand(msgspec.Struct, frozen=True):
    """The cards behind a claim."""

    seat: int
    cards: tuple[Card, ...]


class Award(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """An approved award, kept until it is paid and its round is over. Amounts in minor units."""

    number: int
    round: int
    seat: int
    hand: Hand
    level: str | None
    amount: int
    fund: Fund
    paid: bool = False


class Tries(msgspec.Struct, frozen=True, gc=False):
    """Wrong PINs of a role in a row, and until when no further one is looked at (nanoseconds of this boot)."""

    role: Role
    wrong: int
    until_ns: int


class Tried(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """Wrong PINs entered for one person since his own right one, whoever entered right ones in between.

    `freed`: how many of them stood when another person freed him last; `until_ns` as in `Tries`, 0 for no wait.
    """

    number: int
    role: Role
    wrong: int
    freed: int = 0
    until_ns: int = 0


class Doing(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """What was asked for at the stick, when (nanoseconds of its boot), and what became of it; None: under way."""

    errand: Errand
    asked_ns: int
    became: Became | None = None


class Table(msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """A table at one moment. `game` is the digest of the rules it plays by, `board` that of the board it plays on."""

    game: str
    phase: Phase
    seats: tuple[Seat, ...]
    pot: Pot
    round: int = 1
    resume: Phase | None = None
    """The phase AWARD PENDING came from."""
    claims: tuple[Claim, ...] = ()
    awards: tuple[Award, ...] = ()
    link_claims: tuple[LinkClaim, ...] = ()
    """Oldest first."""
    shown: tuple[ShownHand, ...] = ()
    """Hands of this round entered to check a claim."""
    awards_made: int = 0
    """Number of the last award slip; the series has no gaps."""
    faults: tuple[Fault, ...] = ()
    supervisor: bool = False
    technician: bool = False
    supervisor_person: str = ""
    """Who has identified himself since the supervisor's key was turned; empty for nobody."""
    technician_person: str = ""
    tries: tuple[Tries, ...] = ()
    """The roles whose last PIN was wrong."""
    tried: tuple[Tried, ...] = ()
    """The persons for whom a wrong PIN was entered since their own right one."""
    board: str = ""
    """Empty: a program wrote this that did not keep it."""
    house: str = ""
    """The digest of what both keys agreed to beside rules and board; empty as above."""
    users: int = 0
    """Changes of the list of persons so far; the list carries the same number, so that an older copy is noticed."""
    release_until_ns: int | None = None
    """End of the chip release pulse that is under way."""
    lamp_test: bool = False
    recovered: bool = False
    """The program came back in the middle of something: the operator is told until the next step of the round."""
    bank_unopened: bool = False
    """The bank did not open in this round, and the policy pays no award then."""
    late_lock: bool = False
    """This round was locked by the supervisor after the cards were dealt."""
    counted: int | None = None
    """Chips the dealer counted, where that is not what was accepted."""
    received: tuple[str, ...] = ()
    """Transfers from other tables that were taken in; each only once."""
    doing: Doing | None = None
    """The last errand of a closed table; None once it plays or starts again."""
    punto: Punto | None = None
    """What only Punto y Banca keeps; None at a poker table."""
    refusal: Refusal | None = None
    """Why the last thing asked for was refused; shown until something is done."""
