"""What happens at one seat: chips, jams, noise, closing, void, fold."""

from msgspec.structs import replace

from controller.core import events as ev
from controller.core import pot as pots
from controller.core.events import Refusal
from controller.core.faults import FaultCode
from controller.core.game import Game
from controller.core.state import Closure, Phase, Seat, Table, Wager
from controller.core.table.gate import Outcome, bets, cleared, lock_refusal, raised, refuse, with_seat
from controller.core.table.presence import lacking

# A chip is what happens most: looking an enum's member up costs Python 3.11 more than all it is compared with.
_OPEN, _TEST, _PLACED = Phase.OPEN, Phase.TEST, Wager.PLACED
_NOT_CLOSED, _FAULTY = Closure.NONE, Closure.FAULT

NOISY_A_MINUTE = 100
"""Short pulses a minute from which the maintenance warning stands; a coin's own bounce stays far below."""

_SEAT_FAULTS = frozenset(
    {FaultCode.SEAT_JAMMED, FaultCode.SEAT_CHATTER, FaultCode.SEAT_OVERFLOW, FaultCode.LAMP_DEAD}
)


def chip_dropped(game: Game, table: Table, event: ev.ChipDropped) -> Outcome:
    """Decide a chip: placed, excess, late, tested, or ignored on a line closed by a fault."""
    number = event.seat
    seats = list(table.seats)
    seat = seats[number - 1]
    if (
        table.phase is not _OPEN
        or seat.closed is not _NOT_CLOSED
        or not game.wager
        or (table.faults and lock_refusal(game, table) is not None)
    ):
        return _not_taken(table, number, seat)
    result: ev.AnyResult
    if seat.wager is _PLACED:
        seats[number - 1] = replace(
            seat, dropped=seat.dropped + 1, excess=seat.excess + 1, give_back=seat.give_back + 1
        )
        result = ev.ChipExcess(number)
    else:
        seats[number - 1] = replace(seat, wager=_PLACED, placed_ns=event.at_ns, dropped=seat.dropped + 1)
        result = ev.WagerPlaced(number)
    return replace(table, seats=tuple(seats)), (result,)


def _not_taken(table: Table, number: int, seat: Seat) -> Outcome:
    """A chip where no wager is taken: on the test counter in TEST, nothing on a faulty line, else late."""
    if table.phase is _TEST:
        tested = replace(seat, tested=seat.tested + 1)
        return replace(table, seats=with_seat(table, number, tested)), (ev.ChipTested(number),)
    if seat.closed is _FAULTY:
        return table, (ev.ChipIgnored(number),)
    return replace(table, seats=with_seat(table, number, _late(seat))), (ev.ChipLate(number),)


def _late(seat: Seat) -> Seat:
    return replace(seat, dropped=seat.dropped + 1, late=seat.late + 1, give_back=seat.give_back + 1)


def unstored(table: Table, numbers: tuple[int, ...]) -> Outcome:
    """Chips seen while nothing could be stored: no wager, whatever the phase, and where they count they are late."""
    told: tuple[ev.AnyResult, ...] = ()
    for number in numbers:
        table, became = _not_taken(table, number, table.seats[number - 1])
        told = (*told, *became)
    return table, told


def jammed(table: Table, event: ev.SeatJammed) -> Outcome:
    """Close the seat. A wager placed by this very pulse is void; any other stays what it was."""
    number = event.seat
    seat = table.seats[number - 1]
    told: tuple[ev.AnyResult, ...] = ()
    if seat.wager is Wager.PLACED and seat.placed_ns == event.fell_ns:
        seat = replace(seat, wager=Wager.NONE, placed_ns=0, voided=seat.voided + 1)
        told = (ev.WagerVoided(number, 0),)
    seat = replace(seat, closed=Closure.FAULT, line_active=True)
    faults, fault_told = raised(table, FaultCode.SEAT_JAMMED, number)
    return replace(table, seats=with_seat(table, number, seat), faults=faults), (*told, *fault_told)


def jam_cleared(table: Table, event: ev.JamCleared) -> Outcome:
    """The line is idle again: from now on the supervisor may re-open the seat."""
    seat = replace(table.seats[event.seat - 1], line_active=False)
    return replace(table, seats=with_seat(table, event.seat, seat)), (ev.Noted(),)


def chattered(table: Table, event: ev.SeatChattered) -> Outcome:
    """Close a seat whose contact chatters; what is placed stays placed."""
    return _closed_by_fault(table, event.seat, FaultCode.SEAT_CHATTER)


def overflowed(table: Table, event: ev.LineOverflowed) -> Outcome:
    """A line beyond its share: a seat closes; a button or key cannot be trusted, so the table locks."""
    if event.seat:
        return _closed_by_fault(table, event.seat, FaultCode.SEAT_OVERFLOW)
    faults, told = raised(table, FaultCode.BUTTON_OVERFLOW)
    return replace(table, faults=faults), told


def _closed_by_fault(table: Table, number: int, code: FaultCode) -> Outcome:
    seat = replace(table.seats[number - 1], closed=Closure.FAULT)
    faults, told = raised(table, code, number)
    return replace(table, seats=with_seat(table, number, seat), faults=faults), told


def edge_lost(table: Table, event: ev.EdgeLost) -> Outcome:
    """No chip counts; the dealer is told to look in that slot."""
    if not event.seat:
        return table, (ev.Noted(),)
    return replace(table, seats=_look(table, (event.seat,))), (ev.Noted(),)


def common_mode(table: Table, event: ev.CommonModeSeen) -> Outcome:
    """Noise of the whole table: none counts, a warning stands, the dealer is told to look in those slots."""
    faults, told = raised(table, FaultCode.COMMON_MODE)
    return replace(table, seats=_look(table, event.seats), faults=faults), told


def _look(table: Table, numbers: tuple[int, ...]) -> tuple[Seat, ...]:
    return tuple(
        replace(seat, look=True) if number in numbers else seat
        for number, seat in enumerate(table.seats, start=1)
    )


def noise_seen(table: Table, event: ev.NoiseSeen) -> Outcome:
    """Count noise; a noisy line is a maintenance warning, raised once."""
    if event.seat:
        seat = table.seats[event.seat - 1]
        seats = with_seat(table, event.seat, replace(seat, noise=seat.noise + event.count))
        table = replace(table, seats=seats)
    if event.count < NOISY_A_MINUTE:
        return table, (ev.Noted(),)
    faults, told = raised(table, FaultCode.LINE_NOISY, event.seat)
    return replace(table, faults=faults), told


def closed(table: Table, event: ev.SeatClosed) -> Outcome:
    """Close a seat by hand; a placed chip must be voided first."""
    seat = table.seats[event.seat - 1]
    if seat.wager is Wager.PLACED:
        return refuse(table, Refusal.CHIP_PLACED)
    if seat.closed is not Closure.NONE:
        return refuse(table, Refusal.ALREADY_CLOSED)
    seats = with_seat(table, event.seat, replace(seat, closed=Closure.HAND))
    return replace(table, seats=seats, refusal=None), (ev.Noted(),)


def opened(table: Table, event: ev.SeatOpened) -> Outcome:
    """Re-open a seat once its line is idle; its faults are cleared with it."""
    seat = table.seats[event.seat - 1]
    if seat.closed is Closure.NONE:
        return refuse(table, Refusal.NOT_CLOSED)
    if seat.line_active:
        return refuse(table, Refusal.LINE_ACTIVE)
    faults, told = cleared(table.faults, _SEAT_FAULTS, event.seat)
    seats = with_seat(table, event.seat, replace(seat, closed=Closure.NONE))
    return replace(table, seats=seats, faults=faults, refusal=None), told or (ev.Noted(),)


def voided(game: Game, table: Table, event: ev.SeatVoided) -> Outcome:
    """Void a seat: before COIN IN the chip goes back and nothing is booked; after, the house refunds it."""
    seat = table.seats[event.seat - 1]
    if table.phase is Phase.OPEN:
        if seat.wager is not Wager.PLACED:
            return refuse(table, Refusal.NO_WAGER)
        seat = replace(seat, wager=Wager.NONE, placed_ns=0, voided=seat.voided + 1)
        seats = with_seat(table, event.seat, seat)
        return replace(table, seats=seats, refusal=None), (ev.WagerVoided(event.seat, 0),)
    nobody = lacking(game, table, Refusal.SUPERVISOR_KEY)
    if nobody is not None:
        return refuse(table, nobody)
    if seat.wager is not Wager.ACCEPTED:
        return refuse(table, Refusal.NO_WAGER)
    if seat.awarded:
        return refuse(table, Refusal.AWARD_APPROVED)
    seats = with_seat(table, event.seat, void_accepted(seat))
    pot = pots.refund(table.pot, game.wager)
    after = replace(table, seats=seats, pot=pot, refusal=None)
    if table.counted == bets(after):
        after = replace(after, counted=None)
    return after, (ev.WagerVoided(event.seat, game.wager),)


def void_accepted(seat: Seat) -> Seat:
    """An accepted wager becomes void; the refund is the pot's business."""
    return replace(seat, wager=Wager.VOID, voided=seat.voided + 1)


def bought(game: Game, table: Table, number: int) -> Outcome:
    """A card was bought; a game that sells none refuses it, so that no wager is lost by a wrong entry."""
    if not game.sells_card:
        return refuse(table, Refusal.NO_CARD_SOLD)
    return forfeited(table, number, forfeits=game.policies.purchase_forfeits)


def forfeited(table: Table, number: int, *, forfeits: bool) -> Outcome:
    """Fold or buy a card: by policy the wager is lost and its lamp goes off; its contribution stays."""
    seat = table.seats[number - 1]
    if seat.wager is not Wager.ACCEPTED:
        return refuse(table, Refusal.NO_WAGER)
    if seat.awarded:
        return refuse(table, Refusal.AWARD_APPROVED)
    if not forfeits:
        return replace(table, refusal=None), (ev.Noted(),)
    seats = with_seat(table, number, replace(seat, wager=Wager.FORFEITED))
    return replace(table, seats=seats, refusal=None), (ev.WagerForfeited(number),)
