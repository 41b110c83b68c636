"""What claims, cards, approvals and payments change, and that they change nothing else."""

import pytest
from msgspec.structs import replace

from controller.core import events as ev
from controller.core.cards import read
from controller.core.events import Refusal
from controller.core.game import Fund, Game, Hand, RoyalExcludes
from controller.core.state import Award, Claim, Phase, ShownHand, Table, Wager
from controller.core.table.claims import UNPAID_MAX
from tests.helpers_exact import NOTED, becomes, each, refuses, shown, with_seats
from tests.helpers_game import GAME, PRIZES, key, locked, opened, pending, play, with_level, with_policies

FLUSH, STRAIGHT_FLUSH, ROYAL = Hand.FLUSH, Hand.STRAIGHT_FLUSH, Hand.ROYAL_FLUSH
PENDING = Phase.AWARD_PENDING
LOCKED = shown(locked(2, 5), recovered=True)
NOT_PAID_THEN = with_policies(GAME, award_when_bank_does_not_open=False)
FLAT = with_level(increment_rate_ppm=0)
CARDS = read("As Ks Qs Js 9s")
OTHERS = read("Ad Kd Qd Jd 9d")


def award(number: int, *, paid: bool = False, round_number: int = 1) -> Award:
    return Award(number, round_number, 1, FLUSH, "main", 50_000, Fund.HOUSE, paid=paid)


def test_a_bank_that_does_not_open_is_kept_only_where_it_matters() -> None:
    refuses(LOCKED, ev.BankNotOpened(30), Refusal.NOT_THIS_GAME)
    after = replace(LOCKED, bank_unopened=True, refusal=None)
    becomes(LOCKED, ev.BankNotOpened(30), after, NOTED, game=NOT_PAID_THEN)
    refuses(after, ev.AwardClaimed(31, 2, FLUSH), Refusal.BANK_DID_NOT_OPEN, game=NOT_PAID_THEN)
    awarded = with_seats(LOCKED, each(5, awarded=True))
    refuses(awarded, ev.BankNotOpened(30), Refusal.AWARD_APPROVED, game=NOT_PAID_THEN)


def test_the_first_claim_stops_the_round_and_the_next_stand_beside_it() -> None:
    one = replace(LOCKED, phase=PENDING, resume=Phase.LOCKED, claims=(Claim(2, FLUSH),), refusal=None)
    told = (ev.AwardRequested(2, FLUSH), ev.PhaseChanged(PENDING))
    becomes(LOCKED, ev.AwardClaimed(30, 2, FLUSH), one, *told)
    two = replace(one, claims=(Claim(2, FLUSH), Claim(5, ROYAL)))
    becomes(shown(one), ev.AwardClaimed(31, 5, ROYAL), two, ev.AwardRequested(5, ROYAL))
    refuses(two, ev.AwardClaimed(32, 5, FLUSH), Refusal.ALREADY_CLAIMED)


@pytest.mark.parametrize("wager", [Wager.NONE, Wager.VOID, Wager.FORFEITED])
def test_only_an_accepted_wager_is_claimed(wager: Wager) -> None:
    refuses(with_seats(LOCKED, each(2, wager=wager)), ev.AwardClaimed(30, 2, FLUSH), Refusal.NO_WAGER)


def test_what_has_an_award_or_no_prize_is_not_claimed() -> None:
    refuses(with_seats(LOCKED, each(2, awarded=True)), ev.AwardClaimed(30, 2, FLUSH), Refusal.AWARD_APPROVED)
    refuses(LOCKED, ev.AwardClaimed(30, 2, Hand.PAIR), Refusal.NO_PRIZE)


def after_the_round() -> Table:
    """Bets open again, seat 2 can still be claimed, seat 5 holds a chip for the next round; nobody turned a key."""
    return play(GAME, locked(2), [ev.GameOverPressed(30), ev.ChipDropped(35, 5)])


def test_after_game_over_a_claim_needs_the_supervisor_and_comes_back_to_open() -> None:
    refuses(after_the_round(), ev.AwardClaimed(40, 2, FLUSH), Refusal.SUPERVISOR_KEY)
    before = play(GAME, shown(after_the_round()), [key(True)])
    refuses(before, ev.AwardClaimed(40, 5, FLUSH), Refusal.NO_WAGER)  # a chip for the next round
    after = replace(before, phase=PENDING, resume=Phase.OPEN, claims=(Claim(2, FLUSH),), refusal=None)
    told = (ev.AwardRequested(2, FLUSH), ev.PhaseChanged(PENDING))
    becomes(before, ev.AwardClaimed(40, 2, FLUSH), after, *told)
    without = play(GAME, after, [key(False)])
    refuses(without, ev.AwardClaimed(41, 2, FLUSH), Refusal.SUPERVISOR_KEY)
    back = replace(shown(after), phase=Phase.OPEN, resume=None, claims=(), refusal=None)
    becomes(shown(after), ev.AwardWithdrawn(42, 2), back, ev.ClaimDropped(2), ev.PhaseChanged(Phase.OPEN))


def test_cards_are_kept_by_seat_and_the_newest_count() -> None:
    before = shown(pending({2: FLUSH, 5: FLUSH}))
    one = replace(before, shown=(ShownHand(2, CARDS),), refusal=None)
    becomes(before, ev.CardsShown(31, 2, CARDS), one, ev.CardsAgree(2, FLUSH))
    two = replace(one, shown=(ShownHand(2, CARDS), ShownHand(5, OTHERS)))
    becomes(shown(one), ev.CardsShown(32, 5, OTHERS), two, ev.CardsAgree(5, FLUSH))
    again = replace(two, shown=(ShownHand(5, OTHERS), ShownHand(2, read("Ah Kh Qh Jh 9h"))))
    becomes(two, ev.CardsShown(33, 2, read("Ah Kh Qh Jh 9h")), again, ev.CardsAgree(2, FLUSH))


def test_cards_that_cannot_be_or_say_something_else_are_refused_with_what_to_look_at() -> None:
    before = replace(pending({2: FLUSH, 5: FLUSH}), shown=(ShownHand(2, CARDS),))
    refuses(before, ev.CardsShown(31, 3, CARDS), Refusal.NO_CLAIM)
    four = "a hand is five cards, these are 4: As Ks Qs Js"
    refuses(before, ev.CardsShown(31, 5, CARDS[:4]), Refusal.CARDS_IMPOSSIBLE, detail=four)
    same = (
        "As cannot be at seat 5: seat 2 shows it in this round (As Ks Qs Js 9s). "
        "Look at both hands and enter the wrong one again"
    )
    refuses(before, ev.CardsShown(31, 5, CARDS), Refusal.CARDS_IMPOSSIBLE, detail=same)
    other = "these cards are royal_flush, the claim says flush"
    refuses(before, ev.CardsShown(31, 5, read("Ad Kd Qd Jd Td")), Refusal.CARDS_DISAGREE, detail=other)


@pytest.mark.parametrize(("ace_low", "found"), [(True, STRAIGHT_FLUSH), (False, FLUSH)])
@pytest.mark.parametrize("text", ["Ac 2c 3c 4c 5c", "Ac 2c 3c"])
def test_a_claim_is_judged_by_the_games_own_number_of_cards_and_lowest_straight(
    ace_low: bool, found: Hand, text: str
) -> None:
    cards = tuple(read("Ac 2c 3c 4c 5c"))[: len(text.split())]
    game = replace(GAME, dealt=len(cards), ace_low_straight=ace_low)
    before = pending({2: found, 5: found}, game)
    after = replace(before, shown=(ShownHand(2, cards),))
    becomes(before, ev.CardsShown(31, 2, cards), after, ev.CardsAgree(2, found), game=game)
    two_of_five = "a hand of this game is three cards, these are 2: Ac 2c"
    if len(cards) == 3:
        refuses(
            before, ev.CardsShown(31, 2, cards[:2]), Refusal.CARDS_IMPOSSIBLE, detail=two_of_five, game=game
        )
        beside = (
            "Ac cannot be at seat 5: seat 2 shows it in this round (Ac 2c 3c). "
            "Look at both hands and enter the wrong one again"
        )
        refuses(after, ev.CardsShown(32, 5, cards), Refusal.CARDS_IMPOSSIBLE, detail=beside, game=game)


@pytest.mark.parametrize("event", [ev.AwardWithdrawn(40, 2), ev.AwardRejected(40, 2, "four cards")])
def test_a_claim_goes_with_its_cards_and_the_last_one_gives_the_round_back(event: ev.AnyEvent) -> None:
    before = replace(
        shown(pending({2: FLUSH, 5: FLUSH})), shown=(ShownHand(2, CARDS), ShownHand(5, OTHERS)), counted=3
    )
    one = replace(before, claims=(Claim(5, FLUSH),), shown=(ShownHand(5, OTHERS),), refusal=None)
    becomes(before, event, one, ev.ClaimDropped(2))
    refuses(one, event, Refusal.NO_CLAIM)
    back = replace(one, phase=Phase.LOCKED, resume=None, claims=(), shown=())
    becomes(shown(one), ev.AwardWithdrawn(41, 5), back, ev.ClaimDropped(5), ev.PhaseChanged(Phase.LOCKED))


@pytest.mark.parametrize("reason", ["", " ", "\t"])
def test_nothing_is_rejected_without_a_reason(reason: str) -> None:
    refuses(pending({2: FLUSH}), ev.AwardRejected(40, 2, reason), Refusal.NO_REASON)


def approved(number: int, seat: int, hand: Hand, amount: int, pot: int, **values: object) -> ev.AwardApproved:
    """An award of the house's, which leaves the pot as it is."""
    told = ev.AwardApproved(
        number, seat, hand, "main", amount, pot, pot, 0, Fund.HOUSE, 0, 0, amount, "art. 17"
    )
    return replace(told, **values)


def test_an_approval_fixes_every_claim_and_gives_the_round_back() -> None:
    """A flush and a full house of the house's: 500.00 and 1,000.00; the pot of 100,000.00 stays."""
    before = shown(pending({2: FLUSH, 5: Hand.FULL_HOUSE}, FLAT), awards_made=8, awards=(award(8),), round=4)
    made = (
        Award(9, 4, 2, FLUSH, "main", 50_000, Fund.HOUSE),
        Award(10, 4, 5, Hand.FULL_HOUSE, "main", 100_000, Fund.HOUSE),
    )
    level = before.pot.levels[0]
    level = replace(level, hits_meter=2, wins_meter=150_000, house_prizes=150_000)
    after = replace(
        before,
        phase=Phase.LOCKED,
        resume=None,
        claims=(),
        awards=(award(8), *made),
        awards_made=10,
        pot=replace(before.pot, levels=(level,)),
        refusal=None,
    )
    after = with_seats(after, each(2, 5, awarded=True))
    told = (
        approved(9, 2, FLUSH, 50_000, 10_000_000),
        approved(10, 5, Hand.FULL_HOUSE, 100_000, 10_000_000),
        ev.PhaseChanged(Phase.LOCKED),
    )
    becomes(before, ev.AwardsApproved(40), after, *told, game=FLAT)


def test_an_award_after_game_over_is_one_of_the_round_before() -> None:
    before = play(GAME, after_the_round(), [key(True), ev.AwardClaimed(40, 2, FLUSH)])
    assert (before.round, before.resume) == (2, Phase.OPEN)
    after = play(GAME, before, [ev.AwardsApproved(41)])
    assert [(made.round, made.seat) for made in after.awards] == [(1, 2)]
    assert (after.phase, after.resume, after.seats[1].awarded) == (Phase.OPEN, None, True)
    refuses(after, ev.AwardClaimed(42, 2, FLUSH), Refusal.AWARD_APPROVED)


def test_a_royal_of_another_round_excludes_nothing() -> None:
    """By policy "round": only the royal of the same round; that of the one before is still unpaid."""
    game = with_policies(FLAT, royal_excludes=RoyalExcludes.ROUND)
    table = play(game, pending({2: ROYAL}, game), [ev.AwardsApproved(40), ev.GameOverPressed(41)])
    table = play(
        game, table, [ev.ChipDropped(50, 2), ev.CoinInPressed(60), ev.AwardClaimed(70, 2, STRAIGHT_FLUSH)]
    )
    assert [made.hand for made in play(game, table, [ev.AwardsApproved(80)]).awards] == [
        ROYAL,
        STRAIGHT_FLUSH,
    ]


@pytest.mark.parametrize(("unpaid", "paid", "taken"), [(48, 30, True), (49, 0, False)])
def test_no_more_awards_are_approved_than_may_wait_for_payment(unpaid: int, paid: int, taken: bool) -> None:
    """Two claims beside 48 unpaid make 50."""
    assert UNPAID_MAX == 50
    awards = tuple(award(number, paid=number > unpaid) for number in range(1, unpaid + paid + 1))
    before = replace(pending({2: FLUSH, 5: FLUSH}), awards=awards, awards_made=len(awards))
    if taken:
        assert play(GAME, before, [ev.AwardsApproved(40)]).phase is Phase.LOCKED
    else:
        refuses(before, ev.AwardsApproved(40), Refusal.TOO_MANY_UNPAID)


@pytest.mark.parametrize(("least", "needs_key"), [(50_000, True), (50_001, False)])
def test_the_largest_award_decides_whether_the_key_is_needed(least: int, needs_key: bool) -> None:
    """A flush wins 500.00; the key is needed from `award_key_from` on."""
    game: Game = with_policies(GAME, award_key_from=least)
    before = play(game, pending({2: FLUSH, 5: FLUSH}, game), [key(False)])
    if needs_key:
        refuses(before, ev.AwardsApproved(40), Refusal.SUPERVISOR_KEY, game=game)
    else:
        assert len(play(game, before, [ev.AwardsApproved(40)]).awards) == 2


def test_where_every_claim_is_excluded_the_key_is_still_asked_from_nothing_on() -> None:
    game = with_policies(FLAT, royal_excludes=RoyalExcludes.ROUND)
    table = play(game, pending({2: ROYAL}, game), [ev.AwardsApproved(40)])
    table = with_seats(table, each(5, wager=Wager.ACCEPTED))
    table = play(game, table, [ev.AwardClaimed(50, 5, FLUSH), key(False)])
    refuses(table, ev.AwardsApproved(60), Refusal.SUPERVISOR_KEY, game=game)
    from_a_cent = with_policies(game, award_key_from=1)
    told = (ev.ClaimExcluded(5), ev.PhaseChanged(Phase.LOCKED))
    back = replace(table, phase=Phase.LOCKED, resume=None, claims=(), refusal=None)
    becomes(table, ev.AwardsApproved(60), back, *told, game=from_a_cent)


def test_an_award_is_paid_once_and_the_others_stay_unpaid() -> None:
    before = shown(opened(), awards=(award(1), award(2), award(3, paid=True)))
    pay = ev.AwardPaid(50, 2, ev.Payment.CASH, signed=True)
    after = replace(before, awards=(award(1), award(2, paid=True), award(3, paid=True)), refusal=None)
    becomes(before, pay, after, ev.AwardSettled(2, 1, 50_000))
    refuses(after, pay, Refusal.ALREADY_PAID)
    refuses(after, replace(pay, number=4), Refusal.NO_AWARD)


def test_every_prize_of_the_game_can_be_claimed_and_nothing_else() -> None:
    wins = {prize.hand for prize in PRIZES}
    for hand in Hand:
        after = play(GAME, LOCKED, [ev.AwardClaimed(30, 2, hand)])
        assert (after.phase is PENDING) is (hand in wins)
