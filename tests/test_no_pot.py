"""Games without a wager or without a pot on the table machine: what they must still do, and what they never do."""

from msgspec.structs import replace

from controller.core import events as ev
from controller.core.awards import serve
from controller.core.game import Fixed, Fund, Hand, Prize, without_awards
from controller.core.invariants import check
from controller.core.pot import imbalance
from controller.core.state import Claim, Phase, Pot
from controller.core.table import slots_open, step
from controller.meters import meters
from controller.outputs import Lamp, Line, Text, outputs
from tests.helpers_game import GAME, chips, key, locked, new_table, opened, pending, play

NO_WAGER = replace(
    GAME,
    profile="cl-caribbean",
    wager=0,
    levels=(),
    prizes=(),
    policies=without_awards(require_sign=False, require_host=False),
)
BONO = replace(
    GAME,
    profile="pe-caribbean",
    wager=500,
    levels=(),
    prizes=(
        Prize(Hand.FULL_HOUSE, None, Fixed(35_000), Fund.HOUSE, "art. 9 e"),
        Prize(Hand.FLUSH, None, Fixed(25_000), Fund.HOUSE, "art. 9 e"),
    ),
)


def test_slots_without_a_wager_never_open_and_every_chip_is_late() -> None:
    table = opened(NO_WAGER)
    assert not slots_open(NO_WAGER, table)
    for at_ns, seat in ((10, 3), (11, 3), (12, 1)):
        before = table
        table, results = step(NO_WAGER, table, ev.ChipDropped(at_ns, seat))
        check(NO_WAGER, before, table, results)
        assert results == (ev.ChipLate(seat),)
    assert [(seat.dropped, seat.late, seat.excess) for seat in table.seats[:3]] == [
        (1, 1, 0),
        (0, 0, 0),
        (2, 2, 0),
    ]
    shown = outputs(NO_WAGER, table, 0).signals
    assert set(shown.lamps) == {Lamp.OFF}
    assert not shown.slots_open


def test_in_test_a_chip_without_a_wager_counts_on_the_test_counter_and_slots_stay_locked() -> None:
    table = play(NO_WAGER, new_table(NO_WAGER), [key(True, ev.Key.TECHNICIAN), *chips(2)])
    assert (table.phase, table.seats[1].tested, table.seats[1].dropped) == (Phase.TEST, 1, 0)
    assert not slots_open(NO_WAGER, table)
    assert outputs(NO_WAGER, table, 0).texts.sign == Line(Text.TEST)


def test_rounds_without_a_wager_are_locked_voided_ended_and_counted() -> None:
    table = locked(game=NO_WAGER)
    assert outputs(NO_WAGER, table, 0).texts.sign == Line(Text.NO_MORE_BETS)
    assert outputs(NO_WAGER, table, 0).texts.screen[0] == Line(Text.ROUND_LOCKED, {"round": 1})
    table = play(NO_WAGER, table, [key(True), ev.RoundVoided(30, ev.Reason.OTHER), ev.GameOverPressed(40)])
    assert (table.phase, table.round) == (Phase.OPEN, 2)
    assert outputs(NO_WAGER, table, 0).texts.sign == Line(Text.PLACE_BETS)
    assert outputs(NO_WAGER, table, 0).texts.screen[0] == Line(Text.ROUND_OPEN, {"round": 2})
    assert {name for name, value in meters(table).items() if value} == set()


def test_the_sign_of_a_closed_table_without_a_pot_promises_nothing() -> None:
    assert outputs(NO_WAGER, new_table(NO_WAGER), 0).texts.sign == Line(Text.CLOSED)


def test_while_a_bono_is_pending_the_sign_tells_how_the_round_stands() -> None:
    table = pending({2: Hand.FLUSH}, BONO)
    assert outputs(BONO, table, 0).texts.sign == Line(Text.NO_MORE_BETS)
    assert outputs(BONO, table, 0).signals.lamps[1] is Lamp.WINNER


def test_a_bono_is_counted_beside_the_levels_and_money_is_conserved() -> None:
    table = play(BONO, pending({5: Hand.FLUSH, 2: Hand.FULL_HOUSE}, BONO), [ev.AwardsApproved(40)])
    assert [(award.seat, award.level, award.amount) for award in table.awards] == [
        (2, None, 35_000),
        (5, None, 25_000),
    ]
    assert imbalance(table.pot) == 0
    found = meters(table)
    assert (found["hits_meter"], found["wins_meter"], found["unpaid"]) == (2, 60_000, 60_000)
    assert (found["in_meter"], found["house_funding"], found["current"]) == (1_000, 0, 0)
    # Without a level the whole wager is the house's share, in millionths.
    assert table.pot.house_share == 1_000 * 1_000_000


def test_the_record_of_a_bono_names_no_pot() -> None:
    served = serve(BONO, Pot(levels=()), (Claim(3, Hand.FLUSH),), 1, 8)
    (told,) = served.told
    assert isinstance(told, ev.AwardApproved)
    assert (told.number, told.level, told.pot_before, told.pot_after, told.from_house) == (
        9,
        None,
        0,
        0,
        25_000,
    )


def test_a_bono_beside_a_pot_touches_no_level() -> None:
    bono = Prize(Hand.STRAIGHT, None, Fixed(7_000), Fund.HOUSE, "art. 9 e")
    game = replace(GAME, prizes=(*GAME.prizes, bono))
    table = play(game, pending({1: Hand.STRAIGHT, 4: Hand.FLUSH}, game), [ev.AwardsApproved(40)])
    level = table.pot.levels[0]
    assert (level.hits_meter, level.wins_meter) == (1, 50_000)
    found = meters(table)
    assert (found["hits_meter"], found["wins_meter"]) == (2, 57_000)
    assert (found["main.hits_meter"], found["main.wins_meter"]) == (1, 50_000)
    assert imbalance(table.pot) == 0
