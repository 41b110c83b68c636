"""What the croupier reads and what the sign says, as a pure function of the table.

First the phase, then what must be done now (an answer, chips to give back, faults), then what is known, and last
what comes next. Texts are named in `controller.texts` and worded in `controller.words`.
"""

from typing import assert_never

from controller.core import events as ev
from controller.core.awards import readings
from controller.core.faults import Fault, FaultCode, Severity
from controller.core.game import Game, JudgedOn
from controller.core.money import percent
from controller.core.punto.score import PuntoResult
from controller.core.punto.shoe import Enough, enough
from controller.core.punto.state import Punto
from controller.core.state import Level, Phase, Table, Wager
from controller.core.table import bets, step
from controller.core.table.gate import lock_refusal, table_fault
from controller.core.table.presence import as_supervisor, person, wanted
from controller.core.table.punto import decided, unfinished, verdict
from controller.core.table.punto_end import won_by
from controller.texts import Coded, Counted, Counting, Line, Text, Value

SIGN_WINNERS_MAX = 7
"""Winners the sign names at once, the newest; every unpaid award stays on the croupier's screen."""


def screen(game: Game, table: Table) -> tuple[Line, ...]:
    """The croupier's page, most urgent first."""
    lines = [
        headline(game, table),
        *urgent(game, table),
        *_marks(table),
        *_doing(table),
        *_persons(game, table),
    ]
    if table.punto is not None:
        lines += _punto(game, table, table.punto)
    lines += awards(game, table)
    lines += [
        Line(Text.UNPAID, {"seat": award.seat, "amount": award.amount})
        for award in table.awards
        if not award.paid
    ]
    lines += [
        Line(Text.AT_FLOOR, {"seat": claim.seat}) for asked in table.link_claims for claim in asked.claims
    ]
    lines += [_fault(fault) for fault in table.faults if fault.severity is not Severity.TABLE]
    lines += _seats(table)
    return (*lines, *_next(game, table))


def urgent(game: Game, table: Table) -> list[Line]:
    """What must be done now, whatever else is shown: an answer, chips to return, a wrong count, a table fault."""
    lines = [*_answer(game, table), *_slots_to_see(table)]
    if table.counted is not None:
        lines.append(Line(Text.COUNTED, {"chips": Counted(Counting.CHIPS, table.counted)}))
    grave = [_fault(fault) for fault in table.faults if fault.severity is Severity.TABLE]
    return [*lines, *grave]


def headline(game: Game, table: Table) -> Line:
    """The phase in one line, with its count."""
    count = bets(table)
    match table.phase:
        case Phase.CLOSED:
            return Line(Text.LAMP_TEST if table.lamp_test else Text.CLOSED)
        case Phase.OPEN if not game.wager:
            return Line(Text.ROUND_OPEN, {"round": table.round})
        case Phase.OPEN:
            return Line(Text.OPEN, {"chips": Counted(Counting.CHIPS, count)})
        case Phase.LOCKED if not game.wager:
            return Line(Text.ROUND_LOCKED, {"round": table.round})
        case Phase.LOCKED:
            chips, wagers = Counted(Counting.CHIPS, count), Counted(Counting.WAGERS, count)
            return Line(Text.LOCKED, {"wagers": wagers, "chips": chips})
        case Phase.AWARD_PENDING:
            return Line(Text.AWARD_PENDING)
        case Phase.TEST:
            return Line(Text.TEST)
        case _:
            assert_never(table.phase)


def _answer(game: Game, table: Table) -> list[Line]:
    """Why the last thing asked for was refused, or why the slots are locked although bets are open."""
    blocked = lock_refusal(game, table) if table.phase is Phase.OPEN else None
    refusal = table.refusal or blocked
    return [] if refusal is None else [Line(Text.REFUSED, {"reason": refusal})]


def _slots_to_see(table: Table) -> list[Line]:
    owed = tuple(number for number, seat in enumerate(table.seats, start=1) if seat.give_back)
    look = tuple(number for number, seat in enumerate(table.seats, start=1) if seat.look)
    lines = [Line(Text.GIVE_BACK, {"seats": owed})] if owed else []
    return [*lines, Line(Text.LOOK, {"seats": look})] if look else lines


def _fault(fault: Fault) -> Line:
    if fault.seat:
        return Line(Text.SEAT_FAULT, {"seat": fault.seat, "fault": fault.code})
    return Line(Text.FAULT, {"fault": fault.code})


def _marks(table: Table) -> list[Line]:
    """What is particular about this round."""
    lines = [Line(Text.RECOVERED)] if table.recovered else []
    if table.late_lock:
        lines.append(Line(Text.LATE_LOCKED))
    return lines


def _doing(table: Table) -> list[Line]:
    """What is done with the stick, or what became of it."""
    doing = table.doing
    if doing is None:
        return []
    became = Coded("became", doing.became or "under_way")
    return [Line(Text.DOING, {"act": Coded("verb", doing.errand), "became": became})]


def _persons(game: Game, table: Table) -> list[Line]:
    """Who stands behind a turned key, or that its PIN is missing; nothing where no PIN is asked for."""
    lines: list[Line] = []
    for key, wanted_text, here in _PERSONS:
        if wanted(game, table, key):
            lines.append(Line(wanted_text))
        elif name := person(table, key):
            lines.append(Line(here, {"person": name}))
    return lines


_PERSONS = (
    (ev.Key.SUPERVISOR, Text.SUPERVISOR_WANTED, Text.SUPERVISOR_HERE),
    (ev.Key.TECHNICIAN, Text.TECHNICIAN_WANTED, Text.TECHNICIAN_HERE),
)


def _seats(table: Table) -> list[Line]:
    """The seats behind the headline's count."""
    wanted, text = (
        (Wager.PLACED, Text.PLACED) if table.phase is Phase.OPEN else (Wager.ACCEPTED, Text.ACCEPTED)
    )
    seats = tuple(number for number, seat in enumerate(table.seats, start=1) if seat.wager is wanted)
    return [Line(text, {"seats": seats})] if seats else []


def _next(game: Game, table: Table) -> list[Line]:
    """What the table waits for; a round of Punto y Banca without a result says so in its own lines."""
    if table.phase is Phase.LOCKED and table.punto is not None and unfinished(table.punto):
        return []
    return [Line(_waits_for(game, table))]


def _waits_for(game: Game, table: Table) -> Text:
    match table.phase:
        case Phase.CLOSED if table.lamp_test:
            return Text.NEXT_LAMPS
        case Phase.CLOSED if wanted(game, table, ev.Key.SUPERVISOR) or wanted(game, table, ev.Key.TECHNICIAN):
            return Text.NEXT_PIN
        case Phase.CLOSED:
            return Text.NEXT_HOLD_TO_OPEN if table.supervisor else Text.NEXT_KEY_TO_OPEN
        case Phase.OPEN:
            return Text.NEXT_COIN_IN
        case Phase.LOCKED:
            return Text.NEXT_GAME_OVER
        case Phase.AWARD_PENDING:
            return _to_approve(game, table)
        case Phase.TEST:
            return Text.NEXT_KEY_BACK
        case _:
            assert_never(table.phase)


def _to_approve(game: Game, table: Table) -> Text:
    match step(game, table, ev.AwardsApproved(0))[1][0]:
        case ev.Refused(reason=ev.Refusal.SUPERVISOR_KEY):
            return Text.NEXT_KEY_TO_APPROVE
        case ev.Refused(reason=ev.Refusal.SUPERVISOR_PIN):
            return Text.NEXT_PIN
        case _:
            return Text.NEXT_HOLD_TO_APPROVE


def awards(game: Game, table: Table) -> list[Line]:
    """The claims, and step by step what approving them now would pay."""
    if table.phase is not Phase.AWARD_PENDING:
        return []
    lines = [Line(Text.CLAIM, {"seat": claim.seat, "hand": claim.hand}) for claim in table.claims]
    if game.policies.judged_on is JudgedOn.FINAL:
        lines.append(Line(Text.JUDGED_ON_FINAL))
    _, told = step(game, as_supervisor(table), ev.AwardsApproved(0))
    for result in told:
        lines += _served(result)
    return [*lines, *_readings(game, table)]


def _served(result: ev.AnyResult) -> list[Line]:
    match result:
        case ev.ClaimExcluded(seat=seat):
            return [Line(Text.EXCLUDED, {"seat": seat})]
        case ev.AwardApproved(level=level, pot_after=after):
            return [_arithmetic(result), *([Line(Text.POT_AFTER, {"amount": after})] if level else [])]
        case ev.LinkClaimed(seats=seats, hands=hands):
            pairs = zip(seats, hands, strict=True)
            return [Line(Text.BY_LINK, {"seat": seat, "hand": hand}) for seat, hand in pairs]
        case ev.PotReset(current=current):
            return [Line(Text.POT_AGAIN, {"amount": current})]
        case _:
            return []


def _arithmetic(award: ev.AwardApproved) -> Line:
    values: dict[str, Value] = {"seat": award.seat, "amount": award.amount}
    if not award.share_ppm:
        return Line(Text.BY_TABLE, values)
    values |= {"share": percent(award.share_ppm), "before": award.pot_before}
    if award.capped:
        return Line(Text.BY_CAP, values)
    if award.parts > 1:
        return Line(Text.BY_PART, values | {"parts": award.parts})
    return Line(Text.BY_SHARE, values)


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


def _punto(game: Game, table: Table, state: Punto) -> list[Line]:
    """What a table of Punto y Banca shows more: the round, the shoe, the bank, the bets that are left."""
    lines = _punto_round(game, table, state) if table.phase is Phase.LOCKED else []
    lines += _shoe(state)
    lines += _bank(game, state)
    if state.frozen_waiting:
        lines.append(Line(Text.FROZEN_WAITING, {"amount": state.frozen_waiting}))
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
    if state.doubted and decided(state) is None:
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
        if due:
            lines.append(Line(Text.COMMISSION, {"seat": bank.seat, "amount": due}))
    return lines


def sign(game: Game, table: Table) -> Line:
    """What players read: the pot, and beside it who has won how much since the last round was locked."""
    if table.phase is Phase.TEST:
        return Line(Text.TEST)
    if not table.awards:
        return _sign_alone(game, table)
    winners = tuple(
        Line(Text.WINNER, {"seat": award.seat, "amount": award.amount})
        for award in table.awards[-SIGN_WINNERS_MAX:]
    )
    then = _sign_alone(game, table)
    if then.text is Text.AMOUNT:
        then = Line(Text.POT_NOW, then.values)
    return Line(Text.WINNERS, {"winners": winners, "then": then})


def _sign_alone(game: Game, table: Table) -> Line:
    # A round that was locked is finished whatever is lost meanwhile: its jackpot stands until GAME OVER.
    if table_fault(table) or (table.phase is Phase.OPEN and lock_refusal(game, table) is not None):
        return Line(Text.OUT_OF_SERVICE)
    if table.pot.levels:
        return _promised(table, table.pot.levels[0])
    return Line(_SIGN_WITHOUT_POT[table.resume or table.phase])


def _promised(table: Table, level: Level) -> Line:
    """The pot; a shared one that nobody knows is none, and without a floor it is what the floor confirmed last."""
    codes = {fault.code for fault in table.faults}
    if FaultCode.LINK_UNKNOWN in codes:
        return Line(Text.OUT_OF_SERVICE)
    text = Text.AMOUNT_LAST if FaultCode.HOST_LOST in codes and level.told is not None else Text.AMOUNT
    return Line(text, {"amount": level.shown})


_SIGN_WITHOUT_POT = {
    Phase.CLOSED: Text.CLOSED,
    Phase.OPEN: Text.PLACE_BETS,
    Phase.LOCKED: Text.NO_MORE_BETS,
}
"""What the sign of a game without a pot says: it may promise nothing, so it tells how the round stands."""
