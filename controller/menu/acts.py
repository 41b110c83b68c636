"""Every act of the menu with its script, and which of them the table would take up now."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from controller.core import events as ev
from controller.core.table.gate import ACCEPTED_IN, KEYS_NEEDED, POKER_ONLY, PUNTO_ONLY
from controller.core.table.presence import LACKS, lacking
from controller.menu import desk, people, poker, punto
from controller.menu.ask import Asking, GoneError, Question, Scene, Script, entry, pick, play, refusal, say
from controller.menu.known import Identify
from controller.menu.verbs import Verb
from controller.texts import Text


class Act(NamedTuple):
    """An act: the event it makes (None: there is only something to look at), and its script."""

    makes: type[ev.Event] | None
    asks: Asking


def _at_once(event: ev.AnyEvent) -> Act:
    """An act without a question."""

    def script(_: Scene) -> Script[ev.AnyEvent]:
        yield from ()
        return event

    return Act(type(event), script)


def _sure(verb: Verb, event: ev.AnyEvent) -> Act:
    """An act that nobody does by going on: it asks for a yes."""
    return Act(type(event), poker.sure(verb, event))


def _of_seat(verb: Verb, make: Callable[[int], ev.AnyEvent]) -> Act:
    return Act(type(make(1)), poker.of_seat(verb, make))


ACTS: Mapping[Verb, Act] = {
    Verb.SUPERVISOR_PIN: Act(None, people.enter_pin(ev.Key.SUPERVISOR)),
    Verb.TECHNICIAN_PIN: Act(None, people.enter_pin(ev.Key.TECHNICIAN)),
    Verb.APPROVE: Act(ev.AwardsApproved, poker.approve),
    Verb.OPEN: Act(ev.TableOpened, desk.opening),
    Verb.LAMP_TEST: _at_once(ev.LampTestStarted(0)),
    Verb.COUNT_RIGHT: Act(ev.CountConfirmed, poker.count_right),
    Verb.DISCREPANCY: Act(ev.DiscrepancyFound, poker.discrepancy),
    Verb.ACCEPT: _sure(Verb.ACCEPT, ev.DiscrepancyAccepted(0)),
    Verb.CARDS: Act(ev.CardsShown, poker.cards),
    Verb.RESULT: Act(ev.ResultEntered, punto.result),
    Verb.HANDS: Act(ev.HandsShown, punto.hands),
    Verb.BANK_UNOPENED: _sure(Verb.BANK_UNOPENED, ev.BankNotOpened(0)),
    Verb.CLAIM: Act(ev.AwardClaimed, poker.claim),
    Verb.PAID: Act(ev.AwardPaid, poker.paid),
    Verb.REJECT: Act(ev.AwardRejected, poker.reject),
    Verb.WITHDRAW: _of_seat(Verb.WITHDRAW, lambda seat: ev.AwardWithdrawn(0, seat)),
    Verb.FOLD: _of_seat(Verb.FOLD, lambda seat: ev.HandFolded(0, seat)),
    Verb.BUY: _of_seat(Verb.BUY, lambda seat: ev.CardBought(0, seat)),
    Verb.BANK: Act(ev.BankTaken, punto.bank),
    Verb.LEAVE_BET: Act(ev.BetNotWithdrawn, punto.leave_bet),
    Verb.TAKE_BACK: Act(ev.BetTakenBack, punto.take_back),
    Verb.RAISE: Act(ev.BankRaised, punto.raising),
    Verb.TAKE_OUT: Act(ev.BankWithdrawn, punto.take_out),
    Verb.SUITE: _at_once(ev.BankPassed(0)),
    Verb.GIVE_UP: _at_once(ev.BankGivenUp(0)),
    Verb.DOUBT: _at_once(ev.DealDoubted(0)),
    Verb.RED_CARD: _at_once(ev.RedCardShown(0)),
    Verb.BURN: _at_once(ev.CardBurned(0)),
    Verb.CARDS_LEFT: Act(ev.CardsCounted, punto.cards_left),
    Verb.SHOE: Act(ev.ShoeMade, punto.shoe),
    Verb.SEATED: Act(ev.PlayersSeated, punto.seated),
    Verb.VOID_SEAT: Act(ev.SeatVoided, poker.void_seat),
    Verb.VOID_ROUND: Act(ev.RoundVoided, poker.void_round),
    Verb.DISPUTE: _of_seat(Verb.DISPUTE, lambda seat: ev.DisputeRaised(0, seat)),
    Verb.LATE_LOCK: Act(ev.LateLocked, desk.late_lock),
    Verb.CLOSE_SEAT: _of_seat(Verb.CLOSE_SEAT, lambda seat: ev.SeatClosed(0, seat)),
    Verb.OPEN_SEAT: _of_seat(Verb.OPEN_SEAT, lambda seat: ev.SeatOpened(0, seat)),
    Verb.DEALER: Act(ev.DealerChanged, people.dealer),
    Verb.CLOSE: Act(ev.TableClosed, desk.closing),
    Verb.CLEAR_FAULT: Act(ev.FaultClearAsked, desk.clear_fault),
    Verb.CORRECT: Act(ev.PotCorrected, desk.correct),
    Verb.TRANSFER: Act(ev.PotTransferred, desk.transfer),
    Verb.GIVE_UP_CLAIM: Act(ev.ClaimGivenUp, desk.give_up_claim),
    Verb.UPDATE: _sure(Verb.UPDATE, ev.UpdateAsked(0)),
    Verb.BACKUP: _sure(Verb.BACKUP, ev.BackupAsked(0)),
    Verb.METERS: Act(None, desk.show_meters),
    Verb.PULSES: Act(None, desk.show_pulses),
}

_ALONE: Mapping[Verb, ev.AnyEvent] = {
    Verb.APPROVE: ev.AwardsApproved(0),
    Verb.OPEN: ev.TableOpened(0),
}
"""Acts whose first question does not tell whether they are possible: the table is asked with this."""


def conversation(scene: Scene) -> Script[ev.AnyEvent | Identify | None]:
    """The whole menu: which act, then what that act needs to know."""
    verb = yield from pick(say(Text.MENU), [(verb, entry("verb", verb)) for verb in offered(scene)])
    return (yield from ACTS[verb].asks(scene))


def offered(scene: Scene) -> list[Verb]:
    """The acts the phase, the keys and the game allow now, and that have something to act on.

    What pays is never the first of them: the first is what a held button chooses without a look.
    """
    verbs = [verb for verb in Verb if _possible(scene, verb)]
    return [verbs[1], verbs[0], *verbs[2:]] if verbs[0] is Verb.PAID else verbs


def _possible(scene: Scene, verb: Verb) -> bool:
    act = ACTS[verb]
    if act.makes is not None and not _taken_up(scene, act.makes):
        return False
    if verb in _ALONE:
        return refusal(scene, _ALONE[verb]) not in LACKS | {ev.Refusal.LAMP_TEST_FIRST}
    try:
        first = play(act.asks(scene), ())
    except GoneError:
        return False
    match first:
        case Question(options=options):
            return bool(options)
        case None | ev.PinNotTried() | Identify():
            return True
        case _:
            return refusal(scene, first) is None


def _taken_up(scene: Scene, kind: type[ev.Event]) -> bool:
    """Whether game, phase, keys and PINs allow this kind of act at all."""
    table = scene.table
    if kind in (POKER_ONLY if table.punto is not None else PUNTO_ONLY):
        return False
    if lacking(scene.game, table, KEYS_NEEDED.get(kind)) is not None:
        return False
    return table.phase in ACCEPTED_IN[kind]
