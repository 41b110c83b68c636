"""What the table shows: lamps, slots, release, bell, screen, sign as a pure function of its state.

Recovery is therefore "load the last record, apply the outputs". Texts are named here and worded in
`controller.words`; no text is made twice.
"""

from enum import StrEnum

import msgspec

from controller.core.awards import readings
from controller.core.events import Refusal
from controller.core.faults import Fault, FaultCode
from controller.core.game import Game
from controller.core.punto.score import PuntoResult
from controller.core.punto.shoe import Enough, enough
from controller.core.punto.state import Punto
from controller.core.state import Closure, Phase, Seat, Table, Wager
from controller.core.table import bets, slots_open
from controller.core.table.gate import lock_refusal, table_fault
from controller.core.table.punto import verdict, won_by

# A lamp waits for this; on Python 3.11 looking an enum's member up costs more than comparing it.
_ACCEPTED, _PLACED = Wager.ACCEPTED, Wager.PLACED
_FAULTY, _NOT_CLOSED = Closure.FAULT, Closure.NONE


class Lamp(StrEnum):
    """What a seat's lamp says. Priority, highest first: winner, accepted, problem, placed, attract, off."""

    WINNER = "winner"
    ACCEPTED = "accepted"
    PROBLEM = "problem"
    PLACED = "placed"
    ATTRACT = "attract"
    OFF = "off"
    TEST = "test"


class Text(StrEnum):
    """Every line of the croupier's screen and the sign, by its English wording; `{…}` are values."""

    CLOSED = "TABLE CLOSED"
    LAMP_TEST = "LAMP TEST - LOOK AT EVERY LAMP"
    OPEN = "BETS OPEN - {bets} CHIPS"
    LOCKED = "NO MORE BETS - {bets} WAGERS - CHECK {bets} CHIPS"
    ROUND_OPEN = "ROUND {round} - BETS OPEN"
    ROUND_LOCKED = "ROUND {round} - NO MORE BETS"
    PLACE_BETS = "PLACE YOUR BETS"
    NO_MORE_BETS = "NO MORE BETS"
    RECOVERED = "RESTARTED - CHECK LAMPS AND CHIPS"
    LATE_LOCKED = "LOCKED LATE BY THE SUPERVISOR"
    AWARD_PENDING = "AWARD PENDING - SUPERVISOR"
    CLAIM = "SEAT {seat}: {hand}"
    BY_HAND = "BY HAND - SEAT {seat}: {amount}"
    BY_ROUND = "BY ROUND - SEAT {seat}: {amount}"
    UNPAID = "PAY SEAT {seat}: {amount}"
    TEST = "TEST - NO WAGERS"
    GIVE_BACK = "GIVE CHIP BACK - SEAT {seats}"
    LOOK = "LOOK IN SLOT - SEAT {seats}"
    COUNTED = "COUNTED {chips} CHIPS - CALL THE SUPERVISOR"
    REFUSED = "NOT DONE: {reason}"
    FAULT = "FAULT: {fault}"
    SEAT_FAULT = "FAULT SEAT {seat}: {fault}"
    OUT_OF_SERVICE = "OUT OF SERVICE"
    STORING_FAILED = "JOURNAL FAILURE - STOP PLAY - CALL THE TECHNICIAN"
    AMOUNT = "{amount}"
    RESULT_WANTED = "CARDS OUT - ENTER THE RESULT"
    RESULT = "RESULT: {result} - GAME OVER BOOKS IT"
    ENCART = "ENCART - DEAL AGAIN, THE BETS STAND"
    ROUND_VOID = "ROUND VOID - GIVE BETS BACK - GAME OVER"
    DOUBTED = "CARDS PLAY AS DEALT - BETS MAY BE WITHDRAWN"
    POINTS = "PUNTO {punto} - BANCA {banca}"
    MISTAKE = "MISTAKE: {mistake}"
    LAST_ROUND = "LAST ROUND OF THIS SHOE - WITHDRAW ONLY"
    SHOE_OVER = "SHOE OVER - MAKE A NEW ONE"
    COUNT_CARDS = "COUNT THE SHOE - {least} TO {most} CARDS"
    BANK = "BANK SEAT {seat}: {amount}"
    HOUSE_BANK = "THE HOUSE HOLDS THE BANK UNTIL PUNTO"
    FREE_BANK = "BANK FREE - TO DEAL: SEAT {seat}"
    COMMISSION = "COMMISSION SEAT {seat}: {amount}"
    LEFT_BET = "NOT WITHDRAWN SEAT {seat}: {amount} - WIN {wins} OF 3"


class Line(msgspec.Struct, frozen=True):
    """One text with its values. Amounts are minor units under the name `amount`."""

    text: Text
    values: dict[str, int | str | tuple[int, ...] | Refusal | FaultCode] = {}


class Signals(msgspec.Struct, frozen=True):
    """What lamps, locks and bell do at one moment: what people at the table wait for."""

    lamps: tuple[Lamp, ...]
    slots_open: bool
    release: bool
    bell: bool


class Texts(msgspec.Struct, frozen=True):
    """What the screen and the sign say."""

    screen: tuple[Line, ...]
    sign: Line


class Outputs(msgspec.Struct, frozen=True):
    """Everything the table shows at one moment."""

    signals: Signals
    texts: Texts


def outputs(game: Game, table: Table, now_ns: int) -> Outputs:
    """What this state shows at `now_ns` (monotonic)."""
    return Outputs(signals(game, table, now_ns), texts(game, table))


def signals(game: Game, table: Table, now_ns: int, *, failing: bool = False) -> Signals:
    """What lamps, locks and bell do at `now_ns`.

    `failing`: nothing can be stored, so evidence stays lit, slots lock and no lamp invites to bet.
    """
    lamps = _lamps(game, table)
    if failing:
        lamps = tuple([Lamp.OFF if lamp is Lamp.ATTRACT else lamp for lamp in lamps])
    return Signals(
        lamps=lamps,
        slots_open=not failing and slots_open(game, table),
        release=_releases(game, table.release_until_ns, now_ns),
        bell=table.phase is Phase.AWARD_PENDING,
    )


def texts(game: Game, table: Table, *, failing: bool = False) -> Texts:
    """What screen and sign say. `failing`: nothing can be stored, and both say so."""
    if failing:
        return Texts((Line(Text.STORING_FAILED), *_screen(game, table)), Line(Text.OUT_OF_SERVICE))
    return Texts(_screen(game, table), _sign(game, table))


def _releases(game: Game, until_ns: int | None, now_ns: int) -> bool:
    """Whether the release pulse is on. An end further away than its length is a stamp of a boot that ended."""
    return until_ns is not None and 0 < until_ns - now_ns <= game.release_ms * 1_000_000


def _lamps(game: Game, table: Table) -> tuple[Lamp, ...]:
    if table.phase is Phase.TEST or table.lamp_test:
        return (Lamp.TEST,) * len(table.seats)
    winners = {claim.seat for claim in table.claims}
    dark = table.phase is Phase.CLOSED or not game.wager
    free = Lamp.ATTRACT if slots_open(game, table) else Lamp.OFF
    return tuple(
        [
            Lamp.WINNER if number in winners else _lamp(seat, free, dark=dark)
            for number, seat in enumerate(table.seats, start=1)
        ]
    )


def _lamp(seat: Seat, free: Lamp, *, dark: bool) -> Lamp:
    """A seat's lamp. `free`: what an open seat without a chip shows; `dark`: nothing but a wager is shown."""
    wager = seat.wager
    if wager is _ACCEPTED:
        return Lamp.ACCEPTED
    if dark:
        return Lamp.OFF
    if seat.closed is _FAULTY:
        return Lamp.PROBLEM
    if wager is _PLACED:
        return Lamp.PLACED
    return free if seat.closed is _NOT_CLOSED else Lamp.OFF


def _screen(game: Game, table: Table) -> tuple[Line, ...]:
    lines = [_headline(game, table)]
    if table.punto is not None:
        lines += _punto(game, table, table.punto)
    lines += [Line(Text.CLAIM, {"seat": claim.seat, "hand": claim.hand}) for claim in table.claims]
    lines += _readings(game, table)
    if table.recovered:
        lines.append(Line(Text.RECOVERED))
    if table.late_lock:
        lines.append(Line(Text.LATE_LOCKED))
    if table.counted is not None:
        lines.append(Line(Text.COUNTED, {"chips": table.counted}))
    lines += _slots_to_see(table)
    blocked = lock_refusal(game, table) if table.phase is Phase.OPEN else None
    refusal = table.refusal or blocked
    if refusal is not None:
        lines.append(Line(Text.REFUSED, {"reason": refusal}))
    lines += [_fault(fault) for fault in table.faults]
    lines += [
        Line(Text.UNPAID, {"seat": award.seat, "amount": award.amount})
        for award in table.awards
        if not award.paid
    ]
    return tuple(lines)


def _readings(game: Game, table: Table) -> list[Line]:
    """Both results where "the royal excludes the other prizes of the mano" can be read in two ways."""
    found = readings(game, table.pot, table.claims)
    if found is None:
        return []
    return [
        Line(text, {"seat": award.seat, "amount": award.amount})
        for text, served in zip((Text.BY_HAND, Text.BY_ROUND), found, strict=True)
        for award in served.awards
    ]


def _headline(game: Game, table: Table) -> Line:
    match table.phase:
        case Phase.CLOSED:
            return Line(Text.LAMP_TEST if table.lamp_test else Text.CLOSED)
        case Phase.OPEN if not game.wager:
            return Line(Text.ROUND_OPEN, {"round": table.round})
        case Phase.OPEN:
            return Line(Text.OPEN, {"bets": bets(table)})
        case Phase.LOCKED if not game.wager:
            return Line(Text.ROUND_LOCKED, {"round": table.round})
        case Phase.LOCKED:
            return Line(Text.LOCKED, {"bets": bets(table)})
        case Phase.AWARD_PENDING:
            return Line(Text.AWARD_PENDING)
        case Phase.TEST:
            return Line(Text.TEST)


def _punto(game: Game, table: Table, state: Punto) -> list[Line]:
    """What a table of Punto y Banca shows more: the round, the shoe, the bank, the bets that are left."""
    lines = _punto_round(game, table, state) if table.phase is Phase.LOCKED else []
    lines += _shoe(state)
    lines += _bank(game, state)
    lines += [
        Line(Text.LEFT_BET, {"seat": bet.seat, "amount": bet.amount, "wins": bet.wins}) for bet in state.left
    ]
    return lines


def _punto_round(game: Game, table: Table, state: Punto) -> list[Line]:
    if state.void:
        return [Line(Text.ROUND_VOID)]
    if state.result is not None:
        lines = [Line(Text.RESULT, {"result": state.result})]
    elif state.encarts and state.hands is None:
        lines = [Line(Text.ENCART)]
    else:
        lines = [Line(Text.RESULT_WANTED)]
    if state.doubted:
        lines.append(Line(Text.DOUBTED))
    said = verdict(game, table)
    if said is not None:
        lines.append(Line(Text.POINTS, {"punto": said.punto, "banca": said.banca}))
    if said is not None and said.mistake is not None:
        lines.append(Line(Text.MISTAKE, {"mistake": said.mistake}))
    return lines


def _shoe(state: Punto) -> list[Line]:
    shoe = state.shoe
    if shoe is None:
        return []
    if shoe.over:
        return [Line(Text.SHOE_OVER)]
    lines = [Line(Text.LAST_ROUND)] if shoe.last else []
    if enough(shoe) is not Enough.YES:
        lines.append(Line(Text.COUNT_CARDS, {"least": shoe.least, "most": shoe.most}))
    return lines


def _bank(game: Game, state: Punto) -> list[Line]:
    bank = state.bank
    if state.house_bank:
        return [Line(Text.HOUSE_BANK)]
    if bank is None:
        return [Line(Text.FREE_BANK, {"seat": state.turn})] if state.turn else []
    lines = [Line(Text.BANK, {"seat": bank.seat, "amount": bank.stake})]
    if state.result is PuntoResult.BANCA:
        due = won_by(game, bank, bank.stake if state.amount is None else state.amount).commission
        lines.append(Line(Text.COMMISSION, {"seat": bank.seat, "amount": due}))
    return lines


def _slots_to_see(table: Table) -> list[Line]:
    owed = tuple(number for number, seat in enumerate(table.seats, start=1) if seat.give_back)
    look = tuple(number for number, seat in enumerate(table.seats, start=1) if seat.look)
    lines = [Line(Text.GIVE_BACK, {"seats": owed})] if owed else []
    return [*lines, Line(Text.LOOK, {"seats": look})] if look else lines


def _fault(fault: Fault) -> Line:
    if fault.seat:
        return Line(Text.SEAT_FAULT, {"seat": fault.seat, "fault": fault.code})
    return Line(Text.FAULT, {"fault": fault.code})


def _sign(game: Game, table: Table) -> Line:
    if table.phase is Phase.TEST:
        return Line(Text.TEST)
    if table_fault(table) or lock_refusal(game, table) is not None:
        return Line(Text.OUT_OF_SERVICE)
    if table.pot.levels:
        return Line(Text.AMOUNT, {"amount": table.pot.levels[0].current})
    return Line(_SIGN_WITHOUT_POT[table.resume or table.phase])


_SIGN_WITHOUT_POT = {
    Phase.CLOSED: Text.CLOSED,
    Phase.OPEN: Text.PLACE_BETS,
    Phase.LOCKED: Text.NO_MORE_BETS,
}
"""What the sign of a game without a pot says: it may promise nothing, so it tells how the round stands."""


ATTRACT_STEP_NS = 300_000_000
BLINK_NS = 250_000_000
FLASH_NS = 100_000_000
PROBLEM_NS = 2_000_000_000


def lit(lamp: Lamp, seat: int, seats: int, now_ns: int) -> bool:
    """Whether seat `seat`'s lamp is on at `now_ns`: the animator, a pure function of pattern and time.

    Steady is accepted only; placed blinks evenly, winner flashes fast, problem winks once in two seconds,
    attract chases around the table.
    """
    match lamp:
        case Lamp.ATTRACT:
            return now_ns // ATTRACT_STEP_NS % seats == seat - 1
        case Lamp.ACCEPTED | Lamp.TEST:
            return True
        case Lamp.OFF:
            return False
        case Lamp.PLACED:
            return now_ns // BLINK_NS % 2 == 0
        case Lamp.WINNER:
            return now_ns // FLASH_NS % 2 == 0
        case Lamp.PROBLEM:
            return now_ns % PROBLEM_NS < FLASH_NS
