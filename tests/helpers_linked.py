"""A game with a linked pot (10.00 a wager, half to the pot, 5 % to its reserve), and answers as a floor gives them."""

from collections.abc import Iterable

from msgspec.structs import replace

from controller.core import events as ev
from controller.core.game import Fund, Game, Hand, Share
from controller.core.state import Table
from tests.helpers_game import GAME, chips, key, opened, play

LINK = "sala"
MAIN = replace(GAME.levels[0], link=LINK, reserve_rate_ppm=50_000)
LINKED: Game = replace(GAME, levels=(MAIN,))
SF, RF = Hand.STRAIGHT_FLUSH, Hand.ROYAL_FLUSH


def told(amount: int = 10_000_000, wins: int = 0, at_ns: int = 5) -> ev.LinkTold:
    """The floor confirms the pot."""
    return ev.LinkTold(at_ns, "main", amount, wins)


def linked_open(game: Game = LINKED, amount: int = 10_000_000) -> Table:
    """A table in OPEN that knows its linked pot."""
    return play(game, opened(game), [told(amount)])


def linked_claimed(claims: dict[int, Hand], game: Game = LINKED) -> Table:
    """A locked round with these claims approved, the supervisor's key turned."""
    acts: Iterable[ev.AnyEvent] = (ev.AwardClaimed(30, seat, hand) for seat, hand in claims.items())
    begun: list[ev.AnyEvent] = [
        *chips(*claims),
        ev.CoinInPressed(20),
        key(on=True),
        *acts,
        ev.AwardsApproved(40),
    ]
    return play(game, linked_open(game), begun)


def award(number: int, won: tuple[int, Hand], amount: int, before: int, parts: int = 1) -> ev.AwardApproved:
    """An award that the linked pot pays whole: the last one of its equal parts, or the only one."""
    seat, hand = won
    prize = LINKED.prize(hand)
    assert prize is not None
    assert isinstance(prize.pays, Share)
    after, ppm = before - parts * amount, prize.pays.share_ppm
    return ev.AwardApproved(
        number, seat, hand, "main", amount, before, after, ppm, Fund.POT, amount, 0, 0, "art. 17", parts
    )
