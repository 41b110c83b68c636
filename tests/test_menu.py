"""The two-button menu: what its buttons do in each phase, what it offers to whom, and that nothing is held over."""

import pytest

from controller.core import events as ev
from controller.core.game import Hand
from controller.core.state import Phase, Wager
from controller.core.table.gate import ACCEPTED_IN
from controller.menu import SILENCE_NS, Menu, Verb
from controller.menu.acts import ACTS, offered
from controller.menu.ask import Nav
from controller.menu.poker import Why
from controller.texts import Text
from tests.helpers_game import GAME, chips, key, locked, new_table, opened, pending
from tests.helpers_menu import SECOND, Thumb
from tests.helpers_punto import PUNTO_GAME, opened_punto

NOT_AT_THE_TABLE = {
    ev.ParametersChanged,
    ev.DeviceKeyChanged,
    ev.TransferSent,
    ev.TransferReceived,
    ev.SelfTested,
    ev.UserChanged,
}
"""Other rules, another device key, the list of users and the self-test have commands of their own, and money of another
table needs that table's word."""


def thumb_in(phase: Phase, *, keys: tuple[ev.Key, ...] = ()) -> Thumb:
    """A thumb at a poker table in this phase, with the menu closed."""
    match phase:
        case Phase.CLOSED | Phase.TEST:
            thumb = Thumb(GAME, new_table())
        case Phase.OPEN:
            thumb = Thumb(GAME, opened())
        case Phase.LOCKED:
            thumb = Thumb(GAME, locked(2, 5))
        case Phase.AWARD_PENDING:
            thumb = Thumb(GAME, pending({2: Hand.FLUSH}))
    thumb.decide(key(on=False))
    for which in keys:
        thumb.decide(key(on=True, which=which))
    return thumb


def test_every_act_of_an_operator_can_be_made_at_the_table() -> None:
    made = {act.makes for act in ACTS.values()} - {None}
    assert made == set(ACCEPTED_IN) - NOT_AT_THE_TABLE
    assert set(ACTS) == set(Verb)


@pytest.mark.parametrize("phase", [Phase.CLOSED, Phase.OPEN, Phase.LOCKED, Phase.AWARD_PENDING])
def test_held_game_over_opens_the_menu_and_short_means_next_in_every_phase(phase: Phase) -> None:
    thumb = thumb_in(phase)
    before = thumb.table
    thumb.hold()
    assert thumb.menu.open
    first = thumb.asked.options[0].value
    for _ in thumb.values:
        thumb.short()
    assert thumb.menu.marked == first  # all the way round
    assert (thumb.acts, thumb.table) == ([], before)


def test_closed_it_lets_the_buttons_through() -> None:
    thumb = thumb_in(Phase.LOCKED)
    thumb.coin_in()
    thumb.short()
    assert [type(act) for act in thumb.acts] == [ev.CoinInPressed, ev.GameOverPressed]
    assert thumb.table.phase is Phase.OPEN


def test_in_test_both_buttons_are_the_tables_and_the_menu_stays_closed() -> None:
    thumb = Thumb(GAME, new_table())
    thumb.decide(key(on=True, which=ev.Key.TECHNICIAN))
    assert thumb.table.phase is Phase.TEST
    thumb.hold()
    thumb.short()
    thumb.type("ENTER", "PAID")
    assert [type(act) for act in thumb.acts] == [ev.GameOverHeld, ev.GameOverPressed]
    assert not thumb.menu.open


def test_turning_the_technicians_key_closes_an_open_menu_with_the_phase() -> None:
    thumb = thumb_in(Phase.CLOSED)
    thumb.hold()
    thumb.decide(key(on=True, which=ev.Key.TECHNICIAN))
    assert (thumb.table.phase, thumb.menu.open) == (Phase.TEST, False)


def test_coin_in_with_bets_open_locks_and_closes_the_menu_wherever_it_stands() -> None:
    thumb = thumb_in(Phase.OPEN)
    thumb.decide(*chips(1, 4))
    thumb.hold()
    thumb.choose(Verb.VOID_SEAT, 4)
    thumb.coin_in()
    assert not thumb.menu.open
    assert [seat.wager for seat in thumb.table.seats[:4:3]] == [Wager.ACCEPTED, Wager.ACCEPTED]
    assert thumb.table.phase is Phase.LOCKED


def test_coin_in_elsewhere_goes_one_step_back_and_changes_nothing_at_the_table() -> None:
    thumb = thumb_in(Phase.LOCKED)
    before = thumb.table
    thumb.hold()
    thumb.choose(Verb.CLAIM, 5)
    thumb.coin_in()
    assert (thumb.menu.path, thumb.menu.marked) == ((Verb.CLAIM,), 5)
    thumb.coin_in()
    assert thumb.menu.path == ()
    thumb.coin_in()
    assert not thumb.menu.open
    assert (thumb.acts, thumb.table) == ([], before)


def test_back_is_an_entry_of_every_page() -> None:
    thumb = thumb_in(Phase.LOCKED)
    thumb.hold()
    thumb.choose(Verb.CLAIM, 5, Nav.BACK)
    assert thumb.menu.marked == 5
    thumb.choose(Nav.BACK, Nav.BACK)
    assert not thumb.menu.open


@pytest.mark.parametrize(("ns", "still_open"), [(SILENCE_NS - 1, True), (SILENCE_NS, False)])
def test_twenty_seconds_without_a_key_close_it(ns: int, still_open: bool) -> None:
    assert SILENCE_NS == 20 * SECOND
    thumb = thumb_in(Phase.LOCKED)
    thumb.hold()
    thumb.wait(15 * SECOND)
    thumb.short()
    assert thumb.menu.due_ns == thumb.now + SILENCE_NS
    thumb.wait(ns)
    assert thumb.menu.open is still_open


def test_F046_a_button_that_went_down_before_the_menu_closed_does_nothing_when_it_comes_up() -> None:
    """Pressed for "next" in the last moment of the 20 s, released after it: no round may end by that."""
    thumb = thumb_in(Phase.LOCKED)
    thumb.hold()
    fell = thumb.now + SILENCE_NS - SECOND // 100
    thumb.wait(SILENCE_NS)
    thumb.short(fell)
    assert (thumb.acts, thumb.table.phase, thumb.menu.open) == ([], Phase.LOCKED, False)
    thumb.short()
    assert thumb.table.phase is Phase.OPEN


def test_F046_a_button_that_went_down_before_the_page_it_meets_does_nothing() -> None:
    """GAME OVER goes down on a page whose only seat loses its wager under it: the page that comes gets no key."""
    thumb = thumb_in(Phase.LOCKED, keys=(ev.Key.SUPERVISOR,))
    thumb.hold()
    thumb.choose(Verb.VOID_SEAT, 5)
    fell = thumb.now
    thumb.now += SECOND // 2
    thumb.decide(ev.HandFolded(thumb.now, 5))
    assert thumb.menu.path == ()
    before = thumb.menu
    thumb.hold(fell)
    assert (thumb.acts, thumb.menu) == ([], before)
    thumb.hold()
    assert thumb.acts == []
    thumb.choose(Nav.YES)
    assert thumb.acts == [ev.CountConfirmed(thumb.now)]


def test_F046_an_act_by_a_held_button_is_made_once() -> None:
    thumb = thumb_in(Phase.LOCKED)
    thumb.hold()
    thumb.choose(Verb.COUNT_RIGHT, Nav.YES)
    assert [type(act) for act in thumb.acts] == [ev.CountConfirmed]
    assert thumb.menu.path == ()


def test_a_chip_that_falls_meanwhile_leaves_the_page_and_the_mark_where_they_are() -> None:
    thumb = thumb_in(Phase.OPEN)
    thumb.hold()
    thumb.choose(Verb.DISPUTE)
    thumb.short()
    stood = thumb.menu
    thumb.decide(*chips(6))
    assert thumb.menu == stood


def test_seats_are_those_lit_and_for_a_dispute_all() -> None:
    thumb = thumb_in(Phase.LOCKED)
    thumb.hold()
    assert thumb.choose(Verb.CLAIM).values == [2, 5, Nav.BACK]
    thumb.choose(Nav.BACK)
    assert thumb.choose(Verb.FOLD).values == [Nav.BACK, 2, 5]
    thumb.choose(Nav.BACK)
    assert thumb.choose(Verb.DISPUTE).values == [Nav.BACK, *range(1, 8)]


SUPERVISORS = {
    Phase.CLOSED: {Verb.LAMP_TEST},
    Phase.OPEN: {Verb.LATE_LOCK, Verb.CLOSE},
    Phase.LOCKED: {Verb.VOID_SEAT, Verb.VOID_ROUND},
    Phase.AWARD_PENDING: {Verb.APPROVE, Verb.REJECT},
}


@pytest.mark.parametrize("phase", SUPERVISORS)
def test_the_supervisors_key_adds_the_supervisors_entries(phase: Phase) -> None:
    without = set(offered(thumb_in(phase).scene))
    with_key = set(offered(thumb_in(phase, keys=(ev.Key.SUPERVISOR,)).scene))
    assert with_key - without == SUPERVISORS[phase]


def test_both_keys_add_what_needs_two_people_and_a_transfer_needs_two_levels() -> None:
    one = set(offered(thumb_in(Phase.CLOSED, keys=(ev.Key.SUPERVISOR,)).scene))
    both = thumb_in(Phase.CLOSED, keys=(ev.Key.SUPERVISOR, ev.Key.TECHNICIAN))
    assert set(offered(both.scene)) - one == {Verb.CORRECT, Verb.UPDATE, Verb.BACKUP}


def test_each_game_is_offered_its_own_acts() -> None:
    punto = Thumb(PUNTO_GAME, opened_punto())
    punto.decide(ev.CoinInPressed(30))
    assert {Verb.RESULT, Verb.HANDS, Verb.DOUBT} <= set(offered(punto.scene))
    assert not {Verb.CLAIM, Verb.FOLD, Verb.COUNT_RIGHT} & set(offered(punto.scene))
    assert not {Verb.RESULT, Verb.HANDS, Verb.DOUBT} & set(offered(thumb_in(Phase.LOCKED).scene))


def test_an_act_takes_the_moment_of_the_press_and_its_refusal_is_shown_in_the_menu() -> None:
    thumb = thumb_in(Phase.AWARD_PENDING)
    thumb.hold()
    # Five spades from the ace down are a royal, not the flush that was claimed.
    thumb.choose(Verb.CARDS, 2)
    for rank, card in ((14, "As"), (13, "Ks"), (12, "Qs"), (11, "Js"), (10, "Ts")):
        thumb.choose(rank, card)
    (act,) = thumb.acts
    assert (type(act), act.at_ns) == (ev.CardsShown, thumb.now)
    assert thumb.table.refusal is ev.Refusal.CARDS_DISAGREE
    assert Text.REFUSED in thumb.texts()


def test_a_claim_goes_its_whole_way_by_two_buttons() -> None:
    thumb = thumb_in(Phase.LOCKED, keys=(ev.Key.SUPERVISOR,))
    thumb.hold()
    thumb.choose(Verb.CLAIM, 5, Hand.STRAIGHT_FLUSH)
    assert (thumb.table.phase, thumb.menu) == (Phase.AWARD_PENDING, Menu(since_ns=thumb.now))
    thumb.hold()
    thumb.choose(Verb.REJECT, 5, Why.WRONG_HAND)
    assert thumb.table.phase is Phase.LOCKED
    thumb.hold()
    thumb.choose(Verb.CLAIM, 5, Hand.FLUSH)
    thumb.hold()
    thumb.choose(Verb.APPROVE, Nav.YES)
    thumb.hold()
    thumb.choose(Verb.PAID, 1, ev.Payment.CASH, Nav.NO)
    assert thumb.acts[-1] != ev.AwardPaid(thumb.now, 1, ev.Payment.CASH, signed=False)
    read_back = {line.text: line.values for line in thumb.lines}
    assert read_back[Text.AWARD] == {"number": 1, "seat": 5, "amount": thumb.table.awards[0].amount}
    assert Text.SLIP_UNSIGNED in read_back
    thumb.choose(Nav.YES)
    assert thumb.acts[-1] == ev.AwardPaid(thumb.now, 1, ev.Payment.CASH, signed=False)
    assert thumb.table.awards[0].paid
    rejected = next(act for act in thumb.acts if isinstance(act, ev.AwardRejected))
    assert rejected.reason == "wrong_hand"


def test_the_count_that_the_screen_says_confirms_and_any_other_differs() -> None:
    thumb = thumb_in(Phase.LOCKED)
    thumb.hold()
    thumb.choose(Verb.DISCREPANCY, 1, Nav.DONE)
    assert thumb.acts == [ev.DiscrepancyFound(thumb.now, 1)]
    thumb.choose(Verb.DISCREPANCY, 2, Nav.DONE, Nav.YES)
    assert thumb.acts[-1] == ev.CountConfirmed(thumb.now)


def test_the_table_opens_with_the_lamps_the_dealer_saw_dark() -> None:
    thumb = thumb_in(Phase.CLOSED, keys=(ev.Key.SUPERVISOR,))
    thumb.hold()
    thumb.choose(Verb.LAMP_TEST)
    assert Verb.LAMP_TEST in thumb.values
    assert thumb.values[0] is Verb.OPEN
    thumb.choose(Verb.OPEN, 6, 3, Nav.DONE)
    assert thumb.acts[-1] == ev.TableOpened(thumb.now, (3, 6))
    assert thumb.table.phase is Phase.OPEN
