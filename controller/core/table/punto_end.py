"""The end of a round of Punto y Banca, and of a shoe: bank, left bets, turn to deal (seed 001 nums. 6, 10, 13, 19, 44).

Only here money moves by a result.
"""

from msgspec.structs import replace

from controller.core import events as ev
from controller.core.game import Game
from controller.core.punto import frozen, ledger
from controller.core.punto import shoe as shoes
from controller.core.punto.ledger import Bank
from controller.core.punto.rules import FrozenInto, HouseSuite, PuntoRules
from controller.core.punto.score import PuntoResult
from controller.core.punto.state import Punto
from controller.core.state import Closure, Table
from controller.core.table.gate import Outcome
from controller.core.table.punto import after_deal, here


def booked(game: Game, table: Table) -> Outcome:
    """Book the round that ends: the bank, the bets that were left, the turn to deal, the shoe."""
    rules, punto = here(game, table)
    told: list[ev.AnyResult] = []
    if punto.result is not None:
        punto = _book_result(game, rules, punto, punto.result, told)
        if punto.result is PuntoResult.PUNTO:
            punto = _turn_passes(table, punto, told)
    punto = _book_shoe(rules, table, punto, told)
    punto = replace(
        punto,
        hands=None,
        result=None,
        amount=None,
        void=False,
        doubted=False,
        encarts=0,
        last=punto.result,
    )
    return replace(table, punto=punto), tuple(told)


def _book_result(
    game: Game, rules: PuntoRules, punto: Punto, result: PuntoResult, told: list[ev.AnyResult]
) -> Punto:
    """The bank, then the left bets; the other way round where they are frozen into the very bank that falls.

    The amount is that of the bank as it played: what is frozen into it now was no part of it.
    """
    amount = _at_stake(punto)
    falls = punto.bank is not None and result is PuntoResult.PUNTO
    if falls and rules.policies.frozen_into is FrozenInto.ENDING_BANK:
        punto = _book_left(rules, punto, result, game.payable_unit, told)
        return _book_bank(game, punto, result, amount, told)
    punto = _book_bank(game, punto, result, amount, told)
    return _book_left(rules, punto, result, game.payable_unit, told)


def _at_stake(punto: Punto) -> int:
    if punto.amount is not None:
        return punto.amount
    return 0 if punto.bank is None else punto.bank.stake


def _book_bank(game: Game, punto: Punto, result: PuntoResult, amount: int, told: list[ev.AnyResult]) -> Punto:
    bank = punto.bank
    if bank is None:
        return replace(punto, house_bank=punto.house_bank and result is PuntoResult.BANCA)
    if result is PuntoResult.PUNTO:
        moved = ledger.lost(bank, amount)
        told.append(ev.BankEnded(bank.seat, amount, moved.paid_out, 0, moved.source))
        return replace(punto, bank=None)
    moved = won_by(game, bank, amount)
    after = moved.bank
    if after is None:
        raise AssertionError("a bank that wins goes on")
    told.append(
        ev.BankMoved(bank.seat, after.stake, won=amount, commission=moved.commission, source=moved.source)
    )
    return replace(punto, bank=after, commission_meter=punto.commission_meter + moved.commission)


def won_by(game: Game, bank: Bank, amount: int) -> ledger.Moved:
    """What the bank's winning `amount` does; the screen shows it before GAME OVER books it."""
    if game.punto is None:
        raise AssertionError(f"{game.profile} has no bank")
    return ledger.won(game.punto, bank, amount, game.payable_unit)


def _book_left(
    rules: PuntoRules, punto: Punto, result: PuntoResult, unit: int, told: list[ev.AnyResult]
) -> Punto:
    if not punto.left:
        return punto
    played = frozen.play(rules, punto.left, result, unit)
    told += [ev.BetLost(bet.seat, bet.side, bet.amount, bet.waiting) for bet in played.lost]
    told += [ev.BetLeft(bet.seat, bet.side, bet.amount, bet.waiting, bet.wins) for bet in played.left]
    punto = replace(punto, left=played.left, discount_meter=punto.discount_meter + played.discount)
    return _freeze(rules, punto, played.frozen, told) if played.frozen else punto


def _freeze(
    rules: PuntoRules, punto: Punto, bets: tuple[frozen.LeftBet, ...], told: list[ev.AnyResult]
) -> Punto:
    """The bets enter the bank; where none goes on, by policy; a house that banks is the bank (nums. 10 and 44).

    What lies beside a bet never played on, so it is no "apuesta" that was not withdrawn: it goes to its player.
    """
    bank = punto.bank
    waits = bank is None and not punto.house_bank and rules.policies.frozen_into is FrozenInto.NEXT_BANK
    for bet in bets:
        told.append(ev.BetFrozen(bet.seat, bet.side, bet.amount, 0 if bank is None else bank.seat, waits))
        if bet.waiting:
            told.append(ev.BetReturned(bet.seat, bet.side, bet.waiting))
    amount = sum(bet.amount for bet in bets)
    if bank is not None:
        after = ledger.frozen_in(bank, amount)
        told.append(ev.BankMoved(after.seat, after.stake, frozen=amount))
        return replace(punto, bank=after)
    if waits:
        return replace(punto, frozen_waiting=punto.frozen_waiting + amount)
    return replace(punto, frozen_meter=punto.frozen_meter + amount)


def _turn_passes(table: Table, punto: Punto, told: list[ev.AnyResult]) -> Punto:
    """The deal goes to the next seat that plays, to the right (num. 6)."""
    if not punto.turn:
        return punto
    count = len(table.seats)
    order = [(punto.turn + step) % count + 1 for step in range(count)]
    seat = next((each for each in order if table.seats[each - 1].closed is Closure.NONE), punto.turn)
    told.append(ev.TurnPassed(seat))
    return replace(punto, turn=seat, suite=False)


def _book_shoe(rules: PuntoRules, table: Table, punto: Punto, told: list[ev.AnyResult]) -> Punto:
    before = after_deal(punto)
    if before is None:
        return punto
    after = shoes.round_over(before)
    punto = replace(punto, shoe=after)
    if after.last:
        told.append(ev.LastRound())
    if not after.over:
        return punto
    told.append(ev.ShoeOver())
    return shoe_ends(rules, table, punto, told)


def shoe_ends(rules: PuntoRules, table: Table, punto: Punto, told: list[ev.AnyResult]) -> Punto:
    """Who deals from the next shoe (num. 6), after its last round or because it had to be made anew (num. 19).

    A *suite* ends, and the deal passes to the right of its first giver whatever came out; whether the house goes on
    with it is a policy. A bank dealt as *asiento libre* ends, and the seat whose turn it was deals. Neither is charged
    anything. Any other bank goes on.
    """
    if punto.suite:
        if punto.house_bank and rules.policies.house_suite is HouseSuite.UNTIL_PUNTO:
            return punto
        punto = replace(_sent_home(punto, told), house_bank=False)
        return _turn_passes(table, punto, told)
    if punto.bank is not None and punto.bank.free:
        return _sent_home(punto, told)
    return punto


def _sent_home(punto: Punto, told: list[ev.AnyResult]) -> Punto:
    punto = waits_again(punto, told)
    if punto.bank is None:
        return punto
    told.append(ev.BankEnded(punto.bank.seat, 0, punto.bank.stake, 0, "num. 6"))
    return replace(punto, bank=None)


def waits_again(punto: Punto, told: list[ev.AnyResult]) -> Punto:
    """Frozen bets in a bank that ends before a round of it was decided wait for the next one."""
    bank = punto.bank
    if bank is None or not bank.inherited:
        return punto
    after = ledger.disinherit(bank)
    told.append(ev.BankMoved(after.seat, after.stake, frozen=-bank.inherited))
    return replace(punto, bank=after, frozen_waiting=punto.frozen_waiting + bank.inherited)
