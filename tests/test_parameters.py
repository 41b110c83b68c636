"""What only both keys may do, with the table closed: corrections, transfers, other rules."""

import pytest
from msgspec.structs import replace

from controller.cli.commission import claims_ended
from controller.core import events as ev
from controller.core.events import Refusal
from controller.core.game import Game, Hand
from controller.core.invariants import check
from controller.core.pot import imbalance
from controller.core.state import Table
from controller.core.table import step
from tests.helpers_game import GAME, MAIN, key, locked, new_table, play, with_level

MINOR = replace(MAIN, name="minor", base_amount=50_000, limit=200_000)
TWO = replace(GAME, levels=(MAIN, MINOR))


def with_both_keys(game: Game = TWO) -> Table:
    """A closed table with both keys turned, the supervisor's first."""
    return play(game, new_table(game), [key(True), key(True, ev.Key.TECHNICIAN)])


def refusal(game: Game, table: Table, event: ev.AnyEvent) -> Refusal:
    after, results = step(game, table, event)
    assert after.pot == table.pot
    assert isinstance(results[0], ev.Refused)
    return results[0].reason


def test_a_correction_keeps_old_and_new_value_and_the_balance() -> None:
    """From 100,000.00 to 99,999.99: a fall by a recorded correction of 0.01."""
    table, results = step(TWO, with_both_keys(), ev.PotCorrected(5, "main", 9_999_999, "typed wrong"))
    assert results == (ev.CorrectionMade("main", 10_000_000, 9_999_999),)
    assert table.pot.levels[0].corrections == -1
    assert imbalance(table.pot) == 0


def test_a_transfer_between_levels_is_a_balanced_pair() -> None:
    table, results = step(TWO, with_both_keys(), ev.PotTransferred(5, "main", "minor", 100_000, "promotion"))
    check(TWO, with_both_keys(), table, results)
    assert [level.current for level in table.pot.levels] == [9_900_000, 150_000]
    assert results == (
        ev.TransferMade("main", -100_000, 9_900_000),
        ev.TransferMade("minor", 100_000, 150_000),
    )
    assert imbalance(table.pot) == 0


@pytest.mark.parametrize(
    ("event", "reason"),
    [
        (ev.PotTransferred(5, "main", "main", 5, "x"), Refusal.NO_SUCH_LEVEL),
        (ev.PotTransferred(5, "main", "major", 5, "x"), Refusal.NO_SUCH_LEVEL),
        (ev.PotTransferred(5, "main", "minor", 0, "x"), Refusal.AMOUNT_OUT_OF_RANGE),
        (ev.PotTransferred(5, "main", "minor", -5, "x"), Refusal.AMOUNT_OUT_OF_RANGE),
        (ev.PotTransferred(5, "minor", "main", 50_001, "x"), Refusal.POT_TOO_SMALL),
        (ev.PotTransferred(5, "main", "minor", 150_001, "x"), Refusal.ABOVE_LIMIT),
        (ev.PotTransferred(5, "main", "minor", 5, " "), Refusal.NO_REASON),
        (ev.TransferSent(5, "t1", "minor", 50_001, "mvd-08", "x"), Refusal.POT_TOO_SMALL),
        (ev.TransferReceived(5, "t1", "minor", 150_001, "mvd-08"), Refusal.ABOVE_LIMIT),
        (ev.PotCorrected(5, "minor", 200_001, "x"), Refusal.AMOUNT_OUT_OF_RANGE),
        (ev.PotCorrected(5, "minor", -1, "x"), Refusal.AMOUNT_OUT_OF_RANGE),
        (ev.PotCorrected(5, "minor", 5, ""), Refusal.NO_REASON),
        (ev.PotCorrected(5, "minor", 5, "x" * 401), Refusal.TEXT_TOO_LONG),
        (ev.PotTransferred(5, "main", "minor", 5, "x" * 401), Refusal.TEXT_TOO_LONG),
        (ev.TransferSent(5, "t1", "main", 5, "m" * 33, "x"), Refusal.TEXT_TOO_LONG),
        (ev.TransferReceived(5, "t" * 41, "minor", 5, "mvd-08"), Refusal.TEXT_TOO_LONG),
        (ev.TransferReceived(5, "t1", "minor", 5, "m" * 33), Refusal.TEXT_TOO_LONG),
    ],
)
def test_what_cannot_be_moved_is_refused(event: ev.AnyEvent, reason: Refusal) -> None:
    assert refusal(TWO, with_both_keys(), event) is reason


def test_what_one_table_sends_another_takes_in_once() -> None:
    sender, _ = step(TWO, with_both_keys(), ev.TransferSent(5, "t1", "main", 700, "mvd-08", "merge"))
    receiver, _ = step(TWO, with_both_keys(), ev.TransferReceived(5, "t1", "minor", 700, "mvd-07"))
    assert (sender.pot.levels[0].current, receiver.pot.levels[1].current) == (9_999_300, 50_700)
    assert imbalance(sender.pot) == imbalance(receiver.pot) == 0
    again = ev.TransferReceived(6, "t1", "minor", 700, "mvd-07")
    assert refusal(TWO, receiver, again) is Refusal.ALREADY_RECEIVED


def changed(digest: str = "d2") -> ev.ParametersChanged:
    return ev.ParametersChanged(5, digest, "{}", (), "Ana", "Luis")


def test_other_rules_keep_the_money_of_every_level_and_add_new_ones_at_their_base() -> None:
    before = with_both_keys(GAME)
    after, results = step(TWO, before, changed())
    check(TWO, before, after, results)
    assert results == (ev.ParametersAccepted("digest", "d2"),)
    assert after.game == "d2"
    assert [(level.name, level.current) for level in after.pot.levels] == [
        ("main", 10_000_000),
        ("minor", 50_000),
    ]
    assert imbalance(after.pot) == 0


def test_no_claim_of_the_round_just_ended_is_served_by_rules_accepted_after_it() -> None:
    ended: list[ev.AnyEvent] = [ev.GameOverPressed(30), key(on=True), ev.TableClosed(31)]
    table = play(GAME, locked(2, 5), [*ended, key(on=True, which=ev.Key.TECHNICIAN)])
    assert [seat.claimable for seat in table.seats] == [False, True, False, False, True, False, False]
    assert "seats 2, 5, under the old values only" in claims_ended(table)
    after, results = step(TWO, table, changed())
    check(TWO, table, after, results)
    assert claims_ended(after) == ""
    assert results == (ev.ParametersAccepted("digest", "d2", (2, 5)),)
    assert not any(seat.claimable for seat in after.seats)
    again = play(
        TWO, after, [key(on=False, which=ev.Key.TECHNICIAN), ev.LampTestStarted(40), ev.TableOpened(41)]
    )
    assert refusal(TWO, again, ev.AwardClaimed(42, 2, Hand.FLUSH)) is Refusal.NO_WAGER


def test_a_claim_after_a_correction_is_served_from_what_is_there_then() -> None:
    """Rules, section 5.2. Ten per cent of 50,000.00, the corrected pot, are 5,000.00."""
    ended: list[ev.AnyEvent] = [ev.GameOverPressed(30), key(on=True), ev.TableClosed(31)]
    closed = play(GAME, locked(2), [*ended, key(on=True, which=ev.Key.TECHNICIAN)])
    table, results = step(GAME, closed, ev.PotCorrected(32, "main", 5_000_000, "typed wrong"))
    assert results == (ev.CorrectionMade("main", closed.pot.levels[0].current, 5_000_000),)
    assert table.seats[1].claimable
    acts: list[ev.AnyEvent] = [
        key(on=False, which=ev.Key.TECHNICIAN),
        ev.LampTestStarted(40),
        ev.TableOpened(41),
        ev.AwardClaimed(42, 2, Hand.STRAIGHT_FLUSH),
        ev.AwardsApproved(43),
    ]
    assert [award.amount for award in play(GAME, table, acts).awards] == [500_000]


def test_no_pot_is_counted_in_another_currency() -> None:
    """Even an empty one: its meters are of the years before."""
    other = replace(changed(), changes=(ev.Change("currency", "UYU", "CLP"),))
    assert refusal(TWO, with_both_keys(), other) is Refusal.CURRENCY_FIXED


def test_F118_a_limit_below_the_pot_a_lost_level_and_fewer_seats_are_refused() -> None:
    table = with_both_keys()
    assert refusal(GAME, table, changed()) is Refusal.LEVEL_REMOVED
    low = with_level(replace(TWO), limit=9_999_999)
    assert refusal(low, table, changed()) is Refusal.ABOVE_LIMIT
    assert refusal(replace(TWO, seats=6), table, changed()) is Refusal.SEATS_FIXED
    more = play(replace(TWO, seats=9), table, [changed()])
    assert len(more.seats) == 9
