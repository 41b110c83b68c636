"""Awards: who is served when, and how much, with the arithmetic kept.

Claims of one approval are served together by the game's order; the order of typing never matters. All equal
royals are served at the first royal's turn. It knows pots and prizes, no phase.
"""

from typing import NamedTuple, assert_never

from msgspec.structs import replace

from controller.core import pot as pots
from controller.core.events import AwardApproved, PotReset
from controller.core.game import Fixed, Fund, Game, Hand, Order, Prize, RoyalExcludes, RoyalSplit, Share
from controller.core.money import PPM, share, split
from controller.core.state import Award, Claim, Level, Pot

RANK = {hand: rank for rank, hand in enumerate(Hand)}
"""Strongest hand first."""


class Served(NamedTuple):
    """What approval did: the pot after it, the awards, and what is told of each step, in order."""

    pot: Pot
    awards: tuple[Award, ...]
    told: tuple[AwardApproved | PotReset, ...]


def serve(game: Game, pot: Pot, claims: tuple[Claim, ...], round_: int, made: int) -> Served:
    """Serve all pending claims of a round; `made` is the number of the last award before them.

    Every claim's hand must have a prize in `game`; the table refuses others at the claim.
    """
    awards: list[Award] = []
    told: list[AwardApproved | PotReset] = []
    waiting = sorted(claims, key=lambda claim: _turn(game.policies.order, claim))
    while waiting:
        prize = _prize(game, waiting[0])
        together = _together(game, prize, waiting)
        waiting = [claim for claim in waiting if claim not in together]
        pot, approved = _serve_together(game, pot, prize, together, made + len(awards))
        told.extend(approved)
        awards.extend(
            Award(step.number, round_, step.seat, step.hand, step.level, step.amount, step.fund)
            for step in approved
        )
        if prize.level is not None and _takes_all(prize) and prize.fund is Fund.POT:
            pot, restarted = _restart(game, pot, prize.level)
            told.append(restarted)
    return Served(pot, tuple(awards), tuple(told))


def excluded(game: Game, claims: tuple[Claim, ...], royal_before: bool) -> tuple[Claim, ...]:
    """The claims a royal of the same round excludes (`royal_excludes = "round"`); none by the hand's reading.

    `royal_before`: a royal of this round was approved earlier.
    """
    royal = royal_before or any(_takes_all(_prize(game, claim)) for claim in claims)
    if not royal or game.policies.royal_excludes is RoyalExcludes.HAND:
        return ()
    return tuple(claim for claim in claims if not _takes_all(_prize(game, claim)))


def answers(
    game: Game, claims: tuple[Claim, ...], made: int, told: tuple[AwardApproved | PotReset, ...]
) -> bool:
    """Whether `told` is what the rules make of these claims on a linked level: it decides what is paid.

    Worked out anew from the pot that it says it began with. Who paid what the reserve lacked, and what the pot begins
    again with, depends on what only the floor knows, and is no part of any award.
    """
    first = next((step for step in told if isinstance(step, AwardApproved)), None)
    if first is None or first.level is None:
        return False
    before = Pot(levels=tuple(Level(rules.name, first.pot_before) for rules in game.levels))
    return _alike(told) == _alike(serve(game, before, claims, 0, made).told)


def _alike(told: tuple[AwardApproved | PotReset, ...]) -> list[AwardApproved | PotReset] | None:
    """The steps without who paid what a pot does not hold; None if some part of them is below zero."""
    alike: list[AwardApproved | PotReset] = []
    for step in told:
        match step:
            case AwardApproved():
                parts = (step.from_pot, step.from_reserve, step.from_house)
                alike.append(replace(step, from_reserve=0, from_house=step.from_reserve + step.from_house))
            case PotReset():
                parts = (step.from_overflow, step.from_reserve, step.from_house)
                alike.append(PotReset(step.level, 0, step.left, 0, 0, 0))
            case _:
                assert_never(step)
        if min(parts) < 0:
            return None
    return alike


def readings(game: Game, pot: Pot, claims: tuple[Claim, ...]) -> tuple[Served, Served] | None:
    """The awards by both readings of "mano" (art. 17: hand, round), where they differ; None where they do not.

    Of a linked level they are what they would be of the amount that the floor last confirmed.
    """
    pot = pots.as_shown(pot)
    by_round = replace(game, policies=replace(game.policies, royal_excludes=RoyalExcludes.ROUND))
    out = excluded(by_round, claims, royal_before=False)
    if not out:
        return None
    royals = tuple(claim for claim in claims if claim not in out)
    return serve(game, pot, claims, 0, 0), serve(game, pot, royals, 0, 0)


def takes_all(game: Game, hand: Hand) -> bool:
    """Whether a hand wins its whole level: the royal, in every text."""
    prize = game.prize(hand)
    return prize is not None and _takes_all(prize)


def _turn(order: Order, claim: Claim) -> tuple[int, int]:
    return (0 if order is Order.SEAT else RANK[claim.hand], claim.seat)


def _prize(game: Game, claim: Claim) -> Prize:
    prize = game.prize(claim.hand)
    if prize is None:
        raise AssertionError(f"{claim.hand} has no prize in {game.profile}; such a claim is refused")
    return prize


def _takes_all(prize: Prize) -> bool:
    return isinstance(prize.pays, Share) and prize.pays.share_ppm == PPM


def _together(game: Game, prize: Prize, waiting: list[Claim]) -> list[Claim]:
    first = waiting[0]
    if _takes_all(prize) and game.policies.royal_split is RoyalSplit.EQUAL:
        return [claim for claim in waiting if claim.hand is first.hand]
    return [first]


def _serve_together(
    game: Game, pot: Pot, prize: Prize, claims: list[Claim], made: int
) -> tuple[Pot, list[AwardApproved]]:
    if prize.level is None:
        return _serve_bonus(pot, prize, claims[0], made)
    return _serve_equal(game, pot, prize, claims, made)


def _serve_bonus(pot: Pot, prize: Prize, claim: Claim, made: int) -> tuple[Pot, list[AwardApproved]]:
    match prize.pays:
        case Fixed(amount=amount):
            pass
        case Share():
            raise AssertionError(f"{prize.hand} has no level to share; the configuration refuses that")
    approved = AwardApproved(
        number=made + 1,
        seat=claim.seat,
        hand=claim.hand,
        level=None,
        amount=amount,
        pot_before=0,
        pot_after=0,
        share_ppm=0,
        fund=prize.fund,
        from_pot=0,
        from_reserve=0,
        from_house=amount,
        source=prize.source,
    )
    return pots.bonus(pot, amount), [approved]


def _serve_equal(
    game: Game, pot: Pot, prize: Prize, claims: list[Claim], made: int
) -> tuple[Pot, list[AwardApproved]]:
    index = _index(game, prize.level)
    level = pot.levels[index]
    pot_before = level.shown
    amount, capped = _amount(game, prize, level, len(claims))
    approved: list[AwardApproved] = []
    for claim in claims:
        level, from_pot, from_reserve, from_house = pots.draw(level, amount, prize.fund)
        approved.append(
            AwardApproved(
                number=made + len(approved) + 1,
                seat=claim.seat,
                hand=claim.hand,
                level=prize.level,
                amount=amount,
                pot_before=pot_before,
                pot_after=level.shown,
                share_ppm=prize.pays.share_ppm if isinstance(prize.pays, Share) else 0,
                fund=prize.fund,
                from_pot=from_pot,
                from_reserve=from_reserve,
                from_house=from_house,
                source=prize.source,
                parts=len(claims),
                capped=capped,
            )
        )
    return _with_level(pot, index, level), approved


def _amount(game: Game, prize: Prize, level: Level, parts: int) -> tuple[int, bool]:
    match prize.pays:
        case Fixed(amount=amount):
            return amount, False
        case Share(share_ppm=ppm, cap=cap):
            each = split(share(level.current, ppm, 1), parts, game.payable_unit)
            if cap is not None and each > cap:
                return cap, True
            return each, False


def _restart(game: Game, pot: Pot, name: str) -> tuple[Pot, PotReset]:
    index = _index(game, name)
    level, told = pots.reset(game.levels[index], pot.levels[index])
    return _with_level(pot, index, level), told


def _index(game: Game, name: str | None) -> int:
    return next(index for index, rules in enumerate(game.levels) if rules.name == name)


def _with_level(pot: Pot, index: int, level: Level) -> Pot:
    return replace(pot, levels=(*pot.levels[:index], level, *pot.levels[index + 1 :]))
