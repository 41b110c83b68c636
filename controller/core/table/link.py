"""What a table hears of its linked pots: the amount confirmed, whether the rules agree, and what became of its claims.

The money of a linked level is at the floor. A claim leaves here once, by its number, and is answered once.
"""

from typing import assert_never

from msgspec.structs import replace

from controller.core import events as ev
from controller.core import pot as pots
from controller.core.awards import answers
from controller.core.events import Refusal
from controller.core.faults import FaultCode
from controller.core.game import Game
from controller.core.state import Award, Claim, Level, LinkClaim, Table, Told
from controller.core.table.gate import Outcome, cleared, refuse, with_fault, with_links, without_fault
from controller.core.table.parameters import unfit

FloorEvent = (
    ev.FloorDisagreed
    | ev.FloorAgreed
    | ev.HostGarbled
    | ev.LinkTold
    | ev.LinkDisagreed
    | ev.LinkAgreed
    | ev.ClaimAnswered
    | ev.ClaimRefused
)


def heard(game: Game, table: Table, event: FloorEvent) -> Outcome:
    """Take in what the floor says, in any phase."""
    match event:
        case ev.FloorDisagreed():
            return with_fault(table, FaultCode.FLOOR_DISAGREES)
        case ev.FloorAgreed():
            return without_fault(table, FaultCode.FLOOR_DISAGREES)
        case ev.HostGarbled():
            return table, (ev.Noted(),)
        case ev.LinkTold():
            return _told(game, table, event)
        case ev.LinkDisagreed():
            return with_fault(table, FaultCode.LINK_DISAGREES)
        case ev.LinkAgreed():
            return without_fault(table, FaultCode.LINK_DISAGREES)
        case ev.ClaimAnswered():
            return _answered(game, table, event)
        case ev.ClaimRefused():
            return _refused(table, event)
        case _:
            assert_never(event)


def claimed(game: Game, table: Table, claims: tuple[Claim, ...], round_: int) -> Outcome:
    """Send approved claims on linked levels to the floor: one claim a level, their award numbers kept for them."""
    told: list[ev.AnyResult] = []
    waiting = list(table.link_claims)
    made = table.awards_made
    for rules in game.levels:
        mine = tuple(claim for claim in claims if _level_of(game, claim) == rules.name)
        if rules.link is None or not mine:
            continue
        waiting.append(LinkClaim(made + 1, rules.name, round_, mine))
        seats, hands = tuple(claim.seat for claim in mine), tuple(claim.hand for claim in mine)
        told.append(ev.LinkClaimed(made + 1, rules.name, rules.link, round_, seats, hands))
        made += len(mine)
    return replace(table, link_claims=tuple(waiting), awards_made=made), tuple(told)


def given_up(table: Table, event: ev.ClaimGivenUp) -> Outcome:
    """Two persons give up a claim, with a reason: the house settles it on paper; its award numbers are void."""
    claim = _waiting(table, event.claim)
    if claim is None:
        return refuse(table, Refusal.NO_CLAIM)
    refusal = unfit(event.reason)
    if refusal is not None:
        return refuse(table, refusal)
    after, told = _settled(table, claim)
    return replace(after, refusal=None), (ev.ClaimVoid(claim.number, claim.last), *told)


def _told(game: Game, table: Table, event: ev.LinkTold) -> Outcome:
    linked = any(rules.name == event.level and rules.link is not None for rules in game.levels)
    if not linked or min(event.amount, event.wins) < 0:
        return refuse(table, Refusal.AMOUNT_OUT_OF_RANGE if linked else Refusal.NO_SUCH_LEVEL)
    levels = tuple(
        replace(level, told=Told(event.amount, event.wins)) if level.name == event.level else level
        for level in table.pot.levels
    )
    after, told = with_links(game, replace(table, pot=replace(table.pot, levels=levels)))
    return after, told or (ev.Noted(),)


def _answered(game: Game, table: Table, event: ev.ClaimAnswered) -> Outcome:
    """The awards of a claim, once. An answer that the rules do not give is none: the claim stays, and people look."""
    claim = _waiting(table, event.claim)
    if claim is None:
        return refuse(table, Refusal.NO_CLAIM)
    if not answers(game, claim.claims, claim.number - 1, event.told):
        return with_fault(table, FaultCode.CLAIM_REFUSED)
    won = [step for step in event.told if isinstance(step, ev.AwardApproved)]
    awards = (
        Award(step.number, claim.round, step.seat, step.hand, step.level, step.amount, step.fund)
        for step in won
    )
    levels = tuple(
        _after(level, won, event) if level.name == claim.level else level for level in table.pot.levels
    )
    after, told = _settled(table, claim)
    after = replace(after, pot=replace(after.pot, levels=levels), awards=(*after.awards, *awards))
    return after, (ev.ClaimServed(claim.number, claim.level, event.order), *event.told, *told)


def _after(level: Level, won: list[ev.AwardApproved], event: ev.ClaimAnswered) -> Level:
    for step in won:
        level = pots.paid_by_link(level, step.amount)
    if level.told is not None and level.told.wins >= event.order:
        return level  # the floor has told of later wins already
    last = event.told[-1]
    amount = last.current if isinstance(last, ev.PotReset) else last.pot_after
    return replace(level, told=Told(amount, event.order))


def _refused(table: Table, event: ev.ClaimRefused) -> Outcome:
    if _waiting(table, event.claim) is None:
        return refuse(table, Refusal.NO_CLAIM)
    return with_fault(table, FaultCode.CLAIM_REFUSED)


def _settled(table: Table, claim: LinkClaim) -> Outcome:
    """The claim is off the list; with the last one its fault ends too, for another that stands is told again."""
    left = tuple(each for each in table.link_claims if each.number != claim.number)
    faults, told = cleared(table.faults, frozenset({FaultCode.CLAIM_REFUSED}))
    return replace(table, link_claims=left, faults=faults), told


def _waiting(table: Table, number: int) -> LinkClaim | None:
    return next((claim for claim in table.link_claims if claim.number == number), None)


def _level_of(game: Game, claim: Claim) -> str | None:
    prize = game.prize(claim.hand)
    return None if prize is None else prize.level
