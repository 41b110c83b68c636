"""All that `pozo odds` answers about one game, as one struct of exact figures, and the warnings that go with them."""

from decimal import Context, Decimal
from fractions import Fraction

import msgspec

from controller.core.game import Fund, Game, Hand, JudgedOn
from controller.core.money import PPM, plain
from controller.core.settlement import Opening
from controller.odds import frequencies
from controller.odds.frequencies import Frequency
from controller.odds.longrun import LevelRun, LongRun, long_run
from controller.odds.returns import OddsError, Pots, break_even, chances, mean_return, pays, variance
from controller.odds.written import amount, percent

_NEGLIGIBLE = Decimal("0.0001")


class Base(msgspec.Struct, frozen=True):
    """The cards alone: how often each category is dealt, and how often the bank opens (None: no such rule).

    No `categories` where a seat is not dealt a hand of three or five cards. `before_changes`: all is counted on the
    cards as dealt, although players or the bank may change some.
    """

    ace_low_straight: bool
    categories: tuple[Frequency, ...]
    bank_opens_with: Opening | None
    bank_opens: Fraction | None
    before_changes: bool


class PrizeOdds(msgspec.Struct, frozen=True):
    """One prize: `interval` is the mean number of wagers from one such hand to the next; `pays` in minor units."""

    hand: Hand
    ways: int
    hands: int
    probability: Fraction
    interval: Fraction
    pays: Fraction
    fund: Fund
    source: str


class Answer(msgspec.Struct, frozen=True):
    """A wager's odds. Amounts in minor units; returns and holds as parts of the wager; variances in squared wagers."""

    game: str
    currency: str
    wager: int
    base: Base
    prizes: tuple[PrizeOdds, ...]
    pots: dict[str, Fraction]
    return_at_pots: Fraction
    variance_at_pots: Fraction
    break_even_level: str | None
    break_even_pot: Fraction | None
    long_run: LongRun
    warnings: tuple[str, ...]


def base(game: Game, bank_opens: Opening | None, *, before_changes: bool) -> Base:
    """The odds of the cards alone."""
    low = game.ace_low_straight
    match game.dealt:
        case 5:
            categories = frequencies.of_five(ace_low_straight=low)
        case 3:
            categories = frequencies.of_three(ace_low_straight=low)
        case _:
            categories = ()
    return Base(
        ace_low_straight=low,
        categories=categories,
        bank_opens_with=bank_opens,
        bank_opens=None if bank_opens is None else frequencies.opening(bank_opens, ace_low_straight=low),
        before_changes=before_changes,
    )


def answer(game: Game, cards: Base, pots: Pots) -> Answer:
    """The odds of a game with prizes at pots like these. Raises `OddsError` where there is no exact answer."""
    if game.dealt != 5:
        raise OddsError(
            f"{game.profile} has prizes but deals {game.dealt} cards; prizes are for hands of five"
        )
    chance = chances(cards.categories)
    ways = {frequency.hand: frequency for frequency in cards.categories}
    level = game.levels[0].name if game.levels else None
    run = long_run(game, chance)
    even = None if level is None else break_even(game, chance, pots, level)
    return Answer(
        game=game.profile,
        currency=game.currency,
        wager=game.wager,
        base=cards,
        prizes=tuple(
            PrizeOdds(
                hand=prize.hand,
                ways=ways[prize.hand].ways,
                hands=ways[prize.hand].hands,
                probability=chance[prize.hand],
                interval=1 / chance[prize.hand],
                pays=pays(prize, pots),
                fund=prize.fund,
                source=prize.source,
            )
            for prize in game.prizes
        ),
        pots=dict(pots),
        return_at_pots=mean_return(game, chance, pots),
        variance_at_pots=variance(game, chance, pots),
        break_even_level=level,
        break_even_pot=even,
        long_run=run,
        warnings=tuple(_warnings(game, run)),
    )


def _warnings(game: Game, run: LongRun) -> list[str]:
    found: list[str] = []
    if run.hold <= 0:
        loss = amount(-run.hold * game.wager, game.currency)
        found.append(
            f"THE HOUSE CANNOT EARN: of each wager {percent(run.to_pots)} goes to the pots, "
            f"{percent(run.to_reserves)} to reserves, and the house pays {percent(run.from_house)} in prizes and "
            f"resets. It loses {loss} {game.currency} a wager on the mean. Let the pot or a reserve pay fixed prizes "
            f"(fund), lower increment_rate_ppm or the reset amount"
        )
    if game.policies.judged_on is JudgedOn.FINAL:
        found.append(
            "prizes are judged on the final hand, the figures are for the cards as dealt: which cards players change "
            "moves them, and without their choice there is no exact figure"
        )
    for level in run.levels:
        found.extend(_about(game, level))
    return found


def _about(game: Game, level: LevelRun) -> list[str]:
    found: list[str] = []
    if level.growth:
        found.append(
            f"level {level.name}: no prize takes a share of it, so it grows to its limit; what it gains by then is "
            "not returned to players"
        )
    if level.pot_prizes:
        found.append(
            f"level {level.name} pays fixed prizes: the figures hold while it is large enough for them; what it "
            "lacks is paid by the house and not counted here"
        )
    if level.mean_pot != level.mean_pot_most:
        found.append(
            f"level {level.name}: a share has a cap, so that its mean pot is known between bounds only"
        )
    met = _meets_limit(level)
    if met > _NEGLIGIBLE:
        rules = next(rules for rules in game.levels if rules.name == level.name)
        limit, spilt = plain(rules.limit, game.currency), met * rules.increment_rate_ppm / PPM
        found.append(
            f"level {level.name} may meet its limit of {limit} before it is won (chance at most {met * 100:.2f} %); "
            f"the figures are for a pot that does not. What goes over the limit lowers the long run's return by at "
            f"most {spilt * 100:.2f} points, and the mean pot with it"
        )
    return found


def _meets_limit(level: LevelRun) -> Decimal:
    """An upper bound of the chance that no 100 % award comes before the limit: other awards only delay it."""
    if level.hands_to_limit is None or level.growth:
        return Decimal(0)
    exact = Context(prec=30)
    stays = 1 - level.takes_all
    each = exact.divide(Decimal(stays.numerator), Decimal(stays.denominator))
    return exact.power(each, max(level.hands_to_limit, 0))
