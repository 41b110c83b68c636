"""A Montevideo game in minor units (wager 10.00, reset 10,000.00), and short ways to play it by events."""

from collections.abc import Iterable

from msgspec.structs import replace

from controller.core import events as ev
from controller.core.game import (
    Fixed,
    Fund,
    Game,
    Hand,
    JudgedOn,
    LevelRules,
    Order,
    OverflowUse,
    Policies,
    Prize,
    RoyalExcludes,
    RoyalSplit,
    Share,
)
from controller.core.invariants import check
from controller.core.money import Currency
from controller.core.state import Table
from controller.core.table import commission, step

POLICIES = Policies(
    order=Order.SEAT,
    royal_split=RoyalSplit.EQUAL,
    royal_excludes=RoyalExcludes.HAND,
    fold_forfeits=True,
    purchase_forfeits=True,
    judged_on=JudgedOn.DEALT,
    award_when_bank_does_not_open=True,
    bet_returned_with_progressive=None,
    award_key_from=0,
    require_sign=True,
    require_host=False,
)
MAIN = LevelRules(
    name="main",
    base_amount=10_000_000,
    reset_amount=1_000_000,
    increment_rate_ppm=500_000,
    reserve_rate_ppm=0,
    limit=100_000_000,
    overflow_use=OverflowUse.NEXT_RESET,
)
PRIZES = (
    Prize(Hand.ROYAL_FLUSH, "main", Share(1_000_000), Fund.POT, "art. 17"),
    Prize(Hand.STRAIGHT_FLUSH, "main", Share(100_000), Fund.POT, "art. 17"),
    Prize(Hand.FOUR_OF_A_KIND, "main", Fixed(500_000), Fund.HOUSE, "art. 17"),
    Prize(Hand.FULL_HOUSE, "main", Fixed(100_000), Fund.HOUSE, "art. 17"),
    Prize(Hand.FLUSH, "main", Fixed(50_000), Fund.HOUSE, "art. 17"),
)
GAME = Game(
    profile="uy-montevideo-caribbean",
    currency=Currency.UYU,
    seats=7,
    wager=1_000,
    payable_unit=1,
    dealt=5,
    ace_low_straight=False,
    levels=(MAIN,),
    prizes=PRIZES,
    policies=POLICIES,
    release_ms=500,
    sells_card=True,
)


def with_level(game: Game = GAME, **values: int | OverflowUse) -> Game:
    """The game with other values of its main level."""
    return replace(game, levels=(replace(game.levels[0], **values), *game.levels[1:]))


def with_policies(game: Game = GAME, **values: object) -> Game:
    """The game with other policies."""
    return replace(game, policies=replace(game.policies, **values))


def new_table(game: Game = GAME) -> Table:
    """A table as commissioned: CLOSED."""
    table, _ = commission(game, ev.Commissioned(0, "mvd-07", "digest", "{}"))
    return table


def play(game: Game, table: Table, events: Iterable[ev.AnyEvent]) -> Table:
    """Step through events; the law is checked at each."""
    for event in events:
        before = table
        table, results = step(game, table, event)
        assert results, f"{event} had no result"
        check(game, before, table, results)
    return table


def key(on: bool, which: ev.Key = ev.Key.SUPERVISOR) -> ev.KeyTurned:
    """A turn of a key."""
    return ev.KeyTurned(1, which, on)


def opened(game: Game = GAME) -> Table:
    """A table in OPEN, no key turned, no chip placed."""
    return play(game, new_table(game), [key(True), ev.LampTestStarted(1), ev.TableOpened(1), key(False)])


def chips(*seats: int, at_ns: int = 10) -> list[ev.AnyEvent]:
    """A chip at each seat."""
    return [ev.ChipDropped(at_ns, seat) for seat in seats]


def locked(*seats: int, game: Game = GAME) -> Table:
    """A table in LOCKED with accepted wagers at these seats."""
    return play(game, opened(game), [*chips(*seats), ev.CoinInPressed(20)])


def pending(claims: dict[int, Hand], game: Game = GAME) -> Table:
    """A table in AWARD PENDING with these claims from a locked round, and the supervisor's key turned."""
    table = locked(*claims, game=game)
    return play(game, table, [key(True), *(ev.AwardClaimed(30, seat, hand) for seat, hand in claims.items())])
