"""Acts at the seats of a poker table: claims, cards, awards, void, fold, buy, the count, disputes.

Each script offers exactly what the table would do now: it asks the table, and keeps no rule of its own.
"""

from collections.abc import Callable
from enum import StrEnum

from controller.core import events as ev
from controller.core.cards import Card, Rank, Suit
from controller.core.cards.card import RANK_LETTERS
from controller.core.game import Hand
from controller.core.state import Award
from controller.core.table import bets
from controller.menu.ask import (
    GoneError,
    Scene,
    Script,
    allowed,
    confirm,
    entry,
    number,
    pick,
    pick_seat,
    say,
    yes_or_no,
)
from controller.menu.verbs import Verb
from controller.pages import awards
from controller.texts import Coded, Line, Text

CHIPS_MAX = 99
"""More chips than fit into a bucket of one round."""


class Why(StrEnum):
    """Why a claim is rejected or a pot moved, as the journal keeps it."""

    WRONG_HAND = "wrong_hand"
    WRONG_CARD_COUNT = "wrong_card_count"
    LAMP_NOT_LIT = "lamp_not_lit"
    HAND_FOLDED = "hand_folded"
    TYPED_WRONG = "typed_wrong"
    RECONCILED = "reconciled"
    MACHINE_FAULT = "machine_fault"
    OTHER = "other"


REJECTED = (Why.WRONG_HAND, Why.WRONG_CARD_COUNT, Why.LAMP_NOT_LIT, Why.HAND_FOLDED, Why.OTHER)


def word(verb: Verb) -> Coded:
    """An act's name, to stand in a prompt."""
    return Coded("verb", verb)


def which_seat(verb: Verb) -> Line:
    """The prompt for an act's seat."""
    return say(Text.WHICH_SEAT, act=word(verb))


def seats_for(scene: Scene, make: Callable[[int], ev.AnyEvent]) -> list[int]:
    """The seats at which the table would do it now."""
    return [seat for seat in range(1, len(scene.table.seats) + 1) if allowed(scene, make(seat))]


def of_seat(verb: Verb, make: Callable[[int], ev.AnyEvent]) -> Callable[[Scene], Script[ev.AnyEvent]]:
    """The script of an act that needs a seat and nothing more; the seat is marked before it is chosen."""

    def script(scene: Scene) -> Script[ev.AnyEvent]:
        seat = yield from pick_seat(which_seat(verb), seats_for(scene, make), guarded=True)
        return make(seat)

    return script


def claim(scene: Scene) -> Script[ev.AnyEvent]:
    """The seat among those lit, then the hand among those that win."""
    hands = [prize.hand for prize in scene.game.prizes]
    seats = seats_for(scene, lambda seat: ev.AwardClaimed(0, seat, hands[0])) if hands else []
    seat = yield from pick_seat(which_seat(Verb.CLAIM), seats)
    prompt = say(Text.WHICH_HAND, seat=seat)
    hand = yield from pick(prompt, [(hand, entry("hand", hand)) for hand in Hand if hand in hands], seat=seat)
    return ev.AwardClaimed(0, seat, hand)


def cards(scene: Scene) -> Script[ev.AnyEvent]:
    """The cards behind a claim, each by rank and suit; what lies at another seat is not offered."""
    claimed = [each.seat for each in scene.table.claims]
    seat = yield from pick_seat(which_seat(Verb.CARDS), claimed)
    taken = {card for each in scene.table.shown if each.seat != seat for card in each.cards}
    found: tuple[Card, ...] = ()
    while len(found) < scene.game.dealt:
        card = yield from _card(seat, found, [card for card in Card if card not in taken | set(found)])
        found = (*found, card)
    return ev.CardsShown(0, seat, found)


def _card(seat: int, found: tuple[Card, ...], left: list[Card]) -> Script[Card]:
    so_far = " ".join(found) or "-"
    ranks = [rank for rank in reversed(Rank) if any(card.rank is rank for card in left)]
    prompt = say(Text.CARD_RANK, seat=seat, cards=so_far)
    rank = yield from pick(prompt, [(rank, say(Text.RANK, rank=_letter(rank))) for rank in ranks], seat=seat)
    same = [card for card in left if card.rank is rank]
    suits = [
        (card, entry("suit", card.suit)) for suit in reversed(Suit) for card in same if card.suit is suit
    ]
    prompt = say(Text.CARD_SUIT, seat=seat, cards=so_far, rank=_letter(rank))
    return (yield from pick(prompt, suits, seat=seat))


def _letter(rank: Rank) -> str:
    return "10" if rank is Rank.TEN else RANK_LETTERS[rank - Rank.TWO]


def reject(scene: Scene) -> Script[ev.AnyEvent]:
    """The claim, and why."""
    make: Callable[[int], ev.AnyEvent] = lambda seat: ev.AwardRejected(0, seat, Why.OTHER)  # noqa: E731 - named for its type
    seat = yield from pick_seat(which_seat(Verb.REJECT), seats_for(scene, make))
    reasons = [(why, entry("why", why)) for why in REJECTED]
    why = yield from pick(_why(Verb.REJECT), reasons, seat=seat, guarded=True)
    return ev.AwardRejected(0, seat, why.value)


def _why(verb: Verb) -> Line:
    return say(Text.WHY, act=word(verb))


def approve(scene: Scene) -> Script[ev.AnyEvent]:
    """The arithmetic once more, and yes."""
    yield from confirm(say(Text.SURE, act=word(Verb.APPROVE)), tuple(awards(scene.game, scene.table)))
    return ev.AwardsApproved(0)


def paid(scene: Scene) -> Script[ev.AnyEvent]:
    """Which award, how, and whether the slip is signed; then seat, amount and both answers are read back."""
    waiting = [award for award in scene.table.awards if not award.paid]
    award = yield from pick(say(Text.WHICH_AWARD), [(award.number, _award(award)) for award in waiting])
    chosen = next(each for each in waiting if each.number == award)
    seat = chosen.seat
    how = yield from pick(say(Text.HOW_PAID), [(how, entry("payment", how)) for how in ev.Payment], seat=seat)
    signed = yield from yes_or_no(say(Text.SIGNED))
    facts = (
        _award(chosen),
        say(Text.SPELLED, spelled=chosen.amount),
        entry("payment", how),
        say(Text.SLIP_SIGNED if signed else Text.SLIP_UNSIGNED),
    )
    yield from confirm(say(Text.SURE, act=word(Verb.PAID)), facts, seat=seat)
    return ev.AwardPaid(0, award, how, signed)


def _award(award: Award) -> Line:
    return say(Text.AWARD, number=award.number, seat=award.seat, amount=award.amount)


def void_seat(scene: Scene) -> Script[ev.AnyEvent]:
    """The seat and the reason."""
    seats = seats_for(scene, lambda seat: ev.SeatVoided(0, seat, ev.Reason.OTHER))
    seat = yield from pick_seat(which_seat(Verb.VOID_SEAT), seats)
    reasons = [why for why in ev.Reason if allowed(scene, ev.SeatVoided(0, seat, why))]
    choices = [(why, entry("reason", why)) for why in reasons]
    why = yield from pick(_why(Verb.VOID_SEAT), choices, seat=seat, guarded=True)
    return ev.SeatVoided(0, seat, why)


def void_round(scene: Scene) -> Script[ev.AnyEvent]:
    """The reason, and yes."""
    reasons = [why for why in ev.Reason if allowed(scene, ev.RoundVoided(0, why))]
    why = yield from pick(_why(Verb.VOID_ROUND), [(why, entry("reason", why)) for why in reasons])
    yield from confirm(say(Text.SURE, act=word(Verb.VOID_ROUND)), (entry("reason", why),))
    return ev.RoundVoided(0, why)


def discrepancy(scene: Scene) -> Script[ev.AnyEvent]:
    """How many chips lie in the bucket; the screen's own number is not offered as an answer but shown above."""
    chips = yield from number(Text.CHIPS_COUNTED, CHIPS_MAX)
    if chips == bets(scene.table):
        return (yield from count_right(scene))
    return ev.DiscrepancyFound(0, chips)


def count_right(scene: Scene) -> Script[ev.AnyEvent]:
    """How many chips were counted, and yes: nobody confirms a count by going on."""
    counted = say(Text.CHIPS_COUNTED, number=str(bets(scene.table)))
    return (yield from sure(Verb.COUNT_RIGHT, ev.CountConfirmed(0), counted)(scene))


def sure(verb: Verb, event: ev.AnyEvent, *facts: Line) -> Callable[[Scene], Script[ev.AnyEvent]]:
    """The script of an act that needs nothing but a yes."""

    def script(scene: Scene) -> Script[ev.AnyEvent]:
        if not allowed(scene, event):
            raise GoneError("the table would not do this now")
        yield from confirm(say(Text.SURE, act=word(verb)), facts)
        return event

    return script
