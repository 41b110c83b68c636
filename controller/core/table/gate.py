"""Who may do what, when: the phases and keys each operator's act needs, as data, and the common small tools."""

from msgspec.structs import replace

from controller.core import events as ev
from controller.core.events import Refusal
from controller.core.faults import Fault, FaultCode, Severity
from controller.core.game import Game
from controller.core.state import Phase, Seat, Table, Wager
from controller.core.table.presence import lacking

Outcome = tuple[Table, tuple[ev.AnyResult, ...]]

_CLOSED = frozenset({Phase.CLOSED})
_OPEN = frozenset({Phase.OPEN})
_LOCKED = frozenset({Phase.LOCKED})
_PENDING = frozenset({Phase.AWARD_PENDING})
_BUT_TEST = frozenset(Phase) - {Phase.TEST}

ACCEPTED_IN: dict[type[ev.Event], frozenset[Phase]] = {
    ev.LampTestStarted: _CLOSED,
    ev.TableOpened: _CLOSED,
    ev.PotCorrected: _CLOSED,
    ev.ParametersChanged: _CLOSED,
    ev.DeviceKeyChanged: frozenset(Phase),
    ev.PotTransferred: _CLOSED,
    ev.TransferSent: _CLOSED,
    ev.TransferReceived: _CLOSED,
    ev.SelfTested: _CLOSED,
    ev.ClaimGivenUp: _CLOSED,
    ev.UpdateAsked: _CLOSED,
    ev.BackupAsked: _CLOSED,
    ev.TableClosed: _OPEN,
    ev.DealerChanged: _OPEN,
    ev.SeatClosed: _OPEN,
    ev.SeatOpened: _OPEN,
    ev.LateLocked: _OPEN,
    ev.SeatVoided: _OPEN | _LOCKED,
    ev.RoundVoided: _LOCKED,
    ev.CountConfirmed: _LOCKED,
    ev.DiscrepancyFound: _LOCKED,
    ev.DiscrepancyAccepted: _LOCKED,
    ev.HandFolded: _LOCKED,
    ev.CardBought: _LOCKED,
    ev.BankNotOpened: _LOCKED,
    ev.AwardClaimed: _OPEN | _LOCKED | _PENDING,
    ev.CardsShown: _PENDING,
    ev.AwardWithdrawn: _PENDING,
    ev.AwardRejected: _PENDING,
    ev.AwardsApproved: _PENDING,
    ev.AwardPaid: _BUT_TEST,
    ev.DisputeRaised: _OPEN | _LOCKED | _PENDING,
    ev.FaultClearAsked: _BUT_TEST,
    ev.UserChanged: frozenset(Phase),
    ev.PlayersSeated: _OPEN,
    ev.ShoeMade: _CLOSED | _OPEN,
    ev.RedCardShown: _OPEN | _LOCKED,
    ev.CardBurned: _OPEN | _LOCKED,
    ev.CardsCounted: _OPEN | _LOCKED,
    ev.HandsShown: _LOCKED,
    ev.ResultEntered: _LOCKED,
    ev.DealDoubted: _LOCKED,
    ev.BankTaken: _OPEN | _LOCKED,
    ev.BankRaised: _OPEN,
    ev.BankWithdrawn: _OPEN,
    ev.BankPassed: _OPEN | _LOCKED,
    ev.BankGivenUp: _OPEN | _LOCKED,
    ev.BetNotWithdrawn: _OPEN,
    ev.BetTakenBack: _OPEN | _LOCKED,
}
"""In which phases an operator's act is taken up at all (rules, section 2, last column)."""

KEYS_NEEDED: dict[type[ev.Event], Refusal] = {
    ev.LampTestStarted: Refusal.SUPERVISOR_KEY,
    ev.TableOpened: Refusal.SUPERVISOR_KEY,
    ev.TableClosed: Refusal.SUPERVISOR_KEY,
    ev.SeatOpened: Refusal.SUPERVISOR_KEY,
    ev.LateLocked: Refusal.SUPERVISOR_KEY,
    ev.RoundVoided: Refusal.SUPERVISOR_KEY,
    ev.DiscrepancyAccepted: Refusal.SUPERVISOR_KEY,
    ev.AwardRejected: Refusal.SUPERVISOR_KEY,
    ev.ShoeMade: Refusal.SUPERVISOR_KEY,
    ev.PotCorrected: Refusal.BOTH_KEYS,
    ev.ParametersChanged: Refusal.BOTH_KEYS,
    ev.DeviceKeyChanged: Refusal.BOTH_KEYS,
    ev.PotTransferred: Refusal.BOTH_KEYS,
    ev.TransferSent: Refusal.BOTH_KEYS,
    ev.TransferReceived: Refusal.BOTH_KEYS,
    ev.ClaimGivenUp: Refusal.BOTH_KEYS,
    ev.UpdateAsked: Refusal.TECHNICIAN_KEY,
    ev.BackupAsked: Refusal.BOTH_KEYS,
}
"""Acts that always need a key, and the refusal without it. Void, claim and approve depend on the moment."""


PUNTO_ONLY: frozenset[type[ev.Event]] = frozenset(
    {
        ev.PlayersSeated,
        ev.ShoeMade,
        ev.RedCardShown,
        ev.CardBurned,
        ev.CardsCounted,
        ev.HandsShown,
        ev.ResultEntered,
        ev.DealDoubted,
        ev.BankTaken,
        ev.BankRaised,
        ev.BankWithdrawn,
        ev.BankPassed,
        ev.BankGivenUp,
        ev.BetNotWithdrawn,
        ev.BetTakenBack,
    }
)
"""Acts of Punto y Banca, which a poker table refuses."""

POKER_ONLY: frozenset[type[ev.Event]] = frozenset(
    {
        ev.SeatVoided,
        ev.CountConfirmed,
        ev.DiscrepancyFound,
        ev.DiscrepancyAccepted,
        ev.HandFolded,
        ev.CardBought,
        ev.BankNotOpened,
        ev.AwardClaimed,
        ev.CardsShown,
        ev.AwardWithdrawn,
        ev.AwardRejected,
        ev.AwardsApproved,
        ev.AwardPaid,
        ev.PotCorrected,
        ev.PotTransferred,
        ev.TransferSent,
        ev.TransferReceived,
        ev.ClaimGivenUp,
    }
)
"""Acts about wagers, awards and pots, which a table of Punto y Banca refuses: it has none."""

_PUNTO_REASONS = frozenset(
    {
        ev.Reason.CARDS_SEEN,
        ev.Reason.NOT_FACE_UP,
        ev.Reason.DISCARDED_EARLY,
        ev.Reason.TOO_FEW_CARDS,
    }
)
_ANY_GAME = frozenset({ev.Reason.MACHINE_FAULT, ev.Reason.OTHER})


def _of_another_game(table: Table, event: ev.Event) -> bool:
    punto = table.punto is not None
    if type(event) in (POKER_ONLY if punto else PUNTO_ONLY):
        return True
    if isinstance(event, ev.RoundVoided | ev.SeatVoided) and event.reason not in _ANY_GAME:
        return (event.reason in _PUNTO_REASONS) is not punto
    return False


def gate(game: Game, table: Table, event: ev.Event) -> Refusal | None:
    """Why an operator's act is not taken up, or None: the game first, then the phase, the seat, the keys, the PINs.

    The list of persons is changed on a stopped table, where no policy can ask for a person before there is one.
    """
    if _of_another_game(table, event):
        return Refusal.NOT_THIS_GAME
    if table.phase not in ACCEPTED_IN[type(event)]:
        return Refusal.AWARD_PENDING if table.phase is Phase.AWARD_PENDING else Refusal.WRONG_PHASE
    seat: int | None = getattr(event, "seat", None)
    if seat is not None and not 1 <= seat <= len(table.seats):
        return Refusal.NO_SUCH_SEAT
    if isinstance(event, ev.UserChanged):
        return None if table.supervisor and table.technician else Refusal.BOTH_KEYS
    return lacking(game, table, KEYS_NEEDED.get(type(event)))


def refuse(table: Table, reason: Refusal, detail: str = "") -> Outcome:
    """Change nothing but the reason on the screen, and say it; the detail is kept in the journal."""
    return replace(table, refusal=reason), (ev.Refused(reason, detail),)


def table_fault(table: Table) -> bool:
    """Whether a fault of table severity stands."""
    return any(fault.severity is Severity.TABLE for fault in table.faults)


def lost_while_required(game: Game, table: Table) -> Refusal | None:
    """The sign or host that is lost while the policy requires it, or a linked pot that nobody knows."""
    codes = {fault.code for fault in table.faults}
    if FaultCode.LINK_UNKNOWN in codes:
        return Refusal.LINK_UNKNOWN
    if game.policies.require_sign and FaultCode.SIGN_LOST in codes:
        return Refusal.SIGN_LOST
    if game.policies.require_host and FaultCode.HOST_LOST in codes:
        return Refusal.HOST_LOST
    return None


def lock_refusal(game: Game, table: Table) -> Refusal | None:
    """Why slots are locked and COIN IN is refused although the phase is OPEN, or None.

    A lost sign or host locks them only while no chip is placed: a round that has begun is finished.
    """
    if not table.faults:
        return None
    if table_fault(table):
        return Refusal.TABLE_FAULT
    if any(seat.wager is Wager.PLACED for seat in table.seats):
        return None
    return lost_while_required(game, table)


def slots_open(game: Game, table: Table) -> bool:
    """Whether the slots take chips now; in TEST they do, for the test. A game without a wager never opens them."""
    if not game.wager:
        return False
    if table.phase is Phase.TEST:
        return True
    return table.phase is Phase.OPEN and lock_refusal(game, table) is None


def bets(table: Table) -> int:
    """Wagers of the round: accepted ones once it is locked, placed ones before."""
    locked = table.phase is Phase.LOCKED or table.resume is Phase.LOCKED
    wanted = Wager.ACCEPTED if locked else Wager.PLACED
    return sum(seat.wager is wanted for seat in table.seats)


def with_seat(table: Table, number: int, seat: Seat) -> tuple[Seat, ...]:
    """The seats with seat `number` (from 1) replaced."""
    seats = list(table.seats)
    seats[number - 1] = seat
    return tuple(seats)


def raised(
    table: Table, code: FaultCode, seat: int = 0
) -> tuple[tuple[Fault, ...], tuple[ev.AnyResult, ...]]:
    """The faults with this one among them, and what to tell: nothing new if it stands already."""
    fault = Fault(code, seat)
    if fault in table.faults:
        return table.faults, (ev.Noted(),)
    return (*table.faults, fault), (ev.FaultRaised(code, seat),)


def with_fault(table: Table, code: FaultCode) -> Outcome:
    """The table with this fault, which is told once."""
    faults, told = raised(table, code)
    return replace(table, faults=faults), told


def without_fault(table: Table, code: FaultCode) -> Outcome:
    """The table without this fault; noted if it did not stand."""
    faults, told = cleared(table.faults, frozenset({code}))
    return replace(table, faults=faults), told or (ev.Noted(),)


def with_links(game: Game, table: Table) -> Outcome:
    """The table with the fault of a linked pot that the floor has not confirmed, as long as there is one."""
    levels = zip(game.levels, table.pot.levels, strict=True)
    if any(rules.link is not None and level.told is None for rules, level in levels):
        faults, told = raised(table, FaultCode.LINK_UNKNOWN)
    else:
        faults, told = cleared(table.faults, frozenset({FaultCode.LINK_UNKNOWN}))
    return replace(table, faults=faults), told


def cleared(
    faults: tuple[Fault, ...], codes: frozenset[FaultCode], seat: int | None = None
) -> tuple[tuple[Fault, ...], tuple[ev.FaultCleared, ...]]:
    """The faults without those of `codes` (of one seat, or all), and what to tell."""
    gone = [fault for fault in faults if fault.code in codes and seat in (None, fault.seat)]
    left = tuple(fault for fault in faults if fault not in gone)
    return left, tuple(ev.FaultCleared(fault.code, fault.seat) for fault in gone)
