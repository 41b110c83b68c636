"""A table whose pot is linked: what leaves it, what it shows, and a win that the floor says the amount of."""

from dataclasses import dataclass

import pytest
from msgspec.structs import replace

from controller.core import events as ev
from controller.core.awards import readings
from controller.core.events import Refusal
from controller.core.faults import FaultCode
from controller.core.game import Fund, Game, Hand, RoyalExcludes, Share
from controller.core.invariants import InvariantError, check
from controller.core.pot import imbalance
from controller.core.state import Award, Claim, LinkClaim, Phase, Table, Told
from controller.core.table import slots_open, step
from controller.meters import meters
from controller.outputs import texts
from controller.texts import Text
from tests.helpers_exact import refuses
from tests.helpers_game import chips, key, locked, new_table, play
from tests.helpers_linked import LINKED, MAIN, RF, SF, award, linked_claimed, linked_open, told

BOTH: list[ev.AnyEvent] = [key(True), key(True, ev.Key.TECHNICIAN)]
LOST = ev.DeviceLost(50, FaultCode.HOST_LOST, "no word")


def said(game: Game, table: Table, event: ev.AnyEvent) -> ev.AnyResult:
    after, results = step(game, table, event)
    check(game, table, after, results)
    return results[0]


def test_a_new_table_holds_nothing_of_a_linked_pot_and_takes_no_wager_before_the_floor_confirmed_it() -> None:
    table = new_table(LINKED)
    assert (table.pot.levels[0].current, table.pot.levels[0].house_funding, imbalance(table.pot)) == (0, 0, 0)
    table = play(LINKED, table, [key(True), ev.LampTestStarted(1), ev.TableOpened(1), key(False)])
    assert not slots_open(LINKED, table)
    refuses(table, ev.CoinInPressed(9), Refusal.LINK_UNKNOWN, game=LINKED)
    assert said(LINKED, table, ev.ChipDropped(9, 1)) == ev.ChipLate(1)
    assert texts(LINKED, table).sign.text is Text.OUT_OF_SERVICE
    assert slots_open(LINKED, play(LINKED, table, [told()]))


def test_contributions_leave_the_table_to_the_millionth() -> None:
    """Three wagers of 10.00: 55 % of 3,000 cents are 1,650.000000 to the link, 45 % the house's."""
    table = play(LINKED, linked_open(), [*chips(1, 2, 3), ev.CoinInPressed(20)])
    level = table.pot.levels[0]
    assert (level.link_out, level.current, level.reserve_pool, level.carry) == (1_650_000_000, 0, 0, 0)
    assert table.pot.house_share == 1_350_000_000
    odd = replace(LINKED, wager=7, levels=(replace(MAIN, increment_rate_ppm=333_333, reserve_rate_ppm=1),))
    table = play(odd, linked_open(odd), [*chips(1, 2), ev.CoinInPressed(20)])
    assert table.pot.levels[0].link_out == 14 * 333_334
    assert imbalance(table.pot) == 0


def test_a_round_says_what_it_gave_and_a_round_without_wagers_gives_nothing() -> None:
    _, results = step(LINKED, play(LINKED, linked_open(), chips(4)), ev.CoinInPressed(20))
    assert results == (
        ev.RoundLocked(1, (4,), 1_000),
        ev.LinkContributed("main", "sala", 550_000_000, 550_000_000),
    )
    _, results = step(LINKED, linked_open(), ev.CoinInPressed(20))
    assert results[1] == ev.LinkContributed("main", "sala", 0, 0)


def test_the_sign_shows_what_the_floor_confirmed_last_and_says_so_without_a_floor() -> None:
    table = play(LINKED, linked_open(), [told(10_000_050, 3)])
    assert table.pot.levels[0].told == Told(10_000_050, 3)
    shown = texts(LINKED, table).sign
    assert (shown.text, shown.values) == (Text.AMOUNT, {"amount": 10_000_050})
    shown = texts(LINKED, play(LINKED, table, [LOST])).sign
    assert (shown.text, shown.values) == (Text.AMOUNT_LAST, {"amount": 10_000_050})
    own = replace(LINKED, levels=(replace(MAIN, link=None),))
    assert texts(own, play(own, locked(1, game=own), [LOST])).sign.text is Text.AMOUNT, (
        "an own pot is never in doubt"
    )


def test_a_win_of_the_linked_pot_is_claimed_and_paid_with_the_floors_amount() -> None:
    table = linked_claimed({2: SF})
    assert table.phase is Phase.LOCKED
    assert table.link_claims == (LinkClaim(1, "main", 1, (Claim(2, SF),)),)
    assert (table.awards, table.awards_made, table.seats[1].awarded) == ((), 1, True)
    answer = ev.ClaimAnswered(60, 1, 5, (award(1, (2, SF), 1_000_050, 10_000_500),))
    after, results = step(LINKED, table, answer)
    check(LINKED, table, after, results)
    assert results == (ev.ClaimServed(1, "main", 5), *answer.told)
    assert after.awards == (Award(1, 1, 2, SF, "main", 1_000_050, Fund.POT),)
    level = after.pot.levels[0]
    assert (level.told, level.current, level.link_in) == (Told(9_000_450, 5), 0, 1_000_050)
    assert (level.wins_meter, level.hits_meter, level.house_funding) == (1_000_050, 1, 0)
    refuses(after, answer, Refusal.NO_CLAIM, game=LINKED)  # an answer is taken once


def test_an_answer_is_taken_in_every_phase_and_pays_the_round_it_was_claimed_in() -> None:
    claimed = linked_claimed({2: SF})
    answer = ev.ClaimAnswered(60, 1, 1, (award(1, (2, SF), 1_000_000, 10_000_000),))
    opened = play(LINKED, claimed, [ev.GameOverPressed(50)])
    on: list[ev.AnyEvent] = [*chips(1, at_ns=55), ev.CoinInPressed(60)]
    phases = {
        Phase.OPEN: opened,
        Phase.LOCKED: play(LINKED, opened, on),
        Phase.AWARD_PENDING: play(LINKED, opened, [*on, ev.AwardClaimed(70, 1, Hand.FLUSH)]),
        Phase.CLOSED: play(LINKED, opened, [ev.TableClosed(60)]),
        Phase.TEST: play(LINKED, opened, [ev.TableClosed(60), key(False), key(True, ev.Key.TECHNICIAN)]),
    }
    for phase, table in phases.items():
        assert table.phase is phase
        after = play(LINKED, table, [answer])
        assert (after.phase, after.awards[-1].round, after.link_claims) == (phase, 1, ())


def test_what_the_house_pays_is_paid_at_once_beside_a_claim() -> None:
    """A flush is a fixed prize of the house's: the floor is not asked, and its number is another one."""
    table = linked_claimed({1: Hand.FLUSH, 2: SF, 3: Hand.FULL_HOUSE})
    assert [(each.number, each.seat, each.amount) for each in table.awards] == [
        (1, 1, 50_000),
        (2, 3, 100_000),
    ]
    assert [(each.number, len(each.claims)) for each in table.link_claims] == [(3, 1)]
    assert table.awards_made == 3
    assert table.pot.levels[0].house_prizes == 150_000


def test_two_winners_of_a_round_are_one_claim_and_two_levels_are_two() -> None:
    table = linked_claimed({6: RF, 2: RF, 4: SF})
    (claim,) = table.link_claims
    assert [(each.seat, each.hand) for each in claim.claims] == [(6, RF), (2, RF), (4, SF)]
    assert table.awards_made == 3
    minor = replace(MAIN, name="minor", link="mini", increment_rate_ppm=100_000, reserve_rate_ppm=0)
    prizes = tuple(replace(each, level="minor") if each.hand is SF else each for each in LINKED.prizes)
    two = replace(LINKED, levels=(MAIN, minor), prizes=prizes)
    begun = play(two, linked_open(two), [ev.LinkTold(6, "minor", 500, 0), *chips(1, 2), ev.CoinInPressed(20)])
    claims: list[ev.AnyEvent] = [ev.AwardClaimed(30, 1, SF), ev.AwardClaimed(30, 2, RF)]
    table = play(two, begun, [key(True), *claims, ev.AwardsApproved(40)])
    assert [(each.number, each.level) for each in table.link_claims] == [(1, "main"), (2, "minor")]


def test_a_claim_needs_the_supervisor_whatever_the_award_will_be() -> None:
    game = replace(LINKED, policies=replace(LINKED.policies, award_key_from=10**12))
    begun = play(game, linked_open(game), [*chips(1), ev.CoinInPressed(20), ev.AwardClaimed(30, 1, SF)])
    refuses(begun, ev.AwardsApproved(40), Refusal.SUPERVISOR_KEY, game=game)


def test_a_seat_that_waits_for_the_floor_can_be_neither_voided_nor_claimed_again() -> None:
    table = linked_claimed({2: SF})
    refuses(table, ev.SeatVoided(50, 2, ev.Reason.OTHER), Refusal.AWARD_APPROVED, game=LINKED)
    refuses(table, ev.RoundVoided(50, ev.Reason.OTHER), Refusal.AWARD_APPROVED, game=LINKED)
    refuses(table, ev.AwardClaimed(50, 2, RF), Refusal.AWARD_APPROVED, game=LINKED)


def test_a_royal_that_waits_excludes_a_later_claim_of_its_round() -> None:
    game = replace(LINKED, policies=replace(LINKED.policies, royal_excludes=RoyalExcludes.ROUND))
    seats = [*chips(1, 2), ev.CoinInPressed(20), key(True), ev.AwardClaimed(30, 1, RF), ev.AwardsApproved(40)]
    table = play(game, linked_open(game), [*seats, ev.AwardClaimed(50, 2, SF)])
    assert said(game, table, ev.AwardsApproved(60)) == ev.ClaimExcluded(2)


def test_not_more_wins_wait_for_the_floor_than_awards_may_be_unpaid() -> None:
    table = linked_open()
    for turn in range(50):
        at = 100 + 10 * turn
        rounds = [*chips(1, at_ns=at), ev.CoinInPressed(at + 1), key(True), ev.AwardClaimed(at + 2, 1, SF)]
        table = play(
            LINKED, table, [*rounds, ev.AwardsApproved(at + 3), key(False), ev.GameOverPressed(at + 4)]
        )
    assert len(table.link_claims) == 50
    last = [*chips(1, at_ns=900), ev.CoinInPressed(901), key(True), ev.AwardClaimed(902, 1, SF)]
    table = play(LINKED, table, last)
    refuses(table, ev.AwardsApproved(903), Refusal.TOO_MANY_UNPAID, game=LINKED)


GOOD = award(1, (2, RF), 10_000_000, 10_000_000)
RESET = ev.PotReset("main", 1_000_000, 0, 0, 250, 999_750)


@dataclass(frozen=True)
class Lie:
    """An answer that is none, and why."""

    why: str
    told: tuple[ev.AwardApproved | ev.PotReset, ...]


LIES = (
    Lie("nothing at all", ()),
    Lie("a reset alone", (RESET,)),
    Lie("a cent more", (replace(GOOD, amount=10_000_001, from_house=1), RESET)),
    Lie("another seat", (replace(GOOD, seat=3), RESET)),
    Lie("another hand", (replace(GOOD, hand=SF), RESET)),
    Lie("another number", (replace(GOOD, number=2), RESET)),
    Lie("another level", (replace(GOOD, level="minor"), RESET)),
    Lie("no level", (replace(GOOD, level=None), RESET)),
    Lie("another share", (replace(GOOD, share_ppm=500_000), RESET)),
    Lie("two for one", (GOOD, replace(GOOD, number=2, seat=3), RESET)),
    Lie("no reset after a royal", (GOOD,)),
    Lie("a reset of another pot", (GOOD, replace(RESET, level="minor"))),
    Lie("a reset that says what was left", (GOOD, replace(RESET, left=5))),
    Lie("a house that pays below zero", (replace(GOOD, from_pot=10_000_001, from_house=-1), RESET)),
    Lie("a reset paid below zero", (GOOD, replace(RESET, from_reserve=-1, from_house=1_000_001))),
)


@pytest.mark.parametrize("lie", LIES, ids=lambda lie: lie.why)
def test_an_answer_that_the_rules_do_not_give_is_none(lie: Lie) -> None:
    table = linked_claimed({2: RF})
    after, results = step(LINKED, table, ev.ClaimAnswered(60, 1, 1, lie.told))
    check(LINKED, table, after, results)
    assert results == (ev.FaultRaised(FaultCode.CLAIM_REFUSED, 0),)
    assert (after.awards, after.link_claims, after.pot) == ((), table.link_claims, table.pot)
    good = play(LINKED, after, [ev.ClaimAnswered(70, 1, 1, (GOOD, RESET))])
    assert [each.amount for each in good.awards] == [10_000_000]
    assert good.faults == ()


def test_a_later_word_of_the_floor_is_not_taken_back_by_an_answer() -> None:
    table = play(LINKED, linked_claimed({2: SF}), [told(7_000_000, 6)])
    after = play(LINKED, table, [ev.ClaimAnswered(60, 1, 5, (award(1, (2, SF), 1_000_000, 10_000_000),))])
    assert after.pot.levels[0].told == Told(7_000_000, 6)


def test_a_refused_claim_locks_the_table_until_two_persons_have_settled_it() -> None:
    table = play(
        LINKED, linked_claimed({2: RF}), [ev.ClaimRefused(60, 1, "no valid wager"), ev.GameOverPressed(61)]
    )
    refuses(table, ev.CoinInPressed(70), Refusal.TABLE_FAULT, game=LINKED)
    closed = play(LINKED, table, [ev.TableClosed(80), key(True, ev.Key.TECHNICIAN)])
    refuses(closed, ev.FaultClearAsked(81, FaultCode.CLAIM_REFUSED), Refusal.FAULT_PERSISTS, game=LINKED)
    refuses(closed, ev.ClaimGivenUp(82, 1, " "), Refusal.NO_REASON, game=LINKED)
    refuses(closed, ev.ClaimGivenUp(82, 2, "paper"), Refusal.NO_CLAIM, game=LINKED)
    after, results = step(LINKED, closed, ev.ClaimGivenUp(82, 1, "paper"))
    assert results == (ev.ClaimVoid(1, 1), ev.FaultCleared(FaultCode.CLAIM_REFUSED, 0))
    assert (after.link_claims, after.awards_made) == ((), 1)


def test_other_rules_than_the_links_lock_the_table_until_they_agree() -> None:
    table = play(LINKED, linked_open(), [ev.LinkDisagreed(30, "main", "limit")])
    assert not slots_open(LINKED, table)
    assert texts(LINKED, table).sign.text is Text.OUT_OF_SERVICE
    table = play(LINKED, table, [ev.LinkAgreed(40)])
    assert slots_open(LINKED, table)


CHANGED = ev.ParametersChanged(90, "d2", "{}", (), "Ana", "Luis")


def test_a_pot_is_linked_only_when_it_is_empty_and_what_was_confirmed_is_asked_anew() -> None:
    own = replace(LINKED, levels=(replace(MAIN, link=None),))
    closed = play(own, new_table(own), BOTH)
    refuses(closed, CHANGED, Refusal.POT_NOT_EMPTY, game=LINKED)
    emptied = play(own, closed, [ev.PotCorrected(80, "main", 0, "to the link")])
    after, results = step(LINKED, emptied, CHANGED)
    check(LINKED, emptied, after, results)
    linked = play(LINKED, after, [told(500, 2)])
    other = ev.ParametersChanged(99, "d3", "{}", (), "Ana", "Luis")
    back, results = step(own, play(LINKED, linked, BOTH), other)
    assert back.pot.levels[0].told is None
    check(own, linked, back, results)


def test_rules_do_not_change_and_the_pot_is_not_touched_while_the_floor_has_it() -> None:
    waiting = play(LINKED, linked_claimed({2: SF}), [ev.GameOverPressed(50), ev.TableClosed(51), *BOTH])
    refuses(waiting, CHANGED, Refusal.CLAIM_AT_FLOOR, game=LINKED)
    table = play(LINKED, new_table(LINKED), BOTH)
    linked = Refusal.LEVEL_LINKED
    refuses(table, ev.PotCorrected(80, "main", 5, "typed wrong"), linked, game=LINKED)
    refuses(table, ev.TransferSent(80, "t1", "main", 5, "mvd-08", "moved"), linked, game=LINKED)
    refuses(table, ev.TransferReceived(80, "t1", "main", 5, "mvd-08"), linked, game=LINKED)


@pytest.mark.parametrize("event", [told(-1), told(5, -1)])
def test_a_pot_below_zero_is_nothing_the_floor_says(event: ev.LinkTold) -> None:
    refuses(linked_open(), event, Refusal.AMOUNT_OUT_OF_RANGE, game=LINKED)


def test_the_meters_tell_of_the_link() -> None:
    table = play(LINKED, linked_claimed({2: SF}), [told(9_000_000, 1)])
    found = meters(table)
    assert (found["main.link_confirmed"], found["main.link_out"], found["main.link_in"]) == (
        9_000_000,
        550,
        0,
    )
    assert not [name for name in meters(new_table()) if "link" in name]


def test_the_screen_says_whose_amount_comes_from_the_floor() -> None:
    begun: list[ev.AnyEvent] = [*chips(2), ev.CoinInPressed(20), key(True), ev.AwardClaimed(30, 2, SF)]
    lines = texts(LINKED, play(LINKED, linked_open(), begun)).screen
    assert [line.values for line in lines if line.text is Text.BY_LINK] == [{"seat": 2, "hand": SF}]
    lines = texts(LINKED, linked_claimed({2: SF})).screen
    assert [line.values for line in lines if line.text is Text.AT_FLOOR] == [{"seat": 2}]


@pytest.mark.parametrize("what", ["link_out", "current", "told"])
def test_the_law_of_links_is_asserted(what: str) -> None:
    before = linked_open()
    level = before.pot.levels[0]
    game = LINKED
    match what:
        case "link_out":
            level = replace(level, link_out=1, link_in=0)
        case "current":
            level = replace(level, current=5, house_funding=5)
        case _:
            game = replace(LINKED, levels=(replace(MAIN, link=None),))
            level = replace(level, told=Told(5, 5))
    after = replace(
        before, pot=replace(before.pot, levels=(level,), house_share=-1 if what == "link_out" else 0)
    )
    with pytest.raises(InvariantError, match="link" if what != "told" else "own"):
        check(game, before, after, (ev.Noted(),))


def test_a_share_of_the_linked_pot_by_two_readings_is_shown_of_what_was_confirmed() -> None:
    both = readings(LINKED, linked_open().pot, (Claim(2, RF), Claim(4, SF)))
    assert both is not None
    assert [each.amount for each in both[0].awards] == [10_000_000, 100_000]
    assert [each.amount for each in both[1].awards] == [10_000_000]


def test_every_prize_that_a_link_pays_is_a_share_or_from_its_reserve() -> None:
    assert {prize.hand for prize in LINKED.prizes if LINKED.linked(prize) is not None} == {SF, RF}
    assert all(isinstance(prize.pays, Share) for prize in LINKED.prizes if LINKED.linked(prize) is not None)


def test_what_the_floor_said_is_known_after_a_new_start_and_so_is_what_it_did_not_say() -> None:
    begun = ev.Started(90, supervisor=False, technician=False)
    table = play(LINKED, linked_open(), [ev.LinkDisagreed(30, "main", "limit"), LOST, begun])
    assert {fault.code for fault in table.faults} == {FaultCode.LINK_DISAGREES}
    assert table.pot.levels[0].told == Told(10_000_000, 0)
    assert not slots_open(LINKED, table)
    fresh = play(LINKED, new_table(LINKED), [begun])
    assert {fault.code for fault in fresh.faults} == {FaultCode.LINK_UNKNOWN}
    refused = play(LINKED, linked_claimed({2: SF}), [ev.ClaimRefused(60, 1, "no"), begun])
    assert {fault.code for fault in refused.faults} == {FaultCode.CLAIM_REFUSED}


def test_a_sign_promises_no_unknown_pot_in_any_phase() -> None:
    assert texts(LINKED, new_table(LINKED)).sign.text is Text.OUT_OF_SERVICE
