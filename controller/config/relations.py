"""What must hold between the values of a game, each of which is allowed by itself."""

from controller.config.conform import Review
from controller.core.game import Fixed, Fund, Game, LevelRules, Prize, Share
from controller.core.money import AMOUNT_MAX, PPM, Currency, plain
from controller.core.punto.rules import PuntoRules, SeatedBy

_RATE_DOUBTFUL = 1000
"""Below a tenth of a percent a rate was probably meant as percent or as a factor."""


def check(game: Game, review: Review) -> None:
    """Put into the review what does not fit together, and as warnings what is allowed but rarely meant."""
    if game.wager < 1 and game.prizes:
        review.refuse(
            "wager.amount", f"{plain(game.wager, game.currency)} is no wager: it must be above zero"
        )
    if game.payable_unit < 1:
        least = plain(1, game.currency)
        review.refuse("wager.payable_unit", f"must be at least {least}, the smallest unit of {game.currency}")
    for level in game.levels:
        _amounts(level, game, review)
        _rates(level, review)
    _links(game, review)
    _rates_together(game, review)
    for prize in game.prizes:
        _prize(prize, game, review)
    if game.punto is not None:
        _punto(game.punto, game.currency, review)


def _punto(rules: PuntoRules, currency: Currency, review: Review) -> None:
    least = plain(1, currency)
    for name, amount in (("bank_min", rules.bank_min), ("bank_step", rules.bank_step)):
        if amount < 1:
            review.refuse(f"punto.{name}", f"{plain(amount, currency)} is too little: at least {least}")
    if rules.bank_max < rules.bank_min:
        written, lowest = plain(rules.bank_max, currency), plain(rules.bank_min, currency)
        review.refuse(
            "punto.bank_max", f"{written} is below punto.bank_min {lowest} ({review.where('punto.bank_min')})"
        )
    if rules.policies.seated_by is SeatedBy.OPEN_SEATS:
        what = "a seat counts as taken unless it is closed, so nobody checks that five are seated (num. 3)"
        review.warn("punto.seated_by", f'{what}; set it to "declared" to have the dealer say how many')


def _amounts(level: LevelRules, game: Game, review: Review) -> None:
    at, limit = f"pot.{level.name}", plain(level.limit, game.currency)
    if level.limit < 1:
        review.refuse(f"{at}.limit", f"{limit} leaves no room for a pot: it must be above zero")
    for name, amount in (("base_amount", level.base_amount), ("reset_amount", level.reset_amount)):
        written = plain(amount, game.currency)
        if amount > level.limit:
            what = f"{written} is above {at}.limit {limit} ({review.where(f'{at}.limit')}); lower it or raise the limit"
            review.refuse(f"{at}.{name}", what)
        elif amount == 0:
            review.warn(f"{at}.{name}", f"is {written}: the pot begins empty")


def _rates(level: LevelRules, review: Review) -> None:
    rates = (("increment_rate_ppm", level.increment_rate_ppm), ("reserve_rate_ppm", level.reserve_rate_ppm))
    for name, rate in rates:
        key = f"pot.{level.name}.{name}"
        if rate == 0:
            review.warn(key, "is 0: no part of a wager goes there")
        elif rate < _RATE_DOUBTFUL:
            review.warn(key, f"is {rate} parts per million, less than a tenth of a percent; is that meant?")


def _links(game: Game, review: Review) -> None:
    links = [level.link for level in game.levels if level.link is not None]
    for level in game.levels:
        if level.link is not None and links.count(level.link) > 1:
            what = (
                f"{level.link} is the link of another level too: a link is one pot, give each level its own"
            )
            review.refuse(f"pot.{level.name}.link", what)


def _rates_together(game: Game, review: Review) -> None:
    total = sum(level.increment_rate_ppm + level.reserve_rate_ppm for level in game.levels)
    if total > PPM:
        parts = ", ".join(
            f"{level.name} {level.increment_rate_ppm} + {level.reserve_rate_ppm}" for level in game.levels
        )
        review.refuse(
            "pot", f"the rates take {total} parts per million of a wager ({parts}); {PPM} is all there is"
        )


def _prize(prize: Prize, game: Game, review: Review) -> None:
    if prize.level is None:
        _bonus(prize, review)
    else:
        _on_level(prize, game, review)
    _amount(prize, game, review)


def _bonus(prize: Prize, review: Review) -> None:
    at = f"prizes.{prize.hand}"
    if isinstance(prize.pays, Share):
        review.refuse(at, "there is no pot to take a share of; give an amount or a wager_multiple")
    if prize.fund is not Fund.HOUSE:
        review.refuse(f"{at}.fund", "there is no pot and no reserve: the house pays this prize")


def _on_level(prize: Prize, game: Game, review: Review) -> None:
    at = f"prizes.{prize.hand}"
    level = next((level for level in game.levels if level.name == prize.level), None)
    if level is None:
        names = ", ".join(level.name for level in game.levels) or "none"
        review.refuse(f"{at}.level", f'there is no level "{prize.level}"; levels: {names}')
    elif prize.fund is Fund.RESERVE and level.reserve_rate_ppm == 0:
        key = f"pot.{level.name}.reserve_rate_ppm"
        review.warn(f"{at}.fund", f"is the reserve, but {key} is 0: the house will pay this prize")


def _amount(prize: Prize, game: Game, review: Review) -> None:
    at = f"prizes.{prize.hand}"
    match prize.pays:
        case Fixed(amount=int(most)) | Share(cap=int(most)) if most > AMOUNT_MAX:
            review.refuse(
                at, f"pays up to {plain(most, game.currency)}, more than any table does; lower the multiple"
            )
        case Share(share_ppm=0):
            review.refuse(at, "share_ppm is 0: a prize that pays nothing is none; take the hand out")
        case Fixed(amount=0):
            review.refuse(at, "the amount is 0: a prize that pays nothing is none; take the hand out")
        case Fixed(amount=amount) if game.payable_unit > 0 and amount % game.payable_unit:
            unit, written = plain(game.payable_unit, game.currency), plain(amount, game.currency)
            review.refuse(
                at, f"{written} cannot be paid in units of {unit} (wager.payable_unit); lower the unit"
            )
        case _:
            return
