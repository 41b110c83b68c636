"""What corrections, transfers, other rules and a table's first state change, and that they change nothing else."""

import pytest
from msgspec.structs import replace

from controller.core import events as ev
from controller.core.events import Key, Refusal
from controller.core.game import Fund, Game, Hand
from controller.core.punto.state import Punto
from controller.core.state import Award, Level, Phase, Pot, Seat, Table
from controller.core.table import Remembered, commission, on_paper, recovered
from controller.core.table.parameters import claimable_seats
from tests.helpers_exact import NOTED, becomes, each, refuses, shown, with_seats
from tests.helpers_game import GAME, MAIN, key, locked, new_table, play
from tests.helpers_punto import PUNTO_GAME

MINOR = replace(MAIN, name="minor", base_amount=50_000, limit=200_000)
TWO = replace(GAME, levels=(MAIN, MINOR))
BEFORE = shown(
    play(TWO, new_table(TWO), [key(True), key(True, Key.TECHNICIAN)]), recovered=True, received=("t0",)
)
MAIN_LEVEL, MINOR_LEVEL = BEFORE.pot.levels


def leveled(main: Level = MAIN_LEVEL, minor: Level = MINOR_LEVEL, **values: object) -> Table:
    """The table with these levels and no refusal."""
    return replace(BEFORE, pot=replace(BEFORE.pot, levels=(main, minor)), refusal=None, **values)


@pytest.mark.parametrize("amount", [0, 30_000, 200_000])
def test_a_correction_sets_one_level_to_anything_from_nothing_to_its_limit(amount: int) -> None:
    minor = replace(MINOR_LEVEL, current=amount, corrections=amount - 50_000)
    told = ev.CorrectionMade("minor", 50_000, amount)
    becomes(BEFORE, ev.PotCorrected(5, "minor", amount, "x" * 400), leveled(minor=minor), told, game=TWO)


def test_a_correction_of_a_level_that_is_not_there_is_refused() -> None:
    refuses(BEFORE, ev.PotCorrected(5, "major", 5, "x"), Refusal.NO_SUCH_LEVEL, game=TWO)


@pytest.mark.parametrize("amount", [1, 150_000])
def test_a_transfer_moves_one_amount_once(amount: int) -> None:
    """Minor holds 500.00 and takes 2,000.00 at most."""
    main = replace(MAIN_LEVEL, current=10_000_000 - amount, transfers_out=amount)
    minor = replace(MINOR_LEVEL, current=50_000 + amount, transfers_in=amount)
    told = (
        ev.TransferMade("main", -amount, 10_000_000 - amount),
        ev.TransferMade("minor", amount, 50_000 + amount),
    )
    event = ev.PotTransferred(5, "main", "minor", amount, "promotion")
    becomes(BEFORE, event, leveled(main, minor), *told, game=TWO)


@pytest.mark.parametrize(("source", "target"), [("major", "minor"), ("minor", "major"), ("main", "main")])
def test_a_transfer_needs_two_levels(source: str, target: str) -> None:
    refuses(BEFORE, ev.PotTransferred(5, source, target, 5, "x"), Refusal.NO_SUCH_LEVEL, game=TWO)


def test_a_whole_level_may_be_sent_and_no_more() -> None:
    sent = ev.TransferSent(5, "t" * 40, "minor", 50_000, "m" * 32, "x" * 400)
    minor = replace(MINOR_LEVEL, current=0, transfers_out=50_000)
    becomes(BEFORE, sent, leveled(minor=minor), ev.TransferMade("minor", -50_000, 0), game=TWO)
    refuses(BEFORE, replace(sent, amount=50_001), Refusal.POT_TOO_SMALL, game=TWO)
    refuses(BEFORE, replace(sent, amount=0), Refusal.AMOUNT_OUT_OF_RANGE, game=TWO)
    refuses(BEFORE, replace(sent, level="major"), Refusal.NO_SUCH_LEVEL, game=TWO)
    refuses(BEFORE, replace(sent, reason=" "), Refusal.NO_REASON, game=TWO)
    for long in ({"transfer": "t" * 41}, {"to_table": "m" * 33}, {"reason": "x" * 401}):
        refuses(BEFORE, replace(sent, **long), Refusal.TEXT_TOO_LONG, game=TWO)


def test_a_transfer_is_taken_in_up_to_the_limit_and_remembered() -> None:
    event = ev.TransferReceived(5, "t" * 40, "minor", 150_000, "m" * 32)
    minor = replace(MINOR_LEVEL, current=200_000, transfers_in=150_000)
    after = leveled(minor=minor, received=("t0", "t" * 40))
    becomes(BEFORE, event, after, ev.TransferMade("minor", 150_000, 200_000), game=TWO)
    refuses(BEFORE, replace(event, amount=150_001), Refusal.ABOVE_LIMIT, game=TWO)
    refuses(BEFORE, replace(event, amount=0), Refusal.AMOUNT_OUT_OF_RANGE, game=TWO)
    refuses(BEFORE, replace(event, level="major"), Refusal.NO_SUCH_LEVEL, game=TWO)
    refuses(BEFORE, replace(event, transfer="t0"), Refusal.ALREADY_RECEIVED, game=TWO)


@pytest.mark.parametrize(("taken", "refused"), [(999, False), (1_000, True)])
def test_a_thousand_transfers_are_taken_in_and_no_more(taken: int, refused: bool) -> None:
    before = replace(BEFORE, received=tuple(f"t{number}" for number in range(taken)))
    event = ev.TransferReceived(5, "last", "minor", 5, "mvd-08")
    if refused:
        refuses(before, event, Refusal.TOO_MANY_TRANSFERS, game=TWO)
    else:
        assert len(play(TWO, before, [event]).received) == 1_000


def accepted(game: str = "d2", board: str = "") -> ev.ParametersChanged:
    return ev.ParametersChanged(5, game, "{}", (), "Ana", "Luis", board=board)


def test_other_rules_may_add_seats_and_raise_limits_and_leave_the_rest() -> None:
    wider = replace(TWO, seats=9, levels=(MAIN, replace(MINOR, limit=50_000)))
    before = with_seats(replace(BEFORE, board="b1"), each(2, dropped=3))
    after = replace(before, game="d2", seats=(*before.seats, Seat(), Seat()), refusal=None)
    becomes(before, accepted(), after, ev.ParametersAccepted("digest", "d2"), game=wider)
    becomes(
        before,
        accepted(board="b2"),
        replace(after, board="b2"),
        ev.ParametersAccepted("digest", "d2"),
        game=wider,
    )


@pytest.mark.parametrize(
    ("game", "reason"),
    [
        (PUNTO_GAME, Refusal.NOT_THIS_GAME),
        (GAME, Refusal.LEVEL_REMOVED),
        (replace(TWO, levels=(MAIN, replace(MINOR, limit=49_999))), Refusal.ABOVE_LIMIT),
        (replace(TWO, seats=6), Refusal.SEATS_FIXED),
    ],
)
def test_other_rules_that_cost_money_or_evidence_are_refused(game: Game, reason: Refusal) -> None:
    refuses(BEFORE, accepted(), reason, game=game)


def test_the_same_rules_on_another_board_end_no_claim() -> None:
    table = play(
        GAME, locked(2, 5), [ev.GameOverPressed(30), key(True), ev.TableClosed(31), key(True, Key.TECHNICIAN)]
    )
    assert claimable_seats(table) == (2, 5)
    same = replace(table, board="b2")
    becomes(table, accepted("digest", "b2"), same, ev.ParametersAccepted("digest", "digest"))
    other = with_seats(replace(table, game="d2"), each(2, 5, claimable=False))
    becomes(table, accepted(), other, ev.ParametersAccepted("digest", "d2", (2, 5)))


def test_another_device_key_needs_a_reason_that_fits() -> None:
    event = ev.DeviceKeyChanged(50, "a", "b", "", "Ana", "Luis", "x" * 400)
    becomes(BEFORE, event, replace(BEFORE, refusal=None), NOTED, game=TWO)
    refuses(BEFORE, replace(event, reason=" "), Refusal.NO_REASON, game=TWO)
    refuses(BEFORE, replace(event, reason="x" * 401), Refusal.TEXT_TOO_LONG, game=TWO)


def test_a_commissioned_table_is_closed_with_every_level_at_its_base() -> None:
    event = ev.Commissioned(0, "mvd-07", "d1", "{}", board="b1")
    levels = (
        Level("main", 10_000_000, house_funding=10_000_000),
        Level("minor", 50_000, house_funding=50_000),
    )
    table = Table("d1", Phase.CLOSED, (Seat(),) * 7, Pot(levels), board="b1")
    assert commission(TWO, event) == (table, (ev.PhaseChanged(Phase.CLOSED),))
    banked, _ = commission(PUNTO_GAME, event)
    assert banked.punto == Punto()


def test_what_is_recovered_stands_as_it_was() -> None:
    table = locked(1, 2)
    assert recovered(table) == (table, (ev.Recovered(Phase.LOCKED, 2),))


OWED = Award(3, 5, 7, Hand.FLUSH, "minor", 1, Fund.HOUSE)
BONUS = Award(1, 4, 1, Hand.FLUSH, None, 5, Fund.HOUSE)


def test_a_table_begins_again_with_the_amounts_on_paper_and_what_it_owes() -> None:
    """Main is 1.00 above its base of 100,000.00, minor empty."""
    levels = (
        Level("main", 10_000_100, house_funding=10_000_000, corrections=100),
        Level("minor", 0, house_funding=50_000, corrections=-50_000),
    )
    table = Table(
        "d1",
        Phase.CLOSED,
        (Seat(),) * 7,
        Pot(levels),
        round=1,
        awards=(BONUS, OWED),
        awards_made=0,
        received=("t1",),
        users=4,
        board="b1",
    )
    remembered = Remembered((BONUS, OWED), ("t1",), 4, "b1")
    found = on_paper(TWO, "d1", (10_000_100, 0), round_number=1, last_award=0, remembered=remembered)
    told = (ev.CorrectionMade("main", 10_000_000, 10_000_100), ev.CorrectionMade("minor", 50_000, 0))
    assert found == (table, (ev.Recovered(Phase.CLOSED, 0), *told))
    bare, _ = on_paper(TWO, "d1", (10_000_100, 200_000), round_number=7, last_award=9)
    assert (bare.round, bare.awards_made, bare.awards, bare.received, bare.users, bare.board) == (
        7,
        9,
        (),
        (),
        0,
        "",
    )
    assert bare.pot.levels[1].current == 200_000


@pytest.mark.parametrize(
    ("amounts", "round_number", "last_award", "wrong"),
    [
        ((1, 1), 0, 0, r"^round 0, last award 0: rounds count from 1, awards from 0$"),
        ((1, 1), 1, -1, r"^round 1, last award -1"),
        ((1, -1), 1, 0, r"^level minor: -1 minor units; it takes 0 to its limit, 200000$"),
        ((1, 200_001), 1, 0, r"^level minor: 200001 minor units"),
        ((1,), 1, 0, "zip"),
        ((1, 1, 1), 1, 0, "zip"),
    ],
)
def test_what_paper_cannot_say_is_refused(
    amounts: tuple[int, ...], round_number: int, last_award: int, wrong: str
) -> None:
    with pytest.raises(ValueError, match=wrong):
        on_paper(TWO, "d1", amounts, round_number=round_number, last_award=last_award)


@pytest.mark.parametrize(
    "award",
    [
        replace(OWED, level="major"),
        replace(OWED, seat=0),
        replace(OWED, seat=8),
        replace(OWED, amount=0),
        replace(OWED, number=0),
        replace(OWED, paid=True),
    ],
)
def test_an_award_that_this_table_cannot_owe_is_refused(award: Award) -> None:
    with pytest.raises(ValueError, match=f"^unpaid award {award.number}: this table has no such"):
        on_paper(TWO, "d1", (1, 1), round_number=1, last_award=0, remembered=Remembered((award,)))


def test_no_more_is_remembered_than_a_table_may_hold() -> None:
    fifty, thousand = (OWED,) * 50, ("t",) * 1_000
    table, _ = on_paper(
        TWO, "d1", (1, 1), round_number=1, last_award=0, remembered=Remembered(fifty, thousand)
    )
    assert (len(table.awards), len(table.received)) == (50, 1_000)
    for remembered, wrong in (
        (Remembered((*fifty, OWED)), "^51 unpaid awards; a table has 50 at most$"),
        (Remembered((), (*thousand, "t")), "^1001 transfers were taken in; a table takes 1000 in its life$"),
    ):
        with pytest.raises(ValueError, match=wrong):
            on_paper(TWO, "d1", (1, 1), round_number=1, last_award=0, remembered=remembered)
