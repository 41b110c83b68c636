"""The round itself: open and close the table, COIN IN, GAME OVER, the count, a void round."""

from typing import Final, assert_never

from msgspec.structs import replace

from controller.core import events as ev
from controller.core import pot as pots
from controller.core.events import Refusal
from controller.core.faults import FaultCode
from controller.core.game import Game
from controller.core.punto.state import Punto
from controller.core.state import Award, Closure, Phase, Table, Wager
from controller.core.table import punto, punto_end
from controller.core.table.gate import Outcome, bets, lock_refusal, raised, refuse, table_fault
from controller.core.table.seats import void_accepted

# COIN IN and GAME OVER ask this of every seat, and on Python 3.11 looking a member up costs more than comparing it.
_OPEN: Final = Phase.OPEN
_LOCKED: Final = Phase.LOCKED
_NONE, _PLACED, _ACCEPTED = Wager.NONE, Wager.PLACED, Wager.ACCEPTED
_NOTED = (ev.Noted(),)


def coin_in(game: Game, table: Table, event: ev.CoinInPressed) -> Outcome:
    """COIN IN: in OPEN it locks the round and takes every placed wager in, as one record."""
    if table.phase is _OPEN:
        return _lock(game, table, event.at_ns, late=False)
    match table.phase:
        case Phase.LOCKED | Phase.CLOSED:
            return refuse(table, Refusal.WRONG_PHASE)
        case Phase.AWARD_PENDING:
            return refuse(table, Refusal.AWARD_PENDING)
        case Phase.TEST:
            return table, (ev.ButtonTested(ev.Button.COIN_IN),)
        case _:
            assert_never(table.phase)


def late_lock(game: Game, table: Table, event: ev.LateLocked) -> Outcome:
    """COIN IN was forgotten: the supervisor locks what was placed, and the round is marked."""
    return _lock(game, table, event.at_ns, late=True)


def _lock(game: Game, table: Table, at_ns: int, *, late: bool) -> Outcome:
    refusal = lock_refusal(game, table)
    if refusal is None and table.punto is not None:
        refusal = punto.not_ready(game, table)
    if refusal is not None:
        return refuse(table, refusal)
    accepted: list[int] = []
    seats = list(table.seats)
    for index, seat in enumerate(table.seats):
        if seat.wager is _PLACED:
            accepted.append(index + 1)
            seats[index] = replace(
                seat,
                wager=_ACCEPTED,
                placed_ns=0,
                accepted=seat.accepted + 1,
                claimable=False,
                awarded=False,
                give_back=0,
                look=False,
            )
        elif seat.claimable or seat.awarded or seat.give_back or seat.look:
            seats[index] = replace(seat, claimable=False, awarded=False, give_back=0, look=False)
    pot, told = pots.take(game, table.pot, len(accepted))
    after = replace(
        table,
        phase=_LOCKED,
        seats=tuple(seats),
        pot=pot,
        awards=_unpaid(table.awards),
        shown=(),
        bank_unopened=False,
        release_until_ns=at_ns + game.release_ms * 1_000_000,
        recovered=False,
        late_lock=late,
        counted=None,
        refusal=None,
    )
    locked = ev.RoundLocked(table.round, tuple(accepted), len(accepted) * game.wager, late)
    return punto.locked(after), (locked, *told)


def _unpaid(awards: tuple[Award, ...]) -> tuple[Award, ...]:
    return tuple(award for award in awards if not award.paid) if awards else awards


def game_over(game: Game, table: Table) -> Outcome:
    """GAME OVER: in LOCKED the round ends, lamps go off and the next is open."""
    if table.phase is _LOCKED:
        return _end(table) if table.punto is None else _end_with_result(game, table, table.punto)
    match table.phase:
        case Phase.TEST:
            return table, (ev.ButtonTested(ev.Button.GAME_OVER),)
        case Phase.AWARD_PENDING:
            return refuse(table, Refusal.AWARD_PENDING)
        case Phase.CLOSED | Phase.OPEN:
            return refuse(table, Refusal.WRONG_PHASE)
        case _:
            assert_never(table.phase)


def _end(table: Table) -> Outcome:
    seats = list(table.seats)
    for index, seat in enumerate(table.seats):
        if seat.wager is not _NONE or seat.give_back or seat.look:
            claimable = seat.wager is _ACCEPTED
            seats[index] = replace(seat, wager=_NONE, claimable=claimable, give_back=0, look=False)
    after = replace(
        table,
        phase=_OPEN,
        round=table.round + 1,
        seats=tuple(seats),
        recovered=False,
        late_lock=False,
        counted=None,
        refusal=None,
    )
    ended = ev.RoundEnded(table.round)
    if table.counted is not None:
        return after, (ev.DiscrepancyLeftOpen(table.round, table.counted), ended)
    return after, (ended,)


def _end_with_result(game: Game, table: Table, state: Punto) -> Outcome:
    """A round of Punto y Banca ends with what its result does to bank, bets and shoe."""
    refusal = punto.unfinished(state)
    if refusal is not None:
        return refuse(table, refusal)
    booked, told = punto_end.booked(game, table)
    after, ended = _end(booked)
    return after, (*ended, *told)


def game_over_held(table: Table) -> Outcome:
    """A held GAME OVER ends no round, and says so."""
    if table.phase is Phase.TEST:
        return table, (ev.ButtonTested(ev.Button.GAME_OVER),)
    return refuse(table, Refusal.HELD_TOO_LONG)


def release_ended(table: Table) -> Outcome:
    """The chip release pulse is over and recorded: it is not made again."""
    return replace(table, release_until_ns=None), _NOTED


def lamp_test(table: Table) -> Outcome:
    """All lamps on until the table is opened, so that the dealer can see a dead one."""
    return replace(table, lamp_test=True, refusal=None), (ev.Noted(),)


def opened(table: Table, event: ev.TableOpened) -> Outcome:
    """Open the table after its lamp test; a seat whose lamp is dead is closed."""
    if not table.lamp_test:
        return refuse(table, Refusal.LAMP_TEST_FIRST)
    if table_fault(table):
        return refuse(table, Refusal.TABLE_FAULT)
    if any(not 1 <= number <= len(table.seats) for number in event.dead_lamps):
        return refuse(table, Refusal.NO_SUCH_SEAT)
    after = replace(table, phase=Phase.OPEN, lamp_test=False, doing=None, refusal=None)
    told: tuple[ev.AnyResult, ...] = ()
    for number in event.dead_lamps:
        faults, fault_told = raised(after, FaultCode.LAMP_DEAD, number)
        after, told = replace(after, faults=faults), (*told, *fault_told)
    seats = tuple(
        replace(seat, closed=Closure.FAULT) if number in event.dead_lamps else seat
        for number, seat in enumerate(after.seats, start=1)
    )
    return replace(after, seats=seats), (ev.PhaseChanged(Phase.OPEN), *told)


def closed(table: Table) -> Outcome:
    """Close the table; a placed chip must be played or voided first."""
    if any(seat.wager is Wager.PLACED for seat in table.seats):
        return refuse(table, Refusal.CHIP_PLACED)
    after = punto.table_closed(replace(table, phase=Phase.CLOSED, recovered=False, refusal=None))
    return after, (ev.PhaseChanged(Phase.CLOSED),)


def counted(table: Table, event: ev.CountConfirmed | ev.DiscrepancyFound | ev.DiscrepancyAccepted) -> Outcome:
    """The chips in the bucket against the screen: right, different, or accepted as it is."""
    match event:
        case ev.CountConfirmed():
            chips = None
        case ev.DiscrepancyFound():
            chips = None if event.chips == bets(table) else event.chips
        case ev.DiscrepancyAccepted():
            if table.counted is None:
                return refuse(table, Refusal.NO_DISCREPANCY)
            chips = None
        case _:
            assert_never(event)
    return replace(table, counted=chips, refusal=None), (ev.Noted(),)


def voided(game: Game, table: Table) -> Outcome:
    """Void the round: every accepted wager is refunded by the house; nothing an award was paid on."""
    if any(seat.awarded for seat in table.seats):
        return refuse(table, Refusal.AWARD_APPROVED)
    numbers = [number for number, seat in enumerate(table.seats, start=1) if seat.wager is Wager.ACCEPTED]
    seats = tuple(void_accepted(seat) if seat.wager is Wager.ACCEPTED else seat for seat in table.seats)
    pot = pots.refund(table.pot, len(numbers) * game.wager)
    told = tuple(ev.WagerVoided(number, game.wager) for number in numbers)
    return replace(table, seats=seats, pot=pot, counted=None, refusal=None), told or (ev.Noted(),)
