"""Events of Punto y Banca (seed 001); the numbers are the text's."""

from controller.core.events.base import Event
from controller.core.punto.score import PuntoResult


class PlayersSeated(Event, frozen=True):
    """The dealer declares how many are seated (num. 3)."""

    count: int


class ShoeMade(Event, frozen=True):
    """The table chief put a full shoe together, `behind_red` cards behind the red one (nums. 4, 19, 43)."""

    behind_red: int


class RedCardShown(Event, frozen=True):
    """The red card came up: "último pase de este sabot" (num. 41)."""


class CardBurned(Event, frozen=True):
    """A card that lay face up in the shoe was burned (nums. 9 and 29)."""


class CardsCounted(Event, frozen=True):
    """The dealer counted the cards left in the shoe."""

    cards: int


class HandsShown(Event, frozen=True):
    """Both hands lie face up, by rank (1 ace … 13 rey).

    `by_dealer`: nobody seated had bet on punto, so the dealer stands on 5 (num. 28); not the case of num. 27.
    """

    punto: tuple[int, ...]
    banca: tuple[int, ...]
    by_dealer: bool = False


class ResultEntered(Event, frozen=True):
    """The dealer announces the result; `amount`: what the bank won or lost, where the house has it entered."""

    result: PuntoResult
    amount: int | None = None


class DealDoubted(Event, frozen=True):
    """The dealer says "las cartas juegan así distribuidas": who disagrees may withdraw (num. 10)."""


class BankTaken(Event, frozen=True):
    """Seat `seat` holds the bank with `stake` minor units (nums. 5 and 26).

    `free`: as *asiento libre*, in the place of the seat whose turn it is and who keeps that turn (nums. 6, 18, 26).
    """

    seat: int
    stake: int
    free: bool = False


class BankRaised(Event, frozen=True):
    """The banker adds `by` minor units to the bank (num. 38)."""

    by: int


class BankWithdrawn(Event, frozen=True):
    """The banker takes `amount` minor units out of the bank (nums. 15 and 16)."""

    amount: int


class BankPassed(Event, frozen=True):
    """The banker gives the *suite* (num. 20)."""


class BankGivenUp(Event, frozen=True):
    """The banker leaves without a *suite*: nums. 10 and 18, before his first deal, or by policy in the last round."""


class BetNotWithdrawn(Event, frozen=True):
    """A winning bet of `amount` minor units stays on the table and plays on (num. 44)."""

    seat: int
    side: PuntoResult
    amount: int


class BetTakenBack(Event, frozen=True):
    """A bet that was left is withdrawn after all."""

    seat: int
    side: PuntoResult
