"""The pot: levels, contributions with an exact carry, reserve, limit and overflow, reset.

Pure arithmetic on `Pot` and `Level`; it knows no phase and no seat. `imbalance` is the law every function here
keeps: what came in is what is there, what was won and what is the house's (rules, section 4).
"""

from msgspec.structs import replace

from controller.core.events import LinkContributed, PotRaised, PotReset
from controller.core.game import Fund, Game, LevelRules, OverflowUse
from controller.core.money import PPM, part
from controller.core.state import Level, Pot


def commissioned(game: Game) -> Pot:
    """The pot of a new table: each level at its base amount, which is house funding; a linked one has nothing here."""
    return Pot(levels=tuple(_begun(rules) for rules in game.levels))


def _begun(rules: LevelRules) -> Level:
    base = rules.base_amount if rules.link is None else 0
    return Level(name=rules.name, current=base, house_funding=base)


def take(game: Game, pot: Pot, count: int) -> tuple[Pot, tuple[PotRaised | LinkContributed, ...]]:
    """Take in `count` accepted wagers: meters, contributions, reserves and the house's share, exactly."""
    staked = count * game.wager
    levels: list[Level] = []
    raised: list[PotRaised | LinkContributed] = []
    house_ppm = PPM
    for rules, level in zip(game.levels, pot.levels, strict=True):
        if rules.link is None:
            after, told = _contribute(rules, level, staked)
        else:
            after, told = _contribute_to_link(rules, rules.link, level, staked)
        levels.append(after)
        raised.append(told)
        house_ppm -= rules.increment_rate_ppm + rules.reserve_rate_ppm
    after_pot = replace(
        pot,
        levels=tuple(levels),
        in_meter=pot.in_meter + staked,
        in_count=pot.in_count + count,
        house_share=pot.house_share + staked * house_ppm,
    )
    return after_pot, tuple(raised)


def _contribute_to_link(
    rules: LevelRules, link: str, level: Level, staked: int
) -> tuple[Level, PotRaised | LinkContributed]:
    """The contribution leaves the table exactly, in millionths: what is carried of it is the link's to carry."""
    by = staked * (rules.increment_rate_ppm + rules.reserve_rate_ppm)
    after = replace(level, link_out=level.link_out + by)
    return after, LinkContributed(level.name, link, by, after.link_out)


def _contribute(rules: LevelRules, level: Level, staked: int) -> tuple[Level, PotRaised | LinkContributed]:
    units, carry = part(staked, rules.increment_rate_ppm, level.carry)
    reserve, reserve_carry = part(staked, rules.reserve_rate_ppm, level.reserve_carry)
    current, over = level.current + units, 0
    if current > rules.limit:
        current = max(rules.limit, level.current)
        over = level.current + units - current
    after = replace(
        level,
        current=current,
        carry=carry,
        overflow_meter=level.overflow_meter + over,
        reserve_pool=level.reserve_pool + reserve,
        reserve_carry=reserve_carry,
    )
    return after, PotRaised(level.name, units - over, current, over, reserve)


def refund(pot: Pot, amount: int) -> Pot:
    """A wager voided after COIN IN: the house pays it back; its contribution stays in the pot."""
    return replace(pot, refund_meter=pot.refund_meter + amount)


def draw(level: Level, amount: int, fund: Fund) -> tuple[Level, int, int, int]:
    """Take a prize of `amount` from its fund.

    Returns the level after it and what came from pot, reserve and house. What the pot or reserve lacks is
    paid by the house as funding; a prize the house pays by itself touches neither.
    """
    from_pot = min(level.current, amount) if fund is Fund.POT else 0
    from_reserve = min(level.reserve_pool, amount) if fund is Fund.RESERVE else 0
    from_house = amount - from_pot - from_reserve
    house_prize = amount if fund is Fund.HOUSE else 0
    after = replace(
        level,
        current=level.current - from_pot,
        reserve_pool=level.reserve_pool - from_reserve,
        hits_meter=level.hits_meter + 1,
        wins_meter=level.wins_meter + amount,
        house_prizes=level.house_prizes + house_prize,
        house_funding=level.house_funding + from_house - house_prize,
    )
    return after, from_pot, from_reserve, from_house


def paid_by_link(level: Level, amount: int) -> Level:
    """A prize that the link's pot or reserve pays: what comes in for it goes out with it."""
    return replace(
        level,
        hits_meter=level.hits_meter + 1,
        wins_meter=level.wins_meter + amount,
        link_in=level.link_in + amount,
    )


def as_shown(pot: Pot) -> Pot:
    """The pot as it would be if what the floor confirmed lay here: to show what a win would be, never to pay by."""
    return replace(pot, levels=tuple(replace(level, current=level.shown) for level in pot.levels))


def bonus(pot: Pot, amount: int) -> Pot:
    """A prize without a level: the house pays it, and it is counted beside the levels."""
    return replace(pot, bonus_hits=pot.bonus_hits + 1, bonus_wins=pot.bonus_wins + amount)


def reset(rules: LevelRules, level: Level) -> tuple[Level, PotReset]:
    """Restart a level after a 100 % award: what is left plus `reset_amount`.

    The reset is taken from the overflow where the policy says so, then from the reserve, then from the house.
    """
    wanted = rules.reset_amount
    usable = level.overflow_meter if rules.overflow_use is OverflowUse.NEXT_RESET else 0
    from_overflow = min(usable, wanted)
    from_reserve = min(level.reserve_pool, wanted - from_overflow)
    from_house = wanted - from_overflow - from_reserve
    full = level.current + wanted
    over = max(full - rules.limit, 0)
    after = replace(
        level,
        current=full - over,
        overflow_meter=level.overflow_meter - from_overflow + over,
        reserve_pool=level.reserve_pool - from_reserve,
        house_funding=level.house_funding + from_house,
    )
    told = PotReset(
        level.name,
        current=after.current,
        left=level.current,
        from_overflow=from_overflow,
        from_reserve=from_reserve,
        from_house=from_house,
    )
    return after, told


def correct(level: Level, amount: int) -> Level:
    """Set a level to `amount`; the difference is kept as a correction."""
    return replace(level, current=amount, corrections=level.corrections + amount - level.current)


def give(level: Level, amount: int) -> Level:
    """Move `amount` out of a level that has it."""
    return replace(level, current=level.current - amount, transfers_out=level.transfers_out + amount)


def receive(level: Level, amount: int) -> Level:
    """Move `amount` into a level that has room for it."""
    return replace(level, current=level.current + amount, transfers_in=level.transfers_in + amount)


def relevel(game: Game, pot: Pot) -> Pot:
    """The pot under new rules: levels keep their money by name, a new one starts at its base amount.

    What the floor confirmed is confirmed anew: the link may be another one, or none.
    """
    there = {level.name: replace(level, told=None) for level in pot.levels}
    fresh = commissioned(game)
    return replace(pot, levels=tuple(there.get(level.name, level) for level in fresh.levels))


def imbalance(pot: Pot) -> int:
    """What is missing (+) or too much (-) in millionths of a minor unit; 0 in every honest state.

    wagers + house funding + transfers in - out + corrections + from links
    = current + reserve + overflow + carries + wins not paid by the house + house share + to links.
    Refunds and house prizes are house entries outside it.
    """
    units = pot.in_meter
    carries = 0
    for level in pot.levels:
        units += level.house_funding + level.corrections
        units += level.transfers_in - level.transfers_out + level.link_in
        units -= level.current + level.reserve_pool + level.overflow_meter
        units -= level.wins_meter - level.house_prizes
        carries += level.carry + level.reserve_carry + level.link_out
    return units * PPM - carries - pot.house_share
