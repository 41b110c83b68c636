"""What the acts of a round of Punto y Banca change, and that they change nothing else (seed 001); amounts in cents."""

import pytest
from msgspec.structs import replace

from controller.core import events as ev
from controller.core.events import Refusal
from controller.core.game import Game
from controller.core.punto.draw import Mistake
from controller.core.punto.frozen import LeftBet
from controller.core.punto.ledger import Bank
from controller.core.punto.rules import BankWins, SeatedBy
from controller.core.punto.score import PuntoResult
from controller.core.punto.shoe import Shoe
from controller.core.punto.state import Hands, Punto
from controller.core.state import Closure, Phase, Table
from controller.core.table.punto import here, not_ready
from tests.helpers_exact import NOTED, becomes, each, refuses, shown, with_seats
from tests.helpers_game import GAME, key, opened, play
from tests.helpers_punto import PUNTO_GAME, game_with, opened_punto

PUNTO, BANCA, ENCART = PuntoResult.PUNTO, PuntoResult.BANCA, PuntoResult.ENCART
BANK = Bank(3, 20_000, 20_000, rounds=2, turn_before=1)
LEFT = (LeftBet(7, BANCA, 1_000, 50, 1), LeftBet(9, PUNTO, 2_000, 0, 2))
DEALING = Punto(
    begun=True, seated=5, shoe=Shoe(300, 302, 7), bank=BANK, turn=3, left=LEFT, encarts=1, last=BANCA
)
LOCKED = shown(play(PUNTO_GAME, opened_punto(), [ev.CoinInPressed(20)]), punto=DEALING, round=4)
OPEN = shown(opened_punto(), punto=DEALING, round=4)
ENTERED = game_with(bank_wins=BankWins.ENTERED)


def with_punto(table: Table, /, **values: object) -> Table:
    """The table with other values of this game."""
    assert table.punto is not None
    return replace(table, punto=replace(table.punto, **values))


def done(table: Table, /, **values: object) -> Table:
    """The same, and nothing refused."""
    return replace(with_punto(table, **values), refusal=None)


def test_a_table_of_another_game_has_no_such_rules() -> None:
    for game, table in ((GAME, opened_punto()), (PUNTO_GAME, opened(GAME))):
        with pytest.raises(AssertionError, match="is no Punto y Banca, or its table"):
            here(game, table)


def test_the_first_lock_begins_the_game_and_closing_the_table_ends_it() -> None:
    before = with_punto(OPEN, begun=False)
    after = play(PUNTO_GAME, before, [ev.CoinInPressed(20)])
    assert after.punto == DEALING
    closing = play(PUNTO_GAME, OPEN, [key(True)])
    closed = replace(done(closing, begun=False, seated=0), phase=Phase.CLOSED)
    becomes(closing, ev.TableClosed(30), closed, ev.PhaseChanged(Phase.CLOSED), game=PUNTO_GAME)


@pytest.mark.parametrize("count", [0, 16])
def test_any_number_may_be_seated_up_to_every_seat(count: int) -> None:
    becomes(OPEN, ev.PlayersSeated(5, count), done(OPEN, seated=count), NOTED, game=PUNTO_GAME)
    for wrong in (-1, 17):
        refuses(OPEN, ev.PlayersSeated(5, wrong), Refusal.AMOUNT_OUT_OF_RANGE, game=PUNTO_GAME)


@pytest.mark.parametrize(("count", "reason"), [(4, Refusal.TOO_FEW_PLAYERS), (5, None)])
def test_num_3_five_play_whichever_way_they_are_counted(count: int, reason: Refusal | None) -> None:
    declared = with_punto(OPEN, begun=False, seated=count)
    assert not_ready(game_with(seated_by=SeatedBy.DECLARED), declared) is reason
    none = with_punto(OPEN, begun=False, seated=0)
    by_seats = with_seats(none, each(*range(count + 1, 17), closed=Closure.HAND))
    assert not_ready(PUNTO_GAME, by_seats) is reason
    assert not_ready(PUNTO_GAME, with_punto(by_seats, begun=True)) is None


@pytest.mark.parametrize(
    ("values", "policies", "reason"),
    [
        ({"shoe": None}, {}, None),
        ({"shoe": None}, {"require_shoe": True}, Refusal.NO_SHOE),
        ({"shoe": Shoe(300, 300, 7, over=True)}, {}, Refusal.SHOE_OVER),
        ({"shoe": Shoe(6, 6, 7)}, {}, Refusal.TOO_FEW_CARDS),
        ({"shoe": Shoe(5, 7, 7)}, {}, None),
        ({"bank": None}, {}, None),
        ({"bank": None}, {"require_banker": True}, Refusal.NO_BANKER),
        ({"bank": None, "house_bank": True}, {"require_banker": True}, None),
        ({}, {"require_banker": True, "require_shoe": True}, None),
    ],
)
def test_what_a_round_needs_before_it_is_locked(
    values: dict[str, object], policies: dict[str, object], reason: Refusal | None
) -> None:
    game = game_with(**policies)
    table = with_punto(OPEN, **values)
    assert not_ready(game, table) is reason
    if reason is not None:
        refuses(table, ev.CoinInPressed(20), reason, game=game)


HANDS = ev.HandsShown(41, (13, 4), (13, 8))


def test_the_cards_of_a_deal_are_kept_and_judged() -> None:
    after = done(LOCKED, hands=Hands((13, 4), (13, 8)))
    becomes(LOCKED, HANDS, after, ev.CardsJudged(4, 8, BANCA), game=PUNTO_GAME)
    by_dealer = ev.HandsShown(41, (2, 3, 1), (13, 7), by_dealer=True)
    after = done(LOCKED, hands=Hands((2, 3, 1), (13, 7), by_dealer=True))
    told = ev.CardsJudged(5, 7, BANCA, Mistake.PUNTO_CARD_BURNED)
    becomes(LOCKED, by_dealer, after, told, game=PUNTO_GAME)
    by_player = done(LOCKED, hands=Hands((2, 3, 1), (13, 7)))
    becomes(
        LOCKED, replace(by_dealer, by_dealer=False), by_player, ev.CardsJudged(6, 7, BANCA), game=PUNTO_GAME
    )
    refuses(with_punto(LOCKED, void=True), HANDS, Refusal.ROUND_VOID, game=PUNTO_GAME)
    refuses(with_punto(LOCKED, result=PUNTO), HANDS, Refusal.RESULT_STANDS, game=PUNTO_GAME)


@pytest.mark.parametrize(
    ("punto", "banca", "taken"),
    [
        ((1,), (), False),
        ((1,), (1,), True),
        ((1,) * 6, (1,) * 6, True),
        ((1,) * 7, (1,) * 6, False),
        ((0, 1), (1, 1), False),
        ((1, 1), (1, 14), False),
        ((1, 13), (13, 1), True),
    ],
)
def test_cards_that_no_deal_has_are_refused(
    punto: tuple[int, ...], banca: tuple[int, ...], taken: bool
) -> None:
    event = ev.HandsShown(41, punto, banca)
    if taken:
        assert play(PUNTO_GAME, LOCKED, [event]).punto == replace(DEALING, hands=Hands(punto, banca))
    else:
        refuses(LOCKED, event, Refusal.NO_SUCH_CARDS, game=PUNTO_GAME)


def test_a_doubt_is_kept_until_anything_is_decided() -> None:
    becomes(LOCKED, ev.DealDoubted(30), done(LOCKED, doubted=True), NOTED, game=PUNTO_GAME)
    for values, reason in (
        ({"void": True}, Refusal.ROUND_VOID),
        ({"result": PUNTO}, Refusal.RESULT_STANDS),
        ({"hands": Hands((1, 2), (3, 4))}, Refusal.CARDS_WERE_SEEN),
    ):
        refuses(with_punto(LOCKED, **values), ev.DealDoubted(30), reason, game=PUNTO_GAME)


def test_a_result_stands_with_its_amount_and_the_same_one_may_be_said_again() -> None:
    after = done(LOCKED, result=BANCA)
    becomes(LOCKED, ev.ResultEntered(30, BANCA), after, ev.ResultStands(BANCA), game=PUNTO_GAME)
    becomes(shown(after), ev.ResultEntered(31, BANCA), after, ev.ResultStands(BANCA), game=PUNTO_GAME)
    refuses(after, ev.ResultEntered(31, PUNTO), Refusal.SUPERVISOR_KEY, game=PUNTO_GAME)
    refuses(
        with_punto(after, result=None, void=True),
        ev.ResultEntered(31, PUNTO),
        Refusal.ROUND_VOID,
        game=PUNTO_GAME,
    )
    turned = play(PUNTO_GAME, shown(after), [key(True)])
    other = done(turned, result=PUNTO)
    becomes(turned, ev.ResultEntered(31, PUNTO), other, ev.ResultStands(PUNTO), game=PUNTO_GAME)


@pytest.mark.parametrize("amount", [0, 20_000])
def test_where_the_dealer_enters_it_the_amount_is_from_nothing_to_the_stake(amount: int) -> None:
    after = done(LOCKED, result=PUNTO, amount=amount)
    becomes(LOCKED, ev.ResultEntered(30, PUNTO, amount), after, ev.ResultStands(PUNTO), game=ENTERED)
    for changed in (amount + 1 if amount == 0 else amount - 1,):
        refuses(after, ev.ResultEntered(31, PUNTO, changed), Refusal.SUPERVISOR_KEY, game=ENTERED)


@pytest.mark.parametrize(
    ("game", "values", "event"),
    [
        (ENTERED, {}, ev.ResultEntered(30, BANCA)),
        (ENTERED, {}, ev.ResultEntered(30, BANCA, -1)),
        (ENTERED, {}, ev.ResultEntered(30, BANCA, 20_001)),
        (ENTERED, {}, ev.ResultEntered(30, ENCART, 5)),
        (ENTERED, {"bank": None}, ev.ResultEntered(30, BANCA, 5)),
        (PUNTO_GAME, {}, ev.ResultEntered(30, BANCA, 5)),
    ],
)
def test_an_amount_belongs_to_a_bank_that_won_or_lost_and_nowhere_else(
    game: Game, values: dict[str, object], event: ev.ResultEntered
) -> None:
    refuses(with_punto(LOCKED, **values), event, Refusal.AMOUNT_OUT_OF_RANGE, game=game)


def test_with_fewer_than_seven_cards_no_result_is_taken() -> None:
    few = with_punto(LOCKED, shoe=Shoe(6, 6, 7))
    refuses(few, ev.ResultEntered(30, BANCA), Refusal.TOO_FEW_CARDS, game=PUNTO_GAME)
    banked = game_with(require_banker=True)
    refuses(with_punto(LOCKED, bank=None), ev.ResultEntered(30, BANCA), Refusal.NO_BANKER, game=banked)


@pytest.mark.parametrize(
    ("hands", "shoe"),
    [
        (None, Shoe(294, 298, 7)),  # four to six cards
        (Hands((3, 4), (3, 4)), Shoe(296, 298, 7)),
        (Hands((3, 4), (3, 4), by_dealer=True), Shoe(296, 298, 7)),
        (Hands((3, 1, 1), (2, 3)), Shoe(295, 297, 7)),  # five
    ],
)
def test_an_encart_is_dealt_again_from_the_shoe_as_it_is_then(hands: Hands | None, shoe: Shoe) -> None:
    before = with_punto(LOCKED, hands=hands, doubted=True)
    after = done(before, hands=None, doubted=False, encarts=2, bank=replace(BANK, encarts=1), shoe=shoe)
    becomes(before, ev.ResultEntered(30, ENCART), after, ev.DealtAgain(2), game=PUNTO_GAME)


def test_an_encart_needs_neither_bank_nor_shoe() -> None:
    before = with_punto(LOCKED, bank=None, shoe=None, encarts=0)
    becomes(before, ev.ResultEntered(30, ENCART), done(before, encarts=1), ev.DealtAgain(1), game=PUNTO_GAME)


def test_cards_overrule_an_announcement_and_a_mistake_wants_the_supervisor() -> None:
    seen = with_punto(LOCKED, hands=Hands((13, 4), (13, 8)))
    for wrong in (PUNTO, ENCART):
        refuses(seen, ev.ResultEntered(30, wrong), Refusal.CARDS_SAY_OTHERWISE, game=PUNTO_GAME)
    mistaken = with_punto(LOCKED, hands=Hands((13, 4, 6), (13, 6)))
    refuses(mistaken, ev.ResultEntered(30, PUNTO), Refusal.SUPERVISOR_KEY, game=PUNTO_GAME)
    turned = play(PUNTO_GAME, mistaken, [key(True)])
    after = done(turned, result=PUNTO)
    becomes(turned, ev.ResultEntered(30, PUNTO), after, ev.ResultStands(PUNTO), game=PUNTO_GAME)


def test_a_void_round_gives_back_every_bet_with_what_lies_beside_it() -> None:
    void = ev.RoundVoided(40, ev.Reason.CARDS_SEEN)
    before = play(PUNTO_GAME, with_punto(LOCKED, result=BANCA, amount=5), [key(True)])
    after = done(before, void=True, result=None, amount=None, left=())
    told = (
        ev.RoundAnnulled(4, ev.Reason.CARDS_SEEN),
        ev.BetReturned(7, BANCA, 1_050),
        ev.BetReturned(9, PUNTO, 2_000),
    )
    becomes(before, void, after, *told, game=PUNTO_GAME)
    refuses(after, void, Refusal.ROUND_VOID, game=PUNTO_GAME)


def test_game_over_needs_a_result_or_a_void_round() -> None:
    refuses(LOCKED, ev.GameOverPressed(50), Refusal.NO_RESULT, game=PUNTO_GAME)
    void = with_punto(LOCKED, void=True, left=(), doubted=True, hands=Hands((1, 2), (3, 4)))
    after = replace(
        done(void, void=False, doubted=False, hands=None, encarts=0, last=None, shoe=Shoe(296, 298, 7)),
        phase=Phase.OPEN,
        round=5,
    )
    becomes(void, ev.GameOverPressed(50), after, ev.RoundEnded(4), game=PUNTO_GAME)
    unseen = with_punto(void, hands=None)
    spoiled = with_punto(after, shoe=Shoe(294, 302, 7))
    becomes(unseen, ev.GameOverPressed(50), spoiled, ev.RoundEnded(4), game=PUNTO_GAME)
