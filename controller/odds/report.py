"""An answer as text for people: tables of figures rounded to the digits shown, each with its unit."""

from collections.abc import Iterator
from fractions import Fraction

from controller.core.money import Currency
from controller.odds.answer import Answer, Base
from controller.odds.frequencies import FIVE_CARD_HANDS
from controller.odds.longrun import LevelRun
from controller.odds.written import amount, decimal, percent, square_root

_PROBABILITY_PLACES = 12


def base_lines(game: str, cards: Base) -> Iterator[str]:
    """The odds of the cards alone."""
    yield game
    if cards.categories:
        ace = "may begin a straight" if cards.ace_low_straight else "is high only"
        yield f"{cards.categories[0].hands:,} hands; the ace {ace}"
        if cards.before_changes:
            yield "cards as dealt, before any is changed"
        yield ""
        yield f"{'hand':<18}{'ways':>12}{'probability':>18}{'one in':>16}"
        for line in cards.categories:
            share = decimal(line.probability, _PROBABILITY_PLACES)
            yield f"{line.hand:<18}{line.ways:>12,}{share:>18}{decimal(1 / line.probability, 2):>16}"
        yield ""
    if cards.bank_opens is not None:
        needed = str(cards.bank_opens_with).replace("_", " ")
        ways = decimal(cards.bank_opens * FIVE_CARD_HANDS, 0)
        exact = f"{ways} of {FIVE_CARD_HANDS:,} hands, {percent(cards.bank_opens)}"
        yield f"the bank opens with {needed} or better: {exact}"
    elif cards.categories:
        yield "the rules give no hand the bank must have to open"


def lines(found: Answer) -> Iterator[str]:
    """The whole answer."""
    yield from base_lines(found.game, found.base)
    yield from (
        "",
        f"one wager of {_money(found, Fraction(found.wager))}, one hand, no other winner in the round",
    )
    yield ""
    yield from _prizes(found)
    yield from _at_pots(found)
    yield from _in_the_long_run(found)
    for warning in found.warnings:
        yield f"warning: {warning}"


def _prizes(found: Answer) -> Iterator[str]:
    yield f"{'prize':<18}{'probability':>18}{'every … wagers':>18}{'pays':>18}  paid by"
    for prize in found.prizes:
        yield (
            f"{prize.hand:<18}{decimal(prize.probability, _PROBABILITY_PLACES):>18}"
            f"{decimal(prize.interval, 2):>18}{_plain(found, prize.pays):>18}  {prize.fund} ({prize.source})"
        )
    yield ""


def _at_pots(found: Answer) -> Iterator[str]:
    standing = ", ".join(f"{name} {_money(found, pot)}" for name, pot in found.pots.items())
    yield f"at pots of {standing or 'none'}"
    yield f"  return              {percent(found.return_at_pots)}"
    yield f"  variance            {decimal(found.variance_at_pots, 4)} squared wagers"
    yield f"  standard deviation  {square_root(found.variance_at_pots, 4)} wagers"
    if found.break_even_pot is None:
        yield "  break-even pot      none: no pot returns the whole wager"
    else:
        pot = _money(found, found.break_even_pot)
        yield f"  break-even pot      {found.break_even_level} {pot}: above it a wager returns more than it costs"
    yield ""


def _in_the_long_run(found: Answer) -> Iterator[str]:
    run = found.long_run
    yield "in the long run, of each wager"
    yield f"  return to players   {percent(run.returns)} ({percent(run.returns_without_resets)} without resets)"
    yield f"  to the pots         {percent(run.to_pots)}"
    yield f"  to the reserves     {percent(run.to_reserves)} (stays there: {percent(run.reserve_growth)})"
    yield f"  paid by the house   {percent(run.from_house)}"
    yield f"  the house holds     {percent(run.hold)}"
    if run.variance is not None:
        yield f"  standard deviation  {square_root(run.variance, 4)} wagers, over all pots"
    for level in run.levels:
        yield f"  mean pot of {level.name:<7} {_mean_pot(found, level)}"
    yield ""


def _mean_pot(found: Answer, level: LevelRun) -> str:
    if level.mean_pot is None:
        return "none: nothing takes a share of it"
    if level.mean_pot_most is None:
        return f"at least {_money(found, level.mean_pot)}"
    if level.mean_pot_most == level.mean_pot:
        return _money(found, level.mean_pot)
    return f"between {_money(found, level.mean_pot)} and {_money(found, level.mean_pot_most)}"


def _money(found: Answer, minor: Fraction) -> str:
    return f"{_plain(found, minor)} {found.currency}"


def _plain(found: Answer, minor: Fraction) -> str:
    return amount(minor, Currency(found.currency))
