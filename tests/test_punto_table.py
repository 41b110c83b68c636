"""Punto y Banca played on the table machine, told as rounds (seed 001); amounts in cents, worked by hand."""

import pytest

from controller.core import events as ev
from controller.core.events import Refusal
from controller.core.punto.draw import Mistake
from controller.core.punto.rules import BankWins, RedCard, SeatedBy
from controller.core.punto.score import PuntoResult
from controller.core.state import Phase
from controller.outputs import Text, outputs
from tests.helpers_game import GAME, key, opened, play
from tests.helpers_punto import PUNTO_GAME, game_with, opened_punto, refused, round_of, state, told

PUNTO, BANCA, ENCART = PuntoResult.PUNTO, PuntoResult.BANCA, PuntoResult.ENCART
COIN_IN, GAME_OVER = ev.CoinInPressed(20), ev.GameOverPressed(22)
TAKEN = ev.BankTaken(4, 3, 20_000)


def shod(behind_red: int = 7) -> list[ev.AnyEvent]:
    """The table chief makes a shoe."""
    return [key(True), ev.ShoeMade(3, behind_red), key(False)]


def result(of: PuntoResult, amount: int | None = None) -> ev.ResultEntered:
    return ev.ResultEntered(21, of, amount)


def screen(*events: ev.AnyEvent) -> set[Text]:
    """The lines of the screen after these events from an open table."""
    return {
        line.text for line in outputs(PUNTO_GAME, play(PUNTO_GAME, opened_punto(), events), 99).texts.screen
    }


def test_num_8_an_encart_is_dealt_again_in_the_same_round_with_the_bets_standing() -> None:
    table = play(PUNTO_GAME, opened_punto(), [COIN_IN, result(ENCART)])
    assert (table.phase, table.round) == (Phase.LOCKED, 1)
    assert refused(PUNTO_GAME, table, GAME_OVER) is Refusal.NO_RESULT
    assert told(PUNTO_GAME, table, [result(PUNTO), GAME_OVER])[0] == ev.RoundEnded(1)


def test_game_over_waits_for_a_result_or_a_void_round() -> None:
    table = play(PUNTO_GAME, opened_punto(), [COIN_IN])
    assert refused(PUNTO_GAME, table, GAME_OVER) is Refusal.NO_RESULT
    annulled = play(PUNTO_GAME, table, [key(True), ev.RoundVoided(30, ev.Reason.CARDS_SEEN)])
    assert refused(PUNTO_GAME, annulled, result(BANCA)) is Refusal.ROUND_VOID
    assert play(PUNTO_GAME, annulled, [GAME_OVER]).phase is Phase.OPEN


def test_num_25_nothing_is_taken_up_as_a_bet_after_no_va_mas() -> None:
    table = play(PUNTO_GAME, opened_punto(), [TAKEN, COIN_IN])
    assert refused(PUNTO_GAME, table, ev.BankRaised(30, 1_000)) is Refusal.WRONG_PHASE
    assert refused(PUNTO_GAME, table, ev.BankTaken(30, 5, 20_000)) is Refusal.WRONG_PHASE


def test_num_3_five_must_be_seated_before_the_first_lock_only() -> None:
    """Sixteen seats, twelve closed: four play. A fifth comes; later one leaves and play goes on."""
    twelve = [ev.SeatClosed(5, seat) for seat in range(5, 17)]
    table = play(PUNTO_GAME, opened_punto(), twelve)
    assert refused(PUNTO_GAME, table, COIN_IN) is Refusal.TOO_FEW_PLAYERS
    table = play(PUNTO_GAME, table, [key(True), ev.SeatOpened(6, 5), key(False), *round_of(BANCA)])
    table = play(PUNTO_GAME, table, [ev.SeatClosed(23, 5), *round_of(PUNTO)])
    assert table.round == 3
    closed = play(
        PUNTO_GAME, table, [key(True), ev.TableClosed(30), ev.LampTestStarted(31), ev.TableOpened(32)]
    )
    assert refused(PUNTO_GAME, closed, COIN_IN) is Refusal.TOO_FEW_PLAYERS


def test_num_3_by_policy_the_dealer_declares_who_is_seated() -> None:
    game = game_with(seated_by=SeatedBy.DECLARED)
    table = opened_punto(game)
    assert refused(game, table, COIN_IN) is Refusal.TOO_FEW_PLAYERS
    assert refused(game, table, ev.PlayersSeated(5, 4), COIN_IN) is Refusal.TOO_FEW_PLAYERS
    assert isinstance(told(game, table, [ev.PlayersSeated(5, 5), COIN_IN])[0], ev.RoundLocked)


def test_num_13_the_commission_is_shown_before_and_booked_by_game_over() -> None:
    """200 wins 200, then 400: 40 are due; 400 + 400 - 40 = 760 stay."""
    table = play(PUNTO_GAME, opened_punto(), [TAKEN, *round_of(BANCA), COIN_IN, result(BANCA)])
    due = [
        line.values for line in outputs(PUNTO_GAME, table, 99).texts.screen if line.text is Text.COMMISSION
    ]
    assert due == [{"seat": 3, "amount": 4_000}]
    assert state(table).commission_meter == 0
    booked = told(PUNTO_GAME, table, [GAME_OVER])
    assert booked[1] == ev.BankMoved(3, 76_000, won=40_000, commission=4_000, source="num. 13")
    assert state(play(PUNTO_GAME, table, [GAME_OVER])).commission_meter == 4_000


def test_a_result_is_put_right_with_the_key_before_anything_moved() -> None:
    table = play(PUNTO_GAME, opened_punto(), [TAKEN, COIN_IN, result(PUNTO)])
    assert refused(PUNTO_GAME, table, result(BANCA)) is Refusal.SUPERVISOR_KEY
    right = play(PUNTO_GAME, table, [key(True), result(BANCA), GAME_OVER])
    bank = state(right).bank
    assert bank is not None
    assert bank.stake == 40_000


def test_num_6_punto_ends_the_talla_and_the_deal_passes_to_the_right_past_closed_seats() -> None:
    table = play(PUNTO_GAME, opened_punto(), [TAKEN, ev.SeatClosed(5, 4)])
    assert told(PUNTO_GAME, table, round_of(PUNTO)) == [
        ev.RoundEnded(1),
        ev.BankEnded(3, 20_000, 0, 0, "num. 6"),
        ev.TurnPassed(5),
    ]


def test_num_6_after_seat_16_it_is_seat_1s_turn() -> None:
    table = play(PUNTO_GAME, opened_punto(), [ev.BankTaken(4, 16, 20_000), *round_of(PUNTO)])
    assert state(table).turn == 1


def test_nums_6_and_20_after_a_suite_the_turn_stays_with_its_origin() -> None:
    """Seat 3 gives the suite after one round (200 won, 5 % = 10), seat 9 takes it; after punto seat 4 deals."""
    table = play(PUNTO_GAME, opened_punto(), [TAKEN, *round_of(BANCA)])
    assert told(PUNTO_GAME, table, [ev.BankPassed(30)]) == [ev.BankEnded(3, 0, 39_000, 1_000, "num. 20")]
    table = play(PUNTO_GAME, table, [ev.BankPassed(30), ev.BankTaken(31, 9, 30_000)])
    assert state(table).turn == 3
    assert state(play(PUNTO_GAME, table, round_of(PUNTO))).turn == 4


def test_num_6_after_a_suite_the_shoes_end_passes_the_deal_whatever_came_out() -> None:
    """Seat 9 holds seat 3's suite, wins the last round (300 more) and has its 600 back; seat 4 deals."""
    table = play(PUNTO_GAME, opened_punto(), [*shod(), TAKEN, *round_of(BANCA), ev.BankPassed(30)])
    table = play(PUNTO_GAME, table, [ev.BankTaken(31, 9, 30_000), ev.RedCardShown(32)])
    assert told(PUNTO_GAME, table, round_of(BANCA))[-3:] == [
        ev.ShoeOver(),
        ev.BankEnded(9, 0, 60_000, 0, "num. 6"),
        ev.TurnPassed(4),
    ]


def test_num_6_without_a_suite_the_banker_who_won_the_last_round_goes_on() -> None:
    table = play(PUNTO_GAME, opened_punto(), [*shod(), TAKEN, ev.RedCardShown(5), *round_of(BANCA)])
    bank = state(table).bank
    assert bank is not None
    assert (bank.seat, state(table).turn) == (3, 3)


def test_num_10_the_banker_may_leave_a_doubted_deal_and_the_house_goes_on_until_punto() -> None:
    table = play(PUNTO_GAME, opened_punto(), [TAKEN, COIN_IN])
    assert refused(PUNTO_GAME, table, ev.BankGivenUp(30)) is Refusal.BANK_GOES_ON
    table = play(PUNTO_GAME, table, [ev.DealDoubted(30)])
    assert told(PUNTO_GAME, table, [ev.BankGivenUp(31)]) == [ev.BankEnded(3, 0, 20_000, 0, "num. 10")]
    table = play(PUNTO_GAME, table, [ev.BankGivenUp(31), result(BANCA), GAME_OVER])
    assert state(table).house_bank
    assert refused(PUNTO_GAME, table, ev.BankTaken(40, 5, 20_000)) is Refusal.BANK_HELD
    table = play(PUNTO_GAME, table, round_of(PUNTO))
    assert not state(table).house_bank
    assert state(table).turn == 4


def test_num_18_after_an_encart_in_his_first_round_the_banker_leaves_with_all() -> None:
    table = play(PUNTO_GAME, opened_punto(), [TAKEN, COIN_IN, result(ENCART)])
    assert told(PUNTO_GAME, table, [ev.BankGivenUp(30)]) == [ev.BankEnded(3, 0, 20_000, 0, "num. 18")]
    free = play(
        PUNTO_GAME, table, [ev.BankGivenUp(30), ev.BankTaken(31, 8, 10_000), result(BANCA), GAME_OVER]
    )
    bank = state(free).bank
    assert bank is not None
    assert (bank.seat, bank.stake) == (8, 20_000)


def test_num_35_a_suite_between_two_deals_of_an_encart() -> None:
    """200 → 400; half of the second round's 760 withdrawn: 380; wins 380 → 760; encart; suite: 5 % of 380 = 19."""
    two = [TAKEN, *round_of(BANCA), *round_of(BANCA), ev.BankWithdrawn(30, 38_000), *round_of(BANCA)]
    table = play(PUNTO_GAME, opened_punto(), [*two, COIN_IN, result(ENCART)])
    assert told(PUNTO_GAME, table, [ev.BankPassed(40)]) == [ev.BankEnded(3, 0, 74_100, 1_900, "num. 35")]


def test_nums_15_and_16_a_withdrawal_is_told_with_its_discount() -> None:
    table = play(PUNTO_GAME, opened_punto(), [TAKEN, *round_of(BANCA)])
    assert told(PUNTO_GAME, table, [ev.BankWithdrawn(30, 20_000)]) == [
        ev.BankMoved(3, 20_000, paid_out=18_000, commission=2_000, source="num. 16")
    ]
    assert refused(PUNTO_GAME, table, ev.BankWithdrawn(30, 20_001)) is Refusal.MORE_THAN_HALF


def test_a_bank_entered_wrong_is_put_right_before_its_first_deal() -> None:
    table = play(PUNTO_GAME, opened_punto(), [TAKEN])
    assert told(PUNTO_GAME, table, [ev.BankTaken(5, 3, 30_000)]) == [
        ev.BankEnded(3, 0, 20_000, 0, ""),
        ev.BankOpened(3, 30_000, suite=False),
    ]
    assert refused(PUNTO_GAME, table, *round_of(BANCA), ev.BankTaken(30, 3, 30_000)) is Refusal.BANK_HELD


def test_by_policy_the_dealer_enters_what_the_bank_won_or_lost() -> None:
    """200 held; 150 won: 350. Then 100 lost: 250 go back."""
    game = game_with(bank_wins=BankWins.ENTERED)
    table = play(game, opened_punto(game), [TAKEN, COIN_IN])
    assert refused(game, table, result(BANCA)) is Refusal.AMOUNT_OUT_OF_RANGE
    assert refused(game, table, result(BANCA, 20_001)) is Refusal.AMOUNT_OUT_OF_RANGE
    table = play(game, table, [result(BANCA, 15_000), GAME_OVER])
    assert told(game, table, round_of(PUNTO, 10_000))[1] == ev.BankEnded(3, 10_000, 25_000, 0, "num. 6")


def test_num_41_at_the_red_card_nothing_may_be_added_and_then_a_shoe_is_made() -> None:
    table = play(PUNTO_GAME, opened_punto(), [*shod(), TAKEN, *round_of(BANCA), ev.RedCardShown(30)])
    assert refused(PUNTO_GAME, table, ev.BankRaised(31, 1_000)) is Refusal.LAST_ROUND
    assert told(PUNTO_GAME, table, [ev.BankWithdrawn(31, 20_000)])
    table = play(PUNTO_GAME, table, round_of(BANCA))
    assert refused(PUNTO_GAME, table, COIN_IN) is Refusal.SHOE_OVER
    assert isinstance(told(PUNTO_GAME, table, [*shod(), COIN_IN])[0], ev.RoundLocked)


def test_the_red_card_in_a_deal_makes_this_or_the_next_round_the_last_by_policy() -> None:
    middle: list[ev.AnyEvent] = [*shod(), COIN_IN, ev.RedCardShown(30), result(BANCA), GAME_OVER]
    this = game_with(red_card=RedCard.THIS_ROUND)
    assert refused(this, play(this, opened_punto(this), middle), COIN_IN) is Refusal.SHOE_OVER
    table = play(PUNTO_GAME, opened_punto(), middle)
    assert refused(PUNTO_GAME, play(PUNTO_GAME, table, round_of(PUNTO)), COIN_IN) is Refusal.SHOE_OVER


def test_nums_4_and_42_with_fewer_than_seven_cards_no_round_is_valid() -> None:
    """Seven counted, an encart with four cards entered: three are left, only a void round remains."""
    table = play(PUNTO_GAME, opened_punto(), [*shod(), ev.CardsCounted(5, 7), COIN_IN])
    table = play(PUNTO_GAME, table, [ev.HandsShown(21, (3, 4), (3, 4)), result(ENCART)])
    assert refused(PUNTO_GAME, table, result(BANCA)) is Refusal.TOO_FEW_CARDS
    void = play(PUNTO_GAME, table, [key(True), ev.RoundVoided(30, ev.Reason.TOO_FEW_CARDS), GAME_OVER])
    assert refused(PUNTO_GAME, void, COIN_IN) is Refusal.TOO_FEW_CARDS


def test_the_shoe_is_counted_by_the_hands_that_were_entered() -> None:
    """312 - 5 entered = 307; then four to six: 301 to 303; a void round with four cards shown: 297 to 299.

    A void round of which nobody knows how many were dealt: 291 to 299.
    """
    first: list[ev.AnyEvent] = [COIN_IN, ev.HandsShown(21, (2, 2, 7), (13, 7)), result(BANCA), GAME_OVER]
    table = play(PUNTO_GAME, opened_punto(), [*shod(), *first, *round_of(PUNTO)])
    shoe = state(table).shoe
    assert shoe is not None
    assert (shoe.least, shoe.most) == (301, 303)
    void = ev.RoundVoided(30, ev.Reason.DISCARDED_EARLY)
    table = play(PUNTO_GAME, table, [COIN_IN, ev.HandsShown(21, (4, 4), (13, 7)), key(True), void, GAME_OVER])
    shoe = state(table).shoe
    assert shoe is not None
    assert (shoe.least, shoe.most) == (297, 299)
    shoe = state(play(PUNTO_GAME, table, [COIN_IN, void, GAME_OVER])).shoe
    assert shoe is not None
    assert (shoe.least, shoe.most) == (291, 299)


def test_the_cards_overrule_a_wrong_announcement() -> None:
    table = play(PUNTO_GAME, opened_punto(), [COIN_IN, ev.HandsShown(21, (4, 5), (13, 7))])
    assert refused(PUNTO_GAME, table, result(BANCA)) is Refusal.CARDS_SAY_OTHERWISE
    assert told(PUNTO_GAME, table, [result(PUNTO)]) == [ev.ResultStands(PUNTO)]


def test_a_mistake_in_the_draw_is_named_and_left_to_the_supervisor() -> None:
    """Punto K 4 was given a 6, the bank of 6 did not draw: num. 7 has it draw."""
    table = play(PUNTO_GAME, opened_punto(), [COIN_IN])
    shown = ev.HandsShown(21, (13, 4, 6), (13, 6))
    assert told(PUNTO_GAME, table, [shown]) == [ev.CardsJudged(0, 6, None, Mistake.BANK_MUST_DRAW)]
    table = play(PUNTO_GAME, table, [shown])
    assert refused(PUNTO_GAME, table, result(BANCA)) is Refusal.SUPERVISOR_KEY
    assert told(PUNTO_GAME, table, [key(True), result(BANCA)]) == [ev.ResultStands(BANCA)]


def test_num_40_a_burned_card_lets_the_round_go_on() -> None:
    table = play(PUNTO_GAME, opened_punto(), [COIN_IN, ev.HandsShown(21, (3, 4, 2), (13, 6))])
    assert told(PUNTO_GAME, table, [result(PUNTO)]) == [ev.ResultStands(PUNTO)]
    assert refused(PUNTO_GAME, table, result(BANCA)) is Refusal.CARDS_SAY_OTHERWISE


def test_num_44_a_bet_left_is_frozen_into_the_bank_after_its_third_win() -> None:
    """100 on banca won and stays; wins 90 → 190, wins 171 → 361 and enters the bank: 1,520 + 361 = 1,881.

    The bank: 200 → 400 → 760 → 1,520 (rounds 1 to 3; 40 commission in the second).
    """
    table = play(
        PUNTO_GAME, opened_punto(), [TAKEN, *round_of(BANCA), ev.BetNotWithdrawn(30, 7, BANCA, 10_000)]
    )
    table = play(PUNTO_GAME, table, round_of(BANCA))
    assert [(bet.amount, bet.wins) for bet in state(table).left] == [(19_000, 2)]
    assert told(PUNTO_GAME, table, round_of(BANCA)) == [
        ev.RoundEnded(3),
        ev.BankMoved(3, 152_000, won=76_000),
        ev.BetFrozen(7, BANCA, 36_100, into=3),
        ev.BankMoved(3, 188_100, frozen=36_100),
    ]


def test_a_bet_left_loses_or_is_taken_back() -> None:
    table = play(
        PUNTO_GAME, opened_punto(), [TAKEN, *round_of(BANCA), ev.BetNotWithdrawn(30, 7, BANCA, 10_000)]
    )
    assert told(PUNTO_GAME, table, [ev.BetTakenBack(31, 7, BANCA)]) == [ev.BetReturned(7, BANCA, 10_000)]
    assert ev.BetLost(7, BANCA, 10_000, 0) in told(PUNTO_GAME, table, round_of(PUNTO))


def test_a_punto_bet_that_freezes_when_the_bank_fell_stays_with_the_house() -> None:
    """50 on punto: 50 → 100 → 200, frozen as punto wins; nobody holds the bank then."""
    bet = ev.BetNotWithdrawn(30, 7, PUNTO, 5_000)
    table = play(PUNTO_GAME, opened_punto(), [*round_of(PUNTO), bet, *round_of(PUNTO)])
    assert told(PUNTO_GAME, table, round_of(PUNTO))[1:] == [ev.BetFrozen(7, PUNTO, 20_000, into=0)]
    assert state(play(PUNTO_GAME, table, round_of(PUNTO))).frozen_meter == 20_000


def test_a_void_round_leaves_the_bank_and_gives_back_the_bets_that_were_left() -> None:
    bets = [TAKEN, *round_of(BANCA), ev.BetNotWithdrawn(30, 7, BANCA, 10_000)]
    table = play(PUNTO_GAME, opened_punto(), bets)
    void: list[ev.AnyEvent] = [COIN_IN, result(PUNTO), key(True), ev.RoundVoided(40, ev.Reason.NOT_FACE_UP)]
    assert told(PUNTO_GAME, table, void) == [
        ev.RoundAnnulled(2, ev.Reason.NOT_FACE_UP),
        ev.BetReturned(7, BANCA, 10_000),
    ]
    after = play(PUNTO_GAME, table, [*void, GAME_OVER])
    assert (state(after).bank, state(after).left) == (state(table).bank, ())


@pytest.mark.parametrize(
    ("policy", "expected"), [("require_shoe", Refusal.NO_SHOE), ("require_banker", Refusal.NO_BANKER)]
)
def test_by_policy_no_round_without_a_shoe_or_a_banker(policy: str, expected: Refusal) -> None:
    game = game_with(**{policy: True})
    assert refused(game, opened_punto(game), COIN_IN) is expected
    assert isinstance(told(game, opened_punto(game), [*shod(), TAKEN, COIN_IN])[0], ev.RoundLocked)


def test_the_screen_tells_the_dealer_what_the_round_wants() -> None:
    assert Text.RESULT_WANTED in screen(COIN_IN)
    assert Text.ENCART in screen(COIN_IN, result(ENCART))
    assert Text.RESULT in screen(COIN_IN, result(BANCA))
    assert Text.ROUND_VOID in screen(COIN_IN, key(True), ev.RoundVoided(30, ev.Reason.OTHER))
    assert Text.DOUBTED in screen(COIN_IN, ev.DealDoubted(30))
    assert {Text.POINTS, Text.MISTAKE} <= screen(COIN_IN, ev.HandsShown(21, (13, 4), (13, 6)))
    assert Text.LAST_ROUND in screen(*shod(), ev.RedCardShown(30))
    assert Text.SHOE_OVER in screen(*shod(), ev.RedCardShown(30), *round_of(BANCA))
    assert Text.COUNT_CARDS in screen(*shod(), ev.CardsCounted(5, 12), *round_of(BANCA))
    assert Text.BANK in screen(TAKEN)
    assert Text.FREE_BANK in screen(TAKEN, *round_of(PUNTO))
    assert Text.COMMISSION not in screen(TAKEN, COIN_IN, result(BANCA))
    assert Text.DOUBTED not in screen(COIN_IN, ev.DealDoubted(30), ev.HandsShown(21, (4, 5), (13, 7)))
    assert Text.HOUSE_BANK in screen(TAKEN, COIN_IN, ev.DealDoubted(30), ev.BankGivenUp(31))
    assert Text.LEFT_BET in screen(*round_of(BANCA), ev.BetNotWithdrawn(30, 7, BANCA, 10_000))


def test_a_power_cut_leaves_the_round_where_it_was() -> None:
    table = play(PUNTO_GAME, opened_punto(), [*shod(), TAKEN, COIN_IN, result(ENCART), result(BANCA)])
    back = play(PUNTO_GAME, table, [ev.Started(99, supervisor=False, technician=False)])
    assert (back.phase, back.punto) == (table.phase, table.punto)


def test_a_poker_tables_record_carries_nothing_of_this_game() -> None:
    import msgspec

    assert b"punto" not in msgspec.json.encode(opened(GAME))
    assert b"punto" not in msgspec.json.encode(GAME)
