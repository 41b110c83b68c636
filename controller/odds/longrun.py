"""The long run: what wagers return on the mean over all pots that will ever be, what the house keeps, the mean pot.

A pot is a store. What goes into it comes out again, so that per wager, on the mean over all time,

    paid from the pot = contribution + chance of a 100 % award × reset amount,

whatever shares and caps are, as long as something empties the pot again and again and it does not meet its limit.
Prizes that the reserve or the house pays come on top. The house pays its own prizes, and what the reserve lacks for
resets and its prizes: a reserve that takes in more than it pays never lacks anything in the long run, one that
takes in less pays out just what it took in.

The mean pot (as a hand finds it, its own wager's contribution included) follows from the same balance: with shares
s of chance q, 100 % awards of chance p, fixed prizes F per wager from the pot, contribution c and reset amount R,
(p + Σ q × s) × mean = c + p × R - F. Where a cap cuts a share, the equation with the cap in it gives a lower bound,
because a capped share bends downwards (Jensen's inequality), and `controller.odds.capped` bounds it from both sides.
"""

from fractions import Fraction

import msgspec

from controller.core.game import Fixed, Fund, Game, LevelRules, Prize, Share
from controller.core.money import PPM
from controller.odds.capped import CappedShare, Pot, mean_paid
from controller.odds.returns import Chances, OddsError, caps_reached, pays, reaches


class LevelRun(msgspec.Struct, frozen=True):
    """One level, per wager and in minor units. `growth` is what a pot that nothing empties gains.

    The mean pot lies between `mean_pot` and `mean_pot_most`, which are equal where no cap cuts a share. Both are None
    for a pot that nothing empties, the second one where no upper bound is known.
    `hands_to_limit` is how many hands without any award carry a pot from its reset amount to its limit (None: it
    never gets there); `takes_all` is the chance of a 100 % award.
    """

    name: str
    contribution: Fraction
    reserve: Fraction
    resets: Fraction
    pot_prizes: Fraction
    reserve_prizes: Fraction
    house_prizes: Fraction
    from_house: Fraction
    reserve_growth: Fraction
    growth: Fraction
    mean_pot: Fraction | None
    mean_pot_most: Fraction | None
    mean_square_pot: Fraction | None
    hands_to_limit: int | None
    takes_all: Fraction


class LongRun(msgspec.Struct, frozen=True):
    """The whole table, as parts of the wager: `returns` + `hold` + `reserve_growth` + `pot_growth` = 1."""

    returns: Fraction
    returns_without_resets: Fraction
    hold: Fraction
    to_pots: Fraction
    to_reserves: Fraction
    from_house: Fraction
    reserve_growth: Fraction
    pot_growth: Fraction
    variance: Fraction | None
    """Of the payment to one wager, in squared wagers, over all pots; None where no exact mean pot is known."""
    levels: tuple[LevelRun, ...]


def long_run(game: Game, chance: Chances) -> LongRun:
    """The long run of a game. Raises `OddsError` for a pot that its own prizes keep empty."""
    levels = tuple(_level(game, rules, chance) for rules in game.levels)
    bonus = _fixed([prize for prize in game.prizes if prize.level is None], Fund.HOUSE, chance)
    wager = Fraction(game.wager)
    resets = sum((level.resets for level in levels), Fraction()) / wager
    returns = sum((_paid(level) for level in levels), bonus) / wager
    to_pots = sum((level.contribution for level in levels), Fraction()) / wager
    to_reserves = sum((level.reserve for level in levels), Fraction()) / wager
    from_house = sum((level.from_house for level in levels), bonus) / wager
    reserve_growth = sum((level.reserve_growth for level in levels), Fraction()) / wager
    growth = sum((level.growth for level in levels), Fraction()) / wager
    hold = 1 - to_pots - to_reserves - from_house
    if returns + hold + reserve_growth + growth != 1:
        raise AssertionError(f"a wager does not add up: {returns} + {hold} + {reserve_growth} + {growth}")
    return LongRun(
        returns=returns,
        returns_without_resets=returns - resets,
        hold=hold,
        to_pots=to_pots,
        to_reserves=to_reserves,
        from_house=from_house,
        reserve_growth=reserve_growth,
        pot_growth=growth,
        variance=_variance(game, chance, levels, returns),
        levels=levels,
    )


def _paid(level: LevelRun) -> Fraction:
    from_pot = level.contribution + level.resets - level.growth
    return from_pot + level.reserve_prizes + level.house_prizes


def _level(game: Game, rules: LevelRules, chance: Chances) -> LevelRun:
    mine = [prize for prize in game.prizes if prize.level == rules.name]
    _shares_come_from_the_pot(mine)
    contribution = Fraction(game.wager * rules.increment_rate_ppm, PPM)
    reserve = Fraction(game.wager * rules.reserve_rate_ppm, PPM)
    takes_all = sum((chance[prize.hand] for prize in mine if _takes_all(prize)), Fraction())
    resets = takes_all * rules.reset_amount
    pot_prizes = _fixed(mine, Fund.POT, chance)
    reserve_prizes = _fixed(mine, Fund.RESERVE, chance)
    house_prizes = _fixed(mine, Fund.HOUSE, chance)
    covered = min(reserve, resets + reserve_prizes)
    for_shares = contribution + resets - pot_prizes
    if for_shares < 0:
        raise OddsError(
            f"level {rules.name}: its fixed prizes cost more than contributions and resets bring, the pot stands "
            f"empty and the house pays the rest. Have them paid by the house, or raise increment_rate_ppm"
        )
    shares = [prize for prize in mine if isinstance(prize.pays, Share) and prize.pays.share_ppm]
    capped = bool(caps_reached(shares, rules.name))
    mean = most = _mean_pot(rules.name, shares, chance, for_shares)
    if mean is not None and capped:
        pot = Pot(takes_all, contribution, rules.reset_amount)
        mean, most = _mean_of_capped(pot, mean, shares, chance, pot_prizes)
    return LevelRun(
        name=rules.name,
        contribution=contribution,
        reserve=reserve,
        resets=resets,
        pot_prizes=pot_prizes,
        reserve_prizes=reserve_prizes,
        house_prizes=house_prizes,
        from_house=house_prizes + resets + reserve_prizes - covered,
        reserve_growth=reserve - covered,
        growth=Fraction() if shares else for_shares,
        mean_pot=mean,
        mean_pot_most=most,
        mean_square_pot=None
        if mean is None or capped
        else _mean_square(rules, mine, chance, contribution, mean),
        hands_to_limit=_hands_to_limit(rules, contribution),
        takes_all=takes_all,
    )


def _shares_come_from_the_pot(prizes: list[Prize]) -> None:
    for prize in prizes:
        if isinstance(prize.pays, Share) and prize.fund is not Fund.POT:
            raise OddsError(
                f"{prize.hand} is a share of {prize.level} paid by the {prize.fund}: such a pot has no exact long "
                f"run. Set prizes.{prize.hand}.fund = pot"
            )


def _takes_all(prize: Prize) -> bool:
    return isinstance(prize.pays, Share) and prize.pays.share_ppm == PPM


def _fixed(prizes: list[Prize], fund: Fund, chance: Chances) -> Fraction:
    return sum(
        (
            chance[prize.hand] * prize.pays.amount
            for prize in prizes
            if prize.fund is fund and isinstance(prize.pays, Fixed)
        ),
        Fraction(),
    )


def _mean_pot(level: str, shares: list[Prize], chance: Chances, for_shares: Fraction) -> Fraction | None:
    def paid(pot: Fraction) -> Fraction:
        return sum((chance[prize.hand] * pays(prize, {level: pot}) for prize in shares), Fraction())

    return reaches(paid, caps_reached(shares, level), for_shares)


def _mean_of_capped(
    pot: Pot, jensen: Fraction, shares: list[Prize], chance: Chances, pot_prizes: Fraction
) -> tuple[Fraction, Fraction | None]:
    """Least and most of the mean pot; fixed prizes from the pot or a share without a cap leave only the least."""
    cut = tuple(
        CappedShare(chance[prize.hand], prize.pays.share_ppm, prize.pays.cap)
        for prize in shares
        if isinstance(prize.pays, Share) and prize.pays.cap is not None and not _takes_all(prize)
    )
    uncapped = [prize for prize in shares if isinstance(prize.pays, Share) and prize.pays.cap is None]
    all_known = all(_takes_all(prize) for prize in uncapped) and len(cut) + len(uncapped) == len(shares)
    if pot_prizes or not pot.takes_all or not pot.contribution or not all_known:
        return jensen, None
    least, most = mean_paid(pot, cut)
    goes_in = pot.contribution + pot.takes_all * pot.reset
    return max(jensen, (goes_in - most) / pot.takes_all), (goes_in - least) / pot.takes_all


def _mean_square(
    rules: LevelRules, prizes: list[Prize], chance: Chances, contribution: Fraction, mean: Fraction
) -> Fraction:
    """The mean of the squared pot: the pot a hand finds is the last hand's after its awards, plus one contribution.

    Written as mean square = kept × mean square + rest, where each outcome of the last hand adds its part.
    """
    kept, rest = Fraction(1), Fraction()
    for prize in prizes:
        probability = chance[prize.hand]
        match prize.pays:
            case Share(share_ppm=ppm):
                left = 1 - Fraction(ppm, PPM)
                kept -= probability * (1 - left**2)
                rest += probability * rules.reset_amount**2 if _takes_all(prize) else 0
            case Fixed(amount=amount) if prize.fund is Fund.POT:
                rest += probability * (amount**2 - 2 * amount * mean)
            case Fixed():
                continue
    after_awards = mean - contribution
    rest += 2 * contribution * after_awards + contribution**2
    return rest / (1 - kept)


def _variance(
    game: Game, chance: Chances, levels: tuple[LevelRun, ...], returns: Fraction
) -> Fraction | None:
    squares = Fraction()
    square_pots = {level.name: level.mean_square_pot for level in levels}
    for prize in game.prizes:
        match prize.pays:
            case Fixed(amount=amount):
                squares += chance[prize.hand] * amount**2
            case Share(share_ppm=ppm):
                square_pot = None if prize.level is None else square_pots[prize.level]
                if square_pot is None:
                    return None
                squares += chance[prize.hand] * Fraction(ppm, PPM) ** 2 * square_pot
    return squares / game.wager**2 - returns**2


def _hands_to_limit(rules: LevelRules, contribution: Fraction) -> int | None:
    if not contribution:
        return None
    return -int((rules.reset_amount - rules.limit) // contribution)
