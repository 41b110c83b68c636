"""A game of Punto y Banca in minor units (bank 100.00 to 1,000.00 by 10.00), each policy as it would be shipped."""

from collections.abc import Iterable

from msgspec.structs import replace

from controller.core import events as ev
from controller.core.game import Game, without_awards
from controller.core.invariants import check
from controller.core.money import Currency
from controller.core.punto.rules import (
    BankLow,
    BankNatural,
    BankWins,
    CommissionBase,
    Discount,
    EncartSuite,
    FirstDiscount,
    FrozenInto,
    HouseSuite,
    LastBank,
    LeftPlays,
    PuntoPolicies,
    PuntoRules,
    RedCard,
    Remainder,
    SeatedBy,
)
from controller.core.punto.score import PuntoResult
from controller.core.punto.state import Punto
from controller.core.state import Table
from controller.core.table import step
from tests.helpers_game import key, opened, play

PUNTO_POLICIES = PuntoPolicies(
    bank_low=BankLow.DRAWS,
    bank_natural=BankNatural.CLOSES,
    bank_draws_to=5,
    discount=Discount.WINNINGS,
    commission_base=CommissionBase.PAYING_ROUND,
    first_discount=FirstDiscount.HALF_ONLY,
    first_discount_stacks=False,
    encart_suite=EncartSuite.AFTER_HALF,
    remainder=Remainder.PLAYER,
    bank_wins=BankWins.STAKE,
    red_card=RedCard.NEXT_ROUND,
    left_plays=LeftPlays.WITH_WINNINGS,
    first_win_counts=True,
    frozen_into=FrozenInto.HOUSE,
    last_bank=LastBank.STAYS,
    house_suite=HouseSuite.UNTIL_SHOE_ENDS,
    withdraw_before_win=False,
    seated_by=SeatedBy.OPEN_SEATS,
    require_shoe=False,
    require_banker=False,
)
RULES = PuntoRules(decks=6, bank_min=10_000, bank_max=100_000, bank_step=1_000, policies=PUNTO_POLICIES)


def with_punto(rules: PuntoRules = RULES, /, **values: object) -> PuntoRules:
    """The rules with other policies."""
    return replace(rules, policies=replace(rules.policies, **values))


PUNTO_GAME = Game(
    profile="uy-montevideo-punto-banca",
    currency=Currency.UYU,
    seats=16,
    wager=0,
    payable_unit=1,
    dealt=0,
    ace_low_straight=False,
    levels=(),
    prizes=(),
    policies=without_awards(require_sign=True, require_host=False),
    release_ms=500,
    punto=RULES,
)


def game_with(**values: object) -> Game:
    """The game with other policies of its own."""
    return replace(PUNTO_GAME, punto=with_punto(**values))


def opened_punto(game: Game = PUNTO_GAME) -> Table:
    """A table in OPEN, no key turned, no bank, no shoe."""
    return opened(game)


def round_of(result: PuntoResult, amount: int | None = None) -> list[ev.AnyEvent]:
    """A whole round with this result."""
    return [ev.CoinInPressed(20), ev.ResultEntered(21, result, amount), ev.GameOverPressed(22)]


def state(table: Table) -> Punto:
    """What only this game keeps."""
    assert table.punto is not None
    return table.punto


def told(game: Game, table: Table, events: Iterable[ev.AnyEvent]) -> list[ev.AnyResult]:
    """The results of the last of these events; the law is checked at each."""
    results: tuple[ev.AnyResult, ...] = ()
    for event in events:
        before = table
        table, results = step(game, table, event)
        check(game, before, table, results)
    return list(results)


def refused(game: Game, table: Table, *events: ev.AnyEvent) -> ev.Refusal:
    """Why the last of these events is refused."""
    (result,) = told(game, table, events)
    assert isinstance(result, ev.Refused), result
    return result.reason


__all__ = [
    "PUNTO_GAME",
    "PUNTO_POLICIES",
    "RULES",
    "game_with",
    "key",
    "opened_punto",
    "play",
    "refused",
    "round_of",
    "state",
    "told",
    "with_punto",
]
