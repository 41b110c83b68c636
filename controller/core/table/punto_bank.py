"""The banker's acts, the shoe and the bets that are left (seed 001 nums. 4–6, 10, 15–20, 35, 38–44)."""

from msgspec.structs import replace

from controller.core import events as ev
from controller.core.events import Refusal
from controller.core.game import Game
from controller.core.punto import frozen, ledger
from controller.core.punto import shoe as shoes
from controller.core.punto.ledger import BankError, BankProblem
from controller.core.punto.score import PuntoResult
from controller.core.punto.state import Punto
from controller.core.state import Phase, Table
from controller.core.table.gate import Outcome, refuse
from controller.core.table.punto import here, with_punto

_NOTED = (ev.Noted(),)

_WHY: dict[BankProblem, Refusal] = {
    BankProblem.STAKE: Refusal.BANK_STAKE,
    BankProblem.ALREADY_WITHDRAWN: Refusal.ALREADY_WITHDRAWN,
    BankProblem.NO_ROUND_WON: Refusal.NO_ROUND_WON,
    BankProblem.TOO_MUCH: Refusal.MORE_THAN_HALF,
    BankProblem.TOO_LITTLE: Refusal.BELOW_DISCOUNT,
    BankProblem.NOT_STAKED: Refusal.AMOUNT_OUT_OF_RANGE,
}


def between_deals(table: Table, punto: Punto) -> bool:
    """Whether no cards lie on the table: bets are open, or an encart is about to be dealt again."""
    if table.phase is Phase.OPEN:
        return True
    return bool(punto.encarts) and punto.hands is None and punto.result is None and not punto.void


def taken(game: Game, table: Table, event: ev.BankTaken) -> Outcome:
    """Take a free bank; before its first deal the same act puts it right (nums. 5, 6 and 26)."""
    rules, punto = here(game, table)
    held = punto.bank is not None and (punto.bank.rounds or punto.bank.encarts)
    if held or punto.house_bank:
        return refuse(table, Refusal.BANK_HELD)
    if not between_deals(table, punto):
        return refuse(table, Refusal.WRONG_PHASE)
    try:
        bank = ledger.take(rules, event.seat, event.stake, suite=punto.suite)
    except BankError as error:
        return refuse(table, _WHY[error.problem])
    turn = punto.turn if punto.suite else event.seat
    after = with_punto(table, replace(punto, bank=bank, turn=turn))
    opened = ev.BankOpened(event.seat, event.stake, punto.suite)
    if punto.bank is None:
        return after, (opened,)
    return after, (ev.BankEnded(punto.bank.seat, 0, punto.bank.stake, 0, ""), opened)


def raised(game: Game, table: Table, event: ev.BankRaised) -> Outcome:
    """Add to the bank (num. 38); in the last round of a shoe nothing may be added (num. 41)."""
    rules, punto = here(game, table)
    if punto.bank is None:
        return refuse(table, Refusal.NO_BANKER)
    if punto.shoe is not None and punto.shoe.last:
        return refuse(table, Refusal.LAST_ROUND)
    try:
        bank = ledger.increase(rules, punto.bank, event.by)
    except BankError as error:
        return refuse(table, _WHY[error.problem])
    moved = ev.BankMoved(bank.seat, bank.stake, raised=event.by)
    return with_punto(table, replace(punto, bank=bank)), (moved,)


def withdrawn(game: Game, table: Table, event: ev.BankWithdrawn) -> Outcome:
    """Take up to half out, once (nums. 15 and 16)."""
    rules, punto = here(game, table)
    if punto.bank is None:
        return refuse(table, Refusal.NO_BANKER)
    if event.amount % game.payable_unit:
        return refuse(table, Refusal.AMOUNT_OUT_OF_RANGE)
    try:
        moved = ledger.withdraw(rules, punto.bank, event.amount, game.payable_unit)
    except BankError as error:
        return refuse(table, _WHY[error.problem])
    told = ev.BankMoved(
        punto.bank.seat,
        punto.bank.stake - event.amount,
        paid_out=moved.paid_out,
        commission=moved.commission,
        source=moved.source,
    )
    paid = punto.commission_meter + moved.commission
    return with_punto(table, replace(punto, bank=moved.bank, commission_meter=paid)), (told,)


def passed(game: Game, table: Table) -> Outcome:
    """Give the *suite*: in any round, and after encarts (nums. 20 and 35)."""
    rules, punto = here(game, table)
    if punto.bank is None:
        return refuse(table, Refusal.NO_BANKER)
    if not between_deals(table, punto):
        return refuse(table, Refusal.WRONG_PHASE)
    try:
        moved = ledger.suite(rules, punto.bank, game.payable_unit)
    except BankError as error:
        return refuse(table, _WHY[error.problem])
    return _ended(table, replace(punto, suite=True), moved)


def given_up(game: Game, table: Table) -> Outcome:
    """Leave without a *suite*: in a doubted deal, the house goes on (num. 10); after encarts at the start (num. 18)."""
    punto = here(game, table).punto
    if punto.bank is None:
        return refuse(table, Refusal.NO_BANKER)
    if punto.doubted and punto.result is None and not punto.void:
        return _ended(table, replace(punto, house_bank=True), ledger.give_up(punto.bank, "num. 10"))
    if not punto.bank.rounds and between_deals(table, punto):
        return _ended(table, punto, ledger.give_up(punto.bank, "num. 18"))
    return refuse(table, Refusal.BANK_GOES_ON)


def _ended(table: Table, punto: Punto, moved: ledger.Moved) -> Outcome:
    if punto.bank is None:
        raise AssertionError("only a bank that is held can end")
    told = ev.BankEnded(punto.bank.seat, 0, moved.paid_out, moved.commission, moved.source)
    after = replace(punto, bank=None, commission_meter=punto.commission_meter + moved.commission)
    return with_punto(table, after), (told,)


def shoe_made(game: Game, table: Table, event: ev.ShoeMade) -> Outcome:
    """A full shoe, as at the beginning (nums. 4, 19 and 43)."""
    rules, punto = here(game, table)
    try:
        shoe = shoes.make(rules.decks, event.behind_red)
    except ValueError:
        return refuse(table, Refusal.TOO_FEW_CARDS)
    return with_punto(table, replace(punto, shoe=shoe)), _NOTED


def red_card(game: Game, table: Table) -> Outcome:
    """The red card: the last round of the shoe is at hand (num. 41)."""
    rules, punto = here(game, table)
    if punto.shoe is None:
        return refuse(table, Refusal.NO_SHOE)
    if punto.shoe.red:
        return refuse(table, Refusal.LAST_ROUND)
    if punto.result is not None:
        return refuse(table, Refusal.RESULT_STANDS)
    dealing = not between_deals(table, punto)
    shoe = shoes.red_shown(punto.shoe, rules.policies.red_card, dealing=dealing)
    told: tuple[ev.AnyResult, ...] = (ev.LastRound(),) if shoe.last else _NOTED
    return with_punto(table, replace(punto, shoe=shoe)), told


def card_burned(game: Game, table: Table) -> Outcome:
    """One card less in the shoe (nums. 9 and 29)."""
    punto = here(game, table).punto
    if punto.shoe is None:
        return refuse(table, Refusal.NO_SHOE)
    return with_punto(table, replace(punto, shoe=shoes.burned(punto.shoe))), _NOTED


def cards_counted(game: Game, table: Table, event: ev.CardsCounted) -> Outcome:
    """The dealer counted what is left, between two deals."""
    punto = here(game, table).punto
    if punto.shoe is None:
        return refuse(table, Refusal.NO_SHOE)
    if not between_deals(table, punto):
        return refuse(table, Refusal.WRONG_PHASE)
    try:
        shoe = shoes.counted(punto.shoe, event.cards)
    except ValueError:
        return refuse(table, Refusal.AMOUNT_OUT_OF_RANGE)
    return with_punto(table, replace(punto, shoe=shoe)), _NOTED


def bet_left(game: Game, table: Table, event: ev.BetNotWithdrawn) -> Outcome:
    """A bet that has just won stays and plays on (num. 44)."""
    rules, punto = here(game, table)
    if event.side is PuntoResult.ENCART or event.side is not punto.last:
        return refuse(table, Refusal.BET_DID_NOT_WIN)
    if event.amount < 1:
        return refuse(table, Refusal.AMOUNT_OUT_OF_RANGE)
    if _find(punto, event.seat, event.side) is not None:
        return refuse(table, Refusal.ALREADY_LEFT)
    bet = frozen.leave(rules, event.seat, event.side, event.amount)
    told = ev.BetLeft(bet.seat, bet.side, bet.amount, bet.waiting, bet.wins)
    return with_punto(table, replace(punto, left=(*punto.left, bet))), (told,)


def bet_taken_back(game: Game, table: Table, event: ev.BetTakenBack) -> Outcome:
    """A player withdraws a bet that was left, and what lies beside it."""
    punto = here(game, table).punto
    bet = _find(punto, event.seat, event.side)
    if bet is None:
        return refuse(table, Refusal.NO_BET_LEFT)
    left = tuple(each for each in punto.left if each is not bet)
    told = ev.BetReturned(bet.seat, bet.side, bet.amount + bet.waiting)
    return with_punto(table, replace(punto, left=left)), (told,)


def _find(punto: Punto, seat: int, side: PuntoResult) -> frozen.LeftBet | None:
    return next((bet for bet in punto.left if (bet.seat, bet.side) == (seat, side)), None)
