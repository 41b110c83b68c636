"""A linked pot beside others: what is claimed, answered, given up and asserted, compared whole."""

import pytest
from msgspec.structs import replace

from controller.core import events as ev
from controller.core.events import Key
from controller.core.faults import Fault, FaultCode
from controller.core.game import Fixed, Fund, Game, Hand, Prize
from controller.core.invariants import InvariantError, check
from controller.core.state import Award, Claim, LinkClaim, Phase, Table, Told
from controller.core.table import on_paper, step
from controller.core.table.gate import with_links
from tests.helpers_exact import NOTED, becomes, shown
from tests.helpers_game import chips, key, new_table, play
from tests.helpers_linked import LINKED, MAIN, RF, SF, award, linked_claimed, linked_open, told

FLUSH = Hand.FLUSH
OWN = replace(MAIN, name="own", link=None, increment_rate_ppm=0, reserve_rate_ppm=0, limit=10_000_000)
OTHER = replace(MAIN, name="other", link="mini", increment_rate_ppm=100_000, reserve_rate_ppm=0)
LEVEL_OF = {SF: "own", Hand.FULL_HOUSE: "other"}
BESIDE: Game = replace(
    LINKED,
    levels=(OWN, MAIN, OTHER),
    prizes=tuple(
        Prize(prize.hand, LEVEL_OF.get(prize.hand, "main"), prize.pays, prize.fund, prize.source)
        for prize in LINKED.prizes
    ),
)
"""A pot of the table's own (straight flush), and two that are linked."""


def beside(claims: dict[int, Hand]) -> Table:
    """A locked round of that game with these claims pending and the supervisor's key turned."""
    acts: list[ev.AnyEvent] = [
        ev.LinkTold(6, "other", 500, 0),
        *chips(*claims),
        ev.CoinInPressed(20),
        key(True),
    ]
    return play(
        BESIDE, linked_open(BESIDE), [*acts, *(ev.AwardClaimed(30, *each) for each in claims.items())]
    )


def test_what_is_claimed_of_a_link_is_told_with_its_numbers_and_the_own_pot_pays_at_once() -> None:
    """10 % of the own 100,000.00 are award 1; the royal at the floor is award 2."""
    before = beside({2: SF, 5: RF})
    after, results = step(BESIDE, before, ev.AwardsApproved(40))
    check(BESIDE, before, after, results)
    assert results[1:] == (
        ev.LinkClaimed(2, "main", "sala", 1, (5,), (RF,)),
        ev.PhaseChanged(Phase.LOCKED),
    )
    assert [(each.number, each.level, each.amount) for each in after.awards] == [(1, "own", 1_000_000)]
    assert after.link_claims == (LinkClaim(2, "main", 1, (Claim(5, RF),)),)
    assert after.awards_made == 2


def test_without_a_win_on_a_link_nothing_is_claimed_there() -> None:
    after, results = step(BESIDE, beside({2: SF}), ev.AwardsApproved(40))
    assert not [result for result in results if isinstance(result, ev.LinkClaimed)]
    assert after.link_claims == ()


def test_the_floor_speaks_of_one_level_at_a_time() -> None:
    before = shown(beside({2: RF}))
    own, main, other = before.pot.levels
    pot = replace(before.pot, levels=(own, replace(main, told=Told(7, 3)), other))
    becomes(before, told(7, 3), replace(before, pot=pot), NOTED, game=BESIDE)


def test_an_answer_moves_the_meters_of_its_level_only() -> None:
    before = play(BESIDE, beside({2: RF}), [ev.AwardsApproved(40)])
    answer = (award(1, (2, RF), 10_000_000, 10_000_000), ev.PotReset("main", 1_000_000, 0, 0, 0, 1_000_000))
    own, main, other = before.pot.levels
    paid = replace(main, hits_meter=1, wins_meter=10_000_000, link_in=10_000_000, told=Told(1_000_000, 4))
    after = replace(
        before,
        pot=replace(before.pot, levels=(own, paid, other)),
        link_claims=(),
        awards=(Award(1, 1, 2, RF, "main", 10_000_000, Fund.POT),),
    )
    event = ev.ClaimAnswered(60, 1, 4, answer)
    becomes(before, event, after, ev.ClaimServed(1, "main", 4), *answer, game=BESIDE)


@pytest.mark.parametrize(("wins", "amount"), [(4, 9_000_000), (5, 7_000_000), (6, 7_000_000)])
def test_the_floors_word_of_as_many_wins_is_kept(wins: int, amount: int) -> None:
    """The answer is the fifth win; the pot after it is 90,000.00."""
    table = play(LINKED, linked_claimed({2: SF}), [told(7_000_000, wins)])
    after = play(LINKED, table, [ev.ClaimAnswered(60, 1, 5, (award(1, (2, SF), 1_000_000, 10_000_000),))])
    assert after.pot.levels[0].told == Told(amount, max(wins, 5))


FROM_RESERVE = replace(
    LINKED,
    prizes=tuple(
        replace(each, fund=Fund.RESERVE, pays=Fixed(50_000)) if each.hand is FLUSH else each
        for each in LINKED.prizes
    ),
)


@pytest.mark.parametrize(
    ("reserve", "house", "taken"),
    [(0, 50_000, True), (300, 49_700, True), (50_000, 0, True), (300, 49_701, False), (300, 49_699, False)],
)
def test_who_paid_what_the_reserve_lacked_is_the_floors_to_say_but_not_how_much(
    reserve: int, house: int, taken: bool
) -> None:
    table = linked_claimed({2: FLUSH}, FROM_RESERVE)
    step_told = ev.AwardApproved(
        1, 2, FLUSH, "main", 50_000, 10_000_000, 10_000_000, 0, Fund.RESERVE, 0, reserve, house, "art. 17"
    )
    after = play(FROM_RESERVE, table, [ev.ClaimAnswered(60, 1, 1, (step_told,))])
    assert [each.amount for each in after.awards] == [50_000] * taken
    assert bool(after.link_claims) is not taken


def test_a_claim_that_is_given_up_ends_an_older_refusal() -> None:
    acts: list[ev.AnyEvent] = [ev.GameOverPressed(50), ev.TableClosed(51), key(True, Key.TECHNICIAN)]
    before = shown(play(LINKED, linked_claimed({2: RF, 4: RF}), acts), awards_made=2)
    after = replace(before, link_claims=(), refusal=None)
    becomes(before, ev.ClaimGivenUp(60, 1, "paper"), after, ev.ClaimVoid(1, 2), game=LINKED)


def test_the_same_rules_on_another_board_keep_what_the_floor_confirmed() -> None:
    acts: list[ev.AnyEvent] = [key(True), ev.TableClosed(50), key(True, Key.TECHNICIAN)]
    before = play(LINKED, linked_open(), acts)
    accepted = ev.ParametersChanged(60, before.game, "{}", (), "Ana", "Luis", board="b2")
    after = replace(before, board="b2")
    becomes(before, accepted, after, ev.ParametersAccepted(before.game, before.game), game=LINKED)


def test_on_paper_a_linked_level_is_empty_and_unknown() -> None:
    for amounts, wrong in (
        ((5, 1, 0), "^level main: 1 minor units; it takes 0 to 0, for a linked pot is at the floor$"),
        ((10_000_001, 0, 0), "^level own: 10000001 minor units; it takes 0 to 10000000, its limit$"),
    ):
        with pytest.raises(ValueError, match=wrong):
            on_paper(BESIDE, "d1", amounts, round_number=1, last_award=0)
    table, results = on_paper(BESIDE, "d1", (5, 0, 0), round_number=1, last_award=0)
    assert [level.current for level in table.pot.levels] == [5, 0, 0]
    assert results[-1] == ev.FaultRaised(FaultCode.LINK_UNKNOWN, 0)


def test_a_pot_that_nobody_knows_is_its_fault_and_the_other_way_round() -> None:
    unknown, known = new_table(LINKED), linked_open()
    no_word = replace(known, pot=replace(known.pot, levels=(replace(known.pot.levels[0], told=None),)))
    for before, after in (
        (unknown, replace(unknown, faults=())),
        (known, no_word),
        (known, replace(known, faults=(Fault(FaultCode.LINK_UNKNOWN),))),
    ):
        with pytest.raises(InvariantError, match="does not go with the pot"):
            check(LINKED, before, after, (NOTED,))


def test_rules_and_pot_of_two_games_are_our_own_error() -> None:
    table = linked_open()
    with pytest.raises(ValueError, match="zip"):
        with_links(BESIDE, table)
    warned = replace(table, faults=(Fault(FaultCode.COMMON_MODE),))
    with pytest.raises(ValueError, match="zip"):
        check(replace(LINKED, levels=(MAIN, OTHER)), table, warned, (NOTED,))


def test_what_leaves_for_a_link_unsaid_is_named() -> None:
    """5 millionths had left before; 3 more leave without a wager."""
    before = linked_open()
    level = before.pot.levels[0]
    before, after = (
        replace(before, pot=replace(before.pot, levels=(replace(level, link_out=out),), house_share=-out))
        for out in (5, 8)
    )
    with pytest.raises(InvariantError, match=r"^level main: 3 went to its link$"):
        check(LINKED, before, after, (NOTED,))
