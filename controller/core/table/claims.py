"""Claims and awards: entered, withdrawn, rejected, approved together, paid once."""

from msgspec.structs import replace

from controller.core import events as ev
from controller.core.awards import excluded, serve, takes_all
from controller.core.cards import (
    Card,
    CardError,
    Five,
    Shown,
    Three,
    category,
    category_of_three,
    deal,
    hand,
    three,
)
from controller.core.events import Refusal
from controller.core.game import Game, Hand
from controller.core.state import Claim, Phase, Seat, ShownHand, Table, Wager
from controller.core.table import link
from controller.core.table.gate import Outcome, refuse
from controller.core.table.presence import lacking

THREE = 3
"""Cards of the games that deal three and judge those."""

UNPAID_MAX = 50
"""Approved awards that may wait for payment; one more approval is refused until some are paid."""


def bank_not_opened(game: Game, table: Table) -> Outcome:
    """The bank does not open. Under a policy that pays nothing then, this round has no award; else nothing to say."""
    if game.policies.award_when_bank_does_not_open:
        return refuse(table, Refusal.NOT_THIS_GAME)
    if any(seat.awarded for seat in table.seats):
        return refuse(table, Refusal.AWARD_APPROVED)
    return replace(table, bank_unopened=True, refusal=None), (ev.Noted(),)


def claimed(game: Game, table: Table, event: ev.AwardClaimed) -> Outcome:
    """Enter a claim. Only an accepted wager of that round wins, once."""
    refusal = _claim_refusal(game, table, event)
    if refusal is not None:
        return refuse(table, refusal)
    after = replace(
        table,
        phase=Phase.AWARD_PENDING,
        resume=table.resume or table.phase,
        claims=(*table.claims, Claim(event.seat, event.hand)),
        refusal=None,
    )
    told: tuple[ev.AnyResult, ...] = (ev.AwardRequested(event.seat, event.hand),)
    if table.phase is not Phase.AWARD_PENDING:
        told = (*told, ev.PhaseChanged(Phase.AWARD_PENDING))
    return after, told


def _claim_refusal(game: Game, table: Table, event: ev.AwardClaimed) -> Refusal | None:
    seat = table.seats[event.seat - 1]
    came_from = table.resume or table.phase
    nobody = lacking(game, table, Refusal.SUPERVISOR_KEY)
    if came_from is Phase.OPEN and nobody is not None:
        return nobody
    if not _won(seat, came_from):
        return Refusal.NO_WAGER
    if seat.awarded:
        return Refusal.AWARD_APPROVED
    if any(claim.seat == event.seat for claim in table.claims):
        return Refusal.ALREADY_CLAIMED
    if game.prize(event.hand) is None:
        return Refusal.NO_PRIZE
    if table.bank_unopened:
        return Refusal.BANK_DID_NOT_OPEN
    return None


def _won(seat: Seat, came_from: Phase) -> bool:
    return seat.claimable if came_from is Phase.OPEN else seat.wager is Wager.ACCEPTED


def cards_shown(game: Game, table: Table, event: ev.CardsShown) -> Outcome:
    """Check a claim against its cards: real cards, in nobody else's hand, and the hand that was claimed."""
    claim = next((claim for claim in table.claims if claim.seat == event.seat), None)
    if claim is None:
        return refuse(table, Refusal.NO_CLAIM)
    try:
        found = _category(game, event.cards)
        others = tuple(Shown(each.seat, _hand(game, each.cards)) for each in table.shown)
        deal(others, event.seat, _hand(game, event.cards))
    except CardError as error:
        return refuse(table, Refusal.CARDS_IMPOSSIBLE, str(error))
    if found is not claim.hand:
        return refuse(table, Refusal.CARDS_DISAGREE, f"these cards are {found}, the claim says {claim.hand}")
    shown = tuple(each for each in table.shown if each.seat != event.seat)
    after = replace(table, shown=(*shown, ShownHand(event.seat, event.cards)), refusal=None)
    return after, (ev.CardsAgree(event.seat, found),)


def _category(game: Game, cards: tuple[Card, ...]) -> Hand:
    if game.dealt == THREE:
        return category_of_three(three(cards), ace_low_straight=game.ace_low_straight)
    return category(hand(cards), ace_low_straight=game.ace_low_straight)


def _hand(game: Game, cards: tuple[Card, ...]) -> Five | Three:
    return three(cards) if game.dealt == THREE else hand(cards)


def dropped(table: Table, number: int) -> Outcome:
    """Take a claim off the list; with the last one the table goes back to where it came from."""
    left = tuple(claim for claim in table.claims if claim.seat != number)
    if len(left) == len(table.claims):
        return refuse(table, Refusal.NO_CLAIM)
    shown = tuple(each for each in table.shown if each.seat != number)
    after = replace(table, claims=left, shown=shown, refusal=None)
    if left:
        return after, (ev.ClaimDropped(number),)
    after, back = _resumed(after)
    return after, (ev.ClaimDropped(number), back)


def rejected(table: Table, event: ev.AwardRejected) -> Outcome:
    """Reject a claim; without a reason it is not done."""
    if not event.reason.strip():
        return refuse(table, Refusal.NO_REASON)
    return dropped(table, event.seat)


def approved(game: Game, table: Table) -> Outcome:
    """Approve all pending claims: the amounts are fixed now, whatever the pot does later."""
    if _owed(table) + len(table.claims) > UNPAID_MAX:
        return refuse(table, Refusal.TOO_MANY_UNPAID)
    out = excluded(game, table.claims, _royal_before(game, table))
    valid = tuple(claim for claim in table.claims if claim not in out)
    linked = tuple(claim for claim in valid if _is_linked(game, claim))
    own = tuple(claim for claim in valid if claim not in linked)
    served = serve(game, table.pot, own, _round(table), table.awards_made)
    largest = max((award.amount for award in served.awards), default=0)
    nobody = lacking(game, table, Refusal.SUPERVISOR_KEY)
    # What the floor will answer is not known here, so that its awards need the key whatever they are.
    if (linked or largest >= game.policies.award_key_from) and nobody is not None:
        return refuse(table, nobody)
    winners = {claim.seat for claim in valid}
    after = replace(
        table,
        seats=tuple(
            replace(seat, awarded=True) if number in winners else seat
            for number, seat in enumerate(table.seats, start=1)
        ),
        pot=served.pot,
        claims=(),
        awards=(*table.awards, *served.awards),
        awards_made=table.awards_made + len(served.awards),
        refusal=None,
    )
    after, asked = link.claimed(game, after, linked, _round(table))
    after, back = _resumed(after)
    return after, (*(ev.ClaimExcluded(claim.seat) for claim in out), *served.told, *asked, back)


def _owed(table: Table) -> int:
    """Awards that wait for payment, or for the floor to say how much they are."""
    unpaid = sum(not award.paid for award in table.awards)
    return unpaid + sum(len(claim.claims) for claim in table.link_claims)


def _is_linked(game: Game, claim: Claim) -> bool:
    prize = game.prize(claim.hand)
    return prize is not None and game.linked(prize) is not None


def _royal_before(game: Game, table: Table) -> bool:
    before = [(award.round, award.hand) for award in table.awards]
    before += [(asked.round, claim.hand) for asked in table.link_claims for claim in asked.claims]
    return any(round_ == _round(table) and takes_all(game, hand) for round_, hand in before)


def _round(table: Table) -> int:
    return table.round - 1 if table.resume is Phase.OPEN else table.round


def _resumed(table: Table) -> tuple[Table, ev.PhaseChanged]:
    phase = table.resume
    if phase is None:
        raise AssertionError("AWARD PENDING without the phase it came from")
    return replace(table, phase=phase, resume=None), ev.PhaseChanged(phase)


def paid(table: Table, event: ev.AwardPaid) -> Outcome:
    """Record that an award was paid: once, whoever says it again."""
    award = next((award for award in table.awards if award.number == event.number), None)
    if award is None:
        return refuse(table, Refusal.NO_AWARD)
    if award.paid:
        return refuse(table, Refusal.ALREADY_PAID)
    awards = tuple(replace(each, paid=True) if each.number == event.number else each for each in table.awards)
    settled = ev.AwardSettled(award.number, award.seat, award.amount)
    return replace(table, awards=awards, refusal=None), (settled,)
