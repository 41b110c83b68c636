"""A round of Punto y Banca on the table machine: ready to lock, cards, doubt, result, encart, void (seed 001).

A result only stands: GAME OVER books it (`punto_end`). Until then it can be put right with the supervisor's key, and
nothing has moved.
"""

from typing import NamedTuple

from msgspec.structs import replace

from controller.core import events as ev
from controller.core.events import Refusal
from controller.core.game import Game
from controller.core.punto import ledger
from controller.core.punto import shoe as shoes
from controller.core.punto.draw import Verdict, judge
from controller.core.punto.rules import SEATED_LEAST, BankWins, PuntoRules, SeatedBy
from controller.core.punto.score import RANKS, PuntoResult
from controller.core.punto.shoe import Enough
from controller.core.punto.state import Hands, Punto
from controller.core.state import Closure, Table
from controller.core.table.gate import Outcome, refuse
from controller.core.table.presence import lacking

_NOTED = (ev.Noted(),)


class Here(NamedTuple):
    """The two things a table of this game has that a poker table has not."""

    rules: PuntoRules
    punto: Punto


def here(game: Game, table: Table) -> Here:
    """The rules and the state of this game; the gate lets its events in at such a table only."""
    if game.punto is None or table.punto is None:
        raise AssertionError(
            f"{game.profile} is no Punto y Banca, or its table was commissioned for another game"
        )
    return Here(game.punto, table.punto)


def with_punto(table: Table, punto: Punto) -> Table:
    """The table with this state, and nothing refused."""
    return replace(table, punto=punto, refusal=None)


def verdict(game: Game, table: Table) -> Verdict | None:
    """What the cards that were entered say, or None if none were."""
    rules, punto = here(game, table)
    hands = punto.hands
    if hands is None:
        return None
    return judge(rules.policies, hands.punto, hands.banca, by_dealer=hands.by_dealer)


def seated(rules: PuntoRules, table: Table, punto: Punto) -> int:
    """How many are seated: as declared, or every seat that is not closed, by policy."""
    if rules.policies.seated_by is SeatedBy.DECLARED:
        return punto.seated
    return sum(seat.closed is Closure.NONE for seat in table.seats)


def not_ready(game: Game, table: Table) -> Refusal | None:
    """Why this game's round cannot be locked, or None (nums. 3, 4, 42, 43)."""
    rules, punto = here(game, table)
    if not punto.begun and seated(rules, table, punto) < SEATED_LEAST:
        return Refusal.TOO_FEW_PLAYERS
    if punto.shoe is None and rules.policies.require_shoe:
        return Refusal.NO_SHOE
    if punto.shoe is not None and punto.shoe.over:
        return Refusal.SHOE_OVER
    return _not_dealable(rules, punto)


def _not_dealable(rules: PuntoRules, punto: Punto) -> Refusal | None:
    if punto.shoe is not None and shoes.enough(punto.shoe) is Enough.NO:
        return Refusal.TOO_FEW_CARDS
    if rules.policies.require_banker and punto.bank is None and not punto.house_bank:
        return Refusal.NO_BANKER
    return None


def locked(table: Table) -> Table:
    """The first lock begins the game; the seated are not counted again until the table is closed."""
    return table if table.punto is None else replace(table, punto=replace(table.punto, begun=True))


def table_closed(table: Table) -> Table:
    """The game begins anew when the table is next opened (num. 3)."""
    return table if table.punto is None else replace(table, punto=replace(table.punto, begun=False, seated=0))


def players_seated(game: Game, table: Table, event: ev.PlayersSeated) -> Outcome:
    """Keep how many are seated."""
    if not 0 <= event.count <= len(table.seats):
        return refuse(table, Refusal.AMOUNT_OUT_OF_RANGE)
    return with_punto(table, replace(here(game, table).punto, seated=event.count)), _NOTED


def hands_shown(game: Game, table: Table, event: ev.HandsShown) -> Outcome:
    """Judge the cards of a deal; a mistake is named and its result is the supervisor's business (nums. 7, 8, 40)."""
    punto = here(game, table).punto
    if punto.void:
        return refuse(table, Refusal.ROUND_VOID)
    if punto.result is not None:
        return refuse(table, Refusal.RESULT_STANDS)
    cards = (*event.punto, *event.banca)
    if any(rank not in RANKS for rank in cards) or not 2 <= len(cards) <= 2 * shoes.DEAL_MOST:
        return refuse(table, Refusal.NO_SUCH_CARDS)
    after = with_punto(table, replace(punto, hands=Hands(event.punto, event.banca, event.by_dealer)))
    said = verdict(game, after)
    if said is None:
        raise AssertionError("hands were entered and are not there")
    return after, (ev.CardsJudged(said.punto, said.banca, said.result, said.mistake),)


def deal_doubted(game: Game, table: Table) -> Outcome:
    """The cards play as they were dealt; who disagrees may withdraw (num. 10)."""
    punto = here(game, table).punto
    refusal = decided(punto)
    if refusal is not None:
        return refuse(table, refusal)
    return with_punto(table, replace(punto, doubted=True)), _NOTED


def decided(punto: Punto) -> Refusal | None:
    """Why nobody may withdraw any more from the round that is locked, or None: with cards seen it is void (num. 10)."""
    if punto.void:
        return Refusal.ROUND_VOID
    if punto.result is not None:
        return Refusal.RESULT_STANDS
    return None if punto.hands is None else Refusal.CARDS_WERE_SEEN


def result_entered(game: Game, table: Table, event: ev.ResultEntered) -> Outcome:
    """Announce a result: it stands until GAME OVER books it; an encart is dealt again (num. 8)."""
    punto = here(game, table).punto
    refusal = _result_refusal(game, table, event)
    if refusal is not None:
        return refuse(table, refusal)
    if event.result is not PuntoResult.ENCART:
        after = replace(punto, result=event.result, amount=event.amount)
        return with_punto(table, after), (ev.ResultStands(event.result),)
    after = replace(
        punto,
        result=None,
        amount=None,
        hands=None,
        doubted=False,
        encarts=punto.encarts + 1,
        bank=None if punto.bank is None else ledger.encart(punto.bank),
        shoe=after_deal(punto),
    )
    return with_punto(table, after), (ev.DealtAgain(after.encarts),)


def _result_refusal(game: Game, table: Table, event: ev.ResultEntered) -> Refusal | None:
    rules, punto = here(game, table)
    if punto.void:
        return Refusal.ROUND_VOID
    changes = punto.result is not None and (punto.result, punto.amount) != (event.result, event.amount)
    said = verdict(game, table)
    unsettled = said is not None and said.result is None
    nobody = lacking(game, table, Refusal.SUPERVISOR_KEY)
    if (changes or unsettled) and nobody is not None:
        return nobody
    if said is not None and said.result not in {None, event.result}:
        return Refusal.CARDS_SAY_OTHERWISE
    return _not_dealable(rules, punto) or _amount_refusal(rules, punto, event)


def _amount_refusal(rules: PuntoRules, punto: Punto, event: ev.ResultEntered) -> Refusal | None:
    """An amount belongs to a bank that won or lost, where the house has it entered, and nowhere else."""
    wanted = (
        rules.policies.bank_wins is BankWins.ENTERED
        and punto.bank is not None
        and event.result is not PuntoResult.ENCART
    )
    if wanted is (event.amount is None):
        return Refusal.AMOUNT_OUT_OF_RANGE
    if punto.bank is not None and event.amount is not None and not 0 <= event.amount <= punto.bank.stake:
        return Refusal.AMOUNT_OUT_OF_RANGE
    return None


def voided(game: Game, table: Table, event: ev.RoundVoided) -> Outcome:
    """Annul the round, a standing result too: nothing is won or lost, bets go back (nums. 10, 33, 35, 42).

    Bets that were left go back like all others.
    """
    punto = here(game, table).punto
    if punto.void:
        return refuse(table, Refusal.ROUND_VOID)
    after = with_punto(table, replace(punto, void=True, result=None, amount=None, left=()))
    returned = (ev.BetReturned(bet.seat, bet.side, bet.amount + bet.waiting) for bet in punto.left)
    return after, (ev.RoundAnnulled(table.round, event.reason), *returned)


def unfinished(punto: Punto) -> Refusal | None:
    """Why GAME OVER cannot end the round, or None: a result stands, or the round is void."""
    return None if punto.void or punto.result is not None else Refusal.NO_RESULT


def after_deal(punto: Punto) -> shoes.Shoe | None:
    """The shoe after the cards of the deal on the table; None where no shoe was entered."""
    if punto.shoe is None:
        return None
    if punto.hands is not None:
        return shoes.dealt(punto.shoe, len(punto.hands.punto) + len(punto.hands.banca))
    return shoes.spoiled(punto.shoe) if punto.void else shoes.dealt(punto.shoe, None)
