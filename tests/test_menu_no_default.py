"""Going on with what stands marked ends in no act about money: from any page, by ENTER alone or by holding alone."""

from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from controller.core import events as ev
from controller.core.game import Game
from controller.core.state import Table
from controller.menu import Verb
from controller.menu.acts import offered
from controller.menu.ask import Nav, Scene
from tests.helpers_game import GAME
from tests.helpers_menu import Thumb
from tests.test_menu_walks import PULSES, TABLES, paid_for

MONEY = (
    ev.AwardPaid
    | ev.AwardsApproved
    | ev.AwardRejected
    | ev.AwardWithdrawn
    | ev.SeatVoided
    | ev.RoundVoided
    | ev.HandFolded
    | ev.CardBought
    | ev.CountConfirmed
    | ev.DiscrepancyAccepted
    | ev.LateLocked
    | ev.PotCorrected
    | ev.PotTransferred
    | ev.BankNotOpened
    | ev.ClaimGivenUp
)
"""Acts that pay, forfeit, give back or move money, or that say money was counted."""


def gone_on(start: Table, game: Game, page: list[int], *, by_pad: bool) -> list[ev.AnyEvent]:
    """What comes out of thirty ENTERs, or holds, on the page that these choices lead to."""
    thumb = Thumb(game, start, PULSES)
    thumb.hold()
    for place in page:
        if not thumb.menu.open or thumb.acts:
            break
        values = [value for value in thumb.values if value is not Nav.BACK]
        if values:
            before = thumb.acts[:]
            thumb.choose(values[place % len(values)])
            if thumb.acts != before:
                break
    began = len(thumb.acts)
    for _ in range(30):
        if by_pad:
            thumb.type("ENTER")
        else:
            thumb.hold()
    return thumb.acts[began:]


@settings(max_examples=300, deadline=None)
@given(
    table=st.sampled_from(TABLES),
    page=st.lists(st.integers(0, 40), max_size=7),
    by_pad=st.booleans(),
)
def test_going_on_with_what_is_marked_moves_no_money_from_any_page(
    table: tuple[str, Game, Table], page: list[int], *, by_pad: bool
) -> None:
    _, game, start = table
    made = gone_on(start, game, page, by_pad=by_pad)
    assert not [act for act in made if isinstance(act, MONEY)]


def test_the_list_of_money_acts_is_of_acts_there_are() -> None:
    assert set(get_args(MONEY)) <= set(get_args(ev.AnyEvent))


@pytest.mark.parametrize("by_pad", [True, False], ids=["enter", "held"])
@pytest.mark.parametrize(("name", "game", "table"), TABLES, ids=[name for name, _, _ in TABLES])
def test_the_first_page_alone_leads_to_no_money(name: str, game: Game, table: Table, *, by_pad: bool) -> None:
    assert not [act for act in gone_on(table, game, [], by_pad=by_pad) if isinstance(act, MONEY)], name


def test_what_pays_is_never_the_first_entry() -> None:
    for _, game, table in [*TABLES, ("unpaid", GAME, paid_for())]:
        verbs = offered(Scene(game, table, PULSES))
        assert verbs[0] is not Verb.PAID


def test_a_slip_is_signed_only_by_somebody_who_says_so() -> None:
    thumb = Thumb(GAME, paid_for())
    thumb.hold()
    thumb.choose(Verb.PAID, 1, ev.Payment.CHIPS)
    assert thumb.values[0] is Nav.NO
