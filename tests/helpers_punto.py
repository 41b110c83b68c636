"""A game of Punto y Banca in minor units (bank 100.00 to 1,000.00 by 10.00), each policy as it would be shipped."""

from msgspec.structs import replace

from controller.core.punto.rules import (
    BankLow,
    BankNatural,
    BankWins,
    CommissionBase,
    Discount,
    EncartSuite,
    FirstDiscount,
    LeftPlays,
    PuntoPolicies,
    PuntoRules,
    RedCard,
    Remainder,
    SeatedBy,
)

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
    seated_by=SeatedBy.OPEN_SEATS,
    require_shoe=False,
    require_banker=False,
)
RULES = PuntoRules(decks=6, bank_min=10_000, bank_max=100_000, bank_step=1_000, policies=PUNTO_POLICIES)


def with_punto(rules: PuntoRules = RULES, **values: object) -> PuntoRules:
    """The rules with other policies."""
    return replace(rules, policies=replace(rules.policies, **values))
