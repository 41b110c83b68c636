"""The banker's acts, the shoe and the bets that are left (seed 001 nums. 4–6, 10, 15–20, 26, 35, 38–44)."""

from msgspec.structs import replace

from controller.core import events as ev
from controller.core.events import Refusal
from controller.core.game import Game
from controller.core.punto import frozen, ledger
from controller.core.punto import shoe as shoes
from controller.core.punto.ledger import BankError, BankProblem
from controller.core.punto.rules import LastBank
from controller.core.punto.score import PuntoResult
from controller.core.punto.state import Punto
from controller.core.state import Phase, Table
from controller.core.table.gate import Outcome, refuse
from controller.core.table.punto import decided, here, with_punto
from controller.core.table.punto_end import shoe_ends, waits_again

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
    """Take a free bank; before its first deal the same act puts it right (nums. 5, 6 and 26).

    So too in the last round of a shoe: num. 6 has it dealt as *asiento libre*, so a bank is taken for it. What num. 41
    forbids is to add: a bank that is held cannot be put right upwards then.
    """
    rules, punto = here(game, table)
    turn = punto.turn if punto.bank is None else punto.bank.turn_before
    refusal = _cannot_take(table, punto, event, turn)
    if refusal is not None:
        return refuse(table, refusal)
    try:
        bank = ledger.take(rules, event.seat, event.stake, suite=punto.suite)
    except BankError as error:
        return refuse(table, _WHY[error.problem])
    told: list[ev.AnyResult] = []
    punto = waits_again(punto, told)
    if punto.bank is not None:
        told.append(ev.BankEnded(punto.bank.seat, 0, punto.bank.stake, 0, ""))
    told.append(ev.BankOpened(event.seat, event.stake, punto.suite, event.free))
    bank = replace(bank, turn_before=turn, free=event.free)
    if punto.frozen_waiting:
        bank = ledger.inherit(bank, punto.frozen_waiting)
        told.append(ev.BankMoved(bank.seat, bank.stake, frozen=punto.frozen_waiting))
    kept = punto.suite or event.free
    after = replace(punto, bank=bank, turn=turn if kept else event.seat, frozen_waiting=0)
    return with_punto(table, after), tuple(told)


def _cannot_take(table: Table, punto: Punto, event: ev.BankTaken, turn: int) -> Refusal | None:
    bank = punto.bank
    if punto.house_bank or (bank is not None and ledger.begun(bank)):
        return Refusal.BANK_HELD
    if not between_deals(table, punto):
        return Refusal.WRONG_PHASE
    if event.free and (punto.suite or not turn):
        return Refusal.NO_FREE_SEAT
    if bank is not None and _last_round(punto) and event.stake > ledger.own(bank):
        return Refusal.LAST_ROUND
    return None


def _last_round(punto: Punto) -> bool:
    return punto.shoe is not None and punto.shoe.last


def raised(game: Game, table: Table, event: ev.BankRaised) -> Outcome:
    """Add to the bank (num. 38); in the last round of a shoe nothing may be added (num. 41)."""
    rules, punto = here(game, table)
    if punto.bank is None:
        return refuse(table, Refusal.NO_BANKER)
    if _last_round(punto):
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
    """Leave without a *suite*, charged nothing.

    In a doubted deal, and the house goes on (num. 10); before the first deal and after encarts at the start (nums. 26
    and 18); by policy before the last deal of a shoe (num. 41).
    """
    rules, punto = here(game, table)
    bank = punto.bank
    if bank is None:
        return refuse(table, Refusal.NO_BANKER)
    if punto.doubted:
        refusal = decided(punto)
        if refusal is not None:
            return refuse(table, refusal)
        return _ended(table, replace(punto, house_bank=True), ledger.give_up(bank, "num. 10"))
    if not bank.rounds and between_deals(table, punto):
        return _ended(table, punto, ledger.give_up(bank, "num. 18" if bank.encarts else "num. 26"))
    leaves = rules.policies.last_bank is LastBank.MAY_LEAVE and _last_round(punto)
    if leaves and between_deals(table, punto):
        return _ended(table, punto, ledger.give_up(bank, "num. 41"))
    return refuse(table, Refusal.BANK_GOES_ON)


def _ended(table: Table, punto: Punto, moved: ledger.Moved) -> Outcome:
    told: list[ev.AnyResult] = []
    waited = 0 if punto.bank is None else punto.bank.inherited
    punto = waits_again(punto, told)
    if punto.bank is None:
        raise AssertionError("only a bank that is held can end")
    paid_out = moved.paid_out - waited
    told.append(ev.BankEnded(punto.bank.seat, 0, paid_out, moved.commission, moved.source))
    after = replace(punto, bank=None, commission_meter=punto.commission_meter + moved.commission)
    return with_punto(table, after), tuple(told)


def shoe_made(game: Game, table: Table, event: ev.ShoeMade) -> Outcome:
    """A full shoe, as at the beginning (nums. 4 and 43); one made before its time ends the other's play (num. 19)."""
    rules, punto = here(game, table)
    try:
        shoe = shoes.make(rules.decks, event.behind_red)
    except ValueError:
        return refuse(table, Refusal.TOO_FEW_CARDS)
    told: list[ev.AnyResult] = []
    before = punto.shoe
    if before is not None and not before.over and not shoes.untouched(before, rules.decks):
        told.append(ev.ShoeOver())
        punto = shoe_ends(rules, table, punto, told)
    return with_punto(table, replace(punto, shoe=shoe)), tuple(told) or _NOTED


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
    """A player withdraws a bet that was left, and what lies beside it.

    After "no va más" only from a doubted deal (num. 10) and in a shoe's last round (num. 41), before cards are seen.
    """
    punto = here(game, table).punto
    refusal = _cannot_withdraw(table, punto)
    if refusal is not None:
        return refuse(table, refusal)
    bet = _find(punto, event.seat, event.side)
    if bet is None:
        return refuse(table, Refusal.NO_BET_LEFT)
    left = tuple(each for each in punto.left if each is not bet)
    told = ev.BetReturned(bet.seat, bet.side, bet.amount + bet.waiting)
    return with_punto(table, replace(punto, left=left)), (told,)


def _cannot_withdraw(table: Table, punto: Punto) -> Refusal | None:
    if table.phase is Phase.OPEN:
        return None
    if not (punto.doubted or _last_round(punto)):
        return Refusal.WRONG_PHASE
    return decided(punto)


def _find(punto: Punto, seat: int, side: PuntoResult) -> frozen.LeftBet | None:
    return next((bet for bet in punto.left if (bet.seat, bet.side) == (seat, side)), None)
