"""Events by which people act: dealer, supervisor, technician."""

import msgspec

from controller.core.cards import Card
from controller.core.events.base import Event
from controller.core.events.words import Payment, Reason
from controller.core.faults import FaultCode
from controller.core.game import Hand


class LampTestStarted(Event, frozen=True):
    """All lamps on, so that the dealer can confirm them."""


class TableOpened(Event, frozen=True):
    """The supervisor opened the table; `dead_lamps` are the seats whose lamp the dealer saw dark."""

    dead_lamps: tuple[int, ...] = ()


class TableClosed(Event, frozen=True):
    """The supervisor closed the table."""


class DealerChanged(Event, frozen=True, omit_defaults=True):
    """Another dealer took over, known by a number or a name; `person`: who that number is, where the table knows it.

    `identified`: he has entered his PIN.
    """

    dealer: str
    person: str = ""
    identified: bool = False


class SeatClosed(Event, frozen=True):
    """A seat was closed by hand."""

    seat: int


class SeatOpened(Event, frozen=True):
    """A closed seat was opened again."""

    seat: int


class LateLocked(Event, frozen=True):
    """COIN IN had been forgotten: the supervisor locks the round and accepts what was placed."""


class CountConfirmed(Event, frozen=True):
    """The dealer found as many chips as the screen says."""


class DiscrepancyFound(Event, frozen=True):
    """The dealer counted `chips` chips in the bucket, not what the screen says."""

    chips: int


class DiscrepancyAccepted(Event, frozen=True):
    """The supervisor accepts the difference."""


class SeatVoided(Event, frozen=True):
    """A seat's wager is void."""

    seat: int
    reason: Reason


class RoundVoided(Event, frozen=True):
    """Every wager of the round is void."""

    reason: Reason


class HandFolded(Event, frozen=True):
    """The player does not go on."""

    seat: int


class CardBought(Event, frozen=True):
    """The player bought a card."""

    seat: int


class BankNotOpened(Event, frozen=True):
    """The bank's hand does not open; where the policy says so, this round's awards are not paid."""


class AwardClaimed(Event, frozen=True):
    """A seat shows a hand that wins an award."""

    seat: int
    hand: Hand


class CardsShown(Event, frozen=True):
    """The cards behind a seat's claim are entered, so that the claim is checked against them."""

    seat: int
    cards: tuple[Card, ...]


class AwardWithdrawn(Event, frozen=True):
    """The dealer takes a claim back."""

    seat: int


class AwardRejected(Event, frozen=True):
    """The supervisor rejects a claim; the reason is kept."""

    seat: int
    reason: str


class AwardsApproved(Event, frozen=True):
    """All pending claims of the round are approved together."""


class AwardPaid(Event, frozen=True):
    """Award `number` was paid; `signed`: the slip carries the signatures."""

    number: int
    how: Payment
    signed: bool


class DisputeRaised(Event, frozen=True):
    """A player complains. It is recorded; it is no award."""

    seat: int


class FaultClearAsked(Event, frozen=True):
    """Somebody clears a fault."""

    code: FaultCode


class PotCorrected(Event, frozen=True):
    """Both keys set a level to `amount` minor units; the reason is kept."""

    level: str
    amount: int
    reason: str


class Change(msgspec.Struct, frozen=True):
    """One parameter that changed: its dotted key, the old and the new value as the files write them."""

    key: str
    old: str
    new: str


class ParametersChanged(Event, frozen=True):
    """Both keys accept new rules: their digest, the rules as JSON, each change, and who turned the keys.

    `board` and `wiring` are the board they accept with them, by its digest and as JSON; empty: the one of before. So
    are `house` and `terms`: what they agree to beside rules and board.
    """

    game: str
    rules: str
    changes: tuple[Change, ...]
    supervisor: str
    technician: str
    board: str = ""
    wiring: str = ""
    house: str = ""
    terms: str = ""


class DeviceKeyChanged(Event, frozen=True):
    """Both keys give the device another key to sign with. Public halves, in hexadecimal; `old` is empty if it had none.

    `endorsed` is the old key's signature under the new one, empty where the old one is lost: then only the paper with
    the new key's public half tells that it is the house's.
    """

    old: str
    new: str
    endorsed: str
    supervisor: str
    technician: str
    reason: str


class PotTransferred(Event, frozen=True):
    """Both keys move `amount` minor units from one level to another of this table."""

    source: str
    target: str
    amount: int
    reason: str


class TransferSent(Event, frozen=True):
    """Both keys send `amount` minor units of a level to another table; `transfer` names it for ever."""

    transfer: str
    level: str
    amount: int
    to_table: str
    reason: str


class TransferReceived(Event, frozen=True):
    """Both keys take in what another table sent; the same transfer is never taken twice.

    `sender_key`: the sending table's public key, as filed, that the transfer's file was signed with.
    """

    transfer: str
    level: str
    amount: int
    from_table: str
    sender_key: str = ""
