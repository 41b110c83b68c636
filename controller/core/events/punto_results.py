"""What became of an event at a table of Punto y Banca."""

from controller.core.events.base import Result
from controller.core.events.words import Reason
from controller.core.punto.draw import Mistake
from controller.core.punto.score import PuntoResult


class CardsJudged(Result, frozen=True):
    """What the cards of a deal say (nums. 7 and 8); no result while a mistake stands the text does not settle."""

    punto: int
    banca: int
    result: PuntoResult | None
    mistake: Mistake | None = None


class ResultStands(Result, frozen=True):
    """The round's result; GAME OVER books it."""

    result: PuntoResult


class DealtAgain(Result, frozen=True):
    """Encart: the same round is dealt again, the bets stand (num. 8)."""

    encarts: int


class RoundAnnulled(Result, frozen=True):
    """The round is void; nothing is won or lost."""

    round: int
    reason: Reason


class BankOpened(Result, frozen=True):
    """A *talla* begins. `suite`: taken over from a banker who passed it on; `free`: as *asiento libre*."""

    seat: int
    stake: int
    suite: bool
    free: bool = False


class BankMoved(Result, frozen=True):
    """The bank's stake changed; amounts in minor units, `source` the article a commission was taken by.

    `won` in a round, `raised` by the banker, `frozen` bets that entered it (below 0: they wait again, for the bank is
    given back before its first round), `paid_out` to the banker.
    """

    seat: int
    stake: int
    won: int = 0
    raised: int = 0
    frozen: int = 0
    paid_out: int = 0
    commission: int = 0
    source: str = ""


class BankEnded(Result, frozen=True):
    """A *talla* is over: `lost` to punto, `paid_out` to the banker, `commission` by the article `source`."""

    seat: int
    lost: int
    paid_out: int
    commission: int
    source: str


class TurnPassed(Result, frozen=True):
    """It is seat `seat`'s turn to deal (num. 6)."""

    seat: int


class BetLeft(Result, frozen=True):
    """A bet plays on; `wins` of three (num. 44). `waiting` lies beside it and does not play."""

    seat: int
    side: PuntoResult
    amount: int
    waiting: int
    wins: int


class BetLost(Result, frozen=True):
    """A bet that was left lost; `waiting`, after a discount by policy, is still its player's."""

    seat: int
    side: PuntoResult
    amount: int
    waiting: int


class BetFrozen(Result, frozen=True):
    """A bet won for the third time and enters the bank of seat `into`.

    0: no bank goes on; then it `waits` for the next one, or the house keeps it.
    """

    seat: int
    side: PuntoResult
    amount: int
    into: int
    waits: bool = False


class BetReturned(Result, frozen=True):
    """A bet that was left is given back, winnings beside it included; or those winnings alone, when it is frozen."""

    seat: int
    side: PuntoResult
    amount: int


class LastRound(Result, frozen=True):
    """The round now open is the shoe's last: bets may be withdrawn, none added (num. 41)."""


class ShoeOver(Result, frozen=True):
    """The shoe is over: its last round was played (num. 43), or it had to be made anew before that (num. 19)."""
