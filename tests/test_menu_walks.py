"""Every path of the menu: each offered act can be walked to its end, and no walk leads to what was not offered."""

from collections.abc import Iterator
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from controller.core import events as ev
from controller.core.game import Game, Hand, Role
from controller.core.punto.rules import BankWins
from controller.core.punto.score import PuntoResult
from controller.core.state import Table
from controller.core.table import step
from controller.inputs import Pulse
from controller.menu import Verb, menu_lines
from controller.menu.acts import ACTS, conversation, offered
from controller.menu.ask import Nav, Question, Scene, play
from controller.pages import awards
from tests.helpers_game import GAME, chips, key, locked, new_table, opened, pending, with_policies
from tests.helpers_game import play as played
from tests.helpers_linked import LINKED, linked_claimed
from tests.helpers_menu import SECOND, Thumb
from tests.helpers_punto import PUNTO_GAME, RULES, game_with, opened_punto, round_of

SUPERVISOR, TECHNICIAN = key(on=True), key(on=True, which=ev.Key.TECHNICIAN)
PULSES = {"seat_1": (Pulse(40_000_000, 0),), "seat_2": (Pulse(2_050_000, 99),)}
NEVER = {
    ev.Refusal.WRONG_PHASE,
    ev.Refusal.AWARD_PENDING,
    ev.Refusal.NOT_THIS_GAME,
    ev.Refusal.SUPERVISOR_KEY,
    ev.Refusal.BOTH_KEYS,
    ev.Refusal.NO_SUCH_SEAT,
    ev.Refusal.NO_WAGER,
    ev.Refusal.NO_CLAIM,
    ev.Refusal.NO_PRIZE,
    ev.Refusal.NO_AWARD,
    ev.Refusal.ALREADY_PAID,
    ev.Refusal.ALREADY_CLAIMED,
    ev.Refusal.NO_REASON,
    ev.Refusal.NO_SUCH_LEVEL,
    ev.Refusal.CARDS_IMPOSSIBLE,
    ev.Refusal.NO_SUCH_CARDS,
    ev.Refusal.NO_FAULT,
    ev.Refusal.LAMP_TEST_FIRST,
}
"""Refusals that an offered act never meets: whoever asks by menu asks for what exists and what he may."""


def paid_for() -> Table:
    """A locked round with an award to pay and both keys turned."""
    return played(GAME, pending({2: Hand.FLUSH}), [ev.AwardsApproved(40), TECHNICIAN])


def tables() -> Iterator[tuple[str, Game, Table]]:
    """Tables in which, together, every act is possible."""
    both: list[ev.AnyEvent] = [SUPERVISOR, TECHNICIAN]
    strict = with_policies(award_when_bank_does_not_open=False)
    yield "locked, strict", strict, locked(1, 2, game=strict)
    yield "closed", GAME, played(GAME, new_table(), both)
    yield "lamp test", GAME, played(GAME, new_table(), [SUPERVISOR, ev.LampTestStarted(1)])
    yield "open", GAME, played(GAME, opened(), [*chips(1, 3), SUPERVISOR, ev.SeatClosed(9, 7)])
    yield "locked", GAME, played(GAME, locked(2, 5), [SUPERVISOR, ev.DiscrepancyFound(30, 1)])
    yield "pending", GAME, pending({2: Hand.FLUSH, 4: Hand.ROYAL_FLUSH})
    yield "unpaid", GAME, paid_for()
    yield "fault", GAME, played(GAME, locked(2), [TECHNICIAN, ev.StorageFailed(30, "full", ())])
    two = _two_levels()
    yield "two levels", two, played(two, new_table(two), both)
    claimed = linked_claimed({2: Hand.ROYAL_FLUSH})
    ended: list[ev.AnyEvent] = [ev.GameOverPressed(50), ev.TableClosed(51), TECHNICIAN]
    yield "claim at the floor", LINKED, played(LINKED, claimed, ended)
    entered = game_with(bank_wins=BankWins.ENTERED)
    banked: list[ev.AnyEvent] = [SUPERVISOR, ev.ShoeMade(4, 40), ev.BankTaken(5, 3, 20_000)]
    yield "punto open", PUNTO_GAME, played(PUNTO_GAME, opened_punto(), banked)
    won = [*banked, *round_of(PuntoResult.BANCA), ev.BetNotWithdrawn(30, 7, PuntoResult.BANCA, 500)]
    yield "punto won", PUNTO_GAME, played(PUNTO_GAME, opened_punto(), won)
    yield "punto locked", entered, played(entered, opened_punto(entered), [*banked, ev.CoinInPressed(20)])
    doubted = [*banked, ev.CoinInPressed(20), ev.DealDoubted(21)]
    asked = replace(GAME, pin=(Role.SUPERVISOR, Role.TECHNICIAN))
    yield "pins wanted", asked, played(asked, new_table(asked), both)
    yield "punto doubted", PUNTO_GAME, played(PUNTO_GAME, opened_punto(), doubted)


def _two_levels() -> Game:
    mini = replace(GAME.levels[0], name="mini", increment_rate_ppm=100_000)
    return replace(GAME, levels=(GAME.levels[0], mini))


TABLES = [(name, game, table) for name, game, table in tables()]


def first_walk(scene: Scene, verb: Verb) -> object:
    """What a script returns when each question gets its first answer, and done as soon as there is something."""
    path: list[object] = [verb]
    for _ in range(40):
        found = play(conversation(scene), path)
        if not isinstance(found, Question):
            return found
        values = [option.value for option in found.options]
        path.append(Nav.DONE if Nav.DONE in values else values[-1 if found.entry else 0])
    raise AssertionError(f"{verb} asks without end: {path}")


@pytest.mark.parametrize(("name", "game", "table"), TABLES, ids=[name for name, _, _ in TABLES])
def test_each_offered_act_ends_in_its_own_event_which_the_table_takes_up(
    name: str, game: Game, table: Table
) -> None:
    scene = Scene(game, table, PULSES)
    assert offered(scene), name
    for verb in offered(scene):
        event = first_walk(scene, verb)
        makes = ACTS[verb].makes
        if makes is None:
            assert event is None or isinstance(event, ev.PinNotTried)
            continue
        assert isinstance(event, makes | ev.CountConfirmed)
        assert isinstance(event, get_args(ev.AnyEvent))
        refused = [result.reason for result in step(game, table, event)[1] if isinstance(result, ev.Refused)]
        assert not NEVER & set(refused), (verb, event, refused)


def test_together_these_tables_offer_every_act() -> None:
    found = {verb for _, game, table in TABLES for verb in offered(Scene(game, table, PULSES))}
    assert found == set(Verb)


OPERATORS = tuple({act.makes for act in ACTS.values() if act.makes is not None})
MOVES = st.lists(
    st.sampled_from(["short", "hold", "hold", "coin_in", "wait", "chip", "key", "fold"])
    | st.sampled_from([*"0123456789", "ENTER", "CLEAR", "CLAIM", "PAID", "nonsense"]).map(
        lambda key: f"pad {key}"
    ),
    max_size=60,
)


@settings(max_examples=150, deadline=None)
@given(table=st.sampled_from(TABLES), moves=MOVES)
def test_no_walk_stumbles_and_no_act_comes_out_that_the_table_must_refuse_as_not_his(
    table: tuple[str, Game, Table], moves: list[str]
) -> None:
    _, game, start = table
    thumb = Thumb(game, start, PULSES)
    for move in moves:
        seen, refused = len(thumb.acts), len(thumb.refused)
        match move.split():
            case ["short"]:
                thumb.short()
            case ["hold"]:
                thumb.hold()
            case ["coin_in"]:
                thumb.coin_in()
            case ["wait"]:
                thumb.wait(7 * SECOND)
            case ["chip"]:
                thumb.decide(ev.ChipDropped(thumb.now, 6))
            case ["key"]:
                thumb.decide(key(on=not thumb.table.supervisor))
            case ["fold"]:
                thumb.decide(ev.HandFolded(thumb.now, 2))
            case words:
                thumb.type(words[-1])
        if thumb.menu.open:
            assert Nav.BACK in thumb.values
            assert menu_lines(game, thumb.table, thumb.menu, PULSES)
        if any(isinstance(act, OPERATORS) for act in thumb.acts[seen:]):
            assert not NEVER & set(thumb.refused[refused:])


def test_the_prompt_of_approval_shows_the_same_arithmetic_as_the_page() -> None:
    scene = Scene(GAME, pending({2: Hand.FLUSH, 4: Hand.ROYAL_FLUSH}), {})
    found = play(conversation(scene), [Verb.APPROVE])
    assert isinstance(found, Question)
    assert found.facts == tuple(awards(GAME, scene.table))


def test_a_bank_of_least_size_is_what_seats_are_asked_for() -> None:
    assert RULES.bank_min == 10_000
    scene = Scene(PUNTO_GAME, opened_punto(), {})
    found = play(conversation(scene), [Verb.BANK])
    assert isinstance(found, Question)
    assert [option.value for option in found.options] == list(range(1, 17))
