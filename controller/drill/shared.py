"""The statements of linked pots: the line to the floor, and what happens at other tables of the link."""

from collections.abc import Callable

from controller.core import events as ev
from controller.core.game import Hand
from controller.drill import statements as st
from controller.drill.hub import Hub
from controller.drill.line import Line, choice, count, one_of, operate
from controller.drill.world import World, WorldError

WAGERS_MOST = 1_000_000


class Shared(st.Statement, frozen=True):
    """Common to all of them."""


class LinkIs(Shared, frozen=True):
    """`link lost|back`, `link holds|answers|refuses`, `link differs|agrees`: what the floor is like from now on."""

    what: str


class Elsewhere(Shared, frozen=True):
    """`elsewhere 12`: another table of the link takes in so many wagers."""

    wagers: int


class WonElsewhere(Shared, frozen=True):
    """`elsewhere wins royal_flush`."""

    hand: Hand


def happen(world: World, statement: Shared) -> None:
    """Play one. Raises `WorldError` at a table that has no linked pot."""
    hub = world.hub
    if hub is None:
        raise WorldError("no pot of this table is linked: `set pot.main.link sala` before power on")
    match statement:
        case LinkIs(what=what):
            _link_is(hub, what)
        case Elsewhere(wagers=wagers):
            hub.staked_elsewhere(wagers)
        case WonElsewhere(hand=hand):
            hub.won_elsewhere(hand)
        case _:
            raise TypeError(f"{statement.text!r} is played elsewhere")


def _link_is(hub: Hub, what: str) -> None:
    match what:
        case "lost" | "back":
            hub.connected = what == "back"
        case "holds":
            hub.answering = False
        case "answers" | "refuses":
            hub.answering, hub.refusing = True, what == "refuses"
        case _:
            hub.other_rules = what == "differs"


def _link(line: Line) -> st.Statement:
    (word,) = line.takes("link lost|back|holds|answers|refuses|differs|agrees", 1)
    what = one_of(line, word, "lost", "back", "holds", "answers", "refuses", "differs", "agrees")
    return LinkIs(line.number, line.text, what=what)


def _elsewhere(line: Line) -> st.Statement:
    words = line.takes("elsewhere 12 | elsewhere wins royal_flush", 1, 2)
    if len(words) == 1:
        return Elsewhere(line.number, line.text, wagers=count(line, words[0], WAGERS_MOST))
    one_of(line, words[0], "wins")
    return WonElsewhere(line.number, line.text, hand=choice(line, Hand, words[1]))


def _give_up(line: Line) -> st.Statement:
    claim, *reason = line.takes("give_up_claim 3 REASON", 2, 99)
    return operate(line, ev.ClaimGivenUp(0, count(line, claim, 10**9), " ".join(reason)))


STATEMENTS: dict[str, Callable[[Line], st.Statement]] = {
    "link": _link,
    "elsewhere": _elsewhere,
    "give_up_claim": _give_up,
}
